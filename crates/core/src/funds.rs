//! Funds: prepaid money of users, by kind and currency, which settles debts.
//!
//! The rows record what the operator of a deployment owes to users. [`fund`] has what a user has of
//! one kind, [`user_funds`] all of it, [`fund_transaction`] what changed it, [`fund_queue`] what
//! waits for an operator, [`new_fund`] the requests, and [`fund_total`] the sums over all users by
//! which both laws of conservation are checked.

pub mod fund;
pub mod fund_queue;
pub mod fund_total;
pub mod fund_transaction;
pub mod new_fund;
pub mod user_funds;

#[cfg(test)]
mod tests;
