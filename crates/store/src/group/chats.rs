//! The one group of a Telegram chat.

use fracti_core::{
    caller::telegram::User,
    decisions::{
        decision::Decision,
        group_row::unchanged,
        groups::{self as decide, Opened},
        members::require_admission,
    },
    group::{ChatGroup, Group, Member, MemberKey, OpenedGroup},
    input::{Draft, Error},
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, WriteError},
    },
    values::{chat_id::ChatId, id::GroupId, request_context::RequestContext, time::Timestamp},
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Opens the group of a chat, or moves the chat to another group of the user: creates it with `user` as its first member, or lets `user` join
    /// it. A member who was removed stays removed. In place of a deleted group, a new one is created.
    ///
    /// A chat that becomes a supergroup has a new id, under which its first opening made a group. When
    /// the chat moves to the old group, that one is deleted: the user must be alone in it, and nothing
    /// may be recorded.
    ///
    /// # Errors
    ///
    /// [`Error::ChatTaken`]; [`Error::NoGroup`] or [`Error::NotMember`] of the other group;
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
            let asked = new.fields().and_then(|new| new.group_id.value().copied());
            let now_of = known.as_ref().map(|it| it.group_id);
            if let Some(to) = asked.filter(|to| now_of != Some(*to)) {
                let member_key = MemberKey { group: to, user: user.id };
                return self.moved_chat(chat, now_of, member_key, new, context.now).await;
            }
            let Some(ChatGroup { group_id, .. }) = known else {
                return decide::first_opening(chat, new, user, context, Condition::absent());
            };
            // The member first: a user who is shown as a member is then also counted.
            let member = self.member(group_id, user.id.into()).await?;
            let group = self.group_row(group_id).await?;
            if group.deleted_at.is_some() {
                let as_read = Condition::equal("groupId", row::to_value(&group_id)?);
                return decide::first_opening(chat, new, user, context, as_read);
            }
            new.checked()?;
            self.further_opening(group, member, user, context).await
        })
        .await
    }

    async fn further_opening(
        &self,
        group: Group,
        member: Option<Member>,
        user: &User,
        context: RequestContext,
    ) -> Result<Decision<Opened>, WriteError> {
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

    /// The decision after which the chat has another group than `from`.
    async fn moved_chat(
        &self,
        chat: &ChatId,
        from: Option<GroupId>,
        to: MemberKey,
        new: &Draft<OpenedGroup>,
        now: Timestamp,
    ) -> Result<Decision<Opened>, WriteError> {
        let ledger = self.ledger(to.group).await?;
        let (before, _) = self.group_and_caller(to).await?;
        ledger.state.check_writer(to.user)?;
        new.checked()?;
        let (as_read, ends) = match from {
            None => (Condition::absent(), Transaction::default()),
            Some(from) => {
                let ends = self.ended(MemberKey { group: from, user: to.user }, now).await?;
                (Condition::equal("groupId", row::to_value(&from)?), ends)
            }
        };
        let ends = (as_read, ends);
        decide::move_chat(to, chat, &before, &ledger, ends, now)
    }

    /// The writes that delete a group which a chat leaves, and in which the member is alone.
    async fn ended(
        &self,
        member_key: MemberKey,
        now: Timestamp,
    ) -> Result<Transaction, WriteError> {
        let MemberKey { group, user } = member_key;
        let ledger = self.ledger(group).await?;
        let (row, member) = self.group_and_member(group, user.into()).await?;
        if row.deleted_at.is_some() {
            return Ok(Transaction::default());
        }
        decide::end_emptied(member_key, &row, member, ledger, now)
    }
}
