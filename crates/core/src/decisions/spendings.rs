//! Spendings: recording, editing and deleting them, each with the summary of its day.

use crate::{
    decisions::decision::Decision,
    input::{Draft, Error},
    personal::{
        spending::{NewSpending, Spending, SpendingEdit},
        summary::{DaySummary, SummaryType},
        targets::Targets,
    },
    storage::{
        condition::Condition,
        counters::Counters,
        keys, row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        decimal::Decimal, id::UserId, request_context::RequestContext, spending_id::SpendingId,
        time::Timestamp,
    },
};

/// Records a spending.
pub fn record(
    user: UserId,
    new: &Draft<NewSpending>,
    targets: &Targets,
    RequestContext { now, random }: RequestContext,
) -> Result<Decision<Spending>, WriteError> {
    let spending = new.check(user, targets, now, random)?;
    let mut writes = Transaction::from_iter([Write::put_new(&spending)?]);
    writes.extend(summaries(None, Some(&spending), now)?);
    Ok(Decision::Write(writes, spending))
}

/// Edits a spending that is as `expected`. With a new time, its row gets another key.
pub fn edit(
    edit: &Draft<SpendingEdit>,
    expected: impl Fn(&Spending) -> bool,
    before: &Spending,
    targets: Result<Targets, Error>,
    now: Timestamp,
) -> Result<Decision<Spending>, WriteError> {
    if !expected(before) {
        return Err(Error::Changed.into());
    }
    let after = edit.apply(before, &targets?, now)?;
    if after == *before {
        return Ok(Decision::Done(after));
    }
    let mut writes = Transaction::default();
    if after.id == before.id {
        writes.add(Write::put(&after)?.when(unchanged(before)?));
    } else {
        let delete = Write::delete(keys::spending(before.user_id, &before.id));
        writes.add(delete.when(unchanged(before)?));
        writes.add(Write::put_new(&after)?);
    }
    writes.extend(summaries(Some(before), Some(&after), now)?);
    Ok(Decision::Write(writes, after))
}

/// Deletes a spending that is as `expected`.
pub fn delete(
    expected: impl Fn(&Spending) -> bool,
    spending: Spending,
    now: Timestamp,
) -> Result<Decision<SpendingId>, WriteError> {
    if !expected(&spending) {
        return Err(Error::Changed.into());
    }
    let deletion = Transaction::from_iter(deletion(&spending, now)?);
    Ok(Decision::Write(deletion, spending.id))
}

/// The writes that delete a spending, if it is as it was read.
pub fn deletion(spending: &Spending, now: Timestamp) -> Result<Vec<Write>, Error> {
    let key = keys::spending(spending.user_id, &spending.id);
    let delete = Write::delete(key).when(unchanged(spending)?);
    let summaries = summaries(Some(spending), None, now)?;
    Ok([delete].into_iter().chain(summaries).collect())
}

/// The writes that keep summaries the sums of spendings when one changes.
fn summaries(
    before: Option<&Spending>,
    after: Option<&Spending>,
    now: Timestamp,
) -> Result<Vec<Write>, Error> {
    let none = Counters::default();
    let counters = |of: Option<&Spending>| of.map_or(Ok(none.clone()), Spending::counters);
    let old = counters(before)?;
    let new = counters(after)?;
    let changes = match (before, after) {
        (Some(before), Some(after)) if before.user_date != after.user_date => {
            vec![(before, none.since(&old)?), (after, new)]
        }
        _ => {
            let of = after.or(before);
            of.map(|of| Ok((of, new.since(&old)?))).into_iter().collect::<Result<_, Error>>()?
        }
    };
    let changes = changes.into_iter().filter(|(_, change)| !change.is_empty());
    let write = |(of, change): (&Spending, Counters)| {
        let kind = row::to_value(&SummaryType::DaySummary)?;
        let others = [("type", kind), ("updatedAt", row::to_value(&now)?)];
        let version = ("version".to_owned(), Decimal::new(1, 0));
        let counters = change.into_iter().chain([version]);
        let key = keys::summary(of.user_id, of.user_date);
        Ok(Write::add::<DaySummary>(key, counters, others))
    };
    changes.map(write).collect()
}

/// The spending is as it was read, in either spelling.
fn unchanged(spending: &Spending) -> Result<Condition, Error> {
    Ok(match &spending.updated_at {
        None => Condition::present()
            .and(Condition::without("updatedAt"))
            .and(Condition::without("UpdatedAt")),
        Some(at) => {
            let at = row::to_value(at)?;
            Condition::equal("updatedAt", at.clone()).or(Condition::equal("UpdatedAt", at))
        }
    })
}
