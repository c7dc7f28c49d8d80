//! How an expense is split into shares. The shares sum to the amount, and left-over minor units
//! rotate among the members.
//!
//! Every split is a division by weights. The weight of a member is 1 in an equal split, the amount
//! in minor units in an exact split, and the percentage in ten-thousandths in a percentage split.

use std::{cmp::Reverse, collections::HashSet};

use sha2::{Digest, Sha256};

use crate::{
    decimal::Decimal,
    id::{ExpenseId, MemberId},
    money::Money,
    words,
};

/// Maximum number of shares of an expense.
///
/// Editing an expense with n shares takes up to 2n + 7 of the 100 actions of a transaction.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub const MAX_SHARES: usize = 45;

/// Maximum number of decimals of a percentage.
pub(crate) const PERCENT_DECIMALS: u8 = 4;

words! {
    /// How an expense is split: equally, by exact amounts, or by percentages.
    pub enum SplitType as "SplitType" {
        /// All shares are the same.
        Equal = "equal",
        /// By amounts that are given.
        Exact = "exact",
        /// By percentages that are given.
        Percentage = "percentage",
    }
}

/// The weight of 100 percent.
const WHOLE: i64 = 1_000_000;

/// How an expense is split among members. Each member is listed once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// Members with equal shares.
    Equal(Vec<MemberId>),
    /// The share of each member, in minor units; the shares sum to the amount.
    Exact(Vec<(MemberId, i64)>),
    /// The percentage of each member, in ten-thousandths; the percentages sum to 100.
    Percentage(Vec<(MemberId, u32)>),
}

/// The share of an expense that one member owes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserShare {
    /// The member.
    pub user: MemberId,
    /// Amount of the share; may be zero.
    pub amount: Money,
    /// Percentage from which the share was computed, in a percentage split.
    pub percentage: Option<Decimal>,
}

/// Error returned for an invalid split. An index is a position in the input, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// There are no members.
    #[error("splits must not be empty")]
    Empty,
    /// There are more shares than one transaction can write.
    #[error("an expense must have at most {MAX_SHARES} splits, not {0}")]
    TooMany(usize),
    /// A member is listed twice.
    #[error("userId must appear only once in splits")]
    Twice(usize),
    /// An amount or a percentage is negative.
    #[error("must not be negative")]
    Negative(usize),
    /// A percentage has too many decimals.
    #[error("must have at most {PERCENT_DECIMALS} decimals")]
    TooFine(usize),
    /// The exact shares do not sum to the amount.
    #[error(
        "must sum to the amount, not to {}",
        and_difference(*.sum, .amount.minor, |minor| .amount.currency.to_major(minor))
    )]
    Sum {
        /// Sum of the shares, in minor units.
        sum: i128,
        /// Amount of the expense.
        amount: Money,
    },
    /// The percentages do not sum to 100. The value is their sum, in ten-thousandths.
    #[error(
        "percentages of splits must sum to 100, not to {}",
        and_difference(*.0, WHOLE, |weight| Decimal::new(weight, PERCENT_DECIMALS))
    )]
    Percentages(i128),
    /// The percentages are too large to be added up.
    #[error("percentages of splits must sum to 100")]
    TooMuch,
}

/// A sum and its difference from the expected one: "99.99 (0.01 too little)".
#[expect(clippy::arithmetic_side_effects, reason = "a sum that is not negative, minus an `i64`")]
fn and_difference(sum: i128, expected: i64, number: impl Fn(i128) -> Decimal) -> String {
    let difference = sum - i128::from(expected);
    let direction = if difference < 0 { "too little" } else { "too much" };
    format!("{} ({} {direction})", number(sum), number(difference.abs()))
}

/// The weights of percentages, which must sum to 100.
pub(crate) fn percentage_weights(percentages: &[Decimal]) -> Result<Vec<u32>, SplitError> {
    let weights: Option<Vec<i128>> =
        percentages.iter().map(|percentage| percentage.at_scale(PERCENT_DECIMALS)).collect();
    let weights = weights.ok_or(SplitError::TooMuch)?;
    let sum = weights.iter().try_fold(0_i128, |sum, weight| sum.checked_add(*weight));
    check_percentages(sum.ok_or(SplitError::TooMuch)?)?;
    let weight = |(index, weight)| u32::try_from(weight).map_err(|_| SplitError::Negative(index));
    weights.into_iter().enumerate().map(weight).collect()
}

fn check_percentages(sum: i128) -> Result<(), SplitError> {
    if sum == WHOLE.into() { Ok(()) } else { Err(SplitError::Percentages(sum)) }
}

/// Checks that exact shares sum to the amount.
pub(crate) fn check_exact(
    shares: impl Iterator<Item = i64>,
    amount: Money,
) -> Result<(), SplitError> {
    let sum = shares.map(i128::from).sum();
    if sum == amount.minor.into() { Ok(()) } else { Err(SplitError::Sum { sum, amount }) }
}

impl Split {
    /// The type of the split, without its members.
    #[must_use]
    pub const fn split_type(&self) -> SplitType {
        match self {
            Self::Equal(_) => SplitType::Equal,
            Self::Exact(_) => SplitType::Exact,
            Self::Percentage(_) => SplitType::Percentage,
        }
    }

    /// The same split with its members in order of id, so that splits can be compared.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        match &mut self {
            Self::Equal(members) => members.sort_unstable(),
            Self::Exact(amounts) => amounts.sort_unstable(),
            Self::Percentage(percentages) => percentages.sort_unstable(),
        }
        self
    }

    /// Checks that the split can divide `amount`.
    ///
    /// # Errors
    ///
    /// [`SplitError`] if there are no members or too many, if a member is listed twice, or if
    /// amounts or percentages are negative or do not add up.
    pub fn check(&self, amount: Money) -> Result<(), SplitError> {
        self.weights(amount).map(|_| ())
    }

    /// The weights of the members, none of which is negative.
    fn weights(&self, amount: Money) -> Result<Vec<(MemberId, i64)>, SplitError> {
        let (weights, sum): (Vec<(MemberId, i64)>, _) = match self {
            Self::Equal(members) => (members.iter().map(|member| (*member, 1)).collect(), Ok(())),
            Self::Exact(amounts) => {
                (amounts.clone(), check_exact(amounts.iter().map(|(_, minor)| *minor), amount))
            }
            Self::Percentage(percentages) => (
                percentages.iter().map(|(member, weight)| (*member, (*weight).into())).collect(),
                check_percentages(percentages.iter().map(|(_, weight)| i128::from(*weight)).sum()),
            ),
        };
        if let Some(index) = weights.iter().position(|(_, weight)| *weight < 0) {
            return Err(SplitError::Negative(index));
        }
        if weights.is_empty() {
            return Err(SplitError::Empty);
        }
        if weights.len() > MAX_SHARES {
            return Err(SplitError::TooMany(weights.len()));
        }
        let mut seen = HashSet::new();
        if let Some(index) = weights.iter().position(|(member, _)| !seen.insert(*member)) {
            return Err(SplitError::Twice(index));
        }
        sum.map(|()| weights)
    }

    /// Divides `amount`, which must be above zero, into shares in the order of the members. The
    /// shares sum to the amount exactly.
    ///
    /// Left-over minor units go to the members with the largest remainders, one each. Members with
    /// equal remainders are served in order of id, beginning at one that `expense` determines: the
    /// same expense always has the same shares, and over many expenses each member gets a left-over
    /// minor unit equally often.
    ///
    /// # Errors
    ///
    /// As [`Split::check`].
    ///
    /// # Example
    ///
    /// ```
    /// use fracti_core::{currency::Currency, id::UserId, money::Money, split::Split};
    ///
    /// let friends = [1, 2, 3].map(|number| UserId::new(number).unwrap().into());
    /// let dinner = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    /// let amount = Money { currency: Currency::TON, minor: 100 };
    /// let shares = Split::Equal(friends.to_vec()).divide(amount, dinner).unwrap();
    /// let mut minor: Vec<i64> = shares.iter().map(|share| share.amount.minor).collect();
    /// minor.sort();
    /// assert_eq!(minor, [33, 33, 34]);
    /// ```
    #[expect(
        clippy::arithmetic_side_effects,
        clippy::cast_possible_truncation,
        reason = "a weight is at most the total of at most 45 weights, so a product has at most 126 \
                  bits, and a share is at most the amount"
    )]
    pub fn divide(&self, amount: Money, expense: ExpenseId) -> Result<Vec<UserShare>, SplitError> {
        let weights = self.weights(amount)?;
        // The total is zero only in an exact split of zero, and then each share is zero.
        let total = weights.iter().map(|(_, weight)| i128::from(*weight)).sum::<i128>().max(1);
        let percentage = |weight: i64| match self {
            Self::Equal(_) | Self::Exact(_) => None,
            Self::Percentage(_) => Some(Decimal::new(weight.into(), PERCENT_DECIMALS)),
        };
        let rounded_down = |(user, weight): (MemberId, i64)| {
            let product = i128::from(amount.minor) * i128::from(weight);
            let minor = product.div_euclid(total) as i64;
            let percentage = percentage(weight);
            let share = UserShare { user, amount: Money { minor, ..amount }, percentage };
            (share, product.rem_euclid(total))
        };
        let mut shares: Vec<(UserShare, i128)> = weights.into_iter().map(rounded_down).collect();
        let given: i128 = shares.iter().map(|(share, _)| i128::from(share.amount.minor)).sum();

        let mut order: Vec<&mut (UserShare, i128)> = shares.iter_mut().collect();
        order.sort_by_key(|(share, _)| share.user);
        let start = tie_break_start(expense, order.len());
        order.rotate_left(start);
        // The sort is stable, so members with equal remainders keep their order.
        order.sort_by_key(|(_, remainder)| Reverse(*remainder));
        // There are fewer units left than members, because each remainder is less than one unit.
        for (_, (share, _)) in (given..amount.minor.into()).zip(order) {
            share.amount.minor += 1;
        }
        Ok(shares.into_iter().map(|(share, _)| share).collect())
    }
}

/// Index, below `members`, of the member who is the first to get a left-over minor unit of
/// `expense`.
///
/// It is computed from a hash, because the ids themselves are not evenly distributed: they begin
/// with the time, and ids written by hand may differ in one digit only.
#[expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    reason = "a split has at least one member and at most 45"
)]
fn tie_break_start(expense: ExpenseId, members: usize) -> usize {
    let hash: [u8; 32] = Sha256::digest(expense.as_bytes()).into();
    let first = [hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6], hash[7]];
    (u64::from_be_bytes(first) % members as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{id::UserId, time::Timestamp};
    use proptest::{collection::vec, prelude::*};

    fn user(number: u64) -> MemberId {
        UserId::new(number).unwrap().into()
    }

    fn expense(number: u8) -> ExpenseId {
        ExpenseId::new(Timestamp::from_millis(1_700_000_000_000).unwrap(), [number; 10])
    }

    fn eur(minor: i64) -> Money {
        Money { currency: "EUR".parse().unwrap(), minor }
    }

    fn number(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn invalid_splits_are_refused() {
        let rows: [(Split, &str); 8] = [
            (Split::Equal(Vec::new()), "splits must not be empty"),
            (
                Split::Equal((1..47).map(user).collect()),
                "an expense must have at most 45 splits, not 46",
            ),
            (
                Split::Equal(vec![user(1), user(2), user(1)]),
                "userId must appear only once in splits",
            ),
            (
                Split::Percentage(vec![(user(1), 499_900), (user(2), 500_000)]),
                "percentages of splits must sum to 100, not to 99.99 (0.01 too little)",
            ),
            (
                Split::Percentage(vec![(user(1), 500_001), (user(2), 500_000)]),
                "percentages of splits must sum to 100, not to 100.0001 (0.0001 too much)",
            ),
            (Split::Exact(vec![(user(1), -1), (user(2), 101)]), "must not be negative"),
            (
                Split::Exact(vec![(user(1), 50), (user(2), 51)]),
                "must sum to the amount, not to 1.01 (0.01 too much)",
            ),
            (
                Split::Exact(vec![(user(1), i64::MAX), (user(2), i64::MAX)]),
                "must sum to the amount, not to 184467440737095516.14 (184467440737095515.14 too much)",
            ),
        ];
        for (split, message) in rows {
            assert_eq!(split.check(eur(100)).unwrap_err().to_string(), message);
            assert!(split.divide(eur(100), expense(1)).is_err());
        }
    }

    #[test]
    fn percentages_become_weights_that_sum_to_100() {
        let numbers = |texts: &[&str]| texts.iter().map(|text| number(text)).collect::<Vec<_>>();
        for (percentages, expected) in [
            (&["33.3333", "66.6667"][..], Ok(vec![333_333, 666_667])),
            (&["50", "50.01"], Err(SplitError::Percentages(1_000_100))),
            (&["-1", "101"], Err(SplitError::Negative(0))),
            (&["9e33", "9e33"], Err(SplitError::TooMuch)),
            (&["1e37"], Err(SplitError::TooMuch)),
        ] {
            assert_eq!(percentage_weights(&numbers(percentages)), expected, "{percentages:?}");
        }
    }

    #[test]
    fn a_percentage_of_zero_gets_no_left_over_minor_unit() {
        let split = Split::Percentage(vec![(user(1), 0), (user(2), 333_000), (user(3), 667_000)]);
        for seed in 0..50 {
            let shares = split.divide(eur(101), expense(seed)).unwrap();
            assert_eq!(shares[0].amount.minor, 0);
            assert_eq!(shares[1].percentage, Some(number("33.3")));
        }
    }

    #[test]
    fn members_get_a_left_over_minor_unit_about_equally_often() {
        let split = Split::Equal(vec![user(1), user(2), user(3)]);
        let mut carried = [0_u32; 3];
        for seed in 0..3000_u32 {
            let [a, b, c, d] = seed.to_be_bytes();
            let at = Timestamp::from_millis(1_700_000_000_000).unwrap();
            let id = ExpenseId::new(at, [a, b, c, d, 0, 0, 0, 0, 0, 0]);
            for (count, part) in carried.iter_mut().zip(split.divide(eur(100), id).unwrap()) {
                *count += u32::from(part.amount.minor == 34);
            }
        }
        assert_eq!(carried.iter().sum::<u32>(), 3000);
        assert!(carried.iter().all(|count| (850..1150).contains(count)), "{carried:?}");
    }

    /// Random percentages, in ten-thousandths, that sum to 100.
    fn percentages() -> impl Strategy<Value = Vec<u32>> {
        let whole = u32::try_from(WHOLE).unwrap();
        vec(0..=whole, 0..44).prop_map(move |mut cuts| {
            cuts.sort_unstable();
            cuts.push(whole);
            let mut last = 0;
            cuts.iter().map(|cut| cut - std::mem::replace(&mut last, *cut)).collect()
        })
    }

    proptest! {
        #[test]
        fn equal_shares_sum_to_the_amount_and_differ_by_at_most_one_unit(
            amount in 1..=i64::MAX, members in 1..=45_u64, seed: u8,
        ) {
            let split = Split::Equal((1..=members).map(user).collect());
            let parts = split.divide(eur(amount), expense(seed)).unwrap();
            let minor: Vec<i128> = parts.iter().map(|part| part.amount.minor.into()).collect();
            prop_assert_eq!(minor.iter().sum::<i128>(), i128::from(amount));
            prop_assert!(minor.iter().max().unwrap() - minor.iter().min().unwrap() <= 1);
        }

        #[test]
        fn percentage_shares_sum_to_the_amount_and_are_off_by_less_than_a_unit(
            amount in 1..=i64::MAX, weights in percentages(), seed: u8,
        ) {
            let split = Split::Percentage((1..).map(user).zip(weights.iter().copied()).collect());
            let parts = split.divide(eur(amount), expense(seed)).unwrap();
            prop_assert_eq!(parts.iter().map(|part| i128::from(part.amount.minor)).sum::<i128>(), i128::from(amount));
            for (part, weight) in parts.iter().zip(weights) {
                let exact = i128::from(amount) * i128::from(weight);
                prop_assert!((i128::from(part.amount.minor) * i128::from(WHOLE) - exact).abs() < i128::from(WHOLE));
            }
        }

        #[test]
        fn exact_shares_equal_the_given_amounts(minor in vec(0..=i64::MAX / 45, 1..45), seed: u8) {
            let amount: i64 = minor.iter().sum();
            prop_assume!(amount > 0);
            let split = Split::Exact((1..).map(user).zip(minor.iter().copied()).collect());
            let parts = split.divide(eur(amount), expense(seed)).unwrap();
            prop_assert_eq!(parts.iter().map(|part| part.amount.minor).collect::<Vec<_>>(), minor);
        }

        #[test]
        fn order_of_members_does_not_change_the_shares(
            amount in 1..100_000_i64,
            seed: u8,
            shuffled in Just((1..=7).collect::<Vec<u64>>()).prop_shuffle(),
        ) {
            let of = |order: &[u64]| {
                let split = Split::Equal(order.iter().copied().map(user).collect());
                let mut parts = split.divide(eur(amount), expense(seed)).unwrap();
                parts.sort_by_key(|part| part.user);
                parts
            };
            prop_assert_eq!(of(&shuffled), of(&[1, 2, 3, 4, 5, 6, 7]));
        }
    }
}
