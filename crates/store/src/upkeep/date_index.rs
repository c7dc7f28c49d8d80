//! The index of expenses by day, for the operators' tool: groups that were created before it have
//! expenses without its keys.

use fracti_core::{
    decisions::{decision::Decision, expenses::unchanged},
    group::Group,
    input::Error,
    records::expense::Expense,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row::{self, Row},
        write::{Transaction, Write},
    },
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
        self.work(Some(group), "index-dates", now, async || {
            let found = expenses.iter().map(|it| self.db.item(keys::expense(group, it.created_at)));
            let (read, found) = tokio::try_join!(self.ledger(group), try_join_all(found))?;
            let mut transaction = Transaction::default();
            let without = |item: &row::Item| !item.contains_key("GSI1PK");
            let found = found.into_iter().flatten().filter(without);
            let mut indexed = 0_usize;
            for item in found {
                let expense: Expense = row::from_item(item)?;
                let Some(by_date) = expense.keys().gsi1 else { continue };
                let keys = [("GSI1PK", by_date.pk), ("GSI1SK", by_date.sk)];
                let keys = keys.map(|(name, key)| (name, Some(row::AttributeValue::S(key))));
                let write = Write::update(keys::expense(group, expense.created_at), keys);
                transaction.add(write.when(unchanged(&expense)?));
                indexed = indexed.saturating_add(1);
            }
            if indexed == 0 {
                return Ok(Decision::Done(0));
            }
            Decision::locked(group, &read, transaction, indexed)
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
        self.work(Some(group), "note-dated", now, async || {
            let read = self.ledger(group).await?;
            let key = keys::group(group);
            let (row, left) = tokio::try_join!(
                self.db.get::<Group>(key.clone()),
                self.expenses_without_index(group, None)
            )?;
            let Some(row) = row else { return Ok(Decision::Done(false)) };
            if row.dated || !left.items.is_empty() {
                return Ok(Decision::Done(row.dated));
            }
            let dated = Write::update(key, [("dated", Some(row::to_value(&true)?))]);
            let transaction = Transaction::from_iter([dated.when(Condition::present())]);
            // An instance of an earlier version may be recording an expense just now.
            Decision::locked(group, &read, transaction, true)
        })
        .await
    }
}
