//! Members leave and come back, and groups are archived, while other requests are under way and
//! responses are lost.

use std::collections::BTreeSet;

use axum::http::Method;
use fastrand::Rng;
use fracti_store::Table;
use fracti_tests::{database::TABLE, faults::Fault};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{WRITE, behind_proxy};
use crate::harness::{Caller, Group, Reply};

/// Sends a request of another process, and `meanwhile` when its request `nth` to the table is
/// about to be sent. Returns its reply, and whether it had such a request.
async fn interrupted(
    group: &Group,
    proxy: &fracti_tests::faults::Proxy,
    nth: usize,
    (method, path, body): (Method, String, Value),
    meanwhile: impl AsyncFn(),
) -> (Reply, bool) {
    let other = group.api.over(Table::new(proxy.patient_client(1), TABLE));
    let caller = group.members[0].at(&other);
    let mut requests = 0;
    let held = proxy.hold(move |call| {
        requests += usize::from(call.channel() == "1");
        call.channel() == "1" && requests == nth
    });
    let mut sent = tokio::spawn(async move { caller.call(method, &path, Some(&body)).await });
    let reply = tokio::select! {
        () = held.arrived() => {
            meanwhile().await;
            held.release().await;
            sent.await.unwrap()
        }
        reply = &mut sent => reply.unwrap(),
    };
    (reply, held.has_arrived())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expense_that_reads_before_and_after_a_departure_is_decided_again() {
    let (proxy, group) = behind_proxy().await;
    let bob = &group.members[1];
    for nth in 1.. {
        let tea = json!({ "amount": 4, "description": "Tea" });
        let spend = (Method::POST, group.path("/expenses"), tea);
        let (reply, arrived) = interrupted(&group, &proxy, nth, spend, async || {
            bob.post(&group.path("/leave"), json!({})).await.data(200);
        })
        .await;
        let sharers = reply.data(201)["splits"].as_array().unwrap().len();
        assert_eq!(sharers, if arrived { 1 } else { 2 }, "request {nth}: {}", reply.text);
        group.verify().await;
        if !arrived {
            break;
        }
        bob.post(&group.path("/join"), json!({})).await.data(200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expense_that_reads_before_and_after_archiving_is_refused() {
    let (proxy, group) = behind_proxy().await;
    let archive = async |archived: bool| {
        let body = json!({ "archived": archived });
        group.members[1].patch(&group.path(""), body).await.data(200);
    };
    for nth in 1.. {
        let tea = json!({ "amount": 4, "description": "Tea" });
        let spend = (Method::POST, group.path("/expenses"), tea);
        let (reply, arrived) =
            interrupted(&group, &proxy, nth, spend, async || archive(true).await).await;
        if !arrived {
            reply.data(201);
            break;
        }
        assert_eq!(reply.code(), (409, "GROUP_ARCHIVED"), "request {nth}");
        archive(false).await;
    }
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn departure_that_reads_before_and_after_an_expense_is_refused() {
    let (proxy, group) = behind_proxy().await;
    for nth in 1.. {
        let leave = (Method::POST, group.path("/leave"), json!({}));
        let (reply, arrived) = interrupted(&group, &proxy, nth, leave, async || {
            let body = json!({ "amount": 4, "description": "Tea" });
            group.members[1].post(&group.path("/expenses"), body).await.data(201);
        })
        .await;
        if !arrived {
            reply.data(200);
            break;
        }
        assert_eq!(reply.code(), (409, "NOT_SETTLED"), "request {nth}");
        let settle = json!({ "fromId": "1", "toId": "2", "amount": 2 });
        group.members[1].post(&group.path("/settlements"), settle).await.data(201);
    }
    group.members[1].post(&group.path("/leave"), json!({})).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn committed_departure_is_reported_though_every_response_was_lost() {
    let (proxy, group) = behind_proxy().await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let lost = || proxy.force(WRITE, [Fault::CutAfter; 5]);
    let bobs = group.path("/members/2");
    for _ in 0..2 {
        lost();
        bob.post(&group.path("/leave"), json!({})).await.data(200);
        lost();
        bob.post(&group.path("/join"), json!({})).await.data(200);
        lost();
        alice.delete(&bobs).await.data(200);
        lost();
        alice.post(&format!("{bobs}/restore"), json!({})).await.data(200);
    }
    lost();
    let chat = bob.in_chat("-7").post("/api/groups/open", json!({})).await;
    lost();
    let same = alice.in_chat("-7").post("/api/groups/open", json!({})).await;
    assert_eq!((chat.data(201)["id"].clone(), proxy.left()), (same.data(200)["id"].clone(), 0));
    assert_eq!(alice.get(&group.path("")).await.data(200)["memberCount"], 2);
    group.verify().await;
}

/// A random request of a member.
async fn act(caller: Caller, group: String, mut rng: Rng) -> Reply {
    let path = |rest: &str| format!("/api/groups/{group}{rest}");
    let other = rng.u32(1..=4).to_string();
    match rng.u32(0..20) {
        0..6 => {
            let yen = json!({ "amount": 12, "description": "Tea", "currency": "JPY" });
            caller.post(&path("/expenses"), yen).await
        }
        6..9 => {
            let pay = json!({ "fromId": other, "toId": caller.id, "amount": rng.u32(1..9),
                "currency": "JPY" });
            caller.post(&path("/settlements"), pay).await
        }
        9..11 => {
            let pay = json!({ "toId": other, "amount": rng.u32(1..9), "currency": "JPY" });
            let made = caller.post(&path("/settlements"), pay).await;
            match made.body["data"]["id"].as_str() {
                None => made,
                Some(id) => {
                    let failed = json!({ "status": "failed" });
                    caller.put(&path(&format!("/settlements/{id}")), failed).await
                }
            }
        }
        11..14 => caller.post(&path("/leave"), json!({})).await,
        14..16 => caller.post(&path("/join"), json!({})).await,
        16 => caller.delete(&path(&format!("/members/{other}"))).await,
        17 => caller.post(&path(&format!("/members/{other}/restore")), json!({})).await,
        18 => caller.patch(&path(""), json!({ "archived": true })).await,
        _ => caller.patch(&path(""), json!({ "archived": false })).await,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn members_come_and_go_at_random_while_responses_are_lost() {
    for seed in 0..6 {
        let mut rng = Rng::with_seed(seed);
        let (proxy, group) = behind_proxy().await;
        let members: Vec<Caller> = (1..=4).map(|id| group.api.user(id, "Quentin")).collect();
        for member in &members {
            member.post(&group.path("/join"), json!({})).await.data(200);
        }
        let mut done = BTreeSet::new();
        for _ in 0..25 {
            let mut requests = JoinSet::new();
            let faults = [Fault::CutAfter, Fault::CutBefore, Fault::Conflict, Fault::FailAfter];
            proxy.force(WRITE, (0..rng.usize(0..3)).map(|_| *rng.choice(&faults).unwrap()));
            for index in 0..3 {
                let process = group.api.over(Table::new(proxy.client(index), TABLE));
                let member = rng.choice(&members).unwrap().at(&process);
                requests.spawn(act(member, group.id.clone(), rng.fork()));
            }
            for reply in requests.join_all().await {
                let (status, code) = reply.code();
                let known =
                    ["", "NOT_SETTLED", "GROUP_ARCHIVED", "LEFT", "REMOVED", "SETTLEMENT_FINAL"];
                let known = known.contains(&code)
                    || [
                        "NOT_ALLOWED",
                        "CONFLICT",
                        "UNAVAILABLE",
                        "VALIDATION_ERROR",
                        "PAYMENT_PENDING",
                    ]
                    .contains(&code);
                assert!(known, "seed {seed}: {reply:?}");
                done.insert((status, code.to_owned()));
            }
        }
        group.verify().await;
        check(&group, seed).await;
        assert!(done.len() > 3, "seed {seed}: {done:?}");
    }
}

/// Checks the rows: the group counts those who are present, and no expense that was recorded after
/// a member became past includes them.
async fn check(group: &Group, seed: u64) {
    let rows = group.api.rows().await;
    let text =
        |row: &std::collections::BTreeMap<String, aws_sdk_dynamodb::types::AttributeValue>,
         name: &str| { row.get(name).map(|value| value.as_s().unwrap().clone()) };
    let mut present = 0;
    for ((_, sk), member) in
        rows.iter().filter(|((pk, sk), _)| pk.starts_with("GROUP#") && sk.starts_with("USER#"))
    {
        let past = text(member, "leftAt").or_else(|| text(member, "removedAt"));
        let Some(past) = past else {
            present += 1;
            continue;
        };
        let id = sk.strip_prefix("USER#").unwrap();
        for ((_, sk), expense) in rows.iter().filter(|((_, sk), _)| sk.starts_with("TX#")) {
            let splits = expense["splits"].as_l().unwrap().iter();
            let mut sharers = splits.map(|split| split.as_m().unwrap()["userId"].as_s().unwrap());
            let later = sk.strip_prefix("TX#").unwrap() > &*past;
            assert!(!later || sharers.all(|it| it != id), "seed {seed}: {id} left before {sk}");
        }
    }
    let found = rows.iter().find(|((pk, sk), _)| pk.ends_with(&group.id) && sk == "METADATA");
    let count = found.unwrap().1["memberCount"].as_n().unwrap();
    assert_eq!(*count, present.to_string(), "seed {seed}");
}
