//! JSON files: where one is broken, and numbers without a float.

use fracti_core::decimal::Decimal;
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::value::RawValue;

use crate::import::{Issue, Place};

/// An exact number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) Decimal);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(from)?.get();
        let number = json.parse().map_err(|error| D::Error::custom(format!("{json:.40} {error}")));
        number.map(Self)
    }
}

/// Reads a whole file. `depth` is the number of brackets around a row.
///
/// # Errors
///
/// An [`Issue`] with the index of the row that is broken or cut off.
pub(crate) fn file<'a, T: Deserialize<'a>>(text: &'a str, depth: usize) -> Result<T, Issue> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("the file is not the JSON of an export: {error}");
        let line_start = error.line().checked_sub(2).and_then(|breaks| {
            text.match_indices('\n').nth(breaks).map(|(index, _)| index.saturating_add(1))
        });
        let end = line_start.unwrap_or_default().saturating_add(error.column());
        let place = if error.is_data() { None } else { row_at(text, end, depth) };
        place.map_or(Place::FILE, Place::line).issue(message)
    })
}

/// Reads a part of a file. An error names the field and the rule.
pub(crate) fn part<'a, T: Deserialize<'a>>(json: &'a RawValue) -> Result<T, String> {
    let mut part = serde_json::Deserializer::from_str(json.get());
    serde_path_to_error::deserialize(&mut part).map_err(|error| {
        let (path, message) = (error.path().to_string(), error.inner().to_string());
        // The position is that in the part, not in the file.
        let rule = message.rsplit_once(" at line ").map_or(&*message, |(rule, _)| rule);
        if path == "." { rule.to_owned() } else { format!("{path}: {rule}") }
    })
}

/// Index of the row in which the byte before `end` is: the number of commas in the list that has
/// `depth` brackets around its items.
fn row_at(text: &str, end: usize, depth: usize) -> Option<usize> {
    let (mut open, mut index) = (0_usize, None::<usize>);
    let (mut in_string, mut is_escaped) = (false, false);
    for byte in text.bytes().take(end) {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => {
                open = open.saturating_add(1);
                if open == depth && byte == b'[' {
                    index = Some(0);
                }
            }
            b']' | b'}' => {
                if open == depth {
                    index = None;
                }
                open = open.saturating_sub(1);
            }
            b',' if open == depth => index = index.and_then(|index| index.checked_add(1)),
            _ => {}
        }
    }
    index
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_names_the_row() {
        for (text, depth, line) in [
            (r#"[{"a":1},{"a":NaN}]"#, 1, Some(1)),
            (r#"[{"a":1},{"a":[1,2],"b":"],[\"#, 1, Some(1)),
            ("[\n{\"a\":1},\n\n{\"a\":1}, x]", 1, Some(2)),
            (r#"{"x":[1,2],"rows":[{"a":1},{"a":1},{"a"}]}"#, 2, Some(2)),
            (r#"{"x":[1,2],"rows":[{"a":1},{"a":1}],"#, 2, None),
            (r#"{"rows":[{"a":1}]} more"#, 2, None),
            ("[1] [2", 1, Some(0)),
        ] {
            let issue = file::<&RawValue>(text, depth).unwrap_err();
            assert_eq!(issue.line, line, "{text}: {}", issue.message);
        }
    }

    #[test]
    fn numbers_are_exact() {
        for (json, number) in [("10.0", Some("10")), ("1e-3", Some("0.001")), ("\"1\"", None)] {
            let read = serde_json::from_str::<Number>(json).ok();
            assert_eq!(read.map(|Number(it)| it.to_string()).as_deref(), number, "{json}");
        }
    }
}
