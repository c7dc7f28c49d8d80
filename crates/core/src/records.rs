//! What members record in a group, and what the ledger makes of it.

pub mod adjustment;
pub mod aside;
pub mod deleted_expense;
pub mod entry;
pub mod expense;
pub mod group_change;
pub mod import;
mod names;
pub mod settlement;
