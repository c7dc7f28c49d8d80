//! The token of a link that signs a browser in.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};

use super::{TOKENS, create_with};
use crate::harness::{Api, Caller, Group, Reply};

const EXCHANGED: &str = r#"{ "name": "Browser", "scopes": ["read", "write"] }"#;

async fn link(user: &Caller) -> Caller {
    let made = create_with(user, json!({ "name": "Link", "scopes": ["browser"] })).await;
    assert_eq!(made.data(201)["expiresAt"], "2026-01-15T12:10:00.000Z");
    user.with_token(&made)
}

async fn exchange(link: &Caller) -> Reply {
    link.post(TOKENS, serde_json::from_str::<Value>(EXCHANGED).unwrap()).await
}

async fn names(user: &Caller) -> Vec<String> {
    let tokens = user.get(TOKENS).await.data(200).clone();
    let names = tokens.as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[tokio::test]
async fn link_signs_one_browser_in_once() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let first = link(&alice).await;
    let browser = exchange(&first).await;
    assert_eq!(browser.data(201)["expiresAt"], "2026-02-14T12:00:00.000Z");
    let browser = alice.with_token(&browser);
    browser.get("/api/users/me").await.data(200);
    browser.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await.data(201);
    assert_eq!(names(&alice).await, ["Browser"]);

    let before = api.rows().await;
    assert_eq!(exchange(&first).await.code(), (401, "TOKEN_REVOKED"));
    // The token of a browser makes no other.
    assert_eq!(exchange(&browser).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(api.rows().await, before);

    // The next browser replaces it, and nothing else.
    create_with(&alice, json!({ "name": "Browser", "scopes": ["read"] })).await.data(201);
    let second = alice.with_token(&exchange(&link(&alice).await).await);
    second.get("/api/users/me").await.data(200);
    assert_eq!(browser.get("/api/users/me").await.code(), (401, "TOKEN_REVOKED"));
    assert_eq!(names(&alice).await, ["Browser", "Browser"]);
}

#[tokio::test]
async fn of_two_browsers_at_once_one_is_signed_in() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let code = link(&alice).await;
    let (one, other) = tokio::join!(exchange(&code), exchange(&code));
    let mut codes = [one.status.as_u16(), other.status.as_u16()];
    codes.sort_unstable();
    assert_eq!(codes, [201, 401], "{} {}", one.text, other.text);
    // A new link ends the one before.
    let one = link(&alice).await;
    let other = link(&alice).await;
    assert_eq!(exchange(&one).await.code(), (401, "TOKEN_REVOKED"));
    exchange(&other).await.data(201);
    assert_eq!(names(&alice).await, ["Browser"]);
}

#[tokio::test]
async fn link_allows_nothing_else_and_ends_after_ten_minutes() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let code = link(alice).await;
    let before = group.api.rows().await;
    for (method, path) in [
        (Method::GET, "/api/users/me".to_owned()),
        (Method::GET, TOKENS.to_owned()),
        (Method::POST, group.path("/expenses")),
        (Method::POST, group.path("/expenses/preview")),
        (Method::GET, format!("/screens/groups/{}", group.id)),
    ] {
        let refused = code.call(method, &path, Some(&json!({}))).await;
        assert_eq!(refused.code(), (403, "INSUFFICIENT_SCOPE"), "{path}: {}", refused.text);
    }
    assert_eq!(group.api.rows().await, before);
    group.api.pass(Duration::from_mins(10));
    assert_eq!(exchange(&code).await.code(), (401, "TOKEN_REVOKED"));
    // It is not listed as an expired token is, so it takes no place.
    assert!(names(alice).await.is_empty());
}

#[tokio::test]
async fn link_is_neither_long_nor_mixed_nor_made_by_a_link() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let refused = |fields: Value, field: &'static str| async move {
        let reply = create_with(alice, fields).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{}", reply.text);
        assert_eq!(reply.body["details"][0]["path"], field, "{}", reply.text);
    };
    refused(json!({ "name": "x", "scopes": ["browser", "read"] }), "scopes").await;
    let of_group = json!({ "name": "x", "scopes": ["browser"], "groupId": group.id });
    refused(of_group, "scopes").await;
    let long =
        json!({ "name": "x", "scopes": ["browser"], "expiresAt": "2026-01-15T12:10:00.001Z" });
    refused(long, "expiresAt").await;
    let code = link(alice).await;
    let another = json!({ "name": "x", "scopes": ["browser"] });
    assert_eq!(code.post(TOKENS, another).await.code(), (400, "VALIDATION_ERROR"));
    let long = json!({ "name": "x", "scopes": ["read"], "expiresAt": "2026-02-14T12:00:00.001Z" });
    assert_eq!(code.post(TOKENS, long).await.code(), (400, "VALIDATION_ERROR"));
    exchange(&code).await.data(201);
}
