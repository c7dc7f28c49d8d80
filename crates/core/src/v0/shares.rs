//! The shares of a v0 expense, which were computed with floats.

use crate::{
    records::expense::Share,
    split::{SplitType, divide_in_proportion, percentage_weights},
    v0::Anomaly,
    values::{
        decimal::Decimal,
        id::{ExpenseId, MemberId},
        money::Money,
    },
};

/// A share in a v0 row.
#[derive(Clone, Debug)]
pub(super) struct V0Share {
    pub(super) user_id: MemberId,
    pub(super) user_name: String,
    pub(super) amount: Option<Decimal>,
    pub(super) percentage: Option<Decimal>,
}

/// The way to split, and shares that sum to the amount.
pub(super) struct Shares {
    pub(super) split_type: SplitType,
    pub(super) splits: Vec<Share>,
}

impl Shares {
    /// The shares of an expense. Those that sum to the amount in whole minor units stay as they
    /// are. A member who is listed twice has the sum of both shares.
    ///
    /// # Errors
    ///
    /// [`Anomaly::NoShares`], [`Anomaly::ShareSign`] or [`Anomaly::NoRule`].
    pub(super) fn of(
        split_type: Option<SplitType>,
        shares: Vec<V0Share>,
        amount: Money,
        id: ExpenseId,
    ) -> Result<Self, Anomaly> {
        let shares = merged(shares)?;
        if shares.is_empty() {
            return Err(Anomaly::NoShares);
        }
        let wrong = |number: Decimal| number.is_negative() != (amount.minor < 0);
        let amounts = shares.iter().filter_map(|share| share.amount);
        if amounts.filter(|number| *number != Decimal::ZERO).any(wrong) {
            return Err(Anomaly::ShareSign);
        }
        let minor = match whole(&shares, amount) {
            Some(minor) => minor,
            None => divided(split_type, &shares, amount, id)?,
        };
        // v0 rows have only these ways to split.
        let split_type = match split_type {
            Some(SplitType::Equal) => SplitType::Equal,
            Some(SplitType::Percentage) if percentages(&shares).is_some() => SplitType::Percentage,
            _ => SplitType::Exact,
        };
        let share = |(share, minor): (V0Share, i64)| Share {
            user_id: share.user_id,
            user_name: share.user_name,
            amount: amount.currency.to_major(minor),
            percentage: share.percentage.filter(|_| split_type == SplitType::Percentage),
            weight: None,
            adjustment: None,
        };
        Ok(Self { split_type, splits: shares.into_iter().zip(minor).map(share).collect() })
    }
}

/// The shares, each member once.
fn merged(shares: Vec<V0Share>) -> Result<Vec<V0Share>, Anomaly> {
    let plus = |one: Option<Decimal>, other: Option<Decimal>| match (one, other) {
        (Some(one), Some(other)) => one.plus(other).map(Some).ok_or(Anomaly::TooLarge),
        _ => Ok(None),
    };
    let mut merged: Vec<V0Share> = Vec::new();
    for share in shares {
        if let Some(same) = merged.iter_mut().find(|it| it.user_id == share.user_id) {
            same.amount = plus(same.amount, share.amount)?;
            same.percentage = plus(same.percentage, share.percentage)?;
        } else {
            merged.push(share);
        }
    }
    Ok(merged)
}

/// The shares in minor units, if all are whole numbers and sum to the amount.
fn whole(shares: &[V0Share], amount: Money) -> Option<Vec<i64>> {
    let minor = |share: &V0Share| amount.currency.to_minor(share.amount?).ok();
    let minor: Vec<i64> = shares.iter().map(minor).collect::<Option<_>>()?;
    let sum: i128 = minor.iter().copied().map(i128::from).sum();
    (sum == amount.minor.into()).then_some(minor)
}

/// The percentages, if the current rules accept them.
fn percentages(shares: &[V0Share]) -> Option<Vec<u32>> {
    let percentages: Vec<Decimal> =
        shares.iter().map(|share| share.percentage).collect::<Option<_>>()?;
    percentage_weights(&percentages).ok()
}

/// The amount divided by the rule of the split, if the row has the input for it.
fn divided(
    split_type: Option<SplitType>,
    shares: &[V0Share],
    amount: Money,
    id: ExpenseId,
) -> Result<Vec<i64>, Anomaly> {
    let by_percentage = || weights(shares.iter().map(|share| share.percentage));
    let by_amount = || weights(shares.iter().map(|share| share.amount));
    let weights = match split_type {
        Some(SplitType::Equal) => Some(vec![1; shares.len()]),
        Some(SplitType::Percentage) => by_percentage().or_else(by_amount),
        _ => by_amount(),
    };
    let members = shares.iter().map(|share| share.user_id);
    let weights: Vec<_> = members.zip(weights.ok_or(Anomaly::NoRule)?).collect();
    let shares = divide_in_proportion(&weights, amount, id).map_err(|_| Anomaly::NoRule)?;
    Ok(shares.into_iter().map(|share| share.amount.minor).collect())
}

/// The numbers as whole numbers in the same proportion, if none is missing and not all are zero.
fn weights(numbers: impl Iterator<Item = Option<Decimal>>) -> Option<Vec<i128>> {
    let numbers: Vec<Decimal> = numbers.collect::<Option<_>>()?;
    let scale = numbers.iter().map(|number| number.decimals()).max()?;
    let weight = |number: &Decimal| number.at_scale(scale)?.checked_abs();
    let weights: Vec<i128> = numbers.iter().map(weight).collect::<Option<_>>()?;
    weights.iter().any(|weight| *weight > 0).then_some(weights)
}
