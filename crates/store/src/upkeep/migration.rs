//! Migration of the v0 rows of a group, written by the TypeScript Fracti.
//!
//! A group is migrated in steps. A step is one transaction under the group's lock. It
//! takes the next rows in order of time, and migrates each of them completely: the row itself, its
//! participants, its entry in the ledger, its tally, and new rows for members it names who have
//! none. The last steps take the row of the group and the rows of members, which the earlier steps
//! need to resolve ids. A row that cannot be migrated stays as it is.
//!
//! A migration can be stopped between two steps, repeated, and run by several processes at once:
//! each step finds only what is left.

mod candidates;
mod chunk;
mod conversion;
mod entity;
mod members;
mod read;
mod records;
mod report;
mod scan;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use fracti_core::{
    decisions::{balance::put_balance, decision::Decision},
    group::Member,
    input::Error,
    ledger::Ledger,
    storage::{
        keys::prefix,
        write::{Transaction, WriteError},
    },
    values::{
        entry_id::EntryId,
        id::{GroupId, SettlementId},
        time::Timestamp,
    },
};

use crate::{dynamo::Position, table::Table};

use candidates::in_order;
use read::MigrationState;
pub use report::{Counts, FindingKind, MigrationFinding};
pub use scan::V0Page;

/// The progress of the migration of one group.
#[derive(Clone, Debug)]
pub struct Migration {
    group: GroupId,
    /// Rows after which expenses and settlements are still to be migrated.
    after: [Option<Position>; 2],
    trial: Option<Trial>,
}

/// What the steps of a trial run would have written, for the next steps.
#[derive(Clone, Debug)]
struct Trial {
    ledger: Option<Box<Ledger>>,
    missing_members: Vec<Member>,
    /// Ids of expenses and settlements.
    ids: HashSet<EntryId>,
    hashes: Hashes,
}

/// State that the groups of a trial run share.
#[derive(Clone, Debug, Default)]
pub struct TrialRun(Hashes);

/// Settlements of a trial run by the blockchain transactions that they use.
#[derive(Clone, Debug, Default)]
struct Hashes(Arc<Mutex<HashMap<String, (GroupId, SettlementId)>>>);

/// The result of a step.
#[derive(Debug)]
pub struct MigrationStep {
    /// Numbers of written rows.
    pub counts: Counts,
    /// Corrections, and rows that could not be migrated.
    pub findings: Vec<MigrationFinding>,
    /// Whether the group is migrated.
    pub done: bool,
    /// The migration after the step.
    pub next: Migration,
}

/// A step that is decided and not yet written.
struct Planned {
    transaction: Transaction,
    read: Ledger,
    next: Ledger,
    step: MigrationStep,
}

impl Hashes {
    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, (GroupId, SettlementId)>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Migration {
    /// The migration of a group.
    #[must_use]
    pub const fn of(group: GroupId) -> Self {
        Self { group, after: [None, None], trial: None }
    }

    /// A migration of a group that writes nothing.
    #[must_use]
    pub fn trial(group: GroupId, run: &TrialRun) -> Self {
        let trial = Trial {
            ledger: None,
            missing_members: Vec::new(),
            ids: HashSet::new(),
            hashes: run.0.clone(),
        };
        Self { trial: Some(trial), ..Self::of(group) }
    }

    /// The group.
    #[must_use]
    pub const fn group(&self) -> GroupId {
        self.group
    }
}

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
        let step = || async {
            let decision = self.step(migration).await?;
            if let Decision::Write(_, step) = &decision {
                note(step)?;
            }
            Ok(decision)
        };
        self.work(Some(migration.group), "migrate", now, step).await
    }

    async fn planned(
        &self,
        migration: &Migration,
        state: MigrationState,
    ) -> Result<Planned, WriteError> {
        let id = migration.group;
        let [expenses, settlements] = migration.after.clone();
        let (expenses, settlements) = tokio::try_join!(
            self.v0_stream(id, prefix::EXPENSE, expenses),
            self.v0_stream(id, prefix::SETTLEMENT, settlements),
        )?;
        let candidates = in_order(expenses, settlements);
        if candidates.is_empty() {
            return Ok(self.plan_members(migration, state).await?);
        }
        self.plan_records(migration, state, candidates).await
    }

    /// The decision on the next step.
    async fn step(&self, migration: &Migration) -> Result<Decision<MigrationStep>, WriteError> {
        let state = self.v0_state(migration).await?;
        let planned = self.planned(migration, state).await?;
        let Planned { mut transaction, read, next, mut step } = planned;
        let group = migration.group;
        if let Some(trial) = &mut step.next.trial {
            trial.ledger = Some(Box::new(next));
            return Ok(Decision::Done(step));
        }
        // Another process may have migrated some rows between two reads, which then look as if they
        // were anomalies. No transaction checks this before they are reported.
        let is_anomaly = |it: &MigrationFinding| matches!(it.kind, FindingKind::Anomaly(_));
        let writes_nothing = transaction.is_empty() && next == read;
        if (writes_nothing || step.findings.iter().any(is_anomaly))
            && self.stored_ledger(group).await?.version != read.version
        {
            return Err(WriteError::Retry);
        }
        if writes_nothing {
            return Ok(Decision::Done(step));
        }
        let next = if next.version == read.version {
            Ledger { version: read.version.saturating_add(1), ..next }
        } else {
            next
        };
        transaction.add(put_balance(group, &read, &next)?);
        Ok(Decision::Write(transaction, step))
    }
}
