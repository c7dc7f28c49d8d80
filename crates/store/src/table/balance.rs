//! The balance row: the current ledger of a group, whose version is the group's lock.

use fracti_core::{
    group::group_state::GroupState,
    input::Error,
    ledger::{Ledger, LedgerError, balance::Balance},
    storage::keys,
    values::id::GroupId,
};

use crate::{
    dynamo::{Expression, Write},
    table::Table,
};

/// Maximum size of a row, in bytes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html#limits-items>
const MAX_ROW: usize = 400 * 1024;

impl Table {
    /// The current ledger of a group, which is empty before the first write to it.
    ///
    /// # Errors
    ///
    /// [`Error::NotMigrated`] if no balance has the v0 rows of the group; [`Error::NoGroup`] if there
    /// is no group with an id of the TypeScript Fracti.
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

/// The write by which others hold the group's lock that are no event of its ledger: the balance row
/// with the next version.
///
/// # Errors
///
/// As [`put_balance`].
pub(crate) fn put_lock(group: GroupId, read: &Ledger) -> Result<Write, Error> {
    let next = Ledger { version: read.version.saturating_add(1), ..read.clone() };
    put_balance(group, read, &next)
}

/// The write of the balance row, on condition that its version is the one that was read.
///
/// # Errors
///
/// [`LedgerError::Full`] if DynamoDB would refuse the row for its size: the largest balances with
/// the most links, recent changes and pending settlements exceed it by some kilobytes.
pub(crate) fn put_balance(group: GroupId, read: &Ledger, next: &Ledger) -> Result<Write, Error> {
    let put = Write::put(&Balance { group_id: group, ledger: next.clone() })?;
    if put.size() > MAX_ROW {
        return Err(LedgerError::Full.into());
    }
    Ok(put.when(Expression::at_version(read.version)))
}
