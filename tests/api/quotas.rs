//! Daily quotas: what is counted, and when a request is refused.

use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use aws_sdk_dynamodb::types::AttributeValue;
use axum::{body::Body, http::Method};
use fracti_http::Quotas;
use fracti_runtime::Random;
use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Fault, Plan, Proxy},
};
use futures_util::future::join_all;
use serde_json::json;
use tower::ServiceExt;

use crate::harness::{Api, Caller, Group, PATIENCE, TOKEN};

/// The request that counts.
const COUNT: &str = "UpdateItem";

/// Quotas that count every request. The counter has all the time of a request.
pub(crate) fn quotas(reads: u32, writes: u32) -> Quotas {
    let reads = NonZeroU32::new(reads);
    let writes = NonZeroU32::new(writes);
    Quotas { reads, writes, sample: NonZeroU32::MIN, timeout: PATIENCE }
}

/// The usage row of a user today.
async fn usage_row(caller: &Caller) -> BTreeMap<String, AttributeValue> {
    let today = caller.api.now().day();
    let key = (format!("USER#{}", caller.id), format!("USAGE#{today}"));
    caller.api.rows().await.remove(&key).unwrap_or_default()
}

fn number(value: &AttributeValue) -> u64 {
    value.as_n().unwrap().parse().unwrap()
}

/// The counters of a user today: reads, writes, reads and writes in the app.
async fn counted(caller: &Caller) -> [u64; 4] {
    let row = usage_row(caller).await;
    ["reads", "writes", "appReads", "appWrites"].map(|name| row.get(name).map_or(0, number))
}

#[tokio::test]
async fn request_beyond_the_quota_is_429_until_the_next_day() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|member| group.members[member].with_quotas(quotas(5, 2)));
    let expenses = group.path("/expenses");
    let tea = json!({ "amount": 3, "description": "Tea" });
    for remaining in (0..5).rev() {
        let read = alice.get("/api/groups").await;
        read.data(200);
        let state = format!("\"reads\";r={remaining};t=43200");
        assert_eq!(read.header("ratelimit"), Some(&*state));
        let policy = "\"reads\";q=5;w=86400, \"writes\";q=2;w=86400";
        assert_eq!(read.header("ratelimit-policy"), Some(policy));
    }
    for remaining in [1, 0] {
        let written = alice.post(&expenses, tea.clone()).await;
        written.data(201);
        let state = format!("\"writes\";r={remaining};t=43200");
        assert_eq!(written.header("ratelimit"), Some(&*state));
    }

    let before = group.api.rows().await;
    for (kind, limit, reply) in [
        ("reads", 5, alice.get("/api/groups").await),
        ("reads", 5, alice.get(&group.path("/debts")).await),
        ("writes", 2, alice.post(&expenses, tea.clone()).await),
        ("writes", 2, alice.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await),
        ("writes", 2, alice.post("/api/groups", json!({ "title": 1 })).await),
        ("writes", 2, alice.put(&group.path("/wallet"), json!({ "wallet": null })).await),
    ] {
        assert_eq!(reply.code(), (429, "RATE_LIMITED"), "{reply:?}");
        let message =
            format!("The daily limit of {limit} {kind} is reached; it resets at 00:00 UTC.");
        assert_eq!(reply.body["message"], message);
        let state = format!("\"{kind}\";r=0;t=43200");
        assert_eq!(reply.header("ratelimit"), Some(&*state));
        assert!(reply.header("ratelimit-policy").is_some());
        assert_eq!(reply.header("retry-after"), Some("43200"));
    }
    assert_eq!(group.api.rows().await, before, "a refused request changes no row");
    bob.post(&expenses, tea.clone()).await.data(201);

    group.api.pass(Duration::from_hours(12));
    let alice = group.api.user(1, "A").with_quotas(quotas(5, 2));
    alice.post(&expenses, tea).await.data(201);
    let read = alice.get("/api/groups").await;
    assert_eq!(read.header("ratelimit"), Some("\"reads\";r=4;t=86400"));
    group.verify().await;
}

#[tokio::test]
async fn every_authenticated_request_counts_and_no_other_does() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0].with_quotas(quotas(100, 100));
    let tea = json!({ "amount": 3, "description": "Tea" });
    alice.get("/api/health").await.data(200);
    for method in [Method::GET, Method::POST] {
        assert_eq!(alice.call(method, "/api/nothing", None).await.status, 404);
    }
    assert_eq!(alice.delete("/api/groups").await.status, 405);
    assert_eq!(alice.with(None).get("/api/groups").await.status, 401);
    let forged = Some(("authorization", "tma hash=00".to_owned()));
    assert_eq!(alice.with(forged).post("/api/groups", json!({})).await.status, 401);
    assert_eq!(usage_row(alice).await, BTreeMap::new());

    alice.get("/api/groups").await.data(200);
    let head = alice.request(Method::HEAD, "/api/groups").body(Body::empty()).unwrap();
    let head = alice.api.router.clone().oneshot(head).await.unwrap();
    assert_eq!(head.headers()["ratelimit"], "\"reads\";r=98;t=43200");
    assert_eq!(alice.get("/api/groups?limit=0").await.status, 400);
    let unknown = "/api/groups/0190a1b2-0000-7000-8000-000000000001";
    assert_eq!(alice.get(unknown).await.status, 404);
    assert_eq!(counted(alice).await, [0, 0, 4, 0]);

    for replayed in [None, Some("true")] {
        let reply = alice.post_once("key", &group.path("/expenses"), tea.clone()).await;
        reply.data(201);
        assert_eq!(reply.header("idempotent-replayed"), replayed);
        assert!(reply.header("ratelimit").is_some());
    }
    assert_eq!(alice.post("/api/groups", json!({ "title": 1 })).await.status, 400);
    assert_eq!(alice.delete(&group.path("/expenses/x")).await.status, 400);
    assert_eq!(alice.put(&group.path("/wallet"), json!({})).await.status, 400);
    let title = json!({ "title": "Andes" });
    alice.call(Method::PATCH, &group.path(""), Some(&title)).await.data(200);
    assert_eq!(counted(alice).await, [0, 0, 4, 6]);

    let row = usage_row(alice).await;
    assert_eq!(row["kind"].as_s().unwrap(), "usage");
    assert_eq!(number(&row["formatVersion"]), 4);
    let end_of_day = alice.api.now().day().end().next().seconds();
    assert_eq!(number(&row["ttl"]), end_of_day + 7 * 86_400);
    assert!(row.keys().all(|name| !name.starts_with("GSI")), "{row:?}");
}

#[tokio::test]
async fn tokens_have_quotas_of_their_own_together() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let expenses = group.path("/expenses");
    let tokens = "/api/users/me/tokens";
    let mut scripts = Vec::new();
    for scopes in [["read"].as_slice(), &["read", "write"], &["write"]] {
        let created = alice.post(tokens, json!({ "name": "x", "scopes": scopes })).await;
        scripts.push(alice.with_token(&created).with_quotas(quotas(5, 2)));
    }
    let alice = alice.with_quotas(quotas(5, 2));
    let [reader, both, writer] = &scripts[..] else { panic!("three tokens") };
    let tea = json!({ "amount": 3, "description": "Tea" });
    // A token notes the first day of its use by itself.
    for script in [reader, both, reader, both, reader] {
        script.get("/api/groups").await.data(200);
    }
    for script in [both, writer] {
        script.post(&expenses, tea.clone()).await.data(201);
    }
    // The scope is checked before the request is counted.
    let refused = reader.post(&expenses, tea.clone()).await;
    assert_eq!(refused.code(), (403, "INSUFFICIENT_SCOPE"));
    assert_eq!(counted(&alice).await, [5, 2, 0, 0]);

    let before = group.api.rows().await;
    for script in [reader, both] {
        let read = script.get(&group.path("/debts")).await;
        assert_eq!(read.code(), (429, "RATE_LIMITED"));
        assert_eq!(read.header("ratelimit"), Some("\"reads\";r=0;t=43200"));
        assert_eq!(read.header("retry-after"), Some("43200"));
    }
    for script in [both, writer] {
        let written = script.post(&expenses, tea.clone()).await;
        assert_eq!(written.code(), (429, "RATE_LIMITED"));
        assert_eq!(written.header("ratelimit"), Some("\"writes\";r=0;t=43200"));
    }
    assert_eq!(group.api.rows().await, before, "a refused request changes no row");

    alice.get("/api/groups").await.data(200);
    alice.post(&expenses, tea.clone()).await.data(201);
    assert_eq!(counted(&alice).await, [5, 2, 1, 1]);
    group.api.pass(Duration::from_hours(12));
    both.get("/api/groups").await.data(200);
    both.post(&expenses, tea).await.data(201);
    assert_eq!(counted(both).await, [1, 1, 0, 0]);
}

#[tokio::test]
async fn of_a_revoked_token_beyond_the_quota_the_refusal_is_401() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0];
    let tokens = "/api/users/me/tokens";
    let created = alice.post(tokens, json!({ "name": "x", "scopes": ["read", "write"] })).await;
    let script = alice.with_token(&created).with_quotas(quotas(1, 1));
    script.get("/api/groups").await.data(200);
    assert_eq!(script.get("/api/groups").await.code(), (429, "RATE_LIMITED"));
    alice
        .delete(&format!("{tokens}/{}", created.data(201)["id"].as_str().unwrap()))
        .await
        .data(200);
    let before = group.api.rows().await;
    assert_eq!(script.get("/api/groups").await.code(), (401, "TOKEN_REVOKED"));
    let new = json!({ "title": "x", "chatId": 1 });
    assert_eq!(script.post("/api/groups", new).await.code(), (401, "TOKEN_REVOKED"));
    assert_eq!(group.api.rows().await, before, "once it is unknown, it is not counted");
}

#[tokio::test]
async fn without_a_quota_of_its_kind_a_request_is_not_counted() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0].with_quotas(quotas(0, 9));
    let read = alice.get("/api/groups").await;
    assert_eq!((read.header("ratelimit"), read.header("ratelimit-policy")), (None, None));
    assert_eq!(usage_row(alice).await, BTreeMap::new());
    let new = json!({ "title": "x", "chatId": 1 });
    let written = alice.post("/api/groups", new).await;
    assert_eq!(written.header("ratelimit-policy"), Some("\"writes\";q=9;w=86400"));
    assert_eq!(counted(alice).await, [0, 0, 0, 1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_forty_concurrent_writes_exactly_twenty_pass_a_quota_of_twenty() {
    let group = Group::new(1, "EUR").await;
    let alice = &group.members[0].with_quotas(quotas(100, 20));
    let path = group.path("/expenses");
    let tea = json!({ "amount": 3, "description": "Tea" });
    let replies = join_all((0..40).map(|_| alice.post(&path, tea.clone()))).await;
    let mut statuses = BTreeMap::new();
    for reply in replies {
        *statuses.entry(reply.status.as_u16()).or_default() += 1;
    }
    assert_eq!(statuses, [(201, 20), (429, 20)].into());
    join_all((0..20).map(|_| alice.get("/api/groups"))).await;
    assert_eq!(counted(alice).await, [0, 0, 20, 20]);
    let expenses = group.members[0].get(&group.path("/debts")).await;
    assert_eq!(expenses.data(200)["summary"]["expenseCount"], 20);
    group.verify().await;
}

/// A source of random bytes that are the same in each run.
fn same_bytes() -> Random {
    let state = Arc::new(AtomicU32::new(1));
    Random::of(move |bytes| {
        // A step of a linear congruential generator modulo a prime.
        let step = |state: u32| {
            let next = u64::from(state) * 48_271 % 0x7FFF_FFFF;
            u32::try_from(next).ok()
        };
        let drawn = state.fetch_update(Ordering::SeqCst, Ordering::SeqCst, step).unwrap();
        bytes[..4].copy_from_slice(&drawn.to_le_bytes());
    })
}

#[tokio::test]
async fn a_sample_of_one_in_ten_counts_two_thousand_requests_within_thirty_percent() {
    let api = Api::of(TOKEN, same_bytes()).await;
    let sample = NonZeroU32::new(10).unwrap();
    let alice = api.user(1, "Alice").with_quotas(Quotas { sample, ..quotas(5000, 1) });
    for _ in 0..2000 {
        // Refused without a read.
        assert_eq!(alice.get("/api/groups?limit=0").await.status, 400);
    }
    let [.., reads, writes] = counted(&alice).await;
    assert!((1400..=2600).contains(&reads) && reads % 10 == 0, "{reads}");
    assert_eq!(writes, 0);
}

#[tokio::test]
async fn a_request_outside_of_the_sample_reads_the_counter() {
    let api = Api::of(TOKEN, Random::of(|bytes| bytes.fill(1))).await;
    let alice = api.user(1, "Alice");
    let all = quotas(2, 2);
    let sample = NonZeroU32::new(10).unwrap();
    let unsampled = alice.with_quotas(Quotas { sample, ..all });
    for used in [0, 1, 2] {
        let read = unsampled.get("/api/groups?limit=0").await;
        assert_eq!(read.status, if used < 2 { 400 } else { 429 });
        let state = format!("\"reads\";r={};t=43200", 2 - used);
        assert_eq!(read.header("ratelimit"), Some(&*state));
        assert_eq!(counted(&alice).await, [0, 0, used, 0]);
        alice.with_quotas(all).get("/api/groups").await;
    }
}

/// A group of one, who has quotas, behind a proxy.
async fn behind_proxy() -> (Proxy, Group) {
    let proxy = Proxy::start(Plan::none()).await;
    let group = Group::of(&Api::new().await.behind(&proxy), 1, "EUR").await;
    (proxy, group)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_transaction_is_sent_before_the_request_is_counted() {
    let (proxy, group) = behind_proxy().await;
    // An attempt that times out while it is held would be repeated, and counted twice.
    let patient = group.api.over(Table::new(proxy.patient_client(0), TABLE));
    let alice = group.members[0].at(&patient).with_quotas(quotas(100, 2));
    let expenses = group.path("/expenses");
    let groups = "/api/groups".to_owned();
    let tea = json!({ "amount": 3, "description": "Tea" });
    let new = json!({ "title": "Flat", "chatId": 1 });
    for (path, body, status) in
        [(&expenses, &tea, 201), (&groups, &new, 201), (&expenses, &tea, 429), (&groups, &new, 429)]
    {
        let count = proxy.hold(|call| call.operation() == COUNT);
        let transaction = proxy.hold(|call| call.operation() == "TransactWriteItems");
        let write = tokio::spawn({
            let alice = alice.clone();
            let path = path.clone();
            let body = body.clone();
            async move { alice.post(&path, body).await }
        });
        count.arrived().await;
        // The reads of the write are answered while these are.
        for _ in 0..20 {
            group.members[0].get(&group.path("/debts")).await.data(200);
        }
        assert!(!transaction.has_arrived(), "{path}");
        drop(transaction);
        count.release().await;
        assert_eq!(write.await.unwrap().status, status, "{path}");
    }
    assert_eq!(group.debts().await["summary"]["expenseCount"], 1);
    group.verify().await;
}

#[tokio::test]
async fn request_whose_counter_does_not_answer_is_served() {
    let (proxy, group) = behind_proxy().await;
    let timeout = Duration::from_millis(1);
    let soon = group.members[0].with_quotas(Quotas { timeout, ..quotas(1, 1) });
    let patient = group.members[0].with_quotas(quotas(1, 1));
    let tea = json!({ "amount": 3, "description": "Tea" });
    for (alice, faults) in [
        (&soon, vec![Fault::Silence; 3]),
        (&patient, vec![Fault::Throttle; 15]),
        (&patient, vec![Fault::CutBefore; 15]),
    ] {
        proxy.force(COUNT, faults);
        let read = alice.get("/api/groups").await;
        read.data(200);
        let written = alice.post(&group.path("/expenses"), tea.clone()).await;
        written.data(201);
        let made = alice.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await;
        made.data(201);
        assert_eq!(proxy.left(), 0);
        for reply in [read, written, made] {
            assert_eq!((reply.header("ratelimit"), reply.header("ratelimit-policy")), (None, None));
            assert!(reply.log.contains("request admitted without its quota"), "{}", reply.log);
        }
    }
    assert_eq!(counted(&patient).await, [0; 4]);
    group.verify().await;
}

#[tokio::test]
async fn a_quota_costs_half_a_read_unit_or_one_write_unit_and_no_round_trip() {
    let group = Group::of(&Api::embedded().await, 2, "EUR").await;
    let alice = &group.members[0];
    let never = NonZeroU32::new(1 << 31).unwrap();
    let sampled = alice.with_quotas(quotas(100, 100));
    let unsampled = alice.with_quotas(Quotas { sample: never, ..quotas(100, 100) });
    sampled.get(&group.path("/debts")).await.data(200);
    let plain = alice.get(&group.path("/debts")).await.cost;
    for (caller, read_units, write_units) in [(&sampled, 0.0, 1.0), (&unsampled, 0.5, 0.0)] {
        let cost = caller.get(&group.path("/debts")).await.cost;
        assert_eq!(cost.requests, plain.requests + 1);
        assert_eq!(cost.round_trips, plain.round_trips);
        let more = (cost.read_units - plain.read_units, cost.write_units - plain.write_units);
        assert_eq!(more, (read_units, write_units));
    }
}

#[tokio::test]
async fn a_user_sees_todays_usage_and_the_limits() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let unlimited = alice.get("/api/users/me/usage").await;
    let none = json!({ "reads": { "used": 0 }, "writes": { "used": 0 } });
    let expected = json!({
        "date": "2026-01-15", "resetsAt": "2026-01-16T00:00:00.000Z", "sample": 10,
        "tokens": none, "app": none,
    });
    assert_eq!(*unlimited.data(200), expected);

    let alice = alice.with_quotas(quotas(50, 9));
    for _ in 0..3 {
        alice.get("/api/groups").await.data(200);
    }
    alice.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await.data(201);
    let usage = alice.get("/api/users/me/usage").await;
    let usage = usage.data(200);
    assert_eq!(usage["sample"], 1);
    let tokens =
        json!({ "reads": { "used": 0, "limit": 50 }, "writes": { "used": 0, "limit": 9 } });
    assert_eq!(usage["tokens"], tokens);
    assert_eq!(usage["app"]["writes"], json!({ "used": 1, "limit": 9 }));
    // It is counted itself at the same time.
    let reads = usage["app"]["reads"]["used"].as_u64().unwrap();
    assert!((3..=4).contains(&reads), "{reads}");
    assert_eq!(api.user(2, "Bob").get("/api/users/me/usage").await.data(200)["app"], none);
}
