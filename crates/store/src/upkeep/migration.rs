//! The reads and writes of the migration of v0 rows, which
//! [`fracti_core::upkeep::migration`] decides.

mod read;
mod scan;

use fracti_core::{
    decisions::decision::Decision,
    input::Error,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        write::WriteError,
    },
    upkeep::migration::{Migration, MigrationStep, Planned, in_order},
    values::time::Timestamp,
};

use crate::{dynamo::Range, table::Table};
pub use scan::V0Page;

impl Table {
    /// Takes the next step of a migration, unless another process has already taken it. `note` is
    /// called with a step before it is committed, and again if it is decided again.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`]; [`Error::Invalid`] if the ledger is full; the error of `note`, and
    /// nothing is committed.
    pub async fn migrate_step(
        &self,
        migration: &Migration,
        now: Timestamp,
        note: impl Fn(&MigrationStep) -> Result<(), Error>,
    ) -> Result<MigrationStep, Error> {
        let step = |_| async {
            let decision = self.step(migration).await?;
            if let Decision::Write(_, step) = &decision {
                note(step)?;
            }
            Ok(decision)
        };
        self.work(Some(migration.group()), "migrate", now, step).await
    }

    /// The decision on the next step.
    async fn step(&self, migration: &Migration) -> Result<Decision<MigrationStep>, WriteError> {
        let planned = self.planned(migration).await?;
        if let Some(version) = planned.unchecked()
            && self.stored_ledger(migration.group()).await?.version != version
        {
            return Err(WriteError::Retry);
        }
        Ok(planned.decide()?)
    }

    async fn planned(&self, migration: &Migration) -> Result<Planned, Error> {
        let group = migration.group();
        let state = self.v0_state(migration).await?;
        let (expenses, settlements) = self.v0_streams(migration).await?;
        let candidates = in_order(expenses, settlements);
        if candidates.is_empty() {
            let mut planned = Planned::members(migration, state)?;
            if planned.is_last() {
                let range = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
                let note = |page| {
                    planned.note(page);
                    Ok(())
                };
                self.every_page(&range, &Condition::default(), note).await?;
            }
            return Ok(planned);
        }
        let times = self.times(group, &candidates).await?;
        let converted = state.converted(group, &candidates, times)?;
        let known = self.known(migration, &converted).await?;
        Planned::records(migration, state, candidates, converted, known)
    }
}
