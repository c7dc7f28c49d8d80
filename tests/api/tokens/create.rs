//! Create an API token.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{TOKENS, create, create_with, id};
use crate::harness::{Api, Group};

#[tokio::test]
async fn token_is_shown_once_and_stored_only_as_its_hash() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let created = create(&alice, &["write"]).await;
    let token = created.data(201)["token"].as_str().unwrap().to_owned();
    let digits = token.strip_prefix("fracti_pat_").unwrap();
    assert_eq!(digits.len(), 64);
    assert!(digits.bytes().all(|it| it.is_ascii_digit() || (b'a'..=b'f').contains(&it)), "{token}");

    let listed = alice.get(TOKENS).await;
    let mut expected = created.data(201).clone();
    expected.as_object_mut().unwrap().remove("token");
    assert_eq!(*listed.data(200), json!([expected]));
    let new = json!({ "title": "x", "chatId": 1 });
    let used = alice.with_token(&created).post("/api/groups", new).await;
    used.data(201);
    for reply in [&created, &listed, &used] {
        assert!(!reply.log.contains(digits), "{}", reply.log);
    }
    assert!(used.log.contains(id(&created)), "the log names the token by its id: {}", used.log);

    let rows = api.rows().await;
    let shown = format!("{rows:?}");
    assert!(!shown.contains(digits) && !shown.contains(&token), "{shown}");
    let row = &rows[&("USER#1".to_owned(), format!("PAT#{}", id(&created)))];
    let text = |name: &str| row[name].as_s().unwrap().clone();
    let hash = hex::encode(<sha2::Sha256 as sha2::Digest>::digest(&token));
    assert_eq!((text("GSI1PK"), text("GSI1SK")), (format!("PATHASH#{hash}"), "METADATA".into()));
    assert_eq!(row["formatVersion"].as_n().unwrap(), "4");
    assert!(!row.contains_key("GSI3PK"));
}

#[tokio::test]
async fn response_describes_the_token() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let fields = json!({ "name": "Bot", "scopes": ["read"], "groupId": group.id,
        "expiresAt": "2026-01-15T13:00:00+01:00" });
    let past = create_with(alice, fields.clone()).await;
    assert_eq!(past.code(), (400, "VALIDATION_ERROR"), "{}", past.text);
    let mut fields = fields;
    fields["expiresAt"] = json!("2026-01-15T13:00:00.001+01:00");
    let created = create_with(alice, fields).await;
    let mut data = created.data(201).clone();
    let removed = ["id", "token"].map(|name| data.as_object_mut().unwrap().remove(name).unwrap());
    assert!(removed.iter().all(Value::is_string));
    let expected = json!({ "name": "Bot", "scopes": ["read"], "groupId": group.id,
        "createdAt": "2026-01-15T12:00:00.000Z", "expiresAt": "2026-01-15T12:00:00.001Z" });
    assert_eq!(data, expected);
}

#[tokio::test]
async fn replayed_response_has_no_token() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let new = json!({ "name": "Phone", "scopes": ["read"] });
    let first = alice.post_once("key", TOKENS, new.clone()).await;
    let before = api.rows().await;
    let again = alice.post_once("key", TOKENS, new.clone()).await;
    let mut expected = first.data(201).clone();
    assert!(expected.as_object_mut().unwrap().remove("token").is_some());
    assert_eq!(*again.data(201), expected);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(api.rows().await, before);
    let other = json!({ "name": "Phone", "scopes": ["write"] });
    let reused = alice.post_once("key", TOKENS, other).await;
    assert_eq!(reused.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    alice.with_token(&first).get("/api/users/me").await.data(200);

    let concurrent = (0..8).map(|_| alice.post_once("race", TOKENS, new.clone()));
    let replies = futures_util::future::join_all(concurrent).await;
    let with_token = replies.iter().filter(|it| it.data(201)["token"].is_string());
    assert_eq!(with_token.count(), 1);
    assert_eq!(alice.get(TOKENS).await.data(200).as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn user_has_at_most_20_tokens() {
    let api = Api::new().await;
    let [alice, bob] = [api.user(1, "Alice"), api.user(2, "Bob")];
    let mut last = None;
    for _ in 0..20 {
        last = Some(create(&alice, &["read"]).await);
    }
    let before = api.rows().await;
    assert_eq!(create(&alice, &["read"]).await.code(), (422, "TOO_MANY_TOKENS"));
    assert_eq!(api.rows().await, before);
    create(&bob, &["read"]).await.data(201);
    alice.delete(&format!("{TOKENS}/{}", id(&last.unwrap()))).await.data(200);
    create(&alice, &["read"]).await.data(201);
}

#[tokio::test]
async fn expired_tokens_count_until_they_are_not_listed_any_more() {
    let api = Api::new().await;
    let alice = || api.user(1, "Alice");
    for _ in 0..20 {
        create_with(&alice(), json!({ "expiresAt": "2026-01-15T12:00:01Z" })).await.data(201);
    }
    api.pass(Duration::from_hours(24));
    assert_eq!(create(&alice(), &["read"]).await.code(), (422, "TOO_MANY_TOKENS"));
    api.pass(Duration::from_hours(30 * 24));
    create(&alice(), &["read"]).await.data(201);
    assert_eq!(alice().get(TOKENS).await.data(200).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn group_of_a_token_must_be_one_of_its_creator() {
    let group = Group::new(1, "EUR").await;
    let stranger = group.api.user(9, "Eve");
    let before = group.api.rows().await;
    let refused = create_with(&stranger, json!({ "groupId": group.id })).await;
    assert_eq!(refused.code(), (403, "NOT_A_MEMBER"));
    let unknown = json!({ "groupId": "0190a1b2-0000-7000-8000-000000000001" });
    assert_eq!(create_with(&stranger, unknown).await.code(), (404, "GROUP_NOT_FOUND"));
    assert_eq!(group.api.rows().await, before);
    let path = |rest: &str| group.path(rest);
    stranger.post(&path("/join"), json!({})).await.data(200);
    stranger.post(&path("/leave"), json!({})).await.data(200);
    let of_group = || json!({ "groupId": group.id });
    assert_eq!(create_with(&stranger, of_group()).await.code(), (403, "LEFT"));
    group.members[0].delete(&path("/members/9")).await.data(200);
    assert_eq!(create_with(&stranger, of_group()).await.code(), (403, "REMOVED"));
}

#[tokio::test]
async fn bad_input_is_refused_by_field() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for (fields, path, rule) in [
        (json!({ "name": "" }), "name", "name must have 1 to 100 characters"),
        (json!({ "name": "x".repeat(101) }), "name", "name must have 1 to 100 characters"),
        (json!({ "name": "two\nlines" }), "name", "name must have 1 to 100 characters"),
        (json!({ "name": null }), "name", "name is required"),
        (json!({ "scopes": [] }), "scopes", "scopes must not be empty"),
        (json!({ "scopes": null }), "scopes", "scopes is required"),
        (json!({ "scopes": "read" }), "scopes", "scopes must be an array"),
        (json!({ "scopes": ["read", "read"] }), "scopes[1]", "scopes[1] must not be repeated"),
        (json!({ "scopes": ["read", "write", "read"] }), "scopes", "at most 2 items"),
        (json!({ "scopes": ["admin"] }), "scopes[0]", "must be one of read, write"),
        (json!({ "scopes": ["READ"] }), "scopes[0]", "must be one of read, write"),
        (json!({ "groupId": "x" }), "groupId", "groupId must be a UUID"),
        (json!({ "expiresAt": "2026-01-15T12:00:00Z" }), "expiresAt", "must be in the future"),
        (json!({ "expiresAt": "tomorrow" }), "expiresAt", "RFC 3339"),
        (json!({ "token": "fracti_pat_00" }), "token", "unknown field token"),
        (json!({ "ttl": 1 }), "ttl", "unknown field ttl"),
    ] {
        let reply = create_with(&alice, fields.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{fields}: {}", reply.text);
        let detail = &reply.body["details"][0];
        assert_eq!(detail["path"], path, "{fields}: {}", reply.text);
        assert!(detail["message"].as_str().unwrap().contains(rule), "{fields}: {}", reply.text);
    }
    assert!(api.rows().await.is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_at_once_do_not_exceed_the_limit() {
    let api = Api::new().await;
    let requests: JoinSet<_> = (0..40)
        .map(|_| {
            let alice = api.another().user(1, "Alice");
            async move { create(&alice, &["write"]).await }
        })
        .collect();
    let replies = requests.join_all().await;
    let alice = api.user(1, "Alice");
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    for reply in replies.iter().filter(|reply| reply.status != 201) {
        let code = reply.code();
        assert!([(422, "TOO_MANY_TOKENS"), (409, "CONFLICT")].contains(&code), "{}", reply.text);
    }
    let listed = alice.get(TOKENS).await.data(200).as_array().unwrap().len();
    assert_eq!(listed, made);
    assert!(made <= 20, "{made}");
    while create(&alice, &["write"]).await.status == 201 {}
    assert_eq!(alice.get(TOKENS).await.data(200).as_array().unwrap().len(), 20);
}
