//! v0 rows of expenses and settlements that a step may migrate.

use fracti_core::{
    storage::{
        keys::{self, Primary, prefix},
        row::Item,
    },
    values::{id::GroupId, time::Timestamp},
};

use super::read::{AT_ONCE, Stream, key_of};

/// A v0 row of an expense or a settlement.
pub(super) struct Candidate {
    pub(super) key: Primary,
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

    /// The text of the time in the sort key, by which rows are sorted.
    fn time(&self) -> &str {
        self.key.sk.strip_prefix(self.kind.prefix()).unwrap_or(&self.key.sk)
    }
}

/// The rows of both streams in order of time, up to the last row of a stream that has not ended.
pub(super) fn in_order(expenses: Stream, settlements: Stream) -> Vec<Candidate> {
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
