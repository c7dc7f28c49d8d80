//! Expenses of imported files, which give the shares as well as the split that produced them.

use super::{
    Expense, NewExpense, Share,
    members::{Members, add_inputs},
    split_input::keep_split,
    stored_items,
};
use crate::{
    input::{Error, FieldErrors},
    split::{Split, SplitError},
    values::{id::MemberId, money::Money},
};

impl NewExpense {
    /// The split from which `shares`, in minor units, follow: the split among the members who have
    /// one. The amount and the currency must be given.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the rules that the split breaks, or if the shares do not follow from
    /// it: see [`Split::check_shares`]; [`Error::TooManyShares`].
    pub fn split_into(&self, shares: &[(MemberId, i64)]) -> Result<Split, Error> {
        let members = Members::unnamed(shares.iter().map(|(member, _)| *member));
        let mut errors = FieldErrors::default();
        let currency = self.currency.value().copied();
        let read = self.split(currency, &members, None, &mut errors);
        let split = read.and_then(|(amount, split)| {
            keep_split(split.check_shares(amount, shares), &members, &mut errors).map(|()| split)
        });
        errors.finish(split)
    }
}

impl Expense {
    /// The same expense and shares, with `split` as their split.
    ///
    /// # Errors
    ///
    /// [`SplitError`] if the shares do not follow from it: see [`Split::check_shares`].
    pub fn split_by(&self, split: &Split) -> Result<Self, SplitError> {
        let minor = |number| self.currency.to_minor(number).ok();
        let share = |share: &Share| Some((share.user_id, minor(share.amount)?));
        let shares: Option<Vec<_>> = self.splits.iter().map(share).collect();
        let amount = Money::from_major(self.amount, self.currency).ok();
        let (amount, shares) = amount.zip(shares).ok_or(SplitError::OtherShares)?;
        split.check_shares(amount, &shares)?;
        let without_input =
            |share: Share| Share { percentage: None, weight: None, adjustment: None, ..share };
        let mut splits = self.splits.iter().cloned().map(without_input).collect::<Vec<_>>();
        add_inputs(&mut splits, split, self.currency);
        let items = stored_items(split, self.currency);
        Ok(Self { split_type: split.split_type(), splits, items, ..self.clone() })
    }
}
