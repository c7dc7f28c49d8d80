//! Expenses that are split by weights, by adjustments and by the lines of a receipt.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};

use super::path;
use crate::harness::{Caller, Group};

/// The shares of an expense, in order of the members.
fn shares(expense: &Value) -> Vec<String> {
    let splits = expense["splits"].as_array().unwrap().iter();
    splits.map(|share| share["amount"].to_string()).collect()
}

/// The restaurant bill of the guide.
fn bill() -> Value {
    json!({ "amount": "38.15", "description": "Luigi's", "splitType": "itemized", "items": [
        { "name": "Wine", "amount": "15.50" },
        { "name": "Pizza", "amount": "12.00", "sharers": [{ "userId": "1" }] },
        { "name": "Salad", "amount": "7.20",
            "sharers": [{ "userId": "2", "weight": 2 }, { "userId": "3" }] },
        { "kind": "tax", "name": "Service", "amount": "3.45" },
    ] })
}

async fn create(group: &Group, body: Value) -> Value {
    group.members[0].post(&group.path("/expenses"), body).await.data(201).clone()
}

/// Checks that the expense reads back as it was created.
async fn reads_back(group: &Group, caller: &Caller, made: &Value) {
    assert_eq!(caller.get(&path(group, made)).await.data(200), made);
}

#[tokio::test]
async fn weights_divide_the_amount() {
    let group = Group::new(3, "EUR").await;
    let made = create(
        &group,
        json!({
            "amount": 10.01, "description": "Hut", "splitType": "shares",
            "splits": [{ "userId": "1", "weight": 3 }, { "userId": "2", "weight": "2.0" },
                { "userId": "3", "weight": 0 }],
        }),
    )
    .await;
    assert_eq!(
        made["splits"],
        json!([
            { "userId": "1", "userName": "A", "amount": 6.01, "weight": 3 },
            { "userId": "2", "userName": "B", "amount": 4, "weight": 2 },
            { "userId": "3", "userName": "C", "amount": 0, "weight": 0 },
        ])
    );
    reads_back(&group, &group.members[1], &made).await;
    assert_eq!(group.balances().await, ["4", "-4", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn adjustments_are_paid_beside_equal_parts_of_the_rest() {
    let group = Group::new(3, "EUR").await;
    let made = create(
        &group,
        json!({
            "amount": 60, "description": "Taxi", "splitType": "adjustment",
            "splits": [{ "userId": "1", "adjustment": "7.50" }, { "userId": "2", "adjustment": -3 },
                { "userId": "3" }],
        }),
    )
    .await;
    assert_eq!(
        made["splits"],
        json!([
            { "userId": "1", "userName": "A", "amount": 26, "adjustment": 7.5 },
            { "userId": "2", "userName": "B", "amount": 15.5, "adjustment": -3 },
            { "userId": "3", "userName": "C", "amount": 18.5, "adjustment": 0 },
        ])
    );
    reads_back(&group, &group.members[1], &made).await;
    assert_eq!(group.balances().await, ["34", "-15.5", "-18.5"]);
    group.verify().await;
}

#[tokio::test]
async fn bill_is_split_by_its_lines() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let made = create(&group, bill()).await;
    assert_eq!(shares(&made), ["18.87", "10.96", "8.32"]);
    let sharers = |of: &[(&str, u8)]| {
        of.iter()
            .map(|(user, weight)| json!({ "userId": user, "weight": weight }))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        made["items"],
        json!([
            { "kind": "item", "name": "Wine", "amount": 15.5,
                "sharers": sharers(&[("1", 1), ("2", 1), ("3", 1)]) },
            { "kind": "item", "name": "Pizza", "amount": 12, "sharers": sharers(&[("1", 1)]) },
            { "kind": "item", "name": "Salad", "amount": 7.2,
                "sharers": sharers(&[("2", 2), ("3", 1)]) },
            { "kind": "tax", "name": "Service", "amount": 3.45, "split": "proportional" },
        ])
    );
    reads_back(&group, alice, &made).await;
    assert_eq!(group.balances().await, ["19.28", "-10.96", "-8.32"]);

    // Lists have the number of lines.
    let mut listed = made.clone();
    listed.as_object_mut().unwrap().remove("items");
    listed["itemCount"] = json!(4);
    assert_eq!(alice.get(&group.path("/expenses")).await.data(200), &json!([listed]));
    let mine = alice.get("/api/users/me/expenses").await;
    assert_eq!(mine.data(200)[0]["itemCount"], 4);
    assert!(mine.data(200)[0]["items"].is_null());
    group.verify().await;
}

#[tokio::test]
async fn taxes_tips_and_coupons_apply_to_the_lines_that_they_name() {
    let group = Group::new(3, "EUR").await;
    let of =
        |users: &[&str]| users.iter().map(|user| json!({ "userId": user })).collect::<Vec<_>>();
    let items = json!([
        { "name": "Starters", "amount": 24, "sharers": of(&["1", "2"]) },
        { "name": "Beer", "amount": 9,
            "sharers": [{ "userId": "2" }, { "userId": "3", "weight": 2 }] },
        { "kind": "tax", "name": "Beer tax", "amount": 0.9, "over": [1] },
        { "kind": "tip", "name": "Tip", "amount": 5 },
        { "kind": "discount", "name": "Coupon", "amount": 4, "over": [0] },
    ]);
    let body = json!({ "description": "Pub", "splitType": "itemized", "items": items });
    let made = create(&group, body).await;
    assert_eq!(made["amount"], 34.9, "the sum of the lines");
    assert_eq!(shares(&made), ["11.82", "15.57", "7.51"]);

    for (split, expected) in [("proportional", ["94.5", "5.5"]), ("equal", ["90.46", "9.54"])] {
        let items = json!([
            { "name": "Rent", "amount": 85.91, "sharers": of(&["1"]) },
            { "name": "Tea", "amount": 5, "sharers": of(&["2"]) },
            { "kind": "tax", "name": "Tax", "amount": "9.09", "split": split },
        ]);
        let body = json!({ "description": "x", "splitType": "itemized", "items": items });
        let made = create(&group, body).await;
        let near = |(share, expected): (&String, &str)| {
            let digits = |text: &str| text.parse::<Decimal>().unwrap().at_scale(2);
            digits(share).unwrap().abs_diff(digits(expected).unwrap())
                <= u128::from(split == "equal")
        };
        assert!(shares(&made).iter().zip(expected).all(near), "{made}");
    }
    group.verify().await;
}

#[tokio::test]
async fn one_line_takes_what_the_others_leave() {
    let group = Group::new(2, "EUR").await;
    let line = |name: &str, user: &str| json!({ "name": name, "sharers": [{ "userId": user }] });
    let mut cheese = line("Cheese", "1");
    cheese["amount"] = json!(12.5);
    let body = |items: Value| {
        json!({ "amount": 20, "description": "Shop", "splitType": "itemized",
        "items": items })
    };
    let made = create(&group, body(json!([cheese, line("Rest", "2")]))).await;
    assert_eq!(shares(&made), ["12.5", "7.5"]);
    assert_eq!(made["items"][1]["amount"], 7.5);
    assert_eq!(made["items"][1]["rest"], true);
    // A line that was read can be sent again: its amount is ignored.
    let mut again = made["items"].clone();
    again[1]["amount"] = json!(1_000_000);
    let made = create(&group, body(again)).await;
    assert_eq!(shares(&made), ["12.5", "7.5"]);

    let before = group.api.rows().await;
    let two = body(json!([line("Rest", "1"), line("Rest", "2")]));
    let reply = group.members[0].post(&group.path("/expenses"), two).await;
    assert_eq!(reply.body["details"][0]["path"], "items[1].amount");
    let mut unknown = body(json!([cheese, line("Rest", "2")]));
    unknown.as_object_mut().unwrap().remove("amount");
    let reply = group.members[0].post(&group.path("/expenses"), unknown).await;
    assert_eq!(reply.body["details"][0]["message"], "amount is required");
    assert_eq!(group.api.rows().await, before);
    group.verify().await;
}

#[tokio::test]
async fn member_who_joins_later_has_no_share_of_an_item_of_all() {
    let group = Group::new(2, "EUR").await;
    let items = json!([{ "name": "Wine", "amount": 10 }, { "kind": "fee", "name": "Rest" }]);
    let body = json!({ "amount": 12, "description": "x", "splitType": "itemized", "items": items });
    let made = create(&group, body).await;
    let late = group.api.user(3, "C");
    late.post(&group.path("/join"), json!({})).await.data(200);
    let edited =
        group.members[0].put(&path(&group, &made), json!({ "amount": 14 })).await.data(200).clone();
    assert_eq!(shares(&edited), ["7", "7"]);
    group.verify().await;
}

#[tokio::test]
async fn replayed_creation_returns_the_same_lines() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let first = alice.post_once("bill", &group.path("/expenses"), bill()).await;
    first.data(201);
    let before = group.api.rows().await;
    let again = alice.post_once("bill", &group.path("/expenses"), bill()).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn nanotons_and_the_largest_amounts_are_divided_exactly() {
    let group = Group::new(3, "TON").await;
    let items =
        json!([{ "name": "a", "amount": "3e-9" }, { "name": "b", "amount": "0.000000004" }]);
    let body = json!({ "description": "x", "splitType": "itemized", "items": items });
    let exact = async |body: Value, decimals: u8| -> Vec<i128> {
        let expenses = group.path("/expenses?amounts=text");
        let made = group.members[0].post(&expenses, body).await.data(201).clone();
        let splits = made["splits"].as_array().unwrap().iter();
        let share = |share: &Value| share["amount"].as_str().unwrap().parse::<Decimal>().unwrap();
        splits.map(|it| share(it).at_scale(decimals).unwrap()).collect()
    };
    let mut shares = exact(body, 9).await;
    shares.sort_unstable();
    assert_eq!(shares, [2, 2, 3]);
    let items = json!([{ "name": "a", "amount": "92233720368547758.07" }]);
    let body =
        json!({ "description": "x", "splitType": "itemized", "items": items, "currency": "EUR" });
    assert_eq!(exact(body, 2).await.iter().sum::<i128>(), i128::from(i64::MAX));
    group.verify().await;
}

/// Size of a value in DynamoDB, in bytes, according to its documentation.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
fn bytes(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        AttributeValue::N(number) => number.len().div_ceil(2) + 2,
        AttributeValue::L(list) => 3 + list.iter().map(|value| 1 + bytes(value)).sum::<usize>(),
        AttributeValue::M(map) => {
            3 + map.iter().map(|(name, value)| 1 + name.len() + bytes(value)).sum::<usize>()
        }
        AttributeValue::Bool(_) => 1,
        _ => unreachable!("an expense has no such value"),
    }
}

#[tokio::test]
async fn largest_expense_is_below_100_kilobytes() {
    let group = Group::new(45, "TON").await;
    let alice = &group.members[0];
    // As many lines, sharers and bytes as the limits allow.
    let line = |index: usize| {
        let sharers: Vec<Value> = (1..=6)
            .map(|id| {
                json!({ "userId": ((index * 6 + id) % 45 + 1).to_string(),
                "weight": "12345.6789" })
            })
            .collect();
        json!({ "name": "é".repeat(90), "amount": "90000000.123456789", "quantity": "9.999",
            "price": "0.123456789", "sharers": sharers })
    };
    let body = |lines: usize| {
        let items: Vec<Value> = (0..lines).map(line).collect();
        json!({ "description": "x", "splitType": "itemized", "items": items })
    };
    let mut count = 100;
    loop {
        let reply = alice.post(&group.path("/expenses"), body(count)).await;
        if reply.status == 201 {
            break;
        }
        let too_large = reply.status == 413 || reply.body["details"][0]["path"] == "items";
        assert!(too_large && count > 50, "{count} {}", reply.text);
        count -= 1;
    }
    let rows = group.api.rows().await;
    let row = rows.values().find(|row| row.contains_key("items")).unwrap();
    let size: usize = row.iter().map(|(name, value)| name.len() + bytes(value)).sum();
    assert!((30_000..100_000).contains(&size), "{size}");
    group.verify().await;
}

#[tokio::test]
async fn tax_and_tip_take_what_the_items_leave_of_the_total() {
    let group = Group::new(2, "EUR").await;
    let dishes = json!([
        { "name": "Fish", "amount": 20, "sharers": [{ "userId": "1" }] },
        { "name": "Soup", "amount": 10, "sharers": [{ "userId": "2" }] },
    ]);
    for (kind, sent) in
        [("tax", json!({})), ("tip", json!({ "rest": true, "amount": 1 })), ("fee", json!({}))]
    {
        let mut items = dishes.clone();
        let mut rest = json!({ "kind": kind, "name": kind });
        rest.as_object_mut().unwrap().extend(sent.as_object().unwrap().clone());
        items.as_array_mut().unwrap().push(rest);
        let made =
            json!({ "amount": 33, "description": "x", "splitType": "itemized", "items": items });
        let made = create(&group, made).await;
        assert_eq!(
            (&made["items"][2]["amount"], &made["items"][2]["rest"]),
            (&json!(3), &json!(true))
        );
        assert_eq!(shares(&made), ["22", "11"], "{kind}");
        let edited = json!({ "amount": 36 });
        let edited = group.members[0].put(&path(&group, &made), edited).await.data(200).clone();
        assert_eq!(shares(&edited), ["24", "12"], "{kind}");
    }
    group.verify().await;
}
