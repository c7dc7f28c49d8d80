//! Texts of error messages about requests.

use std::borrow::Cow;

use fracti_texts::{Message, message, rule};

/// Maximum length of an unknown name in an error message, in characters.
const MAX_NAME: usize = 64;

/// Rule of a value that is `true` or `false`.
pub(crate) fn not_a_flag() -> Message {
    rule!("{field} must be true or false", "{field} должно быть true или false")
}

/// Rule for a field that is not known.
pub(crate) fn unknown_field(name: &str, known: &[&str]) -> Message {
    let known = known.join(", ");
    if known.is_empty() {
        message!(
            "unknown field {name}; this object has no fields",
            "неизвестное поле {name}; у этого объекта нет полей"
        )
    } else {
        message!(
            "unknown field {name}; known fields are {known}",
            "неизвестное поле {name}; известные поля: {known}"
        )
    }
}

/// Shortens a client's text for an error message.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}
