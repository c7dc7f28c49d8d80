//! Numbers as apps write them.

use fracti_core::values::{
    currency::{AmountError, Currency},
    decimal::{Decimal, DecimalError},
    money::Money,
};
use fracti_texts::{Message, Says, rule};

use crate::quote::{quoted, unguarded};

/// The character before the decimals, which is the same in the whole file.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecimalMark {
    mark: Option<char>,
    is_certain: bool,
}

impl DecimalMark {
    /// The mark of a file with these cells, if one of them makes it certain: the number 1,234 may
    /// have decimals or thousands, but 0,234 and 1,23 have decimals.
    pub(crate) fn of<T: AsRef<str>>(cells: impl Iterator<Item = T>) -> Self {
        let mark = |cell: T| {
            let text = unguarded(cell.as_ref().trim());
            let digits = text.strip_prefix('-').unwrap_or(text);
            let (whole, decimals) = digits.split_once(['.', ','])?;
            let is_number =
                [whole, decimals].iter().all(|it| it.bytes().all(|byte| byte.is_ascii_digit()));
            let is_certain = decimals.len() != 3 || whole == "0";
            let mark = text.chars().find(|letter| matches!(letter, '.' | ','));
            mark.filter(|_| is_number && is_certain && !whole.is_empty() && !decimals.is_empty())
        };
        let mark = { cells }.find_map(mark);
        Self { mark, is_certain: mark.is_some() }
    }

    /// Whether the mark is that of decimals, and not of thousands.
    pub(crate) const fn is_certain(&self) -> bool {
        self.is_certain
    }

    /// Reads a number, with or without a guard against formulae. The first one with decimals
    /// decides for the file.
    ///
    /// # Errors
    ///
    /// The text and the rule that it breaks.
    pub(crate) fn number(&mut self, text: &str) -> Result<Decimal, Message> {
        let text = unguarded(text.trim());
        let quote = quoted(text);
        let mut marks = text.chars().filter(|letter| matches!(letter, '.' | ','));
        let mark = marks.next();
        if marks.next().is_some() {
            return Err(rule!(
                "{field} must not have thousands separators",
                "в {field} не должно быть разделителей тысяч"
            )
            .quoting(&quote));
        }
        match (self.mark, mark) {
            (Some(','), Some('.')) => {
                return Err(rule!(
                    "{field} must have a decimal comma, like the numbers above",
                    "в {field} должна быть десятичная запятая, как в числах выше"
                )
                .quoting(&quote));
            }
            (Some('.'), Some(',')) => {
                return Err(rule!(
                    "{field} must have a decimal point, like the numbers above",
                    "в {field} должна быть десятичная точка, как в числах выше"
                )
                .quoting(&quote));
            }
            _ => {}
        }
        let number = text.replacen(',', ".", 1).parse();
        let number = number.map_err(|error: DecimalError| error.says().quoting(&quote))?;
        let decimals = text.split_once(',').map_or(0, |(_, decimals)| decimals.len());
        if self.mark.is_none() && decimals == 3 {
            return Err(rule!(
                "{field} must have a decimal point, because its comma may be a thousands separator",
                "в {field} должна быть десятичная точка: запятая может оказаться разделителем тысяч"
            )
            .quoting(&quote));
        }
        self.mark = self.mark.or(mark);
        Ok(number)
    }
}

/// The rule of a list whose amounts cannot be summed.
pub(crate) fn too_large() -> Message {
    rule!("{field} has amounts that are too large", "суммы в {field} слишком велики")
}

/// Whether a cell has a number, even if it is one that [`DecimalMark::number`] refuses.
pub(crate) fn is_number(cell: &str) -> bool {
    let text = cell.trim();
    let is_of_number = |letter: char| letter.is_ascii_digit() || "-.,'".contains(letter);
    text.contains(|letter: char| letter.is_ascii_digit()) && text.chars().all(is_of_number)
}

/// A note of what was paid in an app in another currency, with the rate if there is one.
pub(crate) fn paid_in(app: &str, amount: &str, code: &str, rate: &str) -> String {
    let rate = if rate.is_empty() { String::new() } else { format!(" at {rate}") };
    format!("Paid in {app}: {amount} {code}{rate}")
}

/// A number of major units with all decimals of its currency, like 30.00.
pub(crate) fn padded(number: Decimal, currency: Currency) -> String {
    let mut text = number.to_string();
    let missing = currency.exponent().saturating_sub(number.decimals());
    if missing > 0 && number.decimals() == 0 {
        text.push('.');
    }
    text.extend((0..missing).map(|_| '0'));
    text
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
    fn a_number_that_is_refused_does_not_decide_the_decimal_mark() {
        let mut mark = DecimalMark::default();
        for (text, rule) in [
            ("1,234.50", "must not have thousands separators"),
            ("1.234.567", "must not have thousands separators"),
            ("1,000", "must have a decimal point, because its comma may be"),
            ("ten, eleven", "must be a number in decimal digits"),
            ("1e-999999999999", "must have at most 38 digits"),
        ] {
            let error = mark.number(text).unwrap_err().about_field("amount").to_string();
            assert!(error.starts_with(&format!("amount {text:?} {rule}")), "{error}");
        }
        assert_eq!(mark.number("1.5").unwrap().to_string(), "1.5");
        let mut comma = DecimalMark::default();
        assert_eq!(comma.number("1,5").unwrap().to_string(), "1.5");
        assert_eq!(comma.number("1,234").unwrap().to_string(), "1.234");
    }

    #[test]
    fn numbers_are_shown_with_all_decimals() {
        for (number, code, shown) in [
            ("30", "USD", "30.00"),
            ("-0.5", "USD", "-0.50"),
            ("0.125", "USD", "0.125"),
            ("1200", "JPY", "1200"),
            ("1.5", "KWD", "1.500"),
        ] {
            assert_eq!(padded(number.parse().unwrap(), code.parse().unwrap()), shown);
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
