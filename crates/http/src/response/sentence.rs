//! Messages as sentences.

/// The message as a sentence, with a capital and a mark at its end. The name of a field, like
/// `refId`, keeps its spelling.
#[must_use]
pub fn sentence(message: &str) -> String {
    if first_word(message).contains(|it: char| it == '_' || it.is_uppercase()) {
        return ended(message);
    }
    let mut rest = message.chars();
    let first = rest.next().into_iter().flat_map(char::to_uppercase);
    ended(&first.chain(rest).collect::<String>())
}

/// The letters and digits with which a text begins.
pub(super) fn first_word(text: &str) -> &str {
    text.split(|it: char| !it.is_alphanumeric() && it != '_').next().unwrap_or_default()
}

/// The message with a full stop, unless it ends with another mark: it may be a question, or cut
/// off.
pub(super) fn ended(message: &str) -> String {
    let end = if message.ends_with(['.', '?', '!', '…']) { "" } else { "." };
    format!("{message}{end}")
}
