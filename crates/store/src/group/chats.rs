//! The one group of a Telegram chat.

use fracti_core::{
    caller::telegram::User,
    decisions::{
        decision::Decision,
        groups::{self as decide, ConnectedChat, Opened},
    },
    group::{ChatGroup, Group, Member, MemberKey, OpenedGroup},
    input::{Draft, Error},
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, WriteError},
    },
    values::{
        chat_id::ChatId,
        id::{GroupId, Subscriber, UserId},
        time::Timestamp,
    },
};
use fracti_texts::Language;

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Opens the group of a chat, or moves the chat to another group of the user: creates it with
    /// `user` as its first member, or lets `user` join it. A member who was removed stays removed.
    /// In place of a deleted group, a new one is created.
    ///
    /// A chat that becomes a supergroup has a new id, under which its first opening made a group.
    /// When the chat moves to the old group, that one is deleted: the user must be alone in it, and
    /// nothing may be recorded.
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
        self.write(None, idempotency, || async {
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
            let (member, group) = self.member_of_chat(group_id, user).await?;
            let Some(group) = group else {
                let as_read = Condition::equal("groupId", row::to_value(&group_id)?);
                return decide::first_opening(chat, new, user, context, as_read);
            };
            new.checked()?;
            self.further_opening(group, member, user, context.now).await
        })
        .await
    }

    /// Connects a chat with its group, as its bot sees the chat: by its number and, after a press,
    /// by its `chat_instance`. The group is that of the number, or else of the instance, or else a
    /// new one. `user` joins it, the chat's rows name it, and its changes are told in the chat.
    ///
    /// If `new` names a group and the user is a present member of it, the chat is that group's from
    /// now on.
    ///
    /// # Errors
    ///
    /// As [`Table::open_group`].
    pub async fn connect_chat(
        &self,
        (number, instance): (i64, Option<&ChatId>),
        new: &Draft<OpenedGroup>,
        user: &User,
        language: Language,
        idempotency: &Idempotency<Opened>,
    ) -> Result<Outcome<Opened>, Error> {
        let context = idempotency.context();
        let chat = ChatId::from(number);
        self.write(None, idempotency, || async {
            let of_instance = async {
                match instance {
                    Some(instance) => self.db.get::<ChatGroup>(keys::chat_group(instance)).await,
                    None => Ok(None),
                }
            };
            let of_number = self.db.get::<ChatGroup>(keys::chat_group(&chat));
            let (of_number, of_instance) = tokio::try_join!(of_number, of_instance)?;
            let known = of_number.as_ref().or(of_instance.as_ref()).map(|it| it.group_id);
            let asked = new.fields().and_then(|new| new.group_id.value().copied());
            let decision = match (asked.filter(|to| known != Some(*to)), known) {
                (Some(to), _) => {
                    let member_key = MemberKey { group: to, user: user.id };
                    self.moved_chat(&chat, known, member_key, new, context.now).await?
                }
                (None, None) => {
                    decide::first_opening(&chat, new, user, context, Condition::absent())?
                }
                (None, Some(group_id)) => {
                    let (member, group) = self.member_of_chat(group_id, user).await?;
                    if let Some(group) = group {
                        self.further_opening(group, member, user, context.now).await?
                    } else {
                        let as_read = decide::same_group(of_number.as_ref())?;
                        decide::first_opening(&chat, new, user, context, as_read)?
                    }
                }
            };
            let Some(group) = decision.result().map(|opened| opened.group.id) else {
                return Ok(decision);
            };
            let subscription = self.subscription(Subscriber::Group(group)).await?;
            let other = of_instance.as_ref().filter(|it| it.group_id != group);
            let other = match other {
                Some(it) => self.db.get::<Group>(keys::group(it.group_id)).await?,
                None => None,
            };
            let is_taken = other.is_some_and(|it| it.deleted_at.is_none());
            let by_number =
                ConnectedChat { chat: &chat, read: of_number.as_ref(), is_taken: false };
            let of = |chat| ConnectedChat { chat, read: of_instance.as_ref(), is_taken };
            let chats = [by_number].into_iter().chain(instance.map(of));
            let connected = (number, asked.is_some(), language);
            decide::connect(decision, chats, connected, subscription.as_ref(), context.now)
        })
        .await
    }

    /// The group of a chat, by its number in Telegram, unless it is deleted.
    pub async fn group_of_chat(&self, number: i64) -> Result<Option<GroupId>, Error> {
        let key = keys::chat_group(&ChatId::from(number));
        let Some(ChatGroup { group_id, .. }) = self.db.get::<ChatGroup>(key).await? else {
            return Ok(None);
        };
        let group = self.db.get::<Group>(keys::group(group_id)).await?;
        Ok(group.filter(|it| it.deleted_at.is_none()).map(|it| it.id))
    }

    /// Notes that a chat has become a supergroup, with another number. Its group and its messages
    /// go with it. The earlier number still leads to the group.
    pub async fn migrate_chat(&self, from: i64, to: i64, now: Timestamp) -> Result<(), Error> {
        let before = ChatId::from(from);
        let after = ChatId::from(to);
        self.work(None, "migrate-chat", now, |_| async {
            let read = |chat: &ChatId| self.db.get::<ChatGroup>(keys::chat_group(chat));
            let before = before.clone();
            let known = after.clone();
            let before = read(&before).await?;
            let known = read(&known).await?;
            let Some(ChatGroup { group_id, .. }) = before else { return Ok(Decision::Done(())) };
            let subscription = self.subscription(Subscriber::Group(group_id)).await?;
            let chat = (&after, known.as_ref(), to);
            decide::migrate_chat(group_id, chat, (from, subscription.as_ref()), now)
        })
        .await
    }

    /// Begins the messages to a group's chat again, to which the bot has come back.
    pub async fn resume_chat(&self, number: i64, now: Timestamp) -> Result<(), Error> {
        self.work(None, "resume-chat", now, |_| async {
            let Some(group) = self.group_of_chat(number).await? else {
                return Ok(Decision::Done(()));
            };
            let before = self.subscription(Subscriber::Group(group)).await?;
            decide::resume_chat(before.as_ref(), number, now)
        })
        .await
    }

    /// Ends the messages to a chat from which the bot was removed, or to a user who has blocked it.
    pub async fn end_chat(
        &self,
        number: i64,
        is_private: bool,
        now: Timestamp,
    ) -> Result<(), Error> {
        self.work(None, "end-chat", now, |_| async {
            let of = if is_private {
                u64::try_from(number).ok().and_then(|id| UserId::new(id).ok()).map(Subscriber::User)
            } else {
                let key = keys::chat_group(&ChatId::from(number));
                let group = self.db.get::<ChatGroup>(key).await?;
                group.map(|it| Subscriber::Group(it.group_id))
            };
            let Some(of) = of else { return Ok(Decision::Done(())) };
            let before = self.subscription(of).await?;
            decide::end_chat(before.as_ref(), number, now)
        })
        .await
    }

    /// A user as a member of a chat's group, and the group, unless it is deleted. Its rows may be
    /// gone, too: a group may have had several chats.
    async fn member_of_chat(
        &self,
        group: GroupId,
        user: &User,
    ) -> Result<(Option<Member>, Option<Group>), Error> {
        // The member first: a user who is shown as a member is then also counted.
        let member = self.member(group, user.id.into()).await?;
        let group = self.db.get::<Group>(keys::group(group)).await?;
        Ok((member, group.filter(|it| it.deleted_at.is_none())))
    }

    async fn further_opening(
        &self,
        group: Group,
        member: Option<Member>,
        user: &User,
        now: Timestamp,
    ) -> Result<Decision<Opened>, WriteError> {
        let joins = decide::joins(&group, member.as_ref());
        let ledger = if joins { Some(self.ledger(group.id).await?) } else { None };
        decide::further_opening(group, member, user, ledger, now)
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
