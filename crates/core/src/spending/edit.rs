//! Editing a spending: fields that are left out stay as they are.

use std::collections::BTreeMap;

use super::{CategoriesInput, Spending, categories::excess, check_date};
use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    input::{Draft, Field, FieldErrors, Path},
    money::Money,
    numbers::positive,
    targets::{CategoryKey, Targets},
    text::{Emoji, SpendingNotes, SpendingTitle},
    time::{Day, Timestamp},
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
}

impl Draft<SpendingEdit> {
    /// Whether [`Draft::apply`] needs the user's targets.
    #[must_use]
    pub fn needs_targets(&self) -> bool {
        self.fields().is_some_and(|edit| edit.categories.need_registry())
    }

    /// Applies the edit to `before`. If it changes nothing, the spending is returned as it is.
    ///
    /// A category that is the whole amount stays the whole of a new amount.
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
        if let Field::Value(date) = edit.user_date {
            check_date(date, before.spent_at, &mut errors);
        }
        let title = edit.title.as_ref().map(ToString::to_string).or(before.title.clone());
        let emoji = edit.emoji.as_ref().map(|it| it.as_ref().map(ToString::to_string));
        let notes = edit.notes.as_ref().map(|it| it.as_ref().map(ToString::to_string));
        let after = || {
            let amount = amount?;
            Some(Spending {
                title: title?,
                emoji: emoji.or(before.emoji.clone())?,
                amount: amount.to_major(),
                currency: amount.currency,
                categories: categories?,
                notes: notes.or(before.notes.clone())?,
                user_date: edit.user_date.or(before.user_date)?,
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
