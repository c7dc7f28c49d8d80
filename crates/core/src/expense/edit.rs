//! Editing an expense: what is not said stays as it is.

use std::collections::BTreeMap;

use super::{
    Category, Expense,
    division::{Division, Members, Sharer},
    positive_units,
};
use crate::{
    Error, currency::Currency, decimal::Decimal, group::Member, id::UserId, split::SplitType,
    text::Description,
};

/// What somebody wants changed of an expense.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edit {
    /// How much, in major units.
    pub amount: Option<Decimal>,
    /// In which currency.
    pub currency: Option<Currency>,
    /// What for.
    pub description: Option<Description>,
    /// Who paid.
    pub payer: Option<UserId>,
    /// How it is divided.
    pub split_type: Option<SplitType>,
    /// Who shares.
    pub sharers: Option<Vec<Sharer>>,
    /// What kind of expense; `Some(None)` takes it away.
    pub category: Option<Option<Category>>,
}

impl Edit {
    /// The expense that it makes of `before`, but for when that is.
    ///
    /// Where neither the amount nor the division is another, every share stays as it is, odd units included. A new
    /// amount is divided as the old one was; exact shares do not come out then, and have to be said anew.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the field that breaks a rule; [`Error::TooManyShares`].
    pub fn apply(&self, before: &Expense, members: &[Member]) -> Result<Expense, Error> {
        let members = Members::of(members);
        let currency = self.currency.unwrap_or(before.currency);
        let units = positive_units("amount", self.amount.unwrap_or(before.amount), currency)?;
        let mut after = Expense { currency, amount: currency.number(units), ..before.clone() };
        if let Some(payer) = self.payer.filter(|payer| *payer != before.payer_id) {
            after.payer_name = members.name(payer, || "payerId".to_owned())?;
            after.payer_id = payer;
        }
        if let Some(description) = &self.description {
            after.description = description.to_string();
        }
        if let Some(category) = self.category {
            after.category = category;
        }
        let division = self.division(before)?;
        let same_money = (after.amount, currency) == (before.amount, before.currency);
        if !same_money || !same(&division, &Division::of_expense(before)) {
            let split = division.split(&members, units, currency)?;
            after.split_type = split.split_type();
            after.splits = members.shares(&split, units, currency, before.id);
        }
        Ok(after)
    }

    fn division(&self, before: &Expense) -> Result<Division, Error> {
        let split_type = self.split_type.unwrap_or(before.split_type);
        match (&self.sharers, split_type) {
            (Some(sharers), _) => Division::of(split_type, Some(sharers)),
            (None, same) if same == before.split_type => Ok(Division::of_expense(before)),
            (None, other) => {
                let sharer = |share: &super::Share| Sharer {
                    user: share.user_id,
                    amount: Some(share.amount),
                    percentage: share.percentage,
                };
                let sharers: Vec<_> = before.splits.iter().map(sharer).collect();
                Division::of(other, Some(&sharers))
            }
        }
    }
}

/// Whether two divisions are one, whatever the order of their parts.
fn same(one: &Division, other: &Division) -> bool {
    fn parts<T: Copy>(parts: &[(UserId, T)]) -> BTreeMap<UserId, T> {
        parts.iter().copied().collect()
    }
    let users = |users: &[UserId]| parts(&users.iter().map(|user| (*user, ())).collect::<Vec<_>>());
    match (one, other) {
        (Division::Equal(one), Division::Equal(other)) => {
            one.len() == other.len() && users(one) == users(other)
        }
        (Division::Exact(one), Division::Exact(other))
        | (Division::Percentage(one), Division::Percentage(other)) => {
            one.len() == other.len() && parts(one) == parts(other)
        }
        _ => false,
    }
}
