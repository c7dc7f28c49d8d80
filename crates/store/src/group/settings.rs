//! A group's settings: its title, its currency, its own categories, and whether it is archived.

use fracti_core::{
    decisions::groups as decide,
    group::{Group, GroupUpdate, Member, MemberKey},
    input::{Draft, Error},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Changes a group's settings. An archived group can only be un-archived.
    ///
    /// Archiving is a write under the group's lock, so no other write is committed after it.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::Invalid`].
    pub async fn update_group(
        &self,
        member_key: MemberKey,
        update: &Draft<GroupUpdate>,
        idempotency: &Idempotency<Group>,
    ) -> Result<Outcome<Group>, Error> {
        let MemberKey { group, user } = member_key;
        self.write(Some(group), idempotency, || async {
            let read = async {
                if update.names_members() {
                    return self.group(member_key).await;
                }
                let (before, caller) = self.group_and_member(group, user.into()).await?;
                Ok((before, vec![Member::require_present(caller)?]))
            };
            let ((before, members), ledger) = tokio::try_join!(read, self.ledger(group))?;
            decide::update(member_key, update, (&before, &members), ledger, idempotency.now())
        })
        .await
    }
}
