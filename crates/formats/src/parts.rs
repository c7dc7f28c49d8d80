//! The parts of an amount that members paid or owe, which an app may have rounded one by one.
//!
//! Parts that are rounded alone may miss their amount by some minor units. If rounding explains the
//! difference, they are the ratio by which the amount is divided, so that the odd units go round.

use fracti_core::values::{currency::Currency, decimal::Decimal, money::Money};
use fracti_texts::{Message, message};

use crate::{
    draft::ImportDraft,
    import::{FilePlace, PersonPart},
    rounding::{Exact, Withheld},
};

/// Meaning of the parts of an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// Amounts that members paid.
    Paid,
    /// Amounts that members owe.
    Owed,
}

impl Side {
    /// The rule that parts break which do not have this sum.
    fn wrong_sum(self, sum: Decimal, amount: Decimal) -> Message {
        match self {
            Self::Paid => message!(
                "the payments sum to {sum}, but the amount is {amount}",
                "сумма платежей — {sum}, а сумма расхода — {amount}"
            ),
            Self::Owed => message!(
                "the shares sum to {sum}, but the amount is {amount}",
                "сумма долей — {sum}, а сумма расхода — {amount}"
            ),
        }
    }
}

/// An amount in major units, which may be finer than a minor unit, and the same rounded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    pub(crate) number: Decimal,
    pub(crate) rounded: Money,
}

/// The parts other than zero in minor units, which sum to the amount. `None` and an error if they
/// miss it by more than rounding explains, or have another sign.
pub(crate) fn fitted(
    place: FilePlace,
    whole: Whole,
    side: Side,
    parts: &[(usize, Decimal)],
    withheld: &mut Withheld,
    draft: &mut ImportDraft<'_>,
) -> Option<Vec<PersonPart>> {
    check(place, whole.number, whole.rounded.currency, side, parts, draft)?;
    divided(place, whole, side, parts, withheld, draft)
}

/// Checks that the parts miss their amount only by rounding: by half a minor unit for each of them,
/// rounded up. `None` and an error if they do not.
pub(crate) fn check(
    place: FilePlace,
    amount: Decimal,
    currency: Currency,
    side: Side,
    parts: &[(usize, Decimal)],
    draft: &mut ImportDraft<'_>,
) -> Option<()> {
    let parts = || parts.iter().map(|(_, part)| *part).filter(|part| *part != Decimal::ZERO);
    if parts().any(|part| part.is_negative() != amount.is_negative()) {
        let rule = message!(
            "all amounts of a row must have the same sign",
            "у всех сумм строки должен быть один знак"
        );
        draft.error(place, rule);
        return None;
    }
    let count = i128::try_from(parts().count().div_ceil(2)).ok();
    let sum = { parts() }.try_fold(Decimal::ZERO, Decimal::plus);
    let missed = sum.and_then(|sum| Some((sum, sum.minus(amount)?.absolute())));
    let Some(((sum, missed), count)) = missed.zip(count) else {
        draft.error(place, too_large());
        return None;
    };
    let most = Decimal::new(count, currency.exponent());
    if most.minus(missed).is_none_or(Decimal::is_negative) {
        draft.error(place, side.wrong_sum(sum, amount));
        return None;
    }
    Some(())
}

/// The amount divided by the ratio of the parts, apart from zeros. Parts that sum to it in whole
/// minor units are kept. `None` and an error if the numbers are too large.
pub(crate) fn divided(
    place: FilePlace,
    whole: Whole,
    side: Side,
    parts: &[(usize, Decimal)],
    withheld: &mut Withheld,
    draft: &mut ImportDraft<'_>,
) -> Option<Vec<PersonPart>> {
    let parts: Vec<_> = parts.iter().filter(|(_, part)| *part != Decimal::ZERO).copied().collect();
    let read = kept(whole, &parts).or_else(|| round(whole, side, &parts, withheld));
    if read.is_none() {
        draft.error(place, too_large());
    }
    read
}

fn too_large() -> Message {
    message!("the amounts are too large", "суммы слишком велики")
}

/// The parts, if they sum to the amount in whole minor units.
fn kept(whole: Whole, parts: &[(usize, Decimal)]) -> Option<Vec<PersonPart>> {
    let Money { currency, minor } = whole.rounded;
    let part = |(person, number): &(usize, Decimal)| {
        let minor = i64::try_from(number.at_scale(currency.exponent())?).ok()?;
        Some(PersonPart { person: *person, minor })
    };
    let kept: Vec<PersonPart> = parts.iter().map(part).collect::<Option<_>>()?;
    let sum: i128 = kept.iter().map(|part| i128::from(part.minor)).sum();
    (sum == minor.into()).then_some(kept)
}

/// The amount in whole minor units by the ratio of the parts.
fn round(
    whole: Whole,
    side: Side,
    parts: &[(usize, Decimal)],
    withheld: &mut Withheld,
) -> Option<Vec<PersonPart>> {
    let Whole { number, rounded: Money { currency, minor } } = whole;
    let excess = number.decimals().saturating_sub(currency.exponent());
    let amount = number.at_scale(number.decimals().max(currency.exponent()))?;
    let scale = parts.iter().map(|(_, part)| part.decimals()).max().unwrap_or_default();
    let weights: Option<Vec<i128>> = parts.iter().map(|(_, part)| part.at_scale(scale)).collect();
    let weights = weights?;
    let total = weights.iter().try_fold(0_i128, |sum, weight| sum.checked_add(*weight))?;
    let denominator = total.checked_abs()?.checked_mul(10_i128.checked_pow(excess.into())?)?;
    // A payer who is credited too much has been given too much, like one who owes too little.
    let sign = match side {
        Side::Paid => -1,
        Side::Owed => 1,
    };
    let exact = |((member, _), weight): (&(usize, Decimal), i128)| {
        let numerator = amount.checked_mul(weight)?.checked_mul(total.signum())?;
        let numerator = numerator.checked_mul(sign)?;
        Some(Exact { member: *member, numerator, denominator, is_up: false })
    };
    let exact: Option<Vec<Exact>> = parts.iter().zip(weights).map(exact).collect();
    let sum = i128::from(minor).checked_mul(sign)?;
    let rounded = withheld.round(currency, &exact.filter(|_| denominator > 0)?, sum)?;
    let part = |((person, _), minor): (&(usize, Decimal), i128)| {
        let minor = i64::try_from(minor.checked_mul(sign)?).ok()?;
        Some(PersonPart { person: *person, minor })
    };
    parts.iter().zip(rounded).map(part).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Answers;

    /// The parts in minor units, or the error.
    fn read(
        amount: &str,
        code: &str,
        parts: &[&str],
        withheld: &mut Withheld,
    ) -> Result<Vec<i64>, String> {
        let currency: Currency = code.parse().unwrap();
        let number: Decimal = amount.parse().unwrap();
        let (minor, _) = crate::number::rounded(number, currency).unwrap();
        let whole = Whole { number, rounded: Money { currency, minor } };
        let parts: Vec<_> = parts.iter().map(|part| part.parse().unwrap()).enumerate().collect();
        let answers = Answers::default();
        let mut draft = ImportDraft::new(&answers, "2026-06-30".parse().unwrap());
        let fitted = fitted(FilePlace::line(7), whole, Side::Owed, &parts, withheld, &mut draft);
        let minors = |parts: Vec<PersonPart>| parts.iter().map(|part| part.minor).collect();
        fitted.map(minors).ok_or_else(|| draft.finish().errors[0].to_string())
    }

    #[test]
    fn parts_that_miss_their_amount_by_rounding_are_a_ratio() {
        for (amount, code, parts, minors) in [
            ("10.01", "EUR", &["5", "5.01"][..], Ok(&[500, 501][..])),
            ("6628", "INR", &["2209.33", "2209.33", "2209.33"], Ok(&[220_934, 220_933, 220_933])),
            ("-10", "EUR", &["-3.33", "-3.33", "-3.33"], Ok(&[-333, -333, -334])),
            ("10", "EUR", &["3.34", "0", "3.34", "3.34"], Ok(&[334, 333, 333])),
            ("0.02", "EUR", &["0.01", "0.01", "0.01"], Ok(&[1, 1, 0])),
            ("100", "JPY", &["33.33", "66.67"], Ok(&[33, 67])),
            ("0", "EUR", &["0"], Ok(&[])),
            (
                "10",
                "EUR",
                &["5", "5.02"],
                Err("line 7: the shares sum to 10.02, but the amount is 10"),
            ),
            ("10", "EUR", &["9.98"], Err("line 7: the shares sum to 9.98, but the amount is 10")),
            ("10", "EUR", &[], Err("line 7: the shares sum to 0, but the amount is 10")),
            (
                "10",
                "EUR",
                &["11", "-1"],
                Err("line 7: all amounts of a row must have the same sign"),
            ),
        ] {
            let read = read(amount, code, parts, &mut Withheld::default());
            assert_eq!(read, minors.map(<[i64]>::to_vec).map_err(ToOwned::to_owned), "{amount}");
        }
    }

    #[test]
    fn odd_units_go_round() {
        let mut withheld = Withheld::default();
        let mut sums = [0; 3];
        for _ in 0..6 {
            let parts = read("10", "EUR", &["3.33", "3.33", "3.33"], &mut withheld).unwrap();
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        }
        assert_eq!(sums, [2000, 2000, 2000]);
    }

    proptest! {
        #[test]
        fn parts_sum_to_the_amount(
            parts in prop::collection::vec(1..1_000_000_000_i64, 1..20),
            missed in -10..=10_i64,
        ) {
            let amount = parts.iter().sum::<i64>() + missed;
            prop_assume!(amount > 0);
            let texts: Vec<_> = parts.iter().map(|part| Decimal::new((*part).into(),
                2).to_string()).collect();
            let texts: Vec<_> = texts.iter().map(|text| &**text).collect();
            let number = Decimal::new(amount.into(), 2).to_string();
            let read = read(&number, "EUR", &texts, &mut Withheld::default());
            if missed.unsigned_abs() > parts.len().div_ceil(2) as u64 {
                prop_assert!(read.is_err());
            } else {
                prop_assert_eq!(read.unwrap().iter().sum::<i64>(), amount);
            }
        }
    }
}
