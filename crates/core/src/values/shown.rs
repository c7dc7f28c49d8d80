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
    let exponent = currency.exponent();
    with_decimals(language, amount, if exponent > FILLED_DECIMALS { 0 } else { exponent })
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

fn with_decimals(language: Language, number: Decimal, decimals: u8) -> String {
    let text = number.to_string();
    let (sign, text) = match text.strip_prefix('-') {
        Some(rest) => ("\u{2212}", rest),
        None => ("", &*text),
    };
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let (separator, point) = match language {
        Language::English => (",", "."),
        Language::Russian => ("\u{a0}", ","),
    };
    let whole = grouped(whole, separator);
    if fraction.is_empty() && decimals == 0 {
        return format!("{sign}{whole}");
    }
    format!("{sign}{whole}{point}{fraction:0<width$}", width = decimals.into())
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
}
