//! The reads and writes of the index of expenses by day, for the operators' tool: groups that were
//! created before it have expenses without its keys.

use fracti_core::{
    group::Group,
    input::Error,
    records::expense::Expense,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        write::Transaction,
    },
    upkeep::dating,
    values::{id::GroupId, time::Timestamp},
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Page, Position, Range, Slice},
    table::Table,
};

impl Table {
    /// A part of the expenses of a group that are not in the index by day: at most as many as
    /// [`Table::index_dates`] takes.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] or [`Error::Unavailable`].
    pub async fn expenses_without_index(
        &self,
        group: GroupId,
        after: Option<Position>,
    ) -> Result<Slice<Expense>, Error> {
        let range = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let page = Page { limit: Transaction::ROOM - 1, after };
        self.db.page_where(&range, &page, &Condition::without("GSI1PK")).await
    }

    /// Adds expenses to the index by day, and returns their number. Those that were written
    /// meanwhile have got their keys or were deleted, and are left as they are.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyActions`] if there are too many; [`Error::Contended`].
    pub async fn index_dates(
        &self,
        group: GroupId,
        expenses: &[Expense],
        now: Timestamp,
    ) -> Result<usize, Error> {
        self.work(Some(group), "index-dates", now, async |_| {
            let found = expenses.iter().map(|it| self.db.item(keys::expense(group, it.created_at)));
            let (read, found) = tokio::try_join!(self.ledger(group), try_join_all(found))?;
            dating::index(group, &read, found.into_iter().flatten())
        })
        .await
    }

    /// Notes that all expenses of a group are in the index by day, if they are, and returns whether
    /// that is so now.
    ///
    /// # Errors
    ///
    /// [`Error::Contended`]; [`Error::Table`] or [`Error::Unavailable`].
    pub async fn note_dated(&self, group: GroupId, now: Timestamp) -> Result<bool, Error> {
        self.work(Some(group), "note-dated", now, async |_| {
            let read = self.ledger(group).await?;
            let (row, left) = tokio::try_join!(
                self.db.get::<Group>(keys::group(group)),
                self.expenses_without_index(group, None)
            )?;
            dating::note(group, &read, row.as_ref(), !left.items.is_empty())
        })
        .await
    }
}
