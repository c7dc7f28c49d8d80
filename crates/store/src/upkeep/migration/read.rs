//! The rows that a step reads.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    input::Error,
    records::{entry::Entry, settlement::UsedHash},
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::FORMAT_VERSION,
    },
    upkeep::migration::{
        AT_ONCE, Candidate, Converted, KnownRows, Migration, MigrationState, Stream, key_of,
    },
    v0::Anomaly,
    values::{
        id::{ExpenseId, GroupId},
        time::Timestamp,
        tx_hash::TxHash,
    },
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Order, Page, Position, Range},
    table::Table,
};

/// Maximum number of rows of members that are read.
const MAX_MEMBER_ROWS: usize = 10_000;

/// Maximum number of participants of an expense that are read. A transaction cannot write as many.
const MAX_PARTICIPANTS: usize = 200;

impl Table {
    pub(super) async fn v0_state(&self, migration: &Migration) -> Result<MigrationState, Error> {
        let group = migration.group();
        let range = Range::table(keys::group_partition(group), prefix::MEMBER);
        let range = Range { order: Order::Asc, ..range };
        let page = Page { limit: MAX_MEMBER_ROWS, after: None };
        let all = Condition::default();
        let (ledger, group_row) =
            tokio::try_join!(self.stored_ledger(group), self.db.item(keys::group(group)))?;
        // The members are counted as of the group's row or later, and who joins later changes it.
        let (member_rows, ended) = self.db.items(&range, &page, &all).await?;
        if !ended {
            return Err(Error::TooMuchHistory);
        }
        MigrationState::of(migration, ledger, group_row, member_rows)
    }

    /// The next v0 rows of expenses and of settlements.
    pub(super) async fn v0_streams(
        &self,
        migration: &Migration,
    ) -> Result<(Stream, Stream), Error> {
        let group = migration.group();
        let [expenses, settlements] = migration.after();
        tokio::try_join!(
            self.v0_stream(group, prefix::EXPENSE, expenses),
            self.v0_stream(group, prefix::SETTLEMENT, settlements),
        )
    }

    async fn v0_stream(
        &self,
        group: GroupId,
        prefix: &str,
        after: Option<Primary>,
    ) -> Result<Stream, Error> {
        let range = Range::table(keys::group_partition(group), prefix);
        let range = Range { order: Order::Asc, ..range };
        let after = after.map(|key| Position::of(key.item()));
        let page = Page { limit: AT_ONCE, after };
        let (rows, ended) = self.db.items(&range, &page, &v0_rows()).await?;
        Ok(Stream { rows, ended })
    }

    /// The times at which candidates were recorded. If a sort key does not match its time, the row
    /// is moved to the first later time that no other row has.
    pub(super) async fn times(
        &self,
        group: GroupId,
        candidates: &[Candidate],
    ) -> Result<Vec<Result<Timestamp, Anomaly>>, Error> {
        let mut taken = HashSet::new();
        let mut found = Vec::new();
        for candidate in candidates {
            found.push(match candidate.times(group) {
                Err(anomaly) => Err(anomaly),
                Ok(times) => {
                    let free = self.first_free(candidate, times, &mut taken).await?;
                    free.ok_or(Anomaly::NoTime)
                }
            });
        }
        Ok(found)
    }

    async fn first_free(
        &self,
        candidate: &Candidate,
        times: impl Iterator<Item = (Timestamp, Primary)>,
        taken: &mut HashSet<Primary>,
    ) -> Result<Option<Timestamp>, Error> {
        for (at, key) in times {
            if key == candidate.key {
                return Ok(Some(at));
            }
            if !taken.contains(&key) && self.db.item(key.clone()).await?.is_none() {
                taken.insert(key);
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Reads what decides how entities are written.
    pub(super) async fn known(
        &self,
        migration: &Migration,
        converted: &Converted,
    ) -> Result<KnownRows, Error> {
        let group = migration.group();
        let hashes: HashMap<String, &TxHash> =
            converted.hashes().map(|hash| (hash.to_string(), hash)).collect();
        let participants = converted.expenses().map(|id| async move {
            let prefix = keys::participants(id);
            let range = Range::table(keys::group_partition(group), &prefix);
            let page = Page { limit: MAX_PARTICIPANTS, after: None };
            let (rows, _) = self.db.items(&range, &page, &v0_rows()).await?;
            Ok::<(ExpenseId, Vec<Primary>), Error>((id, rows.iter().map(key_of).collect()))
        });
        let ids: Vec<_> = converted.entries().collect();
        let entries = ids.iter().map(|id| self.db.get::<Entry>(keys::entry(group, id)));
        let used = hashes.values().map(|hash| self.db.get::<UsedHash>(keys::tx_hash(hash)));
        let (participants, entries, used) = tokio::try_join!(
            try_join_all(participants),
            try_join_all(entries),
            try_join_all(used),
        )?;
        let (entries, used) = (entries.into_iter().flatten(), used.into_iter().flatten());
        Ok(converted.known(migration, participants, entries, used))
    }
}

/// Condition that a row is a v0 row.
pub(super) fn v0_rows() -> Condition {
    Condition::without(FORMAT_VERSION)
}
