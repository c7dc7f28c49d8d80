//! List the API tokens of a user.

use std::time::Duration;

use serde_json::json;

use super::{TOKENS, create, create_with, id};
use crate::harness::Api;

#[tokio::test]
async fn tokens_are_listed_in_pages_newest_first_to_their_user_only() {
    let api = Api::new().await;
    let [alice, bob] = [api.user(1, "Alice"), api.user(2, "Bob")];
    let mut ids = Vec::new();
    for _ in 0..5 {
        api.pass(Duration::from_millis(1));
        ids.push(json!(id(&create(&alice, &["read"]).await)));
    }
    create(&bob, &["read"]).await.data(201);
    ids.reverse();
    let listed = alice.pages(TOKENS, 2).await;
    assert_eq!(listed.into_iter().map(|token| token["id"].clone()).collect::<Vec<_>>(), ids);
}

#[tokio::test]
async fn expired_token_is_listed_for_30_days() {
    let api = Api::new().await;
    let alice = || api.user(1, "Alice");
    let created = create_with(&alice(), json!({ "expiresAt": "2026-01-15T13:00:00Z" })).await;
    let listed = async || alice().get(TOKENS).await.data(200).as_array().unwrap().len();
    api.pass(Duration::from_hours(30 * 24));
    assert_eq!(listed().await, 1);
    let refused = alice().with_token(&created).get("/api/users/me").await;
    assert_eq!(refused.code(), (401, "TOKEN_REVOKED"));
    api.pass(Duration::from_hours(1));
    assert_eq!(listed().await, 0);
}

#[tokio::test]
async fn use_of_a_token_is_noted_once_a_day() {
    let api = Api::new().await;
    let alice = || api.user(1, "Alice");
    let created = create(&alice(), &["read"]).await;
    let noted = async || alice().get(TOKENS).await.data(200)[0]["lastUsedAt"].clone();
    assert_eq!(noted().await, json!(null));
    let token = alice().with_token(&created);
    for (day, writes) in [("2026-01-15", true), ("2026-01-15", false)] {
        let used = token.get("/api/groups").await;
        assert_eq!(used.cost.write_units > 0.0, writes, "{}", used.cost);
        assert_eq!(noted().await, day);
    }
    api.pass(Duration::from_hours(12));
    for writes in [true, false] {
        let used = token.get("/api/groups").await;
        assert_eq!(used.cost.write_units > 0.0, writes, "{}", used.cost);
    }
    assert_eq!(noted().await, "2026-01-16");
}
