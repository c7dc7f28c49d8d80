//! Requests of several transactions that are interrupted and repeated during other writes.

use std::time::Duration;

use fracti_store::Table;
use fracti_tests::database::TABLE;
use serde_json::{Value, json};

use super::{Fault, WRITE, behind_proxy};
use crate::harness::{Caller, Group, Reply};

/// Lets `passed` transactions pass, and fails all attempts of the next one. Delays of this proxy
/// take no time.
fn failing_after(passed: usize) -> Vec<Fault> {
    [vec![Fault::Delay; passed], vec![Fault::CutBefore; 5]].concat()
}

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

/// The statuses of an entry's history, newest first.
async fn history(caller: &Caller, group: &Group, name: &str) -> Vec<String> {
    let entries = caller.get(&group.path(&format!("/ledger/entries/{name}"))).await;
    let entries = entries.data(200).as_array().unwrap().iter();
    entries.map(|entry| entry["status"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_push_skips_entries_reverted_meanwhile() {
    let (proxy, group) = behind_proxy().await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let (entries, reverts) = (group.path("/ledger/entries"), group.path("/ledger/entries/revert"));
    let names = names(110);
    let push = || alice.post_once("import", &entries, adjustments(&names));

    proxy.force(WRITE, failing_after(1));
    let cut = push().await;
    assert_eq!((cut.code(), proxy.left()), ((503, "UNAVAILABLE"), 0), "{cut:?}");
    let counted: i64 = group.balances().await[1].parse().unwrap();
    assert!((1..110).contains(&counted), "only the first part is applied: {counted}");
    bob.post(&reverts, json!(["e0"])).await.data(200);
    let pushed_anew = json!([{ "entryId": "e1", "changes": [
        { "userId": "1", "amount": -7 }, { "userId": "2", "amount": 7 } ] }]);
    bob.post(&reverts, json!(["e1"])).await.data(200);
    bob.post(&entries, pushed_anew).await.data(200);
    assert_eq!(group.balances().await[1], (counted - 2 + 7).to_string());

    let done = push().await;
    let (applied_names, not) = applied(&done);
    assert_eq!((applied_names, not), (names.iter().map(String::as_str).collect(), 0));
    assert_eq!(group.balances().await[1], "115", "108 of the import, and 7 for e1");
    assert_eq!(history(bob, &group, "e0").await, ["revert", "reverted"]);
    assert_eq!(history(bob, &group, "e1").await, ["applied", "revert", "reverted"]);

    let again = push().await;
    assert_eq!(again.data(200), done.data(200));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(group.balances().await[1], "115");
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn repeated_revert_skips_entries_pushed_again_meanwhile() {
    let (proxy, group) = behind_proxy().await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let (entries, reverts) = (group.path("/ledger/entries"), group.path("/ledger/entries/revert"));
    let names = names(110);
    alice.post(&entries, adjustments(&names)).await.data(200);
    let revert = || alice.post_once("undo", &reverts, json!(names));

    proxy.force(WRITE, failing_after(2));
    let cut = revert().await;
    assert_eq!((cut.code(), proxy.left()), ((503, "UNAVAILABLE"), 0), "{cut:?}");
    let counted: i64 = group.balances().await[1].parse().unwrap();
    assert!((1..110).contains(&counted), "only the last part remains: {counted}");
    let corrected = json!([{ "entryId": "e0", "changes": [
        { "userId": "1", "amount": -7 }, { "userId": "2", "amount": 7 } ] }]);
    bob.post(&entries, corrected).await.data(200);
    assert_eq!(group.balances().await[1], (counted + 7).to_string());

    let done = revert().await;
    let (applied_names, not) = applied(&done);
    assert_eq!((applied_names, not), (names.iter().map(String::as_str).collect(), 0));
    assert_eq!(group.balances().await[1], "7", "e0 has the amount of the second push");
    assert_eq!(history(bob, &group, "e0").await, ["applied", "revert", "reverted"]);
    assert_eq!(history(bob, &group, "e109").await, ["revert", "reverted"]);

    let again = revert().await;
    assert_eq!(again.data(200), done.data(200));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(group.balances().await[1], "7");
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

/// An import of 330 entries with 20 changes each: the response to a revert of all is larger than a
/// row may be.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_revert_with_a_key_survives_faults_and_is_replayed() {
    let (proxy, like) = behind_proxy().await;
    // Repeated until there is a response: the machine may be slow.
    let unhurried = like.api.over(Table::new(proxy.patient_client(1), TABLE));
    let unhurried = unhurried.with_deadline(Duration::from_mins(10));
    let group = Group::of(&unhurried, 20, "EUR").await;
    let alice = &group.members[0];
    let (entries, reverts) = (group.path("/ledger/entries"), group.path("/ledger/entries/revert"));
    let names = names(330);
    let changes: Vec<Value> = (1..=20)
        .map(|user| {
            let amount = if user == 1 { "23456789.91" } else { "-1234567.89" };
            json!({ "userId": user.to_string(), "amount": amount })
        })
        .collect();
    for part in names.chunks(55) {
        let part = part.iter().map(|name| json!({ "entryId": name, "changes": changes }));
        alice.post(&entries, part.collect()).await.data(200);
    }
    assert_eq!(group.balances().await[1], "-407407403.7");
    let done = alice.post_once("undo", &reverts, json!(names)).await;
    assert_eq!(applied(&done), (names.iter().map(String::as_str).collect(), 0));
    assert_eq!(group.balances().await[1], "0");
    let again = alice.post_once("undo", &reverts, json!(names)).await;
    assert_eq!(again.text, done.text);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(group.balances().await[1], "0");
    group.verify().await;
}
