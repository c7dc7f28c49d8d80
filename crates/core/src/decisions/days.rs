//! The rebuild of a user's days: summaries become the sums of the spendings again.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use crate::{
    decisions::decision::Decision,
    input::Error,
    personal::{
        spending::Spending,
        summary::{DaySummary, SummaryType},
    },
    storage::{
        condition::Condition,
        counters::Counters,
        row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::UserId,
        time::{Day, Timestamp},
    },
};

/// Days that one transaction repairs at most. It also writes an idempotency row.
const REPAIRED_AT_ONCE: usize = 90;

/// The result of a rebuild.
#[derive(Clone, Debug)]
pub struct Rebuilt {
    /// Number of days that were checked.
    pub checked: u64,
    /// Days whose summary was wrong.
    pub changed: BTreeSet<Day>,
}

/// A step of a rebuild.
#[derive(Debug)]
pub enum Step {
    /// The last one.
    Last(Rebuilt),
    /// The next step continues after these days.
    Repaired(BTreeSet<Day>),
}

/// The sums of a user's spendings on each day: by the spendings, and by the summaries with their
/// versions.
#[derive(Debug)]
pub struct DaySums {
    spendings: BTreeMap<Day, Counters>,
    summaries: BTreeMap<Day, DaySummary>,
}

/// A step of a rebuild that has already `changed` some days. The sums are read a second time if
/// days differ.
pub fn rebuild(
    user: UserId,
    range: &RangeInclusive<Day>,
    (first, second): (&DaySums, Option<&DaySums>),
    changed: &BTreeSet<Day>,
    now: Timestamp,
) -> Result<Decision<Step>, WriteError> {
    let all = first.differing(range);
    let differing: BTreeSet<Day> = all.iter().take(REPAIRED_AT_ONCE).copied().collect();
    let mut writes = Transaction::default();
    for day in &differing {
        // A summary whose version stays the same from the first reading to the transaction is
        // compared with spendings that no write has changed since.
        let same = second.filter(|second| first.agrees(second, *day)).ok_or(WriteError::Retry)?;
        writes.add(same.repair(user, *day, now)?);
    }
    if differing.len() < all.len() {
        return Ok(Decision::Write(writes, Step::Repaired(differing)));
    }
    let checked = range.end().days_since(*range.start());
    let rebuilt = Rebuilt { checked, changed: changed | &differing };
    Ok(Decision::Write(writes, Step::Last(rebuilt)))
}

impl DaySums {
    /// The sums of what was read.
    pub fn of(found: &[Spending], summaries: Vec<DaySummary>) -> Result<Self, Error> {
        let mut spendings: BTreeMap<Day, Counters> = BTreeMap::new();
        for spending in found {
            spendings.entry(spending.user_date).or_default().add_all(&spending.counters()?)?;
        }
        let summaries = summaries.into_iter().map(|summary| (summary.date, summary)).collect();
        Ok(Self { spendings, summaries })
    }

    /// The days of a range on which a summary is not the sum of the spendings.
    #[must_use]
    pub fn differing(&self, range: &RangeInclusive<Day>) -> BTreeSet<Day> {
        let days = self.spendings.keys().chain(self.summaries.keys()).copied();
        let is_wrong = |day: &Day| {
            let none = Counters::default();
            let summary = self.summaries.get(day).map_or(&none, |summary| &summary.counters);
            summary != self.spendings.get(day).unwrap_or(&none)
        };
        days.filter(|day| range.contains(day) && is_wrong(day)).collect()
    }

    fn agrees(&self, other: &Self, day: Day) -> bool {
        let version = |of: &Self| of.summaries.get(&day).and_then(|summary| summary.version);
        self.spendings.get(&day) == other.spendings.get(&day) && version(self) == version(other)
    }

    /// The write that makes the summary of a day the sum of its spendings.
    fn repair(&self, user: UserId, day: Day, now: Timestamp) -> Result<Write, Error> {
        let version = self.summaries.get(&day).and_then(|summary| summary.version);
        let summary = DaySummary {
            user_id: user,
            date: day,
            row_type: SummaryType::DaySummary,
            version: Some(version.unwrap_or_default().saturating_add(1)),
            updated_at: Some(now),
            counters: self.spendings.get(&day).cloned().unwrap_or_default(),
        };
        let unchanged = match version {
            Some(version) => Condition::equal("version", row::to_value(&version)?),
            None => Condition::without("version"),
        };
        Ok(Write::put(&summary)?.when(unchanged))
    }
}
