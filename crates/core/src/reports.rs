//! What is added up from records, and whether the rows of a group, and those of funds, agree.

pub mod audit;
pub mod days;
pub mod debts;
pub mod fund_audit;
pub(crate) mod roll;
pub mod tally;
