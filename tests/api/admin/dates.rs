//! `fracti-admin date-expenses`.

use fracti_admin::Outcome;
use fracti_core::values::{id::GroupId, time::Timestamp};
use fracti_tests::database::TABLE;
use serde_json::json;

use super::admin;
use crate::harness::{Api, Group};

/// Makes the expenses of the table as they were before expenses had dates.
async fn without_dates(api: &Api) {
    for ((pk, sk), mut row) in api.rows().await {
        if sk.starts_with("SPENT#") {
            api.delete_row(&pk, &sk).await;
        } else if sk.starts_with("TX#") {
            row.remove("date");
            let put = api.client.put_item().table_name(TABLE);
            put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
        }
    }
}

async fn date_expenses(api: &Api, dry_run: bool) -> String {
    let mut out = Vec::new();
    let outcome = admin(api).date_expenses(None, dry_run, &mut out).await.unwrap();
    assert_eq!(outcome, Outcome::Good);
    String::from_utf8(out).unwrap()
}

/// Two groups with expenses of several days and categories, more of one of them than a transaction
/// takes, and none with a date.
async fn undated() -> (Api, [Group; 2]) {
    let api = Api::new().await;
    let groups = [Group::of(&api, 3, "EUR").await, Group::of(&api, 2, "JPY").await];
    for index in 0..95 {
        groups[0].spend(index % 3, json!({ "amount": 10 + index, "category": "food" })).await;
    }
    groups[1].spend(0, json!({ "amount": -100 })).await;
    api.pass(std::time::Duration::from_hours(24));
    groups[1].spend(1, json!({ "amount": 900, "category": "other" })).await;
    groups[1].spend(1, json!({ "amount": 30 })).await;
    without_dates(&api).await;
    (api, groups)
}

#[tokio::test]
async fn expenses_without_a_date_get_one_and_enter_its_tally_once() {
    let (api, groups) = undated().await;
    let before = api.rows().await;
    assert_eq!(date_expenses(&api, true).await, "98 expenses have no date, in 2 groups\n");
    assert_eq!(api.rows().await, before, "a dry run writes nothing");

    let shown = groups[0].members[0].pages(&groups[0].path("/expenses"), 50).await;
    assert_eq!(date_expenses(&api, false).await, "98 expenses got a date, in 2 groups\n");
    for group in &groups {
        group.verify().await;
    }
    assert_eq!(groups[0].members[0].pages(&groups[0].path("/expenses"), 50).await, shown);
    let after = api.rows().await;
    let tallies = after.keys().filter(|(_, sk)| sk.starts_with("SPENT#")).count();
    assert_eq!(tallies, 4, "one of the first group, three of the second");

    assert_eq!(date_expenses(&api, false).await, "0 expenses got a date, in 2 groups\n");
    assert_eq!(api.rows().await, after, "a second run writes nothing");
}

#[tokio::test]
async fn dating_continues_after_a_stop_and_beside_the_api() {
    let (api, groups) = undated().await;
    let group: GroupId = groups[0].id.parse().unwrap();
    let found = api.table.undated_expenses(group, None).await.unwrap().items;
    let now: Timestamp = "2026-01-02T00:00:00Z".parse().unwrap();
    // A run that was stopped after its first transaction, which is then repeated.
    assert_eq!(api.table.date_expenses(group, &found[..50], now).await.unwrap(), 50);
    assert_eq!(api.table.date_expenses(group, &found[..50], now).await.unwrap(), 0);

    let path = |index: usize| groups[0].path(&format!("/expenses/{}", found[index].id));
    let api_writes = async {
        for index in [49, 50, 94] {
            let owner = &groups[0].members[(94 - index) % 3];
            owner.delete(&path(index)).await.data(200);
        }
        let owner = &groups[0].members[(94 - 60) % 3];
        owner.put(&path(60), json!({ "amount": 1, "date": "2025-05-05" })).await.data(200);
    };
    let ((), _) = tokio::join!(api_writes, date_expenses(&api, false));
    for group in &groups {
        group.verify().await;
    }
    assert!(api.table.undated_expenses(group, None).await.unwrap().items.is_empty());
}
