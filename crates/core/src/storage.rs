//! The form of entities in the table: keys and rows.

pub mod counters;
pub mod idempotency;
pub mod keys;
pub mod row;
