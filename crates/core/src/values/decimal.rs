//! Exact decimal numbers, read from and written to JSON and DynamoDB Numbers without a float.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// Maximum number of digits: the precision of a DynamoDB Number.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/HowItWorks.NamingRulesDataTypes.html>
const MAX_DIGITS: usize = 38;

/// An exact decimal number of at most 38 digits, `digits * 10^-scale`, without trailing zeros after
/// the decimal point.
///
/// Parses the syntax of JSON numbers and prints without an exponent: `1e-9`, as JavaScript prints a
/// nanoton, becomes `0.000000001`.
///
/// # Example
///
/// ```
/// use fracti_core::values::decimal::Decimal;
///
/// let nano: Decimal = "1e-9".parse().unwrap();
/// assert_eq!(nano.to_string(), "0.000000001");
/// assert_eq!("12.50".parse::<Decimal>().unwrap().to_string(), "12.5");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Decimal {
    digits: i128,
    scale: u8,
}

/// Error returned for a text that is not an exact decimal number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecimalError {
    /// The text is not a JSON number.
    Syntax,
    /// The number needs more than 38 digits.
    TooLong,
}

impl Says for DecimalError {
    fn says(&self) -> Message {
        match self {
            Self::Syntax => rule!(
                "{field} must be a number in decimal digits, like 12, 12.5 or 1e-9",
                "{field} должно быть числом в десятичной записи, например 12, 12.5 или 1e-9"
            ),
            Self::TooLong => rule!(
                "{field} must have at most {MAX_DIGITS} digits",
                "{field} должно содержать не больше {MAX_DIGITS} цифр"
            ),
        }
    }
}

errors!(DecimalError);

impl Decimal {
    /// Zero.
    pub const ZERO: Self = Self { digits: 0, scale: 0 };

    /// The number `digits * 10^-scale`.
    #[must_use]
    #[expect(clippy::arithmetic_side_effects, reason = "inside the loop the scale is above zero")]
    pub const fn new(mut digits: i128, mut scale: u8) -> Self {
        while scale > 0 && digits % 10 == 0 {
            digits /= 10;
            scale -= 1;
        }
        Self { digits, scale }
    }

    /// The number times `10^exponent`, if that is a whole number and fits.
    #[must_use]
    pub fn at_scale(self, exponent: u8) -> Option<i128> {
        let zeros = exponent.checked_sub(self.scale)?;
        self.digits.checked_mul(10_i128.checked_pow(zeros.into())?)
    }

    /// The sum, if it has at most 38 digits.
    #[must_use]
    pub fn plus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let digits = self.at_scale(scale)?.checked_add(other.at_scale(scale)?)?;
        Some(Self::new(digits, scale))
    }

    /// The difference, if it has at most 38 digits.
    #[must_use]
    pub fn minus(self, other: Self) -> Option<Self> {
        let scale = self.scale.max(other.scale);
        let digits = self.at_scale(scale)?.checked_sub(other.at_scale(scale)?)?;
        Some(Self::new(digits, scale))
    }

    /// The number with at most `scale` digits after the decimal point; halves are rounded away from
    /// zero.
    #[must_use]
    #[expect(
        clippy::arithmetic_side_effects,
        reason = "a quotient by ten or more has room for one"
    )]
    pub fn rounded(self, scale: u8) -> Self {
        let Some(unit) = self.scale.checked_sub(scale).filter(|excess| *excess > 0) else {
            return self;
        };
        // No number has as many digits.
        let Some(unit) = 10_i128.checked_pow(unit.into()) else { return Self::ZERO };
        let whole = self.digits / unit;
        let rest = self.digits % unit;
        let up = if rest.abs() >= unit - rest.abs() { rest.signum() } else { 0 };
        Self::new(whole + up, scale)
    }

    /// The number with the other sign.
    #[must_use]
    pub const fn negated(self) -> Self {
        Self { digits: self.digits.saturating_neg(), ..self }
    }

    /// The number without its sign.
    #[must_use]
    pub const fn absolute(self) -> Self {
        if self.is_negative() { self.negated() } else { self }
    }

    /// Number of digits after the decimal point.
    #[must_use]
    pub const fn decimals(self) -> u8 {
        self.scale
    }

    /// Whether the number is negative.
    #[must_use]
    pub const fn is_negative(self) -> bool {
        self.digits < 0
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = match mantissa.split_once('.') {
            Some((_, "")) => return Err(DecimalError::Syntax),
            Some(parts) => parts,
            None => (mantissa, ""),
        };
        let leading_zero = whole.len() > 1 && whole.starts_with('0');
        let unsigned = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let parts = [whole, fraction, unsigned];
        let all_digits = parts.iter().all(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
        if whole.is_empty() || leading_zero || unsigned.is_empty() || !all_digits {
            return Err(DecimalError::Syntax);
        }

        let digits = format!("{whole}{fraction}");
        let significant = digits.trim_end_matches('0').trim_start_matches('0');
        if significant.is_empty() {
            return Ok(Self::ZERO);
        }
        if significant.len() > MAX_DIGITS {
            return Err(DecimalError::TooLong);
        }
        let zeros = digits.len().saturating_sub(digits.trim_end_matches('0').len());
        // The power of ten that the significant digits are multiplied by.
        let power = exponent
            .parse::<i64>()
            .ok()
            .zip(i64::try_from(zeros).ok().zip(i64::try_from(fraction.len()).ok()))
            .and_then(|(exponent, (zeros, places))| {
                exponent.checked_add(zeros)?.checked_sub(places)
            })
            .ok_or(DecimalError::TooLong)?;
        let value: i128 = significant.parse().map_err(|_| DecimalError::TooLong)?;
        let value = if negative { value.saturating_neg() } else { value };
        let places = u8::try_from(power.unsigned_abs()).map_err(|_| DecimalError::TooLong)?;
        let fits = if power < 0 {
            usize::from(places) <= MAX_DIGITS
        } else {
            significant.len().saturating_add(places.into()) <= MAX_DIGITS
        };
        match (fits, power < 0) {
            (false, _) => Err(DecimalError::TooLong),
            (true, true) => Ok(Self { digits: value, scale: places }),
            (true, false) => 10_i128
                .checked_pow(places.into())
                .and_then(|factor| value.checked_mul(factor))
                .map(|digits| Self { digits, scale: 0 })
                .ok_or(DecimalError::TooLong),
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale);
        if scale == 0 {
            return write!(f, "{}", self.digits);
        }
        let sign = if self.digits < 0 { "-" } else { "" };
        let digits = self.digits.unsigned_abs();
        let unit = 10_u128.saturating_pow(self.scale.into());
        let whole = digits.checked_div(unit).unwrap_or_default();
        let fraction = digits.checked_rem(unit).unwrap_or_default();
        write!(f, "{sign}{whole}.{fraction:0scale$}")
    }
}

/// Name of the variant by which [`crate::storage::row`] recognizes a number that is not an [`i64`].
/// It takes any newtype variant of this name, so no other type may have one; no Rust name is
/// spelled so.
pub(crate) const EXACT: &str = "\u{1}exact";

impl Serialize for Decimal {
    /// Serializes into a form that [`crate::storage::row`] writes as a DynamoDB Number.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match i64::try_from(self.digits) {
            Ok(whole) if self.scale == 0 => to.serialize_i64(whole),
            _ => to.serialize_newtype_variant("Decimal", 0, EXACT, &self.to_string()),
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Decimal;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an exact number")
            }

            fn visit_i64<E: de::Error>(self, whole: i64) -> Result<Decimal, E> {
                Ok(Decimal { digits: whole.into(), scale: 0 })
            }

            fn visit_u64<E: de::Error>(self, whole: u64) -> Result<Decimal, E> {
                Ok(Decimal { digits: whole.into(), scale: 0 })
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
                text.parse().map_err(E::custom)
            }
        }

        from.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn json_numbers_are_kept_exactly() {
        for (text, printed) in [
            ("0", "0"),
            ("-0", "0"),
            ("0.0", "0"),
            ("0e400", "0"),
            ("25", "25"),
            ("100", "100"),
            ("33.34", "33.34"),
            ("10.00", "10"),
            ("0.000000001", "0.000000001"),
            ("1e-9", "0.000000001"),
            ("1.5E+3", "1500"),
            ("12e-1", "1.2"),
            ("-7.25", "-7.25"),
            ("9007199254740993", "9007199254740993"),
            ("99999999999999999999999999999999999999", "99999999999999999999999999999999999999"),
        ] {
            let number: Decimal = text.parse().unwrap();
            assert_eq!(number.to_string(), printed, "{text}");
        }
    }

    #[test]
    fn invalid_and_too_long_numbers_are_refused() {
        use DecimalError::{Syntax, TooLong};
        for (text, error) in [
            ("", Syntax),
            ("-", Syntax),
            ("+1", Syntax),
            (".5", Syntax),
            ("5.", Syntax),
            ("007", Syntax),
            ("1e", Syntax),
            ("1e+", Syntax),
            ("0x10", Syntax),
            ("1,5", Syntax),
            (" 1", Syntax),
            ("NaN", Syntax),
            ("Infinity", Syntax),
            ("\u{ff11}", Syntax),
            ("--1", Syntax),
            ("1e400", TooLong),
            ("1e-400", TooLong),
            ("1e99999999999999999999", TooLong),
            ("1e38", TooLong),
            ("123456789012345678901234567890123456789", TooLong),
        ] {
            assert_eq!(text.parse::<Decimal>(), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn parse_and_print_are_inverse(minor: i64, scale in 0..19_u8) {
            let number = Decimal::new(minor.into(), scale);
            prop_assert_eq!(number.to_string().parse(), Ok(number));
            prop_assert_eq!(number.at_scale(scale), Some(minor.into()));
        }

        #[test]
        fn sum_and_difference_are_exact(one: i64, two: i64, scale in 0..19_u8, other in 0..19_u8) {
            let one = Decimal::new(one.into(), scale);
            let two = Decimal::new(two.into(), other);
            let both = scale.max(other);
            let digits = |number: Decimal| number.at_scale(both).unwrap();
            prop_assert_eq!(one.plus(two).map(digits), Some(digits(one) + digits(two)));
            prop_assert_eq!(one.minus(two).map(digits), Some(digits(one) - digits(two)));
        }

        #[test]
        fn parsing_never_panics(text in "\\PC*") {
            let _ = text.parse::<Decimal>();
        }

        #[test]
        fn parsed_numbers_survive_printing(text in "-?[0-9]{1,20}(\\.[0-9]{1,20})?([eE][+-]?[0-9]{1,3})?") {
            if let Ok(number) = text.parse::<Decimal>() {
                prop_assert_eq!(number.to_string().parse(), Ok(number));
            }
        }
    }
}
