//! `fracti-admin recount`, and what `verify` says of members.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::Outcome;
use serde_json::json;

use super::admin;
use crate::harness::{Api, Group};

async fn recount(api: &Api, dry_run: bool) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = admin(api).recount(None, dry_run, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

async fn verified(api: &Api) -> (Outcome, String) {
    let mut out = Vec::new();
    let outcome = admin(api).verify(None, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

#[tokio::test]
async fn wrong_counts_and_links_are_found_and_corrected() {
    let group = Group::new(3, "EUR").await;
    let api = &group.api;
    let guest = group.guest(0, "Grandma").await;
    let other = group.guest(0, "Grandpa").await;
    let link = group.path(&format!("/members/{guest}/link"));
    group.members[0].post(&link, json!({ "userId": "2" })).await.data(200);
    group.spend(0, json!({ "amount": 30 })).await;
    let right = api.rows().await;
    let nothing = (Outcome::Good, "1 groups read, of which 0 were different\n".to_owned());
    assert_eq!(recount(api, false).await, nothing);
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
    let (outcome, found) = verified(api).await;
    assert_eq!(outcome, Outcome::Bad);
    for wrong in
        ["METADATA its memberCount", "USER#2 its guests", &format!("USER#{other} its linkedTo")]
    {
        assert!(found.contains(wrong), "{wrong}: {found}");
    }
    let what = "the group has 4 members, its row has another number; links differ of [";
    let wrong = api.rows().await;
    let (outcome, found) = recount(api, true).await;
    assert_eq!((outcome, api.rows().await), (Outcome::Bad, wrong), "a dry run writes nothing");
    assert!(found.contains(what), "{found}");

    let (outcome, found) = recount(api, false).await;
    assert_eq!(outcome, Outcome::Good, "{found}");
    assert!(found.ends_with("1 groups read, of which 1 were different\n"), "{found}");
    let mut corrected = api.rows().await;
    for (key, mut row) in right {
        let mut found = corrected.remove(&key).unwrap();
        for row in [&mut row, &mut found] {
            row.remove("version");
        }
        assert_eq!(found, row, "{key:?}");
    }
    assert_eq!(corrected.into_keys().collect::<Vec<_>>(), []);
    assert_eq!(recount(api, false).await, nothing);

    // Nothing tells the name of a member whose row is lost.
    api.delete_row(&partition, &row("3")).await;
    let (outcome, found) = recount(api, false).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(found.contains("there is no member row of [3]"), "{found}");
    assert_eq!(verified(api).await.0, Outcome::Bad);
}
