//! The check of a token while the table is slow or fails.

use fracti_tests::faults::{Call, Plan, Proxy};
use serde_json::json;

use super::{TOKENS, create, id};
use crate::harness::{Api, Caller, Group};

/// A group of two behind a proxy, with a token of the first member that was used before.
async fn scene() -> (Proxy, Group, Caller, String) {
    let proxy = Proxy::start(Plan::none()).await;
    let group = Group::of(&Api::new().await.behind(&proxy), 2, "EUR").await;
    let alice = &group.members[0];
    let created = create(alice, &["read", "write"]).await;
    let token = alice.with_token(&created);
    token.get("/api/groups").await.data(200);
    let id = id(&created).to_owned();
    (proxy, group, token, id)
}

fn reads_token(call: &Call) -> bool {
    call.operation() == "GetItem" && call.mentions("PAT#")
}

fn writes(call: &Call) -> bool {
    call.operation() == "TransactWriteItems"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_before_the_token_is_read() {
    let (proxy, group, token, id) = scene().await;
    let alice = &group.members[0];
    let path = group.path("/expenses");
    let tea = json!({ "amount": 4, "description": "Tea" });
    for revoked in [false, true] {
        let before = group.api.rows().await;
        let read = proxy.hold(reads_token);
        let written = proxy.hold(writes);
        let caller = token.clone();
        let path = path.clone();
        let tea = tea.clone();
        let spent = tokio::spawn(async move { caller.post(&path, tea).await });
        read.arrived().await;
        // The reads of the handler take as long as those of this request.
        alice.get(&group.path("/debts")).await.data(200);
        assert!(!written.has_arrived());
        drop(written);
        if revoked {
            alice.delete(&format!("{TOKENS}/{id}")).await.data(200);
        }
        read.release().await;
        let spent = spent.await.unwrap();
        if revoked {
            assert_eq!(spent.code(), (401, "TOKEN_REVOKED"), "{}", spent.text);
            let mut expected = before;
            expected.remove(&("USER#1".to_owned(), format!("PAT#{id}")));
            assert_eq!(group.api.rows().await, expected);
        } else {
            spent.data(201);
        }
    }
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_written_if_the_token_cannot_be_read() {
    let (proxy, group, token, _) = scene().await;
    let before = group.api.rows().await;
    let cut = proxy.cut(reads_token);
    let tea = json!({ "amount": 4, "description": "Tea" });
    for reply in [
        token.post(&group.path("/expenses"), tea.clone()).await,
        token.post("/api/groups", json!({ "title": "x", "chatId": 1 })).await,
        token.get(&group.path("")).await,
    ] {
        assert_eq!(reply.code(), (503, "UNAVAILABLE"), "{}", reply.text);
        assert_eq!(reply.header("retry-after"), Some("1"));
    }
    assert_eq!(group.api.rows().await, before);
    drop(cut);
    token.post(&group.path("/expenses"), tea).await.data(201);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn noting_the_use_of_a_deleted_token_leaves_no_row() {
    let (proxy, group, token, id) = scene().await;
    group.api.pass(std::time::Duration::from_hours(13));
    let alice = group.api.user(1, "A");
    let noted = proxy.hold(|call| call.operation() == "UpdateItem");
    let caller = token.clone();
    let path = group.path("");
    let read = tokio::spawn(async move { caller.get(&path).await });
    noted.arrived().await;
    alice.delete(&format!("{TOKENS}/{id}")).await.data(200);
    noted.release().await;
    read.await.unwrap().data(200);
    let rows = group.api.rows().await;
    assert!(rows.keys().all(|(_, sk)| !sk.starts_with("PAT#")), "{rows:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn creation_waits_for_the_index_three_times_at_most() {
    let (proxy, group, ..) = scene().await;
    let bob = &group.members[1];
    let seen = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = seen.clone();
    // The index does not answer.
    let cut = proxy.hold(move |call| {
        let looks = call.mentions("PATHASH#") && call.index();
        count.fetch_add(usize::from(looks), std::sync::atomic::Ordering::SeqCst);
        looks
    });
    let created = create(bob, &["read"]).await;
    created.data(201);
    assert!((1..=3).contains(&seen.load(std::sync::atomic::Ordering::SeqCst)));
    drop(cut);
    bob.with_token(&created).get("/api/groups").await.data(200);
}
