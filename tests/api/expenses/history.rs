//! List an expense's history.

use serde_json::{Value, json};

use super::path;
use crate::harness::Group;

#[tokio::test]
async fn history_lists_every_version_of_an_expense() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let made = group.spend(0, json!({ "amount": 10, "payerId": "2" })).await;
    let at = path(&group, &made);
    // Up to sequence 12: 9 sorts before 10, numerically.
    for amount in [11, 12, 13, 14, 15] {
        bob.put(&at, json!({ "amount": amount })).await.data(200);
    }
    alice.delete(&at).await.data(200);
    alice.post(&format!("{at}/restore"), json!({})).await.data(200);

    let history = format!("{at}/history");
    let entries = alice.pages(&history, 100).await;
    let summary = |entry: &Value| {
        format!(
            "{} {} {} by {}: {}",
            entry["sequence"],
            entry["status"].as_str().unwrap(),
            entry["otherSequence"],
            entry["actorId"].as_str().unwrap(),
            entry["expense"]["amount"],
        )
    };
    let summary: Vec<String> = entries.iter().map(summary).collect();
    assert_eq!(
        summary,
        [
            "12 applied null by 1: null",
            "11 revert 10 by 1: null",
            "10 reverted 11 by 2: 15",
            "9 revert 8 by 2: null",
            "8 reverted 9 by 2: 14",
            "7 revert 6 by 2: null",
            "6 reverted 7 by 2: 13",
            "5 revert 4 by 2: null",
            "4 reverted 5 by 2: 12",
            "3 revert 2 by 2: null",
            "2 reverted 3 by 2: 11",
            "1 revert 0 by 2: null",
            "0 reverted 1 by 1: 10",
        ]
    );
    assert_eq!(entries[12]["expense"], made);
    assert_eq!(
        entries[11]["changes"],
        json!([
            { "userId": "1", "currency": "EUR", "owed": -5 },
            { "userId": "2", "currency": "EUR", "paid": -10, "owed": -5 },
        ])
    );
    for limit in [1, 2, 3, 12, 13] {
        assert_eq!(alice.pages(&history, limit).await, entries, "pages of {limit}");
    }
    let by_name = group.path(&format!("/ledger/entries/{}", made["id"].as_str().unwrap()));
    assert_eq!(bob.pages(&by_name, 5).await, entries);

    alice.delete(&at).await.data(200);
    assert_eq!(alice.pages(&history, 100).await.len(), 14);
    let nothing = group.path("/expenses/019bc186-de00-7303-8303-030303030303/history");
    assert_eq!(alice.get(&nothing).await.code(), (404, "EXPENSE_NOT_FOUND"));
}
