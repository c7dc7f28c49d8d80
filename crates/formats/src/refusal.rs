//! Files that Fracti does not read: what they are, and the one thing to do.

use std::fmt;

use fracti_core::records::import::{Format, SourceApp};
use fracti_texts::{Language, Message, message};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};

use crate::{
    csv::CsvRecord,
    import::{FilePlace, Issue},
    quote::quoted,
};

/// The first columns of Fracti's own CSV.
const FRACTI: [&str; 7] =
    ["Date", "Type", "Description", "Category", "Currency", "Amount", "Paid by"];

/// The first columns of the CSV of programs that read a tricount, with their names.
const TRICOUNT: [(&str, &[&str]); 2] = [
    ("tricount-exporter", &["date", "description", "category", "paid_by", "total"]),
    ("tricount-downloader", &["Who Paid", "Total", "Currency", "Description", "When"]),
];

/// Fields of the answers of Splitwise's API that are not the list of expenses, with what they have.
const SPLITWISE: [(&str, &str, &str); 8] = [
    ("groups", "your groups", "списком групп"),
    ("group", "one group", "одной группой"),
    ("friends", "your friends", "списком друзей"),
    ("friend", "one friend", "одним другом"),
    ("expense", "one expense", "одним расходом"),
    ("user", "one user", "одним пользователем"),
    ("categories", "the categories", "списком категорий"),
    ("currencies", "the currencies", "списком валют"),
];

/// Maximum number of columns or fields that are named.
const MAX_NAMED: usize = 8;

/// Message that says what a CSV file with this header is, if it is of no app that Fracti reads.
pub(crate) fn of_header(header: &CsvRecord<'_>) -> Option<Message> {
    let begins = |names: &[&str]| {
        names.len() <= header.cells.len()
            && names.iter().zip(&header.cells).all(|(name, cell)| cell.trim() == *name)
    };
    if begins(&FRACTI) {
        return Some(message!(
            "this is Fracti's CSV for spreadsheets; export the group as JSON",
            "это CSV Fracti для таблиц; выгрузите группу в JSON"
        ));
    }
    if let Some((name, _)) = TRICOUNT.iter().find(|(_, names)| begins(names)) {
        return Some(message!(
            "this is the CSV of {name}, which Fracti does not read; take Tricount's JSON, or the \
             CSV of Tricount's support",
            "это CSV программы {name}, который Fracti не читает; возьмите JSON Tricount или CSV от \
             его поддержки"
        ));
    }
    let has = |start: &str| header.cells.iter().any(|cell| cell.starts_with(start));
    let app = if begins(&["Date", "Title"]) && has("Paid by ") && has("Paid for ") {
        "Sesterce"
    } else if has("Splid") {
        "Splid"
    } else {
        return None;
    };
    let apps = apps();
    Some(message!(
        "this is a file of {app}, which Fracti does not read; it reads files of {apps}",
        "это файл {app}, который Fracti не читает; она читает файлы {apps}",
        [apps]
    ))
}

/// The error of a table with this header, which is of no known format.
pub(crate) fn of_table(header: &CsvRecord<'_>) -> Issue {
    let cells = header.cells.iter().map(|cell| cell.trim()).filter(|cell| !cell.is_empty());
    let cells: Vec<String> = cells.take(MAX_NAMED).map(|cell| format!("{cell:.40}")).collect();
    let apps = apps();
    let message = if let [text] = &cells[..] {
        let text = quoted(text);
        message!(
            "this is no export of {apps}: it begins with {text}",
            "это не выгрузка {apps}: файл начинается с {text}",
            [apps]
        )
    } else {
        let names = cells.join(", ");
        message!(
            "this is no export of {apps}: its header is {names}",
            "это не выгрузка {apps}: заголовок — {names}",
            [apps]
        )
    };
    FilePlace::FILE.issue(message)
}

/// The error of a JSON file with these fields, which is of no known format.
pub(crate) fn of_fields(fields: &[String]) -> Issue {
    let has = |name: &str| fields.iter().any(|field| field == name);
    let message = if ["error", "errors", "Error"].into_iter().any(has) {
        message!(
            "this is the error with which an app has answered; export the group again",
            "это сообщение об ошибке, которым ответило приложение; выгрузите группу заново"
        )
    } else if has("Response") {
        message!(
            "this is an answer of Tricount's API without a tricount; the one with the field \
             Registry is needed",
            "это ответ API Tricount без самого трикаунта; нужен ответ с полем Registry"
        )
    } else if let Some((_, english, russian)) = SPLITWISE.iter().find(|(field, ..)| has(field)) {
        let what = message!("{english}", "{russian}");
        message!(
            "this is the answer of Splitwise's API with {what}; its answer to get_expenses is \
             needed",
            "это ответ API Splitwise с {what}; нужен его ответ на get_expenses",
            [what]
        )
    } else {
        let apps = apps();
        let names: Vec<_> = fields.iter().take(MAX_NAMED).map(|it| format!("{it:.40}")).collect();
        let names = names.join(", ");
        if names.is_empty() {
            message!(
                "this is no export of {apps}: it has no fields",
                "это не выгрузка {apps}: в файле нет полей",
                [apps]
            )
        } else {
            message!(
                "this is no export of {apps}: its fields are {names}",
                "это не выгрузка {apps}: поля файла — {names}",
                [apps]
            )
        }
    };
    FilePlace::FILE.issue(message)
}

/// The apps whose files Fracti reads.
fn apps() -> Message {
    let formats = Format::WORDS.iter().filter_map(|word| word.parse::<Format>().ok());
    let mut apps: Vec<&str> = formats.map(Format::app).map(SourceApp::name).collect();
    apps.dedup();
    Message::new(|language| {
        let or = match language {
            Language::English => " or ",
            Language::Russian => " или ",
        };
        let Some((last, others)) = apps.split_last() else { return String::new() };
        format!("{}{or}{last}", others.join(", "))
    })
}

/// The names of the fields of a JSON object, up to where the text is broken or ends.
pub(crate) fn fields(json: &str) -> Vec<String> {
    let mut fields = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_str(json);
    // The error is where the text ends; the fields before it are known.
    let _end = FieldNames(&mut fields).deserialize(&mut deserializer);
    fields
}

/// Collects the names of fields.
struct FieldNames<'n>(&'n mut Vec<String>);

impl<'de> DeserializeSeed<'de> for FieldNames<'_> {
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldNames<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        while let Some(name) = map.next_key::<String>()? {
            self.0.push(name);
            map.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_broken_object_are_those_before_the_break() {
        for (json, names) in [
            (r#"{"a":1,"b":{"c":[2]}}"#, &["a", "b"][..]),
            (r#"{"a":1,"b":[{"c":"#, &["a", "b"]),
            (r#"{"a":1,"b"#, &["a"]),
            ("{", &[]),
            ("[1]", &[]),
        ] {
            assert_eq!(fields(json), names, "{json}");
        }
        assert_eq!(fields(&"{\"a\":".repeat(100_000)), ["a"]);
    }
}
