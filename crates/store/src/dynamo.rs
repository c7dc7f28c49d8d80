//! DynamoDB: expressions, transactions, queries and retries of any row. It names two entities, the
//! group and the balance row, for one check: whether the group of a v0 row is migrated.

mod admission;
mod client;
mod cost;
mod deadline;
mod expression;
mod index;
mod query;
mod range;
mod requests;
mod retry;
mod scan;
mod sdk;
mod transaction;
mod unreadable;

pub use admission::with_admission;
pub(crate) use client::{BATCH, Db};
pub use cost::{TableCost, metered};
pub(crate) use deadline::is_late;
pub use deadline::with_deadline;
pub(crate) use query::Placed;
pub use query::Slice;
pub use range::{Order, OrderError, Page, Position, Range, Sort};
pub use requests::{
    Answer, Found, IndexState, Query, Requests, Segment, Sent, TableScan, TableState,
};
pub(crate) use retry::Retry;
pub(crate) use scan::Scan;
pub(crate) use sdk::Sdk;
pub use sdk::{SdkItem, from_sdk, to_sdk};
pub(crate) use unreadable::note_mismatch;
pub use unreadable::{UnreadableRow, noting_unreadable};
