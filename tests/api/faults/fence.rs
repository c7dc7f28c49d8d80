//! The row of a request: what is answered is what is stored, however late an attempt is.

use std::time::Duration;

use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Call, Held, Plan, Proxy},
};
use serde_json::{Value, json};

use super::{Fault, WRITE, behind_proxy};
use crate::harness::{Api, Caller, Group, Reply};

/// A member in another process.
fn elsewhere(group: &Group, proxy: &Proxy, member: usize, channel: usize) -> Caller {
    group.members[member].at(&group.api.over(Table::new(proxy.patient_client(channel), TABLE)))
}

/// The first transaction of a process.
fn first_write(channel: &'static str) -> impl FnMut(&Call) -> bool + Send + 'static {
    let mut writes = 0;
    move |call| {
        let is_write = call.channel() == channel && call.operation() == WRITE;
        writes += usize::from(is_write);
        is_write && writes == 1
    }
}

/// The next request of a process after its first transaction.
fn after_first_write(channel: &'static str) -> impl FnMut(&Call) -> bool + Send + 'static {
    let mut writes = 0;
    let mut seen = false;
    move |call| {
        let is_next = call.channel() == channel && writes > 0 && !seen;
        let is_write = call.channel() == channel && call.operation() == WRITE;
        // The one that is held is not seen here, so this is the one that meets the conflict.
        writes += usize::from(is_write);
        seen |= is_next;
        is_next
    }
}

/// A first transaction that is on its way while its sender is told of conflicts.
fn late(proxy: &Proxy, conflicts: usize) -> Held {
    let held = proxy.hold_late(first_write("1"));
    proxy.force(WRITE, vec![Fault::Conflict; conflicts]);
    held
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_acknowledged_edit_is_stored_though_a_connection_is_cut() {
    let (proxy, group) = behind_proxy().await;
    let made = group.spend(0, json!({ "amount": 1000 })).await;
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let [one, two] = [1, 2].map(|channel| elsewhere(&group, &proxy, 0, channel));
    let mut amounts = Vec::new();
    for number in 1..=100 {
        let cut = proxy.cut(first_write("2"));
        let edits = [(&one, 2 * number), (&two, 2 * number + 1)];
        let edit = |(caller, amount): (&Caller, u64)| {
            let caller = caller.clone();
            let path = path.clone();
            async move { (amount, caller.put(&path, json!({ "amount": amount })).await) }
        };
        let [first, second] = edits.map(edit);
        let replies: [(u64, Reply); 2] = tokio::join!(first, second).into();
        drop(cut);
        for (amount, reply) in replies {
            assert_eq!(reply.data(200)["amount"], amount);
            amounts.push(amount);
        }
    }
    assert_eq!(amounts.len(), 200);
    let history = group.members[0].pages(&format!("{path}/history"), 100).await;
    let present = group.members[0].get(&path).await.data(200).clone();
    let states = history.iter().map(|it| &it["expense"]).chain([&present]);
    let stored: Vec<_> = states.filter_map(|it| it["amount"].as_u64()).collect();
    for amount in amounts {
        assert!(stored.contains(&amount), "{amount} is not in {stored:?}");
    }
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_refusal_is_followed_by_a_commit() {
    let (proxy, group) = behind_proxy().await;
    let tea = json!({ "amount": 3, "description": "Tea" });
    for key in [None, Some("tea")] {
        let before = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
        let hurried = group.api.over(Table::new(proxy.client(1), TABLE));
        let alice = group.members[0].at(&hurried.with_deadline(fracti_http::DEADLINE));
        let path = group.path("/expenses");
        let send = async |caller: &Caller| match key {
            Some(key) => caller.post_once(key, &path, tea.clone()).await,
            None => caller.post(&path, tea.clone()).await,
        };
        // All other transactions conflict, also those that would be fences.
        let first = late(&proxy, 100_000);
        let reply = send(&alice).await;
        assert_eq!(reply.code(), (503, "UNAVAILABLE"), "{}", reply.text);
        proxy.unforce();
        first.release().await;
        let after = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
        assert_eq!(after - before, 1, "the answer promised nothing");
        if key.is_some() {
            let again = send(&group.members[0]).await;
            assert_eq!(again.header("idempotent-replayed"), Some("true"));
            let count = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
            assert_eq!(count, after);
        }

        // If the fence is answered, the late attempt is refused.
        let archived = elsewhere(&group, &proxy, 0, 1);
        let first = late(&proxy, 1);
        let next = proxy.hold(after_first_write("1"));
        let sent = tea.clone();
        let caller = archived.clone();
        let path = group.path("/expenses");
        let key = key.map(|key| format!("{key}-2"));
        let reply = tokio::spawn(async move {
            match key {
                Some(key) => caller.post_once(&key, &path, sent).await,
                None => caller.post(&path, sent).await,
            }
        });
        next.arrived().await;
        let archive = json!({ "archived": true });
        group.members[0].patch(&group.path(""), archive).await.data(200);
        next.release().await;
        assert_eq!(reply.await.unwrap().code(), (409, "GROUP_ARCHIVED"));
        first.release().await;
        let unarchive = json!({ "archived": false });
        group.members[0].patch(&group.path(""), unarchive).await.data(200);
        let count = group.debts().await["summary"]["expenseCount"].as_u64().unwrap();
        assert_eq!(count, after, "a refused write is not there");
    }
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn token_of_a_late_attempt_is_answered_with_its_secret() {
    let (proxy, group) = behind_proxy().await;
    let alice = elsewhere(&group, &proxy, 0, 1);
    let first = late(&proxy, 1);
    let next = proxy.hold(after_first_write("1"));
    let new = json!({ "name": "Phone", "scopes": ["read"] });
    let sent = alice.clone();
    let reply = tokio::spawn(async move { sent.post("/api/users/me/tokens", new).await });
    next.arrived().await;
    first.release().await;
    next.release().await;
    let reply = reply.await.unwrap();
    assert!(reply.data(201)["token"].is_string(), "{}", reply.text);
    alice.with_token(&reply).get("/api/groups").await.data(200);
    let listed = alice.get("/api/users/me/tokens").await;
    assert_eq!(listed.data(200).as_array().map(Vec::len), Some(1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refused_request_finds_the_result_of_its_repetition() {
    let (proxy, group) = behind_proxy().await;
    let [slow, fast] = [1, 2].map(|channel| elsewhere(&group, &proxy, 0, channel));
    let entries = group.path("/ledger/entries");
    let push: Value = (0..3)
        .map(|name| {
            json!({ "entryId": name.to_string(), "changes": [
                { "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 } ] })
        })
        .collect();
    // The first request is refused while the group is archived, and held at its fence. The second
    // one with the same key is carried out; the first then finds its result.
    group.members[0].patch(&group.path(""), json!({ "archived": true })).await.data(200);
    let held = proxy.hold(first_write("1"));
    let path = entries.clone();
    let body = push.clone();
    let first = tokio::spawn(async move { slow.post_once("push", &path, body).await });
    held.arrived().await;
    group.members[0].patch(&group.path(""), json!({ "archived": false })).await.data(200);
    let second = fast.post_once("push", &entries, push.clone()).await;
    assert_eq!(second.data(200)["applied"].as_array().map(Vec::len), Some(3));
    held.release().await;
    assert_eq!(first.await.unwrap().data(200), second.data(200));
    let again = fast.post_once("push", &entries, push).await;
    assert_eq!(again.data(200), second.data(200));
    assert_eq!(group.balances().await, ["3", "-3"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusal_by_the_clock_ends_earlier_requests_with_its_key() {
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.with_operators(&["1"]).behind(&proxy);
    let group = Group::of(&api, 2, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 9, "refId": "bank 1" });
    alice.post("/api/users/2/funds/credits", cash).await.data(201);
    let bonuses = "/api/users/2/funds/bonuses";
    let tokens = "/api/users/me/tokens";
    let settlements = group.path("/settlements");
    let soon = |seconds| group.api.now().plus_seconds(seconds).to_string();
    let list = |path: &str| {
        let path = path.replace("/bonuses", "/transactions");
        let by = if path.contains("/2/") { alice.clone() } else { bob.clone() };
        async move { by.get(&path).await.data(200).clone() }
    };
    for (by, path, body, field) in [
        (1, tokens, json!({ "name": "Phone", "scopes": ["read"] }), "expiresAt"),
        (0, bonuses, json!({ "currency": "EUR", "amount": 5 }), "expiresAt"),
        (1, &settlements, json!({ "toId": "1", "amount": 1, "payFrom": "funds" }), "holdUntil"),
    ] {
        let least = if path == tokens { 0 } else { 60 } + if path == bonuses { 3_540 } else { 0 };
        let mut body = body;
        body[field] = json!(soon(least + 30));
        let before = list(path).await;
        let [one, two] = [1, 2].map(|channel| elsewhere(&group, &proxy, by, channel));
        let held = proxy.hold(first_write("1"));
        let sent = body.clone();
        let at = path.to_owned();
        let first = tokio::spawn(async move { one.post_once("key", &at, sent).await });
        held.arrived().await;
        group.api.pass(Duration::from_mins(1));
        let second = two.post_once("key", path, body).await;
        assert_eq!(second.code(), (400, "VALIDATION_ERROR"), "{path}: {}", second.text);
        assert_eq!(second.body["details"][0]["path"], field, "{path}");
        held.release().await;
        let first = first.await.unwrap();
        assert_eq!(first.code(), (409, "CONFLICT"), "{path}: {}", first.text);
        assert_eq!(list(path).await, before, "{path}: nothing of the first one is written");
    }
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refusal_by_the_state_ends_earlier_requests_with_its_key() {
    let (proxy, group) = behind_proxy().await;
    let [slow, fast] = [1, 2].map(|channel| elsewhere(&group, &proxy, 0, channel));
    let expenses = group.path("/expenses");
    let tea = json!({ "amount": 3, "description": "Tea" });
    let held = proxy.hold(first_write("1"));
    let path = expenses.clone();
    let body = tea.clone();
    let first = tokio::spawn(async move { slow.post_once("tea", &path, body).await });
    held.arrived().await;
    let archive = async |archived: bool| {
        group.members[0].patch(&group.path(""), json!({ "archived": archived })).await.data(200);
    };
    archive(true).await;
    let second = fast.post_once("tea", &expenses, tea.clone()).await;
    assert_eq!(second.code(), (409, "GROUP_ARCHIVED"));
    archive(false).await;
    held.release().await;
    assert_eq!(first.await.unwrap().code(), (409, "CONFLICT"));
    assert_eq!(group.debts().await["summary"]["expenseCount"], 0);
    let third = fast.post_once("tea", &expenses, tea).await;
    assert_eq!(third.data(201)["description"], "Tea", "the key may be used again");
    group.verify().await;
}
