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
mod records;
mod report;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use crate::{
    decisions::{
        balance::{put_balance, put_closing},
        decision::Decision,
    },
    group::{Group, Member},
    input::Error,
    ledger::Ledger,
    storage::{
        keys::{Primary, prefix},
        row::{self, AttributeValue, Item},
        write::Transaction,
    },
    v0::{self, Anomaly, Members, Migrated},
    values::{
        entry_id::EntryId,
        id::{GroupId, SettlementId},
        time::Timestamp,
    },
};

pub use candidates::{AT_ONCE, Candidate, Stream, in_order};
pub use conversion::Converted;
pub use entity::KnownRows;
pub use report::{Counts, FindingKind, MigrationFinding};

/// The progress of the migration of one group.
#[derive(Clone, Debug)]
pub struct Migration {
    group: GroupId,
    /// Rows after which expenses and settlements are still to be migrated.
    after: [Option<Primary>; 2],
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

/// A group as a step finds it.
#[derive(Debug)]
pub struct MigrationState {
    ledger: Ledger,
    group_row: Item,
    member_rows: Vec<Item>,
    members: Members,
}

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
#[derive(Debug)]
pub struct Planned {
    group: GroupId,
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

    /// Keys of the last expense and the last settlement that were taken, if any was.
    #[must_use]
    pub fn after(&self) -> [Option<Primary>; 2] {
        self.after.clone()
    }

    /// Whether a v0 row of a participant with this sort key remains after the migration. A trial
    /// run still finds all rows.
    #[must_use]
    pub fn leaves_participant(&self, sort_key: &str) -> bool {
        let expense = sort_key.strip_prefix(prefix::PARTICIPANT);
        let expense = expense.and_then(|rest| rest.split('#').next());
        let is_migrated =
            |trial: &Trial| expense.is_some_and(|id| trial.ids.contains(&id.to_owned().into()));
        !self.trial.as_ref().is_some_and(is_migrated)
    }
}

impl MigrationState {
    /// A group with its balance row, its row and the rows of its members, as they were read; and
    /// what the earlier steps of a trial run would have written.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`] if it has no row.
    pub fn of(
        migration: &Migration,
        ledger: Ledger,
        group_row: Option<Item>,
        member_rows: Vec<Item>,
    ) -> Result<Self, Error> {
        let members = Members::of(migration.group, &member_rows);
        let (ledger, members) = match &migration.trial {
            Some(trial) => (
                trial.ledger.as_deref().cloned().unwrap_or(ledger),
                members.with(&trial.missing_members),
            ),
            None => (ledger, members),
        };
        let group_row = group_row.ok_or(Error::NoGroup)?;
        Ok(Self { ledger, group_row, member_rows, members })
    }

    /// The entities that replace candidates which were recorded at these times.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the row of the group cannot be read.
    pub fn converted(
        &self,
        group: GroupId,
        candidates: &[Candidate],
        times: impl IntoIterator<Item = Result<Timestamp, Anomaly>>,
    ) -> Result<Converted, Error> {
        let (group, _) = self.group(group)?;
        Ok(Converted::of(candidates, times, &group, &self.members))
    }

    /// The group, and its migration if its row is a v0 row.
    fn group(&self, id: GroupId) -> Result<(Group, Option<Migrated<Group>>), Error> {
        if !v0::is_v0(&self.group_row) {
            return Ok((row::from_item(self.group_row.clone())?, None));
        }
        let first = self.member_rows.iter().filter_map(v0::joined_at).min().unwrap_or_default();
        let migrated = v0::group(&self.group_row, id, self.members.present(), first);
        let migrated = migrated.map_err(|anomaly| Error::Table(anomaly.into()))?;
        Ok((migrated.entity.clone(), Some(migrated)))
    }
}

impl Planned {
    /// Whether the step is the last one, for which the settlements of the group are to be noted.
    #[must_use]
    pub const fn is_last(&self) -> bool {
        self.step.done
    }

    /// The version that the balance row must still have, if no transaction checks it before
    /// anomalies are reported or nothing is written: another process may have migrated some rows
    /// between two reads, which then look as if they were anomalies.
    #[must_use]
    pub fn unchecked(&self) -> Option<u64> {
        let is_anomaly = |it: &MigrationFinding| matches!(it.kind, FindingKind::Anomaly(_));
        let is_unchecked = self.writes_nothing() || self.step.findings.iter().any(is_anomaly);
        (is_unchecked && self.step.next.trial.is_none()).then_some(self.read.version)
    }

    /// The decision. A trial run writes nothing, and the next step goes on from what it would have.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if a row cannot be written.
    pub fn decide(self) -> Result<Decision<MigrationStep>, Error> {
        let writes_nothing = self.writes_nothing();
        let Self { group, mut transaction, read, next, mut step } = self;
        if let Some(trial) = &mut step.next.trial {
            trial.ledger = Some(Box::new(next));
            return Ok(Decision::Done(step));
        }
        if writes_nothing {
            return Ok(Decision::Done(step));
        }
        if step.done {
            transaction.extend(put_closing(group, &read, &next)?);
        }
        let next = if next.version == read.version {
            Ledger { version: read.version.saturating_add(1), ..next }
        } else {
            next
        };
        transaction.add(put_balance(group, &read, &next)?);
        Ok(Decision::Write(transaction, step))
    }

    fn writes_nothing(&self) -> bool {
        self.transaction.is_empty() && self.next == self.read
    }
}

/// Key of a row; empty where it has none.
#[must_use]
pub fn key_of(row: &Item) -> Primary {
    let text = |name: &str| match row.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    Primary { pk: text("PK"), sk: text("SK") }
}
