//! Texts of a file: in messages, and without what keeps a spreadsheet from reading a formula.

/// Letters before which apps and spreadsheets write a `'`, so that a text is not a formula.
const FORMULA: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// Maximum number of characters that a message quotes.
const MAX_QUOTE: usize = 40;

/// The beginning of a text in quotes, with control characters escaped.
pub(crate) fn quoted(text: &str) -> String {
    let end = text.char_indices().nth(MAX_QUOTE).and_then(|(end, _)| text.get(..end));
    end.map_or_else(|| format!("{text:?}"), |start| format!("{start:?}…"))
}

/// The text without the `'` that keeps spreadsheets from reading it as a formula.
pub(crate) fn unguarded(text: &str) -> &str {
    text.strip_prefix('\'').filter(|rest| rest.starts_with(FORMULA)).unwrap_or(text)
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

    #[test]
    fn guards_against_formulae_are_removed() {
        for (cell, text) in
            [("'=A1", "=A1"), ("'-5", "-5"), ("'tis", "'tis"), ("=A1", "=A1"), ("''=A1", "''=A1")]
        {
            assert_eq!(unguarded(cell), text);
        }
    }
}
