//! Numbers as apps write them.

use fracti_core::{
    currency::{AmountError, Currency},
    decimal::Decimal,
    money::Money,
};

use crate::csv::unguarded;

/// The character before the decimals, which is the same in the whole file.
#[derive(Debug, Default)]
pub(crate) struct DecimalMark(Option<char>);

impl DecimalMark {
    /// Reads a number, with or without a guard against formulae. The first one with decimals
    /// decides for the file.
    ///
    /// # Errors
    ///
    /// The rule that the text breaks.
    pub(crate) fn number(&mut self, text: &str) -> Result<Decimal, String> {
        let text = unguarded(text.trim());
        if let Some(found) = text.chars().find(|letter| matches!(letter, '.' | ',')) {
            match *self.0.get_or_insert(found) {
                mark if mark == found => {}
                ',' => return Err(format!("{text:?} must have a decimal comma, as numbers above")),
                _ => return Err(format!("{text:?} must have a decimal point, as numbers above")),
            }
        }
        let number = if self.0 == Some(',') { text.replacen(',', ".", 1) } else { text.to_owned() };
        number.parse().map_err(|error| format!("{text:?} is no amount: it {error}"))
    }
}

/// The amount of `number` major units, rounded to minor units, half away from zero, and whether it
/// was rounded.
///
/// # Errors
///
/// As [`Money::from_major`], but for its decimals.
pub(crate) fn rounded(number: Decimal, currency: Currency) -> Result<(i64, bool), AmountError> {
    let excess = number.decimals().saturating_sub(currency.exponent());
    let digits = number.at_scale(number.decimals());
    let unit = 10_i128.checked_pow(excess.into()).filter(|_| excess > 0);
    let whole = digits.zip(unit).and_then(|(digits, unit)| {
        let half = unit.checked_div(2)?.checked_mul(digits.signum())?;
        digits.checked_add(half)?.checked_div(unit)
    });
    let exact = whole.map_or(number, |minor| currency.to_major(minor));
    let money = Money::from_major(exact, currency)?;
    Ok((money.minor, exact != number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decimal_mark_is_that_of_the_file() {
        let mut mark = DecimalMark::default();
        for (text, number) in [
            ("7", Some("7")),
            ("-7,20", Some("-7.2")),
            (" 0,5 ", Some("0.5")),
            ("'-0,5", Some("-0.5")),
            ("7.20", None),
            ("1.000,00", None),
            ("1,000,00", None),
            ("", None),
            ("NaN", None),
            ("+7", None),
        ] {
            let read = mark.number(text).map(|it| it.to_string());
            assert_eq!(read.ok().as_deref(), number, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_rounded_half_away_from_zero() {
        for (number, code, minor, changed) in [
            ("3.3333333333333", "EUR", 333, true),
            ("18.452769", "EUR", 1845, true),
            ("0.005", "EUR", 1, true),
            ("-0.005", "EUR", -1, true),
            ("0.0049", "EUR", 0, true),
            ("100.5", "JPY", 101, true),
            ("100.0", "JPY", 100, false),
            ("0.1", "TON", 100_000_000, false),
        ] {
            let read = rounded(number.parse().unwrap(), code.parse().unwrap());
            assert_eq!(read, Ok((minor, changed)), "{number} {code}");
        }
        assert!(rounded("1.0E+25".parse().unwrap(), "EUR".parse().unwrap()).is_err());
    }
}
