//! Lists of expenses in order of the day on which they happened.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use aws_sdk_dynamodb::types::{AttributeValue, PutRequest, WriteRequest};
use fracti_admin::Outcome;
use fracti_core::values::{id::ExpenseId, time::Timestamp};
use fracti_tests::database::TABLE;
use serde_json::{Value, json};

use super::path;
use crate::{
    admin::admin,
    harness::{Api, Group},
};

type Row = BTreeMap<String, AttributeValue>;

const DAYS: [&str; 5] = ["2025-12-30", "2026-01-02", "2025-12-31", "2026-01-02", "2024-02-29"];

/// A group with expenses of these days, whose descriptions are their numbers.
async fn group(days: &[&str]) -> (Api, Group) {
    let api = Api::new().await;
    let group = Group::of(&api, 3, "EUR").await;
    for (index, date) in days.iter().enumerate() {
        let body = json!({ "amount": 9, "description": index.to_string(), "date": date });
        group.spend(index % 3, body).await;
    }
    (api, group)
}

fn described(expenses: &[Value]) -> Vec<&str> {
    expenses.iter().map(|it| it["description"].as_str().unwrap()).collect()
}

/// The descriptions of the whole list by date, in pages of `limit`.
async fn listed(group: &Group, limit: usize) -> Vec<String> {
    let pages = group.members[0].pages(&group.path("/expenses?order=date"), limit).await;
    described(&pages).into_iter().map(str::to_owned).collect()
}

/// Makes the group as it was before there was an index by date.
async fn without_index(api: &Api, group: &Group) {
    for ((pk, sk), mut row) in api.rows().await {
        if pk != format!("GROUP#{}", group.id) {
            continue;
        }
        if sk.starts_with("TX#") {
            row.remove("GSI1PK");
            row.remove("GSI1SK");
        } else if row.remove("dated").is_none() {
            continue;
        }
        let put = api.client.put_item().table_name(TABLE);
        put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
    }
}

/// Puts `count` copies of an expense of the group, one a day and hour, as index and table have
/// them. Its ledger does not know of them.
async fn fill(api: &Api, count: u64) -> BTreeSet<String> {
    let rows = api.rows().await;
    let (_, row) = rows.iter().find(|((_, sk), _)| sk.starts_with("TX#")).unwrap();
    let first: Timestamp = "2025-01-01T00:00:00Z".parse().unwrap();
    let mut ids = BTreeSet::new();
    let copies: Vec<_> = (0..count).map(|number| copy(row, first, number, &mut ids)).collect();
    for batch in copies.chunks(25) {
        let put = |row: &Row| {
            let item = Some(row.clone().into_iter().collect());
            let put = PutRequest::builder().set_item(item).build().unwrap();
            WriteRequest::builder().put_request(put).build()
        };
        let batch = batch.iter().map(put).collect();
        let written = api.client.batch_write_item().request_items(TABLE, batch).send();
        assert!(written.await.unwrap().unprocessed_items().is_none_or(HashMap::is_empty));
    }
    ids
}

fn copy(row: &Row, first: Timestamp, number: u64, ids: &mut BTreeSet<String>) -> Row {
    let at = first.plus_seconds(number * 3_600);
    // Days run back and forth, so that the order of recording is another one.
    let day = first.plus_seconds(number * 37 % 365 * 24 * 3_600).day();
    let id = ExpenseId::new(at, [7; 10]);
    ids.insert(id.to_string());
    let mut row = row.clone();
    for (name, value) in [
        ("SK", format!("TX#{at}")),
        ("GSI2PK", format!("EXPENSE#{id}")),
        ("GSI3SK", format!("TX#{at}")),
        ("id", id.to_string()),
        ("createdAt", at.to_string()),
        ("date", day.to_string()),
        ("description", number.to_string()),
        ("GSI1SK", format!("{day}#{at}")),
    ] {
        row.insert(name.to_owned(), AttributeValue::S(value));
    }
    row
}

#[tokio::test]
async fn expenses_are_in_order_of_their_days() {
    let (_, group) = group(&DAYS).await;
    for limit in 1..=6 {
        assert_eq!(listed(&group, limit).await, ["3", "1", "2", "0", "4"], "pages of {limit}");
    }
    let alice = &group.members[0];
    let filtered = alice.get(&group.path("/expenses?order=date&to=2025-12-31&payerId=1")).await;
    assert_eq!(described(filtered.data(200).as_array().unwrap()), ["0"]);
    let recorded = alice.get(&group.path("/expenses?order=recorded")).await;
    assert_eq!(described(recorded.data(200).as_array().unwrap()), ["4", "3", "2", "1", "0"]);
    let default = alice.get(&group.path("/expenses")).await;
    assert_eq!(default.data(200), recorded.data(200));
}

#[tokio::test]
async fn an_expense_moves_with_its_day() {
    let (_, group) = group(&DAYS).await;
    let alice = &group.members[0];
    let list = alice.get(&group.path("/expenses?order=date")).await;
    let [newest, .., oldest] = list.data(200).as_array().unwrap().as_slice() else { panic!() };
    let edit = json!({ "date": "2024-02-29", "payers": [
        { "userId": "1", "amount": 4 }, { "userId": "2", "amount": 5 }] });
    let payer = &group.members[0];
    let edited = payer.put(&path(&group, newest), edit).await;
    assert_eq!(edited.data(200)["date"], "2024-02-29");
    assert_eq!(
        listed(&group, 2).await,
        ["1", "2", "0", "4", "3"],
        "the payers' rows are not in it"
    );
    group.members[1].delete(&path(&group, oldest)).await.data(200);
    assert_eq!(listed(&group, 2).await, ["1", "2", "0", "3"]);
    group.members[1].post(&format!("{}/restore", path(&group, oldest)), json!({})).await.data(200);
    assert_eq!(listed(&group, 2).await, ["1", "2", "0", "4", "3"]);
    group.verify().await;
}

#[tokio::test]
async fn wrong_orders_and_cursors_of_the_other_order_are_refused() {
    let (_, group) = group(&DAYS).await;
    let alice = &group.members[0];
    let refused = alice.get(&group.path("/expenses?order=amount")).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(refused.body["details"][0]["message"], "order must be one of recorded, date");
    let page = alice.get(&group.path("/expenses?order=date&limit=2")).await;
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    let other = alice.get(&group.path(&format!("/expenses?limit=2&cursor={cursor}"))).await;
    assert_eq!(other.code().0, 400);
    let stranger = group.api.user(9, "Stranger");
    let stranger = stranger.get(&group.path("/expenses?order=date")).await;
    assert_eq!(stranger.code().0, 403);
}

#[tokio::test]
async fn earlier_groups_are_sorted_until_an_operator_indexes_them() {
    let (api, group) = group(&DAYS).await;
    without_index(&api, &group).await;
    for limit in 1..=6 {
        assert_eq!(listed(&group, limit).await, ["3", "1", "2", "0", "4"], "pages of {limit}");
    }
    // New and edited expenses get their keys.
    group.spend(0, json!({ "amount": 1, "description": "5", "date": "2026-01-01" })).await;
    assert_eq!(listed(&group, 2).await, ["3", "1", "5", "2", "0", "4"]);
    let page = group.members[0].get(&group.path("/expenses?order=date&limit=2")).await;

    let before = api.rows().await;
    assert_eq!(index_dates(&api, true).await, "5 expenses are not indexed, in 1 groups\n");
    assert_eq!(api.rows().await, before, "a dry run writes nothing");
    assert_eq!(
        index_dates(&api, false).await,
        "5 expenses were indexed; 1 of 1 groups are whole\n"
    );
    let after = api.rows().await;
    assert_eq!(
        index_dates(&api, false).await,
        "0 expenses were indexed; 1 of 1 groups are whole\n"
    );
    assert_eq!(api.rows().await, after, "a second run writes nothing");
    for limit in 1..=6 {
        assert_eq!(listed(&group, limit).await, ["3", "1", "5", "2", "0", "4"]);
    }
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    let next = group.path(&format!("/expenses?order=date&limit=2&cursor={cursor}"));
    let next = group.members[0].get(&next).await;
    assert_eq!(described(next.data(200).as_array().unwrap()), ["5", "2"], "cursors stay valid");
    group.verify().await;
    let mut out = Vec::new();
    let outcome = admin(&api).verify(None, &mut out).await.unwrap();
    assert_eq!(outcome, Outcome::Good, "{}", String::from_utf8_lossy(&out));
}

async fn index_dates(api: &Api, dry_run: bool) -> String {
    let mut out = Vec::new();
    let outcome = admin(api).index_dates(None, dry_run, &mut out).await.unwrap();
    assert_eq!(outcome, Outcome::Good);
    String::from_utf8(out).unwrap()
}

#[tokio::test]
async fn a_large_earlier_group_is_refused_until_it_is_indexed() {
    let (api, group) = group(&DAYS[..1]).await;
    fill(&api, 1_000).await;
    without_index(&api, &group).await;
    let refused = group.members[0].get(&group.path("/expenses?order=date")).await;
    assert_eq!(refused.code(), (409, "NOT_INDEXED"));
    group.members[0].get(&group.path("/expenses")).await.data(200);
    index_dates(&api, false).await;
    assert_eq!(listed(&group, 100).await.len(), 1_001);
}

#[tokio::test]
async fn each_untouched_expense_is_seen_once_while_others_are_written() {
    let (api, group) = group(&DAYS).await;
    let alice = &group.members[0];
    let first = alice.get(&group.path("/expenses?order=date&limit=5")).await;
    let written: Vec<Value> = first.data(200).as_array().unwrap().clone();
    let untouched = fill(&api, 10_000).await;
    let full = alice.get(&group.path("/expenses?order=date&limit=5")).await;
    assert_eq!(full.cost.requests, first.cost.requests, "the first page costs the same");

    let (mut seen, mut cursor, mut pages) = (BTreeMap::<String, u64>::new(), String::new(), 0);
    loop {
        let page = alice.get(&group.path(&format!("/expenses?order=date&limit=100{cursor}"))).await;
        for expense in page.data(200).as_array().unwrap() {
            *seen.entry(expense["id"].as_str().unwrap().to_owned()).or_default() += 1;
        }
        let Some(next) = page.body["pagination"]["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
        pages += 1;
        // What page 14 deletes is restored by the next one.
        let own = &written[if pages % 20 == 15 { (pages - 1) % 5 } else { pages % 5 }];
        let by = own["payerId"].as_str().unwrap().parse::<usize>().unwrap() - 1;
        match pages % 20 {
            3 => drop(group.spend(0, json!({ "amount": 1, "date": "2025-06-01" })).await),
            7 | 11 | 12 => {
                let date = format!("2025-{:02}-{:02}", pages % 12 + 1, pages % 28 + 1);
                let edit = json!({ "date": date });
                group.members[by].put(&path(&group, own), edit).await.data(200);
            }
            14 => drop(group.members[by].delete(&path(&group, own)).await.data(200)),
            15 => {
                let restore = format!("{}/restore", path(&group, own));
                group.members[by].post(&restore, json!({})).await.data(200);
            }
            _ => {}
        }
    }
    let once = |id: &&String| seen.get(*id) == Some(&1);
    assert_eq!(untouched.iter().filter(once).count(), 10_000);
}
