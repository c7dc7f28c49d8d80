//! Editing a spending: fields that are left out stay as they are.

use std::collections::BTreeMap;

use super::{CategoriesInput, Spending, categories::excess, dated, is_near, timed};
use crate::{
    input::{Draft, Error, Field, FieldErrors, Path, numbers::positive},
    personal::targets::Targets,
    values::{
        category::CategoryKey,
        currency::Currency,
        decimal::Decimal,
        money::Money,
        text::{Emoji, SpendingNotes, SpendingTitle},
        time::{Day, Timestamp, ZonedTime},
    },
};

/// Changes to a spending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpendingEdit {
    /// New title.
    pub title: Field<SpendingTitle>,
    /// New emoji; `None` removes it.
    pub emoji: Field<Option<Emoji>>,
    /// New amount, in major units.
    pub amount: Field<Decimal>,
    /// New currency.
    pub currency: Field<Currency>,
    /// New parts of the amount by category.
    pub categories: CategoriesInput,
    /// New notes; `None` removes them.
    pub notes: Field<Option<SpendingNotes>>,
    /// New day.
    pub user_date: Field<Day>,
    /// New time at which the money was spent.
    pub spent_at: Field<ZonedTime>,
}

impl Draft<SpendingEdit> {
    /// Whether [`Draft::apply`] needs the user's targets.
    #[must_use]
    pub fn needs_targets(&self) -> bool {
        self.fields().is_some_and(|edit| edit.categories.need_registry())
    }

    /// Applies the edit to `before`. If it changes nothing, the spending is returned as it is.
    ///
    /// A category that is the whole amount stays the whole of a new amount. A new time gives the
    /// spending another id.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`].
    pub fn apply(
        &self,
        before: &Spending,
        targets: &Targets,
        now: Timestamp,
    ) -> Result<Spending, Error> {
        let (edit, mut errors) = self.open()?;
        let currency = edit.currency.or(before.currency);
        let amount = edit.amount.or(before.amount);
        let amount = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let categories = match edit.categories.read(amount, targets, &mut errors) {
            Field::Absent => amount.and_then(|amount| kept(before, amount, &mut errors)),
            Field::Invalid => None,
            Field::Value(parts) => Some(parts),
        };
        let times = edit.times(before, now, &mut errors);
        let title = edit.title.as_ref().map(ToString::to_string).or(before.title.clone());
        let emoji = edit.emoji.as_ref().map(|it| it.as_ref().map(ToString::to_string));
        let notes = edit.notes.as_ref().map(|it| it.as_ref().map(ToString::to_string));
        let after = || {
            let (amount, (spent_at, user_date)) = (amount?, times?);
            let moves = spent_at != before.spent_at;
            let id = if moves { before.id.moved_to(spent_at) } else { before.id.clone() };
            Some(Spending {
                id,
                title: title?,
                emoji: emoji.or(before.emoji.clone())?,
                amount: amount.to_major(),
                currency: amount.currency,
                categories: categories?,
                notes: notes.or(before.notes.clone())?,
                user_date,
                spent_at,
                ..before.clone()
            })
        };
        let after = errors.finish(after())?;
        if after == *before {
            return Ok(after);
        }
        // Times of edits grow strictly, so that each state has its own.
        let last = before.updated_at.map_or(now, Timestamp::next);
        Ok(Spending { updated_at: Some(now.max(last)), ..after })
    }
}

impl SpendingEdit {
    /// The time and the day after the edit. A new time has its own day, and a day that is not near
    /// the time has noon as a new time.
    fn times(
        &self,
        before: &Spending,
        now: Timestamp,
        errors: &mut FieldErrors,
    ) -> Option<(Timestamp, Day)> {
        if self.spent_at.is_invalid() || self.user_date.is_invalid() {
            return None;
        }
        let date = self.user_date.value().copied();
        match (self.spent_at.value(), date) {
            (Some(spent), date) if spent.at != before.spent_at => timed(*spent, date, now, errors),
            (Some(spent), Some(date)) => timed(*spent, Some(date), now, errors),
            (_, None) => Some((before.spent_at, before.user_date)),
            (None, Some(date)) if is_near(date, before.spent_at) => Some((before.spent_at, date)),
            (None, Some(date)) => dated(date, now, errors),
        }
    }
}

/// The categories of a spending that gets a new amount.
fn kept(
    before: &Spending,
    amount: Money,
    errors: &mut FieldErrors,
) -> Option<BTreeMap<CategoryKey, Decimal>> {
    let mut parts = before.categories.clone();
    if parts.len() == 1 {
        let whole = parts.values_mut().filter(|part| **part == before.amount);
        whole.for_each(|part| *part = amount.to_major());
    }
    let mut sum = 0_i128;
    for (key, part) in &parts {
        let path = Path::from("categories").field(key.to_string());
        let part = errors.keep(path, Money::from_major(*part, amount.currency))?;
        sum = sum.saturating_add(part.minor.into());
    }
    if let Some(excess) = excess(sum, amount) {
        errors.push("categories", excess);
        return None;
    }
    Some(parts)
}
