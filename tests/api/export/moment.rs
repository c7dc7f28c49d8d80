//! All pages of an export show the moment of the first one.

use std::time::Duration;

use fracti_tests::faults::{Fault, Plan, Proxy};
use serde_json::{Value, json};

use super::{Eventful, exported, joined, next_cursor, rest, sheet};
use crate::{
    harness::{Api, Group},
    import::splitwise,
};

/// Changes a group in every way.
async fn change_everything(eventful: &Eventful) {
    let Eventful { group, edited, deleted, restored, pending, guest } = eventful;
    let [alice, bob, carol] = [0, 1, 2].map(|index| eventful.member(index));
    let edit = json!({ "amount": 1, "description": "Changed" });
    bob.put(&eventful.expense(edited), edit).await.data(200);
    alice.delete(&eventful.expense(restored)).await.data(200);
    bob.post(&(eventful.expense(deleted) + "/restore"), json!({})).await.data(200);
    let settlement = group.path(&format!("/settlements/{pending}"));
    bob.put(&settlement, json!({ "status": "completed" })).await.data(200);
    let paid = alice.get(&group.path("/settlements?status=completed")).await.data(200).clone();
    let paid = paid.as_array().unwrap().iter().find(|it| it["id"] != **pending).unwrap();
    let recipient = paid["toUserId"].as_str().unwrap().parse::<usize>().unwrap();
    let paid = group.path(&format!("/settlements/{}", paid["id"].as_str().unwrap()));
    let reverted = eventful.member(recipient - 1).put(&paid, json!({ "status": "failed" })).await;
    assert!(reverted.data(200)["revertedAt"].is_string());
    let opening = group.path("/ledger/entries/revert");
    alice.post(&opening, json!(["opening"])).await.data(200);
    let guests = alice.get(&group.path("")).await.data(200)["members"].clone();
    let friend = guests
        .as_array()
        .unwrap()
        .iter()
        .find(|it| it["name"].as_str().unwrap().starts_with("Old"))
        .unwrap();
    let friend = friend["id"].as_str().unwrap();
    assert_ne!(friend, guest);
    group.link(friend, "3").await.data(200);
    group.api.pass(Duration::from_secs(1));
    let newcomer = group.api.user(10, "Newcomer");
    newcomer.post(&group.path("/join"), json!({})).await.data(200);
    let shared = json!({ "amount": 11, "description": "Late" });
    newcomer.post(&group.path("/expenses"), shared).await.data(201);
    let late = json!({ "toId": "1", "amount": 2 });
    carol.post(&group.path("/settlements"), late).await.data(201);
    // Edits of all expenses, so that each page has some that changed after the first one.
    let expenses = alice.get(&group.path("/expenses?limit=100")).await.data(200).clone();
    for expense in expenses.as_array().unwrap() {
        let id = expense["id"].as_str().unwrap();
        let by = if expense["createdBy"] == "10" {
            &newcomer
        } else {
            let by = expense["createdBy"].as_str().unwrap().parse::<usize>().unwrap();
            eventful.member(by - 1)
        };
        by.put(&eventful.expense(id), json!({ "description": "Later" })).await.data(200);
    }
    group.verify().await;
}

#[tokio::test]
async fn changes_after_the_first_page_are_not_in_a_json_export() {
    for limit in [1, 3] {
        let eventful = Eventful::new().await;
        let alice = eventful.member(0);
        let before = exported(alice, eventful.id(), 1000).await;
        let first = alice.get(&eventful.group.path(&format!("/export?limit={limit}"))).await;
        change_everything(&eventful).await;
        let cursor = next_cursor(&first);
        let mut pages = vec![first];
        pages.extend(rest(alice, eventful.id(), "json", limit, cursor).await);
        assert_same(&joined(&pages), &before);
        let after = exported(alice, eventful.id(), 1000).await;
        assert_ne!(after["entries"], before["entries"]);
    }
}

fn assert_same(export: &Value, expected: &Value) {
    let lists = [export, expected].map(|it| it["entries"].as_array().unwrap());
    for (one, other) in lists[0].iter().zip(lists[1]) {
        assert_eq!(one, other);
    }
    assert_eq!(export, expected);
}

#[tokio::test]
async fn changes_after_the_first_page_are_not_in_a_csv_export() {
    for limit in [1, 4] {
        let eventful = Eventful::new().await;
        let alice = eventful.member(0);
        let before = sheet(alice, eventful.id(), 1000).await;
        let path = eventful.group.path(&format!("/export?format=csv&limit={limit}"));
        let first = alice.get(&path).await;
        change_everything(&eventful).await;
        let cursor = next_cursor(&first);
        let rest = rest(alice, eventful.id(), "csv", limit, cursor).await;
        let text: String = [first].into_iter().chain(rest).map(|page| page.text.clone()).collect();
        assert_eq!(text, before, "{limit}");
    }
}

#[tokio::test]
async fn undo_of_an_import_after_the_first_page_is_not_in_an_export() {
    let rows = [
        ("2025-12-01", "General", "Tea", "EUR", vec![100, -100]),
        ("2025-12-02", "Payment", "Back", "EUR", vec![-60, 60]),
        ("2025-12-03", "Payment", "Yen", "JPY", vec![50_000, -50_000]),
    ];
    let options = json!({ "members": { "A": "1", "B": "2" }, "commit": true });
    let form = json!({ "file": splitwise(&["A", "B"], &rows), "options": options });
    for format in ["json", "csv"] {
        let group = Group::new(2, "EUR").await;
        let alice = &group.members[0];
        group.spend(0, json!({ "amount": 9 })).await;
        let import = alice.post(&group.path("/import"), form.clone()).await.data(200).clone();
        let before = rest(alice, &group.id, format, 1000, None).await;
        let first = alice.get(&group.path(&format!("/export?format={format}&limit=1"))).await;
        let undo = group.path(&format!("/import/{}", import["importId"].as_str().unwrap()));
        assert_eq!(alice.delete(&undo).await.data(200)["status"], "undone");
        let cursor = next_cursor(&first);
        let mut pages = vec![first];
        pages.extend(rest(alice, &group.id, format, 1, cursor).await);
        if format == "json" {
            // The day of a payment goes with its row.
            let dateless = |mut export: Value| {
                for entry in export["entries"].as_array_mut().unwrap() {
                    if let Some(settlement) = entry["settlement"].as_object_mut() {
                        settlement.remove("date");
                    }
                }
                export
            };
            assert_same(&dateless(joined(&pages)), &dateless(joined(&before)));
        } else {
            let text: String = pages.iter().map(|page| page.text.as_str()).collect();
            assert_eq!(text, before[0].text);
            assert_eq!(text.matches("Payment to").count(), 2, "{text}");
        }
    }
}

#[tokio::test]
async fn csv_export_ends_if_a_member_is_renamed() {
    let group = Group::new(2, "EUR").await;
    for _ in 0..2 {
        group.spend(0, json!({ "amount": 10 })).await;
    }
    let path = group.path("/export?format=csv&limit=1");
    let first = group.members[0].get(&path).await;
    let path = format!("{path}&cursor={}", next_cursor(&first).unwrap());
    assert_eq!(group.members[0].get(&path).await.status, 200);
    group.api.user(2, "Bobby").post(&group.path("/join"), json!({})).await.data(200);
    assert_eq!(group.members[0].get(&path).await.code(), (400, "INVALID_CURSOR"));
}

#[tokio::test]
async fn entries_that_the_index_shows_as_applied_too_long_are_read_again() {
    // The index does not have the last write.
    let proxy = Proxy::start(Plan { lag: 1, ..Plan::none() }).await;
    let group = Group::of(&Api::new().await.behind(&proxy), 2, "EUR").await;
    let alice = &group.members[0];
    let expense = async || {
        let made = group.spend(0, json!({ "amount": 10, "description": "Tea" })).await;
        group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()))
    };
    let deleted = expense().await;
    let edited = expense().await;
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let push = json!([{ "entryId": "a", "changes": changes }]);
    alice.post(&group.path("/ledger/entries"), push).await.data(200);
    // The page with the entry that the last write reverted.
    let page = async |sequence: usize| {
        let mut path = group.path("/export?limit=1");
        for _ in 0..sequence {
            let page = alice.get(&path).await;
            path = group.path(&format!("/export?limit=1&cursor={}", next_cursor(&page).unwrap()));
        }
        alice.get(&path).await.data(200)["entries"][0].clone()
    };
    alice.delete(&deleted).await.data(200);
    let entry = page(0).await;
    assert_eq!((&entry["status"], &entry["otherSequence"]), (&json!("reverted"), &json!(3)));
    assert_eq!(entry["expense"]["amount"], 10);
    alice.put(&edited, json!({ "amount": 20 })).await.data(200);
    let entry = page(1).await;
    assert_eq!((&entry["status"], &entry["otherSequence"]), (&json!("reverted"), &json!(4)));
    assert_eq!(entry["expense"]["amount"], 10);
    alice.post(&group.path("/ledger/entries/revert"), json!(["a"])).await.data(200);
    let entry = page(2).await;
    assert_eq!((&entry["status"], &entry["otherSequence"]), (&json!("reverted"), &json!(6)));
    let (_, injected) = proxy.tally();
    assert!(injected[&Fault::StaleIndex] >= 3, "{injected:?}");
}
