//! Privacy of the log: it contains no headers, names, keys or signatures of a request.
//!
//! The log of the whole suite is checked: the harness passes the log of each request to
//! [`Secrets::check`]. It has level `info` like a deployed function, and `trace` for our own
//! crates.

use std::collections::{BTreeMap, BTreeSet};

use aws_sdk_dynamodb::{Client, config::retry::RetryConfig, types::AttributeValue};
use axum::http::Method;
use fracti_runtime::local_dynamodb;
use fracti_store::Table;
use fracti_tests::operations::{Ids, Operation, operation, operations};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::harness::{Api, Caller, Reply, TOKEN};

/// The state of the table.
#[derive(Clone, Copy, Debug)]
enum State {
    Well,
    Missing,
    Unreachable,
    /// Each row has an invalid attribute.
    Broken,
}

/// Unique texts: names, titles, descriptions, wallets, hashes.
const NAME: &str = "Xanthippe";
const TITLE: &str = "Kilimanjaro";
const DESCRIPTION: &str = "Fondue-Abend";
const WALLET: &str = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";
const TX_HASH: &str = "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210";
const KEY: &str = "key-of-idempotency";
const ROW: &str = "text-of-a-row";

/// Sends every kind of request, valid and invalid.
async fn everything(caller: &Caller, group: &str, [expense, settlement]: [&str; 2]) -> Vec<Reply> {
    let at = |rest: &str| format!("/api/groups/{group}{rest}");
    let mut replies = Vec::new();
    let unknown = "0190a1b2-0000-7000-8000-000000000001";
    let ids = [
        ("alice", "1"),
        ("bob", "2"),
        ("groupId", group),
        ("expenseId", expense),
        ("settlementId", settlement),
        ("entryId", NAME),
        ("importId", unknown),
        ("questionId", unknown),
        ("scheduleId", unknown),
        ("transactionId", unknown),
        ("spendingId", "2026-01-15T12:00:00.000Z~0"),
        ("date", "2026-01-15"),
    ];
    let ids: Ids = ids.map(|(name, id)| (name, id.to_owned())).into();
    let reads = operations().into_iter().filter(|it| it.reads() && it.id != "getOpenApiDocument");
    let first = |it: Operation| if it.id.starts_with("list") { it.asks("limit=1") } else { it };
    let others = [
        operation("getDebts").asks("verify=true"),
        operation("getLedgerBalance").asks("at=2026-01-15T11:00:00Z"),
        operation("getGroupStats").asks("from=2026-01-01&to=2026-01-31"),
    ];
    for path in reads.map(first).chain(others).map(|it| it.path(&ids)) {
        let page = caller.get(&path).await;
        if let Some(cursor) = page.body["pagination"]["nextCursor"].as_str() {
            replies.push(caller.get(&format!("{path}&cursor={cursor}")).await);
            // A cursor of another list, which is refused.
            replies.push(caller.get(&format!("{path}&cursor=AAAA{cursor}")).await);
        }
        replies.push(page);
        replies.push(caller.with(None).get(&path).await);
    }
    let opening =
        [1, -1].map(|by| json!({ "userId": if by > 0 { "1" } else { "2" }, "amount": by }));
    let opening = json!([{ "entryId": NAME, "note": DESCRIPTION, "changes": opening }]);
    for (path, body) in [
        ("/api/groups".to_owned(), json!({ "title": TITLE, "chatId": TITLE })),
        ("/api/users/me/tokens".to_owned(), json!({ "name": TITLE, "scopes": ["read"] })),
        (at("/join"), json!({ "wallet": WALLET })),
        (at("/members"), json!({ "name": DESCRIPTION })),
        (at("/expenses"), json!({ "amount": 7, "description": DESCRIPTION })),
        (at("/settlements"), json!({ "toId": "2", "amount": 1, "txHash": TX_HASH })),
        (at("/questions"), json!({ "type": "text", "prompt": DESCRIPTION })),
        (at(&format!("/questions/{unknown}/answers")), json!({ "answer": DESCRIPTION })),
        (
            "/api/users/me/funds/credits".to_owned(),
            json!({ "fund": "cash", "currency": "EUR", "amount": 7, "description": DESCRIPTION }),
        ),
        (
            "/api/users/me/funds/debits".to_owned(),
            json!({ "type": "cashout", "currency": "EUR", "amount": 1, "to": WALLET,
                "description": DESCRIPTION }),
        ),
        (at("/ledger/entries"), opening),
        (at("/ledger/entries/revert"), json!([NAME])),
        (at(&format!("/expenses/{expense}/restore")), json!({})),
    ] {
        for body in [body.clone(), body, json!({ "title": 7, "wallet": DESCRIPTION })] {
            replies.push(caller.post_once(KEY, &path, body).await);
        }
        replies.push(caller.post_text(&path, &format!("{{{DESCRIPTION}")).await);
    }
    for (path, body) in [
        (at("/wallet"), json!({ "wallet": WALLET })),
        (at("/wallet"), json!({ "wallet": NAME })),
        (at(&format!("/expenses/{expense}")), json!({ "description": TITLE })),
        (at(&format!("/expenses/{expense}")), json!({ "category": TITLE })),
        (at(&format!("/settlements/{settlement}")), json!({ "txHash": TX_HASH })),
        (at(&format!("/settlements/{settlement}")), json!({ "status": DESCRIPTION })),
    ] {
        replies.push(caller.put(&path, body).await);
    }
    let member = at(&format!("/members/guest-{expense}"));
    replies.push(caller.post(&format!("{member}/link"), json!({ "userId": NAME })).await);
    replies.push(caller.patch(&member, json!({ "name": NAME })).await);
    replies.push(caller.delete(&at(&format!("/expenses/{expense}"))).await);
    replies.push(caller.delete(&at(&format!("/expenses/{settlement}"))).await);
    // A malformed id may be any text that a client puts into the path by mistake.
    replies.push(caller.get(&format!("/api/groups/{KEY}/debts")).await);
    replies.push(caller.get(&at(&format!("/{NAME}"))).await);
    replies.push(caller.call(Method::PATCH, &at(""), Some(&json!({ "title": TITLE }))).await);
    replies
}

#[tokio::test]
async fn log_contains_no_request_or_stored_data() {
    for state in [State::Well, State::Missing, State::Unreachable, State::Broken] {
        let api = Api::new().await;
        let [alice, bob] = [api.user(1, NAME), api.user(2, "Bob")];
        let new = json!({ "title": TITLE, "chatId": 1, "currency": "EUR" });
        let group =
            alice.post("/api/groups", new).await.data(201)["id"].as_str().unwrap().to_owned();
        bob.post(&format!("/api/groups/{group}/join"), json!({})).await.data(200);
        let mut ids = Vec::new();
        for (kind, body) in [
            ("expenses", json!({ "amount": 9, "description": DESCRIPTION })),
            ("settlements", json!({ "toId": "2", "amount": 1 })),
            ("expenses", json!({ "amount": 9, "description": DESCRIPTION })),
            ("settlements", json!({ "toId": "2", "amount": 1 })),
        ] {
            let made = alice.post(&format!("/api/groups/{group}/{kind}"), body).await;
            ids.push(made.data(201)["id"].as_str().unwrap().to_owned());
        }
        let token = json!({ "name": NAME, "scopes": ["read", "write"] });
        let token = alice.post("/api/users/me/tokens", token).await;
        let secret = token.data(201)["token"].as_str().unwrap().to_owned();
        let hash = hex::encode(Sha256::digest(&secret));
        let token = alice.with_token(&token);
        let kept = api.rows().await;
        let there = match state {
            State::Well => api.clone(),
            State::Missing => api.over(Table::new(api.client.clone(), "NoSuchTable")),
            State::Unreachable => api.over(unreachable()),
            State::Broken => {
                spoil(&api).await;
                api.clone()
            }
        };
        let mut replies = everything(&token.at(&there), &group, [&ids[0], &ids[1]]).await;
        replies.extend(everything(&alice.at(&there), &group, [&ids[2], &ids[3]]).await);
        let log: String = replies.iter().map(|reply| reply.log.as_str()).collect();
        assert!(log.lines().count() >= replies.len(), "{state:?}: a line each: {log}");
        let failed = replies.iter().filter(|reply| reply.status.is_server_error());
        let failed: Vec<_> = failed.collect();
        assert_eq!(failed.is_empty(), matches!(state, State::Well), "{state:?}: {log}");
        assert!(failed.iter().all(|reply| reply.log.contains("cause=")), "{state:?}: {log}");
        // Neither as sent, nor as stored.
        let rows: BTreeMap<_, _> = kept.into_iter().chain(api.rows().await).collect();
        for secret in [KEY, TOKEN, &secret, "auth_date", "hash="] {
            assert!(!format!("{rows:?}").contains(secret), "{state:?}: the table keeps {secret}");
        }
        let keys = rows.into_keys().filter(|(pk, _)| pk.starts_with("IDEM#"));
        let hashes: BTreeSet<_> =
            keys.map(|(_, sk)| sk.rsplit_once('#').unwrap().1.to_owned()).collect();
        assert!(!hashes.is_empty() || !matches!(state, State::Well), "{state:?}");
        let request = [NAME, TITLE, DESCRIPTION, WALLET, TX_HASH, KEY, ROW, "auth_date"];
        let words = [&secret, &hash].map(String::as_str).into_iter().chain(request);
        for word in words.chain(hashes.iter().map(String::as_str)) {
            assert!(!log.to_lowercase().contains(&word.to_lowercase()), "{state:?}: {word}: {log}");
        }
    }
}

/// A table behind a closed port.
fn unreachable() -> Table {
    let client = local_dynamodb("http://127.0.0.1:1");
    let config = client.config().to_builder().retry_config(RetryConfig::disabled()).build();
    Table::new(Client::from_conf(config), "FractiTable")
}

/// Makes every row unreadable, with a text of its own in it.
async fn spoil(api: &Api) {
    for mut row in api.rows().await.into_values() {
        for (name, value) in &mut row {
            let key = name.ends_with("PK") || name.ends_with("SK");
            if !key {
                *value = AttributeValue::S(ROW.to_owned());
            }
        }
        let put = api.client.put_item().table_name("FractiTable");
        put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
    }
}

#[test]
fn template_keeps_the_log_level_at_info() {
    // At lower levels, Lambda's runtime and the SDK log requests.
    let template = include_str!("../../template.yaml");
    let levels: Vec<_> = template
        .lines()
        .filter_map(|line| line.trim().strip_prefix("ApplicationLogLevel: "))
        .collect();
    assert_eq!(levels, ["INFO"]);
    assert!(!template.contains("RUST_LOG") && !template.contains("AWS_LAMBDA_LOG_LEVEL"));
}
