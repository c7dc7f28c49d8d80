//! Round trips to the table of each endpoint. Parallel requests are one round trip.

use axum::http::Method;
use serde_json::{Value, json};

use crate::harness::{Api, Group};

#[tokio::test]
async fn every_endpoint_stays_within_its_round_trips() {
    let group = Group::new(4, "EUR").await;
    for n in 1..=30 {
        group.spend(0, json!({ "amount": n })).await;
        group.pay(1, 0, "0.01").await;
    }
    let guest = group.guest(0, "Grandpa").await;
    let expense = group.spend(0, json!({ "amount": 5 })).await["id"].as_str().unwrap().to_owned();
    let other = group.guest(0, "Grandma").await;
    let body = json!({ "toId": "1", "amount": 3 });
    let settlement =
        group.members[1].post(&group.path("/settlements"), body).await.data(201)["id"].clone();
    let settlement = settlement.as_str().unwrap().to_owned();
    let (read, write): (Option<Value>, _) = (None, |body: Value| Some(body));
    for (method, path, body, round_trips) in [
        (Method::GET, "/api/health".to_owned(), read.clone(), 0),
        (Method::GET, "/api/groups".to_owned(), read.clone(), 2),
        (Method::GET, group.path(""), read.clone(), 1),
        (Method::GET, group.path("/expenses"), read.clone(), 1),
        (Method::GET, group.path("/settlements?limit=5"), read.clone(), 1),
        (Method::GET, group.path(&format!("/expenses/{expense}")), read.clone(), 1),
        (Method::GET, group.path(&format!("/settlements/{settlement}")), read.clone(), 1),
        (Method::GET, group.path("/debts"), read.clone(), 1),
        (Method::GET, group.path(&format!("/expenses/{expense}/breakdown")), read.clone(), 1),
        (Method::GET, group.path(&format!("/expenses/{expense}/history")), read.clone(), 1),
        (Method::GET, group.path("/ledger/balance"), read.clone(), 1),
        (Method::GET, group.path("/ledger/balance?at=2026-01-15T11:00:00Z"), read.clone(), 2),
        (Method::GET, group.path("/ledger/days"), read.clone(), 2),
        (Method::GET, group.path("/ledger/entries"), read.clone(), 2),
        (Method::GET, group.path(&format!("/ledger/entries/{expense}")), read.clone(), 1),
        (Method::GET, "/api/users/me".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/groups".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/summary".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/expenses".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/debts".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/settlements".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/activity?limit=50".to_owned(), read.clone(), 2),
        (Method::GET, "/api/users/me/targets".to_owned(), read.clone(), 1),
        (Method::PATCH, group.path(""), write(json!({ "title": "Andes" })), 2),
        (Method::DELETE, group.path(&format!("/members/{other}")), read.clone(), 2),
        // Another member must not have the guest's name.
        (Method::POST, group.path(&format!("/members/{other}/restore")), read.clone(), 3),
        (
            Method::POST,
            group.path("/expenses"),
            write(json!({ "amount": 1, "description": "x" })),
            2,
        ),
        (
            Method::POST,
            group.path("/settlements"),
            write(json!({ "fromId": "2", "toId": "1", "amount": 1 })),
            2,
        ),
        (
            Method::PUT,
            group.path(&format!("/settlements/{settlement}")),
            write(json!({ "status": "completed" })),
            2,
        ),
        // The members are read after the lock, because a name must be free.
        (Method::POST, group.path("/members"), write(json!({ "name": "Aunt" })), 3),
        (
            Method::PATCH,
            group.path(&format!("/members/{guest}")),
            write(json!({ "name": "Granny" })),
            3,
        ),
        (
            Method::POST,
            group.path(&format!("/members/{guest}/link")),
            write(json!({ "userId": "2" })),
            2,
        ),
        (
            Method::PUT,
            group.path("/wallet"),
            write(json!({ "wallet": format!("0:{}", "a".repeat(64)) })),
            2,
        ),
        (Method::POST, "/api/groups".to_owned(), write(json!({ "title": "x", "chatId": 1 })), 1),
        (
            Method::PUT,
            group.path(&format!("/expenses/{expense}")),
            write(json!({ "amount": 6 })),
            2,
        ),
        (Method::DELETE, group.path(&format!("/expenses/{expense}")), read.clone(), 2),
        (Method::POST, group.path(&format!("/expenses/{expense}/restore")), read, 2),
        (
            Method::POST,
            group.path("/ledger/entries"),
            write(json!([{ "entryId": "a", "changes": [
                { "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 } ] }])),
            3,
        ),
        (Method::DELETE, group.path("/ledger/entries"), write(json!(["a"])), 3),
    ] {
        let reply = group.members[0].call(method.clone(), &path, body.as_ref()).await;
        assert!(reply.status.is_success(), "{method} {path}: {}", reply.text);
        // Fewer if a dependent read begins while others are still pending.
        assert!(reply.cost.round_trips <= round_trips, "{method} {path}: {}", reply.cost);
    }
}

#[tokio::test]
async fn cost_of_debts_does_not_grow_with_the_history() {
    let group = Group::of(&Api::embedded().await, 3, "EUR").await;
    group.spend(0, json!({ "amount": 5 })).await;
    let young = group.members[0].get(&group.path("/debts")).await.cost;
    for n in 1..=60 {
        group.spend(0, json!({ "amount": n })).await;
    }
    let old = group.members[0].get(&group.path("/debts")).await.cost;
    assert_eq!(old, young);
    assert!(old.read_units > 0.0, "{old}");
}
