//! The writes of the balance row, whose version is the group's lock, and of the rows that follow
//! from it.

use crate::{
    group::MemberKey,
    input::Error,
    ledger::{
        Ledger, LedgerError,
        balance::{Balance, Checkpoint, Closing},
    },
    records::group_change::{EntrySpan, GroupChange, Subject},
    storage::{condition::Condition, write::Write},
    values::{id::GroupId, time::Timestamp},
};

/// Maximum size of a row, in bytes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items>
const MAX_ROW: usize = 400 * 1024;

/// The write by which others hold the group's lock that are no event of its ledger: the balance row
/// with the next version.
///
/// # Errors
///
/// As [`put_balance`].
pub fn put_lock(group: GroupId, read: &Ledger) -> Result<Write, Error> {
    let next = Ledger { version: read.version.saturating_add(1), ..read.clone() };
    put_balance(group, read, &next)
}

/// The write of the balance row, on condition that its version is the one that was read.
///
/// # Errors
///
/// [`LedgerError::Full`] if DynamoDB would refuse the row for its size: the largest balances with
/// the most links, recent changes and pending settlements exceed it by some kilobytes.
pub fn put_balance(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Write, Error> {
    let put = Write::put(&Balance { group_id: group, ledger: next.clone() })?;
    if put.size() > MAX_ROW {
        return Err(LedgerError::Full.into());
    }
    Ok(put.when(Condition::at_version(read.version)))
}

/// The write of the closing of the last event's day, if the event of `next` is on a later day.
pub fn put_closing(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Option<Write>, Error> {
    let last = read.last_event_at.map(Timestamp::day);
    match last.filter(|last| next.last_event_at.is_some_and(|at| at.day() != *last)) {
        None => Ok(None),
        Some(day) => {
            Ok(Some(Write::put_new(&Closing { group_id: group, day, ledger: read.clone() })?))
        }
    }
}

/// The write of a checkpoint, if one is due after `next`.
pub fn put_checkpoint(
    group: GroupId,
    read: &Ledger,
    next: &Ledger,
) -> Result<Option<Write>, Error> {
    let put_new = |checkpoint: Checkpoint| Write::put_new(&checkpoint);
    Checkpoint::of(group, read, next).map(put_new).transpose()
}

/// The writes that hold the group's lock for a write that is no event of its ledger, and tell of
/// it.
///
/// # Errors
///
/// As [`put_balance`].
pub fn put_lock_telling(
    member_key: MemberKey,
    read: &Ledger,
    now: Timestamp,
    subject: Subject,
) -> Result<[Write; 2], Error> {
    let mut next = Ledger { version: read.version.saturating_add(1), ..read.clone() };
    let told = told(member_key, read, &mut next, read.next_moment(now), subject)?;
    Ok([told, put_balance(member_key.group, read, &next)?])
}

/// The write of a change between two ledgers, which the second one counts.
pub fn told(
    MemberKey { group, user }: MemberKey,
    read: &Ledger,
    next: &mut Ledger,
    at: Timestamp,
    subject: Subject,
) -> Result<Write, Error> {
    next.state.changes = read.state.changes.saturating_add(1);
    let count = next.sequence.saturating_sub(read.sequence);
    let entries = EntrySpan { sequence: read.sequence, count };
    Write::put_new(&GroupChange {
        group_id: group,
        number: next.state.changes,
        actor_id: user,
        at,
        entries: (count > 0).then_some(entries),
        due_at: None,
        told_to: None,
        shown: false,
        reminds: false,
        subject,
    })
}
