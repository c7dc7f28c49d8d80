//! The ledger of a group: the writes that keep it, and what can be read of it.

mod adjustments;
mod entries;
mod history;
mod past;
mod statement;
mod transaction;
mod verify;

use fracti_core::{Error, balance::Balance, id::GroupId, keys, ledger::Ledger};

use crate::table::Table;

pub use statement::{Line, Place, Statement};
pub(crate) use transaction::{LedgerTransaction, put_balance};

impl Table {
    /// The group's ledger; an empty one before its first event.
    pub(crate) async fn ledger(&self, group: GroupId) -> Result<Ledger, Error> {
        let balance = self.db.get::<Balance>(keys::balance(group)).await?;
        Ok(balance.map(|balance| balance.ledger).unwrap_or_default())
    }
}
