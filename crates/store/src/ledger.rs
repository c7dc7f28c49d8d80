//! The ledger of a group: the transaction that writes to it, and its reads.

mod adjustments;
mod entries;
mod history;
mod past;
mod statement;
mod transaction;
mod verify;

pub(crate) use adjustments::CHANGES_AT_ONCE;
pub use entries::is_incomplete;
pub use statement::{Line, Place, Statement};
pub(crate) use transaction::{LedgerTransaction, put_checkpoint, put_closing};
