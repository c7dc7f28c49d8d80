//! Expenses: recording, editing, deleting and restoring them.

use std::collections::{BTreeSet, HashSet};

use serde::Serialize;

use crate::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction, spendings::deletion},
    group::{Group, Member, MemberKey},
    input::{Draft, Error},
    ledger::{EntryStatus, Ledger, RefType},
    personal::spending::Spending,
    records::{
        deleted_expense::DeletedExpense,
        entry::Entry,
        expense::{Edit, Expense, NewExpense, Payer, Share},
        group_change::{ChangeKind, Subject},
    },
    split::PreviewedShare,
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row,
        write::{Write, WriteError},
    },
    values::{
        id::{ExpenseId, MemberId, UserId},
        money::Money,
        request_context::RequestContext,
        time::{Timestamp, Zone},
    },
};

/// A group, some of its members and its ledger.
#[derive(Clone, Debug)]
pub struct SeenGroup {
    /// The group, with the currency of the ledger.
    pub group: Group,
    /// Members, present or past by the ledger.
    pub members: Vec<Member>,
    /// The ledger.
    pub ledger: Ledger,
}

/// An expense, its entry and the ledger. They are of one moment if a write that expects them
/// succeeds.
#[derive(Clone, Debug)]
pub struct SeenExpense {
    /// The expense.
    pub expense: Expense,
    /// An expense in a v0 row that could not be migrated has none. It enters the ledger with its
    /// first edit.
    pub entry: Option<Entry>,
    /// The ledger.
    pub ledger: Ledger,
    /// Its payers, if nothing else gives the caller the right to change it.
    pub payers: Vec<Member>,
}

/// An expense that may be deleted, and the ledger.
#[derive(Clone, Debug)]
pub struct SeenDeleted {
    /// The expense, if it is not deleted.
    pub expense: Option<Expense>,
    /// Entries of the id, newest first. After a deletion these are the revert and the reverted
    /// entry.
    pub history: Vec<Entry>,
    /// The ledger.
    pub ledger: Ledger,
    /// Its payers, if nothing else gives the caller the right to change it.
    pub payers: Vec<Member>,
}

/// Preview of an expense.
#[derive(Clone, Debug)]
pub struct PreviewedExpense {
    /// Amount.
    pub amount: Money,
    /// Payers, the main one first.
    pub payers: Vec<Payer>,
    /// Shares, each with the name of its member.
    pub shares: Vec<(PreviewedShare, String)>,
}

impl SeenGroup {
    /// A group and its members, as its ledger has them.
    #[must_use]
    pub fn of((group, members, ledger): (Group, Vec<Member>, Ledger)) -> Self {
        let group = ledger.state.of_group(&group);
        let members = ledger.state.of(&members);
        Self { group, members, ledger }
    }
}

impl SeenDeleted {
    /// What is to be restored: the expense, or as it was before its deletion.
    #[must_use]
    pub fn subject(&self) -> Option<&Expense> {
        let snapshot = || self.entries().find_map(|entry| entry.snapshot.as_deref());
        self.expense.as_ref().or_else(snapshot)
    }

    /// The entries of an expense: the id may be that of a settlement.
    fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.history.iter().filter(|entry| entry.ref_type == RefType::Expense)
    }
}

/// Whether a user may change an expense, by these members. Whether a payer is past shows only in
/// the payers' rows, which are read if nothing else gives the right.
#[must_use]
pub fn may_edit(user: UserId, expense: &Expense, ledger: &Ledger, members: &[Member]) -> bool {
    expense.may_edit(user, &ledger.links, &ledger.state.of(members))
}

/// [`may_edit`], or an error.
///
/// # Errors
///
/// [`Error::NotYourExpense`].
fn check_editor(
    user: UserId,
    expense: &Expense,
    ledger: &Ledger,
    payers: &[Member],
) -> Result<(), Error> {
    let may = may_edit(user, expense, ledger, payers);
    if may { Ok(()) } else { Err(Error::NotYourExpense) }
}

/// Records an expense. If it shares a spending of the member who records it, the spending is
/// deleted.
pub fn record_expense(
    new: &Draft<NewExpense>,
    recording: Recording<'_>,
    transaction: LedgerTransaction,
    spending: Option<&Spending>,
) -> Result<(LedgerTransaction, Expense), WriteError> {
    let new = spending.map_or_else(|| new.clone(), |it| new.sharing(it));
    let (mut transaction, expense) = record(&new, recording, transaction)?;
    if let Some(spending) = spending {
        transaction.add_all(deletion(spending, recording.context.now)?);
    }
    Ok((transaction, expense))
}

/// What [`record_expense`] would record. The description may be missing, and the group archived.
pub fn preview_expense(
    user: UserId,
    new: &Draft<NewExpense>,
    now: Timestamp,
    SeenGroup { group, members, mut ledger }: SeenGroup,
    spending: Option<&Spending>,
) -> Result<PreviewedExpense, WriteError> {
    // A default split that has just changed is no reason to begin again: nothing is written.
    ledger.state.default_splits_at = group.default_splits_at;
    let by = MemberKey { group: group.id, user };
    let transaction = LedgerTransaction::unchecked(by, ledger, now);
    // Neither the id nor the day changes what is shown.
    let context = RequestContext { now, random: [0; 10] };
    let zone = Zone::default();
    let recording = Recording { group: &group, members: &members, user, context, zone };
    let (_, expense) = record_expense(&new.described(), recording, transaction, spending)?;
    let preview = expense.preview();
    let (amount, shares) =
        preview.ok_or(Error::Internal("a new expense does not follow from its split"))?;
    Ok(PreviewedExpense { amount, payers: expense.all_payers(), shares })
}

/// Edits an expense that is as `expected`. Its entry is reverted and replaced by another one.
pub fn edit_expense(
    by: MemberKey,
    edit: &Draft<Edit>,
    expected: impl Fn(&Expense) -> bool,
    now: Timestamp,
    seen: SeenExpense,
    (group, members): (&Group, &[Member]),
) -> Result<Decision<Expense>, WriteError> {
    let SeenExpense { expense: before, entry, ledger, payers } = seen;
    check_editor(by.user, &before, &ledger, &payers)?;
    let transaction = LedgerTransaction::new(by, ledger, now)?;
    if !expected(&before) {
        return Err(Error::Changed.into());
    }
    let (transaction, after) =
        edited(edit, before, entry.as_ref(), (group, members, now), transaction)?;
    transaction.commit(after)
}

/// What [`edit_expense`] would record. The id stays, so all shares are known. The group may be
/// archived.
pub fn preview_edit(
    user: UserId,
    edit: &Draft<Edit>,
    now: Timestamp,
    before: Expense,
    SeenGroup { group, members, ledger }: SeenGroup,
) -> Result<PreviewedExpense, WriteError> {
    check_editor(user, &before, &ledger, &members)?;
    let by = MemberKey { group: group.id, user };
    // The entry is what recording the expense has made.
    let recorded = || Ledger::default().record(by.group, before.event()?, user, now);
    let entry = before.id.is_ours().then(recorded).transpose()?.map(|(_, entry)| entry);
    let transaction = LedgerTransaction::unchecked(by, ledger, now);
    let seen = (&group, &*members, now);
    let (_, after) = edited(edit, before, entry.as_ref(), seen, transaction)?;
    // An edit that keeps the amounts of a v0 row may have some that are finer than a unit.
    let finer = |rule| Error::invalid("amount", rule);
    let money = |amount| Money::from_major(amount, after.currency).map_err(finer);
    let share = |share: &Share| {
        let amount = money(share.amount)?;
        Ok((PreviewedShare { user: share.user_id, amount, or: None }, share.user_name.clone()))
    };
    let shares = after.splits.iter().map(share).collect::<Result<_, Error>>()?;
    Ok(PreviewedExpense { amount: money(after.amount)?, payers: after.all_payers(), shares })
}

/// Deletes an expense that is as `expected` and its other rows, and reverts its entry.
pub fn delete_expense(
    by: MemberKey,
    expected: impl Fn(&Expense) -> bool,
    now: Timestamp,
    seen: SeenExpense,
) -> Result<Decision<ExpenseId>, WriteError> {
    let SeenExpense { expense, entry, ledger, payers } = seen;
    check_editor(by.user, &expense, &ledger, &payers)?;
    let mut transaction = LedgerTransaction::new(by, ledger, now)?;
    if !expected(&expense) {
        return Err(Error::Changed.into());
    }
    let delete = Write::delete(keys::expense(by.group, expense.created_at));
    transaction.add(delete.when(unchanged(&expense)?));
    transaction.add_all(member_rows(Some(&expense), None)?);
    transaction.tally(Some(&expense), None)?;
    if let Some(entry) = &entry {
        let revert = transaction.revert(entry, Some(&expense))?;
        let deleted = DeletedExpense::by(&revert, expense.id);
        transaction.add_all(deleted.as_ref().map(Write::put_new).transpose()?);
    }
    transaction.tell(Subject::expense(ChangeKind::ExpenseDeleted, &expense));
    transaction.commit(expense.id)
}

/// Restores a deleted expense from its history, with the same id, shares and place in the list. An
/// expense that is not deleted is returned as it is.
pub fn restore_expense(
    by: MemberKey,
    id: ExpenseId,
    body: &Draft<()>,
    now: Timestamp,
    seen: &SeenDeleted,
) -> Result<Decision<Expense>, WriteError> {
    let is_current = seen.entries().any(|entry| entry.status == EntryStatus::Applied);
    if seen.expense.is_none() && is_current {
        return Err(WriteError::Retry);
    }
    let subject = seen.subject().ok_or(Error::NoExpense)?;
    check_editor(by.user, subject, &seen.ledger, &seen.payers)?;
    let mut transaction = LedgerTransaction::new(by, seen.ledger.clone(), now)?;
    body.checked()?;
    if let Some(expense) = &seen.expense {
        return Ok(Decision::Done(expense.clone()));
    }
    let deletion = seen.entries().next().map(|revert| DeletedExpense::key(revert, id));
    let expense = changed_at(subject.clone(), transaction.at());
    insert(&mut transaction, &expense)?;
    transaction.add_all(deletion.map(Write::delete));
    transaction.tell(Subject::expense(ChangeKind::ExpenseRestored, &expense));
    transaction.commit(expense)
}

/// Context in which an expense is recorded, besides the request.
#[derive(Clone, Copy, Debug)]
pub struct Recording<'a> {
    /// The group.
    pub group: &'a Group,
    /// Its members.
    pub members: &'a [Member],
    /// User who records it.
    pub user: UserId,
    /// Time of the request, and the random part of the id.
    pub context: RequestContext,
    /// Zone of the user's days.
    pub zone: Zone,
}

/// Checks a new expense, and adds its rows and its entry.
pub fn record(
    new: &Draft<NewExpense>,
    Recording { group, members, user, context, zone }: Recording<'_>,
    mut transaction: LedgerTransaction,
) -> Result<(LedgerTransaction, Expense), WriteError> {
    let new = new.resolved(transaction.links());
    let members = transaction.links().present(members);
    let resolved = group.clone().resolved(transaction.links());
    let new = new.check(&resolved, &members, user, context.now, zone)?;
    if new.uses_default() && divides_otherwise(group, transaction.before()) {
        return Err(WriteError::Retry);
    }
    let expense = new.at(transaction.at(), context.random)?;
    insert(&mut transaction, &expense)?;
    transaction.tell(Subject::expense(ChangeKind::ExpenseAdded, &expense));
    Ok((transaction, expense))
}

/// Whether the group and the ledger were read before and after a change of the default split.
pub(super) fn divides_otherwise(group: &Group, ledger: &Ledger) -> bool {
    group.default_splits_at != ledger.state.default_splits_at
}

/// Edits an expense, and adds its rows and its entries. Those may pay or share it who are present,
/// and those who do already. An edit that changes nothing adds nothing.
fn edited(
    edit: &Draft<Edit>,
    before: Expense,
    entry: Option<&Entry>,
    (group, members, now): (&Group, &[Member], Timestamp),
    mut transaction: LedgerTransaction,
) -> Result<(LedgerTransaction, Expense), WriteError> {
    let ledger = transaction.before();
    let sharers = before.splits.iter().map(|share| share.user_id);
    let named: BTreeSet<MemberId> =
        before.payer_ids().chain(sharers).map(|id| ledger.links.resolve(id)).collect();
    let mut members = ledger.links.unlinked(&ledger.state.of(members));
    members.retain(|member| member.is_present() || named.contains(&member.id));
    let after = edit.resolved(&ledger.links).apply(&before, group, &members, now)?;
    if after == before {
        return Ok((transaction, before));
    }
    let after = changed_at(after, transaction.at());
    transaction.add(Write::put(&after)?.when(unchanged(&before)?));
    transaction.add_all(member_rows(Some(&before), Some(&after))?);
    transaction.tally(Some(&before), Some(&after))?;
    match entry {
        Some(entry) => transaction.replace(entry, Some(&before), after.event()?, None)?,
        None => transaction.record(after.event()?)?,
    }
    transaction.tell(Subject::edit(&before, &after));
    Ok((transaction, after))
}

/// The expense with the time of its change. One without a date gets the day that views show.
fn changed_at(expense: Expense, at: Timestamp) -> Expense {
    Expense { updated_at: Some(at), date: Some(expense.day()), ..expense }
}

/// The expense is as it was read. Its date is compared because it decides whether the expense is in
/// a tally, and an operator may set it without an edit.
pub fn unchanged(expense: &Expense) -> Result<Condition, Error> {
    fn same(name: &'static str, value: Option<&impl Serialize>) -> Result<Condition, Error> {
        let Some(value) = value else { return Ok(Condition::without(name)) };
        Ok(Condition::equal(name, row::to_value(value)?))
    }
    let id = Condition::equal("id", row::to_value(&expense.id)?);
    let updated_at = same("updatedAt", expense.updated_at.as_ref())?;
    Ok(id.and(updated_at).and(same("date", expense.date.as_ref())?))
}

/// Adds the rows of an expense that is not in the table, and its entry.
pub fn insert(transaction: &mut LedgerTransaction, expense: &Expense) -> Result<(), WriteError> {
    transaction.add(Write::put_new(expense)?);
    transaction.add_all(member_rows(None, Some(expense))?);
    transaction.tally(None, Some(expense))?;
    transaction.record(expense.event()?)
}

/// The writes of the rows by which members find an expense, each row once.
pub fn member_rows(before: Option<&Expense>, after: Option<&Expense>) -> Result<Vec<Write>, Error> {
    let before = before.map_or(Ok(Vec::new()), puts)?;
    let after = after.map_or(Ok(Vec::new()), puts)?;
    let stay: HashSet<&Primary> = after.iter().map(Write::key).collect();
    let gone = before.iter().map(Write::key).filter(|key| !stay.contains(key));
    let gone: Vec<_> = gone.cloned().map(Write::delete).collect();
    Ok(gone.into_iter().chain(after).collect())
}

/// The puts of the participants of an expense and of its payers but the main one.
fn puts(expense: &Expense) -> Result<Vec<Write>, Error> {
    let participants = expense.participants();
    let payers = expense.further_payers();
    participants.iter().map(Write::put).chain(payers.iter().map(Write::put)).collect()
}
