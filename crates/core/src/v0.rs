//! Conversion of v0 rows, written by the TypeScript Fracti, to the current format.
//!
//! The TypeScript Fracti calculated with floats and checked little, so its rows break rules that
//! current rows keep. Each function here takes a v0 row and returns the entity that replaces it,
//! with every [`Correction`] that was necessary; or it returns an [`Anomaly`], and the row must
//! stay as it is. No information is lost without a correction that says so.

mod attributes;
mod expense;
mod finding;
mod group;
mod members;
mod settlement;
mod shares;

#[cfg(test)]
mod tests;

use crate::{
    group::Member,
    storage::row::{FORMAT_VERSION, Item, Row, to_item},
    values::time::Timestamp,
};

use attributes::Attributes;
pub use expense::expense;
pub use finding::{Anomaly, Correction};
pub use group::{group, member};
pub use members::Members;
pub use settlement::settlement;

/// Whether a row is a v0 row.
#[must_use]
pub fn is_v0(row: &Item) -> bool {
    !row.contains_key(FORMAT_VERSION)
}

/// Time at which an expense or a settlement was recorded: the one in its sort key after `prefix`,
/// or `createdAt` if the sort key has no valid time.
///
/// # Errors
///
/// [`Anomaly::Unreadable`] if neither has a time.
pub fn recorded_at(row: &Item, prefix: &str) -> Result<Timestamp, Anomaly> {
    let row = Attributes(row);
    let time = row.text("SK").and_then(|key| key.strip_prefix(prefix));
    let time = time.and_then(|time| time.split('#').next()?.parse().ok());
    time.map_or_else(|| row.required("createdAt"), Ok)
}

/// Time at which a member joined, if it is in their row.
#[must_use]
pub fn joined_at(row: &Item) -> Option<Timestamp> {
    Attributes(row).parsed("joinedAt")
}

/// The entity that replaces a v0 row.
#[derive(Clone, Debug, PartialEq)]
pub struct Migrated<T> {
    /// The entity.
    pub entity: T,
    /// Members that the row names and who have no row of their own.
    pub missing_members: Vec<Member>,
    /// The changes, apart from adding attributes that every v0 row lacks.
    pub corrections: Vec<Correction>,
    /// Values that are kept although they break a rule of current rows.
    pub anomalies: Vec<Anomaly>,
}

impl<T: Row> Migrated<T> {
    /// The entity, with the corrections found by comparing the rows. `always` lists the attributes
    /// that each v0 row should have.
    fn of(item: &Item, entity: T, always: &[&str]) -> Result<Self, Anomaly> {
        let row = to_item(&entity).map_err(|_| Anomaly::Unreadable("row".to_owned()))?;
        let corrections = finding::corrections(item, &row, always);
        Ok(Self { entity, missing_members: Vec::new(), corrections, anomalies: Vec::new() })
    }
}
