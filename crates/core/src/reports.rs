//! What is added up from records, and whether the rows of a group agree.

pub mod audit;
pub mod days;
pub mod debts;
pub(crate) mod discrepancy;
pub mod roll;
pub mod tally;
pub mod verify;
