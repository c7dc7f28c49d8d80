//! The sample events of `events/`: each goes through `lambda_http` into the function that serves it.

use std::{
    fs,
    path::Path,
    sync::atomic::{AtomicU8, Ordering},
};

use axum::{Router, body::Body, http::Request};
use fracti_http::{App, Random, Routes, service};
use serde_json::json;

use crate::harness::{Api, Reply};

/// Who signed the events: the public demo token.
const DEMO_TOKEN: &str = "0:fracti-local";

/// The functions, by name.
pub(crate) fn functions() -> [(&'static str, fn() -> Routes); 4] {
    [
        ("groups", fracti_groups::routes),
        ("expenses", fracti_expenses::routes),
        ("settlements", fracti_settlements::routes),
        ("users", fracti_users::routes),
    ]
}

fn function(name: &str, app: &App) -> Router {
    let (_, routes) = functions().into_iter().find(|(known, _)| *known == name).unwrap();
    service(routes(), app.clone())
}

/// What the events ask about: a group of Alice and Bob, an expense and a settlement.
async fn scene() -> Api {
    // Each id has a byte of its own, so that the events can name it.
    let next = AtomicU8::new(1);
    let api =
        Api::of(DEMO_TOKEN, Random::of(move || [next.fetch_add(1, Ordering::SeqCst); 10])).await;
    let [alice, bob] = [api.user(123_456_789, "Alice Smith"), api.user(987_654_321, "Bob Jones")];
    let group = json!({ "title": "Alps", "chatId": -1, "currency": "EUR" });
    let group = alice.post("/api/groups", group).await.data(201)["id"].clone();
    let path = |rest: &str| format!("/api/groups/{}{rest}", group.as_str().unwrap());
    // A membership takes bytes and uses none.
    bob.post(&path("/join"), json!({})).await.data(200);
    alice.post(&path("/expenses"), json!({ "amount": 90, "description": "Hut" })).await.data(201);
    bob.post(&path("/settlements"), json!({ "toId": alice.id, "amount": 20 })).await.data(201);
    api
}

fn event(name: &str) -> String {
    let events = Path::new(env!("CARGO_MANIFEST_DIR")).join("../events");
    fs::read_to_string(events.join(name).with_extension("json")).unwrap()
}

/// Sends an event, as Lambda does.
async fn send(api: &Api, to: &str, event: &str) -> Reply {
    let (parts, body) = lambda_http::request::from_str(event).unwrap().into_parts();
    let request = Request::from_parts(parts, Body::from(body.to_vec()));
    api.send_to(&function(to, &api.app), request).await
}

/// Each event, the function it belongs to, and what its answer says.
const EVENTS: [(&str, &str, u16, &str); 28] = [
    ("health", "groups", 200, r#""status":"ok""#),
    ("list-groups", "groups", 200, r#""title":"Alps""#),
    ("create-group", "groups", 201, r#""title":"Alps 2026","currency":"EUR""#),
    ("read-group", "groups", 200, r#""name":"Bob Jones""#),
    (
        "join-group",
        "groups",
        200,
        r#""name":"Carol White","username":"carol","wallet":"EQDKbjIcfM6"#,
    ),
    ("set-wallet", "groups", 200, r#""wallet":"EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF""#),
    ("list-expenses", "expenses", 200, r#""description":"Hut""#),
    ("create-expense", "expenses", 201, r#""description":"Käsefondue 🫕""#),
    ("read-expense", "expenses", 200, r#""amount":90,"currency":"EUR""#),
    ("delete-expense", "expenses", 200, r#""id":"019bc186-de00-7303-8303-030303030303""#),
    ("read-debts", "settlements", 200, r#""balances":{"EUR":-45}"#),
    ("list-settlements", "settlements", 200, r#""status":"pending""#),
    (
        "create-settlement",
        "settlements",
        201,
        r#""amount":10.5,"currency":"EUR","status":"pending""#,
    ),
    ("read-settlement", "settlements", 200, r#""amount":20"#),
    ("update-settlement", "settlements", 200, r#""status":"completed""#),
    ("read-me", "users", 200, r#""name":"Alice Smith","username":"alice","groupCount":1"#),
    ("list-my-groups", "users", 200, r#""balance":45,"balances":{"EUR":45}"#),
    ("list-my-expenses", "users", 200, r#""yourShare":45"#),
    ("list-my-debts", "users", 200, r#""totalAmount":90"#),
    ("list-my-settlements", "users", 200, r#""groupTitle":"Alps""#),
    ("list-my-activity", "users", 200, r#""type":"settlement_received""#),
    ("read-my-summary", "users", 200, r#""mostActiveGroup":{"#),
    ("base64-body", "expenses", 201, r#""amount":12,"currency":"EUR","description":"Käse""#),
    ("bad-no-header", "groups", 401, "UNAUTHORIZED"),
    ("bad-forged", "groups", 401, "UNAUTHORIZED"),
    ("bad-method", "groups", 405, "METHOD_NOT_ALLOWED"),
    ("bad-json", "expenses", 400, "INVALID_JSON"),
    ("bad-amount", "expenses", 400, "EUR has at most 2 decimals"),
];

#[tokio::test]
async fn each_event_is_answered_by_its_function() {
    let files = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../events")).unwrap();
    assert_eq!(files.count(), EVENTS.len(), "an event that nothing sends");
    for (name, to, status, says) in EVENTS {
        let api = scene().await;
        let event = event(name);
        let reply = send(&api, to, &event).await;
        assert_eq!(reply.status, status, "{name}: {}", reply.text);
        assert!(reply.text.contains(says), "{name}: {}", reply.text);
        let sent: serde_json::Value = serde_json::from_str(&event).unwrap();
        let id = sent["requestContext"]["requestId"].as_str();
        assert_eq!(reply.header("x-request-id"), id, "{name}: the gateway's id");
        for (other, _) in functions().into_iter().filter(|(other, _)| *other != to) {
            let reply = send(&api, other, &event).await;
            let nowhere = (404, "ROUTE_NOT_FOUND");
            assert_eq!(reply.code(), nowhere, "{name}: {other} does not serve it");
        }
    }
}
