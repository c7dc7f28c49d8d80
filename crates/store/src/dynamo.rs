//! DynamoDB: expressions, transactions, queries and retries. It names no entity.

mod admission;
mod client;
mod cost;
mod deadline;
mod expression;
mod index;
mod query;
mod retry;
mod scan;
mod transaction;
mod unreadable;
mod update;
mod write;

pub use admission::with_admission;
pub(crate) use client::{BATCH, Db};
pub use client::{SdkItem, from_sdk, to_sdk};
pub use cost::{TableCost, metered};
pub(crate) use deadline::is_late;
pub use deadline::with_deadline;
pub(crate) use expression::{Expression, MAX_VALUES};
pub use index::{IndexState, TableState};
pub use query::{Order, OrderError, Page, Position, Slice};
pub(crate) use query::{Placed, Range, Sort};
pub(crate) use retry::Retry;
pub(crate) use scan::Scan;
pub use scan::Segment;
pub(crate) use transaction::{MAX_ACTIONS, Transaction, TransactionError};
pub(crate) use unreadable::note_mismatch;
pub use unreadable::{UnreadableRow, noting_unreadable};
pub(crate) use write::Write;
