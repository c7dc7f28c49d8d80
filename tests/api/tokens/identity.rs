//! Requests by token have the identity of its creator.

use std::time::Duration;

use axum::{body::Body, http::Method};
use serde_json::{Value, json};
use tower::ServiceExt;

use super::{create, create_with};
use crate::harness::{Api, Group};

const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";

#[tokio::test]
async fn token_works_as_its_user_until_it_expires() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let created = create_with(alice, json!({ "expiresAt": "2026-01-16T12:00:00Z" })).await;
    let token = alice.with_token(&created);
    for path in ["/api/groups", "/api/users/me", &*group.path("/debts")] {
        assert_eq!(token.get(path).await.data(200), alice.get(path).await.data(200), "{path}");
    }
    let head = token.request(Method::HEAD, "/api/groups").body(Body::empty()).unwrap();
    assert_eq!(group.api.router.clone().oneshot(head).await.unwrap().status(), 200);
    let tea = json!({ "amount": 4, "description": "Tea" });
    let spent = token.post(&group.path("/expenses"), tea).await;
    assert_eq!(spent.data(201)["payerId"], "1");
    assert_eq!(spent.data(201)["payerName"], "A");
    group.verify().await;

    group.api.pass(Duration::from_hours(24) - Duration::from_millis(1));
    token.get("/api/groups").await.data(200);
    group.api.pass(Duration::from_millis(1));
    assert_eq!(token.get("/api/groups").await.code(), (401, "TOKEN_REVOKED"));
}

#[tokio::test]
async fn cached_token_adds_no_round_trip_and_a_new_one_adds_one() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let token = alice.with_token(&create(alice, &["read", "write"]).await);
    token.get("/api/groups").await.data(200);
    for path in [group.path(""), group.path("/debts")] {
        let first = token.at(&group.api.another()).get(&path).await.cost;
        for (cost, requests, round_trips) in [
            (alice.get(&path).await.cost, 0, 1),
            (token.get(&path).await.cost, 1, 1),
            (first, 2, 2),
        ] {
            let app = alice.get(&path).await.cost;
            assert_eq!(cost.requests, app.requests + requests, "{path}");
            assert_eq!(cost.round_trips, round_trips, "{path}");
        }
    }
    let tea = json!({ "amount": 4, "description": "Tea" });
    let spent = token.post(&group.path("/expenses"), tea).await;
    assert_eq!((spent.status.as_u16(), spent.cost.round_trips), (201, 2));
    let crowd = json!({ "title": "x", "chatId": 1 });
    assert_eq!(token.post("/api/groups", crowd).await.cost.round_trips, 2);
}

#[tokio::test]
async fn token_neither_renames_its_user_nor_redirects_money() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let token = alice.with_token(&create(alice, &["read", "write"]).await);
    let renamed = group.api.user(1, "Alicia");
    renamed.post(&group.path("/join"), json!({})).await.data(200);
    let before = group.api.rows().await;
    let join = token.post(&group.path("/join"), json!({})).await;
    assert_eq!(join.data(200)["name"], "Alicia");
    for (reply, what) in [
        (token.post(&group.path("/join"), json!({ "wallet": WALLET })).await, "join"),
        (token.post(&group.path("/join"), json!({ "wallet": "x" })).await, "join"),
        (token.put(&group.path("/wallet"), json!({ "wallet": WALLET })).await, "wallet"),
        (token.put(&group.path("/wallet"), json!({})).await, "wallet"),
    ] {
        assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{what}: {}", reply.text);
        assert_eq!(reply.body["message"], "API tokens cannot do this; use the app.");
    }
    let unchanged = |mut rows: std::collections::BTreeMap<_, _>| {
        rows.retain(|(_, sk): &(String, String), _| !sk.starts_with("PAT#"));
        rows
    };
    assert_eq!(unchanged(group.api.rows().await), unchanged(before));

    // A past member is present again under the earlier name.
    renamed.post(&group.path("/leave"), json!({})).await.data(200);
    let back = token.post(&group.path("/join"), json!({})).await;
    assert_eq!(back.data(200)["name"], "Alicia");
    // A new member has the name of the token's creation.
    let bob = &group.members[1];
    let new = json!({ "title": "Flat", "chatId": 1 });
    let flat = bob.post("/api/groups", new).await.data(201)["id"].as_str().unwrap().to_owned();
    let joined = token.post(&format!("/api/groups/{flat}/join"), json!({})).await;
    assert_eq!(
        (&joined.data(200)["name"], &joined.data(200)["wallet"]),
        (&json!("A"), &Value::Null)
    );
}

#[tokio::test]
async fn token_of_a_group_ends_with_the_membership() {
    let group = Group::new(2, "EUR").await;
    let bob = &group.members[1];
    let token = bob.with_token(&create_with(bob, json!({ "groupId": group.id })).await);
    token.get(&group.path("")).await.data(200);
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(token.get(&group.path("")).await.code(), (403, "LEFT"));
}

#[tokio::test]
async fn another_bot_token_ends_all_api_tokens() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let token = alice.with_token(&create(&alice, &["read"]).await);
    token.get("/api/users/me").await.data(200);
    let refused = token.at(&api.of_bot("43:other")).get("/api/users/me").await;
    assert_eq!(refused.code(), (401, "WRONG_BOT"));
    assert_eq!(refused.cost.requests, 0);
}
