//! Editing an expense: fields that are left out stay as they are.

use std::collections::BTreeMap;

use super::{
    Category, Expense, positive,
    split_input::{Members, SplitInput, SplitRule, Terms},
};
use crate::{
    Error,
    currency::Currency,
    decimal::Decimal,
    group::Member,
    id::UserId,
    input::{Draft, Field},
    split::SplitType,
    text::Description,
};

/// Changes to an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// New amount, in major units.
    pub amount: Field<Decimal>,
    /// New description.
    pub description: Field<Description>,
    /// New payer.
    pub payer: Field<UserId>,
    /// How it is split.
    pub split_type: Field<SplitType>,
    /// Who shares it.
    pub splits: Field<Vec<SplitInput>>,
    /// New currency.
    pub currency: Field<Currency>,
    /// New category; `None` removes it.
    pub category: Field<Option<Category>>,
}

impl Draft<Edit> {
    /// The expense that it makes of `before`, but for the time of the edit.
    ///
    /// Where neither the amount nor the division is another, every share stays as it is, odd units
    /// included. A new amount is divided as the old one was, except that exact shares have to be
    /// sent again.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with all rules that are broken; [`Error::TooManyShares`];
    /// [`Error::Unreadable`].
    pub fn apply(&self, before: &Expense, members: &[Member]) -> Result<Expense, Error> {
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

        let terms = Terms { members: &members, currency, amount };
        let current = SplitRule::of_expense(before);
        let split_type = edit.split_type.or(before.split_type);
        let rule = match &edit.splits {
            Field::Invalid => None,
            Field::Value(inputs) => SplitRule::among(inputs, split_type, &terms, &mut errors),
            Field::Absent if split_type == Some(before.split_type) && same_money => {
                Some(current.clone())
            }
            Field::Absent => {
                let (current, inputs) = SplitInput::of(before);
                let same = |it: SplitType| if it == before.split_type { current } else { it };
                SplitRule::among(&inputs, split_type.map(same), &terms, &mut errors)
            }
        };
        let stays = same_money && rule.as_ref().is_some_and(|it| same(it, &current));
        let split = rule.filter(|_| !stays).and_then(|it| it.split(&terms, &mut errors));

        let after = || {
            let ((payer_id, payer_name), amount) = (payer?, amount?);
            let mut after = Expense {
                payer_id,
                payer_name,
                currency: amount.currency,
                amount: amount.to_major(),
                category: edit.category.or(before.category)?,
                ..before.clone()
            };
            if let Some(description) = edit.description.value() {
                after.description = description.to_string();
            }
            if !stays {
                let split = split?;
                after.split_type = split.split_type();
                after.splits = members.shares(&split, amount, before.id);
            }
            Some(after)
        };
        let after = after();
        errors.finish(after)
    }
}

/// Whether two divisions are one, whatever the order of their parts.
fn same(one: &SplitRule, other: &SplitRule) -> bool {
    fn parts<T: Copy>(parts: &[(UserId, T)]) -> BTreeMap<UserId, T> {
        parts.iter().copied().collect()
    }
    let users = |users: &[UserId]| parts(&users.iter().map(|user| (*user, ())).collect::<Vec<_>>());
    match (one, other) {
        (SplitRule::Equal(one), SplitRule::Equal(other)) => {
            one.len() == other.len() && users(one) == users(other)
        }
        (SplitRule::Exact(one), SplitRule::Exact(other))
        | (SplitRule::Percentage(one), SplitRule::Percentage(other)) => {
            one.len() == other.len() && parts(one) == parts(other)
        }
        _ => false,
    }
}
