//! The conversion of v0 rows into the entities that replace them.

use std::collections::BTreeMap;

use crate::{
    group::{Group, Member},
    records::{entry::Entry, settlement::UsedHash},
    storage::keys::Primary,
    v0::{Anomaly, Members},
    values::{
        entry_id::EntryId,
        id::{ExpenseId, MemberId},
        time::Timestamp,
        tx_hash::TxHash,
    },
};

use super::{
    Migration,
    candidates::Candidate,
    entity::{Entity, KnownRows},
};

/// The entities that replace candidates, in the same order.
#[derive(Debug)]
pub struct Converted {
    pub(super) entities: Vec<Result<Entity, Anomaly>>,
    /// The members of the group, including those who have no row.
    pub(super) members: Members,
    /// Members who have no row.
    pub(super) missing_members: BTreeMap<MemberId, Member>,
}

impl Converted {
    /// The entities that replace candidates which were recorded at these times.
    pub fn of(
        candidates: &[Candidate],
        times: impl IntoIterator<Item = Result<Timestamp, Anomaly>>,
        group: &Group,
        members: &Members,
    ) -> Self {
        let mut entities = Vec::new();
        let mut missing_members = BTreeMap::new();
        let mut members = members.clone();
        for (candidate, at) in candidates.iter().zip(times) {
            let entity = at.and_then(|at| Entity::of(candidate, at, group, &members));
            if let Ok(entity) = &entity {
                members = members.with(entity.missing_members());
                let named = entity.missing_members().iter();
                missing_members.extend(named.map(|member| (member.id, member.clone())));
            }
            entities.push(entity);
        }
        Self { entities, members, missing_members }
    }

    /// The expenses, whose participants decide how they are written.
    pub fn expenses(&self) -> impl Iterator<Item = ExpenseId> {
        self.entities.iter().flatten().filter_map(|entity| match entity {
            Entity::Expense(migrated) => Some(migrated.entity.id),
            Entity::Settlement(_) => None,
        })
    }

    /// The ids of all, which an entry of the ledger may have already.
    pub fn entries(&self) -> impl Iterator<Item = EntryId> {
        self.entities.iter().flatten().map(Entity::entry_id)
    }

    /// The blockchain transactions that no other settlements may use.
    pub fn hashes(&self) -> impl Iterator<Item = &TxHash> {
        self.entities.iter().flatten().filter_map(Entity::hash)
    }

    /// What decides how they are written, of the rows that were read: the v0 rows of participants
    /// by the expense, entries, and used blockchain transactions; and what the earlier steps of a
    /// trial run would have written.
    pub fn known(
        &self,
        migration: &Migration,
        participants: impl IntoIterator<Item = (ExpenseId, Vec<Primary>)>,
        entries: impl IntoIterator<Item = Entry>,
        used: impl IntoIterator<Item = UsedHash>,
    ) -> KnownRows {
        let used = used.into_iter();
        let mut known = KnownRows {
            group: migration.group,
            participants: participants.into_iter().map(|(id, keys)| (id.into(), keys)).collect(),
            entries: entries.into_iter().map(|entry| entry.entry_id).collect(),
            hashes: used
                .map(|used| (used.tx_hash.to_string(), (used.group_id, used.settlement_id)))
                .collect(),
        };
        if let Some(trial) = &migration.trial {
            known.entries.extend(self.entries().filter(|id| trial.ids.contains(id)));
            trial.hashes.with(|used| {
                let hashes = self.hashes().map(TxHash::to_string);
                let found = hashes.filter_map(|hash| Some((used.get(&hash).copied()?, hash)));
                known.hashes.extend(found.map(|(user, hash)| (hash, user)));
            });
        }
        known
    }
}
