//! The activity feed: four kinds of events in order of time, complete across pages.

use std::time::Duration;

use serde_json::{Value, json};

use crate::harness::{Api, Group};

#[tokio::test]
async fn feed_describes_each_event_from_the_users_side() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    group.spend(0, json!({ "amount": 10, "description": "Hut" })).await;
    group.spend(1, json!({ "amount": 4, "description": "Tea" })).await;
    group.pay(1, 0, "3").await;
    let body = json!({ "toId": "2", "amount": 1 });
    alice.post(&group.path("/settlements"), body).await.data(201);

    let feed = alice.get("/api/users/me/activity").await.data(200).clone();
    let listed: Vec<Value> = feed
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            json!([
                event["type"],
                event["amount"],
                event["description"],
                event["otherPartyId"],
                event["otherPartyName"],
                event["status"]
            ])
        })
        .collect();
    assert_eq!(
        listed,
        [
            json!(["settlement_sent", 1, "Payment to B", "2", "B", "pending"]),
            json!(["settlement_received", 3, "Payment from B", "2", "B", "completed"]),
            json!(["expense_owed", 2, "Tea", "2", "B", null]),
            json!(["expense_paid", 10, "Hut", null, null, null]),
        ]
    );
    assert!(feed.as_array().unwrap().iter().all(|event| {
        event["groupTitle"] == "Alps" && event["groupId"] == group.id && event["currency"] == "EUR"
    }));
    let kinds: Vec<Value> = bob
        .get("/api/users/me/activity")
        .await
        .data(200)
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["type"].clone())
        .collect();
    assert_eq!(kinds, ["settlement_received", "settlement_sent", "expense_paid", "expense_owed"]);
}

#[tokio::test]
async fn feed_pages_are_complete_when_events_share_a_millisecond() {
    let api = Api::new().await;
    let mut groups = Vec::new();
    for _ in 0..4 {
        groups.push(Group::of(&api, 2, "EUR").await);
    }
    // In each round, all four kinds happen in all groups at the same milliseconds.
    for round in 0..3 {
        for group in &groups {
            group.spend(0, json!({ "amount": 2 })).await;
            group.spend(1, json!({ "amount": 2 })).await;
            group.pay(0, 1, "1").await;
            group.pay(1, 0, "1").await;
        }
        api.pass(Duration::from_millis(if round == 0 { 2 } else { 500 }));
    }
    let alice = &groups[0].members[0];
    let whole =
        alice.get("/api/users/me/activity?limit=100").await.data(200).as_array().unwrap().clone();
    assert_eq!(whole.len(), 48);
    assert!(whole.is_sorted_by(|a, b| a["createdAt"].as_str() >= b["createdAt"].as_str()));
    for limit in [1, 3, 7, 20] {
        let mut feed = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = alice.get(&format!("/api/users/me/activity?limit={limit}{cursor}")).await;
            feed.extend(page.data(200).as_array().unwrap().clone());
            match page.body["pagination"]["nextCursor"].as_str() {
                None => break,
                Some(next) => cursor = format!("&cursor={next}"),
            }
        }
        assert_eq!(feed, whole, "by {limit}");
    }
}
