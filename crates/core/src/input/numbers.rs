//! Numbers in requests: bounds, signs and amounts.

use std::ops::RangeInclusive;

use fracti_texts::{Message, Says, errors, rule};

use crate::{
    input::{FieldErrors, Path},
    values::{currency::Currency, decimal::Decimal, money::Money},
};

/// Error returned for a number that is out of its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundError {
    Negative,
    TooFine(u8),
    TooLarge(u32),
}

impl Says for BoundError {
    fn says(&self) -> Message {
        match self {
            Self::Negative => {
                rule!("{field} must not be negative", "{field} не должно быть отрицательным")
            }
            Self::TooFine(most) => rule!(
                "{field} must have at most {most} decimals",
                "{field} должно содержать не больше {most} знаков после запятой"
            ),
            Self::TooLarge(most) => {
                rule!("{field} must be at most {most}", "{field} должно быть не больше {most}")
            }
        }
    }
}

errors!(BoundError);

/// The number as a multiple of its last decimal, if it is from 0 to `max`.
pub(crate) fn bounded(number: Decimal, decimals: u8, max: u32) -> Result<u64, BoundError> {
    if number.is_negative() {
        return Err(BoundError::Negative);
    }
    if number.decimals() > decimals {
        return Err(BoundError::TooFine(decimals));
    }
    let scaled = number.at_scale(decimals).zip(Decimal::new(max.into(), 0).at_scale(decimals));
    let scaled = scaled.filter(|(number, max)| number <= max).map(|(number, _)| number);
    scaled.and_then(|number| u64::try_from(number).ok()).ok_or(BoundError::TooLarge(max))
}

/// Converts the number at `path`, which must not be zero, to the amount of an expense. Reports the
/// rule that it breaks.
pub(crate) fn not_zero(
    path: impl Into<Path>,
    number: Decimal,
    currency: Option<Currency>,
    errors: &mut FieldErrors,
) -> Option<Money> {
    if number == Decimal::ZERO {
        errors.push(path, rule!("{field} must not be 0", "{field} не должно быть равно нулю"));
        return None;
    }
    signed(path, number, currency, None, errors)
}

/// Converts the number at `path` to an amount. It must not have the opposite sign of the expense,
/// if that is given. Reports the rule that it breaks.
pub(crate) fn signed(
    path: impl Into<Path>,
    number: Decimal,
    currency: Option<Currency>,
    sign: Option<i64>,
    errors: &mut FieldErrors,
) -> Option<Money> {
    match sign {
        Some(1) if number.is_negative() => {
            errors.push(
                path,
                rule!("{field} must not be negative", "{field} не должно быть отрицательным"),
            );
            None
        }
        Some(-1) if !number.is_negative() && number != Decimal::ZERO => {
            errors.push(
                path,
                rule!(
                    "{field} must not be positive: the expense is negative",
                    "{field} не должно быть положительным: сумма расхода отрицательна"
                ),
            );
            None
        }
        _ => errors.keep(path, Money::from_major(number, currency?)),
    }
}

/// Converts the number at `path`, which must be above zero, to an amount. Reports the rule that it
/// breaks.
pub(crate) fn positive(
    path: impl Into<Path>,
    number: Decimal,
    currency: Option<Currency>,
    errors: &mut FieldErrors,
) -> Option<Money> {
    if number.is_negative() || number == Decimal::ZERO {
        errors.push(path, rule!("{field} must be above zero", "{field} должно быть больше нуля"));
        return None;
    }
    errors.keep(path, Money::from_major(number, currency?))
}

/// The number at `path`, which must be whole and in the range. Reports the rule that it breaks.
pub(crate) fn whole(
    path: impl Into<Path>,
    number: Decimal,
    range: RangeInclusive<u64>,
    errors: &mut FieldErrors,
) -> Option<u64> {
    let whole = number.at_scale(0).and_then(|it| u64::try_from(it).ok());
    let whole = whole.filter(|number| range.contains(number));
    let rule = || {
        rule!(
            "{field} must be a whole number from {least} to {most}",
            "{field} должно быть целым числом от {least} до {most}",
            least = range.start(),
            most = range.end()
        )
    };
    errors.keep(path, whole.ok_or_else(rule))
}
