//! Scans for the groups with v0 rows, and for the v0 rows that the migration of no group covers.

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row::Item,
    },
    upkeep::migration::{Migration, MigrationFinding, key_of},
    v0::Anomaly,
    values::id::GroupId,
};

use super::read::v0_rows;
use crate::{
    dynamo::{Page, Position, Range, Scan, Segment, Sort, TableState},
    table::Table,
};

/// Name of the index that the TypeScript Fracti added last.
const LAST_INDEX: &str = "GSI3";

/// Rows that are listed with one request.
const LISTED_AT_ONCE: usize = 500;

/// The v0 rows in a part of the table.
#[derive(Debug)]
pub struct V0Page {
    /// Groups with v0 rows, each once.
    pub groups: Vec<GroupId>,
    /// v0 rows that belong to no group, because their key has none.
    pub strays: Vec<MigrationFinding>,
    /// Number of rows that were read.
    pub examined: u64,
    /// Position after the part, unless the segment ends there.
    pub next: Option<Position>,
}

impl Table {
    /// The state of the table, and of the index `GSI3`, which v0 tables may lack.
    pub async fn v0_index(&self) -> Result<TableState, Error> {
        self.db.state(LAST_INDEX).await
    }

    /// Adds the index `GSI3`. DynamoDB fills it in the background.
    pub async fn add_v0_index(&self) -> Result<(), Error> {
        self.db.add_index(LAST_INDEX).await
    }

    /// The groups with v0 rows in the next part of a segment of the table.
    pub async fn v0_groups(
        &self,
        segment: Segment,
        after: Option<Position>,
    ) -> Result<V0Page, Error> {
        let filter = Condition::begins_with("PK", prefix::GROUP).and(v0_rows());
        let Scan { items, examined, next } = self.db.scan_keys(&filter, after, segment).await?;
        let mut groups = Vec::new();
        let mut strays = Vec::new();
        for key in items.iter().map(key_of) {
            match key.pk.strip_prefix(prefix::GROUP).and_then(|id| id.parse().ok()) {
                Some(group) if keys::group_partition(group) == key.pk => groups.push(group),
                _ => strays.push(MigrationFinding::anomaly(key, Anomaly::Key)),
            }
        }
        // The rows of a partition follow each other.
        groups.dedup();
        Ok(V0Page { groups, strays, examined, next })
    }

    /// v0 rows of participants that remain after the migration of their group, as findings, and the
    /// position after them, unless there are no more.
    pub async fn v0_participants(
        &self,
        migration: &Migration,
        after: Option<Position>,
    ) -> Result<(Vec<MigrationFinding>, Option<Position>), Error> {
        let range = Range::table(keys::group_partition(migration.group()), prefix::PARTICIPANT);
        let (rows, next) = self.v0_page(&range, after).await?;
        let is_left = |row: &&Item| migration.leaves_participant(&key_of(row).sk);
        let left = rows.iter().filter(is_left).map(key_of);
        Ok((left.map(|key| MigrationFinding::anomaly(key, Anomaly::NoExpense)).collect(), next))
    }

    /// v0 rows of a group that does not exist, as findings, and the position after them, unless
    /// there are no more.
    pub async fn v0_orphans(
        &self,
        group: GroupId,
        after: Option<Position>,
    ) -> Result<(Vec<MigrationFinding>, Option<Position>), Error> {
        let range = Range { sort: Sort::Any, ..Range::table(keys::group_partition(group), "") };
        let (rows, next) = self.v0_page(&range, after).await?;
        let findings =
            rows.iter().map(key_of).map(|key| MigrationFinding::anomaly(key, Anomaly::NoGroup));
        Ok((findings.collect(), next))
    }

    async fn v0_page(
        &self,
        range: &Range,
        after: Option<Position>,
    ) -> Result<(Vec<Item>, Option<Position>), Error> {
        let page = Page { limit: LISTED_AT_ONCE, after };
        let (rows, ended) = self.db.items(range, &page, &v0_rows()).await?;
        let next = rows.last().filter(|_| !ended).map(|row| Position::of(key_of(row).item()));
        Ok((rows, next))
    }
}
