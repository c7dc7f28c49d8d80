//! `fracti-admin retally`.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::Outcome;
use serde_json::json;

use super::admin;
use crate::harness::{Api, Group};

async fn retally(api: &Api, group: Option<&str>, dry_run: bool) -> (Outcome, String) {
    let mut out = Vec::new();
    let group = group.map(|id| id.parse().unwrap());
    let outcome = admin(api).retally(group, dry_run, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn corrupted_tallies_are_corrected_and_no_other_row_changes() {
    let group = Group::new(2, "EUR").await;
    let (api, id) = (&group.api, &group.id);
    let mut days = Vec::new();
    for day in 1..=100 {
        let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        group.spend(0, json!({ "amount": 20, "category": "food", "date": date })).await;
        days.push(date);
    }
    let right = api.rows().await;
    let nothing = (Outcome::Good, "1 groups read, 0 tallies corrected\n".to_owned());
    assert_eq!(retally(api, None, false).await, nothing);
    assert_eq!(api.rows().await, right);

    // All tallies of 99 days are gone, a counter of the last is wrong, and a day has a tally that
    // no expense explains.
    let ledger = format!("LEDGER#{id}");
    for day in &days[..99] {
        api.delete_row(&ledger, &format!("SPENT#{day}#food")).await;
    }
    for sk in [format!("SPENT#{}#food", days[99]), "SPENT#2024-01-01#none".to_owned()] {
        api.change_row(&ledger, &sk, |row| {
            row.insert("s#2#EUR".to_owned(), AttributeValue::N("7".to_owned()));
            let at = AttributeValue::S("2026-01-01T00:00:00.000Z".to_owned());
            row.insert("updatedAt".to_owned(), at);
        })
        .await;
    }
    let wrong = api.rows().await;
    let (outcome, output) = retally(api, Some(id), true).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(output.contains(&format!("group {id}: tally 2024-01-01#none differs\n")), "{output}");
    assert!(output.ends_with("1 groups read, 101 tallies differ\n"), "{output}");
    assert_eq!(api.rows().await, wrong, "a dry run writes nothing");

    let (outcome, output) = retally(api, Some(id), false).await;
    assert_eq!(outcome, Outcome::Good);
    assert!(output.ends_with("1 groups read, 101 tallies corrected\n"), "{output}");
    group.verify().await;
    let mut corrected = api.rows().await;
    for (key, row) in &mut corrected {
        if key.1.starts_with("SPENT#") {
            row.remove("updatedAt");
        }
    }
    for (key, mut row) in right {
        match key.1.as_str() {
            "BALANCE" => {}
            tally if tally.starts_with("SPENT#") => {
                row.remove("updatedAt");
                assert_eq!(corrected.get(&key), Some(&row));
            }
            _ => assert_eq!(corrected.get(&key), Some(&row)),
        }
        corrected.remove(&key);
    }
    assert_eq!(corrected.into_keys().collect::<Vec<_>>(), []);
    assert_eq!(retally(api, None, false).await, nothing);
}
