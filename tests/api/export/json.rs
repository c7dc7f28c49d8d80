//! Exports as JSON.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Eventful, entries, exported, pages};
use crate::harness::Group;

#[tokio::test]
async fn every_row_of_a_group_is_exported_as_the_api_shows_it() {
    let eventful = Eventful::new().await;
    let alice = eventful.member(0);
    let get = async |rest: &str| alice.get(&eventful.group.path(rest)).await.data(200).clone();
    let export = exported(alice, eventful.id(), 1000).await;

    assert_eq!((&export["format"], &export["version"]), (&json!("fracti-json"), &json!(1)));
    let mut group = get("?include=past").await;
    let members = group.as_object_mut().unwrap().remove("members").unwrap();
    assert_eq!(export["group"], group);
    assert_eq!(sorted(&export["members"]), sorted(&members));
    assert_eq!(members.as_array().unwrap().len(), 7, "4 users, 2 guests and a past member");

    let kinds: BTreeSet<String> = export["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{} {}", it["status"], it["refType"]).replace('"', ""))
        .collect();
    let expected = [
        "applied adjustment",
        "applied expense",
        "applied link",
        "applied settlement",
        "revert adjustment",
        "revert expense",
        "reverted adjustment",
        "reverted expense",
    ];
    assert_eq!(kinds, expected.map(str::to_owned).into());
    for entry in entries(&export, "applied") {
        let id = entry["entryId"].as_str().unwrap();
        match entry["refType"].as_str().unwrap() {
            "expense" => assert_eq!(entry["expense"], get(&format!("/expenses/{id}")).await),
            "settlement" => {
                assert_eq!(entry["settlement"], get(&format!("/settlements/{id}")).await);
            }
            _ => assert!(entry.get("expense").is_none() && entry.get("settlement").is_none()),
        }
    }
    let expenses = entries(&export, "applied").into_iter().filter(|it| it["refType"] == "expense");
    assert_eq!(expenses.count(), get("/expenses?limit=100").await.as_array().unwrap().len());

    // Apart from what is embedded, the entries are those of the ledger.
    let mut ledger = get("/ledger/entries?order=asc&limit=100").await;
    let mut all = export["entries"].clone();
    for (exported, entry) in
        all.as_array_mut().unwrap().iter_mut().zip(ledger.as_array_mut().unwrap())
    {
        if exported["status"] == "applied" {
            exported.as_object_mut().unwrap().remove("expense");
            exported.as_object_mut().unwrap().remove("settlement");
        }
        assert_eq!(exported, entry);
    }
    assert_eq!(all, ledger);
    assert_eq!(export["sequence"], all.as_array().unwrap().len());

    let open: BTreeSet<String> = get("/settlements")
        .await
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["status"] != "completed")
        .map(ToString::to_string)
        .collect();
    let exported: BTreeSet<String> =
        export["settlements"].as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(exported, open);
    assert_eq!(open.len(), 2);

    let balances = get("/ledger/balance").await;
    let has_totals =
        |it: &&Value| ["paid", "owed", "sent", "received"].iter().any(|total| it[total] != 0);
    let of_ledger = balances["balances"].as_array().unwrap().iter().filter(has_totals).cloned();
    assert_eq!(sorted(&export["balances"]), sorted(&of_ledger.collect()));
}

/// The items of a list, as texts in order.
fn sorted(list: &Value) -> BTreeSet<String> {
    list.as_array().unwrap().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn pages_of_any_size_are_the_same_export() {
    let eventful = Eventful::new().await;
    let whole = exported(eventful.member(0), eventful.id(), 1000).await;
    for limit in [1, 2, 7, 100] {
        let pages = pages(eventful.member(0), eventful.id(), "json", limit).await;
        for page in &pages {
            let rows = ["entries", "settlements"]
                .map(|list| page.data(200)[list].as_array().unwrap().len());
            assert!(rows.iter().sum::<usize>() <= limit, "{limit}");
        }
        assert_eq!(super::joined(&pages), whole, "{limit}");
    }
}

#[tokio::test]
async fn group_without_events_has_an_export() {
    let group = Group::new(2, "EUR").await;
    let pages = pages(&group.members[1], &group.id, "json", 1).await;
    assert_eq!(pages.len(), 1);
    let data = pages[0].data(200);
    assert_eq!(
        (&data["sequence"], &data["entries"], &data["settlements"], &data["balances"]),
        (&json!(0), &json!([]), &json!([]), &json!([]))
    );
    assert_eq!(data["members"].as_array().unwrap().len(), 2);

    // A pending settlement is no event.
    let new = json!({ "toId": "1", "amount": 1 });
    group.members[1].post(&group.path("/settlements"), new).await.data(201);
    let export = exported(&group.members[1], &group.id, 1).await;
    assert_eq!(
        (&export["sequence"], &export["settlements"][0]["status"]),
        (&json!(0), &json!("pending"))
    );
}

#[tokio::test]
async fn amounts_are_texts_if_asked_for() {
    let group = Group::new(2, "TON").await;
    group.spend(0, json!({ "amount": "0.000000003" })).await;
    let reply = group.members[0].get(&group.path("/export?amounts=text")).await;
    let data = reply.data(200);
    assert_eq!(data["entries"][0]["expense"]["amount"], "0.000000003");
    assert_eq!(data["balances"][0]["paid"], "0.000000003");
    assert!(reply.text.contains("\"sequence\":1,"), "{}", reply.text);
}

#[tokio::test]
async fn pages_of_the_largest_rows_are_below_the_limit_of_lambda() {
    let group = Group::new(4, "EUR").await;
    let line = |index: usize| {
        json!({ "name": format!("{index} {}", "\"".repeat(80)), "amount": "10.00", "quantity": 1,
            "sharers": [{ "userId": "1", "weight": "1.2345" }, { "userId": "2" }, { "userId": "3" },
                { "userId": "4" }] })
    };
    let items: Vec<_> = (0..100).map(line).collect();
    let body = json!({ "splitType": "itemized", "items": items, "notes": "n".repeat(1000) });
    let made = group.spend(0, body).await;
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let edits = 100;
    for edit in 0..edits {
        let edit = json!({ "description": format!("Dinner {edit}") });
        group.members[0].put(&path, edit).await.data(200);
    }
    let pages = pages(&group.members[0], &group.id, "json", 1000).await;
    assert!(pages.len() > 1, "{} pages", pages.len());
    for page in &pages {
        // Lambda returns the body as a JSON string.
        let bytes = json!(page.text).to_string().len();
        assert!(bytes < 3_500_000, "{bytes} bytes");
        // A page is full after a hundred entries, each with an expense of 60 KB.
        assert!(page.bytes_read < 15_000_000, "{} bytes are read", page.bytes_read);
    }
    let export = super::joined(&pages);
    let snapshots = entries(&export, "reverted");
    assert_eq!(snapshots.len(), edits);
    assert!(snapshots.iter().all(|it| it["expense"]["items"].as_array().unwrap().len() == 100));
}
