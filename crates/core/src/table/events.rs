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
    keys, row,
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
    /// Commits the event that `event` makes of the book as it is, at the moment that is its own. Of one that writes
    /// nothing only the response is kept.
    ///
    /// # Errors
    ///
    /// What `event` returns or its writes are rejected for; [`Error::Contended`] where others were first until the deadline.
    pub(super) async fn commit<T>(
        &self,
        group: GroupId,
        book: Book,
        now: Timestamp,
        once: Option<&Once<T>>,
        event: impl Fn(&Book, Timestamp) -> Result<Event<T>, Rejected>,
    ) -> Result<Outcome<T>, Rejected> {
        let mut retry = Retry::new();
        let mut turn = retry.within(self.turns.take(group)).await.ok_or(Error::Contended)?;
        let mut book = turn.latest(book);
        loop {
            let event = event(&book, book.next_moment(now))?;
            if event.writes.is_empty() {
                return self.respond(once, event.value).await;
            }
            let proof = event.writes.iter().find_map(Write::proof);
            let mut writes = event.writes;
            writes.extend(once.map(|once| once.write(&event.value)).transpose()?.flatten());
            writes.extend(closing(group, &book, &event.book)?);
            writes.push(balance(group, &book, &event.book)?);
            match self.transact_proven(writes, proof).await {
                Ok(()) => {
                    turn.leave(event.book);
                    return Ok(Outcome::Done(event.value));
                }
                Err(Rejected::Lost) => {}
                Err(Rejected::Replay) => {
                    let request = once.and_then(|once| once.request.as_ref());
                    if let Some(recorded) = self.recorded(request).await? {
                        return Ok(Outcome::Replayed(recorded));
                    }
                }
                Err(rejected) => return Err(rejected),
            }
            if !retry.pause().await {
                return Err(Error::Contended.into());
            }
            book = self.book(group).await?;
        }
    }
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
