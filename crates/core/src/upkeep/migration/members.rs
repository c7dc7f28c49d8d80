//! The last steps: the rows of the members and of the group, the mark that the group is migrated,
//! and what the balance row says about settlements.

use std::collections::HashSet;

use crate::{
    input::Error,
    records::settlement::Settlement,
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row::{self, Item},
        write::{Transaction, Write},
    },
    v0::{self, Anomaly},
    values::settlement_status::SettlementStatus,
};

use super::{Counts, Migration, MigrationFinding, MigrationState, MigrationStep, Planned, key_of};

/// Maximum number of members in one transaction. Each may take two writes.
const AT_ONCE: usize = 45;

/// Attributes that the API may add to a v0 row of a member or a group.
const MAY_BE_ADDED: [&str; 11] = [
    "formatVersion",
    "wallet",
    "username",
    "avatarUrl",
    "leftAt",
    "removedAt",
    "linkedTo",
    "guests",
    "version",
    "archived",
    "createdBy",
];

impl Planned {
    /// The migration of the rows of members, in one or several steps. The last step also takes the
    /// row of the group and marks the group as migrated; its settlements are to be noted.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if a row cannot be read or written.
    pub fn members(migration: &Migration, state: MigrationState) -> Result<Self, Error> {
        let group = migration.group;
        let mut transaction = Transaction::default();
        let mut counts = Counts::default();
        let mut findings = Vec::new();
        let mut anomalies = Vec::new();
        let mut taken: HashSet<Primary> = state.member_rows.iter().map(key_of).collect();
        let (known, migrated_group) = state.group(group)?;
        let mut more = false;
        for row in state.member_rows.iter().filter(|row| v0::is_v0(row)) {
            let key = key_of(row);
            let migrated = v0::member(row, group, known.created_at).and_then(|migrated| {
                let present = keys::member(group, migrated.entity.member.id);
                let free = present == key || taken.insert(present);
                if free { Ok(migrated) } else { Err(Anomaly::MemberTwice) }
            });
            let migrated = match migrated {
                Ok(migrated) => migrated,
                Err(anomaly) => {
                    anomalies.push(MigrationFinding::anomaly(key, anomaly));
                    continue;
                }
            };
            if counts.members >= AT_ONCE as u64 && migration.trial.is_none() {
                more = true;
                break;
            }
            let unchanged = Condition::same_as(row, &MAY_BE_ADDED);
            let put = Write::put(&migrated.entity)?;
            if keys::member(group, migrated.entity.member.id) == key {
                transaction.add(put.when(unchanged));
            } else {
                transaction.add(Write::delete(key.clone()).when(unchanged));
                transaction.add(put.when(Condition::absent()));
            }
            counts.members = counts.members.saturating_add(1);
            findings.extend(MigrationFinding::all(&key, migrated.corrections, migrated.anomalies));
        }
        // Each step again finds the rows that cannot be migrated; only the last one reports them.
        if !more {
            findings.extend(anomalies);
            if let Some(migrated) = migrated_group {
                let put = Write::put(&migrated.entity)?;
                let unchanged = Condition::same_as(&state.group_row, &MAY_BE_ADDED);
                transaction.add(put.when(unchanged));
                counts.groups = 1;
                let key = key_of(&state.group_row);
                findings.extend(MigrationFinding::all(
                    &key,
                    migrated.corrections,
                    migrated.anomalies,
                ));
            }
        }
        let mut next = state.ledger.clone();
        if !more {
            next.state.migrated |= next.state.needs_migration(group);
            next.state.count([]);
        }
        let step = MigrationStep { counts, findings, done: !more, next: migration.clone() };
        Ok(Self { group, transaction, next, read: state.ledger, step })
    }

    /// Counts the pending ones of some settlements, and sets the time of the ledger's last write to
    /// that of the last one, if it is later. Rows that cannot be read are left out.
    ///
    /// The TypeScript Fracti did not count them. Readers take a settlement that was completed after
    /// the last write for pending, and do not see one that was recorded after it.
    pub fn note(&mut self, settlements: Vec<Item>) {
        let ledger = &mut self.next;
        let readable = settlements.into_iter().map(row::from_item::<Settlement>);
        for settlement in readable.filter_map(Result::ok) {
            let at = Some(settlement.created_at).max(settlement.completed_at);
            ledger.last_event_at = ledger.last_event_at.max(at);
            match settlement.status {
                SettlementStatus::Pending => ledger.state.began(settlement.parties()),
                SettlementStatus::Completed | SettlementStatus::Failed => {}
            }
        }
    }
}
