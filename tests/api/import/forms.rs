//! One group in several forms of its file.

use serde_json::{Value, json};

use super::{FILES, Import, balances, counts, splitwise};
use crate::harness::Group;

/// The second file adds nothing to the group that has the first one.
async fn assert_same(first: (&str, &str), second: (&str, &str)) {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(first.0, first.1).by(alice, &group, &[]).await;
    let [imported, ..] = counts(&import.send(alice, &group).await);
    assert!(imported > 0);
    let before = balances(&group).await;
    let second = Import::of(second.0, second.1);
    let plan = second.send(alice, &group).await;
    assert_eq!(plan.data(200)["alreadyThere"], imported, "{}", plan.text);
    let people = plan.data(200)["members"].as_array().unwrap().clone();
    assert!(people.iter().all(|person| person["match"].is_object()), "{people:?}");
    let again = second.by(alice, &group, &[]).await.send(alice, &group).await;
    assert_eq!(counts(&again)[..2], [0, imported]);
    assert_eq!(again.data(200)["members"], 0);
    assert_eq!(balances(&group).await, before);
    group.verify().await;
}

#[tokio::test]
async fn a_file_of_spliit_adds_no_row_again_once_it_has_ids() {
    let (file, answers) = FILES[1];
    let mut without: Value = serde_json::from_str(file).unwrap();
    for expense in without["expenses"].as_array_mut().unwrap() {
        expense.as_object_mut().unwrap().remove("id");
    }
    assert_same((&without.to_string(), answers), (file, answers)).await;
}

#[tokio::test]
async fn a_file_of_spliit_adds_no_row_again_once_the_sign_is_a_code() {
    let (file, answers) = FILES[2];
    let mut asked: Value = serde_json::from_str(answers).unwrap();
    asked["currency"] = json!("USD");
    let sign = file.replace("\"EUR\"", "\"$\"");
    let code = file.replace("\"EUR\"", "\"USD\"");
    assert_same((&sign, &asked.to_string()), (&code, answers)).await;
}

#[tokio::test]
async fn a_project_of_ihatemoney_adds_no_bill_again_once_it_has_a_currency() {
    let (file, answers) = FILES[4];
    let none = file.replace(",EUR,", ",XXX,");
    assert_same((&none, r#"{"currency":"EUR"}"#), (file, answers)).await;
}

#[tokio::test]
async fn a_file_that_was_saved_in_another_form_adds_no_row_again() {
    let rows = [
        ("2026-01-02", "Groceries", "\"Crème\nbrûlée\"", "EUR", vec![300, -300]),
        ("2026-01-03", "Payment", "Zoé paid Bob", "EUR", vec![200, -200]),
    ];
    let file = splitwise(&["Zoé", "Bob"], &rows);
    let decomposed = file.replace('é', "e\u{301}").replace('è', "e\u{300}");
    assert_same((&file, "{}"), (&decomposed.replace('\n', "\r\n"), "{}")).await;
    assert_same((&decomposed, "{}"), (&file, "{}")).await;
}
