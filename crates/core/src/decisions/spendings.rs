//! Spendings: the rows that change with one.

use crate::{
    input::Error,
    personal::{
        spending::Spending,
        summary::{DaySummary, SummaryType},
    },
    storage::{condition::Condition, counters::Counters, keys, row, write::Write},
    values::{decimal::Decimal, time::Timestamp},
};

/// The writes that delete a spending, if it is as it was read.
pub fn deletion(spending: &Spending, now: Timestamp) -> Result<Vec<Write>, Error> {
    let key = keys::spending(spending.user_id, &spending.id);
    let delete = Write::delete(key).when(unchanged(spending)?);
    let summaries = summaries(Some(spending), None, now)?;
    Ok([delete].into_iter().chain(summaries).collect())
}

/// The writes that keep summaries the sums of spendings when one changes.
pub fn summaries(
    before: Option<&Spending>,
    after: Option<&Spending>,
    now: Timestamp,
) -> Result<Vec<Write>, Error> {
    let none = Counters::default();
    let counters = |of: Option<&Spending>| of.map_or(Ok(none.clone()), Spending::counters);
    let (old, new) = (counters(before)?, counters(after)?);
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
pub fn unchanged(spending: &Spending) -> Result<Condition, Error> {
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
