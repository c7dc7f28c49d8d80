//! v0 rows of expenses and settlements that a step may migrate.

use crate::{
    storage::{
        keys::{self, Primary, prefix},
        row::Item,
    },
    v0::{self, Anomaly},
    values::{id::GroupId, time::Timestamp},
};

use super::key_of;

/// Number of expenses, and of settlements, that are read for a step. A transaction seldom has room
/// for more.
pub const AT_ONCE: usize = 20;

/// Number of times that are tried for a row whose sort key does not have the current form.
const TRIES: usize = 20;

/// v0 rows of a kind, oldest first.
#[derive(Debug)]
pub struct Stream {
    /// The rows.
    pub rows: Vec<Item>,
    /// Whether there are no more.
    pub ended: bool,
}

/// A v0 row of an expense or a settlement.
#[derive(Debug)]
pub struct Candidate {
    /// Its key.
    pub key: Primary,
    pub(super) row: Item,
    pub(super) kind: V0Kind,
}

/// The kind of a v0 row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum V0Kind {
    Expense,
    Settlement,
}

impl V0Kind {
    /// Prefix of the sort keys of its rows.
    pub(super) const fn prefix(self) -> &'static str {
        match self {
            Self::Expense => prefix::EXPENSE,
            Self::Settlement => prefix::SETTLEMENT,
        }
    }

    /// Key of a row in the current format that is recorded at `at`.
    pub(super) fn key(self, group: GroupId, at: Timestamp) -> Primary {
        match self {
            Self::Expense => keys::expense(group, at),
            Self::Settlement => keys::settlement(group, at),
        }
    }
}

impl Candidate {
    fn of(kind: V0Kind, row: Item) -> Self {
        Self { key: key_of(&row), row, kind }
    }

    /// The times that the row may be recorded at, with the key that each gives it: the row's own
    /// time, then later ones. The first counts that gives the row's present key, or a free one.
    ///
    /// # Errors
    ///
    /// [`Anomaly::Unreadable`] if it has no time.
    pub fn times(
        &self,
        group: GroupId,
    ) -> Result<impl Iterator<Item = (Timestamp, Primary)>, Anomaly> {
        let first = v0::recorded_at(&self.row, self.kind.prefix())?;
        let kind = self.kind;
        let times = std::iter::successors(Some(first), |at| Some(at.next()));
        Ok(times.take(TRIES).map(move |at| (at, kind.key(group, at))))
    }

    /// The text of the time in the sort key, by which rows are sorted.
    fn time(&self) -> &str {
        self.key.sk.strip_prefix(self.kind.prefix()).unwrap_or(&self.key.sk)
    }
}

/// The rows of both streams in order of time, up to the last row of a stream that has not ended.
#[must_use]
pub fn in_order(expenses: Stream, settlements: Stream) -> Vec<Candidate> {
    let of = |kind, stream: Stream| {
        let rows: Vec<Candidate> =
            stream.rows.into_iter().map(|row| Candidate::of(kind, row)).collect();
        let end = rows.last().filter(|_| !stream.ended).map(|row| row.time().to_owned());
        (rows, end)
    };
    let (mut rows, end) = of(V0Kind::Expense, expenses);
    let (others, other_end) = of(V0Kind::Settlement, settlements);
    rows.extend(others);
    for end in [end, other_end].into_iter().flatten() {
        rows.retain(|row| row.time() <= end.as_str());
    }
    rows.sort_by(|one, other| (one.time(), one.kind).cmp(&(other.time(), other.kind)));
    rows.truncate(AT_ONCE);
    rows
}
