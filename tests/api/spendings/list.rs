use std::time::Duration;

use serde_json::{Value, json};

use super::{SPENDINGS, path, spend};
use crate::harness::Api;

/// The titles of a list.
fn titles(list: &[Value]) -> String {
    list.iter().map(|it| it["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn days_select_spendings_by_user_date_newest_first() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for (title, spent_at, date) in [
        ("a", "2026-01-10T23:00:00Z", "2026-01-11"),
        ("b", "2026-01-10T12:00:00Z", "2026-01-10"),
        ("c", "2026-01-11T12:00:00Z", "2026-01-11"),
        ("d", "2026-01-12T01:00:00Z", "2026-01-11"),
        ("e", "2026-01-12T12:00:00Z", "2026-01-12"),
        ("f", "2026-01-13T01:00:00Z", "2026-01-12"),
    ] {
        let body = json!({ "title": title, "spentAt": spent_at, "userDate": date });
        spend(&alice, body).await;
    }
    for (query, expected) in [
        ("", "fedcab"),
        ("?from=2026-01-11&to=2026-01-11", "dca"),
        ("?from=2026-01-11&to=2026-01-12", "fedca"),
        ("?to=2026-01-10", "b"),
        ("?from=2026-01-12", "fe"),
        ("?from=2026-01-13", ""),
    ] {
        let listed = alice.get(&format!("{SPENDINGS}{query}")).await;
        assert_eq!(titles(listed.data(200).as_array().unwrap()), expected, "{query}");
        assert_eq!(listed.cost.round_trips, 1, "{query}");
    }
    for (query, at) in [
        ("?from=2026-02-30", "from"),
        ("?from=2026-2-3", "from"),
        ("?from=2026-01-12&to=2026-01-11", "from"),
        ("?month=2026-01", "month"),
    ] {
        let refused = alice.get(&format!("{SPENDINGS}{query}")).await;
        assert_eq!(refused.body["details"][0]["path"], at, "{query}");
    }
}

#[tokio::test]
async fn pages_have_each_spending_once() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let mut expected = Vec::new();
    for _ in 0..12 {
        expected.insert(0, spend(&alice, json!({})).await);
        api.pass(Duration::from_hours(2));
    }
    assert_eq!(alice.pages(SPENDINGS, 5).await, expected);
    let range = "?from=2026-01-14&to=2026-01-15";
    let first = alice.get(&format!("{SPENDINGS}{range}&limit=5")).await;
    let cursor = first.body["pagination"]["nextCursor"].as_str().unwrap().to_owned();
    let rest = alice.get(&format!("{SPENDINGS}{range}&limit=100&cursor={cursor}")).await;
    let both = [first.data(200).as_array().unwrap(), rest.data(200).as_array().unwrap()];
    let within: Vec<_> = expected
        .iter()
        .filter(|it| it["userDate"].as_str().unwrap() <= "2026-01-15")
        .cloned()
        .collect();
    assert_eq!(both.map(Vec::clone).concat(), within);
    for other in ["?from=2026-01-15&to=2026-01-15", ""] {
        let separator = if other.is_empty() { '?' } else { '&' };
        let reply = alice.get(&format!("{SPENDINGS}{other}{separator}cursor={cursor}")).await;
        assert_eq!(reply.code(), (400, "INVALID_CURSOR"), "{other}");
    }
    let id = &expected[3];
    alice.delete(&path(id)).await.data(200);
    assert_eq!(alice.pages(SPENDINGS, 100).await.len(), 11);
}
