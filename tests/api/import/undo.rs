//! The undo of an import.

use std::time::Duration;

use fracti_core::values::decimal::Decimal;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Balances, FILES, Import, balances, counts, splitwise, year};
use crate::harness::{Caller, Group, Reply};

/// A group with an expense of its own, into which Alice has imported Splitwise's sample.
async fn imported() -> (Group, Import, String) {
    let group = Group::new(3, "EUR").await;
    group.spend(0, json!({ "amount": 9 })).await;
    let (file, answers) = FILES[0];
    let known = [("Anna Smith", "1"), ("O'Neil, Bob", "2")];
    let import = Import::of(file, answers).by(&group.members[0], &group, &known).await;
    let done = import.send(&group.members[0], &group).await;
    let path = group.path(&format!("/import/{}", done.data(200)["importId"].as_str().unwrap()));
    (group, import, path)
}

fn status(reply: &Reply) -> &Value {
    &reply.data(200)["status"]
}

#[tokio::test]
async fn an_undo_restores_all_balances_and_leaves_other_expenses() {
    let (group, import, path) = imported().await;
    let alice = &group.members[0];
    // One was edited, one was deleted by hand, and one was recorded meanwhile.
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    let of = |index: usize| {
        group.path(&format!("/expenses/{}", expenses[index]["id"].as_str().unwrap()))
    };
    alice
        .put(
            &of(3),
            json!({ "amount": 7, "splitType": "equal",
            "splits": [{ "userId": "1" }, { "userId": "3" }] }),
        )
        .await
        .data(200);
    alice.delete(&of(4)).await.data(200);
    group.spend(1, json!({ "amount": 6 })).await;

    assert_eq!(status(&alice.delete(&path).await), "undone");
    group.verify().await;
    assert_eq!(group.balances().await, ["4.8", "1.8", "-4.2"]);
    let left = alice.pages(&group.path("/expenses"), 100).await;
    assert_eq!(left.len(), 2);
    assert_eq!(alice.get(&group.path("/settlements")).await.data(200), &json!([]));
    let members = alice.get(&group.path("")).await;
    assert_eq!(members.data(200)["members"].as_array().unwrap().len(), 5, "guests stay");

    let before = group.api.rows().await;
    assert_eq!(status(&alice.delete(&path).await), "undone");
    assert_eq!(group.api.rows().await, before, "a second undo changes nothing");
    assert_eq!(counts(&import.send(alice, &group).await), [11, 0, 10, 1]);
    assert_eq!(alice.get(&path).await.data(200)["status"], "done");
    group.verify().await;
}

#[tokio::test]
async fn an_undo_takes_along_the_guests_whom_nobody_uses() {
    let (group, import, path) = imported().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let of_group = group.path("");
    let names = async || {
        let members = alice.get(&of_group).await.data(200)["members"].clone();
        let name = |it: &Value| it["name"].as_str().unwrap().to_owned();
        let members = members.as_array().unwrap().iter().filter(|it| it["guest"] == true);
        members.map(name).collect::<Vec<_>>()
    };
    let guests = names().await;
    assert_eq!(guests.len(), 2);
    // The second one has a part in an expense, so that only the first one goes.
    let members = alice.get(&of_group).await.data(200)["members"].clone();
    let second = members.as_array().unwrap().iter().find(|it| it["name"] == guests[1].as_str());
    let second = second.unwrap()["id"].clone();
    let shared = json!({ "amount": 4, "splits": [{ "userId": "1" }, { "userId": second }] });
    let shared = group.spend(0, shared).await["id"].as_str().unwrap().to_owned();
    let undone = join_all([alice.delete(&path), bob.delete(&path), alice.delete(&path)]).await;
    assert_eq!(status(&undone[0]), "undone");
    assert_eq!(names().await, guests[1..]);
    assert_eq!(alice.get(&of_group).await.data(200)["memberCount"], 4);
    group.verify().await;
    // Imported again, they are the same guests.
    assert_eq!(counts(&import.send(alice, &group).await), [11, 0, 10, 1]);
    assert_eq!(names().await.len(), 2);
    group.verify().await;
    alice.delete(&group.path(&format!("/expenses/{shared}"))).await.data(200);
    assert_eq!(status(&alice.delete(&path).await), "undone");
    assert_eq!(names().await, Vec::<String>::new());
    let before = group.api.rows().await;
    assert_eq!(status(&alice.delete(&path).await), "undone");
    assert_eq!(group.api.rows().await, before, "a second undo changes nothing");
    // A plan names them as new guests, and a deleted expense of theirs can still be restored.
    let plan = import.clone().with("commit", json!(false)).send(alice, &group).await;
    assert_eq!(plan.data(200)["expenses"], 10);
    let restored = group.path(&format!("/expenses/{shared}/restore"));
    assert_eq!(alice.post(&restored, Value::Null).await.status, 200);
    group.verify().await;
}

#[tokio::test]
async fn files_of_every_app_are_undone_and_imported_again() {
    for (file, answers) in FILES {
        let group = Group::new(1, "EUR").await;
        let alice = &group.members[0];
        let import = Import::of(file, answers).by(alice, &group, &[]).await;
        let done = import.send(alice, &group).await;
        let [imported, ..] = counts(&done);
        let after = balances(&group).await;
        let id = done.data(200)["importId"].as_str().unwrap();
        let path = group.path(&format!("/import/{id}"));
        assert_eq!(status(&alice.delete(&path).await), "undone", "{file}");
        assert_eq!(balances(&group).await, Balances::new(), "{file}");
        assert_eq!(counts(&import.send(alice, &group).await)[..2], [imported, 0], "{file}");
        assert_eq!(counts(&import.send(alice, &group).await)[..2], [0, imported], "{file}");
        assert_eq!(balances(&group).await, after, "{file}");
        group.verify().await;
    }
}

#[tokio::test]
async fn an_undo_does_not_read_what_was_recorded_after_the_import() {
    let mut requests = Vec::new();
    for later in [0, 80] {
        let (group, import, path) = imported().await;
        let alice = &group.members[0];
        for _ in 0..later {
            group.spend(1, json!({ "amount": 6 })).await;
        }
        let undone = alice.delete(&path).await;
        assert_eq!(status(&undone), "undone");
        requests.push(undone.cost.requests);
        // The later expenses are in the period of an import that was done again.
        assert_eq!(counts(&import.send(alice, &group).await), [11, 0, 10, 1]);
        assert_eq!(status(&alice.delete(&path).await), "undone");
        assert_eq!(alice.pages(&group.path("/expenses"), 100).await.len(), 1 + later);
        group.verify().await;
    }
    assert_eq!(requests[0], requests[1]);
}

#[tokio::test]
async fn only_the_importer_may_undo_an_import_until_they_leave() {
    let (group, _, path) = imported().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    assert_eq!(bob.delete(&path).await.code(), (403, "NOT_ALLOWED"));
    let eve = group.api.user(9, "Eve");
    assert_eq!(eve.delete(&path).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(eve.get(&path).await.code(), (403, "NOT_A_MEMBER"));
    assert_eq!(eve.get(&group.path("/imports")).await.code(), (403, "NOT_A_MEMBER"));
    let unknown = group.path("/import/0190a1b2-0000-7000-8000-000000000001");
    assert_eq!(alice.delete(&unknown).await.code(), (404, "IMPORT_NOT_FOUND"));
    assert_eq!(alice.get(&unknown).await.code(), (404, "IMPORT_NOT_FOUND"));
    let other = Group::of(&group.api, 1, "EUR").await;
    let elsewhere = path.replace(&group.id, &other.id);
    assert_eq!(alice.delete(&elsewhere).await.code(), (404, "IMPORT_NOT_FOUND"));
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    assert_eq!(alice.delete(&path).await.code(), (409, "GROUP_ARCHIVED"));
    alice.patch(&group.path(""), json!({ "archived": false })).await.data(200);
    assert_eq!(alice.pages(&group.path("/expenses"), 100).await.len(), 11, "nothing was deleted");

    // Carol imports a file that leaves her without a balance, and leaves.
    let rows = [("2025-12-01", "General", "Tea", "USD", vec![100, -100])];
    let import = Import::of(&splitwise(&["A", "B"], &rows), "{}");
    let import = import.by(carol, &group, &[("A", "1"), ("B", "2")]).await;
    // It is of another group of the app, so it has no row of the first file.
    let import = import.confirmed(carol, &group).await;
    let done = import.send(carol, &group).await;
    let path = group.path(&format!("/import/{}", done.data(200)["importId"].as_str().unwrap()));
    assert_eq!(alice.delete(&path).await.code(), (403, "NOT_ALLOWED"));
    settle(&group, carol).await;
    carol.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(status(&bob.delete(&path).await), "undone");
    group.verify().await;
}

/// Settles the balance of a member by an adjustment.
async fn settle(group: &Group, member: &Caller) {
    let open = balances(group).await;
    let open = open.iter().filter(|((name, _), _)| *name == member.user.name);
    for ((_, currency), net) in open {
        let net: Decimal = net.parse().unwrap();
        let changes = json!([
            { "userId": member.id, "currency": currency, "amount": net.negated().to_string() },
            { "userId": "1", "currency": currency, "amount": net.to_string() },
        ]);
        let push = json!([{ "entryId": format!("settle {currency}"), "changes": changes }]);
        let pushed = group.members[0].post(&group.path("/ledger/entries"), push).await;
        assert_eq!(pushed.data(200)["nonApplied"], json!([]), "{}", pushed.text);
    }
}

#[tokio::test]
async fn an_undo_ends_an_import_that_is_still_running() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let import = Import::of(&year(300), "{}");
    let import = import.by(alice, &group, &[("A", "1"), ("B", "2")]).await;
    // A second process, which does not share the first one's lock.
    let other = group.api.another();
    let running = {
        let import = import.clone();
        let group = &group;
        let alice = alice.clone();
        async move { import.send(&alice, group).await }
    };
    let undo = async {
        let bob = alice.at(&other);
        loop {
            let imports = bob.get(&group.path("/imports")).await;
            if let Some(id) = imports.data(200)[0]["importId"].as_str() {
                let path = group.path(&format!("/import/{id}"));
                let mut undone = bob.delete(&path).await;
                while undone.status == 202 || undone.status == 409 {
                    undone = bob.delete(&path).await;
                }
                return undone;
            }
            tokio::task::yield_now().await;
        }
    };
    let (imported, undone) = tokio::join!(running, undo);
    assert_eq!(status(&undone), "undone");
    // Either the undo was first, or the import was done before, or it tells how far it came.
    if !imported.status.is_success() {
        assert_eq!(imported.code(), (409, "IMPORT_UNDOING"), "{}", imported.text);
    }
    assert_eq!(balances(&group).await, Balances::new());
    assert_eq!(alice.get(&group.path("/expenses")).await.data(200), &json!([]));
    group.verify().await;
}

#[tokio::test]
async fn undos_and_imports_at_once_leave_all_or_nothing() {
    let (group, import, path) = imported().await;
    let alice = &group.members[0];
    let requests = (0..8).map(|number| {
        let import = &import;
        let group = &group;
        let path = &path;
        let caller =
            alice.at(&if number % 2 == 0 { group.api.clone() } else { group.api.another() });
        async move {
            if number % 4 < 2 {
                import.send(&caller, group).await
            } else {
                caller.delete(path).await
            }
        }
    });
    for reply in join_all(requests).await {
        assert!(reply.status == 200 || reply.code().0 == 409, "{}", reply.text);
    }
    group.verify().await;
    // The row of the import shows its status, and a repeated request completes it.
    group.api.pass(Duration::from_secs(1));
    assert_eq!(status(&alice.delete(&path).await), "undone");
    assert_eq!(group.balances().await, ["6", "-3", "-3"]);
    group.verify().await;
}
