//! The requests that Fracti sends to its table, as values. What answers them is DynamoDB, in
//! [`Sdk`](super::sdk::Sdk); the explorer of the tests answers them from a map.

use std::fmt;

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::Primary,
        row::Item,
        write::{Write, WriteError},
    },
};
use futures_util::future::BoxFuture;

use super::range::{Position, Range};

/// The answer to a request.
pub type Answer<'a, T> = BoxFuture<'a, Result<T, Error>>;

/// What answers the requests to a table. Each method is one request, repeated as the SDK does it.
pub trait Requests: fmt::Debug + Send + Sync {
    /// The row at `key`; without consistency possibly without the latest writes.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_GetItem.html>
    fn get(&self, key: Primary, consistently: bool) -> Answer<'_, Option<Item>>;

    /// The rows at these keys that exist, at most 100, and the keys that are to be read again.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html>
    fn batch(&self, keys: Vec<Primary>) -> Answer<'_, (Vec<Item>, Vec<Primary>)>;

    /// Rows of one partition.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Query.html>
    fn query<'a>(&'a self, query: Query<'a>) -> Answer<'a, Found>;

    /// Rows of the table.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html>
    fn scan<'a>(&'a self, scan: TableScan<'a>) -> Answer<'a, Found>;

    /// Updates one row on its condition, and returns the new values of the attributes; `None` if it
    /// does not meet the condition.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_UpdateItem.html>
    fn update(&self, write: Write) -> Answer<'_, Option<Item>>;

    /// Makes all writes, which are to different rows and at most 100, or none.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
    fn write(&self, writes: Vec<Write>) -> BoxFuture<'_, Sent>;

    /// The state of the table and of its index `name`.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DescribeTable.html>
    fn state<'a>(&'a self, name: &'a str) -> Answer<'a, TableState>;

    /// Adds the index `name` of all attributes, with the keys `<name>PK` and `<name>SK`.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.OnlineOps.html>
    fn add_index<'a>(&'a self, name: &'a str) -> Answer<'a, ()>;
}

/// Rows of one partition that are requested.
#[derive(Clone, Debug)]
pub struct Query<'a> {
    /// The rows.
    pub range: &'a Range,
    /// Which of them are shown. The others count for `limit`, too.
    pub filter: &'a Condition,
    /// Number of rows that are examined at most.
    pub limit: Option<usize>,
    /// Keys of the row after which they begin.
    pub after: Option<Item>,
}

/// Rows of the table that are requested: about a megabyte.
#[derive(Clone, Debug)]
pub struct TableScan<'a> {
    /// Which of them are shown.
    pub filter: &'a Condition,
    /// Whether only their keys are shown.
    pub only_keys: bool,
    /// Row after which they begin.
    pub after: Option<Position>,
    /// Part of the table.
    pub segment: Segment,
}

/// Rows that were found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The rows.
    pub items: Vec<Item>,
    /// Number of rows that were examined.
    pub examined: u64,
    /// Keys of the row after which there may be more.
    pub next: Option<Item>,
}

/// The outcome of writes that were sent.
#[derive(Debug)]
pub struct Sent {
    /// Whether they were made.
    pub outcome: Result<(), WriteError>,
    /// Whether an attempt got no response, so that it may have been, or may still be, committed.
    pub unanswered: bool,
}

/// One of several segments of the table, which can be scanned at the same time. All rows of a
/// partition are in one segment.
#[derive(Clone, Copy, Debug)]
pub struct Segment {
    /// Its number, from 0.
    pub number: i32,
    /// The number of segments.
    pub count: i32,
}

impl Segment {
    /// The whole table.
    pub(crate) const WHOLE: Self = Self { number: 0, count: 1 };

    pub(super) const fn of_several(self) -> bool {
        self.count > 1
    }
}

/// A table, as DynamoDB describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableState {
    /// Approximate number of rows, which DynamoDB counts about every six hours.
    pub rows: u64,
    /// Whether the requested index exists, and whether it can be used.
    pub index: IndexState,
}

/// Whether an index can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is none.
    Missing,
    /// DynamoDB is filling or deleting it.
    Changing,
    /// It can be used.
    Active,
}
