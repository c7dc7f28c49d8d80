use serde_json::{Value, json};

use super::{SPENDINGS, counters, path, spend, summary};
use crate::harness::Api;

#[tokio::test]
async fn spending_is_stored_with_the_summary_of_its_day() {
    let api = Api::new().await;
    api.pass(std::time::Duration::from_hours(24 * 310));
    let alice = api.user(1, "Alice");
    let body = json!({ "title": "Flat white", "emoji": "☕", "amount": 12.50, "currency": "USD",
        "categories": { "food": 12.50 }, "userDate": "2026-11-20" });
    let reply = alice.post(SPENDINGS, body).await;
    assert_eq!(reply.body["message"], "Spending recorded");
    let spending = reply.data(201).clone();
    assert_eq!((&spending["amount"], &spending["userDate"]), (&json!(12.5), &json!("2026-11-20")));
    assert_eq!(alice.get(&path(&spending)).await.data(200), &spending);

    let (spent_at, suffix) = spending["id"].as_str().unwrap().split_once('~').unwrap();
    assert_eq!(spending["spentAt"], spent_at);
    assert_eq!(suffix.len(), 20);
    let rows = api.rows().await;
    let row = &rows[&("USER#1".to_owned(), format!("SPEND#{spent_at}#{suffix}"))];
    assert_eq!(row["formatVersion"].as_n().unwrap(), "4");
    assert_eq!(row["categories"].as_m().unwrap()["food"].as_n().unwrap(), "12.5");
    assert!(!row.contains_key("id") && !row.keys().any(|name| name.starts_with("GSI")));
    let day = &rows[&("USER#1".to_owned(), "SUMMARY#2026-11-20".to_owned())];
    assert_eq!(day["type"].as_s().unwrap(), "DaySummary");
    assert_eq!(day["formatVersion"].as_n().unwrap(), "4");
    let expected = [("cat#food#USD", "12.5"), ("spendingCount", "1"), ("total#USD", "12.5")];
    assert_eq!(summary(&api, "1", "2026-11-20").await, counters(expected));
}

#[tokio::test]
async fn sums_of_a_day_are_exact_and_currencies_stay_apart() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for (amount, currency) in [
        ("0.10", "EUR"),
        ("0.20", "EUR"),
        ("0.000000001", "TON"),
        ("0.000000002", "TON"),
        ("9223372036.854775807", "TON"),
        ("9223372036854775807", "JPY"),
        ("9223372036854775807", "JPY"),
    ] {
        let body = json!({ "amount": amount, "currency": currency, "category": "food" });
        spend(&alice, body).await;
    }
    let expected = [
        ("cat#food#EUR", "0.3"),
        ("cat#food#JPY", "18446744073709551614"),
        ("cat#food#TON", "9223372036.85477581"),
        ("spendingCount", "7"),
        ("total#EUR", "0.3"),
        ("total#JPY", "18446744073709551614"),
        ("total#TON", "9223372036.85477581"),
    ];
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters(expected));
}

#[tokio::test]
async fn currency_and_zone_default_to_those_of_the_targets() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let without = json!({ "title": "Tea", "amount": 2 });
    let refused = alice.post(SPENDINGS, without.clone()).await;
    assert_eq!(refused.body["details"][0]["path"], "currency");
    let zone = json!({ "version": 1, "currency": "EUR", "timeZone": "-09:00" });
    alice.patch("/api/users/me/targets", zone).await.data(200);
    // It is 03:00 in the user's zone.
    let night = alice.post(SPENDINGS, without.clone()).await.data(201).clone();
    assert_eq!((&night["currency"], &night["userDate"]), (&json!("EUR"), &json!("2026-01-14")));
    api.pass(std::time::Duration::from_hours(1));
    let morning = alice.post(SPENDINGS, without).await.data(201).clone();
    assert_eq!(morning["userDate"], "2026-01-15");
    let zone = json!({ "version": 2, "timeZone": "+09:00" });
    alice.patch("/api/users/me/targets", zone).await.data(200);
    assert_eq!(alice.get(&path(&night)).await.data(200), &night);
}

#[tokio::test]
async fn two_spendings_of_one_moment_are_two() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let body = json!({ "spentAt": "2026-01-15T10:00:00Z" });
    let one = spend(&alice, body.clone()).await;
    let other = spend(&alice, body).await;
    assert_ne!(one["id"], other["id"]);
    assert_eq!(summary(&api, "1", "2026-01-15").await["total#EUR"], "2");
}

#[tokio::test]
async fn idempotency_key_records_a_spending_once() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let body = json!({ "title": "Coffee", "amount": 3.5, "currency": "EUR" });
    let first = alice.post_once("k", SPENDINGS, body.clone()).await;
    let again = alice.post_once("k", SPENDINGS, body.clone()).await;
    assert_eq!(again.data(201), first.data(201));
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.header("etag"), first.header("etag"));
    let other = json!({ "title": "Coffee", "amount": 4, "currency": "EUR" });
    let reused = alice.post_once("k", SPENDINGS, other).await;
    assert_eq!(reused.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    let both = tokio::join!(
        alice.post_once("l", SPENDINGS, body.clone()),
        alice.post_once("l", SPENDINGS, body)
    );
    assert_eq!(both.0.data(201), both.1.data(201));
    assert_eq!(summary(&api, "1", "2026-01-15").await["spendingCount"], "2");
}

#[tokio::test]
async fn other_spellings_of_fields_are_read() {
    let alice = Api::new().await.user(1, "Alice");
    let body = json!({ "user_date": "2026-01-14", "spent_at": "2026-01-14T23:00:00Z",
        "registry_snapshot": ["pets"], "categories": { "pets": 0.5, "cars": 7 } });
    let spending = spend(&alice, body).await;
    assert_eq!(spending["userDate"], "2026-01-14");
    assert_eq!(spending["spentAt"], "2026-01-14T23:00:00.000Z");
    assert_eq!(spending["categories"], json!({ "pets": 0.5 }));
    let twice = json!({ "title": "x", "amount": 1, "currency": "EUR",
        "userDate": "2026-01-14", "user_date": "2026-01-14" });
    let twice = alice.post(SPENDINGS, twice).await;
    assert_eq!(twice.body["details"][0]["message"], "userDate must be given only once");
}

#[tokio::test]
async fn own_categories_must_be_active() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let targets = "/api/users/me/targets";
    let pets = json!({ "version": 1, "registry": { "pets": { "unit": "EUR" } } });
    alice.patch(targets, pets).await.data(200);
    let body = json!({ "categories": { "pets": 0.25, "food": 0.5 } });
    let spending = spend(&alice, body.clone()).await;
    let archive = json!({ "version": 2, "registry": { "pets": { "status": "ARCHIVED" } } });
    alice.patch(targets, archive).await.data(200);
    let mut refused = json!({ "title": "x", "amount": 1, "currency": "EUR" });
    refused.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    let refused = alice.post(SPENDINGS, refused).await;
    assert_eq!(refused.body["details"][0]["path"], "categories.pets");
    alice.delete(&path(&spending)).await.data(200);
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters([]));
}

#[tokio::test]
async fn invalid_spendings_name_the_field_and_change_nothing() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    spend(&alice, json!({})).await;
    let before = api.rows().await;
    let key = |key: &str| json!({ "categories": { key: 0.5 } });
    let many: Value = (0..21).map(|it| (format!("c{it}"), json!(0))).collect();
    for (change, at) in [
        (json!({ "amount": 0 }), "amount"),
        (json!({ "amount": -1 }), "amount"),
        (json!({ "amount": 1.001 }), "amount"),
        (json!({ "amount": "1.5", "currency": "JPY" }), "amount"),
        (json!({ "amount": "0.0000000001", "currency": "TON" }), "amount"),
        (json!({ "amount": "1e30" }), "amount"),
        (json!({ "amount": "1e400" }), "amount"),
        (json!({ "currency": "usd" }), "currency"),
        (json!({ "title": "" }), "title"),
        (json!({ "title": "x".repeat(101) }), "title"),
        (json!({ "emoji": "x".repeat(9) }), "emoji"),
        (json!({ "notes": "x".repeat(501) }), "notes"),
        (json!({ "category": "food", "categories": {} }), "category"),
        (json!({ "category": "pets" }), "category"),
        (json!({ "category": "total" }), "category"),
        (json!({ "category": "__proto__" }), "category"),
        (json!({ "categories": { "food": 0.75, "rent": 0.5 } }), "categories"),
        (json!({ "categories": { "food": -0.5 } }), "categories.food"),
        (json!({ "categories": { "food": 0.001 } }), "categories.food"),
        (json!({ "categories": { "food": "x" } }), "categories.food"),
        (json!({ "categories": [] }), "categories"),
        (json!({ "categories": many }), "categories"),
        (key("pets"), "categories.pets"),
        (key("total"), "categories.total"),
        (key("none"), "categories.none"),
        (key("__proto__"), "categories.__proto__"),
        (key("a#b"), "categories.a#b"),
        (key(&"a".repeat(33)), &format!("categories.{}", "a".repeat(33))),
        (json!({ "registrySnapshot": ["a#b"] }), "registrySnapshot[0]"),
        (json!({ "registrySnapshot": vec!["a"; 51] }), "registrySnapshot"),
        (json!({ "registrySnapshot": ["none"], "category": "none" }), "category"),
        (json!({ "userDate": "2026-02-30" }), "userDate"),
        (json!({ "userDate": "2026-2-3" }), "userDate"),
        (json!({ "userDate": "2026-01-17" }), "userDate"),
        (json!({ "userDate": "2026-01-12", "spentAt": "2026-01-14T00:00:00Z" }), "userDate"),
        (json!({ "spentAt": "2026-01-16T12:00:01Z" }), "spentAt"),
        (json!({ "spentAt": "2026-01-14" }), "spentAt"),
        (json!({ "id": "x" }), "id"),
    ] {
        let mut body = json!({ "title": "x", "amount": 1, "currency": "EUR" });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let reply = alice.post(SPENDINGS, body).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{change}: {}", reply.text);
        assert_eq!(reply.body["details"][0]["path"], at, "{change}: {}", reply.text);
    }
    assert_eq!(api.rows().await, before);
}
