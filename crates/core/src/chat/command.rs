//! Commands of the bot, and the expenses that they name: `/expense 12,60 pizza`.
//!
//! The amount has the grammar of [`typed`], but without sums, and the codes of currencies count
//! only in capitals: "5 cup tea" is about a cup. A blank groups digits or ends the amount, so a
//! line may have several readings, and the person chooses one.

use fracti_texts::{Message, Says, errors, message};

use crate::values::{
    currency::Currency,
    money::Money,
    text::Description,
    typed::{self, TypedError},
};

/// A command with its argument, without blanks around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command<'a> {
    /// Set up the chat or show its members.
    Start(&'a str),
    /// Record an expense.
    Expense(&'a str),
    /// Show the balances.
    Balance,
    /// Show who pays whom.
    Settle,
    /// Show the settings of messages.
    Settings,
}

/// The command with which a message begins. `bot` is the username of the bot, without `@`: a
/// command for another bot is none. While it is unknown, a command with any username counts.
///
/// <https://core.telegram.org/bots/features#commands>
#[must_use]
pub fn parse<'a>(text: &'a str, bot: Option<&str>) -> Option<Command<'a>> {
    let text = text.strip_prefix('/')?;
    let (name, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let name = name.to_ascii_lowercase();
    let argument = argument.trim();
    let name = match name.split_once('@') {
        None => &name,
        Some((_, "")) => return None,
        Some((name, to)) => bot.is_none_or(|bot| bot.eq_ignore_ascii_case(to)).then_some(name)?,
    };
    match name {
        "start" => Some(Command::Start(argument)),
        "expense" => Some(Command::Expense(argument)),
        "balance" => Some(Command::Balance),
        "settle" => Some(Command::Settle),
        "settings" => Some(Command::Settings),
        _ => None,
    }
}

/// An expense that a line may mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpenseReading {
    /// The amount, which is positive.
    pub money: Money,
    /// Purpose of the expense.
    pub description: Description,
}

/// Error returned for a line that is not an expense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpenseError {
    /// The line has no amount or no text after it.
    Syntax,
    /// The amount has more decimals than the currency.
    TooFine(Currency),
    /// The text is too long.
    TooLong,
}

impl Says for ExpenseError {
    fn says(&self) -> Message {
        match self {
            Self::Syntax => message!(
                "Write the amount and what it was for, like /expense 12.50 dinner",
                "Напишите сумму и на что: например, /expense 12,50 ужин"
            ),
            Self::TooFine(currency) => match currency.exponent() {
                0 => message!("{currency} has no decimals", "{currency}: без знаков после запятой"),
                most => message!(
                    "{currency} has {most} decimals",
                    "{currency}: знаков после запятой — {most}"
                ),
            },
            Self::TooLong => message!(
                "Write what it was for in at most {most} characters",
                "Опишите расход не длиннее {most} символов",
                most = Description::MAX_LENGTH
            ),
        }
    }
}

errors!(ExpenseError);

/// The expenses that `<amount> [<currency>] <text>` may mean, those with the longest amount first:
/// one, or several if the person has to be asked. `chosen` is the currency of an amount that names
/// none, and `used` are those of the group.
///
/// The amount stands in one line. Line breaks in the text become blanks.
///
/// # Errors
///
/// [`ExpenseError`].
///
/// # Example
///
/// ```
/// use fracti_core::chat::command;
///
/// let eur = "EUR".parse().unwrap();
/// let pizza = command::expense("12,60 pizza", eur, &[eur]).unwrap();
/// assert_eq!(pizza[0].money.minor, 1260);
/// assert_eq!(pizza[0].description.as_str(), "pizza");
/// assert_eq!(command::expense("1 200 taxi", eur, &[eur]).unwrap().len(), 2);
/// ```
pub fn expense(
    line: &str,
    chosen: Currency,
    used: &[Currency],
) -> Result<Vec<ExpenseReading>, ExpenseError> {
    let line = line.trim();
    let first_line = line.find(is_line_end).unwrap_or(line.len());
    let blanks = line.char_indices().filter(|(at, it)| *at <= first_line && is_blank(*it));
    let mut readings: Vec<ExpenseReading> = Vec::new();
    let mut error = ExpenseError::Syntax;
    for (at, _) in blanks.rev() {
        let Some((amount, text)) = line.split_at_checked(at) else { continue };
        let amounts = description(text, chosen, used)
            .and_then(|description| Ok((amounts(amount, chosen, used)?, description)));
        match amounts {
            Ok((amounts, description)) => {
                for money in amounts {
                    let reading = ExpenseReading { money, description: description.clone() };
                    if !readings.contains(&reading) {
                        readings.push(reading);
                    }
                }
            }
            Err(ExpenseError::Syntax) => {}
            Err(ExpenseError::TooLong) => error = ExpenseError::TooLong,
            // "0.505 USD tea" is refused, instead of read as 0.505 KWD for "USD tea".
            Err(too_fine @ ExpenseError::TooFine(_)) => return Err(too_fine),
        }
    }
    if readings.is_empty() { Err(error) } else { Ok(readings) }
}

/// The positive amounts that a text without sums means.
fn amounts(text: &str, chosen: Currency, used: &[Currency]) -> Result<Vec<Money>, ExpenseError> {
    let text = typed::plain(text);
    let (_, word) = typed::parted(&text);
    let is_currency = word.is_none_or(|word| {
        typed::sign_of(&word.to_lowercase()).is_some() || word.parse::<Currency>().is_ok()
    });
    if text.contains(OPERATORS) || !is_currency {
        return Err(ExpenseError::Syntax);
    }
    let readings = typed::read(&text, chosen, used).map_err(|error| match error {
        TypedError::Syntax => ExpenseError::Syntax,
        TypedError::TooFine(currency) => ExpenseError::TooFine(currency),
    })?;
    Ok(readings.into_iter().map(|it| it.money).filter(|it| it.minor > 0).collect())
}

/// The description that a text is, unless it may begin with the rest of an amount.
fn description(
    text: &str,
    chosen: Currency,
    used: &[Currency],
) -> Result<Description, ExpenseError> {
    let words: Vec<&str> = text.split(is_blank).filter(|it| !it.is_empty()).collect();
    let first = typed::plain(words.first().copied().unwrap_or_default());
    let is_used = |code: Currency| code == chosen || used.contains(&code);
    let is_of_amount = first.starts_with(OPERATORS)
        || begins_with_sign(&first.to_lowercase())
        || begins_with_code(&first, words.len() == 1, is_used);
    let text = words.join(" ");
    if is_of_amount || !text.chars().any(|it| it.is_alphabetic() || is_emoji(it)) {
        return Err(ExpenseError::Syntax);
    }
    if text.chars().count() > Description::MAX_LENGTH {
        return Err(ExpenseError::TooLong);
    }
    text.parse().map_err(|_| ExpenseError::Syntax)
}

/// Characters of sums, in the spelling of [`typed::plain`].
const OPERATORS: [char; 4] = ['+', '-', '*', '/'];

/// Whether a word in lower case is a sign of a currency, or begins with one: `$5`, `руб,`.
fn begins_with_sign(word: &str) -> bool {
    word.char_indices().any(|(at, last)| {
        let end = at.saturating_add(last.len_utf8());
        let Some((sign, rest)) = word.split_at_checked(end) else { return false };
        let is_whole = !last.is_alphabetic() || !rest.starts_with(char::is_alphanumeric);
        is_whole && typed::sign_of(sign).is_some()
    })
}

/// Whether a word begins with a code that can only be a currency: it is used, nothing follows it,
/// or a mark ends it.
fn begins_with_code(word: &str, is_alone: bool, is_used: impl Fn(Currency) -> bool) -> bool {
    let rest = word.trim_start_matches(|it: char| it.is_ascii_uppercase());
    let code = word.strip_suffix(rest).unwrap_or_default();
    let Ok(currency) = code.parse() else { return false };
    match rest.chars().next() {
        None => is_alone || is_used(currency),
        Some('.' | ',' | ':' | ';' | ' ') => true,
        Some(next) => !next.is_alphanumeric() && is_used(currency),
    }
}

/// Whether a character separates words. Blanks that do not break a line only group digits.
fn is_blank(character: char) -> bool {
    character.is_whitespace() && !matches!(character, '\u{a0}' | '\u{2007}' | '\u{202f}')
}

/// Whether a character ends a line.
const fn is_line_end(character: char) -> bool {
    matches!(character, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Whether a character is in a block of pictures, or makes a picture of others.
const fn is_emoji(character: char) -> bool {
    matches!(
        character,
        '\u{20e3}'
            | '\u{2190}'..='\u{21ff}'
            | '\u{2300}'..='\u{23ff}'
            | '\u{25a0}'..='\u{27bf}'
            | '\u{2b00}'..='\u{2bff}'
            | '\u{1f000}'..='\u{1faff}'
    )
}

#[cfg(test)]
mod tests {
    use fracti_texts::Language;
    use proptest::prelude::*;

    use super::*;

    fn currency(code: &str) -> Currency {
        code.parse().unwrap()
    }

    /// The readings, each as `12.5 EUR: pizza`, or the error.
    fn read(line: &str, chosen: &str, used: &[&str]) -> String {
        let used: Vec<Currency> = used.iter().map(|it| currency(it)).collect();
        let shown = |it: &ExpenseReading| {
            format!("{} {}: {}", it.money.to_major(), it.money.currency, it.description)
        };
        match expense(line, currency(chosen), &used) {
            Ok(readings) => readings.iter().map(shown).collect::<Vec<_>>().join(" | "),
            Err(error) => format!("{error:?}").split('(').next().unwrap().to_owned(),
        }
    }

    #[test]
    fn a_command_begins_the_message_and_is_for_this_bot() {
        let bot = Some("FractiBot");
        for (text, bot, command) in [
            ("/expense 30 dinner", bot, Some(Command::Expense("30 dinner"))),
            ("/expense@FractiBot 30 dinner", bot, Some(Command::Expense("30 dinner"))),
            ("/Expense@fractibot  30 dinner ", bot, Some(Command::Expense("30 dinner"))),
            ("/expense\n30 dinner", bot, Some(Command::Expense("30 dinner"))),
            ("/expense@FractiBot\n30\ndinner", bot, Some(Command::Expense("30\ndinner"))),
            ("/expense", bot, Some(Command::Expense(""))),
            ("/expense@OtherBot 30 dinner", bot, None),
            ("/expense@FractiBot2 30 dinner", bot, None),
            ("/expense@OtherBot 30 dinner", None, Some(Command::Expense("30 dinner"))),
            ("/expense@ 30 dinner", None, None),
            ("/expense30 dinner", bot, None),
            (" /expense 30 dinner", bot, None),
            ("expense 30 dinner", bot, None),
            ("/расход 30 dinner", bot, None),
            ("/start", bot, Some(Command::Start(""))),
            ("/start EUR", bot, Some(Command::Start("EUR"))),
            ("/balance now", bot, Some(Command::Balance)),
            ("/settle", bot, Some(Command::Settle)),
            ("/SETTINGS", bot, Some(Command::Settings)),
            ("/help", bot, None),
            ("/", bot, None),
            ("", bot, None),
        ] {
            assert_eq!(parse(text, bot), command, "{text:?}");
        }
    }

    #[test]
    fn amounts_are_read_as_the_currency_has_decimals() {
        const SYNTAX: &str = "Syntax";
        const FINE: &str = "TooFine";
        for (line, [eur, kwd, ton, jpy]) in [
            ("12,50 x", ["12.5 EUR: x", "12.5 KWD: x", "12.5 TON: x", FINE]),
            ("1.234,50 x", ["1234.5 EUR: x", "1234.5 KWD: x", "1234.5 TON: x", FINE]),
            ("1,234.5 x", ["1234.5 EUR: x", "1234.5 KWD: x", "1234.5 TON: x", FINE]),
            (
                "12,000 x",
                [
                    "12000 EUR: x",
                    "12 KWD: x | 12000 KWD: x",
                    "12 TON: x | 12000 TON: x",
                    "12000 JPY: x",
                ],
            ),
            (
                "1.234.567 x",
                ["1234567 EUR: x", "1234567 KWD: x", "1234567 TON: x", "1234567 JPY: x"],
            ),
            (
                "1 200 taxi",
                [
                    "1200 EUR: taxi | 1 EUR: 200 taxi",
                    "1200 KWD: taxi | 1 KWD: 200 taxi",
                    "1200 TON: taxi | 1 TON: 200 taxi",
                    "1200 JPY: taxi | 1 JPY: 200 taxi",
                ],
            ),
            (
                "5 CUP tea",
                [
                    "5 CUP: tea | 5 EUR: CUP tea",
                    "5 CUP: tea | 5 KWD: CUP tea",
                    "5 CUP: tea | 5 TON: CUP tea",
                    "5 CUP: tea | 5 JPY: CUP tea",
                ],
            ),
            ("1,23,456 x", ["123456 EUR: x", "123456 KWD: x", "123456 TON: x", "123456 JPY: x"]),
            ("٥ x", ["5 EUR: x", "5 KWD: x", "5 TON: x", "5 JPY: x"]),
            ("0,500 x", [FINE, "0.5 KWD: x", "0.5 TON: x", FINE]),
            ("12,5000 x", [FINE, FINE, "12.5 TON: x", FINE]),
            ("1 200", [SYNTAX; 4]),
            ("-5 x", [SYNTAX; 4]),
            ("0 x", [SYNTAX; 4]),
            ("1e3 x", [SYNTAX; 4]),
            ("5+5 x", [SYNTAX; 4]),
        ] {
            for (chosen, expected) in [("EUR", eur), ("KWD", kwd), ("TON", ton), ("JPY", jpy)] {
                assert_eq!(read(line, chosen, &[]), expected, "{line} in {chosen}");
            }
        }
    }

    #[test]
    fn codes_count_in_capitals_and_signs_in_any_case() {
        for (line, chosen, used, expected) in [
            ("5 cup tea", "EUR", &[][..], "5 EUR: cup tea"),
            ("5 CUP tea", "EUR", &["CUP"], "5 CUP: tea"),
            ("5 CUP tea", "CUP", &[], "5 CUP: tea"),
            ("5CUP tea", "EUR", &[], "5 CUP: tea"),
            ("CUP 5 tea", "EUR", &[], "5 CUP: tea"),
            ("5cup tea", "EUR", &[], "Syntax"),
            ("cup 5 tea", "EUR", &[], "Syntax"),
            ("0.505 CUP tea", "KWD", &[], "TooFine"),
            ("30 TOP-UP", "EUR", &[], "30 EUR: TOP-UP"),
            ("30 EURO trip", "EUR", &[], "30 EUR: EURO trip"),
            ("5 CUP", "EUR", &[], "Syntax"),
            ("5 EUR", "EUR", &["EUR"], "Syntax"),
            ("5 CUP, tea", "EUR", &[], "Syntax"),
            ("5 CUP\u{a0}tea", "EUR", &[], "Syntax"),
            (
                "1 200 USDT rent",
                "EUR",
                &[],
                "1200 USDT: rent | 1200 EUR: USDT rent \
              | 1 EUR: 200 USDT rent",
            ),
            ("€12 x", "EUR", &[], "12 EUR: x"),
            ("12 € x", "EUR", &[], "12 EUR: x"),
            ("12 €x", "EUR", &[], "Syntax"),
            ("£12 x", "EUR", &[], "12 GBP: x"),
            ("500 руб. такси", "RUB", &[], "500 RUB: такси"),
            ("500 Р такси", "EUR", &[], "500 RUB: такси"),
            ("500 руб, такси", "EUR", &[], "Syntax"),
            ("500 р", "RUB", &[], "Syntax"),
            ("500 рыб", "RUB", &[], "500 RUB: рыб"),
            ("$5 x", "USD", &[], "5 USD: x"),
            ("$5 x", "EUR", &["AUD"], "5 AUD: x"),
            ("$5 x", "EUR", &[], "5 USD: x | 5 AUD: x | 5 CAD: x | 5 MXN: x | 5 NZD: x | 5 SGD: x"),
            ("5 $ x", "USD", &[], "5 USD: x"),
            ("5 $3 x", "USD", &[], "Syntax"),
            ("5 tea for $3", "USD", &[], "5 USD: tea for $3"),
        ] {
            assert_eq!(read(line, chosen, used), expected, "{line:?} in {chosen}");
        }
    }

    #[test]
    fn blanks_digits_and_operators_have_every_spelling() {
        for (line, expected) in [
            ("1\u{a0}200 taxi", "1200 EUR: taxi"),
            ("1\u{202f}200,50 taxi", "1200.5 EUR: taxi"),
            ("5\u{a0}taxi", "Syntax"),
            ("  5 \t taxi  home ", "5 EUR: taxi home"),
            ("5 taxi\nand a tip", "5 EUR: taxi and a tip"),
            ("5\ntaxi", "5 EUR: taxi"),
            ("1\n200 taxi", "1 EUR: 200 taxi"),
            ("\u{200f}٥\u{200f} شاي", "5 EUR: شاي"),
            ("۱۲٬۰۰۰ x", "12000 EUR: x"),
            ("１２．５ x", "12.5 EUR: x"),
            ("5 + 5 x", "Syntax"),
            ("5 ＋ 5 x", "Syntax"),
            ("5 \u{200f}−5 x", "Syntax"),
            ("5 – x", "Syntax"),
            ("2×12,50 x", "Syntax"),
            ("+5 x", "Syntax"),
            ("(5) x", "Syntax"),
            ("5 and 5", "5 EUR: and 5"),
            ("5 🍕", "5 EUR: 🍕"),
            ("5 ☕\u{fe0f}", "5 EUR: ☕\u{fe0f}"),
            ("5 1\u{fe0f}\u{20e3}", "5 EUR: 1\u{fe0f}\u{20e3}"),
            ("5 🇩🇪", "5 EUR: 🇩🇪"),
            ("5 !?", "Syntax"),
            ("5 \u{200b}", "Syntax"),
            ("5 a\0b", "Syntax"),
            ("dinner 5", "Syntax"),
            ("dinner", "Syntax"),
            ("", "Syntax"),
            ("92233720368547758.07 x", "92233720368547758.07 EUR: x"),
            ("92233720368547758.08 x", "Syntax"),
        ] {
            assert_eq!(read(line, "EUR", &[]), expected, "{line:?}");
        }
    }

    #[test]
    fn a_text_has_at_most_200_characters() {
        for (letter, count, accepted) in [("x", 200, true), ("🍕", 200, true), ("x", 201, false)]
        {
            let text = letter.repeat(count);
            let expected = if accepted { format!("5 EUR: {text}") } else { "TooLong".to_owned() };
            assert_eq!(read(&format!("5 {text}"), "EUR", &[]), expected);
        }
    }

    #[test]
    fn a_refused_expense_says_why() {
        for (error, english, russian) in [
            (
                ExpenseError::Syntax,
                "Write the amount and what it was for, like /expense 12.50 dinner",
                "Напишите сумму и на что: например, /expense 12,50 ужин",
            ),
            (
                ExpenseError::TooFine(currency("EUR")),
                "EUR has 2 decimals",
                "EUR: знаков после запятой — 2",
            ),
            (
                ExpenseError::TooFine(currency("JPY")),
                "JPY has no decimals",
                "JPY: без знаков после запятой",
            ),
            (
                ExpenseError::TooLong,
                "Write what it was for in at most 200 characters",
                "Опишите расход не длиннее 200 символов",
            ),
        ] {
            let says = error.says();
            assert_eq!(Language::ALL.map(|it| says.text(it).to_owned()), [english, russian]);
        }
    }

    proptest! {
        #[test]
        fn commands_and_expenses_never_panic(text in "\\PC*") {
            let _ = parse(&text, Some("FractiBot"));
            let _ = parse(&format!("/{text}"), None);
            let _ = expense(&text, Currency::TON, &[]);
        }

        #[test]
        fn expenses_have_a_positive_amount_and_are_unique(
            text in "[0-9.,' \n\u{a0}$€рA-Z+-]{0,20} [ a-zCUP$🍕]{0,9}"
        ) {
            let readings = expense(&text, Currency::TON, &[]).unwrap_or_default();
            prop_assert!(u8::try_from(readings.len()).is_ok());
            for (index, reading) in readings.iter().enumerate() {
                prop_assert!(reading.money.minor > 0);
                prop_assert!(!readings[..index].contains(reading));
            }
        }

        #[test]
        fn an_expense_is_read_as_it_is_printed(minor in 1..i64::MAX, text in "[a-z]{4,20}") {
            let eur = currency("EUR");
            let money = Money { currency: eur, minor };
            let line = format!("{} EUR the {text}", money.to_major());
            let readings = expense(&line, eur, &[]).unwrap();
            let description = format!("the {text}").parse().unwrap();
            prop_assert_eq!(readings, [ExpenseReading { money, description }]);
        }
    }
}
