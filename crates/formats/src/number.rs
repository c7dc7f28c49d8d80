//! Numbers as apps write them.

use fracti_core::decimal::Decimal;

/// The character before the decimals, which is the same in the whole file.
#[derive(Debug, Default)]
pub(crate) struct DecimalMark(Option<char>);

impl DecimalMark {
    /// Reads a number. The first one with decimals decides for the file.
    ///
    /// # Errors
    ///
    /// The rule that the text breaks.
    pub(crate) fn number(&mut self, text: &str) -> Result<Decimal, String> {
        let text = text.trim();
        if let Some(found) = text.chars().find(|letter| matches!(letter, '.' | ',')) {
            match *self.0.get_or_insert(found) {
                mark if mark == found => {}
                ',' => return Err(format!("{text:?} must have a decimal comma, as numbers above")),
                _ => return Err(format!("{text:?} must have a decimal point, as numbers above")),
            }
        }
        let number = if self.0 == Some(',') { text.replacen(',', ".", 1) } else { text.to_owned() };
        number.parse().map_err(|error| format!("{text:?} is no amount: it {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decimal_mark_is_that_of_the_file() {
        let mut mark = DecimalMark::default();
        for (text, number) in [
            ("7", Some("7")),
            ("-7,20", Some("-7.2")),
            (" 0,5 ", Some("0.5")),
            ("7.20", None),
            ("1.000,00", None),
            ("1,000,00", None),
            ("", None),
            ("NaN", None),
            ("+7", None),
        ] {
            let read = mark.number(text).map(|it| it.to_string());
            assert_eq!(read.ok().as_deref(), number, "{text:?}");
        }
    }
}
