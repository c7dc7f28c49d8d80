//! Indexes of the table, which only the operators' tool adds.

use fracti_core::input::Error;

use super::client::Db;

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

impl Db {
    /// The state of the table and of its index `name`.
    pub(crate) async fn state(&self, name: &str) -> Result<TableState, Error> {
        self.requests.state(name).await
    }

    /// Adds the index `name` of all attributes, with the keys `<name>PK` and `<name>SK`.
    pub(crate) async fn add_index(&self, name: &str) -> Result<(), Error> {
        self.requests.add_index(name).await
    }
}
