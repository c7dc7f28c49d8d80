//! Texts of a file in messages.

/// Maximum number of characters that a message quotes.
const MAX_QUOTE: usize = 40;

/// The beginning of a text in quotes, with control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    let end = text.char_indices().nth(MAX_QUOTE).and_then(|(end, _)| text.get(..end));
    end.map_or_else(|| format!("{text:?}"), |start| format!("{start:?}…"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_is_short() {
        assert_eq!(quoted("Anna\n\"A\""), r#""Anna\n\"A\"""#);
        assert_eq!(quoted(&"é".repeat(40)), format!("\"{}\"", "é".repeat(40)));
        assert_eq!(quoted(&"é".repeat(41)), format!("\"{}\"…", "é".repeat(40)));
    }
}
