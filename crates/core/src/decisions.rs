//! What follows from a request: the rows that it writes, by those that were read. An error changes
//! nothing.

#![expect(clippy::missing_errors_doc, reason = "errors are named where a request begins")]

pub mod adjustments;
pub mod balance;
pub mod days;
pub mod decision;
pub mod expenses;
pub mod fund_void;
pub mod funding;
pub mod funds;
pub mod group_row;
pub mod groups;
pub mod guests;
pub mod imports;
pub mod ledger_transaction;
pub mod links;
pub mod members;
pub mod questions;
pub mod schedules;
pub mod settlements;
pub mod spendings;
pub mod tallies;
pub mod targets;
pub mod telling;
pub mod tokens;

#[cfg(test)]
mod tests;
