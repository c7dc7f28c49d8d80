//! The one group of a Telegram chat.

use fracti_core::{
    caller::telegram::User,
    group::{ChatGroup, Group, Member, MemberRow, OpenedGroup},
    input::{Draft, Error},
    storage::{keys, row},
    values::chat_id::ChatId,
};

use crate::{
    dynamo::{Expression, Transaction, TransactionError, Write},
    group::{groups::require_admission, settings::unchanged},
    table::{RequestContext, Table},
    write::{
        commit::Decision,
        idempotency::{Idempotency, Outcome},
    },
};

/// The group of a chat, after `user` has opened it.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The group.
    pub group: Group,
    /// Whether the chat had no group before.
    pub created: bool,
}

impl Table {
    /// Opens the group of a chat: creates it with `user` as its first member, or lets `user` join
    /// it. A member who was removed stays removed. In place of a deleted group, a new one is created.
    ///
    /// # Errors
    ///
    /// [`Error::Removed`]; [`Error::GroupArchived`] if the user is not a member;
    /// [`Error::TooManyMembers`]; [`Error::Invalid`].
    pub async fn open_group(
        &self,
        chat: &ChatId,
        new: &Draft<OpenedGroup>,
        user: &User,
        idempotency: &Idempotency<Opened>,
    ) -> Result<Outcome<Opened>, Error> {
        let context = idempotency.context();
        self.write(idempotency, || async {
            let known = self.db.get::<ChatGroup>(keys::chat_group(chat)).await?;
            let Some(ChatGroup { group_id, .. }) = known else {
                return Self::first_opening(chat, new, user, context, Expression::absent());
            };
            // The member first: a user who is shown as a member is then also counted.
            let member = self.member(group_id, user.id.into()).await?;
            let group = self.group_row(group_id).await?;
            if group.deleted_at.is_some() {
                let as_read = Expression::equal("groupId", row::to_value(&group_id)?);
                return Self::first_opening(chat, new, user, context, as_read);
            }
            new.checked()?;
            self.further_opening(group, member, user, context).await
        })
        .await
    }

    /// Creates the group of a chat, whose row must be `as_read`.
    fn first_opening(
        chat: &ChatId,
        new: &Draft<OpenedGroup>,
        user: &User,
        context: RequestContext,
        as_read: Expression,
    ) -> Result<Decision<Opened>, TransactionError> {
        let group = new.check(chat, user.id, context.now, context.random)?;
        let member = Member::new(user, None, context.now);
        let pointer = ChatGroup { chat_id: chat.clone(), group_id: group.id };
        let writes = Transaction::from_iter([
            Write::put_new(&group)?,
            Write::put(&pointer)?.when(as_read),
            Write::put_new(&MemberRow { group_id: group.id, member })?,
        ]);
        Ok(Decision::Write(writes, Opened { group, created: true }))
    }

    async fn further_opening(
        &self,
        group: Group,
        member: Option<Member>,
        user: &User,
        context: RequestContext,
    ) -> Result<Decision<Opened>, TransactionError> {
        let is_present = member.as_ref().is_some_and(Member::is_present);
        if is_present && group.archived {
            return Ok(Decision::Done(Opened { group, created: false }));
        }
        if let Err(error) = require_admission(&group, member.as_ref(), Ok(())) {
            return Ok(Decision::Refuse { unless: None, error });
        }
        let joined = u64::from(!is_present);
        let member_count = group.member_count.saturating_add(joined);
        let opened = Opened { group: Group { member_count, ..group.clone() }, created: false };
        let as_shown = unchanged(&group)?;
        let (mut joining, _) = self.joining(group, member, user, None, context.now).await?;
        joining.require(&keys::group(opened.group.id), as_shown);
        Ok(if is_present {
            Decision::Write(joining, opened)
        } else {
            Decision::Renew(joining, opened)
        })
    }
}
