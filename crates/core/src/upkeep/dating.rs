//! Dates of expenses that have none, and the index of expenses by day, in which those of groups
//! that were created before it are missing.

use crate::{
    decisions::{
        decision::Decision,
        expenses::unchanged,
        tallies::{MAX_COUNTERS, tally_writes},
    },
    group::Group,
    ledger::Ledger,
    records::expense::Expense,
    storage::{
        condition::Condition,
        keys,
        row::{self, Item, Row},
        write::{Transaction, Write, WriteError},
    },
    values::{id::GroupId, time::Timestamp},
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

/// Dates expenses that have no date with the day that views show, adds them to the tally of that
/// day, and returns their number. `found` are those of a part of [`datable`] ones, of one group,
/// day and category, as they are now; those that have a date by now are left as they are.
///
/// # Errors
///
/// [`crate::input::Error::TooManyActions`] if there are too many.
pub fn date(
    group: GroupId,
    read: &Ledger,
    found: impl IntoIterator<Item = Expense>,
    now: Timestamp,
) -> Result<Decision<usize>, WriteError> {
    let mut transaction = Transaction::default();
    let mut dated = Vec::new();
    for expense in found.into_iter().filter(|it| it.date.is_none()) {
        let key = keys::expense(group, expense.created_at);
        let date = [("date", Some(row::to_value(&expense.day())?))];
        transaction.add(Write::update(key, date).when(unchanged(&expense)?));
        dated.push(Expense { date: Some(expense.day()), ..expense });
    }
    transaction.extend(tally_writes(group, &[], &dated, now)?);
    Decision::locked(group, read, transaction, dated.len())
}

/// Adds expenses to the index by day, and returns their number. `found` are their rows as they are
/// now; those that have got their keys by now are left as they are.
///
/// # Errors
///
/// [`crate::input::Error::Table`] if a row cannot be read.
pub fn index(
    group: GroupId,
    read: &Ledger,
    found: impl IntoIterator<Item = Item>,
) -> Result<Decision<usize>, WriteError> {
    let mut transaction = Transaction::default();
    let mut indexed = 0_usize;
    for item in found.into_iter().filter(|item| !item.contains_key("GSI1PK")) {
        let expense: Expense = row::from_item(item)?;
        let Some(by_date) = expense.keys().gsi1 else { continue };
        let keys = [("GSI1PK", by_date.pk), ("GSI1SK", by_date.sk)];
        let keys = keys.map(|(name, key)| (name, Some(row::AttributeValue::S(key))));
        let write = Write::update(keys::expense(group, expense.created_at), keys);
        transaction.add(write.when(unchanged(&expense)?));
        indexed = indexed.saturating_add(1);
    }
    Decision::locked(group, read, transaction, indexed)
}

/// Notes that all expenses of a group are in the index by day, if none `is_left`, and returns
/// whether that is so now.
///
/// # Errors
///
/// [`crate::input::Error::Table`] if the row cannot be written.
pub fn note(
    group: GroupId,
    read: &Ledger,
    row: Option<&Group>,
    is_left: bool,
) -> Result<Decision<bool>, WriteError> {
    let Some(row) = row else { return Ok(Decision::Done(false)) };
    if row.dated || is_left {
        return Ok(Decision::Done(row.dated));
    }
    let dated = Write::update(keys::group(group), [("dated", Some(row::to_value(&true)?))]);
    let transaction = Transaction::from_iter([dated.when(Condition::present())]);
    // An instance of an earlier version may be recording an expense just now.
    Decision::locked(group, read, transaction, true)
}
