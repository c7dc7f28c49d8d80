//! The ledger of a group: what reads it.

mod changes;
mod entries;
mod history;
mod opening;
mod past;
mod statement;
pub(crate) mod tallies;

pub use changes::Changes;
pub(crate) use opening::{Attempts, Opened};
pub use statement::{Statement, StatementLine, StatementPlace};
