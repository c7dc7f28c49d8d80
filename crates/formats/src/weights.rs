//! Shares by weights.

use fracti_core::{
    split::Split,
    values::{decimal::Decimal, id::UserId, money::Money, time::Day},
};
use fracti_texts::{Message, Says, message};

use crate::{
    import::PersonPart,
    key::Key,
    rounding::{Exact, Withheld},
};

/// An amount that a member paid for others.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paid {
    pub(crate) by: usize,
    /// Number of major units, which may be finer than a minor unit.
    pub(crate) number: Decimal,
    /// The number, rounded to minor units.
    pub(crate) rounded: Money,
}

impl Paid {
    /// The exact number of minor units, as a fraction.
    fn exact(&self) -> Option<(i128, i128)> {
        let Self { number, rounded, .. } = self;
        let excess = number.decimals().saturating_sub(rounded.currency.exponent());
        if excess == 0 {
            return Some((rounded.minor.into(), 1));
        }
        Some((number.at_scale(number.decimals())?, 10_i128.checked_pow(excess.into())?))
    }
}

fn too_different() -> Message {
    message!("the weights differ too much", "веса слишком сильно различаются")
}

/// Divides an amount, which is not zero, by the weights of members, with the rule of all our
/// expenses. Left-over minor units go to the members from whom earlier rows have withheld most; if
/// these are equal, they depend on the row and on the names only.
///
/// # Errors
///
/// The rule that the weights break.
pub(crate) fn divide(
    paid: Paid,
    mut weights: Vec<(usize, Decimal)>,
    name: impl Fn(usize) -> String,
    (key, date): (Key, Day),
    withheld: &mut Withheld,
) -> Result<Vec<PersonPart>, Message> {
    weights.sort_by_cached_key(|(member, _)| name(*member));
    let decimals = weights.iter().map(|(_, weight)| weight.decimals()).max().unwrap_or_default();
    let whole: Option<Vec<i128>> = weights.iter().map(|(_, it)| it.at_scale(decimals)).collect();
    let whole = whole.ok_or_else(|| {
        message!("the weights must have at most 38 digits", "цифр в весах должно быть не больше 38")
    })?;
    if whole.iter().any(|weight| *weight < 0) {
        return Err(message!(
            "the weights must not be negative",
            "веса не должны быть отрицательными"
        ));
    }
    // Only the ratio of the weights counts.
    let common = whole.iter().copied().fold(0, greatest_common_divisor).max(1);
    let most = whole.iter().copied().max().unwrap_or_default();
    let least = most.checked_div(u32::MAX.into()).unwrap_or_default().saturating_add(1);
    // An app that calculates with floats writes a third as 0.3333333333333333. The exact ratio of
    // such weights does not fit the split, which then decides only who is first to get more.
    let divisor = common.max(least);
    let is_exact = divisor == common;
    let split = (1_u64..).zip(&whole).map(|(number, weight)| {
        let weight = u32::try_from(weight.checked_div(divisor)?).ok()?;
        Some((UserId::new(number).ok()?.into(), weight))
    });
    let split: Option<Vec<_>> = split.collect();
    let split = Split::Shares(split.ok_or_else(too_different)?);
    let shares = split
        .divide(paid.rounded, key.expense(date))
        .map_err(|it| it.says().about_field("splits"))?;
    let shares = shares.iter().map(|share| share.amount.minor);
    let parts = weights
        .into_iter()
        .zip(shares)
        .map(|((member, _), minor)| PersonPart { person: member, minor });
    let parts: Vec<PersonPart> = parts.collect();
    let balanced = balanced(paid, &parts, &whole, withheld).or(is_exact.then_some(parts));
    balanced.ok_or_else(too_different)
}

/// The shares of an amount by weights, with the left-over minor units where the rows before have
/// withheld most; `None` if the numbers are too large. Where these are equal, `shares` decide.
pub(crate) fn balanced(
    paid: Paid,
    shares: &[PersonPart],
    weights: &[i128],
    withheld: &mut Withheld,
) -> Option<Vec<PersonPart>> {
    let Money { currency, minor } = paid.rounded;
    let exact = exact_shares(paid, shares, weights)?;
    let rounded = withheld.round(currency, &exact, minor.into())?;
    if let Some((numerator, denominator)) = paid.exact() {
        withheld.note_payment(currency, paid.by, (numerator, denominator), minor.into());
    }
    let minor = |(share, minor): (&PersonPart, i128)| {
        Some(PersonPart { minor: i64::try_from(minor).ok()?, ..*share })
    };
    shares.iter().zip(rounded).map(minor).collect()
}

/// The exact shares of an amount by weights; `None` if the numbers are too large.
fn exact_shares(paid: Paid, shares: &[PersonPart], weights: &[i128]) -> Option<Vec<Exact>> {
    let (amount, parts) = paid.exact()?;
    let total = weights.iter().try_fold(0_i128, |sum, weight| sum.checked_add(*weight))?;
    let denominator = total.checked_abs()?.checked_mul(parts)?;
    let exact = |(share, weight): (&PersonPart, &i128)| {
        let numerator = amount.checked_mul(*weight)?.checked_mul(total.signum())?;
        let down = numerator.checked_div_euclid(denominator)?;
        let is_up = i128::from(share.minor) > down;
        Some(Exact { member: share.person, numerator, denominator, is_up })
    };
    shares.iter().zip(weights).map(exact).collect()
}

fn greatest_common_divisor(one: i128, other: i128) -> i128 {
    let mut one = one;
    let mut other = other;
    while let Some(rest) = one.checked_rem(other) {
        (one, other) = (other, rest);
    }
    one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_a_ratio() {
        let key = Key::of("test", &[]);
        let date = "2026-01-31".parse().unwrap();
        let divided = |minor: i64, weights: &[&str]| {
            let rounded = Money { minor, currency: "EUR".parse().unwrap() };
            let paid = Paid { by: 0, number: rounded.to_major(), rounded };
            let weights = weights.iter().map(|weight| weight.parse().unwrap()).enumerate();
            let row = (key, date);
            let mut withheld = Withheld::default();
            let parts = divide(paid, weights.collect(), |it| it.to_string(), row, &mut withheld);
            parts.map(|parts| parts.iter().map(|part| part.minor).collect::<Vec<_>>())
        };
        assert_eq!(divided(1000, &["0.5", "2"]), Ok(vec![200, 800]));
        assert_eq!(divided(-1000, &["1", "0", "1.0"]), Ok(vec![-500, 0, -500]));
        assert_eq!(divided(100, &["12345678.9", "12345678.9"]), Ok(vec![50, 50]));
        let third = ["0.3333333333333333", "0.3333333333333333", "1"];
        assert_eq!(divided(1000, &third), Ok(vec![200, 200, 600]));
        assert_eq!(divided(100, &["0.30000000000000004", "0.7"]), Ok(vec![30, 70]));
        assert_eq!(divided(1000, &["0.00000000001", "1"]), Ok(vec![0, 1000]));
        assert_eq!(divided(1000, &["2", "1"]).unwrap().iter().sum::<i64>(), 1000);
        for (weights, rule) in [
            (&["0", "0"][..], "weights must not all be 0"),
            (&["-1", "2"], "the weights must not be negative"),
            (&["1e-37", "1"], "the weights differ too much"),
            (&["1"; 46], "an expense must have at most 45 splits and further payers, not 46"),
            (&[], "splits must not be empty"),
        ] {
            let error = divided(1000, weights).unwrap_err();
            assert_eq!(error.to_string(), rule, "{weights:?}");
        }
    }
}
