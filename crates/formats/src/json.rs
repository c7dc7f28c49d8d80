//! JSON files: where one is broken, and numbers without a float.

use fracti_core::values::decimal::{Decimal, DecimalError};
use fracti_texts::{Says, json_error, message, to_json_error};
use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{error::Category, value::RawValue};

use crate::import::{FilePlace, Issue, RowPlace};

/// An exact number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number(pub(crate) Decimal);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(from)?.get();
        let number =
            json.parse().map_err(|error: DecimalError| D::Error::custom(not_a_number(json, error)));
        number.map(Self)
    }
}

/// An exact number that the app writes as a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NumberText(pub(crate) Decimal);

impl<'de> Deserialize<'de> for NumberText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(from)?.get().trim_matches('"');
        let number =
            json.parse().map_err(|error: DecimalError| D::Error::custom(not_a_number(json, error)));
        number.map(Self)
    }
}

/// An id, which is a number or a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct IdText(pub(crate) String);

impl<'de> Deserialize<'de> for IdText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let json = <&RawValue>::deserialize(from)?.get();
        if json.starts_with('"') {
            return serde_json::from_str(json).map(Self).map_err(D::Error::custom);
        }
        if json.parse::<u64>().is_err() {
            let rule = message!(
                "an id must be a whole number or a string",
                "id должен быть целым числом или строкой"
            );
            return Err(D::Error::custom(to_json_error(&rule)));
        }
        Ok(Self(json.to_owned()))
    }
}

/// The error of a deserializer for a text that is not a number.
pub(crate) fn not_a_number(json: &str, error: DecimalError) -> String {
    let start = format!("{json:.40}");
    to_json_error(&error.says().about_field(&start)).to_string()
}

/// Reads a whole file. `lists` are the paths of its lists of rows, all at the same depth.
///
/// # Errors
///
/// An [`Issue`] with the row that is broken or cut off.
pub(crate) fn file<'a, T: Deserialize<'a>>(
    text: &'a str,
    lists: &[&'static str],
) -> Result<T, Issue> {
    serde_json::from_str(text).map_err(|error| {
        let rule = json_error(&error.to_string());
        let message = match error.classify() {
            Category::Eof => message!(
                "the file is cut off here; export it again",
                "файл здесь обрывается; выгрузите его заново"
            ),
            Category::Syntax => message!(
                "the JSON of the file is broken here; export it again",
                "JSON файла здесь испорчен; выгрузите его заново"
            ),
            Category::Data | Category::Io => message!(
                "the file is not the JSON of an export: {rule}",
                "это не JSON выгрузки: {rule}",
                [rule]
            ),
        };
        let line_start = error.line().checked_sub(2).and_then(|breaks| {
            text.match_indices('\n').nth(breaks).map(|(index, _)| index.saturating_add(1))
        });
        let end = line_start.unwrap_or_default().saturating_add(error.column());
        let row = if error.is_data() { None } else { row_at(text, end, lists) };
        row.map_or(FilePlace::FILE, FilePlace::from).issue(message)
    })
}

/// Reads a row of a file.
///
/// # Errors
///
/// An [`Issue`] with the field and the rule.
pub(crate) fn part<'a, T: Deserialize<'a>>(
    json: &'a RawValue,
    place: FilePlace,
) -> Result<T, Issue> {
    let mut part = serde_json::Deserializer::from_str(json.get());
    serde_path_to_error::deserialize(&mut part).map_err(|error| {
        let path = error.path().to_string();
        let message = error.inner().to_string();
        // The position is that in the part, not in the file.
        let rule = message.rsplit_once(" at line ").map_or(&*message, |(rule, _)| rule);
        let rule = json_error(rule);
        match &*path {
            "." => place.issue(rule),
            _ => place.issue_of(&path, message!("{path}: {rule}", "в {path}: {rule}", [rule])),
        }
    })
}

/// The row in which the byte before `end` is: its index is the number of commas in a list.
fn row_at(text: &str, end: usize, lists: &[&'static str]) -> Option<RowPlace> {
    // The number of brackets around a row.
    let depth = |list: &str| list.split('.').filter(|name| !name.is_empty()).count().checked_add(1);
    let depth = lists.first().copied().and_then(depth)?;
    // A list is the value after its name, which is the last string before it.
    let named = |name: &str| {
        let name = if depth == 1 { "" } else { name };
        lists.iter().copied().find(|list| list.rsplit('.').next() == Some(name))
    };
    let mut open = 0_usize;
    let mut row = None::<(&'static str, usize)>;
    let mut name = 0..0;
    let mut in_string = false;
    let mut is_escaped = false;
    for (at, byte) in text.bytes().enumerate().take(end) {
        if in_string {
            in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            name.end = at;
            continue;
        }
        match byte {
            b'"' => {
                in_string = true;
                name = at.saturating_add(1)..at;
            }
            b'[' | b'{' => {
                open = open.saturating_add(1);
                if open == depth && byte == b'[' {
                    let list = text.get(name.clone()).and_then(named);
                    row = list.map(|list| (list, 0));
                }
            }
            b']' | b'}' => {
                if open == depth {
                    row = None;
                }
                open = open.saturating_sub(1);
            }
            b',' if open == depth => {
                row = row.map(|(list, index)| (list, index.saturating_add(1)));
            }
            _ => {}
        }
    }
    row.map(|(list, index)| RowPlace::Item(list, index))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_names_the_row() {
        for (text, depth, path) in [
            (r#"[{"a":1},{"a":NaN}]"#, 1, Some("[1]")),
            (r#"[{"a":1},{"a":[1,2],"b":"],[\"#, 1, Some("[1]")),
            ("[\n{\"a\":1},\n\n{\"a\":1}, x]", 1, Some("[2]")),
            (r#"{"x":[1,2],"rows":[{"a":1},{"a":1},{"a"}]}"#, 2, Some("rows[2]")),
            (r#"{"x":[1,2],"rows":[{"a":1},{"a":1}],"#, 2, None),
            (r#"{"rows":[{"a":1}],"others":[1,2,{"a"}]}"#, 2, Some("others[2]")),
            (r#"{"rows":[{"a":1}]} more"#, 2, None),
            ("[1] [2", 1, Some("[0]")),
        ] {
            let lists = if depth == 1 { &[""][..] } else { &["rows", "others"] };
            let issue = file::<&RawValue>(text, lists).unwrap_err();
            assert_eq!(issue.path().as_deref(), path, "{text}: {}", issue.message);
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
