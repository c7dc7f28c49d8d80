//! Records of members in a group, and their entries in the ledger.

pub mod adjustment;
pub mod aside;
pub mod deleted_expense;
pub mod entry;
pub mod expense;
pub mod group_change;
pub mod import;
mod names;
pub mod schedule;
pub mod settlement;
