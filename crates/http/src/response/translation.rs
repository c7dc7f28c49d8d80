//! Translation of error messages, by templates.

use std::{collections::HashMap, sync::LazyLock};

use fracti_core::values::time::Day;

use crate::response::{
    russian::{SUBJECTS, TEXTS},
    sentence::sentence,
};

/// How many messages and parts of messages are looked up for one message. It bounds the time for a
/// message that a client has filled with separators.
const MAX_LOOKUPS: usize = 100;

/// The templates of [`TEXTS`].
static TEMPLATES: LazyLock<Templates> = LazyLock::new(|| Templates::of(TEXTS));

/// The message in Russian; `None` if it has no translation. A message with a full stop becomes a
/// sentence.
#[must_use]
pub fn in_russian(message: &str) -> Option<String> {
    let bare = message.strip_suffix('.');
    let translated = Search { lookups_left: MAX_LOOKUPS }.translated(bare.unwrap_or(message))?;
    Some(if bare.is_some() { sentence(&translated) } else { translated })
}

/// A text with placeholders.
#[derive(Clone, Debug)]
struct Text {
    /// Text before the first placeholder.
    start: &'static str,
    /// The name of each placeholder, and what follows it.
    placeholders: Vec<(&'static str, &'static str)>,
}

/// An English text and the Russian one.
#[derive(Clone, Debug)]
struct Template {
    english: Text,
    russian: Text,
}

/// Templates in the order in which they are tried: the most specific ones come first.
#[derive(Debug)]
struct Templates {
    /// Templates that begin with a word, by that word.
    by_word: HashMap<&'static str, Vec<Template>>,
    /// Templates that begin with a placeholder.
    others: Vec<Template>,
}

/// One translation.
struct Search {
    lookups_left: usize,
}

impl Text {
    fn of(text: &'static str) -> Self {
        let mut parts = text.split('{');
        let start = parts.next().unwrap_or_default();
        let placeholders = parts.filter_map(|part| part.split_once('}')).collect();
        Self { start, placeholders }
    }

    /// Number of bytes that a message must have in common with the text.
    fn weight(&self) -> usize {
        self.placeholders
            .iter()
            .map(|(_, after)| after.len())
            .sum::<usize>()
            .saturating_add(self.start.len())
    }

    /// The text with these values of its placeholders.
    fn filled(&self, values: &[(&str, String)]) -> String {
        let mut filled = self.start.to_owned();
        for (name, after) in &self.placeholders {
            let value = values.iter().find(|(known, _)| known == name).map(|(_, value)| &**value);
            let value = value.unwrap_or_default();
            // A name alone has no gender, with which the text could agree.
            if filled.is_empty() && *name == "field" && !is_translated_subject(value) {
                filled.push_str("значение ");
            }
            filled.push_str(value);
            filled.push_str(after);
        }
        filled
    }
}

impl Templates {
    fn of(texts: &[(&'static str, &'static str)]) -> Self {
        let (mut by_word, mut others) = (HashMap::<_, Vec<Template>>::new(), Vec::new());
        for (english, russian) in texts {
            let template = Template { english: Text::of(english), russian: Text::of(russian) };
            match first_word(template.english.start) {
                "" => others.push(template),
                word => by_word.entry(word).or_default().push(template),
            }
        }
        for templates in by_word.values_mut().chain([&mut others]) {
            templates.sort_by_key(|it| std::cmp::Reverse(it.english.weight()));
        }
        Self { by_word, others }
    }
}

impl Search {
    /// The translation of a message without a full stop.
    fn translated(&mut self, message: &str) -> Option<String> {
        self.lookups_left = self.lookups_left.checked_sub(1)?;
        let mut letters = message.chars();
        let first = letters.next().map(|first| first.to_lowercase().chain(letters));
        // The start of a sentence, but not the name of a header.
        let uncapitalised: String = first?.collect();
        let of_word = |text: &str| TEMPLATES.by_word.get(first_word(text)).map_or(&[][..], |it| it);
        let tries = [
            (of_word(message), message),
            (of_word(&uncapitalised), &uncapitalised),
            (&TEMPLATES.others, message),
            (&TEMPLATES.others, &uncapitalised),
        ];
        tries.iter().find_map(|(templates, message)| {
            templates.iter().find_map(|template| self.by_template(template, message))
        })
    }

    fn by_template(&mut self, template: &Template, message: &str) -> Option<String> {
        let rest = message.strip_prefix(template.english.start)?;
        let mut values = Vec::new();
        let is_match = self.captures(&template.english.placeholders, rest, &mut values);
        is_match.then(|| template.russian.filled(&values))
    }

    /// Whether the text consists of the placeholders and what follows them. Adds their values.
    fn captures(
        &mut self,
        placeholders: &[(&'static str, &'static str)],
        text: &str,
        values: &mut Vec<(&'static str, String)>,
    ) -> bool {
        let Some(((name, after), others)) = placeholders.split_first() else {
            return text.is_empty();
        };
        // The last placeholder extends to the end.
        let ends: Vec<usize> = if others.is_empty() {
            text.strip_suffix(after).map(str::len).into_iter().collect()
        } else {
            text.match_indices(after).map(|(end, _)| end).collect()
        };
        for end in ends {
            let Some((value, rest)) = text.split_at_checked(end) else { continue };
            let rest = rest.strip_prefix(after).unwrap_or_default();
            let known = values.len();
            let Some(value) = self.value(name, value) else { continue };
            values.push((name, value));
            if self.captures(others, rest, values) {
                return true;
            }
            values.truncate(known);
        }
        false
    }

    /// Value for the Russian text; `None` if the placeholder cannot have it.
    fn value(&mut self, name: &str, value: &str) -> Option<String> {
        match name {
            _ if value.is_empty() => None,
            "field" => subject(value),
            "place" => is_path(value).then(|| value.to_owned()),
            "rule" | "more" => self.translated(value),
            // A description before it may have any words.
            "on_day" => value.parse::<Day>().is_ok().then(|| value.to_owned()),
            // It would end in another message.
            _ if outside_quotes(value).contains("; ") => None,
            "words" => Some(value.replace(" or ", " или ")),
            _ => Some(value.to_owned()),
        }
    }
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}

/// The subject of a rule, which may have the quoted value after it: a path, a quote alone, or one of
/// [`SUBJECTS`], which is translated.
fn subject(text: &str) -> Option<String> {
    if let Some((_, russian)) = SUBJECTS.iter().find(|(english, _)| *english == text) {
        return Some((*russian).to_owned());
    }
    if is_path(text) {
        return Some(text.to_owned());
    }
    let (of, quote) = text.split_at_checked(text.find(" \"")?)?;
    is_path(quote.trim_start()).then(|| Some(format!("{}{quote}", subject(of)?)))?
}

fn is_translated_subject(value: &str) -> bool {
    SUBJECTS.iter().any(|(_, russian)| value.starts_with(russian))
}

/// Whether a text is a path or a quote: it has blanks only between quotes.
fn is_path(text: &str) -> bool {
    !outside_quotes(text).contains(' ')
}

/// The text without what is between quotes.
fn outside_quotes(text: &str) -> String {
    let (mut is_quoted, mut is_escaped) = (false, false);
    let is_outside = |letter: &char| {
        if is_escaped {
            is_escaped = false;
        } else if *letter == '"' {
            is_quoted = !is_quoted;
        } else {
            is_escaped = is_quoted && *letter == '\\';
        }
        !is_quoted
    };
    text.chars().filter(is_outside).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// What a placeholder stands for in the tests.
    fn example(name: &str) -> String {
        match name {
            "field" | "place" => "splits[1].userId".to_owned(),
            "rule" | "more" => "the file has no rows".to_owned(),
            "on_day" => "2026-01-31".to_owned(),
            name => format!("<{name}>"),
        }
    }

    fn examples(text: &Text) -> Vec<(&'static str, String)> {
        text.placeholders.iter().map(|(name, _)| (*name, example(name))).collect()
    }

    fn message_of(text: &Text) -> String {
        let placeholders = text.placeholders.iter();
        let rest = placeholders.map(|(name, after)| format!("{}{after}", example(name)));
        format!("{}{}", text.start, rest.collect::<String>())
    }

    fn names(text: &Text) -> BTreeSet<&'static str> {
        text.placeholders.iter().map(|(name, _)| *name).collect()
    }

    #[test]
    fn texts_are_well_formed() {
        for (english, russian) in TEXTS {
            let (from, to) = (Text::of(english), Text::of(russian));
            assert_eq!(names(&from).len(), from.placeholders.len(), "{english}");
            assert_eq!(names(&from), names(&to), "{russian}");
            assert_eq!(names(&to).len(), to.placeholders.len(), "{russian}");
            for text in [english, russian] {
                assert!(!text.contains("  ") && !text.ends_with('.'), "{text}");
            }
            let between = from.placeholders.iter().rev().skip(1);
            assert!(between.into_iter().all(|(_, after)| !after.is_empty()), "{english}");
            let is_russian = |letter| matches!(letter, 'а'..='я' | 'ё');
            assert!(*russian == "{rule}; {more}" || russian.contains(is_russian), "{russian}");
            // A name of the API must not get the capital of a sentence.
            let starts = ["{field}", "{rule}", "init data ", "Idempotency-Key "];
            let is_start = starts.iter().any(|start| russian.starts_with(start));
            assert!(is_start || russian.starts_with(is_russian), "{russian}");
        }
    }

    #[test]
    fn each_message_has_one_translation() {
        for (english, russian) in TEXTS {
            let text = Text::of(english);
            let message = message_of(&text);
            let mut values = examples(&text);
            for (name, value) in &mut values {
                if matches!(*name, "rule" | "more") {
                    "в файле нет строк".clone_into(value);
                }
            }
            let expected = Text::of(russian).filled(&values);
            assert_eq!(in_russian(&message), Some(expected), "{english}");
            // No other template is as specific, so the order of the table does not matter.
            let rivals = TEXTS.iter().filter(|(other, _)| {
                let other = Text::of(other);
                let template = Template { english: other.clone(), russian: other.clone() };
                let word = |text: &Text| first_word(text.start).is_empty();
                word(&other) == word(&text)
                    && other.weight() == text.weight()
                    && Search { lookups_left: MAX_LOOKUPS }
                        .by_template(&template, &message)
                        .is_some()
            });
            assert_eq!(rivals.map(|(other, _)| *other).collect::<Vec<_>>(), [*english]);
        }
    }

    #[test]
    fn values_are_kept() {
        for (message, russian) in [
            ("The group does not exist.", "Группа не найдена."),
            ("the body must be a JSON object", "тело запроса должно быть объектом JSON"),
            ("The body must be an array.", "Тело запроса должно быть массивом."),
            (
                "If-Match must be an ETag with its quotes, several with commas between them, or *.",
                "Значение If-Match должно быть ETag в кавычках, несколькими через запятую или *.",
            ),
            (r#"options.members["Bob B"] is required"#, r#"укажите options.members["Bob B"]"#),
            (
                "limit must be a whole number from 1 to 100",
                "значение limit должно быть целым числом от 1 до 100",
            ),
            (
                "entries[2]: amount must be at most 9.99 in EUR; note must not be empty",
                "в entries[2]: значение amount в EUR должно быть не больше 9.99; значение note не \
                 должно быть пустым",
            ),
            (
                "line 3, column 2: \"1,5 x\" must not have thousands separators",
                "строка 3, столбец 2: в \"1,5 x\" не должно быть разделителей тысяч",
            ),
            (
                "line 3: the amount \"1 0\" must have at most 38 digits",
                "строка 3: значение суммы \"1 0\" должно содержать не больше 38 цифр",
            ),
            (
                "currency must be an ISO 4217 code in capitals, like EUR, or TON, USDT or USDC",
                "значение currency должно быть кодом ISO 4217 заглавными буквами, например EUR, или \
                 TON, USDT или USDC",
            ),
        ] {
            assert_eq!(in_russian(message).as_deref(), Some(russian), "{message}");
        }
    }

    #[test]
    fn other_messages_are_not_translated() {
        for message in ["", ".", "an unknown rule", "the other subject must not be empty"] {
            assert_eq!(in_russian(message), None, "{message}");
        }
        let long = "; ".repeat(200) + "; ";
        assert_eq!(in_russian(&long), None);
        let endless = "the file has no rows; ".repeat(200);
        assert_eq!(in_russian(&endless), None);
    }
}
