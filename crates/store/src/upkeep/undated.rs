//! The reads and writes that date expenses without a date, for the operators' tool: tallies have
//! only dated ones.

use fracti_core::{
    input::Error,
    records::expense::Expense,
    storage::{
        condition::Condition,
        keys::{self, prefix},
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
    /// A page of the expenses of a group that have no date, and so are in no tally.
    pub async fn undated_expenses(
        &self,
        group: GroupId,
        after: Option<Position>,
    ) -> Result<Slice<Expense>, Error> {
        let range = Range::table(keys::group_partition(group), prefix::EXPENSE);
        let page = Page { limit: 1_000, after };
        self.db.page_where(&range, &page, &Condition::without("date")).await
    }

    /// Sets the date of expenses that have none to the day that views show, adds them to the tally
    /// of that day, and returns their number. `expenses` are a part of [`dating::datable`] ones, of
    /// one group, day and category; those that have got a date or were deleted meanwhile are left
    /// as they are.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyActions`] if there are too many.
    pub async fn date_expenses(
        &self,
        group: GroupId,
        expenses: &[Expense],
        now: Timestamp,
    ) -> Result<usize, Error> {
        self.work(Some(group), "date-expenses", now, async |_| {
            let found = expenses.iter().map(|it| keys::expense(group, it.created_at));
            let found = try_join_all(found.map(|key| self.db.get::<Expense>(key)));
            let (read, found) = tokio::try_join!(self.ledger(group), found)?;
            dating::date(group, &read, found.into_iter().flatten(), now)
        })
        .await
    }
}
