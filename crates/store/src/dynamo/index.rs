//! Indexes of the table, which only the operators' tool adds.

use fracti_core::input::Error;

use super::{client::Db, requests::TableState};

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
