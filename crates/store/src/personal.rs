//! Rows that belong to one user.

pub(crate) mod days;
pub(crate) mod spendings;
mod subscriptions;
pub(crate) mod targets;
pub(crate) mod tokens;
pub(crate) mod usage;
