use serde_json::{Value, json};

use super::*;

const FILE: &str = include_str!("../../../../tests/fixtures/import/tricount.json");
const CASE: &str = include_str!("../../../../tests/fixtures/import/cases/tricount-registry.json");

fn membership(uuid: &str) -> Value {
    json!({ "RegistryMembershipNonUser": { "uuid": uuid, "alias": { "display_name": uuid } } })
}

fn allocation(uuid: &str, value: &str, ratio: Option<u32>) -> Value {
    json!({ "membership": membership(uuid), "amount": { "value": value, "currency": "EUR" },
        "type": if ratio.is_some() { "RATIO" } else { "AMOUNT" }, "share_ratio": ratio })
}

/// An expense of 10.01 that Ann paid for Ann and Bo, with these fields instead of its own.
fn entry(fields: &Value) -> Value {
    let mut entry = json!({ "uuid": "e", "description": "Tea", "date": "2026-01-31 10:00:00.000000",
        "status": "ACTIVE", "type_transaction": "NORMAL", "category": "GENERAL",
        "amount": { "value": "-10.01", "currency": "EUR" }, "membership_owned": membership("Ann"),
        "allocations": [allocation("Ann", "-5.01", Some(1)), allocation("Bo", "-5.00", Some(1))] });
    for (name, value) in fields.as_object().unwrap() {
        entry[name] = value.clone();
    }
    json!({ "RegistryEntry": entry })
}

fn registry(entries: &[Value]) -> Value {
    json!({ "uuid": "r", "title": "Alps", "currency": "EUR",
        "memberships": [membership("Ann"), membership("Bo")], "all_registry_entry": entries })
}

fn read_entry(fields: &Value) -> Import {
    read_text(&registry(&[entry(fields)]).to_string())
}

#[test]
fn amounts_and_splits_are_those_of_the_file() {
    let import = read_text(FILE);
    assert_eq!(errors(&import), [""; 0]);
    assert_eq!(
        rows(&import),
        [
            "2026-01-30 Hotel EUR: +0 10000, -0 3334, -1 3333, -2 3333",
            "2026-01-30 Cabin EUR: +2 9000, -0 6000, -1 3000",
            "2026-01-30 Dinner, \"Chez Léa\" EUR: +1 4250, -0 1250, -1 3000",
            "2026-01-31 Museum EUR: +2 11040, -0 5520, -2 5520",
            "2026-02-01 Deposit back EUR: +0 -2000, -0 -1000, -1 -1000",
            "2026-02-03 Money transfer EUR: 1>0 3333",
        ]
    );
    let splits = import.rows.iter().map(|row| match &row.movement {
        Movement::Expense { split, .. } => {
            split.as_ref().map_or("exact".to_owned(), |it| it.split_type().to_string())
        }
        Movement::Payment(_) | Movement::Pending(_) => "payment".to_owned(),
    });
    let splits: Vec<String> = splits.collect();
    assert_eq!(splits, ["equal", "shares", "exact", "equal", "equal", "payment"]);
    let categories = import.rows.iter().map(|row| row.category.map(|it| it.to_string()));
    let categories: Vec<String> = categories.map(Option::unwrap_or_default).collect();
    assert_eq!(categories, ["travel", "rent", "food", "other", "", ""]);
    let note = import.rows[3].notes.as_ref().unwrap().as_str();
    assert_eq!(note, "Paid in Tricount: 120.00 USD at 0.92");
    assert_eq!(
        warnings(&import),
        [
            "1 deleted row is left out",
            "the receipts of 1 row are not imported",
            "1 row has a category that Fracti does not know, read as other: Hobbies (1)",
            "all_registry_entry[3] \"Museum\" of \
             2026-01-31 was 120.00\u{a0}USD, and is recorded as 110.40\u{a0}EUR",
        ]
    );
}

#[test]
fn case_of_two_people_is_read_in_all_its_forms() {
    let import = read_text(CASE);
    assert_eq!((errors(&import), warnings(&import)), (vec![], vec![]));
    assert_eq!(balances(&import), ["Alex 25 USD", "Brian -25 USD"]);
    assert_eq!(rows(&import), ["2024-12-22 Hotel USD: +0 8500, -0 6000, -1 2500"]);
    let response: Value = serde_json::from_str(CASE).unwrap();
    let item = &response["Response"][0];
    for form in [item, &item["Registry"]] {
        let alone = read_text(&form.to_string());
        assert_eq!(errors(&alone), [""; 0]);
        assert_eq!((alone.rows, alone.group), (import.rows.clone(), import.group));
    }
}

#[test]
fn several_tricounts_are_refused_with_their_titles() {
    let item = |title: &str| {
        let mut registry = registry(&[]);
        registry["title"] = json!(title);
        json!({ "Registry": registry })
    };
    let file = json!({ "Response": [item("Alps"), { "Id": { "id": 1 } }, item("Sea")] });
    let error = "the file has several tricounts: \"Alps\", \"Sea\"; save each of them in a file";
    assert_refused(&[
        (&file.to_string(), error),
        (r#"{"Response":[{"Id":{"id":1}}]}"#, "this is an answer of Tricount's API without"),
        (r#"{"Response":[{"Registry":{"uuid":"r"}}]}"#, "the file is not the JSON of an export"),
        (&FILE[..600], "the file is cut off here"),
    ]);
}

#[test]
fn a_positive_payment_is_counted_reversed_as_the_app_does() {
    let payment = |value: &str| {
        json!({ "type_transaction": "BALANCE", "amount": { "value": value, "currency": "EUR" },
            "allocations": [allocation("Bo", value, None)] })
    };
    let import = read_entry(&payment("-7.00"));
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: 0>1 700"]);
    assert_eq!(warnings(&import), [""; 0]);
    let import = read_entry(&payment("7.00"));
    assert_eq!(rows(&import), ["2026-01-31 Tea EUR: 1>0 700"]);
    assert!(warnings(&import)[0].starts_with("all_registry_entry[0] the payment is positive"));
}

#[test]
fn a_split_is_kept_if_the_shares_follow_from_it() {
    let split = |parts: &[(&str, &str, Option<u32>)]| {
        let parts = parts.iter().map(|(who, value, ratio)| allocation(who, value, *ratio));
        let import = read_entry(&json!({ "allocations": parts.collect::<Vec<_>>() }));
        assert_eq!(errors(&import), [""; 0]);
        match &import.rows[0].movement {
            Movement::Expense { split: Some(split), .. } => split.split_type().to_string(),
            _ => "exact".to_owned(),
        }
    };
    let ann = ("Ann", "-5.01", Some(1));
    let bo = ("Bo", "-5.00", Some(1));
    assert_eq!(split(&[ann, bo]), "equal");
    assert_eq!(split(&[("Ann", "-5.00", Some(1)), ("Bo", "-5.00", Some(1))]), "equal");
    assert_eq!(split(&[("Ann", "-6.67", Some(2)), ("Bo", "-3.34", Some(1))]), "shares");
    assert_eq!(split(&[("Ann", "-6.00", Some(1)), ("Bo", "-4.01", Some(1))]), "exact");
    assert_eq!(split(&[("Ann", "-5.01", None), bo]), "exact");
    assert_eq!(split(&[ann, ("Bo", "-5.00", None)]), "exact");
}

#[test]
fn entries_that_are_not_clear_are_refused() {
    let other = json!([allocation("Cy", "-10.01", None)]);
    let twice = json!([allocation("Bo", "-5.01", None), allocation("Bo", "-5.00", None)]);
    let mixed = json!([allocation("Ann", "-15.01", None), allocation("Bo", "5.00", None)]);
    let missed = json!([allocation("Ann", "-10.00", None), allocation("Bo", "-0.03", None)]);
    let usd = json!({ "value": "-10.01", "currency": "USD" });
    for (fields, error) in [
        (
            json!({ "type_transaction": "GIFT" }),
            ".type_transaction type_transaction must be NORMAL",
        ),
        (
            json!({ "allocations": other }),
            ".allocations[0].membership allocations[0].membership must",
        ),
        (
            json!({ "allocations": twice }),
            ".allocations allocations must have each member only once",
        ),
        (json!({ "allocations": mixed }), " all amounts of a row must have the same sign"),
        (json!({ "allocations": missed }), " the shares sum to 10.03, but the amount is 10.01"),
        (json!({ "allocations": [] }), " the shares sum to 0, but the amount is 10.01"),
        (
            json!({ "membership_owned": membership("Cy") }),
            ".membership_owned membership_owned must",
        ),
        (json!({ "amount": usd }), ".amount.currency amount.currency must be that of the tricount"),
        (json!({ "date": null }), ".RegistryEntry.date"),
    ] {
        let file = registry(&[entry(&fields)]).to_string();
        assert_refused(&[(&file, &format!("all_registry_entry[0]{error}"))]);
    }
    let twice = registry(&[entry(&json!({})), entry(&json!({}))]).to_string();
    assert_refused(&[(&twice, "all_registry_entry[1].uuid uuid must be of one entry only")]);
    let unknown = registry(&[entry(&json!({ "tip": { "value": "1.00" } }))]).to_string();
    assert_refused(&[(
        &unknown,
        "Fracti does not know “RegistryEntry.tip” in the file, and money in it",
    )]);
}
