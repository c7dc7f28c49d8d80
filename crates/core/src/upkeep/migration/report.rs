//! What a step reports.

use crate::{
    storage::keys::Primary,
    v0::{Anomaly, Correction},
};
use serde::Serialize;

/// Numbers of rows that were written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// Groups.
    pub groups: u64,
    /// Members who had a row.
    pub members: u64,
    /// Members who had no row: guests, and past members.
    pub added_members: u64,
    /// Expenses.
    pub expenses: u64,
    /// Participants of expenses.
    pub participants: u64,
    /// Settlements in any status.
    pub settlements: u64,
    /// Blockchain transactions that pay settlements.
    pub used_hashes: u64,
    /// Entries of the ledger.
    pub entries: u64,
}

impl Counts {
    /// Adds the numbers of another step.
    pub fn add(&mut self, other: Self) {
        let add = |to: &mut u64, number: u64| *to = to.saturating_add(number);
        add(&mut self.groups, other.groups);
        add(&mut self.members, other.members);
        add(&mut self.added_members, other.added_members);
        add(&mut self.expenses, other.expenses);
        add(&mut self.participants, other.participants);
        add(&mut self.settlements, other.settlements);
        add(&mut self.used_hashes, other.used_hashes);
        add(&mut self.entries, other.entries);
    }
}

/// A correction or an anomaly of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigrationFinding {
    /// Key of the row.
    pub key: Primary,
    /// The finding.
    pub kind: FindingKind,
}

/// What was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// An attribute was changed.
    Correction(Correction),
    /// A defect: the row, or the attribute with the defect, stays as it is.
    Anomaly(Anomaly),
}

impl MigrationFinding {
    /// The findings of a row that is migrated.
    pub(super) fn all(
        key: &Primary,
        corrections: Vec<Correction>,
        anomalies: Vec<Anomaly>,
    ) -> impl Iterator<Item = Self> {
        let corrections = corrections.into_iter().map(FindingKind::Correction);
        let kinds = corrections.chain(anomalies.into_iter().map(FindingKind::Anomaly));
        let key = key.clone();
        kinds.map(move |kind| Self { key: key.clone(), kind })
    }

    /// The finding of a row that stays as it is.
    #[must_use]
    pub const fn anomaly(key: Primary, anomaly: Anomaly) -> Self {
        Self { key, kind: FindingKind::Anomaly(anomaly) }
    }
}
