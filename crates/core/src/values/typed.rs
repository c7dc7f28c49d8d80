//! Amounts as people type them: `12,60`, `1.234,50`, `€12`, `2×12,50`.
//!
//! The API takes numbers in one notation. This is for texts of people, and what is read is shown to
//! them before it counts. The script of the Mini App has the same grammar; both are tested over
//! `tests/fixtures/amounts.json`. Calculations are exact.

use fracti_texts::{Message, Says, errors, rule};

use crate::values::{
    currency::{AmountError, Currency},
    decimal::Decimal,
    money::Money,
};

/// An amount that a text may mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The amount.
    pub money: Money,
    /// Whether it was rounded, which only a product or a quotient is.
    pub is_rounded: bool,
}

/// Error returned for a text that is not an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypedError {
    /// The text has none of the notations.
    Syntax,
    /// The text has more decimals than the currency.
    TooFine(Currency),
}

impl Says for TypedError {
    fn says(&self) -> Message {
        match self {
            Self::Syntax => rule!(
                "{field} must be an amount, like 12.50",
                "{field} должно быть суммой, например 12.50"
            ),
            Self::TooFine(currency) => rule!(
                "{field} must have at most {most} decimals in {currency}",
                "{field} в {currency} должно содержать не больше {most} знаков после запятой",
                most = currency.exponent()
            ),
        }
    }
}

errors!(TypedError);

/// Signs that mean one currency. The last ones keep the sign if they are chosen.
const SIGNS: [(&[&str], &[&str]); 21] = [
    (&["€"], &["EUR"]),
    (&["₽", "руб", "руб.", "р", "р."], &["RUB", "BYN"]),
    (&["£"], &["GBP", "EGP", "FKP", "GIP", "LBP", "SHP", "SSP", "SYP"]),
    (&["₴"], &["UAH"]),
    (&["₸"], &["KZT"]),
    (&["₾"], &["GEL"]),
    (&["₺"], &["TRY"]),
    (&["₹"], &["INR"]),
    (&["₩"], &["KRW", "KPW"]),
    (&["₫"], &["VND"]),
    (&["₪"], &["ILS"]),
    (&["฿"], &["THB"]),
    (&["₿"], &["BTC"]),
    (&["zł"], &["PLN"]),
    (&["kč"], &["CZK"]),
    (&["ft"], &["HUF"]),
    (&["rp"], &["IDR"]),
    (&["us$"], &["USD"]),
    (&["c$"], &["CAD", "NIO"]),
    (&["a$"], &["AUD"]),
    (&["r$"], &["BRL"]),
];

/// Signs that several currencies have, the most used ones first.
const SHARED_SIGNS: [(&[&str], &[&str]); 3] = [
    (
        &["$"],
        &[
            "USD", "AUD", "CAD", "MXN", "NZD", "SGD", "HKD", "TWD", "ARS", "CLP", "COP", "DOP",
            "UYU", "BBD", "BMD", "BND", "BSD", "BZD", "CUP", "FJD", "GYD", "JMD", "KYD", "LRD",
            "NAD", "SBD", "SRD", "TTD", "XCD",
        ],
    ),
    (&["¥"], &["JPY", "CNY"]),
    (&["kr", "kr."], &["SEK", "NOK", "DKK", "ISK"]),
];

/// Currencies that are offered for a sign if the group uses none of those that have it.
const OFFERED: usize = 6;

/// Decimals of percentages and weights.
const NUMBER_DECIMALS: u8 = 4;

/// Characters that may be a decimal mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Marks {
    /// Before exactly three digits it may group.
    Amount,
    /// As [`Marks::Amount`], and where both are possible, it groups.
    Groups,
    /// It never groups.
    Decimal,
}

/// The amounts that `text` may mean: one, or several if the person has to be asked. `chosen` is the
/// currency of a text that names none, and `used` are those of the group, from which a sign that
/// several currencies have takes the one that fits.
///
/// # Errors
///
/// [`TypedError`].
///
/// # Example
///
/// ```
/// use fracti_core::values::{currency::Currency, typed};
///
/// let eur: Currency = "EUR".parse().unwrap();
/// let read = typed::read("2×12,50", eur, &[]).unwrap();
/// assert_eq!(read[0].money.to_major().to_string(), "25");
/// assert_eq!(typed::read("1,234", Currency::TON, &[]).unwrap().len(), 2);
/// ```
pub fn read(text: &str, chosen: Currency, used: &[Currency]) -> Result<Vec<Reading>, TypedError> {
    let text = plain(text);
    let (number, word) = parted(&text);
    let currencies = match word {
        None => vec![chosen],
        Some(word) => meant(&word.to_lowercase(), chosen, used),
    };
    let mut readings: Vec<Reading> = Vec::new();
    let mut error = TypedError::Syntax;
    for currency in currencies {
        // Both are the same unless a mark of the text may group or not.
        for marks in [Marks::Amount, Marks::Groups] {
            match in_currency(&number, currency, marks) {
                Ok(reading) if readings.contains(&reading) => {}
                Ok(reading) => readings.push(reading),
                Err(found) => error = found,
            }
        }
    }
    if readings.is_empty() { Err(error) } else { Ok(readings) }
}

/// The percentage or the weight that `text` means. A mark is always decimal.
///
/// # Errors
///
/// [`TypedError::Syntax`], also for more than four decimals.
pub fn number(text: &str) -> Result<Decimal, TypedError> {
    let text = plain(text);
    let text = text.strip_suffix('%').unwrap_or(&text);
    let sum = Sum::parse(text, Marks::Decimal).ok_or(TypedError::Syntax)?;
    if sum.decimals > NUMBER_DECIMALS {
        return Err(TypedError::Syntax);
    }
    let (units, _) = sum.value.rounded(NUMBER_DECIMALS).ok_or(TypedError::Syntax)?;
    Ok(Decimal::new(units, NUMBER_DECIMALS))
}

fn in_currency(text: &str, currency: Currency, marks: Marks) -> Result<Reading, TypedError> {
    // Where a currency has fewer than three decimals, three digits after a mark are a group.
    let marks = if currency.exponent() < 3 { Marks::Groups } else { marks };
    let sum = Sum::parse(text, marks).ok_or(TypedError::Syntax)?;
    if sum.decimals > currency.exponent() {
        return Err(TypedError::TooFine(currency));
    }
    let (minor, is_rounded) = sum.value.rounded(currency.exponent()).ok_or(TypedError::Syntax)?;
    let major = currency.to_major(minor);
    let money = Money::from_major(major, currency).map_err(|error| match error {
        AmountError::TooFine(of) => TypedError::TooFine(of),
        AmountError::TooLarge(_) | AmountError::TooSmall(_) => TypedError::Syntax,
    })?;
    Ok(Reading { money, is_rounded })
}

/// The text without invisible characters, with digits, marks and signs in one spelling each.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::new();
    for character in text.chars() {
        let digit = |zero: char| {
            let place = u32::from(character).checked_sub(zero.into())?;
            char::from_digit(place, 10)
        };
        let one = match character {
            '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' => continue,
            '\u{660}'..='\u{669}' => digit('\u{660}'),
            '\u{6f0}'..='\u{6f9}' => digit('\u{6f0}'),
            '\u{966}'..='\u{96f}' => digit('\u{966}'),
            '\u{ff01}'..='\u{ff5e}' => {
                u32::from(character).checked_sub(0xfee0).and_then(char::from_u32)
            }
            '￥' => Some('¥'),
            '￡' => Some('£'),
            '￦' => Some('₩'),
            '−' | '–' => Some('-'),
            '×' => Some('*'),
            '÷' => Some('/'),
            '’' => Some('\''),
            blank if blank.is_whitespace() => Some(' '),
            _ => None,
        };
        let one = one.unwrap_or(character);
        if one != ' ' || !plain.ends_with(' ') {
            plain.push(one);
        }
    }
    plain.trim().to_owned()
}

/// Whether the character is of the name of a currency, and not of a number or a sum.
const fn is_of_word(character: char) -> bool {
    !matches!(
        character,
        '0'..='9' | '.' | ',' | '٫' | '٬' | ' ' | '\'' | '_' | '+' | '-' | '*' | '/'
    )
}

/// The sum, and what names the currency before or after it.
pub(crate) fn parted(text: &str) -> (String, Option<String>) {
    let signed = text.strip_prefix(['+', '-']).unwrap_or(text).trim_start();
    let sign = text.get(..1).filter(|_| signed.len() < text.len()).unwrap_or_default();
    let rest = signed.trim_start_matches(is_of_word);
    if rest.len() < signed.len() {
        let word = signed.strip_suffix(rest).unwrap_or_default();
        let dotted = format!("{word}.");
        return match rest.strip_prefix('.') {
            Some(rest) if sign_of(&dotted.to_lowercase()).is_some() => {
                (format!("{sign}{}", rest.trim_start()), Some(dotted))
            }
            _ => (format!("{sign}{}", rest.trim_start()), Some(word.to_owned())),
        };
    }
    let end = text.strip_suffix('.').unwrap_or(text);
    let rest = end.trim_end_matches(is_of_word);
    if rest.len() < end.len() {
        let word = text.strip_prefix(rest).unwrap_or_default();
        return (rest.trim_end().to_owned(), Some(word.to_owned()));
    }
    (text.to_owned(), None)
}

/// The currencies of a sign in lower case, and whether it is shared.
pub(crate) fn sign_of(word: &str) -> Option<(&'static [&'static str], bool)> {
    let has = |(signs, _): &&(&[&str], &'static [&'static str])| signs.contains(&word);
    let own = SIGNS.iter().find(has).map(|(_, codes)| (*codes, false));
    own.or_else(|| SHARED_SIGNS.iter().find(has).map(|(_, codes)| (*codes, true)))
}

/// The currencies that a lower-case code or sign may mean.
fn meant(word: &str, chosen: Currency, used: &[Currency]) -> Vec<Currency> {
    let Some((codes, is_shared)) = sign_of(word) else {
        return word.to_uppercase().parse().into_iter().collect();
    };
    if codes.contains(&chosen.code()) {
        return vec![chosen];
    }
    let all = codes.iter().filter_map(|code| code.parse().ok());
    if !is_shared {
        return all.take(1).collect();
    }
    let fitting: Vec<Currency> =
        used.iter().copied().filter(|it| codes.contains(&it.code())).collect();
    if fitting.is_empty() { all.take(OFFERED).collect() } else { fitting }
}

/// The result of a sum.
struct Sum {
    value: Fraction,
    /// The most decimals that a term was written with; of a sum with a product or a quotient, zero.
    decimals: u8,
}

impl Sum {
    /// Adds up terms, products and quotients first.
    fn parse(text: &str, marks: Marks) -> Option<Self> {
        let is_operator = |it: char| matches!(it, '+' | '-' | '*' | '/');
        let mut rest = text;
        let mut operator = match rest.strip_prefix(['+', '-']) {
            Some(unsigned) => {
                let sign = rest.chars().next()?;
                rest = unsigned;
                sign
            }
            None => '+',
        };
        let mut sum = Fraction::ZERO;
        let mut product = Fraction::ZERO;
        let mut decimals = 0;
        let mut has_product = false;
        loop {
            let end = rest.find(is_operator).unwrap_or(rest.len());
            let (term, after) = rest.split_at_checked(end)?;
            let (value, scale) = term_of(term.trim(), marks)?;
            decimals = decimals.max(scale);
            match operator {
                '*' => product = product.times(value)?,
                '/' => product = product.over(value)?,
                _ => {
                    sum = sum.plus(product)?;
                    product = if operator == '-' { value.negated() } else { value };
                }
            }
            let Some(next) = after.chars().next() else { break };
            has_product |= matches!(next, '*' | '/');
            operator = next;
            rest = after.get(1..)?;
        }
        let decimals = if has_product { 0 } else { decimals };
        Some(Self { value: sum.plus(product)?, decimals })
    }
}

/// The number that a term is, and how many decimals it is written with.
fn term_of(term: &str, marks: Marks) -> Option<(Fraction, u8)> {
    let (whole, fraction) = match decimal_mark(term, marks)? {
        Some(mark) => term.split_once(mark)?,
        None => (term, ""),
    };
    let whole = ungrouped(whole)?;
    let is_number = fraction.bytes().all(|it| it.is_ascii_digit());
    let digits = format!("{whole}{fraction}");
    if !is_number || digits.is_empty() {
        return None;
    }
    let scale = u8::try_from(fraction.len()).ok()?;
    let units = digits.parse().ok()?;
    Some((Fraction { units, of: 10_i128.checked_pow(scale.into())? }, scale))
}

/// The decimal mark of a term, if it has one; the outer `None` is for a term that is not a number.
#[expect(clippy::option_option, reason = "a term without a mark is a number, too")]
fn decimal_mark(term: &str, marks: Marks) -> Option<Option<char>> {
    let count = |mark: char| term.chars().filter(|it| *it == mark).count();
    if count('٫') > 0 {
        return Some(Some('٫'));
    }
    let (mark, times) = match (count('.'), count(',')) {
        (0, 0) => return Some(None),
        (dots, 0) => ('.', dots),
        (0, commas) => (',', commas),
        _ if marks == Marks::Decimal => return None,
        _ => {
            let last = if term.rfind('.') > term.rfind(',') { '.' } else { ',' };
            return (count(last) == 1).then_some(Some(last));
        }
    };
    if marks == Marks::Decimal {
        return (times == 1).then_some(Some(mark));
    }
    if times > 1 {
        return Some(None);
    }
    let (before, after) = term.split_once(mark)?;
    let is_digits = |it: &str| it.bytes().all(|byte| byte.is_ascii_digit());
    let is_group = after.len() == 3
        && (1..=3).contains(&before.len())
        && !before.starts_with('0')
        && is_digits(before)
        && is_digits(after);
    Some(Some(mark).filter(|_| !is_group || marks != Marks::Groups))
}

/// The digits of a whole number, whose groups are those of the West or of India.
fn ungrouped(whole: &str) -> Option<String> {
    let separator = whole.chars().find(|it| !it.is_ascii_digit());
    let Some(separator) = separator else { return Some(whole.to_owned()) };
    if !matches!(separator, '.' | ',' | '٬' | ' ' | '\'' | '_') {
        return None;
    }
    let groups: Vec<&str> = whole.split(separator).collect();
    let is_digits = |it: &&str| it.bytes().all(|byte| byte.is_ascii_digit());
    let (first, others) = groups.split_first()?;
    let (last, middle) = others.split_last()?;
    let is_long = |it: &&str, digits: usize| it.len() == digits;
    let western = (1..=3).contains(&first.len()) && middle.iter().all(|it| is_long(it, 3));
    let indian = (1..=2).contains(&first.len())
        && !middle.is_empty()
        && middle.iter().all(|it| is_long(it, 2));
    let is_grouped = (western || indian) && is_long(last, 3) && !first.starts_with('0');
    (is_grouped && groups.iter().all(is_digits)).then(|| groups.concat())
}

/// An exact number `units / of`; `of` is positive.
#[derive(Clone, Copy)]
struct Fraction {
    units: i128,
    of: i128,
}

impl Fraction {
    const ZERO: Self = Self { units: 0, of: 1 };

    const fn negated(self) -> Self {
        Self { units: self.units.saturating_neg(), ..self }
    }

    fn plus(self, other: Self) -> Option<Self> {
        let left = self.units.checked_mul(other.of)?;
        let right = other.units.checked_mul(self.of)?;
        Self::reduced(left.checked_add(right)?, self.of.checked_mul(other.of)?)
    }

    fn times(self, other: Self) -> Option<Self> {
        Self::reduced(self.units.checked_mul(other.units)?, self.of.checked_mul(other.of)?)
    }

    /// The quotient by a term, which is never negative.
    fn over(self, other: Self) -> Option<Self> {
        Self::reduced(self.units.checked_mul(other.of)?, self.of.checked_mul(other.units)?)
    }

    /// None for a quotient by zero.
    fn reduced(units: i128, of: i128) -> Option<Self> {
        if of == 0 {
            return None;
        }
        let mut divisor = of;
        let mut rest = units;
        while rest != 0 {
            (divisor, rest) = (rest, divisor.checked_rem(rest)?);
        }
        let divisor = divisor.checked_abs()?;
        Some(Self { units: units.checked_div(divisor)?, of: of.checked_div(divisor)? })
    }

    /// The number of units of `10^-decimals`, halves rounded away from zero, and whether it was
    /// rounded.
    fn rounded(self, decimals: u8) -> Option<(i128, bool)> {
        let units = self.units.checked_mul(10_i128.checked_pow(decimals.into())?)?;
        let whole = units.checked_div(self.of)?;
        let rest = units.checked_rem(self.of)?;
        let is_up = rest.checked_abs()? >= self.of.checked_sub(rest.checked_abs()?)?;
        let up = if is_up { rest.signum() } else { 0 };
        Some((whole.checked_add(up)?, rest != 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    const CASES: &str = include_str!("../../../../tests/fixtures/amounts.json");

    #[test]
    fn texts_are_read_as_the_table_says() {
        let table: Value = serde_json::from_str(CASES).unwrap();
        let currency = |code: &Value| code.as_str().unwrap().parse::<Currency>().unwrap();
        for (code, decimals) in table["decimals"].as_object().unwrap() {
            let exponent = code.parse::<Currency>().unwrap().exponent();
            assert_eq!(u64::from(exponent), decimals.as_u64().unwrap(), "{code}");
        }
        for case in table["amounts"].as_array().unwrap() {
            let used = case["used"].as_array().into_iter().flatten().map(currency);
            let used: Vec<Currency> = used.collect();
            let readings = read(case["typed"].as_str().unwrap(), currency(&case["chosen"]), &used);
            let shown = readings.unwrap_or_default().into_iter().map(|it| {
                let rounded = it.is_rounded.then_some(true);
                let mut shown = serde_json::json!({
                    "amount": it.money.to_major().to_string(),
                    "currency": it.money.currency.code(),
                });
                if let Some(rounded) = rounded {
                    shown["rounded"] = rounded.into();
                }
                shown
            });
            assert_eq!(Value::Array(shown.collect()), case["reads"], "{case}");
        }
        for case in table["numbers"].as_array().unwrap() {
            let found = number(case["typed"].as_str().unwrap()).ok().map(|it| it.to_string());
            assert_eq!(found.as_deref(), case["reads"].as_str(), "{case}");
        }
    }

    #[test]
    fn a_refused_amount_says_why() {
        let eur = "EUR".parse().unwrap();
        assert_eq!(read("12,5000", eur, &[]), Err(TypedError::TooFine(eur)));
        assert_eq!(read("12 60", eur, &[]), Err(TypedError::Syntax));
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "\\PC*") {
            let _ = read(&text, Currency::TON, &[]);
            let _ = number(&text);
        }

        #[test]
        fn sums_never_panic(text in "[0-9.,' +*/-]{0,60}") {
            let _ = read(&text, Currency::TON, &[]);
            let _ = number(&text);
        }

        #[test]
        fn an_amount_is_read_as_it_is_printed(minor in 1..i64::MAX, exponent in 0..10_usize) {
            let currency: Currency = ["JPY", "EUR", "KWD", "TON"][exponent % 4].parse().unwrap();
            let printed = currency.to_major(minor).to_string();
            let readings = read(&printed, currency, &[]).unwrap();
            let money = Money { currency, minor };
            prop_assert!(readings.iter().any(|it| it.money == money));
        }
    }
}
