//! Verification of a ledger and its tallies against all rows of the group.

use fracti_core::{
    input::Error,
    records::{expense::Expense, settlement::Settlement},
    reports::{
        tally::TallyRow,
        verify::{Rows, verify},
    },
    storage::keys::{self, prefix},
    values::id::GroupId,
};
use tokio::task::spawn_blocking;

use crate::{
    dynamo::{Range, Retry},
    table::Table,
};

impl Table {
    /// Recomputes a group's balances and tallies from all its rows and compares them with those
    /// that are stored.
    ///
    /// It reads the whole history. v0 rows that cannot be read are not in the ledger and are left
    /// out. It does not check a membership: the caller must.
    ///
    /// # Errors
    ///
    /// [`Error::Discrepancy`]; [`Error::Contended`] if others kept writing, so that no two reads
    /// were of one moment.
    pub async fn verify_ledger(&self, group: GroupId) -> Result<(), Error> {
        let expenses = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let settlements = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
        let tallies = Range::table(keys::ledger_partition(group), prefix::TALLY);
        let mut retry = Retry::new();
        loop {
            let before = self.ledger(group).await?;
            let (expenses, settlements, entries, tallies) = tokio::try_join!(
                self.db.all_readable::<Expense>(&expenses),
                self.db.all_readable::<Settlement>(&settlements),
                self.every_entry(group, &before),
                self.db.all::<TallyRow>(&tallies),
            )?;
            let after = self.ledger(group).await?;
            if before == after {
                let rows = Rows { expenses, settlements, entries, tallies };
                // The computation is long, and must not block this thread.
                let verified = spawn_blocking(move || verify(&after, &rows)).await;
                return verified
                    .map_err(|error| Error::Table(error.into()))?
                    .map_err(|what| Error::Discrepancy(what.into()));
            }
            if !retry.pause().await {
                return Err(Error::Contended);
            }
        }
    }
}
