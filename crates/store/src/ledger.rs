//! The ledger of a group: the transaction that writes to it, and its reads.

mod changes;
mod creation;
mod entries;
mod history;
mod past;
mod statement;
pub(crate) mod tallies;
mod transaction;

pub use changes::Changes;
pub(crate) use changes::put_lock_telling;
pub use statement::{Statement, StatementLine, StatementPlace};
pub(crate) use transaction::{LedgerTransaction, put_checkpoint, put_closing};
