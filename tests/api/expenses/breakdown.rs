//! Explain the shares of an expense.

use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};

use crate::harness::{Group, number};

/// The breakdown of an expense.
async fn breakdown(group: &Group, body: Value) -> Value {
    let made = group.members[0].post(&group.path("/expenses"), body).await;
    let id = made.data(201)["id"].as_str().unwrap().to_owned();
    let path = group.path(&format!("/expenses/{id}/breakdown"));
    let reply = group.members[1].get(&path).await;
    let shown = reply.data(200).clone();
    assert_eq!(shown["expenseId"], id);
    assert_eq!(shown["amount"], made.data(201)["amount"]);
    for (share, recorded) in
        shown["shares"].as_array().unwrap().iter().zip(made.data(201)["splits"].as_array().unwrap())
    {
        assert_eq!(share["userId"], recorded["userId"]);
        assert_eq!(share["amount"], recorded["amount"]);
        let parts = share["parts"].as_array().unwrap();
        let sum = parts.iter().try_fold(number(&share["amount"]), |left, part| {
            Decimal::minus(left, number(&part["amount"]))
        });
        assert_eq!(sum, Some(number(&share["rounding"])), "{share}");
    }
    shown
}

#[tokio::test]
async fn parts_of_a_bill_are_its_lines() {
    let group = Group::new(3, "EUR").await;
    let shown = breakdown(
        &group,
        json!({
            "description": "Luigi's", "splitType": "itemized", "items": [
                { "name": "Wine", "amount": "15.50" },
                { "name": "Pizza", "amount": "12.00", "sharers": [{ "userId": "1" }] },
                { "name": "Salad", "amount": "7.20",
                    "sharers": [{ "userId": "2", "weight": 2 }, { "userId": "3" }] },
                { "kind": "tax", "name": "Service", "amount": "3.45" },
            ],
        }),
    )
    .await;
    assert_eq!(
        shown["shares"][0],
        json!({
            "userId": "1", "userName": "A", "amount": 18.87, "rounding": 0.01, "parts": [
                { "kind": "item", "line": 0, "name": "Wine", "of": 15.5, "weight": 1,
                    "amount": 5.16 },
                { "kind": "item", "line": 1, "name": "Pizza", "of": 12, "weight": 1, "amount": 12 },
                { "kind": "tax", "line": 3, "name": "Service", "of": 3.45, "amount": 1.7 },
            ],
        })
    );
}

#[tokio::test]
async fn breakdown_adds_up_for_every_type_and_both_signs() {
    let group = Group::new(3, "EUR").await;
    for (split_type, fields, first) in [
        ("equal", ["", "", ""], vec![json!({ "kind": "equal", "of": 100, "amount": 33.33 })]),
        (
            "exact",
            [r#""amount":50"#, r#""amount":50"#, r#""amount":0"#],
            vec![json!({ "kind": "exact", "amount": 50 })],
        ),
        (
            "percentage",
            [r#""percentage":33.3333"#, r#""percentage":66.6667"#, r#""percentage":0"#],
            vec![json!({ "kind": "percentage", "of": 100, "weight": 33.3333, "amount": 33.33 })],
        ),
        (
            "shares",
            [r#""weight":1"#, r#""weight":2"#, r#""weight":0.5"#],
            vec![json!({ "kind": "shares", "of": 100, "weight": 1, "amount": 28.57 })],
        ),
        (
            "adjustment",
            [r#""adjustment":10"#, r#""adjustment":-5"#, ""],
            vec![
                json!({ "kind": "adjustment", "amount": 10 }),
                json!({ "kind": "equal", "of": 95, "amount": 31.66 }),
            ],
        ),
    ] {
        for sign in [1, -1] {
            let splits: Vec<Value> = (1..)
                .zip(fields)
                .map(|(id, field): (u8, &str)| {
                    let comma = if field.is_empty() { "" } else { "," };
                    let split = format!(r#"{{"userId":"{id}"{comma}{field}}}"#);
                    let mut split: Value = serde_json::from_str(&split).unwrap();
                    for amount in ["amount", "adjustment"] {
                        if let Some(number) = split[amount].as_i64() {
                            split[amount] = json!(number * sign);
                        }
                    }
                    split
                })
                .collect();
            let body = json!({
                "amount": 100 * sign, "description": "x", "splitType": split_type, "splits": splits,
            });
            let shown = breakdown(&group, body).await;
            let mut expected = first.clone();
            for part in expected.iter_mut().filter(|_| sign < 0) {
                for amount in ["amount", "of"] {
                    if let Some(text) = part.get(amount).map(ToString::to_string) {
                        part[amount] = serde_json::from_str(&format!("-{text}")).unwrap();
                    }
                }
            }
            assert_eq!(shown["shares"][0]["parts"], json!(expected), "{split_type}");
        }
    }
}

#[tokio::test]
async fn only_members_see_a_breakdown() {
    let group = Group::new(2, "EUR").await;
    let made = group.spend(0, json!({ "amount": 10 })).await;
    let path = group.path(&format!("/expenses/{}/breakdown", made["id"].as_str().unwrap()));
    assert_eq!(group.api.user(9, "Eve").get(&path).await.code(), (403, "NOT_A_MEMBER"));
    let reply = group.members[1].get(&path).await;
    reply.data(200);
    assert_eq!(reply.cost.round_trips, 1);
    group.members[0].delete(path.strip_suffix("/breakdown").unwrap()).await.data(200);
    assert_eq!(group.members[1].get(&path).await.code(), (404, "EXPENSE_NOT_FOUND"));
}
