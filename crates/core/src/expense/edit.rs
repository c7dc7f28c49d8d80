//! Editing an expense: fields that are left out stay as they are.

use std::collections::BTreeSet;

use super::{
    Category, Expense, check_date, positive,
    split_input::{Members, SplitInput, keep_split, named, read_split},
};
use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    group::Member,
    id::MemberId,
    input::{Draft, Field, FieldErrors},
    split::{Split, SplitType},
    text::{Description, Notes},
    time::{Day, Timestamp},
};

/// Changes to an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// New amount, in major units.
    pub amount: Field<Decimal>,
    /// New description.
    pub description: Field<Description>,
    /// New payer.
    pub payer: Field<MemberId>,
    /// New way to split the amount.
    pub split_type: Field<SplitType>,
    /// New members who share it, with their input.
    pub splits: Field<Vec<SplitInput>>,
    /// New currency.
    pub currency: Field<Currency>,
    /// New category; `None` removes it.
    pub category: Field<Option<Category>>,
    /// New day on which it happened.
    pub date: Field<Day>,
    /// New notes; `None` removes them.
    pub notes: Field<Option<Notes>>,
}

impl Draft<Edit> {
    /// The users that the edit names, whom [`Draft::apply`] needs; `None` if it needs all members.
    #[must_use]
    pub fn named(&self) -> Option<BTreeSet<MemberId>> {
        self.fields().and_then(|edit| named(&edit.payer, &edit.splits))
    }

    /// Applies the edit to `before`. The result has no time of the edit yet.
    ///
    /// If neither the amount nor the split changes, all shares stay exactly as they are. A new
    /// amount is split like the old one, except that exact shares have to be sent again. `members`
    /// has at least the users of [`Draft::named`]. `now` is the time of day.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::TooManyShares`];
    /// [`Error::Unreadable`].
    pub fn apply(
        &self,
        before: &Expense,
        members: &[Member],
        now: Timestamp,
    ) -> Result<Expense, Error> {
        let (edit, mut errors) = self.open()?;
        let members = Members::of(members);
        let currency = edit.currency.or(before.currency);
        let amount = edit.amount.or(before.amount);
        let same_money = (amount, currency) == (Some(before.amount), Some(before.currency));
        let amount = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let payer = match edit.payer.or(before.payer_id) {
            Some(user) if user == before.payer_id => Some((user, before.payer_name.clone())),
            user => user.and_then(|user| Some((user, members.name(user, "payerId", &mut errors)?))),
        };

        let split_type = edit.split_type.or(before.split_type);
        let read = |inputs: &[SplitInput], split_type, errors: &mut FieldErrors| {
            read_split(inputs, split_type, &members, currency, amount, errors)
        };
        let (stored_type, stored) = SplitInput::of(before);
        let untouched = edit.splits.is_absent() && split_type == Some(before.split_type);
        let split = match &edit.splits {
            Field::Invalid => None,
            Field::Value(inputs) => read(inputs, split_type, &mut errors),
            Field::Absent if untouched && same_money => None,
            Field::Absent if untouched => read(&stored, Some(stored_type), &mut errors),
            Field::Absent => read(&stored, split_type, &mut errors),
        };
        let current = || read(&stored, Some(stored_type), &mut FieldErrors::default());
        let is_current =
            |split: &Split| current().map(Split::sorted) == Some(split.clone().sorted());
        let stays = same_money && (untouched || split.as_ref().is_some_and(is_current));
        let divided = if stays {
            Some((before.split_type, before.splits.clone()))
        } else {
            split.zip(amount).and_then(|(split, amount)| {
                let shares = members.shares(&split, amount, before.id);
                Some((split.split_type(), keep_split(shares, &mut errors)?))
            })
        };

        let date = check_date(edit.date, now, &mut errors).map(Some).or(before.date);
        let after = || {
            let ((payer_id, payer_name), amount) = (payer?, amount?);
            let (split_type, splits) = divided?;
            let mut after = Expense {
                payer_id,
                payer_name,
                currency: amount.currency,
                amount: amount.to_major(),
                split_type,
                splits,
                category: edit.category.or(before.category)?,
                date: date?,
                ..before.clone()
            };
            if let Some(description) = edit.description.value() {
                after.description = description.to_string();
            }
            match &edit.notes {
                Field::Absent => {}
                Field::Invalid => return None,
                Field::Value(notes) => after.notes = notes.as_ref().map(ToString::to_string),
            }
            Some(after)
        };
        let after = after();
        errors.finish(after)
    }
}
