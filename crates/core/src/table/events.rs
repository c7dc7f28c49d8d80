//! The group's lock: one money event after the other.
//!
//! An event reads the balance row, makes the next one, and writes it in one transaction with its own rows, on
//! condition that the version is the one it read. Who loses the race begins again from the book
//! as it is then, until the deadline.

use aws_sdk_dynamodb::types::AttributeValue;

use super::{
    Outcome, Table,
    idempotency::Once,
    write::{Expression, Otherwise, Rejected, Retry, Write},
};
use crate::{
    Error,
    book::{Book, Entry, EntryStatus},
    id::GroupId,
    keys,
    row::{self, Item},
    time::Timestamp,
};

/// What one event writes.
pub(super) struct Event<T> {
    /// The book after it.
    pub(super) book: Book,
    /// Its own rows, its entries among them; where there are any, one of them is new.
    pub(super) writes: Vec<Write>,
    /// What it results in.
    pub(super) value: T,
}

impl Table {
    /// Commits the event that `event` makes of the book as it is, at the moment that is its own, with the response that
    /// `once` keeps of it.
    ///
    /// # Errors
    ///
    /// As [`Table::commit`].
    pub(super) async fn commit_once<T>(
        &self,
        group: GroupId,
        book: Book,
        now: Timestamp,
        once: &Once<T>,
        event: impl Fn(&Book, Timestamp) -> Result<Event<T>, Rejected>,
    ) -> Result<Outcome<T>, Rejected> {
        match self.commit(group, book, now, |value| once.write(value), event).await {
            Ok(value) => Ok(Outcome::Done(value)),
            Err(Rejected::Replay) => self.replayed(once).await,
            Err(rejected) => Err(rejected),
        }
    }

    /// Commits the event that `event` makes of the book as it is, at the moment that is its own, with the row that
    /// `record` makes of its value. Of an event that writes nothing only that row is written.
    ///
    /// Each attempt expects the version of the book that it read. So of all attempts at one version one is committed at
    /// most, and once the version is another it is certain whether one was. Before the event is written on another
    /// version, or refused, the table is asked, where an attempt was not answered.
    ///
    /// # Errors
    ///
    /// What `event` returns or its writes are rejected for; [`Error::Contended`] where others were first until the deadline.
    pub(super) async fn commit<T>(
        &self,
        group: GroupId,
        book: Book,
        now: Timestamp,
        record: impl Fn(&T) -> Result<Option<Write>, Error>,
        event: impl Fn(&Book, Timestamp) -> Result<Event<T>, Rejected>,
    ) -> Result<T, Rejected> {
        let mut retry = Retry::new();
        let mut turn = retry.within(self.turns.take(group)).await.ok_or(Error::Contended)?;
        let mut book = turn.latest(book);
        let mut unanswered = false;
        loop {
            let at = book.next_moment(now);
            let event = event(&book, at)?;
            let record = record(&event.value)?;
            if event.writes.is_empty() {
                if let Some(record) = record {
                    self.transact(vec![record]).await?;
                }
                return Ok(event.value);
            }
            let evidence = evidence(&event.writes, at)?;
            let mut writes = event.writes;
            writes.extend(record);
            writes.extend(closing(group, &book, &event.book)?);
            writes.push(balance(group, &book, &event.book)?);
            let sent = self.send(writes).await;
            let rejected = match sent.outcome {
                Ok(()) => {
                    turn.leave(event.book);
                    return Ok(event.value);
                }
                Err(rejected @ Rejected::Replay) => return Err(rejected),
                Err(rejected) => rejected,
            };
            unanswered |= sent.unanswered;
            let again = matches!(rejected, Rejected::Lost) && retry.pause().await;
            if unanswered {
                let next = self.book(group).await?;
                let over = next.version != book.version
                    || (!again && !unknown(&rejected) && self.overtake(group, &book).await?);
                if over {
                    if let Some(row) = &evidence
                        && self.is_written(row).await?
                    {
                        return Ok(event.value);
                    }
                    unanswered = false;
                }
                book = next;
            } else if again {
                book = self.book(group).await?;
            }
            if !again {
                return Err(match rejected {
                    Rejected::Lost => Error::Contended.into(),
                    rejected => rejected,
                });
            }
        }
    }

    /// Gives the book another version, so that no attempt at this one can be committed any more.
    async fn overtake(&self, group: GroupId, book: &Book) -> Result<bool, Error> {
        let next = Book { version: book.version.saturating_add(1), ..book.clone() };
        match self.transact(vec![balance(group, book, &next)?]).await {
            // Lost to such an attempt, or to another writer: either way the version is another.
            Ok(()) | Err(Rejected::Lost) => Ok(true),
            Err(Rejected::Because(error)) => Err(error),
            Err(Rejected::Stale | Rejected::Replay) => Ok(false),
        }
    }
}

/// Whether it is not known what became of the transaction.
const fn unknown(rejected: &Rejected) -> bool {
    matches!(rejected, Rejected::Because(Error::Unavailable(_)))
}

/// The new row that shows that an event at this moment was committed: no other event puts the same.
fn evidence(writes: &[Write], at: Timestamp) -> Result<Option<Item>, Error> {
    let at = row::to_value(&at)?;
    let mut new_rows = writes.iter().filter_map(Write::new_row);
    Ok(new_rows.find(|row| row.get("createdAt") == Some(&at)).cloned())
}

/// The balance row, where it still is the one that was read.
fn balance(group: GroupId, read: &Book, next: &Book) -> Result<Write, Error> {
    let unchanged = match read.version {
        0 => Expression::absent(),
        version => Expression::equal("version", AttributeValue::N(version.to_string())),
    };
    let put = Write::put(&keys::balance(group).into(), next)?;
    Ok(put.only(unchanged, Otherwise::Lost))
}

/// The balances at the end of the day of the last event, where `next` is the first one of a later day.
fn closing(group: GroupId, read: &Book, next: &Book) -> Result<Option<Write>, Error> {
    let last = read.last_event_at.map(Timestamp::day);
    match last.filter(|last| next.last_event_at.is_some_and(|at| at.day() != *last)) {
        None => Ok(None),
        Some(day) => {
            let put = Write::put(&keys::closing(group, day).into(), read)?;
            Ok(Some(put.only(Expression::absent(), Otherwise::Lost)))
        }
    }
}

/// Lets an entry count under its name, where none does.
pub(super) fn enter(entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(&keys::entry_row(entry), entry)?;
    Ok(put.only(Expression::absent(), Otherwise::Stale))
}

/// Lets an entry count in the place of another one of its name, which becomes history.
pub(super) fn replace(before: &Entry, entry: &Entry) -> Result<Write, Error> {
    let put = Write::put(&keys::entry_row(entry), entry)?;
    Ok(put.only(still(before)?, Otherwise::Stale))
}

/// Takes the current row of an entry away, which becomes history.
pub(super) fn remove(entry: &Entry) -> Result<Write, Error> {
    let delete = Write::delete(keys::entry(entry.group_id, &entry.entry_id));
    Ok(delete.only(still(entry)?, Otherwise::Stale))
}

/// The rows of history: what was reverted, and the revert.
pub(super) fn keep(past: &[Entry; 2]) -> Result<[Write; 2], Error> {
    let keep = |entry: &Entry| {
        let put = Write::put(&keys::entry_row(entry), entry)?;
        Ok::<_, Error>(put.only(Expression::absent(), Otherwise::Lost))
    };
    let [reverted, revert] = past;
    Ok([keep(reverted)?, keep(revert)?])
}

/// This very entry still counts under its name.
fn still(entry: &Entry) -> Result<Expression, Error> {
    debug_assert_eq!(entry.status, EntryStatus::Applied, "only what counts can be taken back");
    Ok(Expression::equal("sequence", row::to_value(&entry.sequence)?))
}
