//! `fracti-admin verify`.

use std::time::Duration;

use fracti_admin::Outcome;
use fracti_runtime::with_causes;
use serde_json::json;

use super::admin;
use crate::harness::{Api, Group};

async fn verify(api: &Api, group: Option<&str>) -> (Outcome, String) {
    let mut out = Vec::new();
    let group = group.map(|id| id.parse().unwrap());
    let outcome = admin(api).verify(group, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

/// Three groups with an expense.
async fn three_groups(api: &Api) -> Vec<Group> {
    let mut groups = Vec::new();
    for _ in 0..3 {
        let group = Group::of(api, 3, "EUR").await;
        group.spend(0, json!({ "amount": 20 })).await;
        groups.push(group);
    }
    groups
}

#[tokio::test]
async fn groups_with_a_mismatch_are_reported_and_the_others_are_not() {
    let api = Api::new().await;
    let groups = three_groups(&api).await;
    let (good, output) = verify(&api, None).await;
    assert_eq!(
        (good, output.as_str()),
        (Outcome::Good, "3 groups verified, 0 of them with a finding\n")
    );

    let rows = api.rows().await;
    let of_second = |pk: &str, sk: &str| pk.ends_with(&groups[1].id) && sk.starts_with("TX#");
    let ((pk, sk), _) = rows.iter().find(|((pk, sk), _)| of_second(pk, sk)).unwrap();
    api.delete_row(pk, sk).await;
    let (bad, output) = verify(&api, None).await;
    assert_eq!(bad, Outcome::Bad);
    assert!(output.starts_with(&format!("group {}: ", groups[1].id)), "{output}");
    assert!(output.contains(&format!("row {pk} {sk} is missing, but its entry 0")), "{output}");
    assert!(output.ends_with("3 groups verified, 1 of them with a finding\n"), "{output}");

    assert_eq!(verify(&api, Some(&groups[0].id)).await.0, Outcome::Good);
    assert_eq!(verify(&api, Some(&groups[1].id)).await.0, Outcome::Bad);
}

#[tokio::test]
async fn groups_with_a_lost_row_are_reported_and_the_others_verified() {
    let api = Api::new().await;
    let groups = three_groups(&api).await;
    let rows = api.rows().await;
    let entries = format!("{}#ENTRY#", groups[0].id);
    let (pk, sk) = rows.keys().find(|(pk, _)| pk.contains(&entries)).unwrap().clone();
    api.delete_row(&pk, &sk).await;
    let entry = pk;
    let (pk, sk) = (format!("GROUP#{}", groups[1].id), "METADATA");
    api.delete_row(&pk, sk).await;

    let mut out = Vec::new();
    let mut impatient = admin(&api).with_patience(Duration::ZERO);
    let outcome = impatient.verify(None, &mut out).await.unwrap();
    let output = String::from_utf8(out).unwrap();
    assert_eq!(outcome, Outcome::Bad);
    let lost = format!("group {}: row {entry} ~ is missing, but the expense counts", groups[0].id);
    assert!(output.starts_with(&lost), "{output}");
    assert!(output.ends_with("2 groups verified, 1 of them with a finding\n"), "{output}");

    let gone = admin(&api).verify(Some(groups[1].id.parse().unwrap()), &mut Vec::new()).await;
    assert!(with_causes(&gone.unwrap_err()).contains("the group does not exist"));
}
