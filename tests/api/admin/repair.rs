//! `fracti-admin repair` of all groups.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::{Outcome, RepairOptions};
use serde_json::json;

use super::admin;
use crate::harness::{Api, Group};

async fn repair(api: &Api, yes: bool) -> (Outcome, String) {
    let mut out = Vec::new();
    let options = RepairOptions { group: None, yes, report: None };
    let mut admin = admin(api).at(api.app.clock.clone());
    let outcome = admin.repair(&options, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn counts_links_and_tallies_of_all_groups_are_corrected_and_nothing_else() {
    let group = Group::new(3, "EUR").await;
    let api = &group.api;
    let guest = group.guest(0, "Grandma").await;
    let other = group.guest(0, "Grandpa").await;
    group.link(&guest, "2").await.data(200);
    group.spend(0, json!({ "amount": 30 })).await;
    let second = Group::of(api, 2, "EUR").await;
    let mut days = Vec::new();
    for day in 1..=100 {
        let date = format!("2026-{:02}-{:02}", 1 + day / 28, 1 + day % 28);
        second.spend(0, json!({ "amount": 20, "category": "food", "date": date })).await;
        days.push(date);
    }
    let right = api.rows().await;
    let nothing = (Outcome::Good, "0 rows mended, 0 findings cannot be mended\n".to_owned());
    assert_eq!(repair(api, true).await, nothing);
    assert_eq!(api.rows().await, right);

    let partition = format!("GROUP#{}", group.id);
    let row = |member: &str| format!("USER#{member}");
    api.change_row(&partition, "METADATA", |row| {
        row.insert("memberCount".to_owned(), AttributeValue::N("9".to_owned()));
    })
    .await;
    api.change_row(&partition, &row("2"), |row| drop(row.remove("guests"))).await;
    api.change_row(&partition, &row(&other), |row| {
        row.insert("linkedTo".to_owned(), AttributeValue::S("3".to_owned()));
    })
    .await;
    // More tallies than one transaction writes are gone, a counter of the last is wrong, and a day
    // has a tally that no expense explains.
    let ledger = format!("LEDGER#{}", second.id);
    for day in &days[..99] {
        api.delete_row(&ledger, &format!("SPENT#{day}#food")).await;
    }
    for sk in [format!("SPENT#{}#food", days[99]), "SPENT#2024-01-01#none".to_owned()] {
        let known = api.rows().await.remove(&(ledger.clone(), format!("SPENT#{}#food", days[99])));
        api.change_row(&ledger, &sk, |row| {
            let pk = row.get("PK").cloned();
            let own = row.get("SK").cloned();
            row.extend(known.unwrap());
            row.extend(pk.map(|key| ("PK".to_owned(), key)));
            row.extend(own.map(|key| ("SK".to_owned(), key)));
            row.insert("s#2#EUR".to_owned(), AttributeValue::N("7".to_owned()));
        })
        .await;
    }
    let wrong = api.rows().await;
    let (outcome, found) = repair(api, false).await;
    assert_eq!(
        (outcome, api.rows().await),
        (Outcome::Bad, wrong),
        "without --yes, nothing changes"
    );
    let links = [format!("USER#{other} its linkedTo"), "USER#2 its guests".to_owned()];
    for wrong in links.iter().map(String::as_str).chain(["METADATA its memberCount", "2024-01-01"])
    {
        assert!(found.contains(wrong), "{wrong}: {found}");
    }
    let last = "104 rows would be mended, 0 findings cannot be mended; --yes writes\n";
    assert!(found.ends_with(last), "{found}");

    let (outcome, found) = repair(api, true).await;
    assert_eq!(outcome, Outcome::Good, "{found}");
    assert!(found.ends_with("104 rows mended, 0 findings cannot be mended\n"), "{found}");
    let mut corrected = api.rows().await;
    for (key, mut row) in right {
        let mut found = corrected.remove(&key).unwrap();
        for row in [&mut row, &mut found] {
            row.retain(|name, _| name != "version" && name != "updatedAt");
        }
        assert_eq!(found, row, "{key:?}");
    }
    assert_eq!(corrected.into_keys().collect::<Vec<_>>(), []);
    assert_eq!(repair(api, true).await, nothing);

    // Nothing tells the name of a member whose row is lost.
    api.delete_row(&partition, &row("3")).await;
    let (outcome, found) = repair(api, true).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(found.contains("USER#3 is missing"), "{found}");
}
