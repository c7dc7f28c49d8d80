//! List the deleted expenses of a group.

use std::{collections::BTreeSet, time::Duration};

use serde_json::{Value, json};

use super::path;
use crate::{harness::Group, import::splitwise};

/// The deleted expenses of a group, newest deletion first.
async fn deleted(group: &Group, by: usize) -> Vec<Value> {
    let path = group.path("/expenses?deleted=true&limit=100");
    group.members[by].get(&path).await.data(200).as_array().unwrap().clone()
}

/// The ids of expenses.
fn ids(of: &[Value]) -> Vec<&str> {
    of.iter().map(|it| it["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn deleted_expenses_are_listed_as_they_were_until_they_are_restored() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let kept = group.spend(0, json!({ "amount": 5 })).await;
    let hut = group.spend(0, json!({ "amount": 90, "description": "Hut" })).await;
    let tea = group.spend(1, json!({ "amount": 6, "description": "Tea" })).await;
    assert_eq!(deleted(&group, 2).await, [Value::Null; 0]);
    alice.put(&path(&group, &hut), json!({ "amount": 100 })).await.data(200);
    let listed = alice.get(&group.path("/expenses")).await.data(200).clone();
    for (by, expense) in [(bob, &tea), (alice, &hut)] {
        group.api.pass(Duration::from_mins(1));
        by.delete(&path(&group, expense)).await.data(200);
    }
    let list = deleted(&group, 2).await;
    assert_eq!(ids(&list), [hut["id"].as_str().unwrap(), tea["id"].as_str().unwrap()]);
    let mut was = list[0].clone();
    for (name, value) in [("deletedBy", "1"), ("deletedByName", "A")] {
        assert_eq!(was.as_object_mut().unwrap().remove(name).unwrap(), value);
    }
    assert_eq!(
        was.as_object_mut().unwrap().remove("deletedAt").unwrap(),
        group.api.now().to_string()
    );
    assert_eq!(was, listed[1], "as the list had it, with its last amount");
    assert_eq!(list[1]["deletedBy"], "2");

    // Restored and deleted again, it is in the list once, with the later time.
    alice.post(&format!("{}/restore", path(&group, &hut)), json!({})).await.data(200);
    assert_eq!(ids(&deleted(&group, 0).await), [tea["id"].as_str().unwrap()]);
    group.api.pass(Duration::from_mins(1));
    alice.delete(&path(&group, &hut)).await.data(200);
    let again = deleted(&group, 0).await;
    assert_eq!(ids(&again), ids(&list));
    assert_eq!(again[0]["deletedAt"], group.api.now().to_string());
    assert_eq!(listed[2]["id"], kept["id"]);
    group.verify().await;
}

#[tokio::test]
async fn pages_have_each_deleted_expense_once() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    for amount in 1..=7 {
        let made = group.spend(0, json!({ "amount": amount })).await;
        alice.delete(&path(&group, &made)).await.data(200);
    }
    let mut seen = BTreeSet::new();
    let mut next = group.path("/expenses?deleted=true&limit=3");
    for expected in [3, 3, 1] {
        let page = alice.get(&next).await;
        let items = page.data(200).as_array().unwrap().clone();
        assert_eq!(items.len(), expected);
        seen.extend(items.iter().map(|it| it["id"].as_str().unwrap().to_owned()));
        let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap_or_default();
        next = group.path(&format!("/expenses?deleted=true&limit=3&cursor={cursor}"));
        // A cursor of another list is refused.
        if !cursor.is_empty() {
            let other = group.path(&format!("/expenses?cursor={cursor}"));
            assert_eq!(alice.get(&other).await.code(), (400, "INVALID_CURSOR"));
        }
    }
    assert_eq!(seen.len(), 7);
}

#[tokio::test]
async fn list_of_deleted_expenses_takes_no_filter_and_only_members() {
    let group = Group::new(2, "EUR").await;
    for query in ["order=date", "q=tea", "payerId=1", "from=2026-01-01", "category=food"] {
        let path = group.path(&format!("/expenses?deleted=true&{query}"));
        let refused = group.members[0].get(&path).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{query}");
        assert_eq!(refused.body["details"][0]["path"], "deleted", "{query}");
    }
    let stranger = group.api.user(9, "Eve").get(&group.path("/expenses?deleted=true")).await;
    assert_eq!(stranger.code(), (403, "NOT_A_MEMBER"));
}

#[tokio::test]
async fn undo_of_an_import_adds_nothing_to_the_list() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let file = splitwise(&["A", "B"], &[("2026-01-01", "General", "Tea", "EUR", vec![100, -100])]);
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } }).to_string();
    let made =
        alice.post(&group.path("/import"), json!({ "file": file, "options": options })).await;
    let import = made.data(200)["importId"].as_str().unwrap().to_owned();
    let imported = alice.get(&group.path("/expenses")).await.data(200)[0].clone();
    alice.delete(&group.path(&format!("/import/{import}"))).await.data(200);
    assert_eq!(deleted(&group, 0).await, [Value::Null; 0]);
    // It is restored by its id.
    alice.post(&format!("{}/restore", path(&group, &imported)), json!({})).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn expenses_that_were_imported_and_deleted_again_are_listed_once() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let row = |text| ("2026-01-01", "General", text, "EUR", vec![100, -100]);
    let file = splitwise(&["A", "B"], &[row("Tea"), row("Cake"), row("Bus")]);
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } }).to_string();
    let import = async || {
        let sent = json!({ "file": file, "options": options });
        let made = alice.post(&group.path("/import"), sent).await;
        made.data(200)["importId"].as_str().unwrap().to_owned()
    };
    let id = import().await;
    let imported = alice.get(&group.path("/expenses")).await.data(200).clone();
    let of = |text: &str| {
        let found = imported.as_array().unwrap().iter().find(|it| it["description"] == text);
        found.unwrap().clone()
    };
    let [tea, cake] = ["Tea", "Cake"].map(of);
    let delete = async |expense: &Value| {
        group.api.pass(Duration::from_secs(1));
        alice.delete(&path(&group, expense)).await.data(200);
        group.api.now().to_string()
    };
    let list = async || {
        let all = deleted(&group, 1).await;
        let one_by_one = group.members[1].pages(&group.path("/expenses?deleted=true"), 1).await;
        assert_eq!(one_by_one, all);
        let row = |it: &Value| {
            let texts = [&it["description"], &it["deletedAt"]];
            texts.map(|text| text.as_str().unwrap().to_owned())
        };
        all.iter().map(row).collect::<Vec<_>>()
    };
    delete(&tea).await;
    let of_cake = delete(&cake).await;
    import().await;
    assert_eq!(list().await, [[""; 2]; 0]);
    let of_tea = delete(&tea).await;
    assert_eq!(list().await, [["Tea", &*of_tea]]);
    let of_cake_again = delete(&cake).await;
    assert_ne!(of_cake, of_cake_again);
    assert_eq!(list().await, [["Cake", &*of_cake_again], ["Tea", &*of_tea]]);
    // An edit and a deletion after a third import.
    import().await;
    alice.put(&path(&group, &tea), json!({ "description": "Chai" })).await.data(200);
    let of_tea = delete(&tea).await;
    assert_eq!(list().await, [["Chai", &*of_tea]]);
    alice.post(&format!("{}/restore", path(&group, &tea)), json!({})).await.data(200);
    assert_eq!(list().await, [[""; 2]; 0]);
    // The undo deletes last, and what it deletes is not listed.
    let of_cake = delete(&cake).await;
    alice.delete(&group.path(&format!("/import/{id}"))).await.data(200);
    assert_eq!(list().await, [["Cake", &*of_cake]]);
    import().await;
    delete(&cake).await;
    import().await;
    alice.delete(&group.path(&format!("/import/{id}"))).await.data(200);
    assert_eq!(list().await, [[""; 2]; 0]);
    group.verify().await;
}

#[tokio::test]
async fn deletions_of_an_earlier_version_are_restored_without_a_row() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let made = group.spend(0, json!({ "amount": 9 })).await;
    alice.delete(&path(&group, &made)).await.data(200);
    let rows = group.api.rows().await;
    let (pk, sk) = rows.keys().find(|(_, sk)| sk.starts_with("DELETED#")).unwrap().clone();
    group.api.delete_row(&pk, &sk).await;
    assert_eq!(deleted(&group, 0).await, [Value::Null; 0]);
    alice.post(&format!("{}/restore", path(&group, &made)), json!({})).await.data(200);
    alice.get(&path(&group, &made)).await.data(200);
    group.verify().await;
}
