//! Groups: their settings, their chat, their invitation, and their deletion.

use std::{collections::HashSet, ops::ControlFlow};

use fracti_texts::Language;

use crate::{
    caller::telegram::User,
    chat::subscription::{InactiveReason, Subscription},
    decisions::{
        balance::put_lock_telling,
        decision::Decision,
        group_row::unchanged,
        ledger_transaction::LedgerTransaction,
        members::{attributes, change_member, joining, require_admission},
        telling::put_subscription,
    },
    group::{
        ChatGroup, Group, GroupUpdate, Invitation, InvitationCode, Member, MemberKey, MemberRow,
        OpenedGroup,
    },
    input::{Draft, Error},
    ledger::Ledger,
    records::group_change::{ChangeKind, Subject},
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        chat_id::ChatId,
        id::{GroupId, Subscriber},
        request_context::RequestContext,
        time::Timestamp,
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

/// Changes a group's settings. `members` has those whom the request names, or else the caller.
pub fn update(
    by: MemberKey,
    update: &Draft<GroupUpdate>,
    (before, members): (&Group, &[Member]),
    ledger: Ledger,
    now: Timestamp,
) -> Result<Decision<Group>, WriteError> {
    let MemberKey { group, user } = by;
    ledger.state.check_present(user)?;
    if ledger.state.archived != before.archived {
        // The two rows were read before and after another request.
        return Err(WriteError::Retry);
    }
    let members = ledger.links.unlinked(&ledger.state.of(members));
    let after = update.resolved(&ledger.links).apply(before, &members);
    if after.as_ref().is_ok_and(|after| *after == *before) {
        return Ok(Decision::Done(before.clone()));
    }
    if ledger.state.archived && !update.unarchives() {
        return Err(Error::GroupArchived.into());
    }
    let mut after = after?;
    let mut transaction = LedgerTransaction::unchecked(by, ledger, now);
    let at = transaction.at();
    let state = transaction.state();
    state.archived = after.archived;
    if after.currency != before.currency {
        state.currency = Some(after.currency);
    }
    if after.default_splits != before.default_splits {
        after.default_splits_at = Some(at);
        state.default_splits_at = Some(at);
    }
    let own = (!after.categories.is_empty()).then(|| row::to_value(&after.categories));
    let rules = &after.default_splits;
    let rules = (!rules.is_empty()).then(|| row::to_value(rules)).transpose()?;
    let rules_at = after.default_splits_at.as_ref().map(row::to_value).transpose()?;
    let archived = after.archived.then(|| row::to_value(&true)).transpose()?;
    let attributes = [
        ("title", Some(row::to_value(&after.title)?)),
        ("currency", Some(row::to_value(&after.currency)?)),
        ("archived", archived),
        ("categories", own.transpose()?),
        ("defaultSplits", rules),
        ("defaultSplitsAt", rules_at),
    ];
    let update = Write::update(keys::group(group), attributes);
    transaction.add(update.when(unchanged(before)?));
    let archives = after.archived && !before.archived;
    let kind = if archives { ChangeKind::GroupArchived } else { ChangeKind::GroupChanged };
    transaction.tell(Subject::group(kind, &after));
    transaction.commit(after)
}

/// Invites to a group with a code, or closes it.
pub fn set_invitation(
    by: MemberKey,
    code: Option<&InvitationCode>,
    body: &Draft<()>,
    before: Group,
    ledger: Ledger,
    now: Timestamp,
) -> Result<Decision<Group>, WriteError> {
    let invitation = code.map_or(Invitation::Closed, |code| Invitation::Code(code.hash()));
    let mut transaction = LedgerTransaction::new(by, ledger, now)?;
    body.checked()?;
    if before.invitation == Some(invitation) {
        return Ok(Decision::Done(before));
    }
    let after = Group {
        invitation: Some(invitation),
        invitation_code: code.cloned(),
        invited_by: code.map(|_| by.user),
        ..before.clone()
    };
    let values = [
        ("invitation", Some(row::to_value(&after.invitation)?)),
        ("invitationCode", code.map(row::to_value).transpose()?),
        ("invitedBy", after.invited_by.as_ref().map(row::to_value).transpose()?),
    ];
    let update = Write::update(keys::group(by.group), values);
    transaction.add(update.when(unchanged(&before)?));
    transaction.tell(Subject::group(ChangeKind::GroupChanged, &after));
    transaction.commit(after)
}

/// Creates the group of a chat, whose row must be `as_read`.
pub fn first_opening(
    chat: &ChatId,
    new: &Draft<OpenedGroup>,
    user: &User,
    context: RequestContext,
    as_read: Condition,
) -> Result<Decision<Opened>, WriteError> {
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

/// Whether a user who opens the group of a chat joins it, which needs the ledger.
#[must_use]
pub fn joins(group: &Group, member: Option<&Member>) -> bool {
    !member.is_some_and(Member::is_present) && require_admission(group, member, Ok(())).is_ok()
}

/// Opens the group of a chat again: the user joins it, or is present already.
pub fn further_opening(
    group: Group,
    member: Option<Member>,
    user: &User,
    ledger: Option<Ledger>,
    now: Timestamp,
) -> Result<Decision<Opened>, WriteError> {
    let is_present = member.as_ref().is_some_and(Member::is_present);
    if is_present && group.archived {
        return Ok(Decision::Done(Opened { group, created: false }));
    }
    if let Err(error) = require_admission(&group, member.as_ref(), Ok(())) {
        return Ok(Decision::Refuse { unless: None, error });
    }
    let member_count = group.member_count.saturating_add(u64::from(!is_present));
    let opened = Opened { group: Group { member_count, ..group.clone() }, created: false };
    let as_shown = unchanged(&group)?;
    let (mut joining, _) = joining(group, member, user, None, ledger, now)?;
    joining.require(&keys::group(opened.group.id), as_shown);
    let of = if is_present { Decision::Write } else { Decision::Renew };
    Ok(of(joining, opened))
}

/// Gives a chat another group than it has: `ends` is the condition on the chat's row, and what
/// deletes its group.
pub fn move_chat(
    to: MemberKey,
    chat: &ChatId,
    before: &Group,
    ledger: &Ledger,
    (as_read, mut writes): (Condition, Transaction),
    now: Timestamp,
) -> Result<Decision<Opened>, WriteError> {
    let group = Group { chat_id: chat.clone(), ..before.clone() };
    let pointer = ChatGroup { chat_id: chat.clone(), group_id: group.id };
    let attributes = [("chatId", Some(row::to_value(chat)?))];
    let update = Write::update(keys::group(group.id), attributes);
    let told = Subject::group(ChangeKind::GroupChanged, &group);
    writes.extend(put_lock_telling(to, ledger, now, told)?);
    writes.extend([update.when(unchanged(before)?), Write::put(&pointer)?.when(as_read)]);
    Ok(Decision::Write(writes, Opened { group, created: false }))
}

/// The condition that a chat has the group that was read, or none.
pub fn same_group(read: Option<&ChatGroup>) -> Result<Condition, Error> {
    read.map_or_else(
        || Ok(Condition::absent()),
        |it| Ok(Condition::equal("groupId", row::to_value(&it.group_id)?)),
    )
}

/// A chat that is connected with a group: its number, or its `chat_instance`.
#[derive(Clone, Copy, Debug)]
pub struct ConnectedChat<'a> {
    /// The chat.
    pub chat: &'a ChatId,
    /// The group that it had.
    pub read: Option<&'a ChatGroup>,
    /// Whether that is another group, which is not deleted.
    pub is_taken: bool,
}

/// Adds to the opening of a group what connects chats with it: the rows of those which have another
/// group that is deleted or none so far, and the subscription of the chat with this number, unless
/// another chat has it. `moves` if the group is to have this chat instead of another one.
pub fn connect<'a>(
    decision: Decision<Opened>,
    chats: impl IntoIterator<Item = ConnectedChat<'a>>,
    (number, moves, language): (i64, bool, Language),
    subscription: Option<&Subscription>,
    now: Timestamp,
) -> Result<Decision<Opened>, WriteError> {
    let Some(opened) = decision.result() else { return Ok(decision) };
    let group = opened.group.id;
    let mut writes = Vec::new();
    let mut leading = Vec::new();
    let written = match &decision {
        Decision::Write(transaction, _) | Decision::Renew(transaction, _) => transaction.keys(),
        Decision::Done(_) | Decision::Refuse { .. } => Vec::new(),
    };
    for ConnectedChat { chat, read, is_taken } in chats {
        // A chat that has another group keeps it.
        let is_free = read.is_none_or(|it| it.group_id != group && !is_taken);
        let is_written = written.contains(&keys::chat_group(chat));
        if is_free && !is_written {
            let pointer = ChatGroup { chat_id: chat.clone(), group_id: group };
            writes.push(Write::put(&pointer)?.when(same_group(read)?));
        }
        if is_free || is_written || read.is_some_and(|it| it.group_id == group) {
            leading.push(chat);
        }
    }
    // Messages that a member has turned off stay off.
    let stays = subscription.is_some_and(|it| {
        if it.active {
            it.chat_id == number || !moves
        } else {
            it.inactive_reason.is_none() && !moves
        }
    });
    let new = Subscription::new(Subscriber::Group(group), number, language, now);
    let after = match subscription {
        None => new.with_chats(leading),
        Some(before) if stays => before.clone().with_chats(leading),
        Some(before) => {
            let version = before.version;
            let chats = before.chats.clone();
            Subscription { chats, version, ..new }.with_chats(leading)
        }
    };
    if subscription != Some(&after) {
        writes.push(put_subscription(subscription, &after.changed())?);
    }
    Ok(decision.with(writes))
}

/// Gives the group of a chat the number that the chat has from now on, and its messages if it had
/// them.
pub fn migrate_chat(
    group: GroupId,
    (chat, known, number): (&ChatId, Option<&ChatGroup>, i64),
    (from, subscription): (i64, Option<&Subscription>),
    now: Timestamp,
) -> Result<Decision<()>, WriteError> {
    let mut writes = Transaction::default();
    if known.is_none() {
        let pointer = ChatGroup { chat_id: chat.clone(), group_id: group };
        writes.add(Write::put_new(&pointer)?);
    }
    if let Some(before) = subscription {
        let after = before.clone().with_chats([&ChatId::from(from), chat]);
        let after = if before.chat_id == from {
            Subscription { chat_id: number, updated_at: now, ..after }
        } else {
            after
        };
        if after != *before {
            writes.add(put_subscription(Some(before), &after.changed())?);
        }
    }
    Ok(if writes.is_empty() { Decision::Done(()) } else { Decision::Write(writes, ()) })
}

/// Begins the messages to a group's chat again, to which the bot has come back.
pub fn resume_chat(
    before: Option<&Subscription>,
    number: i64,
    now: Timestamp,
) -> Result<Decision<()>, WriteError> {
    let blocked = Some(InactiveReason::Blocked);
    change(before.filter(|it| it.inactive_reason == blocked && it.chat_id == number), |before| {
        let new = Subscription::new(before.id, number, before.language, now);
        let version = before.version;
        let chats = before.chats.clone();
        Subscription { chats, version, ..new }.changed()
    })
}

/// Ends the messages to a chat from which the bot was removed, or to a user who has blocked it.
pub fn end_chat(
    before: Option<&Subscription>,
    number: i64,
    now: Timestamp,
) -> Result<Decision<()>, WriteError> {
    let stopped = |before: &Subscription| before.stopped(Some(InactiveReason::Blocked), now);
    change(before.filter(|it| it.active && it.chat_id == number), stopped)
}

/// Changes a subscription, if there is one that is to be changed.
fn change(
    before: Option<&Subscription>,
    after: impl FnOnce(&Subscription) -> Subscription,
) -> Result<Decision<()>, WriteError> {
    let Some(before) = before else { return Ok(Decision::Done(())) };
    let put = put_subscription(Some(before), &after(before))?;
    Ok(Decision::Write(Transaction::from_iter([put]), ()))
}

/// The writes that delete a group which a chat leaves, and in which the member is alone.
pub fn end_emptied(
    by: MemberKey,
    row: &Group,
    member: Option<Member>,
    ledger: Ledger,
    now: Timestamp,
) -> Result<Transaction, WriteError> {
    let is_empty = ledger.last_event_at.is_none() && !ledger.state.may_have_pending();
    let alone = member.filter(|member| member.is_present() && row.member_count == 1 && is_empty);
    let alone = alone.ok_or(Error::ChatTaken)?;
    let transaction = LedgerTransaction::unchecked(by, ledger, now);
    Ok(deletion(transaction, row, &alone)?.finished()?)
}

/// Begins to delete a group for its creator: what is decided already, or a transaction and the
/// creator for [`delete`].
pub fn begin_deletion(
    by: MemberKey,
    (group, members): (&Group, &[Member]),
    ledger: Ledger,
    now: Timestamp,
) -> Result<ControlFlow<Decision<GroupId>, (LedgerTransaction, Member)>, Error> {
    let MemberKey { group: id, user } = by;
    let caller = members.iter().find(|member| member.id == user).ok_or(Error::NotMember)?;
    if let Err(error) = caller.check_present() {
        // A stored response is that of the creator, who left with the deletion.
        let unless = group.deleted_at.map(|_| id);
        return Ok(ControlFlow::Break(Decision::Refuse { unless, error }));
    }
    if !group.is_created_by(caller) {
        return Err(Error::NotCreator);
    }
    ledger.state.check_present(user)?;
    let is_other = |it: &Member| it.is_present() && it.id.user().is_some() && it.id != user;
    if ledger.state.of(members).iter().any(is_other) {
        return Err(Error::NotAlone);
    }
    let transaction = LedgerTransaction::unchecked(by, ledger, now);
    Ok(ControlFlow::Continue((transaction, caller.clone())))
}

/// Deletes a group whose pending settlements are counted.
pub fn delete(
    transaction: LedgerTransaction,
    group: &Group,
    creator: &Member,
) -> Result<Decision<GroupId>, WriteError> {
    let unsettled = transaction.ledger().all_unsettled();
    if !unsettled.is_empty() {
        return Err(Error::OpenBalances(unsettled).into());
    }
    deletion(transaction, group, creator)?.commit(group.id)
}

/// Keys of the rows that may lead from a chat to a group: its own, and those of its messages.
#[must_use]
pub fn chats(group: &Group, subscription: Option<&Subscription>) -> HashSet<Primary> {
    let told = subscription.map(|it| ChatId::from(it.chat_id));
    let others = subscription.into_iter().flat_map(|it| it.chats.clone());
    let chats = [group.chat_id.clone()].into_iter().chain(told).chain(others);
    chats.map(|chat| keys::chat_group(&chat)).collect()
}

/// The deletion of rows of a deleted group, and of the group itself with the last ones.
#[must_use]
pub fn delete_rows(group: GroupId, keys: Vec<Primary>, is_last: bool) -> Transaction {
    let of_group = if is_last { Write::delete } else { Write::check };
    let of_group = of_group(keys::group(group)).when(Condition::with_attribute("deletedAt"));
    keys.into_iter().map(Write::delete).chain([of_group]).collect()
}

/// The writes after which the group is deleted and its last user has left.
fn deletion(
    mut transaction: LedgerTransaction,
    before: &Group,
    last: &Member,
) -> Result<LedgerTransaction, Error> {
    let at = transaction.at();
    let left = Member { left_at: Some(at), ..last.clone() };
    let after = Group {
        member_count: before.member_count.saturating_sub(1),
        archived: true,
        deleted_at: Some(at),
        ..before.clone()
    };
    let state = transaction.state();
    state.change(&left, at)?;
    state.archived = true;
    transaction.add(change_member(before.id, last, attributes(last, &left)?)?);
    let values = [
        ("memberCount", Some(row::to_value(&after.member_count)?)),
        ("archived", Some(row::to_value(&true)?)),
        ("deletedAt", Some(row::to_value(&at)?)),
    ];
    transaction.add(Write::update(keys::group(before.id), values).when(unchanged(before)?));
    transaction.tell(Subject::group(ChangeKind::GroupArchived, &after));
    Ok(transaction)
}
