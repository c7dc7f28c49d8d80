//! Delete an API token.

use serde_json::json;

use super::{TOKENS, create, create_with, id};
use crate::harness::{Api, Group};

#[tokio::test]
async fn deleted_token_is_refused_by_the_next_request_of_each_process() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let created = create(&alice, &["read"]).await;
    let here = alice.with_token(&created);
    let there = alice.with_token(&created).at(&api.another());
    for token in [&here, &there] {
        token.get("/api/users/me").await.data(200);
    }
    let path = format!("{TOKENS}/{}", id(&created));
    let deleted = alice.delete(&path).await;
    assert_eq!(*deleted.data(200), json!({ "id": id(&created) }));
    assert_eq!(deleted.body["message"], "API token deleted");
    let before = api.rows().await;
    for token in [&here, &there, &here] {
        let refused = token.get("/api/users/me").await;
        assert_eq!(refused.code(), (401, "TOKEN_REVOKED"));
        let challenge = refused.header("www-authenticate");
        assert_eq!(challenge, Some("Bearer error=\"invalid_token\""));
        let message = "The API token was deleted or has expired; create another one.";
        assert_eq!(refused.body["message"], message);
    }
    assert_eq!(alice.delete(&path).await.code(), (404, "TOKEN_NOT_FOUND"));
    assert_eq!(api.rows().await, before);
}

#[tokio::test]
async fn token_deletes_itself_but_no_other() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let other = create(alice, &["read", "write"]).await;
    for fields in [
        json!({ "scopes": ["read"] }),
        json!({ "scopes": ["write"] }),
        json!({ "scopes": ["read"], "groupId": group.id }),
    ] {
        let created = create_with(alice, fields.clone()).await;
        let token = alice.with_token(&created);
        let refused = token.delete(&format!("{TOKENS}/{}", id(&other))).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"), "{fields}");
        let path = format!("{TOKENS}/{}", id(&created));
        token.delete(&path).await.data(200);
        assert_eq!(token.delete(&path).await.code(), (401, "TOKEN_REVOKED"), "{fields}");
    }
    let foreign = bob.delete(&format!("{TOKENS}/{}", id(&other))).await;
    assert_eq!(foreign.code(), (404, "TOKEN_NOT_FOUND"));
    alice.with_token(&other).get("/api/users/me").await.data(200);
}

#[tokio::test]
async fn one_of_concurrent_deletions_succeeds() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let path = format!("{TOKENS}/{}", id(&create(&alice, &["read"]).await));
    let replies = futures_util::future::join_all((0..6).map(|_| alice.delete(&path))).await;
    let mut codes: Vec<_> = replies.iter().map(|reply| reply.status.as_u16()).collect();
    codes.sort_unstable();
    assert_eq!(codes, [200, 404, 404, 404, 404, 404]);
}
