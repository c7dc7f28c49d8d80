//! The last steps: the rows of the members and of the group, the mark that the group is migrated,
//! and what the balance row says about settlements.

use std::collections::HashSet;

use fracti_core::{
    decisions::balance::put_closing,
    input::Error,
    ledger::Ledger,
    records::settlement::Settlement,
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row,
        write::{Transaction, Write},
    },
    v0::{self, Anomaly},
    values::{id::GroupId, settlement_status::SettlementStatus},
};

use super::{
    Counts, Migration, MigrationFinding, MigrationStep, Planned,
    read::{MigrationState, key_of},
};
use crate::{
    dynamo::{Page, Position, Range},
    table::Table,
};

/// Maximum number of members in one transaction. Each may take two writes.
const AT_ONCE: usize = 45;

/// Settlements that are read with one request.
const SETTLEMENTS_AT_ONCE: usize = 1_000;

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

impl Table {
    /// Plans the migration of the rows of members, in one or several steps. The last step also
    /// takes the row of the group, marks the group as migrated, and notes its settlements in the
    /// ledger.
    pub(super) async fn plan_members(
        &self,
        migration: &Migration,
        state: MigrationState,
    ) -> Result<Planned, Error> {
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
            self.note_settlements(group, &mut next).await?;
            transaction.extend(put_closing(group, &state.ledger, &next)?);
        }
        let step = MigrationStep { counts, findings, done: !more, next: migration.clone() };
        Ok(Planned { transaction, next, read: state.ledger, step })
    }

    /// Counts the pending settlements, and sets the time of the ledger's last write to that of the
    /// last settlement, if it is later. Rows that cannot be read are left out.
    ///
    /// The TypeScript Fracti did not count them. Readers take a settlement that was completed after
    /// the last write for pending, and do not see one that was recorded after it.
    async fn note_settlements(&self, group: GroupId, ledger: &mut Ledger) -> Result<(), Error> {
        let range = Range::table(keys::group_partition(group), prefix::SETTLEMENT);
        let all = Condition::default();
        ledger.state.count([]);
        let mut after = None;
        loop {
            let page = Page { limit: SETTLEMENTS_AT_ONCE, after };
            let (rows, ended) = self.db.items(&range, &page, &all).await?;
            after = rows.last().map(|row| Position::of(key_of(row).item()));
            let readable =
                rows.into_iter().filter_map(|row| row::from_item::<Settlement>(row).ok());
            for settlement in readable {
                let at = Some(settlement.created_at).max(settlement.completed_at);
                ledger.last_event_at = ledger.last_event_at.max(at);
                match settlement.status {
                    SettlementStatus::Pending => ledger.state.began(settlement.parties()),
                    SettlementStatus::Completed | SettlementStatus::Failed => {}
                }
            }
            if ended {
                return Ok(());
            }
        }
    }
}
