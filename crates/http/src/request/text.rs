//! Texts of error messages about requests.

use std::borrow::Cow;

/// Maximum length of an unknown name in an error message, in characters.
const MAX_NAME: usize = 64;

/// Rule of a value that is `true` or `false`.
pub(crate) const FLAG_RULE: &str = "must be true or false";

/// Shortens a client's text for an error message.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_NAME) {
        None => text.into(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
    }
}
