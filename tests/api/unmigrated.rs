//! Reads of groups whose v0 rows are not migrated yet.

use std::{num::NonZeroU16, time::Duration};

use fracti_admin::MigrateOptions;
use fracti_tests::faults::{Plan, Proxy};
use serde_json::{Value, json};

use crate::{
    admin::admin,
    harness::Api,
    stored_rows::{GROUP, seeded, seeded_in},
};

/// Reads by which the numbers of a ledger are seen.
const READS: [&str; 13] = [
    "/api/groups/{group}/debts",
    "/api/groups/{group}/debts?pending=subtract",
    "/api/groups/{group}/ledger/balance",
    "/api/groups/{group}/ledger/balance?at=2024-01-20T20:00:00Z",
    "/api/groups/{group}/ledger/entries",
    "/api/groups/{group}/ledger/entries/660e8400-e29b-41d4-a716-446655440001",
    "/api/groups/{group}/ledger/days",
    "/api/groups/{group}/stats?from=2024-01-01&to=2024-01-31",
    "/api/groups/{group}/expenses/660e8400-e29b-41d4-a716-446655440001/history",
    "/api/users/me",
    "/api/users/me/groups",
    "/api/users/me/summary",
    "/api/users/me/days/2024-01-20",
];

async fn migrated() -> Api {
    let api = seeded().await;
    let segments = NonZeroU16::new(1).unwrap();
    let options = MigrateOptions { dry_run: false, segments, state: None, report: None };
    admin(&api).migrate(&options, &mut Vec::new()).await.unwrap();
    api
}

#[tokio::test]
async fn first_read_of_a_ledger_shows_what_it_shows_after_the_migration() {
    let other = migrated().await;
    for path in READS.map(|path| path.replace("{group}", GROUP)) {
        let (before, after) = (seeded().await, &other);
        let [before, after] = [&before, after].map(|api| api.user(123_456_789, "Alice Smith"));
        let shown = before.get(&path).await.data(200).clone();
        assert_eq!(&shown, after.get(&path).await.data(200), "{path}");
        let is_empty = |value: &Value| value.to_string().contains("\"expenseCount\":0");
        assert!(!is_empty(&shown), "{path}: {shown}");
        before.api.verify(GROUP).await;
    }
}

#[tokio::test]
async fn days_of_a_month_have_the_shares_of_v0_rows() {
    let api = seeded().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let days = alice.get("/api/users/me/days?month=2024-01").await.data(200).clone();
    assert!(days.to_string().contains("2024-01-20"), "{days}");
}

#[tokio::test]
async fn plan_of_an_import_counts_v0_rows() {
    let (before, after) = (seeded().await, migrated().await);
    let rows = [("2024-01-02", "General", "Tea", "TON", vec![1, -1])];
    let file = crate::import::splitwise(&["Alice Smith", "Gus"], &rows);
    let plans = [&before, &after].map(|api| {
        let (alice, file) = (api.user(123_456_789, "Alice Smith"), file.clone());
        async move {
            let options = json!({ "members": { "Gus": "new guest" } });
            let form = json!({ "file": file, "options": options });
            alice.post(&format!("/api/groups/{GROUP}/import"), form).await.data(200).clone()
        }
    });
    let [before, after] = plans;
    assert_eq!(before.await, after.await);
}

#[tokio::test]
async fn strangers_are_refused_and_migrate_nothing() {
    let api = seeded().await;
    let mallory = api.user(666, "Mallory");
    let before = api.rows().await;
    for path in READS.iter().filter(|path| path.contains("{group}")) {
        let reply = mallory.get(&path.replace("{group}", GROUP)).await;
        assert_eq!(reply.code(), (403, "NOT_A_MEMBER"), "{path}");
    }
    assert_eq!(api.rows().await, before);
}

#[tokio::test]
async fn many_first_reads_at_once_agree() {
    let api = seeded().await.queued();
    let alice = api.user(123_456_789, "Alice Smith");
    let path = format!("/api/groups/{GROUP}/debts");
    let replies = futures_util::future::join_all((0..20).map(|_| alice.get(&path))).await;
    let shown: Vec<_> = replies.iter().map(|reply| reply.data(200)["balances"].clone()).collect();
    assert!(
        shown.iter().all(|it| *it == shown[0] && it.as_array().unwrap().len() == 3),
        "{shown:?}"
    );
    api.verify(GROUP).await;
}

#[tokio::test]
async fn migration_that_takes_longer_than_a_read_is_a_503_that_says_so() {
    let proxy = Proxy::start(Plan::none()).await;
    let api = seeded_in(Api::new().await.behind(&proxy)).await;
    let alice = api.with_deadline(Duration::from_secs(2)).user(123_456_789, "Alice Smith");
    let held = proxy.hold(|call| call.operation() == "TransactWriteItems");
    for path in [format!("/api/groups/{GROUP}/debts"), "/api/users/me/summary".to_owned()] {
        let reply = alice.get(&path).await;
        assert_eq!(reply.code(), (503, "UNAVAILABLE"), "{}", reply.text);
        assert!(reply.header("retry-after").is_some());
        let message = reply.body["message"].as_str().unwrap();
        assert!(message.contains("TypeScript Fracti"), "{message}");
    }
    held.release().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let debts = alice.get(&format!("/api/groups/{GROUP}/debts")).await.data(200).clone();
    assert_eq!(debts["summary"]["expenseCount"], 1, "{debts}");
    api.verify(GROUP).await;
}
