//! Ids of Telegram chats.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::values::{
    text::has_visible_char,
    text_form::{TextForm, TextRule},
};

/// Identifier of a Telegram chat, as text: its number (negative for groups), a Mini App's
/// `chat_instance`, or its `@username`.
///
/// No group is looked up by the chat id that a client sends, so any identifier is accepted: 1 to 64
/// characters without whitespace or control characters.
/// <https://core.telegram.org/bots/api#sendmessage>,
/// <https://core.telegram.org/bots/webapps#webappinitdata>
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatId(String);

/// Error returned for a text that is not a chat id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChatIdError;

impl Says for ChatIdError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be a whole number, like -1001234567890, or 1 to {most} characters \
             without blanks",
            "{field} должно быть целым числом, например -1001234567890, или содержать от 1 до \
             {most} символов без пробелов",
            most = ChatId::MAX_LENGTH
        )
    }
}

errors!(ChatIdError);

impl ChatId {
    /// Maximum length, in characters.
    pub const MAX_LENGTH: usize = 64;
}

impl From<i64> for ChatId {
    fn from(number: i64) -> Self {
        Self(number.to_string())
    }
}

impl FromStr for ChatId {
    type Err = ChatIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let blank = |letter: char| letter.is_whitespace() || letter.is_control();
        let accepted = text.chars().count() <= Self::MAX_LENGTH
            && has_visible_char(text)
            && !text.chars().any(blank);
        accepted.then(|| Self(text.to_owned())).ok_or(ChatIdError)
    }
}

impl fmt::Display for ChatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextForm for ChatId {
    const NAME: &'static str = "ChatId";
    const EXAMPLE: &'static str = "-1001234567890";
    const OR_INTEGER: bool = true;

    fn description() -> String {
        "Id of a Telegram chat: its number, a Mini App's `chat_instance`, or any other text \
         without whitespace."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Length(Self::MAX_LENGTH, r"^[^\s\x00-\x1f\x7f-\x9f]+$")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chat_id_has_1_to_64_characters_without_whitespace() {
        for (text, accepted) in [
            ("-1001234567890", true),
            ("-3788475317572404878", true),
            ("@alps2026", true),
            (&"x".repeat(64), true),
            (&"x".repeat(65), false),
            ("", false),
            (" ", false),
            ("\u{200b}", false),
            ("my chat", false),
            ("two\nlines", false),
        ] {
            assert_eq!(text.parse::<ChatId>().is_ok(), accepted, "{text:?}");
        }
        assert_eq!(ChatId::from(-7).to_string(), "-7");
    }
}
