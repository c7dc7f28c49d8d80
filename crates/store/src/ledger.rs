//! The ledger of a group: the writes that keep it, and what can be read of it.

mod adjustments;
mod commit;
mod history;
mod past;
mod statement;
mod verify;

use fracti_core::{Error, balance::Balance, id::GroupId, keys, ledger::Ledger};

use crate::table::Table;

pub(crate) use commit::{Event, history_rows, insert_entry, remove, replace};
pub use statement::{Line, Place, Statement};

impl Table {
    /// The group's ledger; an empty one before its first event.
    pub(crate) async fn ledger(&self, group: GroupId) -> Result<Ledger, Error> {
        let balance = self.db.get::<Balance>(keys::balance(group)).await?;
        Ok(balance.map(|balance| balance.ledger).unwrap_or_default())
    }
}
