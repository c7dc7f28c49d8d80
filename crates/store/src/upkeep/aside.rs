//! The reads and writes of v0 rows that stay unreadable after the migration of their group, for the
//! operators' tool.

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row::{FORMAT_VERSION, Item},
    },
    upkeep::aside::{BrokenRow, Searched},
    values::{id::GroupId, time::Timestamp},
};

use crate::{
    dynamo::{Order, Range},
    table::Table,
};

impl Table {
    /// The v0 rows of a group that cannot be used, as [`Searched::broken`] finds them. A group that
    /// is not migrated has none, because its migration repairs most of them.
    pub async fn broken_rows(
        &self,
        group: GroupId,
        also: &[String],
    ) -> Result<Vec<BrokenRow>, Error> {
        if self.stored_ledger(group).await?.state.needs_migration(group) {
            return Ok(Vec::new());
        }
        let searched = Searched {
            expenses: self.rows_of(group, prefix::EXPENSE, false).await?,
            settlements: self.rows_of(group, prefix::SETTLEMENT, true).await?,
            members: self.rows_of(group, prefix::MEMBER, false).await?,
            participants: self.rows_of(group, prefix::PARTICIPANT, true).await?,
        };
        Ok(searched.broken(group, also))
    }

    /// Moves a row, as it is, to the partition of rows that are set aside, unless it has changed
    /// since it was found. Returns whether it was moved.
    pub async fn set_aside(
        &self,
        group: GroupId,
        broken: &BrokenRow,
        now: Timestamp,
    ) -> Result<bool, Error> {
        self.work(Some(group), "set-aside", now, async |_| {
            let stored = self.db.item(broken.key.clone()).await?;
            Ok(broken.set_aside(group, stored.as_ref(), now)?)
        })
        .await
    }

    /// The rows of a group whose sort keys have a prefix, oldest first: all of them, or the v0
    /// rows.
    async fn rows_of(
        &self,
        group: GroupId,
        prefix: &str,
        only_v0: bool,
    ) -> Result<Vec<Item>, Error> {
        let range = Range::table(keys::group_partition(group), prefix);
        let range = Range { order: Order::Asc, ..range };
        let filter =
            if only_v0 { Condition::without(FORMAT_VERSION) } else { Condition::default() };
        self.every_row_where(&range, &filter).await
    }
}
