//! Idempotency keys: a repeated request gets the first response, and writes nothing.

use std::{collections::HashMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use fracti_tests::database::TABLE;
use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Api, Group};

#[tokio::test]
async fn reused_idempotency_key_replays_the_first_response() {
    let api = Api::new().await;
    let [alice, bob] = [api.user(1, "Alice"), api.user(2, "Bob")];
    let new = json!({ "title": "Alps", "chatId": 1, "currency": "EUR" });
    let group = alice.post_once("k", "/api/groups", new.clone()).await;
    let id = group.data(201)["id"].as_str().unwrap().to_owned();
    let path = |rest: &str| format!("/api/groups/{id}{rest}");
    let hash = "c".repeat(64);
    for (caller, path, body, status) in [
        (&alice, "/api/groups".to_owned(), new, 201),
        (&bob, path("/join"), json!({}), 200),
        (&alice, path("/members"), json!({ "name": "Grandma" }), 201),
        (&bob, path("/leave"), json!({}), 200),
        (&alice, path("/members/2/restore"), json!({}), 200),
        (&alice, path("/expenses"), json!({ "amount": 10, "description": "Hut" }), 201),
        (&bob, path("/settlements"), json!({ "toId": "1", "amount": 1, "txHash": hash }), 201),
        (&alice, path("/settlements"), json!({ "fromId": "2", "toId": "1", "amount": 2 }), 201),
    ] {
        // The first request was sent above.
        let first = caller.post_once("k2", &path, body.clone()).await;
        first.data(status);
        assert_eq!(first.header("idempotent-replayed"), None, "{path}");
        let before = api.rows().await;
        let again = caller.post_once("k2", &path, body.clone()).await;
        assert_eq!((again.status, &again.text), (first.status, &first.text));
        assert_eq!(again.header("idempotent-replayed"), Some("true"), "{path}");

        let mut other = body.clone();
        other["note"] = json!("another body");
        let reused = caller.post_once("k2", &path, other).await;
        let has_left = path.ends_with("/leave");
        let refusal = if has_left { (403, "LEFT") } else { (422, "IDEMPOTENCY_KEY_REUSED") };
        assert_eq!(reused.code(), refusal, "{path}");
        assert_eq!(api.rows().await, before, "{path}");
        if path.ends_with("/settlements") && caller.id == "2" {
            api.pass(Duration::from_hours(20));
        }
    }
    let replayed = alice
        .post_once("k", "/api/groups", json!({ "title": "Alps", "chatId": 1, "currency": "EUR" }))
        .await;
    assert_eq!(replayed.data(201), group.data(201));
    api.verify(&id).await;
}

#[tokio::test]
async fn idempotency_keys_are_separate_for_each_user() {
    let api = Api::new().await;
    let [first, second] = [Group::of(&api, 2, "EUR").await, Group::of(&api, 2, "EUR").await];
    let body = json!({ "amount": 10, "description": "Hut" });
    let made = first.members[0].post_once("k", &first.path("/expenses"), body.clone()).await;
    let others = first.members[1].post_once("k", &first.path("/expenses"), body.clone()).await;
    assert_ne!(made.data(201)["id"], others.data(201)["id"]);
    let elsewhere = first.members[0].post_once("k", &second.path("/expenses"), body.clone()).await;
    assert_eq!(elsewhere.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    let settled = first.members[0]
        .post_once("k", &first.path("/settlements"), json!({ "toId": "2", "amount": 1 }))
        .await;
    settled.data(201);
    let stranger = api.user(9, "Eve").post_once("k", &first.path("/expenses"), body).await;
    assert_eq!(stranger.code(), (403, "NOT_A_MEMBER"));
}

#[tokio::test]
async fn refused_request_can_be_repeated_with_its_key() {
    let group = Group::new(2, "EUR").await;
    let path = group.path("/expenses");
    let body = json!({ "amount": 10, "description": "Hut", "payerId": "3" });
    let refused = group.members[0].post_once("k", &path, body.clone()).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    group.api.user(3, "C").post(&group.path("/join"), json!({})).await.data(200);
    let accepted = group.members[0].post_once("k", &path, body.clone()).await;
    assert_eq!(accepted.header("idempotent-replayed"), None);
    let again = group.members[0].post_once("k", &path, body).await;
    assert_eq!(again.data(201), accepted.data(201));
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);
    group.verify().await;
}

#[tokio::test]
async fn concurrent_requests_with_one_key_are_done_once() {
    let group = Group::new(2, "EUR").await;
    for (path, body) in [
        (group.path("/expenses"), json!({ "amount": 10, "description": "Hut" })),
        (group.path("/settlements"), json!({ "toId": "2", "amount": 1, "txHash": "d".repeat(64) })),
        ("/api/groups".to_owned(), json!({ "title": "Two", "chatId": 2 })),
    ] {
        let mut posts = JoinSet::new();
        for _ in 0..10 {
            let caller = group.members[0].clone();
            let path = path.clone();
            let body = body.clone();
            posts.spawn(async move { caller.post_once("same", &path, body).await });
        }
        let replies = posts.join_all().await;
        let fresh =
            replies.iter().filter(|reply| reply.header("idempotent-replayed").is_none()).count();
        assert_eq!(fresh, 1, "{path}");
        assert!(replies.iter().all(|reply| reply.data(201) == replies[0].data(201)), "{path}");
    }
    let debts = group.debts().await;
    assert_eq!(debts["summary"]["expenseCount"], 1);
    assert_eq!(group.members[0].get("/api/groups").await.data(200).as_array().unwrap().len(), 2);
    group.verify().await;
}

#[tokio::test]
async fn idempotency_key_expires_after_a_day() {
    let group = Group::new(1, "EUR").await;
    let body = json!({ "amount": 10, "description": "Hut" });
    let path = group.path("/expenses");
    let first = group.members[0].post_once("k", &path, body.clone()).await.data(201)["id"].clone();
    group.api.pass(Duration::from_hours(24));
    let caller = group.api.user(1, "A");
    let same = caller.post_once("k", &path, body.clone()).await.data(201)["id"].clone();
    group.api.pass(Duration::from_secs(1));
    let new = caller.post_once("k", &path, body).await.data(201)["id"].clone();
    assert_eq!((same == first, new == first), (true, false));
    group.verify().await;
}

/// Earlier releases stored how far a push or a revert had come, instead of its response.
#[tokio::test]
async fn stored_result_of_an_earlier_release_is_not_carried_out_again() {
    let group = Group::new(2, "EUR").await;
    let entries = group.path("/ledger/entries");
    let changes = json!([{ "userId": "1", "amount": 5 }, { "userId": "2", "amount": -5 }]);
    let body = json!([{ "entryId": "opening", "changes": changes }]);
    group.members[0].post_once("k", &entries, body.clone()).await.data(200);
    let rows = group.api.rows().await;
    let is_stored = |pk: &str, sk: &str| pk == "IDEM#1" && sk.starts_with("push-entries#");
    let row = rows.into_iter().find(|((pk, sk), _)| is_stored(pk, sk)).unwrap().1;
    let mut row: HashMap<_, _> = row.into_iter().collect();
    row.remove("response").unwrap();
    let effects = AttributeValue::L(vec![AttributeValue::N("0".to_owned())]);
    row.insert("effects".to_owned(), effects);
    let put = group.api.client.put_item().table_name(TABLE).set_item(Some(row));
    put.send().await.unwrap();
    group.members[1].call(Method::DELETE, &entries, Some(&json!(["opening"]))).await.data(200);

    let before = group.api.rows().await;
    let again = group.members[0].post_once("k", &entries, body).await;
    assert_eq!(again.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(group.api.rows().await, before);
    assert_eq!(group.balances().await, ["0", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn stored_join_is_replayed_only_to_a_member_and_stored_leave_only_to_who_left_by_it() {
    let group = Group::new(2, "EUR").await;
    let carol = group.api.user(3, "C");
    let send = async |path: &str| {
        group.api.pass(Duration::from_secs(1));
        let reply = carol.post_once("k", &group.path(path), json!({})).await;
        (reply.status.as_u16(), reply.header("idempotent-replayed").is_some())
    };
    let is_member = async || carol.get(&group.path("")).await.status == 200;
    for round in 0..2 {
        for (path, member) in [("/join", true), ("/leave", false)] {
            assert_eq!(send(path).await, (200, false), "{path}, {round}");
            assert_eq!(is_member().await, member, "{path}, {round}");
            assert_eq!(send(path).await, (200, true), "{path}, {round}");
        }
    }
    // The stored leave is of the last departure, and the other key of one before it.
    carol.post_once("other", &group.path("/join"), json!({})).await.data(200);
    let removed = group.members[0].delete(&group.path("/members/3")).await;
    removed.data(200);
    let refused = carol.post_once("other", &group.path("/join"), json!({})).await;
    assert_eq!(refused.code(), (403, "REMOVED"));
    assert_eq!(send("/join").await.0, 403);
    assert_eq!(send("/leave").await.0, 403);
    group.verify().await;
}
