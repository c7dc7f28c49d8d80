//! Requests under faults between the API and the table.

mod adjustments;
mod fence;
mod late;
mod leaving;

mod past;
mod spendings;

use std::time::Duration;

use axum::http::Method;
use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Fault, Plan, Proxy},
};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::harness::{Api, Caller, Group};

const WRITE: &str = "TransactWriteItems";

/// A group of two, behind a proxy with forced faults only.
async fn behind_proxy() -> (Proxy, Group) {
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.behind(&proxy);
    let group = Group::of(&api, 2, "EUR").await;
    (proxy, group)
}

async fn spend(caller: &Caller, group: &Group) -> (u16, Value) {
    let tea = json!({ "amount": 3, "description": "Tea" });
    let reply = caller.post(&group.path("/expenses"), tea).await;
    if reply.status == 503 {
        assert_eq!(reply.header("retry-after"), Some("1"));
    }
    (reply.status.as_u16(), reply.body.clone())
}

#[tokio::test]
async fn expense_is_written_once_under_every_fault() {
    use Fault::{
        Conflict, CutAfter, CutBefore, Exceed, Fail, FailAfter, InProgress, Mismatch, Throttle,
    };
    let (proxy, group) = behind_proxy().await;
    for (faults, status, expenses) in [
        (vec![CutAfter], 201, 1),
        (vec![FailAfter], 201, 1),
        (vec![CutBefore], 201, 1),
        (vec![Throttle], 201, 1),
        (vec![InProgress], 201, 1),
        (vec![CutAfter, Throttle, FailAfter, CutBefore], 201, 1),
        (vec![CutBefore, CutBefore, CutBefore, CutAfter], 201, 1),
        (vec![Conflict; 6], 201, 1),
        // All attempts fail: after a lost response the rows confirm the write, otherwise it is not
        // acknowledged.
        (vec![CutAfter; 5], 201, 1),
        (vec![FailAfter; 5], 201, 1),
        (vec![CutBefore, Fail, Exceed, Throttle, CutAfter], 201, 1),
        (vec![CutBefore; 5], 503, 0),
        (vec![Throttle; 5], 503, 0),
        (vec![Exceed; 5], 503, 0),
        (vec![Fail; 5], 503, 0),
        (vec![Mismatch], 500, 0),
    ] {
        let before = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
        proxy.force(WRITE, faults.clone());
        let (answered, body) = spend(&group.members[0], &group).await;
        assert_eq!((answered, proxy.left()), (status, 0), "{faults:?}: {body}");
        let after = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
        assert_eq!(after - before, expenses, "{faults:?}");
    }
    group.verify().await;
}

#[tokio::test]
async fn committed_write_is_reported_though_every_response_was_lost() {
    let (proxy, group) = behind_proxy().await;
    let lost = || proxy.force(WRITE, [Fault::CutAfter; 5]);
    let [alice, bob] = [&group.members[0], &group.members[1]];

    lost();
    let new = json!({ "title": "Alps", "chatId": 1, "currency": "EUR" });
    let made = alice.post("/api/groups", new).await.data(201).clone();
    lost();
    let join = format!("/api/groups/{}/join", made["id"].as_str().unwrap());
    bob.post(&join, json!({})).await.data(200);
    lost();
    let pay = json!({ "toId": "2", "amount": 4 });
    let waiting = alice.post(&group.path("/settlements"), pay).await.data(201).clone();
    lost();
    let path = group.path(&format!("/settlements/{}", waiting["id"].as_str().unwrap()));
    let completed = bob.put(&path, json!({ "status": "completed" })).await.data(200).clone();
    assert_eq!(completed["status"], "completed");
    lost();
    let paid = json!({ "fromId": "2", "toId": "1", "amount": 1 });
    alice.post(&group.path("/settlements"), paid).await.data(201);
    let tea = group.spend(0, json!({ "amount": 2 })).await;
    lost();
    alice
        .delete(&group.path(&format!("/expenses/{}", tea["id"].as_str().unwrap())))
        .await
        .data(200);

    assert_eq!(proxy.left(), 0);
    assert_eq!(group.balances().await, ["3", "-3"]);
    group.verify().await;
}

#[tokio::test]
async fn repeated_request_finds_the_first_ones_write() {
    let (proxy, group) = behind_proxy().await;
    let tea = json!({ "amount": 3, "description": "Tea" });
    // The responses of the write and of its confirmation are lost.
    proxy.force(WRITE, [Fault::CutAfter; 5]);
    proxy.force("GetItem", [Fault::CutBefore; 5]);
    let path = group.path("/expenses");
    let alice = &group.members[0];
    let debts = group.debts().await["summary"]["expenseCount"].clone();
    assert_eq!(debts, 0);
    let first = alice.post_once("key", &path, tea.clone()).await;
    assert_eq!((first.code(), proxy.left()), ((503, "UNAVAILABLE"), 0));
    let again = alice.post_once("key", &path, tea).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.data(201)["amount"], 3);
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);
    group.verify().await;
}

#[tokio::test]
async fn lists_are_complete_despite_short_pages_and_unprocessed_keys() {
    let (proxy, group) = behind_proxy().await;
    for _ in 0..5 {
        group.spend(0, json!({ "amount": 1 })).await;
    }
    proxy.force("Query", [Fault::ShortPage; 4]);
    let list = group.members[0].get(&group.path("/expenses?limit=4")).await;
    assert_eq!(list.data(200).as_array().unwrap().len(), 4);
    assert_eq!(list.body["pagination"]["hasMore"], true);
    for title in ["Alps", "Flat"] {
        let new = json!({ "title": title, "chatId": 1 });
        group.members[0].post("/api/groups", new).await.data(201);
    }
    proxy.force("BatchGetItem", [Fault::Unprocessed; 2]);
    let groups = group.members[0].get("/api/groups").await;
    assert_eq!(groups.data(200).as_array().unwrap().len(), 3);
    assert_eq!(proxy.left(), 0);
}

/// Time is paused: the response comes within a function's 10 s, even from a silent table.
#[tokio::test]
async fn silent_table_is_a_503_before_the_deadline() {
    for (operation, limit) in [("GetItem", 5_100), (WRITE, 8_600)] {
        let (proxy, group) = behind_proxy().await;
        tokio::time::pause();
        // The reads that confirm the write get no response either.
        proxy.force(operation, [Fault::Silence; 4]);
        proxy.force("GetItem", [Fault::Silence; 16]);
        let began = Instant::now();
        let (status, body) = spend(&group.members[0], &group).await;
        assert_eq!(status, 503, "{operation}: {body}");
        let took = began.elapsed();
        assert!(took < Duration::from_millis(limit), "{operation}: {took:?}");
        tokio::time::resume();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn write_that_reads_before_and_after_a_deletion_is_decided_again() {
    let (proxy, group) = behind_proxy().await;
    let other = group.api.over(Table::new(proxy.patient_client(1), TABLE));
    let first = &group.members[0];
    let second = first.at(&other);
    for method in [Method::DELETE, Method::PUT] {
        for nth in 1.. {
            let (_, made) = spend(first, &group).await;
            let path = group.path(&format!("/expenses/{}", made["data"]["id"].as_str().unwrap()));
            let mut requests = 0;
            let held = proxy.hold(move |call| {
                requests += usize::from(call.channel() == "1");
                call.channel() == "1" && requests == nth
            });
            let mut write = tokio::spawn({
                let second = second.clone();
                let method = method.clone();
                let path = path.clone();
                let body = (method == Method::PUT).then(|| json!({ "amount": 6 }));
                async move { second.call(method, &path, body.as_ref()).await }
            });
            let reply = tokio::select! {
                () = held.arrived() => {
                    first.delete(&path).await.data(200);
                    held.release().await;
                    write.await.unwrap()
                }
                reply = &mut write => reply.unwrap(),
            };
            assert!([200, 404].contains(&reply.status.as_u16()), "{method} {nth}: {reply:?}");
            group.verify().await;
            if !held.has_arrived() {
                break;
            }
        }
    }
}
