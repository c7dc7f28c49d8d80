//! Columns and fields that no reader knows.

use super::*;

const IHATEMONEY: &str = include_str!("../../../../tests/fixtures/import/ihatemoney.json");
const SPLIIT: &str = include_str!("../../../../tests/fixtures/import/spliit.json");
const SPLITWISE: &str = include_str!("../../../../tests/fixtures/import/splitwise.csv");
const COSPEND: &str = include_str!("../../../../tests/fixtures/import/cospend.csv");
const FRACTI: &str = include_str!("../../../../tests/fixtures/import/fracti.json");

fn read_ignoring(file: &str, names: &[&str]) -> Import {
    let answers = answers(&serde_json::json!({ "ignore": names }).to_string());
    read(file.as_bytes(), &answers, today())
}

/// The file with `from` replaced everywhere.
fn with(file: &str, from: &str, to: &str) -> String {
    assert!(file.contains(from), "{from}");
    file.replace(from, to)
}

/// Warnings about names.
fn unknown(import: &Import) -> Vec<String> {
    warnings(import).into_iter().filter(|it| it.contains("does not know “")).collect()
}

#[test]
fn names_that_may_carry_money_are_errors_until_they_are_ignored() {
    let bills = IHATEMONEY.matches("\"what\"").count();
    let expenses = SPLIIT.matches("\"title\"").count();
    for (file, name, values, first) in [
        (
            with(IHATEMONEY, "\"what\"", r#""payers":["Anna"],"what""#),
            "payers",
            bills,
            "[\"Anna\"]",
        ),
        (
            with(IHATEMONEY, "\"what\"", r#""x":{"y":["Anna"]},"what""#),
            "x",
            bills,
            "{\"y\":[\"Anna\"]}",
        ),
        (with(IHATEMONEY, "\"what\"", r#""x":12.5,"what""#), "x", bills, "12.5"),
        (with(IHATEMONEY, "\"what\"", r#""x":"\u20ac 12.50","what""#), "x", bills, "€ 12.50"),
        (
            with(SPLIIT, "\"title\"", r#""paidBy":{"id":"x"},"title""#),
            "paidBy",
            expenses,
            "{\"id\":\"x\"}",
        ),
        (
            with(SPLIIT, "\"shares\":", r#""extra":["rJ5yIUQcZ6wkB0e9nVhtL"],"shares":"#),
            "paidFor.extra",
            expenses,
            "[\"rJ5yIUQcZ6wkB0e9nVhtL\"]",
        ),
        (
            FRACTI.replace("\"splitType\"", "\"tip\":\"5.00\",\"splitType\""),
            "expense.tip",
            FRACTI.matches("\"splitType\"").count(),
            "5.00",
        ),
    ] {
        let import = read_text(&file);
        let rows = if values == 1 { "1 row".to_owned() } else { format!("{values} rows") };
        assert_eq!(
            errors(&import),
            [format!(
                "Fracti does not know “{name}” in the file, and money in it \
                 would be missing: it has values in {rows}, the first is “{first}”; if it does \
                 not matter, import without {name}"
            )]
        );
        assert_eq!(import.errors[0].ignore.as_deref(), Some(name));
        let ignored = read_ignoring(&file, &[name]);
        assert_eq!(errors(&ignored), [""; 0]);
        assert_eq!(
            unknown(&ignored),
            [format!(
                "Fracti does not know “{name}” in the file, and does not import it: it has values in {rows}"
            )]
        );
        assert!(!ignored.rows.is_empty());
    }
}

#[test]
fn other_names_are_warnings_with_their_place() {
    for (file, expected) in [
        (
            with(IHATEMONEY, "\"what\"", r#""tags":["Berlin",""],"what""#),
            format!(
                "Fracti does not know “tags” in the file, and does not import it: it has values in {} rows",
                IHATEMONEY.matches("\"what\"").count()
            ),
        ),
        (
            with(SPLIIT, "\"information\"", "\"theme\":\"dark\",\"information\""),
            "Fracti does not know “theme” in the file, and does not import it".to_owned(),
        ),
        (
            with(COSPEND, "name,weight,active", "name,weight,nick")
                .replace("\"Anna\",1,1", "\"Anna\",1,Annie"),
            "1:3 Fracti does not know “nick” in the file, and does not import it: it has values in 3 rows"
                .to_owned(),
        ),
    ] {
        let import = read_text(&file);
        assert_eq!(errors(&import), [""; 0]);
        assert_eq!(unknown(&import), [expected]);
    }
}

#[test]
fn names_without_a_value_are_passed_over_in_silence() {
    for empty in ["null", "0", "0.0", "\"\"", "\" \"", "false", "[]", "{}", "[null]"] {
        let file = with(IHATEMONEY, "\"what\"", &format!("\"payers\":{empty},\"what\""));
        let import = read_text(&file);
        assert_eq!((errors(&import), unknown(&import)), (vec![], vec![]), "{empty}");
        assert!(
            read_ignoring(&file, &["payers"]).errors[0].to_string().contains("ignore must not")
        );
    }
    for file in FILES {
        assert_eq!(unknown(&read_text(file)), [""; 0]);
    }
}

#[test]
fn names_to_ignore_that_raise_no_error_are_refused() {
    let file = with(IHATEMONEY, "\"what\"", r#""payers":["Anna"],"tags":"x","what""#);
    for names in [&["payers", "tags"][..], &["payers", "owers"], &["payers", "none"]] {
        let name = names[1];
        assert_eq!(
            errors(&read_ignoring(&file, names)),
            [format!("ignore must not have {name}: the file raises no error about it")]
        );
    }
}

#[test]
fn columns_without_a_number_are_no_members() {
    let lines = |header: &str, cell: &str| -> String {
        let line = |(index, line): (usize, &str)| match (index, line.matches(',').count()) {
            (0, _) => format!("{line},{header}\n"),
            (_, 0) => format!("{line}\n"),
            _ if line.contains("Total") || line.starts_with('"') => format!("{line},\n"),
            _ if line.ends_with("\"Ski pass") => format!("{line}\n"),
            _ => format!("{line},{cell}\n"),
        };
        SPLITWISE.lines().enumerate().map(line).collect()
    };
    let import = read_text(&lines("Place", "Alps"));
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(rows(&import), rows(&read_text(SPLITWISE)));
    assert_eq!(import.people.len(), 4);
    assert!(
        unknown(&import)[0].starts_with("1:10 Fracti does not know “Place”"),
        "{:?}",
        unknown(&import)
    );
    let import = read_text(&lines("Tip", "much"));
    assert!(
        errors(&import)[0]
            .starts_with("1:10 Fracti does not know “Tip” in the file, and money in it")
    );
    assert_eq!(unknown(&read_text(&lines("Place", ""))), [""; 0]);
}

#[test]
fn of_two_columns_with_one_name_the_second_is_unknown() {
    let file = "what,amount,date,payer_name,payer_weight,owers,amount\r\n\
                Tea,9.0,2026-01-31,Anna,1.0,Bob,4.0\r\n";
    let import = read(file.as_bytes(), &answers(r#"{"currency":"EUR"}"#), today());
    assert!(
        errors(&import)[0].starts_with("1:7 Fracti does not know “amount” in the file, and money")
    );
}

#[test]
fn errors_of_names_are_listed_before_the_errors_that_they_cause() {
    let file = with(SPLIIT, "\"paidById\"", "\"paidBy\"");
    let file =
        file.replacen("\"expenses\":[", &format!("\"expenses\":[{}", "{\"x\":1},".repeat(200)), 1);
    let import = read_text(&file);
    assert_eq!(import.errors.len(), crate::MAX_ERRORS);
    assert!(
        errors(&import)[0]
            .starts_with("Fracti does not know “paidBy” in the file, and money in it")
    );
}

#[test]
fn receipts_are_counted() {
    let file =
        with(SPLIIT, "\"title\":\"Coffee\"", r#""documents":[{"width":9}],"title":"Coffee""#);
    let import = read_text(&file);
    assert_eq!((errors(&import), unknown(&import)), (vec![], vec![]));
    assert!(warnings(&import).contains(&"the receipts of 1 row are not imported".to_owned()));
}
