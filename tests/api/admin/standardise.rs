//! `fracti-admin standardise`.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::Outcome;
use fracti_tests::database::TABLE;
use serde_json::{Value, json};

use super::admin;
use crate::harness::{Api, Caller};

const SPENDINGS: &str = "/api/users/me/spendings";

fn attribute(value: &Value) -> AttributeValue {
    match value {
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::Object(map) => AttributeValue::M(attributes(map)),
        text => AttributeValue::S(text.as_str().unwrap().to_owned()),
    }
}

fn attributes(map: &serde_json::Map<String, Value>) -> HashMap<String, AttributeValue> {
    map.iter().map(|(name, value)| (name.clone(), attribute(value))).collect()
}

/// Ten spendings of a day, its summary and targets of user 1, as an earlier version wrote them.
async fn old() -> (Api, Caller) {
    let api = Api::new().await;
    let mut rows: Vec<Value> = (0..10)
        .map(|index| {
            json!({ "SK": format!("SPEND#2026-01-14T10:00:0{index}Z#0f3a"), "Title": "Lunch",
                "Amount": 7, "Currency": "USD", "UserDate": "2026-01-14",
                "Categories": { "Food": 5 }, "CreatedAt": "2026-01-14T10:00:00Z" })
        })
        .collect();
    rows.push(json!({ "SK": "SUMMARY#2026-01-14", "Total#USD": 70, "Cat#Food#USD": 50,
        "SpendingCount": 10 }));
    rows.push(json!({ "SK": "CONFIG#TARGETS", "Version": 3, "Period": "month", "Currency": "USD",
        "Targets": { "Food": 300 }, "Registry": {} }));
    for mut row in rows {
        row["PK"] = "USER#1".into();
        let item = attributes(row.as_object().unwrap());
        api.client.put_item().table_name(TABLE).set_item(Some(item)).send().await.unwrap();
    }
    let alice = api.user(1, "Alice");
    (api, alice)
}

async fn standardise(api: &Api, dry_run: bool) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = admin(api).standardise(dry_run, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

fn good(text: &str) -> (Outcome, String) {
    (Outcome::Good, format!("{text}, 0 rows unreadable\n"))
}

/// Everything that the API shows of the rows.
async fn shown(alice: &Caller) -> Vec<Value> {
    let mut all = alice.pages(SPENDINGS, 100).await;
    all.push(alice.get("/api/users/me/targets").await.data(200).clone());
    all
}

#[tokio::test]
async fn old_rows_are_rewritten_once_and_read_as_before() {
    let (api, alice) = old().await;
    let before = shown(&alice).await;
    let rows = api.rows().await;
    assert_eq!(standardise(&api, true).await, good("12 rows are in an earlier format"));
    assert_eq!(api.rows().await, rows, "a dry run writes nothing");

    assert_eq!(standardise(&api, false).await, good("12 rows rewritten"));
    assert_eq!(shown(&alice).await, before);
    let rows = api.rows().await;
    for (key, row) in &rows {
        let is_old = |name: &&String| {
            name.starts_with(|first: char| first.is_ascii_uppercase())
                && !matches!(name.as_str(), "PK" | "SK")
        };
        assert_eq!(row.keys().find(is_old), None, "{key:?}");
        assert_eq!(row["formatVersion"], AttributeValue::N("4".to_owned()), "{key:?}");
    }
    let summary = &rows[&("USER#1".to_owned(), "SUMMARY#2026-01-14".to_owned())];
    assert_eq!(summary["total#USD"], AttributeValue::N("70".to_owned()));

    assert_eq!(standardise(&api, false).await, good("0 rows rewritten"));
    assert_eq!(api.rows().await, rows, "a second run writes nothing");
}

#[tokio::test]
async fn rows_are_rewritten_beside_the_api_and_sums_stay_exact() {
    let (api, alice) = old().await;
    let path = |index: u32| format!("{SPENDINGS}/2026-01-14T10:00:0{index}Z~0f3a");
    let writes = async {
        for index in 0..5 {
            let new = json!({ "title": "Coffee", "amount": 2, "currency": "USD", "category": "food",
                "userDate": "2026-01-14" });
            alice.post(SPENDINGS, new).await.data(201);
            alice.put(&path(index), json!({ "amount": 6 })).await.data(200);
            alice.delete(&path(9 - index)).await.data(200);
        }
    };
    tokio::join!(writes, async {
        for _ in 0..3 {
            assert_eq!(standardise(&api, false).await.0, Outcome::Good);
        }
    });
    assert_eq!(standardise(&api, false).await.0, Outcome::Good);
    let rows = api.rows().await;
    let summary = &rows[&("USER#1".to_owned(), "SUMMARY#2026-01-14".to_owned())];
    let number = |name: &str| summary[name].as_n().unwrap().clone();
    // Five of 6 and five of 2; in food, five of 5 and five of 2.
    assert_eq!(
        [number("total#USD"), number("cat#food#USD"), number("spendingCount")],
        ["40", "35", "10"]
    );
}

#[tokio::test]
async fn a_row_that_cannot_be_read_is_reported_and_left() {
    let (api, _) = old().await;
    api.change_row("USER#1", "SUMMARY#2026-01-13", |row| {
        row.insert("updatedAt".to_owned(), AttributeValue::S("yesterday".to_owned()));
    })
    .await;
    let (outcome, output) = standardise(&api, false).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(output.starts_with("row USER#1 SUMMARY#2026-01-13: "), "{output}");
    assert!(output.contains("updatedAt") && !output.contains("yesterday"), "{output}");
    assert!(output.ends_with("12 rows rewritten, 1 rows unreadable\n"), "{output}");
}
