//! Snapshots of responses that are no examples of the document: errors, and an import with the export
//! after it. A changed field or error code shows as a difference of a file in `snapshots/`.
//!
//! The clock is fixed and ids are made of fixed bytes, so nothing but the request id is replaced.
//! `INSTA_UPDATE=always cargo test --workspace --test api snapshots` updates the files.

use axum::http::Method;
use fracti_runtime::Random;
use serde_json::{Map, Value, json};

use crate::{
    harness::{Api, Caller, Group, Reply, TOKEN},
    import::splitwise,
};

/// A group of Alice and Bob whose ids are the same in every run.
async fn group() -> Group {
    let next = std::sync::atomic::AtomicU8::new(0);
    let random = Random::of(move |bytes| {
        bytes.fill(next.fetch_add(1, std::sync::atomic::Ordering::SeqCst));
    });
    Group::of(&Api::of(TOKEN, random).await, 2, "EUR").await
}

/// The status and the body, without the values that differ from run to run.
fn shown(reply: &Reply) -> Value {
    let mut body = if reply.body.is_null() { json!(reply.text) } else { reply.body.clone() };
    if let Some(request_id) = body.get_mut("requestId") {
        *request_id = json!("[requestId]");
    }
    json!({ "status": reply.status.as_u16(), "body": body })
}

/// Responses by the request that they answer.
struct Responses<'a> {
    group: &'a Group,
    by_request: Map<String, Value>,
}

impl<'a> Responses<'a> {
    fn of(group: &'a Group) -> Self {
        Self { group, by_request: Map::new() }
    }

    /// Sends a request to `path`, below the group if it begins with `~`, and returns the data.
    async fn call(&mut self, caller: &Caller, method: Method, path: &str, body: Value) -> Value {
        let url = path.strip_prefix('~').map_or_else(|| path.to_owned(), |it| self.group.path(it));
        let body = (!body.is_null()).then_some(&body);
        let reply = caller.call(method.clone(), &url, body).await;
        let mut request = format!("{method} {}", url.replace(&self.group.id, "{groupId}"));
        if self.by_request.contains_key(&request) {
            request += " again";
        }
        self.by_request.insert(request, shown(&reply));
        reply.body["data"].clone()
    }

    async fn get(&mut self, caller: &Caller, path: &str) {
        self.call(caller, Method::GET, path, Value::Null).await;
    }
}

fn id(data: &Value) -> &str {
    data["id"].as_str().unwrap()
}

#[tokio::test]
async fn import_responses_match_the_snapshot() {
    let group = group().await;
    let alice = &group.members[0];
    let mut responses = Responses::of(&group);
    let rows = [
        ("2025-12-01", "Groceries", "Tea", "EUR", vec![100, -100]),
        ("2025-12-02", "Payment", "Back", "EUR", vec![-60, 60]),
    ];
    let file = splitwise(&["A", "Carol"], &rows);
    let plan = json!({ "file": file });
    responses.call(alice, Method::POST, "~/import", plan).await;
    let options = json!({ "commit": true, "members": { "A": "1", "Carol": "new guest" } });
    let form = json!({ "file": file, "options": options });
    let done = responses.call(alice, Method::POST, "~/import", form).await;
    responses.get(alice, "~/imports").await;
    let path = format!("~/import/{}", done["importId"].as_str().unwrap());
    responses.get(alice, &path).await;
    responses.get(alice, "~/expenses").await;
    responses.get(alice, "~/export").await;
    responses.get(alice, "~/export?format=csv").await;
    responses.call(alice, Method::DELETE, &path, Value::Null).await;
    insta::assert_json_snapshot!(responses.by_request);
}

#[tokio::test]
async fn error_responses_match_the_snapshot() {
    let group = group().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let made = group.spend(0, json!({ "amount": 20 })).await;
    let mut responses = Responses::of(&group);
    let invalid = json!({ "amount": -1, "currency": "XYZ", "splits": [] });
    responses.call(alice, Method::POST, "~/expenses", invalid).await;
    responses.get(&bob.with(None), "~").await;
    responses.get(&group.api.user(9, "Eve"), "~/expenses").await;
    responses.get(alice, "~/expenses/0190a1b2-0000-7000-8000-000000000002").await;
    responses.get(alice, "~/expenses?limit=1000&page=2").await;
    responses.get(alice, "~/settlements?cursor=invalid").await;
    responses.get(alice, "/api/unknown").await;
    responses.call(alice, Method::PUT, "~", Value::Null).await;
    let path = format!("~/expenses/{}", id(&made));
    responses.call(bob, Method::DELETE, &path, Value::Null).await;
    let stale = alice.put_if("\"stale\"", &group.path(&path[1..]), json!({ "amount": 1 })).await;
    responses.by_request.insert("PUT with a stale If-Match".to_owned(), shown(&stale));
    let malformed = alice.post_text(&group.path("/expenses"), "{").await;
    responses.by_request.insert("POST with malformed JSON".to_owned(), shown(&malformed));
    insta::assert_json_snapshot!(responses.by_request);
}
