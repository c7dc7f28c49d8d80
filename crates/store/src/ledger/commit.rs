//! The group's lock: one event of the ledger after the other.
//!
//! An event reads the balance row, computes the next one, and writes it in one transaction with its
//! own rows, on condition that the version has not changed. A writer that loses the race reads the
//! ledger again and repeats the event, until the deadline.

use fracti_core::{
    Error,
    balance::{Balance, Closing},
    entry::Entry,
    id::GroupId,
    keys,
    ledger::{EntryStatus, Ledger, LedgerError},
    row::{self, AttributeValue, Item},
    time::Timestamp,
};

use crate::{
    dynamo::{Expression, OnConflict, Retry, TransactionError, Write},
    idempotency::{Idempotency, Outcome},
    table::Table,
};

/// An event of the ledger and its writes.
pub(crate) struct Event<T> {
    /// The ledger after it.
    pub(crate) ledger: Ledger,
    /// Writes of its rows and entries. If there are any, one of them puts a new row.
    pub(crate) writes: Vec<Write>,
    /// Its result.
    pub(crate) value: T,
}

impl Table {
    /// Commits the event that `event` computes from the ledger and its moment, with the response
    /// that `idempotency` stores.
    ///
    /// # Errors
    ///
    /// As [`Table::commit`].
    pub(crate) async fn commit_once<T>(
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

    /// Commits the event that `event` computes from the ledger and its moment, with the write that
    /// `record` makes of its result. If the event has no writes, only that one is sent.
    ///
    /// Each attempt expects the version of the ledger that it read. So at most one attempt at a
    /// version is committed, and once the version has changed it is certain whether one was. If an
    /// attempt was not answered, that is looked up before the event is written on another version
    /// or refused.
    ///
    /// # Errors
    ///
    /// The error of `event` or of a condition; [`Error::Contended`] if others wrote first until the
    /// deadline.
    pub(crate) async fn commit<T>(
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
                    self.db.transact(vec![record]).await?;
                }
                return Ok(event.value);
            }
            let confirmation_row = confirmation_row(&event.writes, at)?;
            let mut writes = event.writes;
            writes.extend(record);
            writes.extend(put_closing(group, &ledger, &event.ledger)?);
            writes.push(put_balance(group, &ledger, &event.ledger)?);
            let sent = self.db.send(writes).await;
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

    /// Changes the version of the ledger, so that no earlier attempt can still be committed.
    async fn overtake(&self, group: GroupId, ledger: &Ledger) -> Result<bool, Error> {
        let next = Ledger { version: ledger.version.saturating_add(1), ..ledger.clone() };
        match self.db.transact(vec![put_balance(group, ledger, &next)?]).await {
            // Lost to such an attempt or to another writer: either way the version has changed.
            Ok(()) | Err(TransactionError::Lost) => Ok(true),
            Err(TransactionError::Fail(error)) => Err(error),
            Err(TransactionError::Stale | TransactionError::Replay) => Ok(false),
        }
    }
}

impl From<LedgerError> for TransactionError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Missing(_) => Self::Stale,
            LedgerError::Overflow(_) | LedgerError::Full | LedgerError::Unbalanced(_) => {
                Self::Fail(error.into())
            }
        }
    }
}

/// Whether the outcome of the transaction is unknown.
const fn unknown(rejected: &TransactionError) -> bool {
    matches!(rejected, TransactionError::Fail(Error::Unavailable(_)))
}

/// The new row that shows that an event at this moment was committed: no other event puts it.
fn confirmation_row(writes: &[Write], at: Timestamp) -> Result<Option<Item>, Error> {
    let at = row::to_value(&at)?;
    let mut new_rows = writes.iter().filter_map(Write::new_row);
    Ok(new_rows.find(|row| row.get("createdAt") == Some(&at)).cloned())
}

/// The write of the balance row, if its version is the one that was read.
fn put_balance(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Write, Error> {
    let unchanged = match read.version {
        0 => Expression::absent(),
        version => Expression::equal("version", AttributeValue::N(version.to_string())),
    };
    let put = Write::put(&Balance { group_id: group, ledger: next.clone() })?;
    Ok(put.when(unchanged, OnConflict::Lost))
}

/// The write of the closing of the last event's day, if `next` is the first event of a later day.
fn put_closing(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Option<Write>, Error> {
    let last = read.last_event_at.map(Timestamp::day);
    match last.filter(|last| next.last_event_at.is_some_and(|at| at.day() != *last)) {
        None => Ok(None),
        Some(day) => {
            let put = Write::put(&Closing { group_id: group, day, ledger: read.clone() })?;
            Ok(Some(put.when(Expression::absent(), OnConflict::Lost)))
        }
    }
}

/// The write of a current entry, if its name has none.
pub(crate) fn insert_entry(entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(entry)?;
    Ok(put.when(Expression::absent(), OnConflict::Stale))
}

/// The write of a current entry in place of another one of its name.
pub(crate) fn replace(before: &Entry, entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(entry)?;
    Ok(put.when(is_current(before)?, OnConflict::Stale))
}

/// The deletion of a current entry.
pub(crate) fn remove(entry: &Entry) -> Result<Write, Error> {
    let delete = Write::delete(keys::entry(entry.group_id, &entry.entry_id));
    Ok(delete.when(is_current(entry)?, OnConflict::Stale))
}

/// The writes of a reverted entry and its revert.
pub(crate) fn history_rows(past: &[Entry; 2]) -> Result<[Write; 2], Error> {
    let put_new = |entry: &Entry| {
        let put = Write::put(entry)?;
        Ok::<_, Error>(put.when(Expression::absent(), OnConflict::Lost))
    };
    let [reverted, revert] = past;
    Ok([put_new(reverted)?, put_new(revert)?])
}

/// The entry is the current one of its name.
fn is_current(entry: &Entry) -> Result<Expression, Error> {
    debug_assert_eq!(entry.status, EntryStatus::Applied, "only an applied entry is current");
    Ok(Expression::equal("sequence", row::to_value(&entry.sequence)?))
}
