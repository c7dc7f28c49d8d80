//! Sums of records, and audits of the rows of groups and of funds.

pub mod audit;
pub mod days;
pub mod debts;
pub mod fund_audit;
pub(crate) mod roll;
pub mod tally;
