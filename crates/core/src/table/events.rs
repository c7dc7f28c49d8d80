//! The group's lock: one money event after the other.
//!
//! An event reads the balance row, makes the next one, and writes it in one transaction with its own rows, on
//! condition that the version is the one it read. Who loses the race begins again from the ledger
//! as it is then, until the deadline.

use aws_sdk_dynamodb::types::AttributeValue;

use super::{
    Outcome, Table,
    idempotency::Idempotency,
    write::{Expression, OnConflict, Retry, TransactionError, Write},
};
use crate::{
    Error,
    id::GroupId,
    keys,
    ledger::{Entry, EntryStatus, Ledger},
    row::{self, Item},
    time::Timestamp,
};

/// What one event writes.
pub(super) struct Event<T> {
    /// The ledger after it.
    pub(super) ledger: Ledger,
    /// Its own rows, its entries among them; where there are any, one of them is new.
    pub(super) writes: Vec<Write>,
    /// What it results in.
    pub(super) value: T,
}

impl Table {
    /// Commits the event that `event` makes of the ledger as it is, at the moment that is its own, with the response that
    /// `idempotency` keeps of it.
    ///
    /// # Errors
    ///
    /// As [`Table::commit`].
    pub(super) async fn commit_once<T>(
        &self,
        group: GroupId,
        ledger: Ledger,
        now: Timestamp,
        idempotency: &Idempotency<T>,
        event: impl Fn(&Ledger, Timestamp) -> Result<Event<T>, TransactionError>,
    ) -> Result<Outcome<T>, TransactionError> {
        match self.commit(group, ledger, now, |value| idempotency.write(value), event).await {
            Ok(value) => Ok(Outcome::Done(value)),
            Err(TransactionError::Replay) => self.replayed(idempotency).await,
            Err(rejected) => Err(rejected),
        }
    }

    /// Commits the event that `event` makes of the ledger as it is, at the moment that is its own, with the row that
    /// `record` makes of its value. Of an event that writes nothing only that row is written.
    ///
    /// Each attempt expects the version of the ledger that it read. So of all attempts at one version one is committed at
    /// most, and once the version is another it is certain whether one was. Before the event is written on another
    /// version, or refused, the table is asked, where an attempt was not answered.
    ///
    /// # Errors
    ///
    /// What `event` returns or its writes are rejected for; [`Error::Contended`] where others were first until the deadline.
    pub(super) async fn commit<T>(
        &self,
        group: GroupId,
        ledger: Ledger,
        now: Timestamp,
        record: impl Fn(&T) -> Result<Option<Write>, Error>,
        event: impl Fn(&Ledger, Timestamp) -> Result<Event<T>, TransactionError>,
    ) -> Result<T, TransactionError> {
        let mut retry = Retry::new();
        let mut lock =
            retry.before_deadline(self.locks.lock(group)).await.ok_or(Error::Contended)?;
        let mut ledger = lock.latest(ledger);
        let mut unanswered = false;
        loop {
            let at = ledger.next_moment(now);
            let event = event(&ledger, at)?;
            let record = record(&event.value)?;
            if event.writes.is_empty() {
                if let Some(record) = record {
                    self.transact(vec![record]).await?;
                }
                return Ok(event.value);
            }
            let confirmation_row = confirmation_row(&event.writes, at)?;
            let mut writes = event.writes;
            writes.extend(record);
            writes.extend(closing(group, &ledger, &event.ledger)?);
            writes.push(balance(group, &ledger, &event.ledger)?);
            let sent = self.send(writes).await;
            let rejected = match sent.outcome {
                Ok(()) => {
                    lock.set_latest(event.ledger);
                    return Ok(event.value);
                }
                Err(rejected @ TransactionError::Replay) => return Err(rejected),
                Err(rejected) => rejected,
            };
            unanswered |= sent.unanswered;
            let again = matches!(rejected, TransactionError::Lost) && retry.pause().await;
            if unanswered {
                let next = self.ledger(group).await?;
                let over = next.version != ledger.version
                    || (!again && !unknown(&rejected) && self.overtake(group, &ledger).await?);
                if over {
                    if let Some(row) = &confirmation_row
                        && self.is_written(row).await?
                    {
                        return Ok(event.value);
                    }
                    unanswered = false;
                }
                ledger = next;
            } else if again {
                ledger = self.ledger(group).await?;
            }
            if !again {
                return Err(match rejected {
                    TransactionError::Lost => Error::Contended.into(),
                    rejected => rejected,
                });
            }
        }
    }

    /// Gives the ledger another version, so that no attempt at this one can be committed any more.
    async fn overtake(&self, group: GroupId, ledger: &Ledger) -> Result<bool, Error> {
        let next = Ledger { version: ledger.version.saturating_add(1), ..ledger.clone() };
        match self.transact(vec![balance(group, ledger, &next)?]).await {
            // Lost to such an attempt, or to another writer: either way the version is another.
            Ok(()) | Err(TransactionError::Lost) => Ok(true),
            Err(TransactionError::Fail(error)) => Err(error),
            Err(TransactionError::Stale | TransactionError::Replay) => Ok(false),
        }
    }
}

/// Whether it is not known what became of the transaction.
const fn unknown(rejected: &TransactionError) -> bool {
    matches!(rejected, TransactionError::Fail(Error::Unavailable(_)))
}

/// The new row that shows that an event at this moment was committed: no other event puts the same.
fn confirmation_row(writes: &[Write], at: Timestamp) -> Result<Option<Item>, Error> {
    let at = row::to_value(&at)?;
    let mut new_rows = writes.iter().filter_map(Write::new_row);
    Ok(new_rows.find(|row| row.get("createdAt") == Some(&at)).cloned())
}

/// The balance row, where it still is the one that was read.
fn balance(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Write, Error> {
    let unchanged = match read.version {
        0 => Expression::absent(),
        version => Expression::equal("version", AttributeValue::N(version.to_string())),
    };
    let put = Write::put(&keys::balance(group).into(), next)?;
    Ok(put.when(unchanged, OnConflict::Lost))
}

/// The balances at the end of the day of the last event, where `next` is the first one of a later day.
fn closing(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Option<Write>, Error> {
    let last = read.last_event_at.map(Timestamp::day);
    match last.filter(|last| next.last_event_at.is_some_and(|at| at.day() != *last)) {
        None => Ok(None),
        Some(day) => {
            let put = Write::put(&keys::closing(group, day).into(), read)?;
            Ok(Some(put.when(Expression::absent(), OnConflict::Lost)))
        }
    }
}

/// Lets an entry count under its name, where none does.
pub(super) fn insert_entry(entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(&keys::entry_row(entry), entry)?;
    Ok(put.when(Expression::absent(), OnConflict::Stale))
}

/// Lets an entry count in the place of another one of its name, which becomes history.
pub(super) fn replace(before: &Entry, entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(&keys::entry_row(entry), entry)?;
    Ok(put.when(is_current(before)?, OnConflict::Stale))
}

/// Takes the current row of an entry away, which becomes history.
pub(super) fn remove(entry: &Entry) -> Result<Write, Error> {
    let delete = Write::delete(keys::entry(entry.group_id, &entry.entry_id));
    Ok(delete.when(is_current(entry)?, OnConflict::Stale))
}

/// The rows of history: what was reverted, and the revert.
pub(super) fn history_rows(past: &[Entry; 2]) -> Result<[Write; 2], Error> {
    let put_new = |entry: &Entry| {
        let put = Write::put(&keys::entry_row(entry), entry)?;
        Ok::<_, Error>(put.when(Expression::absent(), OnConflict::Lost))
    };
    let [reverted, revert] = past;
    Ok([put_new(reverted)?, put_new(revert)?])
}

/// This very entry still counts under its name.
fn is_current(entry: &Entry) -> Result<Expression, Error> {
    debug_assert_eq!(entry.status, EntryStatus::Applied, "only what counts can be taken back");
    Ok(Expression::equal("sequence", row::to_value(&entry.sequence)?))
}
