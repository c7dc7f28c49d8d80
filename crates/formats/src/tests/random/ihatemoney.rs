use serde_json::{Value, json};

use super::*;
use crate::{
    Answers, read,
    tests::{answers, read_text, today},
};

/// Weights of members, in tenths.
const WEIGHTS: [i64; 7] = [10, 5, 20, 10, 15, 1, 30];

/// The currency of a row, and its decimals in the app, which rounds to cents.
fn currency(row: &Row) -> (&'static str, u8) {
    [("EUR", 2), ("JPY", 0), ("XXX", 2)][usize::from(row.variant) % 3]
}

/// The amount, in minor units, which may be negative.
fn minor(row: &Row) -> i64 {
    if row.variant == 5 { -row.minor } else { row.minor }
}

/// A number as Python prints it.
fn float(minor: i64, decimals: u8) -> String {
    let number = major(minor, decimals);
    if number.contains('.') { number } else { format!("{number}.0") }
}

fn kind(row: &Row) -> &'static str {
    if row.variant == 2 { "Reimbursement" } else { "Expense" }
}

fn owers<'n>(group: &Group, row: &Row) -> Vec<&'n str> {
    let names = group.names.iter().zip(&row.weights).rev();
    names.filter(|(_, weight)| **weight > 0).map(|(name, _)| *name).collect()
}

/// The bills as JSON.
fn json(group: &Group) -> String {
    let bill = |row: &Row| {
        let (code, decimals) = currency(row);
        json!({
            "what": row.text, "bill_type": kind(row), "currency": code, "date": row.date,
            "amount": serde_json::from_str::<Value>(&float(minor(row), decimals)).unwrap(),
            "payer_name": group.names[row.payer],
            "payer_weight": serde_json::from_str::<Value>(&float(WEIGHTS[row.payer], 1)).unwrap(),
            "owers": owers(group, row),
        })
    };
    Value::from(group.rows.iter().map(bill).collect::<Vec<_>>()).to_string()
}

/// The bills as CSV, and the line of each.
fn csv(group: &Group) -> (String, Vec<usize>) {
    let header = "what,bill_type,amount,currency,date,payer_name,payer_weight,owers";
    let mut text = header.to_owned();
    let mut lines = Vec::new();
    for row in &group.rows {
        lines.push(2 + text.matches('\n').count());
        let (code, decimals) = currency(row);
        let cells = [
            guarded(row.text),
            kind(row).to_owned(),
            float(minor(row), decimals),
            code.to_owned(),
            row.date.clone(),
            guarded(group.names[row.payer]),
            float(WEIGHTS[row.payer], 1),
            guarded(&owers(group, row).join(", ")),
        ];
        text += "\r\n";
        text += &cells.map(|text| cell(&text)).join(",");
    }
    (text + "\r\n", lines)
}

/// The answers to the questions of an import.
fn answered(group: &Group, import: &Import) -> Answers {
    let mut answers = answers(r#"{"currency":"CHF"}"#);
    for question in &import.questions {
        if let crate::Asks::Weight { name } = &question.asks {
            let member = group.names.iter().position(|it| *it == name.as_str()).unwrap();
            answers.weights.insert(name.to_string(), Decimal::new(WEIGHTS[member].into(), 1));
        }
    }
    answers
}

/// Whether the name with a separator is known, because it paid or was answered, or appears nowhere.
fn is_clear(group: &Group, answers: &Answers) -> bool {
    let Some(smith) = group.names.iter().position(|name| name.contains(", ")) else { return true };
    answers.weights.contains_key(group.names[smith])
        || group.rows.iter().any(|row| row.payer == smith)
        || group.rows.iter().all(|row| row.weights[smith] == 0)
}

proptest! {
    #[test]
    fn shares_follow_weights_in_json_and_csv(group in group()) {
        let json = json(&group);
        let asked = read_text(&json);
        prop_assert_eq!(errors(&asked), [""; 0]);
        let answers = answered(&group, &asked);
        let import = read(json.as_bytes(), &answers, today());
        prop_assert!(import.is_ready(), "{:?}", errors(&import));
        for (index, row) in group.rows.iter().enumerate() {
            let row = Row { minor: minor(row), ..row.clone() };
            assert_weighted(&import, RowPlace::Item("", index), &row, &group.names,
                |member| WEIGHTS[member])?;
        }
        // Rows with a currency have their keys before the questions are answered.
        assert_keys(&asked, &import)?;

        let (csv, lines) = csv(&group);
        let of_csv = read(csv.as_bytes(), &answers, today());
        prop_assert!(of_csv.is_ready() || !is_clear(&group, &answers), "{:?}", errors(&of_csv));
        if of_csv.is_ready() {
            prop_assert_eq!(nets(&of_csv), nets(&import));
            prop_assert_eq!(keys(&of_csv), keys(&import));
            prop_assert!(of_csv.rows.iter().all(|row| lines.iter().any(|it| row.place == RowPlace::Line(*it))));
        }
        let earlier = self::json(&group.earlier());
        let earlier = read(earlier.as_bytes(), &answered(&group, &read_text(&earlier)), today());
        assert_keys(&earlier, &import)?;
    }
}
