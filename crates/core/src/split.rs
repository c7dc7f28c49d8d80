//! How an expense is split into shares. The shares sum to the amount, and left-over minor units
//! rotate among the members.
//!
//! Unit: every `i64` is a count of the minor units of one currency. The three ways to split are one
//! division by weights: an equal part weighs 1, a percentage its ten-thousandths, an exact part its
//! units.

use std::collections::HashSet;

use sha2::{Digest, Sha256};

use crate::{
    decimal::Decimal,
    id::{ExpenseId, UserId},
    money::Money,
    words,
};

/// How many shares an expense has at the most.
///
/// An edit of an expense of n shares takes up to 2n + 7 of the 100 actions of a transaction.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub const MAX_SHARES: usize = 45;

/// The weight of one percent, and of all hundred: four decimals are kept.
const PERCENT_DECIMALS: u8 = 4;
const WHOLE: u64 = 1_000_000;

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

/// A valid split: each member once, and the weights add up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    split_type: SplitType,
    parts: Vec<(UserId, u64)>,
}

/// What one member owes of an expense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UserShare {
    /// The member.
    pub user: UserId,
    /// Their share; zero is possible.
    pub amount: Money,
    /// The percentage it was computed from, where it was.
    pub percentage: Option<Decimal>,
}

/// Why a split is invalid. An index is the position of a part in the input, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SplitError {
    /// There are no splits.
    #[error("splits must not be empty")]
    Empty,
    /// There are more shares than one transaction can write.
    #[error("an expense must have at most {MAX_SHARES} splits, not {0}")]
    TooMany(usize),
    /// A member is named twice.
    #[error("userId must appear only once in splits")]
    Twice(usize),
    /// A part is below zero.
    #[error("must not be negative")]
    Negative(usize),
    /// A percentage has more than four decimals.
    #[error("must have at most {PERCENT_DECIMALS} decimals")]
    TooFine(usize),
    /// The exact parts are not the amount.
    #[error(
        "must sum to the amount, not to {} ({})",
        .amount.currency.to_major(*.sum),
        off(.sum.saturating_sub(.amount.minor.into()), |minor| .amount.currency.to_major(minor))
    )]
    Sum {
        /// What they sum to, in minor units.
        sum: i128,
        /// What they should sum to.
        amount: Money,
    },
    /// The percentages are not 100.
    #[error(
        "percentages of splits must sum to 100, not to {} ({})",
        Decimal::new(*.0, PERCENT_DECIMALS),
        off(.0.saturating_sub(WHOLE.into()), |weight| Decimal::new(weight, PERCENT_DECIMALS))
    )]
    Percentages(i128),
}

/// A difference with its direction: "0.01 too much", "0.01 too little".
fn off(difference: i128, number: impl Fn(i128) -> Decimal) -> String {
    let direction = if difference < 0 { "too little" } else { "too much" };
    format!("{} {direction}", number(difference.saturating_abs()))
}

/// The weight of a percentage, the part at `index`, in ten-thousandths.
pub(crate) fn weight(percentage: Decimal, index: usize) -> Result<i128, SplitError> {
    if percentage.decimals() > PERCENT_DECIMALS {
        return Err(SplitError::TooFine(index));
    }
    Ok(percentage.at_scale(PERCENT_DECIMALS).unwrap_or(i128::MAX))
}

/// Whether weights of percentages sum to 100.
pub(crate) fn percentage_sum(weights: i128) -> Result<(), SplitError> {
    if weights == WHOLE.into() { Ok(()) } else { Err(SplitError::Percentages(weights)) }
}

/// Whether exact parts that sum to `sum` minor units make up `amount`.
pub(crate) fn exact_sum(sum: i128, amount: Money) -> Result<(), SplitError> {
    if sum == amount.minor.into() { Ok(()) } else { Err(SplitError::Sum { sum, amount }) }
}

impl Split {
    /// Everybody of `users` the same.
    ///
    /// # Errors
    ///
    /// [`SplitError`] where there are none or too many, or one is named twice.
    pub fn equal(users: impl IntoIterator<Item = UserId>) -> Result<Self, SplitError> {
        let parts = users.into_iter().map(|user| (user, 1)).collect();
        Self::checked(SplitType::Equal, parts)
    }

    /// The given percentages, which sum to exactly 100 with at most four decimals each.
    ///
    /// # Errors
    ///
    /// [`SplitError`] where they do not, where there are none or too many, or where a member is
    /// named twice.
    pub fn percentage(
        parts: impl IntoIterator<Item = (UserId, Decimal)>,
    ) -> Result<Self, SplitError> {
        let weigh = |(index, (user, percentage)): (usize, (UserId, Decimal))| {
            if percentage.is_negative() {
                return Err(SplitError::Negative(index));
            }
            let weight = weight(percentage, index)?;
            // What no `u64` holds is over 100 anyway.
            Ok((user, u64::try_from(weight).map_err(|_| SplitError::Percentages(weight))?))
        };
        let parts = parts.into_iter().enumerate().map(weigh).collect::<Result<_, _>>()?;
        let split = Self::checked(SplitType::Percentage, parts)?;
        percentage_sum(split.total()).map(|()| split)
    }

    /// The given parts in minor units, which sum to exactly `amount`.
    ///
    /// # Errors
    ///
    /// [`SplitError`] where they do not, where there are none or too many, or where a member is
    /// named twice.
    pub fn exact(
        parts: impl IntoIterator<Item = (UserId, i64)>,
        amount: Money,
    ) -> Result<Self, SplitError> {
        let weigh = |(index, (user, minor)): (usize, (UserId, i64))| {
            u64::try_from(minor)
                .map(|weight| (user, weight))
                .map_err(|_| SplitError::Negative(index))
        };
        let parts = parts.into_iter().enumerate().map(weigh).collect::<Result<_, _>>()?;
        let split = Self::checked(SplitType::Exact, parts)?;
        exact_sum(split.total(), amount).map(|()| split)
    }

    fn checked(split_type: SplitType, parts: Vec<(UserId, u64)>) -> Result<Self, SplitError> {
        if parts.is_empty() {
            return Err(SplitError::Empty);
        }
        if parts.len() > MAX_SHARES {
            return Err(SplitError::TooMany(parts.len()));
        }
        let mut seen = HashSet::new();
        match parts.iter().position(|(user, _)| !seen.insert(*user)) {
            Some(index) => Err(SplitError::Twice(index)),
            None => Ok(Self { split_type, parts }),
        }
    }

    /// How it divides.
    #[must_use]
    pub const fn split_type(&self) -> SplitType {
        self.split_type
    }

    /// Who shares, in the order of input.
    pub fn users(&self) -> impl Iterator<Item = UserId> + '_ {
        self.parts.iter().map(|(user, _)| *user)
    }

    /// The sum of the weights: at most 45 times `u64::MAX`.
    fn total(&self) -> i128 {
        self.parts.iter().fold(0, |sum, (_, weight)| sum.saturating_add(i128::from(*weight)))
    }

    /// The parts of `amount`, which is above zero, in the order of input. They sum to it
    /// exactly.
    ///
    /// What the division leaves over goes by largest remainder; ties go in turn over the members by
    /// id, from a place that `expense` decides: the same expense always gives the same parts, and
    /// over many expenses each member carries the odd unit equally often.
    ///
    /// # Example
    ///
    /// ```
    /// use fracti_core::{currency::Currency, id::UserId, money::Money, split::Split};
    ///
    /// let friends = [1, 2, 3].map(|number| UserId::new(number).unwrap());
    /// let dinner = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    /// let amount = Money { currency: Currency::TON, minor: 100 };
    /// let shares = Split::equal(friends).unwrap().divide(amount, dinner);
    /// let mut minor: Vec<i64> = shares.iter().map(|share| share.amount.minor).collect();
    /// minor.sort();
    /// assert_eq!(minor, [33, 33, 34]);
    /// ```
    #[must_use]
    pub fn divide(&self, amount: Money, expense: ExpenseId) -> Vec<UserShare> {
        let Money { currency, minor: amount } = amount;
        let total = self.total().max(1);
        // A weight and an amount have at most 64 bits each, so a product fits into an `i128`.
        let product = |weight: u64| i128::from(amount).saturating_mul(weight.into());
        let floor = |weight| product(weight).div_euclid(total);
        let remainder = |weight| product(weight).rem_euclid(total);

        let mut tie_break: Vec<usize> = (0..self.parts.len()).collect();
        tie_break.sort_by_key(|&index| self.parts.get(index).map(|(user, _)| *user));
        tie_break.rotate_left(tie_break_start(expense, self.parts.len()));
        // Stable: among equal remainders the turn decides.
        tie_break.sort_by_key(|&index| {
            std::cmp::Reverse(self.parts.get(index).map(|(_, weight)| remainder(*weight)))
        });
        let given =
            self.parts.iter().fold(0_i128, |sum, (_, weight)| sum.saturating_add(floor(*weight)));
        let left = i128::from(amount).saturating_sub(given);
        let odd: HashSet<usize> =
            tie_break.into_iter().take(usize::try_from(left).unwrap_or_default()).collect();

        let part = |(index, &(user, weight)): (usize, &(UserId, u64))| UserShare {
            user,
            amount: Money {
                currency,
                minor: i64::try_from(floor(weight).saturating_add(odd.contains(&index).into()))
                    .unwrap_or(amount),
            },
            percentage: (self.split_type == SplitType::Percentage)
                .then(|| Decimal::new(weight.into(), PERCENT_DECIMALS)),
        };
        self.parts.iter().enumerate().map(part).collect()
    }
}

/// Whose turn it is to carry an odd unit of `expense`, as an index below `members`.
///
/// A hash, because an id begins with the time, and hand-made ids differ in one digit.
fn tie_break_start(expense: ExpenseId, members: usize) -> usize {
    let hash = Sha256::digest(expense.as_bytes());
    let number = hash.first_chunk::<8>().map_or(0, |bytes| u64::from_be_bytes(*bytes));
    let tie_break = number.checked_rem(u64::try_from(members).unwrap_or(u64::MAX));
    tie_break.and_then(|tie_break| usize::try_from(tie_break).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;
    use proptest::{collection::vec, prelude::*};

    fn user(number: u64) -> UserId {
        UserId::new(number).unwrap()
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
    fn what_does_not_come_out_is_refused() {
        let rows: [(Result<Split, SplitError>, &str); 9] = [
            (Split::equal([]), "splits must not be empty"),
            (Split::equal((1..47).map(user)), "an expense must have at most 45 splits, not 46"),
            (Split::equal([user(1), user(2), user(1)]), "userId must appear only once in splits"),
            (
                Split::percentage([(user(1), number("49.99")), (user(2), number("50"))]),
                "percentages of splits must sum to 100, not to 99.99 (0.01 too little)",
            ),
            (
                Split::percentage([(user(1), number("50.0001")), (user(2), number("50"))]),
                "percentages of splits must sum to 100, not to 100.0001 (0.0001 too much)",
            ),
            (
                Split::percentage([(user(1), number("33.33333")), (user(2), number("66.66667"))]),
                "must have at most 4 decimals",
            ),
            (
                Split::percentage([(user(1), number("-1")), (user(2), number("101"))]),
                "must not be negative",
            ),
            (
                Split::exact([(user(1), 50), (user(2), 51)], eur(100)),
                "must sum to the amount, not to 1.01 (0.01 too much)",
            ),
            (
                Split::exact([(user(1), i64::MAX), (user(2), i64::MAX)], eur(100)),
                "must sum to the amount, not to 184467440737095516.14 (184467440737095515.14 too much)",
            ),
        ];
        for (split, message) in rows {
            assert_eq!(split.unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn nobody_without_a_percentage_carries_an_odd_unit() {
        let parts = [(user(1), number("0")), (user(2), number("33.3")), (user(3), number("66.7"))];
        for seed in 0..50 {
            let shares = Split::percentage(parts).unwrap().divide(eur(101), expense(seed));
            assert_eq!(shares[0].amount.minor, 0);
            assert_eq!(shares[1].percentage, Some(number("33.3")));
        }
    }

    #[test]
    fn everybody_carries_the_odd_unit_about_equally_often() {
        let split = Split::equal([user(1), user(2), user(3)]).unwrap();
        let mut carried = [0_u32; 3];
        for seed in 0..3000_u32 {
            let [a, b, c, d] = seed.to_be_bytes();
            let at = Timestamp::from_millis(1_700_000_000_000).unwrap();
            let id = ExpenseId::new(at, [a, b, c, d, 0, 0, 0, 0, 0, 0]);
            for (count, part) in carried.iter_mut().zip(split.divide(eur(100), id)) {
                *count += u32::from(part.amount.minor == 34);
            }
        }
        assert_eq!(carried.iter().sum::<u32>(), 3000);
        assert!(carried.iter().all(|count| (850..1150).contains(count)), "{carried:?}");
    }

    /// Weights that sum to 1 000 000, cut at random places.
    fn percentages() -> impl Strategy<Value = Vec<u64>> {
        vec(0..=WHOLE, 0..44).prop_map(|mut cuts| {
            cuts.sort_unstable();
            cuts.push(WHOLE);
            let mut last = 0;
            cuts.iter().map(|cut| cut - std::mem::replace(&mut last, *cut)).collect()
        })
    }

    proptest! {
        #[test]
        fn equal_parts_sum_to_the_amount_and_differ_by_one(
            amount in 1..=i64::MAX, members in 1..=45_u64, seed: u8,
        ) {
            let parts = Split::equal((1..=members).map(user)).unwrap().divide(eur(amount), expense(seed));
            let minor: Vec<i128> = parts.iter().map(|part| part.amount.minor.into()).collect();
            prop_assert_eq!(minor.iter().sum::<i128>(), i128::from(amount));
            prop_assert!(minor.iter().max().unwrap() - minor.iter().min().unwrap() <= 1);
        }

        #[test]
        fn percentages_sum_to_the_amount_and_are_off_by_less_than_a_unit(
            amount in 1..=i64::MAX, weights in percentages(), seed: u8,
        ) {
            let parts = (1..).map(user).zip(weights.iter().map(|w| Decimal::new((*w).into(), 4)));
            let parts = Split::percentage(parts).unwrap().divide(eur(amount), expense(seed));
            prop_assert_eq!(parts.iter().map(|part| i128::from(part.amount.minor)).sum::<i128>(), i128::from(amount));
            for (part, weight) in parts.iter().zip(weights) {
                let exact = i128::from(amount) * i128::from(weight);
                prop_assert!((i128::from(part.amount.minor) * i128::from(WHOLE) - exact).abs() < i128::from(WHOLE));
            }
        }

        #[test]
        fn exact_parts_are_what_was_given(minor in vec(0..=i64::MAX / 45, 1..45), seed: u8) {
            let amount: i64 = minor.iter().sum();
            prop_assume!(amount > 0);
            let parts = (1..).map(user).zip(minor.iter().copied());
            let parts = Split::exact(parts, eur(amount)).unwrap().divide(eur(amount), expense(seed));
            prop_assert_eq!(parts.iter().map(|part| part.amount.minor).collect::<Vec<_>>(), minor);
        }

        #[test]
        fn the_order_of_input_does_not_matter(
            amount in 1..100_000_i64,
            seed: u8,
            shuffled in Just((1..=7).collect::<Vec<u64>>()).prop_shuffle(),
        ) {
            let of = |order: &[u64]| {
                let split = Split::equal(order.iter().copied().map(user)).unwrap();
                let mut parts = split.divide(eur(amount), expense(seed));
                parts.sort_by_key(|part| part.user);
                parts
            };
            prop_assert_eq!(of(&shuffled), of(&[1, 2, 3, 4, 5, 6, 7]));
        }
    }
}
