//! Imports under faults between the API and the table.

use std::time::Duration;

use fracti_store::Table;
use fracti_tests::{
    database::TABLE,
    faults::{Call, Fault, Plan, Proxy},
};
use serde_json::json;

use super::{Balances, Import, balances, counts, planned, year};
use crate::harness::{Api, Group, Reply};

const WRITE: &str = "TransactWriteItems";

/// A group of two behind a proxy, and a file of 60 rows.
async fn behind_proxy() -> (Proxy, Group, Import) {
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.behind(&proxy);
    let group = Group::of(&api, 2, "EUR").await;
    let import = Import::of(&year(60), "{}");
    let import = import.by(&group.members[0], &group, &[("A", "1"), ("B", "2")]).await;
    (proxy, group, import)
}

#[tokio::test]
async fn each_row_is_recorded_once_under_every_fault() {
    use Fault::{Conflict, CutAfter, CutBefore, Fail, FailAfter, InProgress, Throttle};
    for faults in [
        vec![CutAfter],
        vec![FailAfter],
        vec![CutBefore, CutAfter],
        vec![Conflict, Throttle, InProgress],
        vec![CutAfter, Throttle, FailAfter, CutBefore],
        vec![CutBefore, CutBefore, CutBefore, CutAfter, Fail],
    ] {
        let (proxy, group, import) = behind_proxy().await;
        let alice = &group.members[0];
        let plan = import.clone().with("commit", json!(false)).send(alice, &group).await;
        proxy.force(WRITE, faults.iter().copied());
        let mut imported = 0;
        loop {
            let reply = import.send(alice, &group).await;
            if reply.status == 200 {
                imported += counts(&reply)[0];
                break;
            }
            assert!(reply.status == 503 || reply.status == 409, "{faults:?}: {}", reply.text);
        }
        assert!(imported <= 60, "{faults:?}");
        group.verify().await;
        assert_eq!(balances(&group).await, planned(plan.data(200)), "{faults:?}");
        assert_eq!(alice.pages(&group.path("/expenses"), 100).await.len(), 54, "{faults:?}");
    }
}

#[tokio::test]
async fn an_import_that_crashes_in_the_middle_is_continued_or_undone() {
    for undo in [false, true] {
        let (proxy, group, import) = behind_proxy().await;
        let alice = &group.members[0];
        let plan = import.clone().with("commit", json!(false)).send(alice, &group).await;
        // The guests and two parts of the rows are written; the process dies in the next part.
        let dying = group.api.over(Table::new(proxy.client(1), TABLE));
        let alice_of_dying = alice.at(&dying);
        let work = import.send(&alice_of_dying, &group);
        let stop = async {
            loop {
                let imports = alice.get(&group.path("/imports")).await;
                if imports.data(200)[0]["expenses"].as_u64() >= Some(20) {
                    return;
                }
            }
        };
        tokio::select! {
            _ = work => {}
            () = stop => {}
        }
        group.verify().await;
        let imports = alice.get(&group.path("/imports")).await;
        let id = imports.data(200)[0]["importId"].as_str().unwrap().to_owned();
        if undo {
            let path = group.path(&format!("/import/{id}"));
            assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
            assert_eq!(balances(&group).await, Balances::new());
        } else {
            let [imported, already_there, ..] = counts(&import.send(alice, &group).await);
            assert_eq!(imported + already_there, 60);
            assert!(already_there >= 20);
            assert_eq!(balances(&group).await, planned(plan.data(200)));
        }
        group.verify().await;
    }
}

#[tokio::test]
async fn an_undo_under_faults_deletes_each_row_once() {
    use Fault::{Conflict, CutAfter, CutBefore, FailAfter, Throttle};
    let (proxy, group, import) = behind_proxy().await;
    let alice = &group.members[0];
    for faults in [
        vec![CutAfter; 2],
        vec![CutBefore, FailAfter, Conflict],
        vec![Throttle, CutAfter, CutBefore],
    ] {
        let done = import.send(alice, &group).await;
        assert_eq!(counts(&done)[0], 60);
        let path = group.path(&format!("/import/{}", done.data(200)["importId"].as_str().unwrap()));
        proxy.force(WRITE, faults.iter().copied());
        loop {
            let reply = alice.delete(&path).await;
            if reply.status == 200 {
                break;
            }
            assert!(reply.status == 503 || reply.status == 409, "{faults:?}: {}", reply.text);
        }
        group.verify().await;
        assert_eq!(balances(&group).await, Balances::new(), "{faults:?}");
    }
}

/// A busy machine may not finish one part in time, or only after the next request has begun.
fn assert_unfinished(reply: &Reply) {
    let code = reply.code();
    assert!([(503, "UNAVAILABLE"), (409, "CONFLICT")].contains(&code), "{}", reply.text);
}

#[tokio::test]
async fn at_the_deadline_an_import_and_an_undo_say_that_they_have_to_be_repeated() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(&year(400), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    let hurried = alice.at(&group.api.with_deadline(Duration::from_millis(700)));
    let mut imported = 0;
    let mut id = String::new();
    for attempt in 0.. {
        assert!(attempt < 100, "the requests make no progress");
        let reply = import.send(&hurried, &group).await;
        match reply.status.as_u16() {
            202 => {
                assert_eq!(reply.data(202)["status"], "running");
                imported += reply.data(202)["imported"].as_u64().unwrap();
            }
            200 => {
                imported += counts(&reply)[0];
                reply.data(200)["importId"].as_str().unwrap().clone_into(&mut id);
                break;
            }
            _ => assert_unfinished(&reply),
        }
    }
    assert!(imported <= 400);
    group.verify().await;
    assert_eq!(alice.get(&group.path(&format!("/import/{id}"))).await.data(200)["expenses"], 360);
    let path = group.path(&format!("/import/{id}"));
    for attempt in 0.. {
        assert!(attempt < 100, "the requests make no progress");
        let reply = hurried.delete(&path).await;
        match reply.status.as_u16() {
            202 => assert_eq!(reply.data(202)["status"], "undoing"),
            200 => break,
            _ => assert_unfinished(&reply),
        }
    }
    assert_eq!(balances(&group).await, Balances::new());
    group.verify().await;
}

/// Whether a request is of the second process.
fn is_slow(call: &Call) -> bool {
    call.channel() == "1"
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_counts_the_rows_of_one_run() {
    for (operation, nth) in [(WRITE, 4), ("BatchGetItem", 1)] {
        let (proxy, group, import) = behind_proxy().await;
        let [alice, bob] = [&group.members[0], &group.members[1]];
        let first = import.send(alice, &group).await;
        assert_eq!(first.data(200)["run"], 1);
        let id = first.data(200)["importId"].as_str().unwrap().to_owned();
        let path = group.path(&format!("/import/{id}"));
        if operation == WRITE {
            alice.delete(&path).await.data(200);
        }
        let runs_before = u64::from(operation == WRITE);

        let slow = alice.at(&group.api.over(Table::new(proxy.patient_client(1), TABLE)));
        let mut seen = 0;
        let held = proxy.hold(move |call| {
            let is_it = is_slow(call) && call.operation() == operation;
            seen += usize::from(is_it);
            is_it && seen == nth
        });
        let (slow, ()) = tokio::join!(import.send(&slow, &group), async {
            held.arrived().await;
            // The import is undone and begins again, while the other request waits.
            alice.delete(&path).await.data(200);
            assert_eq!(import.send(alice, &group).await.data(200)["run"], runs_before + 2);
            held.release().await;
        });
        let run = runs_before + 1;
        if operation == WRITE {
            assert_eq!(
                (&slow.data(202)["run"], &slow.data(202)["status"]),
                (&json!(run), &json!("running"))
            );
        } else {
            assert_eq!(slow.code(), (409, "IMPORT_UNDOING"), "{}", slow.text);
        }
        let recorded = balances(&group).await;
        assert_eq!(alice.pages(&group.path("/expenses"), 100).await.len(), 54);

        // Who goes on with the earlier run learns that it is undone, and changes nothing.
        let form = json!({ "file": import.file, "options": import.options });
        let over = alice.post(&group.path(&format!("/import?run={run}")), form.clone()).await;
        assert_eq!(
            (&over.data(200)["status"], &over.data(200)["imported"]),
            (&json!("undone"), &json!(0))
        );
        let over = alice.delete(&format!("{path}?run={run}")).await;
        assert_eq!(
            (&over.data(200)["run"], &over.data(200)["status"]),
            (&json!(run), &json!("undone"))
        );
        assert_eq!(balances(&group).await, recorded);
        let never = alice.delete(&format!("{path}?run=9")).await;
        assert_eq!(never.body["details"][0]["path"], "run", "{}", never.text);
        let text = alice.post(&group.path("/import?run=x"), form).await;
        assert_eq!(text.body["details"][0]["path"], "run", "{}", text.text);
        assert_eq!(
            bob.delete(&format!("{path}?run={}", run + 1)).await.code(),
            (403, "NOT_ALLOWED")
        );
        group.verify().await;
        let undone = alice.delete(&format!("{path}?run={}", run + 1)).await;
        assert_eq!(
            (&undone.data(200)["run"], &undone.data(200)["status"]),
            (&json!(run + 1), &json!("undone"))
        );
        assert_eq!(balances(&group).await, Balances::new());
        group.verify().await;
    }
}
