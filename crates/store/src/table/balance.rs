//! The balance row: the current ledger of a group, whose version is the group's lock.

use fracti_core::{
    group::group_state::GroupState,
    input::Error,
    ledger::{Ledger, balance::Balance},
    storage::keys,
    values::id::GroupId,
};

use crate::table::Table;

impl Table {
    /// The current ledger of a group, which is empty before the first write to it.
    ///
    /// # Errors
    ///
    /// [`Error::NotMigrated`] if no balance has the v0 rows of the group; [`Error::NoGroup`] if
    /// there is no group with an id of the TypeScript Fracti.
    pub(crate) async fn ledger(&self, group: GroupId) -> Result<Ledger, Error> {
        let ledger = self.stored_ledger(group).await?;
        if ledger.state.needs_migration(group) {
            let exists = self.db.item(keys::group(group)).await?.is_some();
            return Err(if exists { Error::NotMigrated } else { Error::NoGroup });
        }
        Ok(ledger)
    }

    /// [`Table::ledger`], also of a group that is not migrated.
    pub(crate) async fn stored_ledger(&self, group: GroupId) -> Result<Ledger, Error> {
        let balance = self.db.get::<Balance>(keys::balance(group)).await?;
        let first = || Ledger { state: GroupState::first(group), ..Ledger::default() };
        Ok(balance.map_or_else(first, |balance| balance.ledger))
    }

    /// The ledger that was read before, or else the current one.
    pub(crate) async fn ledger_unless(
        &self,
        before: Option<Ledger>,
        group: GroupId,
    ) -> Result<Ledger, Error> {
        match before {
            Some(ledger) => Ok(ledger),
            None => self.ledger(group).await,
        }
    }
}
