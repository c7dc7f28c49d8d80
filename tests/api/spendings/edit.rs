use serde_json::{Value, json};

use super::{SPENDINGS, counters, path, spend, summary};
use crate::harness::Api;

#[tokio::test]
async fn edit_moves_just_what_it_changes() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let spending = spend(&alice, json!({ "amount": 12.5, "categories": { "food": 9.5 } })).await;
    let at = path(&spending);
    let edited = |body: Value| {
        let alice = alice.clone();
        let at = at.clone();
        async move { alice.put(&at, body).await.data(200).clone() }
    };
    let titled = edited(json!({ "title": "Tea", "notes": "Green", "emoji": "🍵" })).await;
    assert_eq!((&titled["title"], &titled["amount"]), (&json!("Tea"), &json!(12.5)));
    edited(json!({ "amount": 20, "categories": { "food": 5, "rent": 1.25 } })).await;
    let expected = [
        ("cat#food#EUR", "5"),
        ("cat#rent#EUR", "1.25"),
        ("spendingCount", "1"),
        ("total#EUR", "20"),
    ];
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters(expected));
    edited(json!({ "userDate": "2026-01-14", "currency": "USD", "notes": null })).await;
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters([]));
    let expected = [
        ("cat#food#USD", "5"),
        ("cat#rent#USD", "1.25"),
        ("spendingCount", "1"),
        ("total#USD", "20"),
    ];
    assert_eq!(summary(&api, "1", "2026-01-14").await, counters(expected));
    let before = api.rows().await;
    let same = edited(json!({ "userDate": "2026-01-14", "amount": 20 })).await;
    assert_eq!(same["notes"], Value::Null);
    assert_eq!(api.rows().await, before, "an edit without effect writes nothing");
    for (body, field) in [
        (json!({ "spentAt": "2026-01-17T00:00:00Z" }), "spentAt"),
        (json!({ "userDate": "2026-01-17" }), "userDate"),
        (json!({ "spentAt": "2026-01-10T12:00:00Z", "userDate": "2026-01-14" }), "userDate"),
        (json!({ "amount": 6 }), "categories"),
        (json!({ "currency": "JPY" }), "categories.rent"),
        (json!({ "title": "" }), "title"),
    ] {
        let refused = alice.put(&at, body.clone()).await;
        assert_eq!(refused.code().0, 400, "{body}");
        assert_eq!(refused.body["details"][0]["path"], field, "{body}");
    }
    assert_eq!(api.rows().await, before);
}

#[tokio::test]
async fn spending_on_a_wrong_day_moves_to_another_one() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let mut spending = spend(&alice, json!({ "amount": 5 })).await;
    for (body, spent_at, date) in [
        (json!({ "userDate": "2025-11-03" }), "2025-11-03T12:00:00.000Z", "2025-11-03"),
        (json!({ "userDate": "2025-11-04" }), "2025-11-03T12:00:00.000Z", "2025-11-04"),
        (
            json!({ "spentAt": "2026-01-14T01:00:00+01:00" }),
            "2026-01-14T00:00:00.000Z",
            "2026-01-13",
        ),
        (
            json!({ "spentAt": "2026-01-12T18:00:00Z", "userDate": "2026-01-13", "amount": 6 }),
            "2026-01-12T18:00:00.000Z",
            "2026-01-13",
        ),
    ] {
        let at = path(&spending);
        let moved = alice.put(&at, body.clone()).await.data(200).clone();
        assert_eq!((&moved["spentAt"], &moved["userDate"]), (&json!(spent_at), &json!(date)));
        assert_eq!(moved["createdAt"], spending["createdAt"]);
        assert!(moved["id"].as_str().unwrap().starts_with(spent_at), "{body}");
        assert_eq!(alice.get(&path(&moved)).await.data(200), &moved);
        if moved["id"] != spending["id"] {
            assert_eq!(alice.get(&at).await.code(), (404, "SPENDING_NOT_FOUND"), "{body}");
        }
        let listed = alice.get(&format!("{SPENDINGS}?from={date}&to={date}")).await;
        assert_eq!(listed.data(200), &json!([moved]), "{body}");
        assert_eq!(json!(alice.pages(SPENDINGS, 100).await), json!([moved]));
        let amount = moved["amount"].to_string();
        let expected = [("spendingCount", "1"), ("total#EUR", &*amount)];
        assert_eq!(summary(&api, "1", date).await, counters(expected), "{body}");
        let before = spending["userDate"].as_str().unwrap();
        if before != date {
            assert_eq!(summary(&api, "1", before).await, counters([]), "{body}");
        }
        spending = moved;
    }
    let before = api.rows().await;
    let same = json!({ "spentAt": spending["spentAt"], "userDate": spending["userDate"] });
    for body in [same, json!({ "spentAt": spending["spentAt"] })] {
        assert_eq!(alice.put(&path(&spending), body).await.data(200), &spending);
    }
    assert_eq!(api.rows().await, before);
}

#[tokio::test]
async fn deletion_subtracts_what_was_stored_and_happens_once() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    spend(&alice, json!({ "category": "food" })).await;
    let spending = spend(&alice, json!({ "amount": 2, "category": "rent" })).await;
    let deleted = alice.delete(&path(&spending)).await;
    assert_eq!(deleted.data(200)["id"], spending["id"]);
    assert_eq!(deleted.body["message"], "Spending deleted");
    let expected = [("cat#food#EUR", "1"), ("spendingCount", "1"), ("total#EUR", "1")];
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters(expected));
    let rows = api.rows().await;
    assert_eq!(alice.delete(&path(&spending)).await.code(), (404, "SPENDING_NOT_FOUND"));
    assert_eq!(api.rows().await, rows);
}

#[tokio::test]
async fn state_that_was_not_seen_is_not_changed() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let spending = spend(&alice, json!({})).await;
    let at = path(&spending);
    let tag = alice.get(&at).await.header("etag").unwrap().to_owned();
    let edited = alice.put_if(&tag, &at, json!({ "amount": 2 })).await;
    assert_ne!(edited.header("etag"), Some(&*tag));
    let stale = alice.put_if(&tag, &at, json!({ "amount": 3 })).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    assert_eq!(edited.data(200)["amount"], 2);
}

#[tokio::test]
async fn spendings_of_others_do_not_exist() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let bob = api.user(2, "Bob");
    let spending = spend(&alice, json!({})).await;
    let at = path(&spending);
    for reply in
        [bob.get(&at).await, bob.put(&at, json!({ "amount": 5 })).await, bob.delete(&at).await]
    {
        assert_eq!(reply.code(), (404, "SPENDING_NOT_FOUND"));
    }
    assert_eq!(bob.get(SPENDINGS).await.data(200), &json!([]));
    for id in [
        "x",
        "2026-01-15T12:00:00.000Z",
        "2026-01-15~a",
        "2026-01-15T12:00:00.000Z~a%2Fb",
        "2026-01-15T12:00:00.000Z~a%23b",
        "2026-01-15T12:00:00.000Z%23a",
    ] {
        let reply = alice.get(&format!("{SPENDINGS}/{id}")).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{id}");
    }
    assert_eq!(alice.get(&at).await.data(200), &spending);
}
