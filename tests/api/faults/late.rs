//! A late transaction attempt: its retry is refused because of a conflict, and then it commits.
//!
//! The late attempt arrives before each of the requests that follow the conflict, in turn, and
//! after the last of them. In every case the response and the rows are as without faults.

use std::time::Duration;

use axum::http::{Method, header};
use fracti_tests::faults::Proxy;
use serde_json::{Value, json};

use super::{Fault, WRITE, behind_proxy};
use crate::harness::{Caller, Group, Reply};

/// A write request.
#[derive(Clone)]
struct Request {
    caller: Caller,
    method: Method,
    path: String,
    body: Value,
    key: Option<String>,
}

impl Request {
    async fn send(self) -> Reply {
        let Self { caller, method, path, body, key } = self;
        let request = caller.request(method, &path);
        let request = key.into_iter().fold(request, |it, key| it.header("idempotency-key", key));
        let request = match body {
            Value::Null => request.body(axum::body::Body::empty()),
            body => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(axum::body::Body::from(body.to_string())),
        };
        caller.api.send(request.unwrap()).await
    }
}

/// A group with a guest, an expense, a deleted expense, a pending settlement, and an adjustment.
struct Prepared {
    group: Group,
    guest: String,
    expense: String,
    deleted: String,
    settlement: String,
}

fn id(made: &Value) -> String {
    made["id"].as_str().unwrap().to_owned()
}

fn adjustment(name: &str, amount: i64) -> Value {
    json!({ "entryId": name, "changes": [
        { "userId": "1", "amount": amount }, { "userId": "3", "amount": -amount } ] })
}

impl Prepared {
    async fn new(like: &Group) -> Self {
        let group = Group::of(&like.api, 3, "EUR").await;
        let alice = &group.members[0];
        let expense = id(&group.spend(0, json!({ "amount": 30 })).await);
        let guest = group.guest(0, "Grandma").await;
        // Members are ordered by id, and guests of one millisecond are in no order.
        group.api.pass(Duration::from_millis(1));
        let splits = json!([{ "userId": guest }, { "userId": "1" }]);
        group.spend(2, json!({ "amount": 8, "splits": splits })).await;
        let link = group.path(&format!("/members/{guest}/link"));
        group.members[1].post(&link, json!({ "userId": "2" })).await.data(202);
        let deleted = id(&group.spend(0, json!({ "amount": 60 })).await);
        alice.delete(&group.path(&format!("/expenses/{deleted}"))).await.data(200);
        let pay = json!({ "toId": "1", "amount": 4 });
        let waiting = group.members[1].post(&group.path("/settlements"), pay).await;
        let adjust = json!([adjustment("rent", 5)]);
        alice.post(&group.path("/ledger/entries"), adjust).await.data(200);
        Self { guest, expense, deleted, settlement: id(waiting.data(201)), group }
    }

    /// The request of a case.
    fn request(&self, case: &str, key: Option<&str>) -> Request {
        let Self { group, expense, deleted, settlement, .. } = self;
        let [alice, bob] = [group.members[0].clone(), group.members[1].clone()];
        let request = |caller: &Caller, method, path: &str, body| Request {
            caller: caller.clone(),
            method,
            path: group.path(path),
            body,
            key: key.map(str::to_owned),
        };
        // A transaction hash is unique across groups.
        let hash = group.id.replace('-', "").repeat(2);
        let (expense, settlement) =
            (format!("/expenses/{expense}"), format!("/settlements/{settlement}"));
        match case {
            "record an expense" => {
                let tea = json!({ "amount": 3, "description": "Tea" });
                request(&alice, Method::POST, "/expenses", tea)
            }
            "edit an expense" => {
                request(&alice, Method::PUT, &expense, json!({ "amount": 9, "description": "Tea" }))
            }
            "delete an expense" => request(&alice, Method::DELETE, &expense, Value::Null),
            "restore an expense" => {
                let path = format!("/expenses/{deleted}/restore");
                request(&alice, Method::POST, &path, Value::Null)
            }
            "record a settlement as the payer" => {
                let body = json!({ "toId": "2", "amount": 7, "txHash": hash });
                request(&alice, Method::POST, "/settlements", body)
            }
            "record a settlement as the recipient" => {
                let body = json!({ "fromId": "2", "toId": "1", "amount": 7 });
                request(&alice, Method::POST, "/settlements", body)
            }
            "complete a settlement" => {
                request(&alice, Method::PUT, &settlement, json!({ "status": "completed" }))
            }
            "fail a settlement" => {
                request(&alice, Method::PUT, &settlement, json!({ "status": "failed" }))
            }
            "name the transaction of a settlement" => {
                request(&bob, Method::PUT, &settlement, json!({ "txHash": hash }))
            }
            "push adjustments" => {
                let body = json!([adjustment("food", 6), adjustment("rent", 8)]);
                request(&alice, Method::POST, "/ledger/entries", body)
            }
            "revert adjustments" => {
                let body = json!(["rent", "unknown"]);
                request(&alice, Method::POST, "/ledger/entries/revert", body)
            }
            "add a guest" => request(&alice, Method::POST, "/members", json!({ "name": "Gus" })),
            "link a guest" => {
                let path = format!("/members/{}/link", self.guest);
                request(&alice, Method::POST, &path, json!({ "userId": "2" }))
            }
            "join a group" => {
                let dora = group.api.user(4, "Dora");
                request(&dora, Method::POST, "/join", json!({}))
            }
            "create a group" => {
                let body = json!({ "title": "Flat", "chatId": 7 });
                Request {
                    path: "/api/groups".to_owned(),
                    ..request(&alice, Method::POST, "", body)
                }
            }
            other => unreachable!("{other}"),
        }
    }

    /// The group's data, without ids and times.
    async fn shown(&self) -> Value {
        let alice = &self.group.members[0];
        let mut shown = Vec::new();
        for path in ["", "/expenses", "/settlements", "/ledger/entries", "/ledger/balance"] {
            shown.push(alice.get(&self.group.path(path)).await.data(200).clone());
        }
        self.group.verify().await;
        anonymous(&Value::Array(shown))
    }
}

/// A value without ids and times, which differ between requests.
fn anonymous(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let names = ["id", "groupId", "userId", "entryId", "refId", "asOf", "txHash"];
            let kept = fields.iter().filter(|(name, value)| {
                let own = names.contains(&name.as_str())
                    && value.as_str().is_some_and(|text| text.len() > 20);
                !own && !name.ends_with("At")
            });
            kept.map(|(name, value)| (name.clone(), anonymous(value))).collect()
        }
        Value::Array(items) => items.iter().map(anonymous).collect(),
        Value::String(guest) if guest.starts_with("guest-") => "guest".into(),
        other => other.clone(),
    }
}

/// Sends a request whose first transaction arrives late: before the `nth` request that follows the
/// conflict of its second attempt, or at the end. Returns whether there were that many requests.
async fn send_late(proxy: &Proxy, request: Request, nth: usize) -> (Reply, bool) {
    let mut writes = 0;
    let late = proxy.hold_late(move |call| {
        writes += usize::from(call.operation() == WRITE);
        call.operation() == WRITE && writes == 1
    });
    let mut retried = false;
    let mut following = 0;
    let next = proxy.hold(move |call| {
        following += usize::from(retried);
        retried |= call.operation() == WRITE;
        following == nth
    });
    proxy.force(WRITE, [Fault::Conflict]);
    let mut reply = tokio::spawn(request.send());
    let reply = tokio::select! {
        () = next.arrived() => {
            late.release().await;
            next.release().await;
            reply.await
        }
        reply = &mut reply => reply,
    };
    let reached = next.has_arrived();
    assert!(late.has_arrived(), "the request sent no transaction: {reply:?}");
    late.release().await;
    assert_eq!(proxy.left(), 0, "the second attempt was not refused");
    (reply.unwrap(), reached)
}

/// Tests every place at which the first attempt can arrive late, with and without an idempotency
/// key.
async fn check_every_late_arrival(case: &str) {
    let (proxy, like) = behind_proxy().await;
    let posts = Prepared::new(&like).await.request(case, None).method == Method::POST;
    let groups = async |of: &Prepared| {
        of.group.members[0].get("/api/groups?limit=100").await.data(200).as_array().unwrap().len()
    };
    for keyed in if posts { vec![false, true] } else { vec![false] } {
        let key = |name: String| keyed.then_some(name);
        let control = Prepared::new(&like).await;
        let before = groups(&control).await;
        let answer = control.request(case, key("control".to_owned()).as_deref()).send().await;
        assert!(answer.status.is_success(), "{case}: {answer:?}");
        let expected = control.shown().await;
        let more = groups(&control).await - before;
        for nth in 1.. {
            let key = key(format!("key-{nth}"));
            let late = Prepared::new(&like).await;
            let before = groups(&late).await;
            let request = late.request(case, key.as_deref());
            let (reply, reached) = send_late(&proxy, request.clone(), nth).await;
            let place = format!("{case}, key {key:?}, late before request {nth}");
            assert_eq!(reply.status, answer.status, "{place}: {reply:?}");
            assert_eq!(anonymous(&reply.body["data"]), anonymous(&answer.body["data"]), "{place}");
            assert_eq!(late.shown().await, expected, "{place}");
            assert_eq!(groups(&late).await - before, more, "{place}");
            if key.is_some() {
                let again = request.send().await;
                assert_eq!(again.data(reply.status.as_u16()), &reply.body["data"], "{place}");
                assert_eq!(late.shown().await, expected, "{place}");
            }
            if !reached {
                assert!(nth > 1, "{case}: nothing followed the conflict");
                break;
            }
        }
    }
}

macro_rules! cases {
    ($($name:ident: $case:literal,)*) => {$(
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        async fn $name() {
            check_every_late_arrival($case).await;
        }
    )*};
}

cases! {
    late_attempt_records_one_expense: "record an expense",
    late_attempt_edits_an_expense_once: "edit an expense",
    late_attempt_deletes_an_expense_once: "delete an expense",
    late_attempt_restores_an_expense_once: "restore an expense",
    late_attempt_records_one_pending_settlement: "record a settlement as the payer",
    late_attempt_records_one_completed_settlement: "record a settlement as the recipient",
    late_attempt_completes_a_settlement_once: "complete a settlement",
    late_attempt_fails_a_settlement: "fail a settlement",
    late_attempt_names_the_transaction_of_a_settlement: "name the transaction of a settlement",
    late_attempt_pushes_each_adjustment_once: "push adjustments",
    late_attempt_reverts_each_adjustment_once: "revert adjustments",
    late_attempt_adds_one_member: "join a group",
    late_attempt_adds_one_guest: "add a guest",
    late_attempt_links_a_guest_once: "link a guest",
    late_attempt_creates_one_group: "create a group",
}
