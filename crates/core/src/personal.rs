//! Records of one user: targets, spendings and their sums.

pub mod spending;
pub mod summary;
pub mod targets;
