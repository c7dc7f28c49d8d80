//! The ledger of a group: what reads it.

mod changes;
mod creation;
mod entries;
mod history;
mod past;
mod statement;
pub(crate) mod tallies;

pub use changes::Changes;
pub(crate) use creation::Attempts;
pub use statement::{Statement, StatementLine, StatementPlace};
