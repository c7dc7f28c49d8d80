//! What the migration of one expense or settlement writes.

use std::collections::{HashMap, HashSet};

use crate::{
    group::{Group, Member},
    input::Error,
    ledger::{Event, LedgerError},
    records::{
        expense::Expense,
        settlement::{Settlement, UsedHash},
    },
    storage::{
        condition::Condition,
        keys::Primary,
        row::{self, Row},
        write::Write,
    },
    v0::{self, Anomaly, Correction, Members, Migrated},
    values::{
        entry_id::EntryId,
        id::{GroupId, SettlementId},
        settlement_status::SettlementStatus,
        time::Timestamp,
        tx_hash::TxHash,
    },
};

use super::{
    Counts, FindingKind, MigrationFinding, Trial,
    candidates::{Candidate, V0Kind},
    chunk::MigratedRow,
};

/// Attributes that may be added to a v0 row of an expense or a settlement.
const MAY_BE_ADDED: [&str; 4] = ["formatVersion", "date", "txHash", "completedAt"];

/// The entity that replaces a v0 row.
#[derive(Debug)]
pub(super) enum Entity {
    Expense(Box<Migrated<Expense>>),
    Settlement(Box<Migrated<Settlement>>),
}

/// Rows that decide how entities are written.
#[derive(Debug)]
pub struct KnownRows {
    pub(super) group: GroupId,
    /// Sort keys of v0 rows of participants by entry.
    pub(super) participants: HashMap<EntryId, Vec<Primary>>,
    pub(super) entries: HashSet<EntryId>,
    /// Settlements that use blockchain transactions, by hash.
    pub(super) hashes: HashMap<String, (GroupId, SettlementId)>,
}

impl Entity {
    pub(super) fn of(
        candidate: &Candidate,
        at: Timestamp,
        group: &Group,
        members: &Members,
    ) -> Result<Self, Anomaly> {
        let row = &candidate.row;
        Ok(match candidate.kind {
            V0Kind::Expense => Self::Expense(Box::new(v0::expense(row, at, group, members)?)),
            V0Kind::Settlement => {
                Self::Settlement(Box::new(v0::settlement(row, at, group, members)?))
            }
        })
    }

    pub(super) fn missing_members(&self) -> &[Member] {
        match self {
            Self::Expense(migrated) => &migrated.missing_members,
            Self::Settlement(migrated) => &migrated.missing_members,
        }
    }

    pub(super) fn entry_id(&self) -> EntryId {
        match self {
            Self::Expense(migrated) => migrated.entity.id.into(),
            Self::Settlement(migrated) => migrated.entity.id.into(),
        }
    }

    /// The event that the entity stands for, if it changes balances, and its time.
    fn event(&self) -> Option<(Result<Event, LedgerError>, Timestamp)> {
        match self {
            Self::Expense(migrated) => Some((migrated.entity.event(), migrated.entity.created_at)),
            Self::Settlement(migrated) => {
                let settlement = &migrated.entity;
                let completed = settlement.status == SettlementStatus::Completed;
                completed.then(|| (settlement.event(), settlement.created_at))
            }
        }
    }

    /// The blockchain transaction that no other settlement may use.
    pub(super) fn hash(&self) -> Option<&TxHash> {
        match self {
            Self::Expense(_) => None,
            Self::Settlement(migrated) => {
                let Settlement { tx_hash, status, .. } = &migrated.entity;
                let used = match status {
                    SettlementStatus::Pending | SettlementStatus::Completed => true,
                    SettlementStatus::Failed => false,
                };
                tx_hash.as_ref().filter(|hash| used && hash.is_whole())
            }
        }
    }

    /// The other settlement that uses its blockchain transaction.
    fn other_user(&self, known: &KnownRows) -> Option<(GroupId, SettlementId)> {
        let Self::Settlement(migrated) = self else { return None };
        let user = known.hashes.get(&self.hash()?.to_string())?;
        Some(*user).filter(|(_, id)| *id != migrated.entity.id)
    }

    /// The writes, or the reason why the row must stay as it is.
    pub(super) fn part(
        &self,
        candidate: &Candidate,
        members: &Members,
        known: &KnownRows,
    ) -> Result<Result<MigratedRow, Anomaly>, Error> {
        if known.entries.contains(&self.entry_id()) {
            return Ok(Err(Anomaly::IdTaken));
        }
        let part = match self {
            Self::Expense(migrated) => self.of_expense(&migrated.entity, candidate, known)?,
            Self::Settlement(migrated) => self.of_settlement(&migrated.entity, candidate, known)?,
        };
        let Some((event, at)) = self.event() else { return Ok(Ok(part)) };
        let event = match event {
            Ok(event) => event,
            Err(error) => return Ok(Err(error.into())),
        };
        let Some(actor) = members.user(part.named.iter().copied()) else {
            return Ok(Err(Anomaly::NoActor));
        };
        Ok(Ok(MigratedRow { event: Some((event, at, actor)), ..part }))
    }

    fn of_expense(
        &self,
        expense: &Expense,
        candidate: &Candidate,
        known: &KnownRows,
    ) -> Result<MigratedRow, Error> {
        let mut writes =
            replaced(candidate, Write::put(expense)?, expense.group_id, expense.created_at);
        let participants = expense.participants();
        for participant in &participants {
            writes.push(Write::put(participant)?);
        }
        writes.extend(self.stale(known).cloned().map(Write::delete));
        // An operator may have dated it, so that it is in a tally.
        let dated: Option<Expense> = row::from_item(candidate.row.clone()).ok();
        let dated = dated.filter(|before| before.date.is_some());
        let sharers = expense.splits.iter().map(|share| share.user_id);
        let named = expense.created_by.map(Into::into).into_iter();
        let participants = participants.len() as u64;
        Ok(MigratedRow {
            writes,
            event: None,
            tally: [dated, Some(expense.clone())],
            named: named.chain(expense.payer_ids()).chain(sharers).collect(),
            counts: Counts { expenses: 1, participants, ..Counts::default() },
        })
    }

    fn of_settlement(
        &self,
        settlement: &Settlement,
        candidate: &Candidate,
        known: &KnownRows,
    ) -> Result<MigratedRow, Error> {
        let put = Write::put(settlement)?;
        let mut writes = replaced(candidate, put, settlement.group_id, settlement.created_at);
        let mut counts = Counts { settlements: 1, ..Counts::default() };
        if let Some(hash) = self.hash().filter(|hash| !known.hashes.contains_key(&hash.to_string()))
        {
            let settlement_id = settlement.id;
            let group_id = settlement.group_id;
            let row = UsedHash { tx_hash: hash.clone(), settlement_id, group_id };
            writes.push(Write::put_new(&row)?);
            counts.used_hashes = 1;
        }
        let [from, to] = settlement.parties();
        Ok(MigratedRow { writes, named: vec![to, from], counts, ..MigratedRow::default() })
    }

    /// Rows of participants of the expense that are obsolete after the migration: those of payers,
    /// and those with other ids of members.
    fn stale<'a>(&self, known: &'a KnownRows) -> impl Iterator<Item = &'a Primary> {
        let present: HashSet<Primary> = match self {
            Self::Expense(migrated) => {
                let participants = migrated.entity.participants();
                participants.iter().map(|row| row.keys().primary).collect()
            }
            Self::Settlement(_) => HashSet::new(),
        };
        let rows = known.participants.get(&self.entry_id()).into_iter().flatten();
        rows.filter(move |key| !present.contains(key))
    }

    /// What the migration of the row reports.
    pub(super) fn findings(&self, key: &Primary, known: &KnownRows) -> Vec<MigrationFinding> {
        let (corrections, mut anomalies) = match self {
            Self::Expense(migrated) => (migrated.corrections.clone(), migrated.anomalies.clone()),
            Self::Settlement(migrated) => {
                (migrated.corrections.clone(), migrated.anomalies.clone())
            }
        };
        anomalies.extend(self.other_user(known).map(|(group, id)| Anomaly::HashUsed(group, id)));
        let removed = self.stale(known).map(|key| MigrationFinding {
            key: key.clone(),
            kind: FindingKind::Correction(Correction::removed(&key.sk)),
        });
        MigrationFinding::all(key, corrections, anomalies).chain(removed).collect()
    }
}

impl KnownRows {
    /// Notes what the transaction writes for an entity; the next entities depend on it.
    pub(super) fn note(&mut self, entity: &Entity) {
        if let (Some(hash), Entity::Settlement(migrated)) = (entity.hash(), entity) {
            let user = (self.group, migrated.entity.id);
            self.hashes.entry(hash.to_string()).or_insert(user);
        }
    }
}

impl Trial {
    /// Notes what the transaction would write for an entity; the next steps depend on it.
    pub(super) fn note(&mut self, entity: &Entity) {
        self.ids.extend(entity.event().map(|_| entity.entry_id()));
        if let (Some(hash), Entity::Settlement(migrated)) = (entity.hash(), entity) {
            let Settlement { group_id, id, .. } = migrated.entity;
            self.hashes.with(|hashes| {
                hashes.entry(hash.to_string()).or_insert((group_id, id));
            });
        }
    }
}

/// The writes that replace a v0 row by a row in the current format, which may have another key.
fn replaced(candidate: &Candidate, put: Write, group: GroupId, at: Timestamp) -> Vec<Write> {
    let unchanged = Condition::same_as(&candidate.row, &MAY_BE_ADDED);
    if candidate.kind.key(group, at) == candidate.key {
        return vec![put.when(unchanged)];
    }
    let delete = Write::delete(candidate.key.clone()).when(unchanged);
    vec![delete, put.when(Condition::absent())]
}
