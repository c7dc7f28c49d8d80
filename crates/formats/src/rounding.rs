//! Rounding to minor units that does not add up.
//!
//! Other apps calculate with fractions of a minor unit and round only the balances that they show.
//! Rows that are rounded one by one would miss these balances by more units the more rows there
//! are. So a row gives its left-over minor units to the members to whom the rows before have given
//! too little.

use std::{cmp::Reverse, collections::HashMap};

use fracti_core::values::{currency::Currency, decimal::Decimal};

/// Number of fractions of a minor unit that are counted.
const UNIT: i128 = 1 << 32;

/// An exact amount of a member, as a number of minor units.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Exact {
    pub(crate) member: usize,
    pub(crate) numerator: i128,
    /// Above zero.
    pub(crate) denominator: i128,
    /// Whether the amount is rounded up if the rows before make no difference.
    pub(crate) is_up: bool,
}

impl Exact {
    /// The amount of a number of major units, which may be finer than the minor unit; `None` if it
    /// is too large.
    pub(crate) fn of(member: usize, number: Decimal, currency: Currency) -> Option<Self> {
        let excess = number.decimals().saturating_sub(currency.exponent());
        let numerator = number.at_scale(number.decimals().max(currency.exponent()))?;
        let denominator = 10_i128.checked_pow(excess.into())?;
        Some(Self { member, numerator, denominator, is_up: false })
    }

    /// The amount rounded down, and the rest in fractions of a minor unit.
    fn parts(self) -> Option<(i128, i128)> {
        let whole = self.numerator.checked_div_euclid(self.denominator)?;
        let rest = self.numerator.checked_rem_euclid(self.denominator)?;
        Some((whole, rest.checked_mul(UNIT)?.checked_div(self.denominator)?))
    }

    fn is_whole(self) -> bool {
        self.numerator.checked_rem_euclid(self.denominator) == Some(0)
    }
}

/// Fractions of a minor unit that rounding has withheld from members so far.
#[derive(Debug, Default)]
pub(crate) struct Withheld(HashMap<(Currency, usize), i128>);

impl Withheld {
    /// Rounds the amounts of a row down or up, so that they sum to `sum`. `None` if that is not
    /// possible, or if the numbers are too large.
    pub(crate) fn round(
        &mut self,
        currency: Currency,
        exact: &[Exact],
        sum: i128,
    ) -> Option<Vec<i128>> {
        let parts: Option<Vec<(i128, i128)>> = exact.iter().map(|it| it.parts()).collect();
        let parts = parts?;
        let down = parts.iter().try_fold(0_i128, |sum, (whole, _)| sum.checked_add(*whole))?;
        let left = usize::try_from(sum.checked_sub(down)?).ok()?;
        let withheld = |member: usize| self.0.get(&(currency, member)).copied().unwrap_or_default();
        let mut order: Vec<usize> = (0..exact.len()).collect();
        order.retain(|index| exact.get(*index).is_some_and(|it| !it.is_whole()));
        if left > order.len() {
            return None;
        }
        order.sort_by_key(|index| {
            let (Some(it), Some((_, rest))) = (exact.get(*index), parts.get(*index)) else {
                return Reverse((0, false));
            };
            Reverse((withheld(it.member).saturating_add(*rest), it.is_up))
        });
        let up = order.get(..left)?;
        let mut rounded = Vec::with_capacity(exact.len());
        for (index, (it, (whole, rest))) in exact.iter().zip(parts).enumerate() {
            let given = i128::from(up.contains(&index));
            rounded.push(whole.checked_add(given)?);
            self.withhold(currency, it.member, rest.checked_sub(given.checked_mul(UNIT)?)?);
        }
        Some(rounded)
    }

    /// Notes that a payment of an exact amount, given as a fraction, counts as `rounded` minor
    /// units. A payer who is credited too little must owe less.
    pub(crate) fn note_payment(
        &mut self,
        currency: Currency,
        payer: usize,
        (numerator, denominator): (i128, i128),
        rounded: i128,
    ) {
        let difference = rounded
            .checked_mul(denominator)
            .and_then(|rounded| rounded.checked_sub(numerator)?.checked_mul(UNIT))
            .and_then(|difference| difference.checked_div(denominator));
        self.withhold(currency, payer, difference.unwrap_or_default());
    }

    /// Notes that a member was given too little by a fraction of a minor unit, or too much if it
    /// is negative.
    fn withhold(&mut self, currency: Currency, member: usize, fraction: i128) {
        let withheld = self.0.entry((currency, member)).or_default();
        *withheld = withheld.saturating_add(fraction);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn exact(member: usize, numerator: i128, denominator: i128, is_up: bool) -> Exact {
        Exact { member, numerator, denominator, is_up }
    }

    #[test]
    fn left_over_units_go_to_members_who_got_too_little() {
        let eur = "EUR".parse().unwrap();
        let usd = "USD".parse().unwrap();
        let mut withheld = Withheld::default();
        let thirds = |up| [0, 1, 2].map(|member| exact(member, 100, 3, member == up));
        let mut round = |currency| withheld.round(currency, &thirds(1), 100).unwrap();
        assert_eq!(round(eur), [33, 34, 33]);
        assert_eq!(round(eur), [34, 33, 33]);
        assert_eq!(round(usd), [33, 34, 33]);
        assert_eq!(round(eur), [33, 33, 34]);
    }

    #[test]
    fn whole_amounts_and_impossible_sums_are_not_rounded() {
        let eur = "EUR".parse().unwrap();
        let mut withheld = Withheld::default();
        withheld.withhold(eur, 0, UNIT);
        let amounts = [exact(0, 5, 1, true), exact(1, -3, 2, false), exact(2, -7, 2, false)];
        assert_eq!(withheld.round(eur, &amounts, 0), Some(vec![5, -1, -4]));
        assert_eq!(withheld.round(eur, &amounts[..1], 6), None);
        assert_eq!(withheld.round(eur, &amounts, -2), None);
        assert_eq!(withheld.round(eur, &[exact(0, i128::MAX, 2, false)], 0), None);
    }

    proptest! {
        #[test]
        fn sums_of_many_rows_are_off_by_less_than_two_units(
            rows in prop::collection::vec((1..10_000_i128, prop::collection::vec(1..5_i128, 4)),
                1..200),
        ) {
            let eur = "EUR".parse().unwrap();
            let mut withheld = Withheld::default();
            // A multiple of every sum of four weights.
            let unit = 720_720;
            let mut sums = [0; 4];
            for (amount, weights) in rows {
                let total: i128 = weights.iter().sum();
                let amounts: Vec<Exact> = (0..)
                    .zip(&weights)
                    .map(|(member, weight)| exact(member, amount * weight, total, false))
                    .collect();
                let shares = withheld.round(eur, &amounts, amount).unwrap();
                prop_assert_eq!(shares.iter().sum::<i128>(), amount);
                for ((sum, share), weight) in sums.iter_mut().zip(&shares).zip(&weights) {
                    let off = (share * total - amount * weight) * (unit / total);
                    prop_assert!(off.abs() < unit);
                    *sum += off;
                }
            }
            prop_assert!(sums.iter().all(|sum| sum.abs() < 2 * unit), "{:?}", sums);
        }
    }
}
