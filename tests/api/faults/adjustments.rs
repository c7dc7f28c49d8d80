//! Pushes and reverts of many entries that are interrupted and repeated during other writes.

use serde_json::{Value, json};

use super::{Fault, WRITE, behind_proxy};
use crate::harness::Reply;

fn names(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("e{number}")).collect()
}

fn adjustments(names: &[String]) -> Value {
    let adjustment = |name: &String| {
        json!({ "entryId": name, "changes": [
            { "userId": "1", "amount": -1 }, { "userId": "2", "amount": 1 } ] })
    };
    names.iter().map(adjustment).collect()
}

/// The applied names, and the number of rejected ones.
fn applied(reply: &Reply) -> (Vec<&str>, usize) {
    let data = reply.data(200);
    let applied = data["applied"].as_array().unwrap().iter();
    let applied = applied.map(|entry| entry["entryId"].as_str().unwrap()).collect();
    (applied, data["nonApplied"].as_array().unwrap().len())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn push_that_fails_applies_no_entry_and_its_repetition_applies_all() {
    let (proxy, group) = behind_proxy().await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let entries = group.path("/ledger/entries");
    let names = names(90);
    let push = || alice.post_once("import", &entries, adjustments(&names));

    proxy.force(WRITE, [Fault::CutBefore; 5]);
    let cut = push().await;
    assert_eq!((cut.code(), proxy.left()), ((503, "UNAVAILABLE"), 0), "{cut:?}");
    assert_eq!(group.balances().await[1], "0");
    // Another member pushes one of the names first.
    bob.post(&entries, adjustments(&names[..1])).await.data(200);
    let done = push().await;
    let rest: Vec<_> = names[1..].iter().map(String::as_str).collect();
    assert_eq!(applied(&done), (rest, 1));
    assert_eq!(group.balances().await[1], "90");

    let again = push().await;
    assert_eq!(again.data(200), done.data(200));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(group.balances().await[1], "90");
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_revert_after_a_lost_response_skips_entries_pushed_again() {
    let (proxy, group) = behind_proxy().await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let (entries, reverts) = (group.path("/ledger/entries"), group.path("/ledger/entries/revert"));
    alice.post(&entries, adjustments(&names(2))).await.data(200);
    // The transaction is committed, but its response and the read that confirms it are lost.
    proxy.force(WRITE, [Fault::CutAfter; 5]);
    proxy.force("GetItem", [Fault::CutBefore; 5]);
    let revert = || alice.post_once("undo", &reverts, json!(names(2)));
    let lost = revert().await;
    assert_eq!((lost.code(), proxy.left()), ((503, "UNAVAILABLE"), 0), "{lost:?}");
    bob.post(&entries, adjustments(&names(1))).await.data(200);
    assert_eq!(applied(&revert().await), (vec!["e0", "e1"], 0));
    assert_eq!(group.balances().await[1], "1", "e0 has the amount of the second push");
    group.verify().await;
}
