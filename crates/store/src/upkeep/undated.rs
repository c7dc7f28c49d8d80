//! Dates of expenses that have none, for the operators' tool: tallies have only dated ones.

use fracti_core::{
    decisions::{
        decision::Decision,
        expenses::unchanged,
        tallies::{MAX_COUNTERS, tally_writes},
    },
    input::Error,
    records::expense::Expense,
    storage::{
        condition::Condition,
        keys::{self, prefix},
        row,
        write::{Transaction, Write},
    },
    values::{id::GroupId, time::Timestamp},
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Page, Position, Range, Slice},
    table::Table,
};

/// Maximum number of expenses that one transaction dates. It also writes their tally and the
/// balance row.
const MAX_DATED: usize = 90;

/// Expenses of one tally in parts that a transaction can date each. An expense of more members is a
/// part of its own.
pub fn datable(mut expenses: &[Expense]) -> impl Iterator<Item = &[Expense]> {
    std::iter::from_fn(move || {
        let mut counters = 0_usize;
        let fits = |expense: &&Expense| {
            let own = expense.splits.len().saturating_add(expense.all_payers().len());
            counters = counters.saturating_add(own);
            counters <= MAX_COUNTERS
        };
        let count = expenses.iter().take(MAX_DATED).take_while(fits).count();
        let (part, rest) = expenses.split_at_checked(count.max(1))?;
        expenses = rest;
        Some(part)
    })
}

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
    /// of that day, and returns their number. `expenses` are a part of [`datable`] ones, of one
    /// group, day and category; those that have got a date or were deleted meanwhile are left as
    /// they are.
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
        self.work(Some(group), "date-expenses", now, async || {
            let found = expenses.iter().map(|it| keys::expense(group, it.created_at));
            let found = try_join_all(found.map(|key| self.db.get::<Expense>(key)));
            let (read, found) = tokio::try_join!(self.ledger(group), found)?;
            let undated: Vec<_> =
                found.into_iter().flatten().filter(|it| it.date.is_none()).collect();
            let mut transaction = Transaction::default();
            let mut dated = Vec::new();
            for expense in undated {
                let key = keys::expense(group, expense.created_at);
                let date = [("date", Some(row::to_value(&expense.day())?))];
                let write = Write::update(key, date);
                transaction.add(write.when(unchanged(&expense)?));
                dated.push(Expense { date: Some(expense.day()), ..expense });
            }
            transaction.extend(tally_writes(group, &[], &dated, now)?);
            Decision::locked(group, &read, transaction, dated.len())
        })
        .await
    }
}
