//! Rows of users that are in an earlier format.

use crate::{
    decisions::decision::Decision,
    input::Error,
    personal::{spending::Spending, summary::DaySummary, targets::Targets},
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, AttributeValue, FORMAT_VERSION, Item, USER_ROWS_VERSION},
        write::{Transaction, Write},
    },
    values::time::Timestamp,
};

/// Writes a row of a user in the present format if it is in an earlier one, and returns whether it
/// was.
///
/// # Errors
///
/// [`Error::Table`] if the row cannot be read.
pub fn standardised(
    key: &Primary,
    row: Option<Item>,
    now: Timestamp,
) -> Result<Decision<bool>, Error> {
    let Some(item) = row.filter(|row| is_old(&key.sk, row)) else {
        return Ok(Decision::Done(false));
    };
    let write = rewritten(key, item, now)?;
    Ok(Decision::Write(Transaction::from_iter([write]), true))
}

/// Whether a row with this sort key was written in an earlier format, or still has attributes of
/// one. Only spendings, summaries and targets have earlier formats.
#[must_use]
pub fn is_old(sort_key: &str, row: &Item) -> bool {
    if ![prefix::SPENDING, prefix::SUMMARY, keys::TARGETS].iter().any(|it| sort_key.starts_with(it))
    {
        return false;
    }
    let is_key = |name: &str| matches!(name, "PK" | "SK") || name.starts_with("GSI");
    let is_pascal_case = |name: &str| name.starts_with(|first: char| first.is_ascii_uppercase());
    let version = match row.get(FORMAT_VERSION) {
        Some(AttributeValue::N(version)) => version.parse().unwrap_or_default(),
        _ => 0,
    };
    version < USER_ROWS_VERSION || row.keys().any(|name| !is_key(name) && is_pascal_case(name))
}

/// The write of a row in the present format, on condition that it is as it was read.
fn rewritten(key: &Primary, item: Item, now: Timestamp) -> Result<Write, Error> {
    let same = |name: &'static str| match item.get(name) {
        None => Condition::without(name),
        Some(value) => Condition::equal(name, value.clone()),
    };
    let unchanged = Condition::present().and(same(FORMAT_VERSION)).and(same("version"));
    let write = if key.sk.starts_with(prefix::SPENDING) {
        Write::put(&row::from_item::<Spending>(item)?)?
    } else if key.sk.starts_with(prefix::SUMMARY) {
        let summary: DaySummary = row::from_item(item)?;
        let version = Some(summary.version.unwrap_or_default().saturating_add(1));
        Write::put(&DaySummary { version, updated_at: Some(now), ..summary })?
    } else {
        Write::put(&row::from_item::<Targets>(item)?)?
    };
    Ok(write.when(unchanged))
}
