//! Adjustments: pushing them into the ledger, and reverting them.

use std::collections::HashMap;

use crate::{
    decisions::{decision::Decision, ledger_transaction::LedgerTransaction},
    group::{Group, Member, MemberKey},
    input::{Draft, Error, Field},
    ledger::{Ledger, LedgerError},
    records::{
        adjustment::{
            Adjustment, BareOrWrapped, CheckedAdjustment, MAX_PUSHED, MAX_REVERTED, Reason, Report,
            check_revertible, check_size,
        },
        entry::Entry,
        group_change::{ChangeKind, Subject},
    },
    storage::write::WriteError,
    values::{entry_id::EntryId, id::UserId, time::Timestamp},
};

/// Rows of a reverted entry: its deletion, the reverted entry and its revert.
const REVERTED: usize = 3;

const _: () = assert!(
    MAX_PUSHED <= LedgerTransaction::ROOM && MAX_REVERTED * REVERTED <= LedgerTransaction::ROOM,
    "a request is one transaction"
);

/// Current entries by name.
pub type Current = HashMap<EntryId, Entry>;

/// Pushes adjustments into the ledger, in their order. One that is not applied does not stop the
/// others.
pub fn push(
    adjustments: &Draft<BareOrWrapped<Adjustment>>,
    (group, members): (&Group, &[Member]),
    mut transaction: LedgerTransaction,
    current: &Current,
) -> Result<Decision<Report>, WriteError> {
    let adjustments = adjustments.resolved(transaction.links());
    let adjustments = adjustments.check(group, members)?;
    let mut report = Report::default();
    for adjustment in adjustments {
        let entry_id = adjustment.event.entry_id.clone();
        let exists = current.contains_key(&entry_id)
            || report.applied.iter().any(|entry| entry.entry_id == entry_id);
        let pushed = if exists {
            Err(Reason::EntryExists)
        } else {
            push_one(&mut transaction, &adjustment)?
        };
        report.add(entry_id, pushed);
    }
    tell(&mut transaction, ChangeKind::AdjustmentPushed, &report);
    transaction.commit(report)
}

/// Checks that a user may revert those of the named entries that are current. The right is checked
/// before the rules of the request, as far as it can be read.
pub fn check_right<'a>(
    user: UserId,
    named: impl Iterator<Item = &'a EntryId>,
    current: &Current,
    ledger: &Ledger,
    members: &[Member],
) -> Result<(), Error> {
    let mut checks = named
        .filter_map(|entry| current.get(entry))
        .map(|it| check_revertible(it, &ledger.links, user, members));
    checks.find(Result::is_err).unwrap_or(Ok(()))
}

/// Reverts adjustments, whose names may then be used again. One that is not current does not stop
/// the others.
pub fn revert<'a>(
    by: MemberKey,
    entries: &Draft<BareOrWrapped<Field<EntryId>>>,
    named: impl Iterator<Item = &'a EntryId>,
    mut current: Current,
    ledger: Ledger,
    now: Timestamp,
) -> Result<Decision<Report>, WriteError> {
    let mut transaction = LedgerTransaction::new(by, ledger, now)?;
    let list = &entries.checked()?.path;
    check_size(current.values().map(|entry| entry.changes.len()))
        .map_err(|rule| Error::invalid(list.clone(), rule))?;
    let mut report = Report::default();
    for entry_id in named {
        let reverted = match current.remove(entry_id) {
            Some(entry) => Ok(transaction.revert(&entry, None)?),
            None => Err(Reason::EntryMissing),
        };
        report.add(entry_id.clone(), reverted);
    }
    tell(&mut transaction, ChangeKind::AdjustmentReverted, &report);
    transaction.commit(report)
}

/// Tells of the adjustments that are applied.
fn tell(transaction: &mut LedgerTransaction, kind: ChangeKind, report: &Report) {
    let number = u64::try_from(report.applied.len()).unwrap_or(u64::MAX);
    transaction.tell(Subject::adjustments(kind, number));
}

/// Adds an adjustment to a transaction; its entry, or why it is not applied.
fn push_one(
    transaction: &mut LedgerTransaction,
    adjustment: &CheckedAdjustment,
) -> Result<Result<Entry, Reason>, WriteError> {
    let (next, entry) = match transaction.recorded(adjustment.event.clone()) {
        Err(LedgerError::Overflow(_) | LedgerError::Full) => {
            return Ok(Err(Reason::TotalsTooLarge));
        }
        recorded => recorded?,
    };
    if !adjustment.allows(&next) {
        return Ok(Err(Reason::ConditionFailed));
    }
    transaction.insert((next, &entry))?;
    Ok(Ok(entry))
}
