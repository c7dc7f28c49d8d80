//! Editing an expense: fields that are left out stay as they are.

use std::collections::BTreeSet;

use super::{
    CheckedPayers, Expense, PayerInput, PayersReader, check_category, check_date,
    line_input::{LineInput, read_lines},
    members::Members,
    payers,
    split_input::{
        SplitContext, SplitInput, keep_split, named, read_split, refuse_unused,
        refuse_unused_numbers,
    },
    stored_items,
};
use crate::values::category::ExpenseCategory;
use crate::{
    group::{Group, Member},
    input::{Draft, Error, Field, FieldErrors, numbers::not_zero},
    split::{Split, SplitType},
    values::{
        currency::Currency,
        decimal::Decimal,
        id::MemberId,
        money::Money,
        text::{Description, Notes},
        time::{Day, Timestamp},
    },
};

/// Changes to an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// New amount, in major units.
    pub amount: Field<Decimal>,
    /// New description.
    pub description: Field<Description>,
    /// New payer, who paid all of it.
    pub payer: Field<MemberId>,
    /// New payers, instead of one.
    pub payers: Field<Vec<PayerInput>>,
    /// New way to split the amount.
    pub split_type: Field<SplitType>,
    /// New members who share it, with their input.
    pub splits: Field<Vec<SplitInput>>,
    /// New lines of the receipt.
    pub items: Field<Vec<LineInput>>,
    /// New currency.
    pub currency: Field<Currency>,
    /// New category; `None` removes it.
    pub category: Field<Option<ExpenseCategory>>,
    /// New day on which it happened.
    pub date: Field<Day>,
    /// New notes; `None` removes them.
    pub notes: Field<Option<Notes>>,
}

impl Draft<Edit> {
    /// The users that the edit names, whom [`Draft::apply`] needs; `None` if it needs all members.
    #[must_use]
    pub fn named(&self) -> Option<BTreeSet<MemberId>> {
        let edit = self.fields()?;
        let named = named(&edit.payer, &edit.splits, &edit.items)?.into_iter();
        Some(named.chain(payers::named(&edit.payers)).collect())
    }

    /// Applies the edit to `before`. The result has no time of the edit yet.
    ///
    /// If neither the amount nor the split changes, all shares stay exactly as they are. A new
    /// amount is split like the old one, except that exact shares and the amounts of several payers
    /// have to be sent again, and lines unless one of them takes the rest. The category may be one
    /// of `group`, or stay as it is. `members` has at least those of [`Draft::named`]. `now` is the
    /// time of day.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::TooManyShares`];
    /// [`Error::Unreadable`].
    pub fn apply(
        &self,
        before: &Expense,
        group: &Group,
        members: &[Member],
        now: Timestamp,
    ) -> Result<Expense, Error> {
        let (edit, mut errors) = self.open()?;
        if let Field::Value(Some(category)) = edit.category {
            check_category(Field::Value(category), before.category, group, &mut errors);
        }
        let members = Members::of(members).and_of(before);
        let currency = edit.currency.or(before.currency);

        let split_type = edit.split_type.or(before.split_type);
        let same_type = split_type == Some(before.split_type);
        let same_money = |amount, currency| (amount, currency) == (before.amount, before.currency);
        let amount = edit.amount.or(before.amount);
        let kept = same_type
            && edit.splits.is_absent()
            && edit.items.is_absent()
            && amount.zip(currency).is_some_and(|(amount, currency)| same_money(amount, currency));
        let unchanged = || (before.split_type, before.splits.clone(), before.items.clone());
        let divided = if kept {
            let amount = not_zero("amount", before.amount, currency, &mut errors);
            amount.map(|amount| (amount, unchanged()))
        } else {
            refuse_unused(split_type, &edit.splits, &edit.items, &mut errors);
            refuse_unused_numbers(split_type, &edit.splits, &mut errors);
            let read = if split_type == Some(SplitType::Itemized) {
                edit.lines(before, currency, &members, &mut errors)
            } else {
                edit.shares(before, split_type, currency, &members, &mut errors)
            };
            read.and_then(|(amount, split)| {
                let same_split = || {
                    let (_, current) = before.split()?;
                    Some(current.sorted() == split.clone().sorted())
                };
                if same_money(amount.to_major(), amount.currency) && same_split() == Some(true) {
                    return Some((amount, unchanged()));
                }
                let shares = members.shares(&split, amount, before.id);
                let shares = keep_split(shares, &members, &mut errors)?;
                let items = stored_items(&split, amount.currency);
                Some((amount, (split.split_type(), shares, items)))
            })
        };

        let amount = divided.as_ref().map(|(amount, _)| *amount);
        let amount = amount.or_else(|| edit.named_amount(before, currency));
        let payers = PayersReader { members: &members, before: Some(before), currency, amount };
        let payers = payers.read_edit(before, edit, &mut errors);
        if let (Some(payers), Some((_, (_, splits, _)))) = (&payers, &divided) {
            payers.check_room(splits.len(), &mut errors);
        }

        let date = check_date(edit.date, before.date, now, &mut errors).map(Some).or(before.date);
        let after = || {
            let CheckedPayers { payer_id, payer_name, payers } = payers?;
            let (amount, (split_type, splits, items)) = divided?;
            let mut after = Expense {
                payer_id,
                payer_name,
                payers,
                currency: amount.currency,
                amount: amount.to_major(),
                split_type,
                splits,
                items,
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

impl Edit {
    /// The amount after the edit, if it does not follow from the lines.
    fn named_amount(&self, before: &Expense, currency: Option<Currency>) -> Option<Money> {
        let number = if self.items.is_absent() {
            self.amount.or(before.amount)
        } else {
            self.amount.value().copied()
        };
        // Its mistakes are reported with the split.
        not_zero("amount", number?, currency, &mut FieldErrors::default())
    }

    /// The amount and the split by `splits` after the edit.
    fn shares(
        &self,
        before: &Expense,
        split_type: Option<SplitType>,
        currency: Option<Currency>,
        members: &Members<'_>,
        errors: &mut FieldErrors,
    ) -> Option<(Money, Split)> {
        let number = self.amount.or(before.amount);
        let amount = number.and_then(|amount| not_zero("amount", amount, currency, errors));
        let context = SplitContext { members, currency, amount };
        let split = match &self.splits {
            Field::Invalid => None,
            Field::Value(inputs) => read_split(inputs, split_type, context, errors),
            Field::Absent => {
                let (stored_type, inputs) = SplitInput::of(before);
                let stays = split_type == Some(before.split_type);
                let split_type = if stays { Some(stored_type) } else { split_type };
                if split_type == Some(SplitType::Exact)
                    && number.is_some_and(|it| it != before.amount)
                {
                    errors.missing("splits");
                    return None;
                }
                read_split(&inputs, split_type, context, errors)
            }
        };
        amount.zip(split)
    }

    /// The amount and the split by `items` after the edit.
    fn lines(
        &self,
        before: &Expense,
        currency: Option<Currency>,
        members: &Members<'_>,
        errors: &mut FieldErrors,
    ) -> Option<(Money, Split)> {
        let takes_rest = |inputs: &[LineInput]| inputs.iter().any(LineInput::takes_rest);
        match (&self.items, &before.items) {
            (Field::Invalid, _) => None,
            (Field::Value(inputs), _) => {
                // With a line that takes the rest, the amount stays.
                let stays = self.amount.is_absent() && takes_rest(inputs);
                let amount = if stays { Field::Value(before.amount) } else { self.amount };
                read_lines(inputs, amount, currency, members, errors)
            }
            (Field::Absent, Some(stored)) => {
                let amount = self.amount.or(before.amount)?;
                let inputs: Vec<LineInput> = stored.iter().map(LineInput::of).collect();
                if amount != before.amount && !takes_rest(&inputs) {
                    not_zero("amount", amount, currency, errors);
                    errors.missing("items");
                    return None;
                }
                read_lines(&inputs, Field::Value(amount), currency, members, errors)
            }
            (Field::Absent, None) => {
                errors.missing("items");
                None
            }
        }
    }
}
