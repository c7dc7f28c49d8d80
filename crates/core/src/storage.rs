//! How entities are stored in the table: their keys, rows and counters, and the row of a request.

pub mod counters;
pub mod idempotency;
pub mod keys;
pub mod row;
