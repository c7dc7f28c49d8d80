//! Texts for people, in every language: a text stands in all of them beside the code that says it.
//!
//! [`message!`] and [`rule!`] make a [`Message`]. A missing text does not compile. A third language
//! is a variant of [`Language`], and a literal more in both macros.

mod json;

use std::{convert::Infallible, fmt, str::FromStr, sync::Arc};

use serde::{Deserialize, Serialize};

pub use json::{json_error, to_json_error};

/// Language of texts for people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// English.
    #[serde(rename = "en")]
    English,
    /// Russian.
    #[serde(rename = "ru")]
    Russian,
}

/// Error returned for a text that is the code of no language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownLanguage;

impl Language {
    /// All languages.
    pub const ALL: [Self; 2] = [Self::English, Self::Russian];

    /// The code of the language, as in `Content-Language`.
    ///
    /// <https://www.rfc-editor.org/rfc/rfc5646>
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Russian => "ru",
        }
    }

    /// The name of the language in itself.
    #[must_use]
    pub const fn own_name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Russian => "Русский",
        }
    }

    /// The form of a word that goes with a number: in English for one and for others; in Russian
    /// for one, for few and for many.
    ///
    /// <https://www.unicode.org/cldr/charts/latest/supplemental/language_plural_rules.html>
    #[must_use]
    pub const fn plural<'a>(
        self,
        number: u64,
        [one, others]: [&'a str; 2],
        [first, few, many]: [&'a str; 3],
    ) -> &'a str {
        match (self, number % 100, number % 10) {
            (Self::English, ..) => {
                if number == 1 {
                    one
                } else {
                    others
                }
            }
            (Self::Russian, 11..=14, _) => many,
            (Self::Russian, _, 1) => first,
            (Self::Russian, _, 2..=4) => few,
            (Self::Russian, ..) => many,
        }
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Self, UnknownLanguage> {
        Self::ALL.into_iter().find(|it| it.code() == code).ok_or(UnknownLanguage)
    }
}

impl Says for UnknownLanguage {
    fn says(&self) -> Message {
        let known = Language::ALL.map(Language::code).join(", ");
        rule!("{field} must be one of {known}", "{field} должно быть одним из следующих: {known}")
    }
}

errors!(UnknownLanguage);

/// A text for people, with its arguments, in all languages.
///
/// The text of a rule has a place for its subject, the field that breaks it, until
/// [`about`](Self::about) or [`about_field`](Self::about_field) names it.
#[derive(Clone, PartialEq, Eq)]
pub struct Message(Arc<[String; Language::ALL.len()]>);

/// Character that stands for the subject of a rule. It is for private use, so no text of a client
/// that is valid has it.
#[doc(hidden)]
pub const SUBJECT: char = '\u{e000}';

/// A value that says something to people: an error, mostly.
pub trait Says {
    /// What it says.
    fn says(&self) -> Message;
}

impl Message {
    /// The message with these texts.
    pub fn new(text: impl Fn(Language) -> String) -> Self {
        Self(Arc::new(Language::ALL.map(text)))
    }

    /// A message that is the same in all languages: a name, or the words of a library.
    pub fn same(text: impl fmt::Display) -> Self {
        Self::new(|_| text.to_string())
    }

    /// A number with the form of the words that goes with it, as [`Language::plural`]: `1 row`, but
    /// `2 rows`.
    #[must_use]
    pub fn counted(number: usize, english: [&str; 2], russian: [&str; 3]) -> Self {
        let count = u64::try_from(number).unwrap_or(u64::MAX);
        Self::new(|language| format!("{number} {}", language.plural(count, english, russian)))
    }

    /// The text in a language.
    #[must_use]
    pub fn text(&self, language: Language) -> &str {
        let [english, russian] = &*self.0;
        match language {
            Language::English => english,
            Language::Russian => russian,
        }
    }

    /// The message with other texts, made of those that it has.
    #[must_use]
    pub fn map(&self, to: impl Fn(Language, &str) -> String) -> Self {
        Self::new(|language| to(language, self.text(language)))
    }

    /// The rule about a subject in words. Russian words are of the neuter gender.
    #[must_use]
    pub fn about(&self, subject: &Self) -> Self {
        self.map(|language, rule| rule.replace(SUBJECT, subject.text(language)))
    }

    /// The rule about the field with this path.
    #[must_use]
    pub fn about_field(&self, path: &str) -> Self {
        self.map(|language, rule| {
            // A name has no gender, with which the Russian text could agree.
            let is_russian_start = language == Language::Russian && rule.starts_with(SUBJECT);
            let before = if is_russian_start { "значение " } else { "" };
            format!("{before}{}", rule.replace(SUBJECT, path))
        })
    }

    /// The rule about its subject, quoted as it was sent.
    #[must_use]
    pub fn quoting(&self, quote: &str) -> Self {
        self.map(|_, rule| rule.replace(SUBJECT, &format!("{SUBJECT} {quote}")))
    }

    /// These messages, one after the other.
    #[must_use]
    pub fn joined(messages: &[Self]) -> Self {
        Self::new(|language| {
            let texts: Vec<_> = messages.iter().map(|message| message.text(language)).collect();
            texts.join("; ")
        })
    }
}

/// The text in English, for logs and terminals. A rule without a subject begins with its verb.
impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.text(Language::English);
        let text = text.strip_prefix(SUBJECT).map_or(text, str::trim_start);
        f.write_str(&text.replace(SUBJECT, "it"))
    }
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

impl Says for Infallible {
    fn says(&self) -> Message {
        match *self {}
    }
}

impl<T: Says> From<T> for Message {
    fn from(what: T) -> Self {
        what.says()
    }
}

/// Makes a [`Message`] of its English and its Russian text.
///
/// Variables and `name = value` fill in the places of both texts. Messages that are parts of the
/// message stand at the end, as a list.
///
/// ```
/// use fracti_texts::{Language, message};
///
/// let rule = message!("the file is empty", "файл пуст");
/// let line = 3;
/// let message = message!("line {line}: {rule}", "строка {line}: {rule}", [rule]);
/// assert_eq!(message.text(Language::Russian), "строка 3: файл пуст");
/// assert_eq!(message.to_string(), "line 3: the file is empty");
/// ```
#[macro_export]
macro_rules! message {
    (
        $english:literal, $russian:literal
        $(, $name:ident = $value:expr)* $(, [$($part:ident),+])? $(,)?
    ) => {
        $crate::Message::new(|language| {
            $($(let $part = $part.text(language);)+)?
            match language {
                $crate::Language::English => ::std::format!($english $(, $name = $value)*),
                $crate::Language::Russian => ::std::format!($russian $(, $name = $value)*),
            }
        })
    };
}

/// Makes the [`Message`] of a rule, whose subject is `{field}`. Otherwise as [`message!`].
///
/// ```
/// use fracti_texts::{Language, rule};
///
/// let most = 5;
/// let rule = rule!("{field} must be at most {most}", "{field} должно быть не больше {most}");
/// assert_eq!(rule.to_string(), "must be at most 5");
/// let message = rule.about_field("limit");
/// assert_eq!(message.to_string(), "limit must be at most 5");
/// assert_eq!(message.text(Language::Russian), "значение limit должно быть не больше 5");
/// ```
#[macro_export]
macro_rules! rule {
    (
        $english:literal, $russian:literal
        $(, $name:ident = $value:expr)* $(, [$($part:ident),+])? $(,)?
    ) => {
        $crate::message!(
            $english, $russian, field = $crate::SUBJECT $(, $name = $value)* $(, [$($part),+])?
        )
    };
}

/// Makes errors of types that say what is wrong. Their text is the English one.
#[macro_export]
macro_rules! errors {
    ($($error:ty),+ $(,)?) => {$(
        impl ::std::fmt::Display for $error {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                ::std::fmt::Display::fmt(&$crate::Says::says(self), f)
            }
        }

        impl ::std::error::Error for $error {}
    )+};
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plurals_follow_the_rules_of_the_language() {
        for (number, english, russian) in [
            (0, "0 days", "0 дней"),
            (1, "1 day", "1 день"),
            (3, "3 days", "3 дня"),
            (5, "5 days", "5 дней"),
            (11, "11 days", "11 дней"),
            (21, "21 days", "21 день"),
            (112, "112 days", "112 дней"),
            (1_000_002, "1000002 days", "1000002 дня"),
        ] {
            let days = Message::counted(number, ["day", "days"], ["день", "дня", "дней"]);
            assert_eq!(Language::ALL.map(|it| days.text(it).to_owned()), [english, russian]);
        }
    }

    #[test]
    fn rules_name_their_subject_in_every_language() {
        let rule = rule!("{field} must not be 0", "{field} не должно быть равно нулю");
        let inner = rule!("{field} must be a member", "укажите участника в {field}");
        let amount = message!("the amount", "значение суммы");
        for (message, english, russian) in [
            (
                rule.about_field("splits[1]"),
                "splits[1] must not be 0",
                "значение splits[1] не должно быть равно нулю",
            ),
            (
                rule.about(&amount),
                "the amount must not be 0",
                "значение суммы не должно быть равно нулю",
            ),
            (
                rule.quoting("\"0\"").about(&amount),
                "the amount \"0\" must not be 0",
                "значение суммы \"0\" не должно быть равно нулю",
            ),
            (
                rule.quoting("\"0\"").about_field("cost"),
                "cost \"0\" must not be 0",
                "значение cost \"0\" не должно быть равно нулю",
            ),
            (inner.about_field("payer"), "payer must be a member", "укажите участника в payer"),
        ] {
            let texts = Language::ALL.map(|language| message.text(language).to_owned());
            assert_eq!(texts, [english, russian]);
        }
        assert_eq!(rule.to_string(), "must not be 0");
    }
}
