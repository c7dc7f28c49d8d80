//! DynamoDB: expressions, transactions, queries and retries. It names no entity.

mod admission;
mod client;
mod cost;
mod deadline;
mod expression;
mod index;
mod query;
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
pub use index::{IndexState, TableState};
pub(crate) use query::Placed;
pub use query::{Order, OrderError, Page, Position, Range, Slice, Sort};
pub use requests::{Answer, Found, Query, Requests, Sent, TableScan};
pub(crate) use retry::Retry;
pub(crate) use scan::Scan;
pub use scan::Segment;
pub(crate) use sdk::Sdk;
pub use sdk::{SdkItem, from_sdk, to_sdk};
pub(crate) use unreadable::note_mismatch;
pub use unreadable::{UnreadableRow, noting_unreadable};
