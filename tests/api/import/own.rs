//! Adjustments and pending settlements, which only Fracti's own JSON has.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{
    Balances, Import, balances, counts,
    round_trip::{contents, empty, imported_again},
};
use crate::{
    export::exported,
    harness::{Api, Caller, Group},
};

/// A group of three whose ledger has adjustments in two currencies, and which has settlements in
/// each status.
async fn adjusted() -> Group {
    let group = Group::new(3, "EUR").await;
    group.spend(0, json!({ "amount": 30 })).await;
    let change = |user: usize, amount: i64, currency: &str| {
        json!({ "userId": user.to_string(), "amount": amount,
            "currency": currency })
    };
    let push = json!([
        { "entryId": "opening", "note": "Opening", "changes": [
            change(1, 3, "EUR"), change(2, -1, "EUR"), change(3, -2, "EUR"),
            change(2, 700, "JPY"), change(3, -700, "JPY"),
        ] },
        { "entryId": "no note", "changes": [change(1, -5, "EUR"), change(2, 5, "EUR")] },
        { "entryId": "mistake", "changes": [change(1, 9, "EUR"), change(2, -9, "EUR")] },
    ]);
    let path = group.path("/ledger/entries");
    let pushed = group.members[0].post(&path, push).await;
    assert_eq!(pushed.data(200)["nonApplied"], json!([]));
    group.spend(1, json!({ "amount": 12 })).await;
    let revert = group.members[0].post(&format!("{path}/revert"), json!(["mistake"])).await;
    assert_eq!(revert.data(200)["nonApplied"], json!([]));
    group.pay(2, 0, "4").await;
    for (amount, status) in [(1, None), (2, Some("failed")), (3, None)] {
        let new = json!({ "toId": "1", "amount": amount });
        let pending = group.members[1].post(&group.path("/settlements"), new).await;
        if let Some(status) = status {
            update(&group, &group.members[1], pending.data(201), json!({ "status": status })).await;
        }
    }
    group
}

async fn update(group: &Group, by: &Caller, settlement: &Value, update: Value) -> Value {
    let path = group.path(&format!("/settlements/{}", settlement["id"].as_str().unwrap()));
    by.put(&path, update).await.data(200).clone()
}

/// A new group with the members of the source, into which its export is imported.
async fn copied(source: &Group) -> (Group, Import, String) {
    let group = Group::of(&source.api, 3, "EUR").await;
    let alice = &group.members[0];
    let export = exported(alice, &source.id, 10).await.to_string();
    let names: Vec<String> = group.members.iter().map(|it| it.user.name.clone()).collect();
    let known = [(&*names[0], "1"), (&*names[1], "2"), (&*names[2], "3")];
    let import = Import::of(&export, "{}").by(alice, &group, &known).await;
    let done = import.send(alice, &group).await;
    assert_eq!(done.data(200)["status"], "done");
    let path = group.path(&format!("/import/{}", done.data(200)["importId"].as_str().unwrap()));
    (group, import, path)
}

async fn settlements(group: &Group, status: &str) -> Vec<Value> {
    let all = group.members[0].pages(&group.path("/settlements"), 100).await;
    all.into_iter().filter(|it| it["status"] == status).collect()
}

#[tokio::test]
async fn a_copy_has_the_adjustments_and_the_pending_settlements() {
    let source = adjusted().await;
    let export = exported(&source.members[0], &source.id, 10).await;
    let into = empty(&source.api).await;
    let copy = imported_again(&export, &into).await;
    assert_eq!(contents(&copy), contents(&export));
    let text = contents(&copy).join("\n");
    assert!(text.contains("adjustment \"Opening\"") && text.contains("adjustment null"), "{text}");
    assert_eq!(text.matches("\"pending\"").count(), 2, "{text}");
    let entries = copy["entries"].as_array().unwrap().iter();
    let names: Vec<&str> = entries
        .filter(|it| it["refType"] == "adjustment")
        .map(|it| it["entryId"].as_str().unwrap())
        .collect();
    let starts = ["opening ", "no note "];
    assert_eq!(names.len(), 2);
    assert!(names.iter().zip(starts).all(|(name, start)| name.starts_with(start)), "{names:?}");
    // The totals are equal, too, not only the balances.
    let totals = |export: &Value| -> Vec<Vec<String>> {
        let fields = ["name", "currency", "paid", "owed", "sent", "received"];
        let rows = export["balances"].as_array().unwrap().iter();
        let mut rows: Vec<Vec<String>> =
            rows.map(|row| fields.map(|field| row[field].to_string()).to_vec()).collect();
        rows.sort();
        rows
    };
    assert_eq!(totals(&copy), totals(&export));
}

#[tokio::test]
async fn a_copy_takes_amounts_as_large_as_the_ledger_does() {
    let source = Group::new(3, "EUR").await;
    // Each is almost as large as a total can be, and refunds are subtracted.
    let large = "90000000000000000";
    for amount in [large, &format!("-{large}"), &format!("-{large}"), large] {
        source.spend(0, json!({ "amount": amount, "splits": [{ "userId": "2" }] })).await;
    }
    let change = |user: &str, amount: &str| json!({ "userId": user, "amount": amount });
    let changes = [change("1", large), change("3", &format!("-{large}"))];
    let push = json!([{ "entryId": "opening", "changes": changes }]);
    let pushed = source.members[0].post(&source.path("/ledger/entries"), push).await;
    assert_eq!(pushed.data(200)["nonApplied"], json!([]));
    let export = exported(&source.members[0], &source.id, 10).await;
    let copy = imported_again(&export, &empty(&source.api).await).await;
    assert_eq!(contents(&copy), contents(&export));
}

#[tokio::test]
async fn the_plan_counts_adjustments_and_warns_of_what_is_lost() {
    let source = adjusted().await;
    let export = exported(&source.members[0], &source.id, 10).await.to_string();
    let into = empty(&source.api).await;
    let plan = Import::of(&export, "{}").send(&into.members[0], &into).await;
    let plan = plan.data(200);
    assert_eq!(
        (&plan["expenses"], &plan["settlements"], &plan["adjustments"]),
        (&json!(2), &json!(3), &json!(2))
    );
    let warnings: Vec<&str> = plan["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["message"].as_str().unwrap())
        .collect();
    assert_eq!(
        warnings,
        [
            "2 entries of the past are not imported; they belong to edits, to deleted expenses or \
             to reverted adjustments",
            "1 failed settlement is not imported",
        ]
    );
}

#[tokio::test]
async fn a_later_export_adds_only_what_is_new() {
    let source = adjusted().await;
    let [alice, bob] = [0, 1].map(|index| &source.members[index]);
    let (group, import, _) = copied(&source).await;
    let alice_of_copy = &group.members[0];
    assert_eq!(counts(&import.send(alice_of_copy, &group).await), [0, 7, 0, 0]);

    // In the source, one of the pending settlements is completed, and one has been recorded.
    let pending = settlements(&source, "pending").await;
    update(&source, alice, &pending[0], json!({ "status": "completed" })).await;
    let new = json!({ "toId": "1", "amount": 8 });
    bob.post(&source.path("/settlements"), new).await.data(201);
    let push = json!([{ "entryId": "late",
        "changes": [{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }] }]);
    bob.post(&source.path("/ledger/entries"), push).await.data(200);
    let later = Import { file: exported(alice, &source.id, 10).await.to_string(), ..import };
    assert_eq!(later.send(alice_of_copy, &group).await.code(), (409, "IMPORT_DIFFERS"));
    let later = later.confirmed(alice_of_copy, &group).await;
    let done = later.send(alice_of_copy, &group).await;
    assert_eq!(counts(&done), [2, 7, 0, 1]);
    assert_eq!(done.data(200)["adjustments"], 1);
    assert_eq!(settlements(&group, "pending").await.len(), 3, "the known one stays pending");
    group.verify().await;

    // With an update, it is completed, and an adjustment that was reverted since is gone.
    let revert = source.path("/ledger/entries/revert");
    alice.post(&revert, json!(["no note"])).await.data(200);
    let file = exported(alice, &source.id, 10).await.to_string();
    let update = Import { file, ..later }.with("update", json!(true));
    let update = update.confirmed(alice_of_copy, &group).await;
    let done = update.send(alice_of_copy, &group).await;
    let edits = ["imported", "updated", "deleted"].map(|it| done.data(200)[it].clone());
    assert_eq!(json!(edits), json!([0, 1, 1]), "{}", done.text);
    assert_eq!(settlements(&group, "pending").await.len(), 2);
    group.verify().await;
    let nets = |balances: Balances| balances.into_values().collect::<Vec<_>>();
    assert_eq!(nets(balances(&group).await), nets(balances(&source).await));
}

#[tokio::test]
async fn imports_at_once_record_each_adjustment_and_settlement_once() {
    let source = adjusted().await;
    let group = Group::of(&source.api, 3, "EUR").await;
    let alice = &group.members[0];
    let export = exported(alice, &source.id, 10).await;
    let import = Import::of(&export.to_string(), "{}");
    let names: Vec<String> = group.members.iter().map(|it| it.user.name.clone()).collect();
    let known = [(&*names[0], "1"), (&*names[1], "2"), (&*names[2], "3")];
    let import = import.by(alice, &group, &known).await;
    let requests = (0..4).map(|number| {
        let api = if number % 2 == 0 { group.api.clone() } else { group.api.another() };
        let import = &import;
        let group = &group;
        let alice = alice.at(&api);
        async move { import.send(&alice, group).await }
    });
    let imported: u64 = join_all(requests).await.iter().map(|reply| counts(reply)[0]).sum();
    assert_eq!(imported, 7);
    let copy = exported(alice, &group.id, 10).await;
    assert_eq!(contents(&copy), contents(&export));
    group.verify().await;
}

#[tokio::test]
async fn an_undo_reverts_adjustments_and_deletes_settlements_in_every_status() {
    let source = adjusted().await;
    let (group, import, path) = copied(&source).await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let entries = group.path("/ledger/entries");
    let own = json!([{ "entryId": "opening",
        "changes": [{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }] }]);
    alice.post(&entries, own).await.data(200);
    let own_settlement = json!({ "toId": "1", "amount": 8 });
    bob.post(&group.path("/settlements"), own_settlement).await.data(201);

    // One adjustment is reverted by hand; one settlement is completed with a hash, one fails.
    let export = exported(alice, &group.id, 10).await;
    let of_import = export["entries"].as_array().unwrap().iter();
    let of_import =
        of_import.filter(|it| it["refType"] == "adjustment" && !it["importId"].is_null());
    let names: Vec<&Value> = of_import.map(|it| &it["entryId"]).collect();
    assert_eq!(names.len(), 2);
    alice.post(&format!("{entries}/revert"), json!([names[0]])).await.data(200);
    let pending = settlements(&group, "pending").await;
    let of = |amount: u64| pending.iter().find(|it| it["amount"] == amount).unwrap();
    let hash = "ab".repeat(32);
    update(&group, bob, of(1), json!({ "txHash": hash })).await;
    update(&group, alice, of(1), json!({ "status": "completed" })).await;
    update(&group, bob, of(3), json!({ "status": "failed" })).await;

    assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
    group.verify().await;
    let own_balances: Balances = [("Alice", "1"), ("Bob", "-1")]
        .map(|(name, net)| ((name.to_owned(), "EUR".to_owned()), net.to_owned()))
        .into();
    let left: Vec<Value> = group.members[0].pages(&group.path("/settlements"), 100).await;
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(left[0]["amount"], 8);
    let nets: Vec<_> = balances(&group).await.into_values().collect();
    assert_eq!(nets, own_balances.into_values().collect::<Vec<_>>());
    // The hash is free again.
    update(&group, bob, &left[0], json!({ "txHash": hash })).await;

    // Everything can be imported again, and undone again.
    assert_eq!(counts(&import.send(alice, &group).await), [7, 0, 2, 3]);
    group.verify().await;
    assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
    assert_eq!(settlements(&group, "pending").await.len(), 1);
    group.verify().await;
}

#[tokio::test]
async fn an_undo_with_a_tally_for_each_expense_leaves_room_for_adjustments() {
    let source = Group::new(3, "EUR").await;
    for day in 1..=13 {
        source.spend(0, json!({ "amount": 3, "date": format!("2026-01-{day:02}") })).await;
    }
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let entry = |name: u32| json!({ "entryId": name.to_string(), "changes": changes });
    let push: Vec<Value> = (0..8).map(entry).collect();
    source.members[0].post(&source.path("/ledger/entries"), json!(push)).await.data(200);
    let (group, _, path) = copied(&source).await;
    assert_ne!(balances(&group).await, Balances::new());
    assert_eq!(group.members[0].delete(&path).await.data(200)["status"], "undone");
    assert_eq!(balances(&group).await, Balances::new());
}

#[tokio::test]
async fn an_undo_finds_adjustments_among_many_other_entries() {
    let api = Api::new().await;
    let source = Group::of(&api, 3, "EUR").await;
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let push = |from: usize, to: usize, name: &str| -> Value {
        let entry =
            |index: usize| json!({ "entryId": format!("{name} {index}"), "changes": changes });
        (from..to).map(entry).collect()
    };
    let entries = source.path("/ledger/entries");
    for from in [0, 90, 180, 270] {
        source.members[0].post(&entries, push(from, from + 90, "mine")).await.data(200);
    }
    let (group, _, path) = copied(&source).await;
    let alice = &group.members[0];
    for from in [0, 75] {
        let entries = group.path("/ledger/entries");
        alice.post(&entries, push(from, from + 75, "other")).await.data(200);
    }
    assert_eq!(group.balances().await, ["510", "-510", "0"]);
    assert_eq!(alice.delete(&path).await.data(200)["status"], "undone");
    assert_eq!(group.balances().await, ["150", "-150", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn adjustments_of_people_who_are_one_member_are_added_up_or_left_out() {
    let source = adjusted().await;
    let group = Group::of(&source.api, 3, "EUR").await;
    let alice = &group.members[0];
    let export = exported(alice, &source.id, 10).await.to_string();
    let names: Vec<String> = group.members.iter().map(|it| it.user.name.clone()).collect();
    // Alice and Bob are one member, so the adjustment between them is left out.
    let known = [(&*names[0], "1"), (&*names[1], "1"), (&*names[2], "3")];
    let import = Import::of(&export, "{}").by(alice, &group, &known).await;
    let plan = import.clone().with("commit", json!(false)).send(alice, &group).await;
    let plan = plan.data(200);
    assert_eq!((&plan["adjustments"], &plan["settlements"]), (&json!(1), &json!(1)));
    let left_out = "the adjustment is left out, because its members are one member";
    let warnings = plan["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|it| it["message"] == left_out), "{plan}");
    assert_eq!(counts(&import.send(alice, &group).await), [4, 0, 2, 1]);
    group.verify().await;
    let copy = exported(alice, &group.id, 10).await;
    let entries = copy["entries"].as_array().unwrap().iter();
    let adjustment = entries.filter(|it| it["refType"] == "adjustment").collect::<Vec<_>>();
    assert_eq!(adjustment.len(), 1);
    assert_eq!(adjustment[0]["changes"].as_array().unwrap().len(), 4);
}

#[tokio::test]
async fn an_adjustment_that_the_ledger_cannot_take_is_refused_by_its_place() {
    let source = Group::new(2, "EUR").await;
    let push = |amount: u64| {
        let changes = json!([
            { "userId": "1", "amount": amount },
            { "userId": "2", "amount": format!("-{amount}") },
        ]);
        json!([{ "entryId": "large", "changes": changes }])
    };
    let alice = &source.members[0];
    alice.post(&source.path("/ledger/entries"), push(40_000_000_000_000_000)).await.data(200);
    let export = exported(alice, &source.id, 10).await.to_string();
    let group = Group::of(&source.api, 2, "EUR").await;
    let alice = &group.members[0];
    alice.post(&group.path("/ledger/entries"), push(60_000_000_000_000_000)).await.data(200);
    let names: Vec<String> = group.members.iter().map(|it| it.user.name.clone()).collect();
    let known = [(&*names[0], "1"), (&*names[1], "2")];
    let import = Import::of(&export, "{}").by(alice, &group, &known).await;
    let before = group.api.rows().await;
    let refused = import.send(alice, &group).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    let message = refused.body["details"][0]["message"].as_str().unwrap();
    assert!(message.starts_with("entries[0]: amount must keep the group's totals"), "{message}");
    assert_eq!(group.api.rows().await, before);
}
