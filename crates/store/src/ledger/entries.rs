//! Entries of a group by time, read from an index that lags behind the table.
//!
//! Sequences have no gaps, and the balance row, which does not lag, has the next one. An incomplete
//! read is therefore detected and repeated.

use std::{collections::BTreeMap, ops::Range as Sequences};

use fracti_core::{
    input::Error,
    ledger::Ledger,
    records::entry::Entry,
    storage::keys,
    values::{id::GroupId, time::Timestamp},
};

use crate::{
    dynamo::{Order, Page, Range, Retry, Sort},
    table::Table,
};

/// Sort keys before and after those of all entries.
const BOUNDS: [&str; 2] = ["0", "~"];

/// The last entries up to a moment.
pub(super) struct Until {
    /// Sequence of the first entry after the moment, even if it does not exist yet.
    pub(super) next: u64,
    /// The entries, oldest first.
    pub(super) entries: Vec<Entry>,
}

impl Table {
    /// The last `limit` entries up to a moment, or all if there are fewer. The moment must be
    /// before the last event of `ledger`, which the caller has already read.
    pub(super) async fn entries_until(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Timestamp,
        limit: usize,
    ) -> Result<Until, Error> {
        let border = keys::entries_until(at);
        let until = before(group, border.clone());
        let after = from(group, border);
        complete(|| async {
            let (entries, after) =
                tokio::try_join!(self.first(&until, limit), self.first(&after, 1))?;
            // The index may already have events that are later than `ledger`.
            let next = after.first_key_value().map_or(ledger.sequence, |(sequence, _)| *sequence);
            let first = next.saturating_sub(u64::try_from(limit).unwrap_or(u64::MAX));
            Ok(all_of(first..next, entries).map(|entries| Until { next, entries }))
        })
        .await
    }

    /// The entries with these sequences, oldest first. They must be the first ones from `position`
    /// in `order`.
    pub(crate) async fn entries_with(
        &self,
        group: GroupId,
        order: Order,
        position: String,
        sequences: Sequences<u64>,
    ) -> Result<Vec<Entry>, Error> {
        let range = match order {
            Order::Asc => from(group, position),
            Order::Desc => before(group, position),
        };
        let limit = usize::try_from(sequences.end.saturating_sub(sequences.start));
        let limit = limit.unwrap_or(usize::MAX);
        complete(|| async { Ok(all_of(sequences.clone(), self.first(&range, limit).await?)) }).await
    }

    /// The first entries of a range, by sequence. While the index lags, it may have an entry that
    /// was just reverted twice, or not at all.
    async fn first(&self, range: &Range, limit: usize) -> Result<BTreeMap<u64, Entry>, Error> {
        let page = Page { limit: limit.saturating_sub(1), after: None };
        let rows = self.db.rows::<Entry>(range, &page).await?;
        Ok(rows.into_iter().map(|(_, entry)| (entry.sequence, entry)).collect())
    }
}

/// The entries from a position on, oldest first.
fn from(group: GroupId, position: String) -> Range {
    let [_, last] = BOUNDS.map(str::to_owned);
    by_time(group, Sort::Between(position, last), Order::Asc)
}

/// The entries up to a position, newest first.
fn before(group: GroupId, position: String) -> Range {
    let [first, _] = BOUNDS.map(str::to_owned);
    by_time(group, Sort::Between(first, position), Order::Desc)
}

fn by_time(group: GroupId, sort: Sort, order: Order) -> Range {
    Range { index: Some("GSI1"), partition: keys::entries_of(group), sort, order }
}

/// The entries with these sequences, unless one is missing.
fn all_of(sequences: Sequences<u64>, mut entries: BTreeMap<u64, Entry>) -> Option<Vec<Entry>> {
    sequences.map(|sequence| entries.remove(&sequence)).collect()
}

/// Error returned if an index has fewer entries than the table should have.
#[derive(Debug, thiserror::Error)]
#[error("the index of entries lags behind the table, or an entry is lost")]
struct Incomplete;

/// Repeats a read until it is complete or the deadline has passed.
async fn complete<T, R>(read: impl Fn() -> R) -> Result<T, Error>
where
    R: Future<Output = Result<Option<T>, Error>>,
{
    let mut retry = Retry::new();
    loop {
        if let Some(complete) = read().await? {
            return Ok(complete);
        }
        if !retry.pause().await {
            return Err(Error::Unavailable(Incomplete.into()));
        }
    }
}
