//! The rows that a step reads.

use fracti_core::{
    group::Group,
    input::Error,
    ledger::Ledger,
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, AttributeValue, FORMAT_VERSION, Item},
    },
    v0::{self, Members, Migrated},
    values::id::GroupId,
};

use super::Migration;
use crate::{
    dynamo::{Order, Page, Position, Range},
    table::Table,
};

/// Number of expenses, and of settlements, that are read for a step. A transaction seldom has room
/// for more.
pub(super) const AT_ONCE: usize = 20;

/// Maximum number of rows of members that are read.
const MAX_MEMBER_ROWS: usize = 10_000;

/// A group as a step finds it.
pub(super) struct MigrationState {
    pub(super) ledger: Ledger,
    pub(super) group_row: Item,
    pub(super) member_rows: Vec<Item>,
    pub(super) members: Members,
}

/// v0 rows of a kind, oldest first.
pub(super) struct Stream {
    pub(super) rows: Vec<Item>,
    /// Whether there are no more.
    pub(super) ended: bool,
}

impl Table {
    pub(super) async fn v0_state(&self, migration: &Migration) -> Result<MigrationState, Error> {
        let group = migration.group;
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
        let members = Members::of(group, &member_rows);
        let (ledger, members) = match &migration.trial {
            Some(trial) => (
                trial.ledger.as_deref().cloned().unwrap_or(ledger),
                members.with(&trial.missing_members),
            ),
            None => (ledger, members),
        };
        let group_row = group_row.ok_or(Error::NoGroup)?;
        Ok(MigrationState { ledger, group_row, member_rows, members })
    }

    /// The next v0 rows of a kind.
    pub(super) async fn v0_stream(
        &self,
        group: GroupId,
        prefix: &str,
        after: Option<Position>,
    ) -> Result<Stream, Error> {
        let range = Range::table(keys::group_partition(group), prefix);
        let range = Range { order: Order::Asc, ..range };
        let page = Page { limit: AT_ONCE, after };
        let (rows, ended) = self.db.items(&range, &page, &v0_rows()).await?;
        Ok(Stream { rows, ended })
    }
}

impl MigrationState {
    /// The group, and its migration if its row is a v0 row.
    pub(super) fn group(&self, id: GroupId) -> Result<(Group, Option<Migrated<Group>>), Error> {
        if !v0::is_v0(&self.group_row) {
            return Ok((row::from_item(self.group_row.clone())?, None));
        }
        let first = self.member_rows.iter().filter_map(v0::joined_at).min().unwrap_or_default();
        let migrated = v0::group(&self.group_row, id, self.members.present(), first);
        let migrated = migrated.map_err(|anomaly| Error::Table(anomaly.into()))?;
        Ok((migrated.entity.clone(), Some(migrated)))
    }
}

/// Condition that a row is a v0 row.
pub(super) fn v0_rows() -> Condition {
    Condition::without(FORMAT_VERSION)
}

/// Key of a row.
pub(super) fn key_of(row: &Item) -> Primary {
    let text = |name: &str| match row.get(name) {
        Some(AttributeValue::S(text)) => text.clone(),
        _ => String::new(),
    };
    Primary { pk: text("PK"), sk: text("SK") }
}
