//! Groups of the TypeScript Fracti before `fracti-admin migrate`: nothing shows or changes them.

use std::collections::HashMap;

use aws_sdk_dynamodb::types::AttributeValue;
use axum::http::Method;
use fracti_tests::{database::TABLE, v0::V0Table};
use serde_json::json;

use crate::{
    harness::Api,
    stored_rows::{GROUP, migrate, of_v0},
};

const READS: [&str; 28] = [
    "/api/groups/{group}",
    "/api/groups/{group}/debts",
    "/api/groups/{group}/debts?pending=subtract",
    "/api/groups/{group}/expenses",
    "/api/groups/{group}/expenses?order=date",
    "/api/groups/{group}/expenses/660e8400-e29b-41d4-a716-446655440001",
    "/api/groups/{group}/expenses/660e8400-e29b-41d4-a716-446655440001/history",
    "/api/groups/{group}/settlements",
    "/api/groups/{group}/settlements/770e8400-e29b-41d4-a716-446655440002",
    "/api/groups/{group}/ledger/balance",
    "/api/groups/{group}/ledger/balance?at=2024-01-20T20:00:00Z",
    "/api/groups/{group}/ledger/entries",
    "/api/groups/{group}/ledger/entries/660e8400-e29b-41d4-a716-446655440001",
    "/api/groups/{group}/ledger/days",
    "/api/groups/{group}/stats?from=2024-01-01&to=2024-01-31",
    "/api/groups/{group}/export",
    "/api/groups/{group}/imports",
    "/api/groups/{group}/questions",
    "/api/groups",
    "/api/users/me",
    "/api/users/me/groups",
    "/api/users/me/summary",
    "/api/users/me/days?month=2024-01",
    "/api/users/me/days/2024-01-20",
    "/api/users/me/expenses",
    "/api/users/me/debts",
    "/api/users/me/settlements",
    "/api/users/me/activity",
];

#[tokio::test]
async fn every_request_is_refused_until_the_operator_has_migrated() {
    let api = of_v0().await;
    let alice = api.user(123_456_789, "Alice Smith");
    let before = api.rows().await;
    let reads = READS.map(|path| path.replace("{group}", GROUP));
    for path in &reads {
        let reply = alice.get(path).await;
        assert_eq!(reply.code(), (409, "NOT_MIGRATED"), "{path}");
        let message = reply.body["message"].as_str().unwrap();
        assert!(message.contains("`fracti-admin migrate`"), "{message}");
    }
    let tea = json!({ "amount": 1, "description": "Tea" });
    let expense = "/expenses/660e8400-e29b-41d4-a716-446655440001";
    let settlement = "/settlements/770e8400-e29b-41d4-a716-446655440002";
    for (method, rest, body) in [
        (Method::PATCH, "", json!({ "title": "Alps" })),
        (Method::DELETE, "", json!({})),
        (Method::POST, "/join", json!({})),
        (Method::POST, "/leave", json!({})),
        (Method::POST, "/members", json!({ "name": "Grandma" })),
        (Method::POST, "/expenses", tea.clone()),
        (Method::PUT, expense, tea),
        (Method::DELETE, expense, json!({})),
        (Method::POST, "/settlements", json!({ "toId": "987654321", "amount": 1 })),
        (Method::PUT, settlement, json!({ "status": "failed" })),
        (Method::POST, "/ledger/entries/revert", json!(["a"])),
    ] {
        let path = format!("/api/groups/{GROUP}{rest}");
        let reply = alice.call(method.clone(), &path, Some(&body)).await;
        assert_eq!(reply.code(), (409, "NOT_MIGRATED"), "{method} {path}");
    }
    let screen = alice.get(&format!("/screens/groups/{GROUP}/balances")).await;
    assert_eq!(screen.status, 409, "{}", screen.text);
    let mallory = api.user(666, "Mallory");
    let reply = mallory.get(&reads[0]).await;
    assert!([(409, "NOT_MIGRATED"), (403, "NOT_A_MEMBER")].contains(&reply.code()));
    let unknown = alice.get("/api/groups/550e8400-e29b-41d4-a716-446655440009/debts").await;
    assert_eq!(unknown.code(), (404, "GROUP_NOT_FOUND"));
    // Other users and groups are not concerned.
    assert_eq!(mallory.get("/api/users/me/activity").await.data(200), &json!([]));
    assert_eq!(api.rows().await, before);

    migrate(&api).await;
    for path in &reads {
        let reply = alice.get(path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    }
    assert_eq!(mallory.get(&reads[0]).await.code(), (403, "NOT_A_MEMBER"));
    let groups = alice.get("/api/users/me/groups").await.data(200).clone();
    assert_eq!(groups[0]["expenseCount"], 1, "{groups}");
    api.verify(GROUP).await;
}

/// An early version of the TypeScript Fracti named users in rows by ids of its own.
#[tokio::test]
async fn rows_under_another_id_of_the_user_are_no_empty_lists() {
    let api = Api::new().await;
    let v0 = V0Table::of(30, 10);
    v0.write(&api.client).await;
    let lists = ["groups", "expenses", "debts", "settlements", "activity"];
    for group in v0.groups.values() {
        let user = api.user(group.user, "Alice");
        for list in lists {
            let reply = user.get(&format!("/api/users/me/{list}")).await;
            assert_eq!(reply.code(), (409, "NOT_MIGRATED"), "{list}");
        }
    }
    migrate(&api).await;
    for group in v0.groups.values() {
        let user = api.user(group.user, "Alice");
        for list in lists {
            user.get(&format!("/api/users/me/{list}")).await.data(200);
        }
    }
}

/// After the migration of more expenses than are sorted for one page, the list by day is whole.
#[tokio::test]
async fn migration_adds_the_expenses_to_the_index_by_day() {
    const COUNT: usize = 1_001;
    let api = of_v0().await;
    let group = format!("GROUP#{GROUP}");
    let key = (group.clone(), "TX#2024-01-20T18:30:00.000Z".to_owned());
    let row = api.rows().await.remove(&key).unwrap();
    let text = |text: String| AttributeValue::S(text);
    for nth in 1..COUNT {
        let at = format!("2024-{:02}-{:02}T12:00:00.{nth:03}Z", 1 + nth % 12, 1 + nth % 28);
        let mut row: HashMap<_, _> = row.clone().into_iter().collect();
        row.extend([
            ("SK".to_owned(), text(format!("TX#{at}"))),
            ("createdAt".to_owned(), text(at)),
            ("id".to_owned(), text(format!("{nth:08}-e29b-41d4-a716-446655440001"))),
        ]);
        api.client.put_item().table_name(TABLE).set_item(Some(row)).send().await.unwrap();
    }
    migrate(&api).await;
    let alice = api.user(123_456_789, "Alice Smith");
    let mut days = Vec::new();
    let mut cursor = String::new();
    loop {
        let path = format!("/api/groups/{GROUP}/expenses?order=date&limit=100{cursor}");
        let page = alice.get(&path).await;
        let dates = page.data(200).as_array().unwrap().iter();
        days.extend(dates.map(|it| it["date"].as_str().unwrap().to_owned()));
        let Some(next) = page.body["pagination"]["nextCursor"].as_str() else { break };
        cursor = format!("&cursor={next}");
    }
    assert!(days.is_sorted_by(|a, b| a >= b), "{days:?}");
    assert_eq!(days.len(), COUNT);
}
