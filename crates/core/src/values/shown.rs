//! Numbers and amounts as people read them, in every language.

use fracti_texts::Language;

use crate::values::{currency::Currency, decimal::Decimal};

/// Decimals that amounts of currencies with more of them are not filled up to.
const FILLED_DECIMALS: u8 = 3;

/// A number with the separators of the language.
#[must_use]
pub fn number(language: Language, number: Decimal) -> String {
    with_decimals(language, number, 0)
}

/// An amount in major units without its currency, with all decimals that are usual in it.
#[must_use]
pub fn amount(language: Language, amount: Decimal, currency: Currency) -> String {
    with_decimals(language, amount, filled(currency))
}

/// An amount in major units with its currency.
///
/// # Example
///
/// ```
/// use fracti_core::values::{currency::Currency, shown::money};
/// use fracti_texts::Language;
///
/// let (amount, eur) = ("-1234.5".parse().unwrap(), "EUR".parse().unwrap());
/// assert_eq!(money(Language::English, amount, eur), "\u{2212}1,234.50\u{a0}EUR");
/// ```
#[must_use]
pub fn money(language: Language, major: Decimal, currency: Currency) -> String {
    format!("{}\u{a0}{}", amount(language, major, currency), currency.code())
}

/// A number in a field, as the reader would type it: without separators of thousands.
#[must_use]
pub fn number_field(language: Language, number: Decimal) -> String {
    typed(language, number, 0)
}

/// An amount in a field, as the reader would type it: [`amount`] without separators of thousands.
#[must_use]
pub fn amount_field(language: Language, amount: Decimal, currency: Currency) -> String {
    typed(language, amount, filled(currency))
}

/// Decimals that all amounts of a currency are shown with.
const fn filled(currency: Currency) -> u8 {
    let exponent = currency.exponent();
    if exponent > FILLED_DECIMALS { 0 } else { exponent }
}

fn typed(language: Language, number: Decimal, decimals: u8) -> String {
    let text = number.to_string();
    let (whole, fraction) = text.split_once('.').unwrap_or((&text, ""));
    joined(language, whole, fraction, decimals)
}

fn with_decimals(language: Language, number: Decimal, decimals: u8) -> String {
    let text = number.to_string();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("\u{2212}", rest),
        None => ("", &*text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let separator = match language {
        Language::English => ",",
        Language::Russian => "\u{a0}",
    };
    let whole = format!("{sign}{}", grouped(whole, separator));
    joined(language, &whole, fraction, decimals)
}

/// The parts of a number, with at least this number of decimals.
fn joined(language: Language, whole: &str, fraction: &str, decimals: u8) -> String {
    if fraction.is_empty() && decimals == 0 {
        return whole.to_owned();
    }
    let point = match language {
        Language::English => ".",
        Language::Russian => ",",
    };
    format!("{whole}{point}{fraction:0<width$}", width = decimals.into())
}

/// The digits of a whole number, in groups of three.
fn grouped(digits: &str, separator: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && digits.len().saturating_sub(place).is_multiple_of(3) {
            text.push_str(separator);
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_have_the_separators_of_the_language_and_the_decimals_of_the_currency() {
        for (amount, currency, english, russian) in [
            ("1234.5", "EUR", "1,234.50\u{a0}EUR", "1\u{a0}234,50\u{a0}EUR"),
            ("-0.5", "EUR", "\u{2212}0.50\u{a0}EUR", "\u{2212}0,50\u{a0}EUR"),
            ("1234567", "JPY", "1,234,567\u{a0}JPY", "1\u{a0}234\u{a0}567\u{a0}JPY"),
            ("6", "TON", "6\u{a0}TON", "6\u{a0}TON"),
            ("0.000000001", "TON", "0.000000001\u{a0}TON", "0,000000001\u{a0}TON"),
            ("100", "KWD", "100.000\u{a0}KWD", "100,000\u{a0}KWD"),
        ] {
            let amount = amount.parse().unwrap();
            let currency = currency.parse().unwrap();
            assert_eq!(money(Language::English, amount, currency), english);
            assert_eq!(money(Language::Russian, amount, currency), russian);
        }
    }

    #[test]
    fn fields_have_what_the_reader_would_type() {
        for (amount, currency, english, russian) in [
            ("15.5", "EUR", "15.50", "15,50"),
            ("-1234567.5", "EUR", "-1234567.50", "-1234567,50"),
            ("1500", "JPY", "1500", "1500"),
            ("1.234", "KWD", "1.234", "1,234"),
            ("0.25", "TON", "0.25", "0,25"),
        ] {
            let amount = amount.parse().unwrap();
            let currency = currency.parse().unwrap();
            assert_eq!(amount_field(Language::English, amount, currency), english);
            assert_eq!(amount_field(Language::Russian, amount, currency), russian);
        }
        assert_eq!(number_field(Language::Russian, "2.5".parse().unwrap()), "2,5");
    }
}
