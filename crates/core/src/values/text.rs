//! Text written by users: bounded in length, not blank, and without control characters.
//! Only some may have line breaks.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::values::text_form::{TextForm, TextRule};

/// Regular expression of [`is_bounded`] for schemas, which cannot refuse invisible characters.
pub(crate) const PATTERN: &str =
    r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$";

/// As [`PATTERN`], for texts that may have line breaks.
const LINES_PATTERN: &str = r"^[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*$";

/// Error returned for a text that is too long or blank, or has a control character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextError {
    breaks: Breaks,
    max: usize,
}

impl Says for TextError {
    fn says(&self) -> Message {
        let max = self.max;
        match self.breaks {
            Breaks::Line => rule!(
                "{field} must have 1 to {max} characters, not all of them blank and none a control \
                 character",
                "{field} должно содержать от 1 до {max} символов: не только пробелы и без \
                 управляющих символов"
            ),
            Breaks::Lines => rule!(
                "{field} must have 1 to {max} characters, not all of them blank and none a control \
                 character other than a line break",
                "{field} должно содержать от 1 до {max} символов: не только пробелы и без \
                 управляющих символов, кроме переноса строки"
            ),
        }
    }
}

errors!(TextError);

/// Whether a text may have line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Breaks {
    /// It is one line.
    Line,
    /// It may have several lines, separated by line feeds or carriage returns.
    Lines,
}

impl Breaks {
    const fn pattern(self) -> &'static str {
        match self {
            Self::Line => PATTERN,
            Self::Lines => LINES_PATTERN,
        }
    }

    fn check(self, text: &str, max: usize) -> Result<String, TextError> {
        let valid = match self {
            Self::Line => is_bounded(text, max),
            Self::Lines => {
                let is_break = |letter| matches!(letter, '\n' | '\r');
                has_visible_char(text)
                    && text.chars().count() <= max
                    && !text.chars().any(|letter| controls(letter) && !is_break(letter))
            }
        };
        valid.then(|| text.to_owned()).ok_or(TextError { breaks: self, max })
    }
}

macro_rules! text {
    ($($(#[doc = $description:literal])+ $name:ident($breaks:ident, $max:literal) as $schema:literal, $example:literal;)+) => {$(
        $(#[doc = $description])+
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// Maximum length, in characters.
            pub const MAX_LENGTH: usize = $max;

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = TextError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Breaks::$breaks.check(text, $max).map(Self)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl TextForm for $name {
            const NAME: &'static str = $schema;
            const EXAMPLE: &'static str = $example;

            fn description() -> String {
                concat!($($description),+).trim().to_owned()
            }

            fn rule() -> TextRule {
                TextRule::Length($max, Breaks::$breaks.pattern())
            }
        }
    )+};
}

text! {
    /// Title of a group, not all blank, without control characters.
    Title(Line, 100) as "GroupTitle", "Roommates";
    /// Description of an expense, not all blank, without control characters.
    Description(Line, 200) as "ExpenseDescription", "Dinner";
    /// Name of a line of a receipt, not all blank, without control characters.
    LineName(Line, 100) as "LineName", "Pizza";
    /// Name of a guest, not all blank, without control characters.
    GuestName(Line, 100) as "GuestName", "Grandma";
    /// What money was spent on, not all blank, without control characters.
    SpendingTitle(Line, 100) as "SpendingTitle", "Coffee";
    /// Emoji of a spending, not all blank, without control characters.
    Emoji(Line, 8) as "SpendingEmoji", "☕";
    /// Notes about a spending, not all blank, without control characters other than line breaks.
    SpendingNotes(Lines, 500) as "SpendingNotes", "With oat milk";
    /// Name of a category, not all blank, without control characters.
    CategoryLabel(Line, 50) as "CategoryLabel", "Pets";
    /// Note of an adjustment, not all blank, without control characters.
    Note(Line, 200) as "EntryNote", "Opening balance";
    /// Notes about an expense, not all blank, without control characters other than line breaks.
    Notes(Lines, 1000) as "ExpenseNotes", "Without the wine:\nCarol does not drink.";
    /// Note of a settlement, not all blank, without control characters other than line breaks.
    SettlementNote(Lines, 1000) as "SettlementNote", "In cash, at the hut";
    /// Name of an API token, not all blank, without control characters.
    TokenName(Line, 100) as "TokenName", "Phone shortcut";
    /// Text of a question, not all blank, without control characters other than line breaks.
    Prompt(Lines, 2000) as "QuestionPrompt", "Pizza or sushi?";
    /// An answer that members may choose, not all blank, without control characters.
    QuestionOption(Line, 100) as "QuestionOption", "Pizza";
    /// Answer to a question, not all blank, without control characters other than line breaks.
    AnswerText(Lines, 5000) as "AnswerText", "Pizza, but without olives.";
    /// What is said about a transaction of funds, not all blank, without control characters.
    FundNote(Line, 200) as "FundNote", "Transfer of 24 November";
    /// Account to which money is paid, not all blank, without control characters.
    PayTo(Line, 200) as "PayTo", "DE89 3704 0044 0532 0130 00";
    /// Text to search for, regardless of case, not all blank, without control characters.
    SearchText(Line, 50) as "SearchText", "dinner";
}

/// Whether a text has a visible character, at most `max` characters, and no control character.
pub(crate) fn is_bounded(text: &str, max: usize) -> bool {
    has_visible_char(text) && text.chars().count() <= max && !text.chars().any(controls)
}

/// Whether a text has a visible character, which is neither blank nor ignorable, like the Unicode
/// characters that join, turn and hide others. The blank Braille pattern counts as invisible, too.
///
/// <https://www.unicode.org/reports/tr44/#Default_Ignorable_Code_Point>
pub(crate) fn has_visible_char(text: &str) -> bool {
    let hidden = |letter| {
        matches!(letter,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
    };
    text.chars().any(|letter| !letter.is_whitespace() && !hidden(letter))
}

/// Whether a character is a control character, or a line or paragraph separator of Unicode.
fn controls(letter: char) -> bool {
    letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_bounded_in_characters_not_blank_and_without_controls() {
        for (text, accepted) in [
            ("Alps", true),
            (" Alps ", true),
            ("Café 🏔️", true),
            (&"🏔".repeat(100), true),
            (&"🏔".repeat(101), false),
            (&"x".repeat(101), false),
            ("", false),
            ("   ", false),
            ("\u{3000}", false),
            ("\u{200b}", false),
            (" \u{ad}\u{202e}\u{3164}\u{2800}\u{e0041}", false),
            ("\u{202e}spla", true),
            ("👨\u{200d}👩", true),
            ("two\u{2028}lines", false),
            ("two\nlines", false),
            ("nul\0", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(text.parse::<Title>().is_ok(), accepted, "{text:?}");
        }
        for (text, accepted) in [
            ("two\nlines\r\n", true),
            ("\n", false),
            ("a\ttab", false),
            ("two\u{2028}lines", false),
            (&"x\n".repeat(500), true),
            (&"x\n".repeat(501), false),
        ] {
            assert_eq!(text.parse::<Notes>().is_ok(), accepted, "{text:?}");
        }
        let error = "".parse::<Description>().unwrap_err().to_string();
        assert_eq!(
            error,
            "must have 1 to 200 characters, not all of them blank and none a control character"
        );
    }
}
