//! Changes of subscriptions to messages of the bot.

use fracti_core::{
    chat::subscription::Subscription,
    decisions::{decision::Decision, telling::put_subscription},
    group::MemberKey,
    input::{Draft, Error},
    storage::{
        keys,
        write::{Transaction, Write},
    },
    values::id::{Subscriber, UserId},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Changes a subscription: that of a group for one of its present members. `change` returns the
    /// row after the change; without one, nothing changes.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn change_subscription(
        &self,
        of: Subscriber,
        member_key: Option<MemberKey>,
        change: impl Fn(Option<&Subscription>) -> Result<Option<Subscription>, Error>,
        idempotency: &Idempotency<Option<Subscription>>,
    ) -> Result<Outcome<Option<Subscription>>, Error> {
        self.write(None, idempotency, || async {
            let read = self.subscription(of);
            let before = match member_key {
                Some(member_key) => self.checked(member_key, read).await?,
                None => read.await?,
            };
            let Some(after) = change(before.as_ref())? else { return Ok(Decision::Done(before)) };
            let put = put_subscription(before.as_ref(), &after)?;
            Ok(Decision::Write(Transaction::from_iter([put]), Some(after)))
        })
        .await
    }

    /// Deletes the subscription of a user, if there is one.
    pub async fn delete_subscription(
        &self,
        user: UserId,
        body: &Draft<()>,
        idempotency: &Idempotency<()>,
    ) -> Result<Outcome<()>, Error> {
        let of = Subscriber::User(user);
        self.write(None, idempotency, || async {
            body.checked()?;
            if self.subscription(of).await?.is_none() {
                return Ok(Decision::Done(()));
            }
            let delete = Write::delete(keys::subscription(of));
            Ok(Decision::Write(Transaction::from_iter([delete]), ()))
        })
        .await
    }
}
