//! `fracti-admin verify`.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::{Outcome, RepairOptions};
use fracti_core::values::id::GroupId;
use fracti_runtime::with_causes;
use serde_json::json;

use super::admin;
use crate::{
    harness::{Api, Group},
    stored_rows::{GROUP, migrate, of_v0},
};

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
    assert_eq!(good, Outcome::Good);
    let lines: Vec<_> = output.lines().collect();
    assert_eq!(lines[0], "3 groups verified, 0 of them with a finding");
    assert!(lines[1].starts_with("not verified: ") && lines.len() == 2, "{output}");
    assert!(lines[1].contains("answers") && lines[1].contains("verify-funds"), "{output}");

    let rows = api.rows().await;
    let of_second = |pk: &str, sk: &str| pk.ends_with(&groups[1].id) && sk.starts_with("TX#");
    let ((pk, sk), _) = rows.iter().find(|((pk, sk), _)| of_second(pk, sk)).unwrap();
    api.delete_row(pk, sk).await;
    let (bad, output) = verify(&api, None).await;
    assert_eq!(bad, Outcome::Bad);
    assert!(output.starts_with(&format!("group {}: ", groups[1].id)), "{output}");
    assert!(output.contains(&format!("row {pk} {sk} is missing, but its entry 0")), "{output}");
    assert!(output.contains("\n3 groups verified, 1 of them with a finding\n"), "{output}");

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
    let pk = format!("GROUP#{}", groups[1].id);
    let sk = "METADATA";
    api.delete_row(&pk, sk).await;

    let mut out = Vec::new();
    let mut impatient = admin(&api).with_patience(Duration::ZERO);
    let outcome = impatient.verify(None, &mut out).await.unwrap();
    let output = String::from_utf8(out).unwrap();
    assert_eq!(outcome, Outcome::Bad);
    let lost = format!("group {}: row {entry} ~ is missing, but the expense counts", groups[0].id);
    assert!(output.contains(&lost), "{output}");
    let own = format!("group {}: row GROUP#{0} METADATA is missing, but other rows", groups[1].id);
    assert!(output.contains(&own), "{output}");
    assert!(output.contains("\n3 groups verified, 2 of them with a finding\n"), "{output}");

    let (outcome, output) = verify(&api, Some(&groups[1].id)).await;
    assert!(outcome == Outcome::Bad && output.contains(&own), "{output}");
    let unknown = "0190a1b2-0000-7000-8000-000000000001".parse().unwrap();
    let gone = admin(&api).verify(Some(unknown), &mut Vec::new()).await.unwrap_err();
    let gone = with_causes(&gone);
    assert_eq!(gone, format!("group {unknown}: the group does not exist"));
}

#[tokio::test]
async fn rows_of_no_group_are_named() {
    let api = Api::new().await;
    three_groups(&api).await;
    api.change_row("GROUP#alps", "TX#2024-01-20T18:30:00.000Z", |_| ()).await;
    let (outcome, output) = verify(&api, None).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(output.starts_with("row GROUP#alps TX#2024-01-20T18:30:00.000Z is of no group"));
    assert!(output.contains("with a finding; 1 row of no group\n"), "{output}");
}

#[tokio::test]
async fn groups_whose_balance_row_cannot_be_read_are_reported_and_the_others_verified() {
    let api = Api::new().await;
    let groups = three_groups(&api).await;
    let more = three_groups(&api).await;
    for group in &groups {
        let ledger = format!("LEDGER#{}", group.id);
        api.change_row(&ledger, "BALANCE", |row| drop(row.remove("balances"))).await;
    }
    let mut out = Vec::new();
    let mut impatient = admin(&api).with_patience(Duration::ZERO);
    let outcome = impatient.verify(None, &mut out).await.unwrap();
    let output = String::from_utf8(out).unwrap();
    assert_eq!(outcome, Outcome::Bad);
    for group in &groups {
        let found = format!("group {}: row LEDGER#{0} BALANCE cannot be read", group.id);
        assert!(output.contains(&found), "{output}");
    }
    assert!(more.iter().all(|group| !output.contains(&group.id)), "{output}");
    assert!(output.contains("\n6 groups verified, 3 of them with a finding\n"), "{output}");
}

#[tokio::test]
async fn group_that_is_not_migrated_is_a_finding_and_so_is_a_row_written_afterwards() {
    let api = of_v0().await;
    let (outcome, output) = verify(&api, None).await;
    assert_eq!(outcome, Outcome::Bad);
    let group = format!("GROUP#{GROUP}");
    assert!(output.contains(&format!("row {group} METADATA is not migrated")), "{output}");
    migrate(&api).await;
    let (outcome, output) = verify(&api, None).await;
    assert_eq!(outcome, Outcome::Good, "{output}");

    // The TypeScript Fracti, which was not stopped, writes one more expense.
    let [first, late] = ["2024-01-20T18:30:00.000Z", "2024-01-22T18:30:00.000Z"];
    let id = "660e8400-e29b-41d4-a716-446655440009";
    let mut row =
        of_v0().await.rows().await.remove(&(group.clone(), format!("TX#{first}"))).unwrap();
    let text = |text: &str| AttributeValue::S(text.to_owned());
    row.extend([
        ("SK".to_owned(), text(&format!("TX#{late}"))),
        ("id".to_owned(), text(id)),
        ("createdAt".to_owned(), text(late)),
        ("GSI2PK".to_owned(), text(&format!("EXPENSE#{id}"))),
        ("GSI3SK".to_owned(), text(&format!("TX#{late}"))),
    ]);
    api.change_row(&group, &format!("TX#{late}"), |stored| *stored = row).await;
    let found =
        format!("row {group} TX#{late} is a row of the TypeScript Fracti, and no balance has it");
    for of in [None, Some(GROUP)] {
        let (outcome, output) = verify(&api, of).await;
        assert_eq!(outcome, Outcome::Bad);
        assert!(output.contains(&found), "{output}");
    }
    migrate(&api).await;
    let (outcome, output) = verify(&api, None).await;
    assert_eq!(outcome, Outcome::Good, "{output}");
}

#[tokio::test]
async fn group_whose_rows_are_being_deleted_is_no_finding() {
    let group = Group::new(1, "EUR").await;
    for amount in 1..=40 {
        group.spend(0, json!({ "amount": amount })).await;
    }
    let id: GroupId = group.id.parse().unwrap();
    group.members[0].delete(&group.path("")).await.data(200);
    let (outcome, output) = verify(&group.api, None).await;
    assert_eq!(outcome, Outcome::Good, "{output}");
    let (_, is_last) = group.api.table.delete_rows(id).await.unwrap();
    assert!(!is_last);
    let (outcome, output) = verify(&group.api, None).await;
    assert_eq!(outcome, Outcome::Good, "{output}");
    let deleting = format!("group {id} is being deleted: its creator deleted it at 2026-01-15T");
    assert!(output.starts_with(&deleting), "{output}");
    assert!(output.contains("0 groups verified, 0 of them with a finding; 1 being deleted\n"));
    let options = RepairOptions { group: Some(id), yes: true, report: None };
    let mut out = Vec::new();
    let before = group.api.rows().await;
    let outcome = admin(&group.api).repair(&options, &mut out).await.unwrap();
    assert_eq!((outcome, group.api.rows().await), (Outcome::Bad, before));
    assert!(String::from_utf8(out).unwrap().starts_with(&deleting));
}
