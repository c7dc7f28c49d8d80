//! Settlements of a group.

mod create;
mod get;
mod repeated;
mod update;

use serde_json::{Value, json};

use crate::harness::{Caller, Group};

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// Bob (1) owes Alice (0) 50 EUR; Carol (2) watches.
async fn with_debt() -> Group {
    let group = Group::new(3, "EUR").await;
    group
        .spend(0, json!({ "amount": 100, "splits": [{ "userId": "1" }, { "userId": "2" }] }))
        .await;
    group
}

async fn settle(group: &Group, by: &Caller, body: Value) -> (Value, String) {
    let made = by.post(&group.path("/settlements"), body).await.data(201).clone();
    let path = group.path(&format!("/settlements/{}", made["id"].as_str().unwrap()));
    (made, path)
}
