//! What is a user's own: targets, spendings and their sums.

pub mod spending;
pub mod summary;
pub mod targets;
