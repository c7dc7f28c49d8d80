//! Members: joining, leaving, removing and restoring them.
//!
//! A member's presence changes under the group's lock, together with the condition for it. The
//! balance row notes the change, see [`GroupState`](crate::group::group_state::GroupState).

use std::ops::ControlFlow;

use crate::{
    caller::telegram::User,
    decisions::{
        balance::put_lock_telling,
        decision::Decision,
        group_row::{invites_as_read, links_as_read, links_set_to},
        ledger_transaction::LedgerTransaction,
    },
    group::{Group, Member, MemberKey, MemberRow},
    input::{Draft, Error, Field, limits::MAX_MEMBERS},
    ledger::Ledger,
    records::{
        group_change::{ChangeKind, Subject},
        settlement::Settlement,
    },
    storage::{
        condition::Condition,
        keys,
        row::{self, AttributeValue},
        write::{Transaction, Write, WriteError},
    },
    values::{id::GroupId, settlement_status::SettlementStatus, time::Timestamp, ton::TonAddress},
};

/// A member who becomes present or past, and a group and the ledger as they were read.
#[derive(Debug)]
pub struct MemberChange {
    group: Group,
    before: Member,
    transaction: LedgerTransaction,
}

/// Begins to make a member past who leaves: what is decided already, or a change that follows if
/// the member is settled.
pub fn begin_leave(
    by: MemberKey,
    (group, member): (Group, Option<Member>),
    ledger: Ledger,
    now: Timestamp,
) -> Result<ControlFlow<Decision<Member>, MemberChange>, Error> {
    let before = member.ok_or(Error::NotMember)?;
    if let Err(error) = before.check_present() {
        // A stored response is for who left by it, and not for who left again since.
        return Ok(ControlFlow::Break(Decision::Refuse { unless: Some(before), error }));
    }
    let transaction = LedgerTransaction::new(by, ledger, now)?;
    Ok(ControlFlow::Continue(MemberChange { group, before, transaction }))
}

/// Begins to remove a member, as [`begin_leave`] does.
pub fn begin_removal(
    by: MemberKey,
    (group, caller): (Group, Option<Member>),
    member: Option<Member>,
    ledger: Ledger,
    now: Timestamp,
) -> Result<ControlFlow<Decision<Member>, MemberChange>, Error> {
    let caller = Member::require_present(caller)?;
    let before = member.ok_or(Error::NoMember)?;
    if !group.may_remove(&caller, &before) {
        return Err(Error::NotRemovable);
    }
    if before.linked_to.is_some() {
        return Err(Error::AlreadyLinked);
    }
    if before.removed_at.is_some() {
        return Ok(ControlFlow::Break(Decision::Done(before)));
    }
    let transaction = LedgerTransaction::new(by, ledger, now)?;
    Ok(ControlFlow::Continue(MemberChange { group, before, transaction }))
}

/// Makes a past member present again. Of a past guest, all members show whether the name is free.
pub fn restore(
    by: MemberKey,
    (group, caller): (Group, Option<Member>),
    (member, everyone): (Option<Member>, Option<&[Member]>),
    ledger: Ledger,
    body: &Draft<()>,
    now: Timestamp,
) -> Result<Decision<Member>, WriteError> {
    Member::require_present(caller)?;
    let before = member.ok_or(Error::NoMember)?;
    if before.linked_to.is_some() {
        return Err(Error::AlreadyLinked.into());
    }
    let transaction = LedgerTransaction::new(by, ledger, now)?;
    if let Some(members) = everyone {
        let members = transaction.ledger().state.of(members);
        if Member::is_taken(&before.name, &members, Some(before.id)) {
            return Err(Error::NameTaken.into());
        }
    }
    body.checked()?;
    let member = before.clone().present();
    if before.is_present() {
        return Ok(Decision::Done(member));
    }
    let change = MemberChange { group, before, transaction };
    change.to(&member, ChangeKind::MemberRestored)?.commit(member)
}

/// The transaction that makes a user present who has left, as the member `after`.
fn rejoin(
    group: Group,
    before: Member,
    after: &Member,
    ledger: Ledger,
    now: Timestamp,
) -> Result<LedgerTransaction, WriteError> {
    let user = after.id.user().ok_or(Error::NoMember)?;
    let member_key = MemberKey { group: group.id, user };
    if ledger.state.archived && !group.archived {
        // The two rows were read before and after another request, which may have deleted the
        // group.
        return Err(WriteError::Retry);
    }
    group.check_unarchived()?;
    let transaction = LedgerTransaction::unchecked(member_key, ledger, now);
    Ok(MemberChange { group, before, transaction }.to(after, ChangeKind::MemberJoined)?)
}

/// The writes by which `user` becomes present in a group, and the member afterwards. A present
/// member needs no ledger.
pub fn joining(
    group: Group,
    before: Option<Member>,
    user: &User,
    wallet: Option<&TonAddress>,
    ledger: Option<Ledger>,
    now: Timestamp,
) -> Result<(Transaction, Member), WriteError> {
    let Some(before) = before else {
        let member = Member::new(user, wallet.cloned(), now);
        let row = MemberRow { group_id: group.id, member: member.clone() };
        let put = Write::put_new(&row)?;
        // The lock keeps an expense of all members from being committed without this one later.
        let ledger = ledger.ok_or(WriteError::Retry)?;
        let member_key = MemberKey { group: group.id, user: user.id };
        let joined = Subject::member(ChangeKind::MemberJoined, &member);
        let [told, lock] = put_lock_telling(member_key, &ledger, now, joined)?;
        let writes = [put, count_in(&group, 1)?, told, lock];
        return Ok((Transaction::from_iter(writes), member));
    };
    let wallet = wallet.cloned().or_else(|| before.wallet.clone());
    let member = Member { wallet, ..before.clone().renamed(user).present() };
    if !before.is_present() {
        let ledger = ledger.ok_or(WriteError::Retry)?;
        let transaction = rejoin(group, before, &member, ledger, now)?;
        return Ok((transaction.finished()?, member));
    }
    let mut writes = Transaction::default();
    if member != before {
        let attributes = attributes(&before, &member)?;
        writes.add(change_member(group.id, &before, attributes)?);
        writes.add(check_unarchived(group.id));
    }
    Ok((writes, member))
}

impl MemberChange {
    /// The transaction, for the number of pending settlements that it may still lack.
    pub const fn transaction(&mut self) -> &mut LedgerTransaction {
        &mut self.transaction
    }

    /// Whether the pending settlements say more than their number: a payment to a guest who is the
    /// member counts for both.
    #[must_use]
    pub fn needs_pending(&self) -> bool {
        let member = self.before.id;
        let ledger = self.transaction.ledger();
        ledger.check_settled(member).is_err() && ledger.may_count_twice(member)
    }

    /// Checks that the member has no balance and no pending settlement. `pending` has the pending
    /// settlements of the group if they were read.
    ///
    /// # Errors
    ///
    /// [`Error::NotSettled`].
    pub fn check_settled(&self, pending: Option<&[Settlement]>) -> Result<(), Error> {
        let member = self.before.id;
        let ledger = self.transaction.ledger();
        let Err(mut unsettled) = ledger.check_settled(member) else { return Ok(()) };
        if let Some(pending) = pending {
            let is_own = |it: &&Settlement| {
                let mut parties = it.parties().into_iter().map(|id| ledger.links.resolve(id));
                it.status == SettlementStatus::Pending && parties.any(|party| party == member)
            };
            unsettled.pending =
                u64::try_from(pending.iter().filter(is_own).count()).unwrap_or(u64::MAX);
        }
        Err(Error::NotSettled(unsettled))
    }

    /// The decision by which the member leaves.
    pub fn leave(self, body: &Draft<()>) -> Result<Decision<Member>, WriteError> {
        body.checked()?;
        let left_at = Some(self.transaction.at());
        let member = Member { left_at, ..self.before.clone() };
        let transaction = self.to(&member, ChangeKind::MemberLeft)?;
        Ok(Decision::Renew(transaction.finished()?, member))
    }

    /// The decision by which the member is removed.
    pub fn remove(self) -> Result<Decision<Member>, WriteError> {
        let removed_at = Some(self.transaction.at());
        let member = Member { left_at: None, removed_at, ..self.before.clone() };
        self.to(&member, ChangeKind::MemberRemoved)?.commit(member)
    }

    /// The transaction with the writes after which the member is `after`.
    fn to(self, after: &Member, kind: ChangeKind) -> Result<LedgerTransaction, Error> {
        let Self { group, before, mut transaction } = self;
        let at = transaction.at();
        transaction.state().change(after, at)?;
        transaction.add(change_member(group.id, &before, attributes(&before, after)?)?);
        match (before.is_present(), after.is_present()) {
            (false, true) => transaction.add(count_in(&group, 1)?),
            (true, false) => {
                let count = Write::decrement(keys::group(group.id), "memberCount", 1);
                let links = links_set_to(&group.links_without(after))?;
                let as_read = Condition::present().and(links_as_read(&group)?);
                transaction.add(count.setting(links).when(as_read));
            }
            (true, true) | (false, false) => {}
        }
        transaction.tell(Subject::member(kind, after));
        Ok(transaction)
    }
}

/// Sets the TON address of a member.
pub fn set_wallet(
    group: &Group,
    member: &Member,
    wallet: &Draft<Field<TonAddress>>,
) -> Result<Decision<TonAddress>, WriteError> {
    let wallet = wallet.required()?;
    Ok(Decision::Write(put_wallet(group, member, Some(wallet))?, wallet.clone()))
}

/// Removes the TON address of a member.
pub fn remove_wallet(group: &Group, before: &Member) -> Result<Decision<Member>, WriteError> {
    let writes = put_wallet(group, before, None)?;
    let member = Member { wallet: None, ..before.clone() };
    Ok(if member == *before { Decision::Done(member) } else { Decision::Write(writes, member) })
}

/// The writes after which a member of a group that is not archived has this TON address.
fn put_wallet(
    group: &Group,
    member: &Member,
    wallet: Option<&TonAddress>,
) -> Result<Transaction, Error> {
    group.check_unarchived()?;
    let value = [("wallet", wallet.map(row::to_value).transpose()?)];
    let change = change_member(group.id, member, value)?;
    Ok(Transaction::from_iter([change, check_unarchived(group.id)]))
}

/// Attributes of a member's row that joining, leaving and coming back change. The wallet is among
/// them only if it is a new one.
pub fn attributes(
    before: &Member,
    member: &Member,
) -> Result<Vec<(&'static str, Option<AttributeValue>)>, Error> {
    let text = |text: &Option<String>| text.as_ref().map(row::to_value).transpose();
    let moment = |at: Option<Timestamp>| at.map(|at| row::to_value(&at)).transpose();
    let mut attributes = vec![
        ("name", Some(row::to_value(&member.name)?)),
        ("username", text(&member.username)?),
        ("avatarUrl", text(&member.avatar_url)?),
        ("leftAt", moment(member.left_at)?),
        ("removedAt", moment(member.removed_at)?),
    ];
    if member.wallet != before.wallet {
        attributes.push(("wallet", member.wallet.as_ref().map(row::to_value).transpose()?));
    }
    Ok(attributes)
}

/// The write that changes attributes of a member's row, if the row is as it was read.
pub fn change_member(
    group: GroupId,
    read: &Member,
    attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
) -> Result<Write, Error> {
    let version = row::to_value(&read.version.saturating_add(1))?;
    let attributes = attributes.into_iter().chain([("version", Some(version))]);
    let update = Write::update(keys::member(group, read.id), attributes);
    Ok(update.when(as_read(read)))
}

/// The member's row is as it was read when the transaction is committed.
#[must_use]
pub fn check_member(group: GroupId, read: &Member) -> Write {
    Write::check(keys::member(group, read.id)).when(as_read(read))
}

fn as_read(read: &Member) -> Condition {
    match read.version {
        // v0 rows have no version.
        0 => Condition::present().and(Condition::without("version")),
        version => Condition::at_version(version),
    }
}

/// The group is not archived when the transaction is committed.
#[must_use]
pub fn check_unarchived(group: GroupId) -> Write {
    let unarchived = Condition::present().and(Condition::without("archived"));
    Write::check(keys::group(group)).when(unarchived)
}

/// The write that adds `number` to the count of members, if the group has room, is not archived,
/// and is joined as when it was read.
pub fn count_in(group: &Group, number: u64) -> Result<Write, Error> {
    group.check_unarchived()?;
    let limit = MAX_MEMBERS.saturating_add(1).saturating_sub(number);
    if group.member_count >= limit {
        return Err(Error::TooManyMembers);
    }
    let room = Condition::less("memberCount", row::to_value(&limit)?);
    let count = Write::increment(keys::group(group.id), "memberCount", number);
    let open = Condition::without("archived").and(invites_as_read(group)?);
    Ok(count.when(room.and(open)))
}

/// Checks that a user, who may have been a member and is `invited` or not, may join a group that is
/// not deleted.
pub fn require_admission(
    group: &Group,
    member: Option<&Member>,
    invited: Result<(), Error>,
) -> Result<(), Error> {
    if group.deleted_at.is_some() {
        return Err(Error::NoGroup);
    }
    if member.is_some_and(|member| member.removed_at.is_some()) {
        return Err(Error::Removed);
    }
    invited?;
    if group.archived { Err(Error::GroupArchived) } else { Ok(()) }
}
