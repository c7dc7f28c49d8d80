//! The errors of `serde_json`, which have no code, so that their words are all there is to
//! translate.
//!
//! <https://docs.rs/serde_json/latest/src/serde_json/error.rs.html>

use std::fmt;

use crate::{Language, Message, message};

/// Character between the texts of a message that a `serde` error carries.
const SEPARATOR: char = '\u{e001}';

/// Errors without arguments.
const FIXED: [(&str, &str); 18] = [
    ("EOF while parsing a list", "список не закончен"),
    ("EOF while parsing an object", "объект не закончен"),
    ("EOF while parsing a string", "строка не закончена"),
    ("EOF while parsing a value", "значение не закончено"),
    ("expected `:`", "ожидается `:`"),
    ("expected `,` or `]`", "ожидается `,` или `]`"),
    ("expected `,` or `}`", "ожидается `,` или `}`"),
    ("expected `\"`", "ожидается `\"`"),
    ("expected ident", "ожидается true, false или null"),
    ("expected value", "ожидается значение"),
    ("invalid escape", "недопустимая escape-последовательность"),
    ("invalid number", "недопустимое число"),
    ("number out of range", "число вне допустимого диапазона"),
    ("invalid unicode code point", "недопустимый код Unicode"),
    (
        "control character (\\u0000-\\u001F) found while parsing a string",
        "в строке есть управляющий символ (\\u0000-\\u001F)",
    ),
    ("key must be a string", "ключ должен быть строкой"),
    ("trailing comma", "лишняя запятая в конце"),
    ("trailing characters", "лишние символы в конце"),
];

/// More errors without arguments, which other versions of the library have.
const OTHERS: [(&str, &str); 3] = [
    ("lone leading surrogate in hex escape", "непарный суррогат в escape-последовательности"),
    ("unexpected end of hex escape", "незаконченная escape-последовательность"),
    ("recursion limit exceeded", "слишком глубокая вложенность"),
];

/// Message of an error of `serde_json`. Words that are not known stay as they are.
#[must_use]
pub fn json_error(error: &str) -> Message {
    if let Some((reason, place)) = error.rsplit_once(" at line ")
        && let Some((line, column)) = place.split_once(" column ")
    {
        let reason = json_error(reason);
        return message!(
            "{reason} at line {line} column {column}",
            "{reason} (строка {line}, столбец {column})",
            [reason]
        );
    }
    if let Some((english, russian)) = error.split_once(SEPARATOR) {
        return message!("{english}", "{russian}");
    }
    if let Some((english, russian)) = FIXED.iter().chain(&OTHERS).find(|(known, _)| *known == error)
    {
        return message!("{english}", "{russian}");
    }
    let named = |start: &str| error.strip_prefix(start)?.strip_suffix('`');
    let typed = |start: &str| error.strip_prefix(start)?.split_once(", expected ");
    if let Some(name) = named("missing field `") {
        message!("missing field `{name}`", "нет поля `{name}`")
    } else if let Some(name) = named("duplicate field `") {
        message!("duplicate field `{name}`", "поле `{name}` указано дважды")
    } else if let Some((found, wanted)) = typed("invalid type: ") {
        message!(
            "invalid type: {found}, expected {wanted}",
            "неверный тип: {found}; ожидается {wanted}"
        )
    } else if let Some((found, wanted)) = typed("invalid value: ") {
        message!(
            "invalid value: {found}, expected {wanted}",
            "неверное значение: {found}; ожидается {wanted}"
        )
    } else if let Some((found, wanted)) = typed("invalid length ") {
        message!(
            "invalid length {found}, expected {wanted}",
            "неверная длина {found}; ожидается {wanted}"
        )
    } else if let Some((found, wanted)) = typed("unknown variant `") {
        let found = found.trim_end_matches('`');
        let wanted = Message::new(|language| match (language, wanted.strip_prefix("one of ")) {
            (Language::English, _) => wanted.to_owned(),
            (Language::Russian, Some(words)) => format!("одно из {words}"),
            (Language::Russian, None) => wanted.replace(" or ", " или "),
        });
        message!(
            "unknown variant `{found}`, expected {wanted}",
            "неизвестное значение `{found}`; ожидается {wanted}",
            [wanted]
        )
    } else {
        Message::same(error)
    }
}

/// The text of a message for the error of a deserializer, from which [`json_error`] gets it again.
#[must_use]
pub fn to_json_error(message: &Message) -> impl fmt::Display {
    let [english, russian] = Language::ALL.map(|language| message.text(language));
    format!("{english}{SEPARATOR}{russian}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_library_are_translated() {
        let of = |json: &str| {
            let error = serde_json::from_str::<Vec<bool>>(json).unwrap_err();
            json_error(&error.to_string()).text(Language::Russian).to_owned()
        };
        for (json, russian) in [
            ("[", "список не закончен (строка 1, столбец 1)"),
            ("[tru]", "ожидается true, false или null (строка 1, столбец 5)"),
            ("[true,]", "лишняя запятая в конце (строка 1, столбец 7)"),
            ("[]]", "лишние символы в конце (строка 1, столбец 3)"),
            (
                "[\"\u{1}\"]",
                "в строке есть управляющий символ (\\u0000-\\u001F) (строка 1, столбец 3)",
            ),
            ("[7]", "неверный тип: integer `7`; ожидается a boolean (строка 1, столбец 2)"),
        ] {
            assert_eq!(of(json), russian, "{json}");
        }
    }

    #[test]
    fn a_message_survives_the_error_of_a_deserializer() {
        let message = message!("7 must be a text", "7 должно быть строкой");
        let text = format!("{} at line 1 column 2", to_json_error(&message));
        let read = json_error(&text);
        assert_eq!(read.to_string(), "7 must be a text at line 1 column 2");
        assert_eq!(read.text(Language::Russian), "7 должно быть строкой (строка 1, столбец 2)");
    }
}
