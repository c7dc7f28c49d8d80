//! Failures of the table: the client gets a status to act on, and only the log has the details.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_http::DEADLINE;
use fracti_runtime::local_dynamodb;
use fracti_store::Table;
use serde_json::json;

use crate::harness::Group;

#[tokio::test]
async fn unreachable_table_is_a_503() {
    let group = Group::new(2, "EUR").await;
    // Nothing listens on port 1.
    let unreachable = Table::new(local_dynamodb("http://127.0.0.1:1"), "FractiTable");
    let alice = group.members[0].at(&group.api.over(unreachable));
    let expense = json!({ "amount": 1, "description": "Tea" });
    for reply in [
        alice.get(&group.path("/debts")).await,
        alice.get("/api/users/me").await,
        alice.post(&group.path("/expenses"), expense.clone()).await,
        alice.post_once("key", "/api/groups", json!({ "title": "x", "chatId": 1 })).await,
    ] {
        assert_eq!(reply.code(), (503, "UNAVAILABLE"));
        assert_eq!(reply.header("retry-after"), Some("1"));
        assert!(!reply.text.contains("127.0.0.1"), "{}", reply.text);
    }
    group.members[0].post(&group.path("/expenses"), expense).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn missing_table_is_a_500_without_details() {
    let group = Group::new(1, "EUR").await;
    let elsewhere = Table::new(group.api.client.clone(), "NoSuchTable");
    let alice = group.members[0].at(&group.api.over(elsewhere));
    for path in [group.path("/debts"), "/api/groups".to_owned()] {
        let reply = alice.get(&path).await;
        assert_eq!(reply.code(), (500, "INTERNAL"), "{path}");
        assert!(!reply.text.contains("NoSuchTable"), "{}", reply.text);
    }
}

#[tokio::test]
async fn write_that_loses_every_race_until_the_deadline_is_a_409() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 10 })).await;
    // A foreign closing of the day makes every write of a later day lose a race.
    let key = [("PK", format!("LEDGER#{}", group.id)), ("SK", "DAY#2026-01-15".to_owned())];
    let key = key.map(|(name, value)| (name.to_owned(), AttributeValue::S(value)));
    let key: HashMap<_, _> = key.into();
    let put = group.api.client.put_item().table_name("FractiTable").set_item(Some(key.clone()));
    put.send().await.unwrap();
    group.api.pass(Duration::from_hours(20));
    let before = group.api.rows().await;
    // Each in a separate process, so that both retry until the deadline.
    let [alice, bob] = [0, 1].map(|member: usize| {
        group.members[member].at(&group.api.another().with_deadline(DEADLINE))
    });
    let expenses = group.path("/expenses");
    let entries = group.path("/ledger/entries");
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let adjustment = json!([{ "entryId": "opening", "changes": changes }]);
    let (late, lost) = tokio::join!(
        bob.post(&expenses, json!({ "amount": 1, "description": "Tea" })),
        alice.post_once("opening-1", &entries, adjustment.clone()),
    );
    assert_eq!(late.code(), (409, "CONFLICT"));
    assert_eq!(late.header("retry-after"), Some("1"));
    assert!(late.cost.round_trips > 4, "the write is retried: {}", late.cost);
    assert_eq!(lost.code(), (409, "CONFLICT"));
    assert_eq!(group.api.rows().await, before);

    // A conflict is not stored as the key's response: the same request succeeds later.
    let delete = group.api.client.delete_item().table_name("FractiTable").set_key(Some(key));
    delete.send().await.unwrap();
    let done = alice.post_once("opening-1", &entries, adjustment).await;
    assert_eq!(done.data(200)["applied"][0]["entryId"], "opening");
    group.verify().await;
}
