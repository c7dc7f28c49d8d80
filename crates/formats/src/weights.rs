//! Shares by weights.

use fracti_core::{decimal::Decimal, id::UserId, money::Money, split::Split, time::Day};

use crate::{import::Part, key::Key};

/// Divides an amount, which is not zero, by the weights of members, with the rule of all our
/// expenses. Left-over minor units depend on the row and on the names only, so that they are the
/// same in every later export.
///
/// # Errors
///
/// The rule that the weights break.
pub(crate) fn divide(
    amount: Money,
    mut weights: Vec<(usize, Decimal)>,
    name: impl Fn(usize) -> String,
    (key, date): (Key, Day),
) -> Result<Vec<Part>, String> {
    weights.sort_by_cached_key(|(member, _)| name(*member));
    let decimals = weights.iter().map(|(_, weight)| weight.decimals()).max().unwrap_or_default();
    let whole: Option<Vec<i128>> = weights.iter().map(|(_, it)| it.at_scale(decimals)).collect();
    let whole = whole.ok_or("the weights must have at most 38 digits")?;
    if whole.iter().any(|weight| *weight < 0) {
        return Err("the weights must not be negative".to_owned());
    }
    // Only the ratio of the weights counts.
    let divisor = whole.iter().copied().fold(0, greatest_common_divisor).max(1);
    let split = (1_u64..).zip(&whole).map(|(number, weight)| {
        let weight = u32::try_from(weight.checked_div(divisor)?).ok()?;
        Some((UserId::new(number).ok()?.into(), weight))
    });
    let split: Option<Vec<_>> = split.collect();
    let split = Split::Shares(split.ok_or("the weights differ too much")?);
    let shares = split.divide(amount, key.expense(date)).map_err(|error| error.to_string())?;
    let part = |((member, _), minor)| Part { member, minor };
    Ok(weights.into_iter().zip(shares.iter().map(|it| it.amount.minor)).map(part).collect())
}

fn greatest_common_divisor(one: i128, other: i128) -> i128 {
    let (mut one, mut other) = (one, other);
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
        let (key, date) = (Key::of("test", &[]), "2026-01-31".parse().unwrap());
        let divided = |minor: i64, weights: &[&str]| {
            let amount = Money { minor, currency: "EUR".parse().unwrap() };
            let weights = weights.iter().map(|weight| weight.parse().unwrap()).enumerate();
            let parts = divide(amount, weights.collect(), |it| it.to_string(), (key, date));
            parts.map(|parts| parts.iter().map(|part| part.minor).collect::<Vec<_>>())
        };
        assert_eq!(divided(1000, &["0.5", "2"]), Ok(vec![200, 800]));
        assert_eq!(divided(-1000, &["1", "0", "1.0"]), Ok(vec![-500, 0, -500]));
        assert_eq!(divided(100, &["12345678.9", "12345678.9"]), Ok(vec![50, 50]));
        assert_eq!(divided(1000, &["2", "1"]).unwrap().iter().sum::<i64>(), 1000);
        for (weights, rule) in [
            (&["0", "0"][..], "weights must not all be 0"),
            (&["-1", "2"], "the weights must not be negative"),
            (&["0.00000000001", "1"], "the weights differ too much"),
            (&["1"; 46], "an expense must have at most 45 splits and further payers, not 46"),
            (&[], "splits must not be empty"),
        ] {
            assert_eq!(divided(1000, weights), Err(rule.to_owned()), "{weights:?}");
        }
    }
}
