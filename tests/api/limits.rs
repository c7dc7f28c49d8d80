//! The limits of DynamoDB that a request could reach: the API refuses the request first, by a limit
//! of its own that the message names, and accepts the largest request below it.
//!
//! `largest.rs` measures how near the largest groups come to the limits.
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use fracti_core::storage::keys;
use serde_json::{Value, json};

use crate::{
    harness::{Group, Reply},
    quotas::quotas,
};

/// A request just beyond a limit.
struct Case {
    limit: &'static str,
    reply: Reply,
    status: u16,
    code: &'static str,
    /// Text of the message or of its first detail.
    rule: &'static str,
}

impl Case {
    fn check(&self) {
        let Self { limit, reply, .. } = self;
        assert_eq!(reply.code(), (self.status, self.code), "{limit}: {}", reply.text);
        assert!(reply.text.contains(self.rule), "{limit}: {}", reply.text);
    }
}

fn change(user: &str, amount: &str) -> Value {
    json!({ "userId": user, "amount": amount })
}

/// An adjustment that moves an amount from the second member to the first.
fn adjustment(name: &str, amount: &str) -> Value {
    json!({ "entryId": name, "changes": [change("1", amount), change("2", &format!("-{amount}"))] })
}

#[tokio::test]
async fn two_actions_never_meet_on_one_row() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let entries = group.path("/ledger/entries");
    let twice = json!([adjustment("a", "1"), adjustment("a", "1"), adjustment("b", "1")]);
    let pushed = alice.post(&entries, twice).await;
    assert_eq!(pushed.data(200)["applied"].as_array().unwrap().len(), 2);
    assert_eq!(pushed.data(200)["nonApplied"][0]["code"], "ENTRY_EXISTS");
    let reverted = alice.call(Method::DELETE, &entries, Some(&json!(["a", "a", "b"]))).await;
    assert_eq!(reverted.data(200)["applied"].as_array().unwrap().len(), 2);
    assert_eq!(reverted.data(200)["nonApplied"].as_array().unwrap().len(), 1);

    let one = |user: &str| json!({ "userId": user, "amount": 1 });
    let both = json!({ "amount": 2, "description": "x", "splitType": "exact",
        "splits": [one("2"), one("2")] });
    let same = json!([{ "entryId": "c", "changes": [change("1", "1"), change("1", "-1")] }]);
    let hash = "ab".repeat(32);
    let pays = json!({ "fromId": "1", "toId": "2", "amount": 1, "txHash": hash });
    alice.post(&group.path("/settlements"), pays.clone()).await.data(201);
    for (limit, path, body, status, code, rule) in [
        ("a share twice", "/expenses", both, 400, "VALIDATION_ERROR", "splits[1].userId"),
        ("a member twice", "/ledger/entries", same, 400, "VALIDATION_ERROR", "[0].changes[1]"),
        (
            "a member pays themselves",
            "/settlements",
            json!({ "fromId": "1", "toId": "1", "amount": 1 }),
            400,
            "VALIDATION_ERROR",
            "toId",
        ),
        ("a transaction hash twice", "/settlements", pays, 409, "TX_HASH_USED", "txHash is"),
    ] {
        let reply = alice.post(&group.path(path), body).await;
        Case { limit, reply, status, code, rule }.check();
    }
    group.verify().await;
}

#[tokio::test]
async fn keys_are_neither_empty_nor_longer_than_dynamodb_allows() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let new = |chat: &str| json!({ "title": "x", "chatId": chat });
    let entry = |name: &str| json!([adjustment(name, "1")]);
    let pays = |hash: &str| json!({ "fromId": "1", "toId": "2", "amount": 1, "txHash": hash });
    let invalid = (400, "VALIDATION_ERROR");
    let groups = "/api/groups".to_owned();
    let entries = group.path("/ledger/entries");
    let settlements = group.path("/settlements");
    let mut cases = Vec::new();
    for text in [String::new(), "x".repeat(65), "é".repeat(1025), "x".repeat(2049)] {
        for (path, body, rule) in [
            (&groups, new(&text), "chatId must"),
            (&entries, entry(&text), "entryId must"),
            (&settlements, pays(&text), "txHash must"),
        ] {
            cases.push((alice.post(path, body).await, invalid, rule));
        }
        let named = group.path(&format!("/ledger/entries/{}", "x".repeat(text.len())));
        if !text.is_empty() {
            cases.push((alice.get(&named).await, invalid, "entryId must"));
            let path = format!("/api/groups/{}", "x".repeat(text.len()));
            cases.push((alice.get(&path).await, invalid, "groupId must"));
        }
    }
    let key = "k".repeat(256);
    cases.push((
        alice.post_once(&key, "/api/groups", new("7")).await,
        invalid,
        "Idempotency-Key must",
    ));
    let cursor = format!("{}?cursor={}", group.path("/expenses"), "x".repeat(3000));
    cases.push((alice.get(&cursor).await, (400, "INVALID_CURSOR"), "ursor must"));
    for (reply, (status, code), rule) in cases {
        Case { limit: "a key", reply, status, code, rule }.check();
    }
    assert_eq!(group.api.rows().await, before);

    let [longest, key] = ["x".repeat(64), "k".repeat(255)];
    alice.post_once(&key, "/api/groups", new(&longest)).await.data(201);
    alice.post(&entries, entry(&"😀".repeat(64))).await.data(200);
    let named = group.path(&format!("/ledger/entries/{}", "%F0%9F%98%80".repeat(64)));
    alice.get(&named).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn numbers_have_no_more_digits_than_dynamodb_keeps() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let digits = "9".repeat(39);
    for amount in [digits.clone(), format!("0.{digits}"), "1e126".to_owned(), "1e-131".to_owned()] {
        let expense = format!(r#"{{ "amount": {amount}, "description": "x" }}"#);
        let settlement = format!(r#"{{ "fromId": "1", "toId": "2", "amount": {amount} }}"#);
        let entry = format!(
            r#"[{{ "entryId": "a", "changes": [{{ "userId": "1", "amount": {amount} }}] }}]"#
        );
        for (path, body) in
            [("/expenses", expense), ("/settlements", settlement), ("/ledger/entries", entry)]
        {
            let reply = alice.post_text(&group.path(path), &body).await;
            let status = 400;
            let code = "VALIDATION_ERROR";
            Case { limit: "digits", reply, status, code, rule: "amount must" }.check();
        }
    }
    let chat = format!(r#"{{ "title": "x", "chatId": {digits} }}"#);
    let reply = alice.post_text("/api/groups", &chat).await;
    let status = 400;
    let code = "VALIDATION_ERROR";
    Case { limit: "digits", reply, status, code, rule: "chatId must" }.check();
    assert_eq!(group.api.rows().await, before);

    let most = format!(r#"{{ "amount": {}.07, "description": "x" }}"#, i64::MAX / 100);
    alice.post_text(&group.path("/expenses"), &most).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn a_transaction_has_no_more_actions_than_dynamodb_allows() {
    let group = Group::new(46, "EUR").await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let all = json!({ "amount": 46, "description": "x" });
    let reply = alice.post(&group.path("/expenses"), all).await;
    Case { limit: "actions", reply, status: 422, code: "TOO_MANY_SPLITS", rule: "45" }.check();
    let named = |count: usize| {
        let names = (0..count).map(|name| name.to_string());
        json!(names.collect::<Vec<_>>())
    };
    let entries = group.path("/ledger/entries");
    let reply = alice.call(Method::DELETE, &entries, Some(&named(31))).await;
    Case { limit: "entries", reply, status: 400, code: "VALIDATION_ERROR", rule: "30" }.check();
    let changes: Vec<_> = (1..=501).map(|user| change(&user.to_string(), "1")).collect();
    let wide = json!([{ "entryId": "wide", "changes": changes }]);
    let reply = alice.post(&entries, wide).await;
    Case { limit: "changes", reply, status: 400, code: "VALIDATION_ERROR", rule: "500" }.check();
    let long = json!({ "amount": 1, "description": "x".repeat(70_000) });
    let reply = alice.post(&group.path("/expenses"), long).await;
    Case { limit: "a body", reply, status: 413, code: "PAYLOAD_TOO_LARGE", rule: "64" }.check();
    assert_eq!(group.api.rows().await, before);

    alice.call(Method::DELETE, &entries, Some(&named(30))).await.data(200);
    // expenses/edit.rs edits the largest expense in everything.
}

#[tokio::test]
async fn refusal_for_a_limit_names_it() {
    let group = Group::new(46, "EUR").await;
    let alice = &group.members[0];
    let expenses = group.path("/expenses");
    let tea = |description: &str| json!({ "amount": 46, "description": description });
    let token = json!({ "name": "x", "scopes": ["read"] });
    let tokens = "/api/users/me/tokens";
    for _ in 0..20 {
        alice.post(tokens, token.clone()).await.data(201);
    }
    let full = AttributeValue::N("500".to_owned());
    group.api.set_attribute(keys::group(group.id.parse().unwrap()), "memberCount", full).await;
    let hasty = alice.with_quotas(quotas(1, 1));
    hasty.get(&expenses).await.data(200);
    hasty.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await.data(201);
    for (reply, code, limit) in [
        (alice.post(&expenses, tea("x")).await, (422, "TOO_MANY_SPLITS"), "shares"),
        (
            alice.post(&expenses, tea(&"x".repeat(70_000))).await,
            (413, "PAYLOAD_TOO_LARGE"),
            "bodySize",
        ),
        (alice.post(tokens, token).await, (422, "TOO_MANY_TOKENS"), "tokens"),
        (
            group.api.user(47, "New").post(&group.path("/join"), json!({})).await,
            (422, "TOO_MANY_MEMBERS"),
            "members",
        ),
        (hasty.get(&expenses).await, (429, "RATE_LIMITED"), "dailyReads"),
        (hasty.post(&expenses, tea("x")).await, (429, "RATE_LIMITED"), "dailyWrites"),
    ] {
        assert_eq!(reply.code(), code, "{}", reply.text);
        let details = reply.body["details"].as_array().unwrap();
        assert_eq!(details[0]["limit"], limit, "{}", reply.text);
        assert!(details[1..].iter().all(|it| it.get("limit").is_none()), "{}", reply.text);
    }
}
