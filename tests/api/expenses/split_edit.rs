//! Edit the split of an expense.

use serde_json::{Value, json};

use super::path;
use crate::harness::{Caller, Group};

fn shares(expense: &Value) -> Vec<String> {
    let splits = expense["splits"].as_array().unwrap().iter();
    splits.map(|share| share["amount"].to_string()).collect()
}

/// Items of 10 for Alice and of 20 for both.
fn items() -> Value {
    json!([
        { "name": "Tea", "amount": 10, "sharers": [{ "userId": "1" }] },
        { "name": "Cake", "amount": 20, "sharers": [{ "userId": "1" }, { "userId": "2" }] },
    ])
}

async fn bill(group: &Group, items: Value) -> Value {
    let body = json!({ "amount": 30, "splitType": "itemized", "items": items });
    group.spend(0, body).await
}

/// The details of an edit that is refused and changes nothing.
async fn refused(group: &Group, alice: &Caller, at: &str, body: Value) -> (String, String) {
    let before = group.api.rows().await;
    let reply = alice.put(at, body.clone()).await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}: {}", reply.text);
    assert_eq!(group.api.rows().await, before, "{body}");
    let detail = &reply.body["details"][0];
    let text = |field: &str| detail[field].as_str().unwrap().to_owned();
    (text("path"), text("message"))
}

#[tokio::test]
async fn new_amount_is_divided_by_the_stored_input() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    for (split_type, field, input, expected) in [
        ("shares", "weight", [3, 1], ["90", "30"]),
        ("adjustment", "adjustment", [10, 0], ["65", "55"]),
    ] {
        let splits = [("1", input[0]), ("2", input[1])].map(|(user, input)| {
            let mut split = json!({ "userId": user });
            split[field] = json!(input);
            split
        });
        let body = json!({ "amount": 30, "splitType": split_type, "splits": splits });
        let made = group.spend(0, body).await;
        let at = path(&group, &made);
        let edited = alice.put(&at, json!({ "amount": 120 })).await.data(200).clone();
        assert_eq!(shares(&edited), expected, "{split_type}");
        assert_eq!(edited["splits"][0][field], input[0]);
        let same = alice.put(&at, json!({ "splits": [splits[1], splits[0]] })).await;
        assert_eq!(same.data(200), &edited, "the order of members does not count");
        group.verify().await;
    }
}

#[tokio::test]
async fn new_amount_of_a_bill_needs_new_lines_or_one_that_takes_the_rest() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let at = path(&group, &bill(&group, items()).await);
    let (place, _) = refused(&group, alice, &at, json!({ "amount": 31 })).await;
    assert_eq!(place, "items");

    let mut rest = items();
    rest[1].as_object_mut().unwrap().remove("amount");
    let edited = alice.put(&at, json!({ "items": rest })).await.data(200).clone();
    assert_eq!((&edited["amount"], &edited["items"][1]["amount"]), (&json!(30), &json!(20)));
    let edited = alice.put(&at, json!({ "amount": 31 })).await.data(200).clone();
    assert_eq!(
        (&edited["items"][0]["amount"], &edited["items"][1]["amount"]),
        (&json!(10), &json!(21))
    );
    assert_eq!(shares(&edited), ["20.5", "10.5"]);
    let (place, message) = refused(&group, alice, &at, json!({ "amount": 9 })).await;
    assert_eq!((&*place, &*message), ("items", "the lines sum to 10, 1 more than the amount"));
    group.verify().await;
}

#[tokio::test]
async fn lines_that_were_read_can_be_sent_again() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let items = json!([
        { "name": "Tea", "amount": 10, "quantity": 2, "price": 5 },
        { "name": "Rest" },
        { "kind": "tip", "name": "Tip", "amount": 1, "split": "equal" },
        { "kind": "discount", "name": "Coupon", "amount": 2, "over": [0] },
    ]);
    let made = bill(&group, items).await;
    let at = path(&group, &made);
    let before = group.api.rows().await;
    let again = alice.put(&at, json!({ "items": made["items"] })).await;
    assert_eq!(again.data(200), &made);
    assert_eq!(group.api.rows().await, before, "nothing is changed");

    let moved = alice.put(&at, json!({ "description": "Café" })).await.data(200).clone();
    for field in ["splits", "items", "amount"] {
        assert_eq!(moved[field], made[field], "{field}");
    }
    let history = alice.get(&format!("{at}/history")).await;
    let was = &history.data(200)[2]["expense"];
    assert_eq!((&was["description"], &was["items"]), (&json!("Dinner"), &made["items"]));
    group.verify().await;
}

#[tokio::test]
async fn lines_set_the_amount_and_leave_with_their_type() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let made = bill(&group, items()).await;
    let at = path(&group, &made);
    let cheaper =
        json!([{ "name": "Tea", "amount": 8, "sharers": [{ "userId": "1" }, { "userId": "2" }] }]);
    let edited = alice.put(&at, json!({ "items": cheaper })).await.data(200).clone();
    assert_eq!(
        (&edited["amount"], shares(&edited)),
        (&json!(8), vec!["4".to_owned(), "4".to_owned()])
    );
    let equal =
        alice.put(&at, json!({ "splitType": "equal", "amount": 9 })).await.data(200).clone();
    assert!(equal["items"].is_null());
    assert_eq!(shares(&equal), ["4.5", "4.5"]);
    let (place, _) = refused(&group, alice, &at, json!({ "splitType": "itemized" })).await;
    assert_eq!(place, "items");
    let (place, _) = refused(&group, alice, &at, json!({ "splitType": "shares" })).await;
    assert_eq!(place, "splits[0].weight");
    let back = alice.put(&at, json!({ "splitType": "itemized", "items": items() })).await;
    assert_eq!(back.data(200)["amount"], 30);
    let path_of = |body| refused(&group, alice, &at, body);
    let splits = json!([{ "userId": "1" }]);
    assert_eq!(path_of(json!({ "splits": splits })).await.0, "splits");
    assert_eq!(path_of(json!({ "splitType": "equal", "items": items() })).await.0, "items");
    let mut cents = items();
    cents[1]["amount"] = json!("20.50");
    alice.put(&at, json!({ "items": cents })).await.data(200);
    assert_eq!(path_of(json!({ "currency": "JPY" })).await.0, "amount");
    group.verify().await;

    // A deletion and its restoration bring the lines back.
    let last = alice.get(&at).await.data(200).clone();
    alice.delete(&at).await.data(200);
    let restored = alice.post(&format!("{at}/restore"), json!({})).await.data(200).clone();
    assert_eq!((&restored["items"], &restored["splits"]), (&last["items"], &last["splits"]));
    group.verify().await;
}

#[tokio::test]
async fn type_without_input_uses_the_members_in_the_split() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let splits = json!([{ "userId": "1", "weight": 2 }, { "userId": "3", "weight": 1 }]);
    let made =
        group.spend(0, json!({ "amount": 30, "splitType": "shares", "splits": splits })).await;
    let at = path(&group, &made);
    for (split_type, expected) in
        [("exact", ["20", "10"]), ("adjustment", ["15", "15"]), ("equal", ["15", "15"])]
    {
        let edited = alice.put(&at, json!({ "splitType": split_type })).await.data(200).clone();
        assert_eq!(edited["splitType"], split_type);
        assert_eq!(shares(&edited), expected, "{split_type}");
        group.verify().await;
    }
    let (place, message) =
        refused(&group, alice, &at, json!({ "splitType": "exact", "amount": 31 })).await;
    assert_eq!((&*place, &*message), ("splits", "splits is required"));
}
