//! How entities are stored in the table: their keys, rows and counters, writes and their conditions, and
//! the row of a request.

pub mod condition;
pub mod counters;
pub mod idempotency;
pub mod keys;
pub mod row;
pub mod write;
