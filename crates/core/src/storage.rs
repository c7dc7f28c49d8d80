//! Storage of entities in the table: keys, rows and counters, writes and their conditions, and the
//! row of a request.

pub mod condition;
pub mod counters;
pub mod idempotency;
pub mod keys;
pub mod row;
pub mod write;
