//! Previews of expenses: they say what is recorded then, and record nothing.

use fastrand::Rng;
use serde_json::{Value, json};

use crate::harness::{Api, Group};

/// A body for each type of split, and for payers, refunds and receipts.
fn bodies() -> Vec<Value> {
    let among = |field: &str, numbers: [i64; 3]| {
        let split = |(id, number): (u8, i64)| json!({ "userId": id.to_string(), field: number });
        (1..).zip(numbers).map(split).collect::<Vec<_>>()
    };
    vec![
        json!({ "amount": 100 }),
        json!({ "amount": -100, "splits": [{ "userId": "1" }, { "userId": "2" }] }),
        json!({ "amount": 100, "splitType": "shares", "splits": among("weight", [2, 1, 1]) }),
        json!({ "amount": 100, "splitType": "exact", "splits": among("amount", [60, 30, 10]) }),
        json!({ "amount": 0.05, "splitType": "percentage",
            "splits": among("percentage", [50, 30, 20]) }),
        json!({ "amount": 100, "splitType": "adjustment",
            "splits": among("adjustment", [5, 0, -5]) }),
        json!({ "amount": 10, "payers": [{ "userId": "1", "amount": 7 }, { "userId": "2" }] }),
        json!({ "splitType": "itemized", "items": [
            { "name": "Wine", "amount": 10 },
            { "name": "Pizza", "amount": 7, "sharers": [{ "userId": "1" }, { "userId": "3" }] },
            { "kind": "tip", "name": "Tip", "amount": 1 },
        ] }),
    ]
}

/// Previews an expense and records it: the shares agree. Answers the recorded one.
async fn agrees(group: &Group, body: &Value) -> Value {
    let alice = &group.members[0];
    let reply = alice.post(&group.path("/expenses/preview"), body.clone()).await;
    let preview = reply.data(200).clone();
    assert!(reply.cost.write_units <= 0.0, "{body}");
    let mut named = body.clone();
    named["description"] = json!("Dinner");
    let recorded = alice.post(&group.path("/expenses"), named).await.data(201).clone();
    for field in ["amount", "currency", "payers"] {
        assert_eq!(preview[field], recorded[field], "{body}");
    }
    let shown = preview["splits"].as_array();
    let stored = recorded["splits"].as_array();
    let shown = shown.unwrap();
    let stored = stored.unwrap();
    assert_eq!(shown.len(), stored.len(), "{body}");
    for (shown, stored) in shown.iter().zip(stored) {
        assert_eq!(shown["userId"], stored["userId"], "{body}");
        let fits = [&shown["amount"], &shown["or"]].contains(&&stored["amount"]);
        assert!(fits, "{body}: {shown} and {stored}");
    }
    recorded
}

#[tokio::test]
async fn preview_says_what_is_recorded_then() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    for body in bodies() {
        let before = group.api.rows().await;
        alice.post(&group.path("/expenses/preview"), body.clone()).await.data(200);
        assert_eq!(before, group.api.rows().await, "{body}");
        let recorded = agrees(&group, &body).await;

        // An edit keeps the id, so its shares are those that are recorded.
        let path = group.path(&format!("/expenses/{}", recorded["id"].as_str().unwrap()));
        let edit = json!({ "splitType": "equal", "amount": 77.77, "payerId": "1" });
        let preview = alice.post(&format!("{path}/preview"), edit.clone()).await.data(200).clone();
        let edited = alice.put(&path, edit).await.data(200).clone();
        for (shown, stored) in
            preview["splits"].as_array().unwrap().iter().zip(edited["splits"].as_array().unwrap())
        {
            assert_eq!((&shown["amount"], &shown["or"]), (&stored["amount"], &Value::Null));
        }
        assert_eq!(preview["payers"], edited["payers"]);
    }
}

/// A random expense of a group of five, in cents.
fn random(rng: &mut Rng) -> Value {
    let amount = rng.i64(1..100_000);
    let number = rng.usize(1..=5);
    let sharers = rng.choose_multiple(1..=5_u8, number);
    // Whole numbers with a given sum, one for each sharer.
    let mut parts = |sum: i64| {
        let mut cuts: Vec<i64> = (1..sharers.len()).map(|_| rng.i64(0..=sum)).collect();
        cuts.extend([0, sum]);
        cuts.sort_unstable();
        cuts.windows(2).map(|it| it[1] - it[0]).collect::<Vec<i64>>()
    };
    let exact = parts(amount);
    let percentages = parts(10_000);
    let adjustments = parts(amount);
    let cents = |minor: i64| json!(format!("{}.{:02}", minor / 100, minor % 100));
    let among = |field: &str, numbers: &mut dyn FnMut(usize) -> Value| {
        let split =
            |(index, id): (usize, &u8)| json!({ "userId": id.to_string(), field: numbers(index) });
        sharers.iter().enumerate().map(split).collect::<Vec<Value>>()
    };
    let types = ["equal", "shares", "exact", "percentage", "adjustment", "itemized"];
    let split = types[rng.usize(..types.len())];
    let splits = match split {
        "shares" => among("weight", &mut |_| json!(rng.u32(1..20))),
        "exact" => among("amount", &mut |index| cents(exact[index])),
        "percentage" => among("percentage", &mut |index| cents(percentages[index])),
        "adjustment" => among("adjustment", &mut |index| cents(adjustments[index])),
        _ => sharers.iter().map(|id| json!({ "userId": id.to_string() })).collect(),
    };
    if split != "itemized" {
        return json!({ "amount": cents(amount), "splitType": split, "splits": splits });
    }
    let line = |_| json!({ "name": "Line", "amount": cents(rng.i64(1..5_000)), "sharers": splits });
    let mut items: Vec<Value> = (0..3).map(line).collect();
    items.push(json!({ "name": "Wine", "amount": cents(amount) }));
    items.push(json!({ "kind": "tip", "name": "Tip", "amount": cents(exact[0].max(1)) }));
    json!({ "splitType": split, "items": items })
}

#[tokio::test]
async fn a_thousand_random_previews_are_what_is_recorded() {
    let group = Group::of(&Api::embedded().await, 5, "EUR").await;
    let mut rng = Rng::with_seed(48);
    for _ in 0..1000 {
        agrees(&group, &random(&mut rng)).await;
    }
}

#[tokio::test]
async fn odd_unit_is_open_until_there_is_an_id() {
    let group = Group::new(3, "EUR").await;
    let preview =
        group.members[0].post(&group.path("/expenses/preview"), json!({ "amount": 100 })).await;
    for share in preview.data(200)["splits"].as_array().unwrap() {
        assert_eq!((&share["amount"], &share["or"]), (&json!(33.33), &json!(33.34)));
    }
}

#[tokio::test]
async fn previews_have_the_errors_of_what_they_preview() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let preview = group.path("/expenses/preview");
    let expenses = group.path("/expenses");
    for body in [
        json!({ "amount": 0 }),
        json!({ "amount": 1, "splits": [{ "userId": "9" }], "currency": "XXQ", "tip": 1 }),
        json!({ "amount": 100, "splitType": "exact", "splits": [{ "userId": "1", "amount": 7 }] }),
        json!({ "amount": "much" }),
        json!({ "amount": 1, "spendingId": "2026-01-15T12:00:00.000Z~00000000000000000000" }),
    ] {
        let mut named = body.clone();
        named["description"] = json!("Dinner");
        let [shown, refused] =
            [alice.post(&preview, body).await, alice.post(&expenses, named).await];
        assert_eq!(shown.code(), refused.code());
        assert_eq!(shown.body["details"], refused.body["details"]);
    }
    let expense = group.spend(0, json!({ "amount": 9 })).await;
    let expense = expense["id"].as_str().unwrap();
    let path = group.path(&format!("/expenses/{expense}/preview"));
    assert_eq!(bob.post(&path, json!({ "amount": 8 })).await.code(), (403, "NOT_ALLOWED"));
}

#[tokio::test]
async fn previews_are_reads_to_scopes_and_quotas() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let preview = group.path("/expenses/preview");
    let read = json!({ "name": "x", "scopes": ["read"] });
    let reader = alice.with_token(&alice.post("/api/users/me/tokens", read).await);
    reader.post(&preview, json!({ "amount": 8 })).await.data(200);
    let write = json!({ "name": "y", "scopes": ["write"] });
    let writer = alice.with_token(&alice.post("/api/users/me/tokens", write).await);
    assert_eq!(
        writer.post(&preview, json!({ "amount": 8 })).await.code(),
        (403, "INSUFFICIENT_SCOPE")
    );
    let quotas = crate::quotas::quotas(2, 1);
    let limited = alice.with_quotas(quotas);
    for _ in 0..2 {
        limited.post(&preview, json!({ "amount": 8 })).await.data(200);
    }
    assert_eq!(limited.post(&preview, json!({ "amount": 8 })).await.status, 429);
    let dinner = json!({ "amount": 8, "description": "Dinner" });
    limited.post(&group.path("/expenses"), dinner).await.data(201);
}

#[tokio::test]
async fn spending_is_previewed_and_stays() {
    let group = Group::of(&Api::new().await, 2, "EUR").await;
    let alice = &group.members[0];
    let tea = json!({ "title": "Tea", "amount": 3, "currency": "EUR" });
    let tea = alice.post("/api/users/me/spendings", tea).await.id();
    let preview = alice.post(&group.path("/expenses/preview"), json!({ "spendingId": tea })).await;
    assert_eq!(preview.data(200)["amount"], 3);
    alice.get(&format!("/api/users/me/spendings/{tea}")).await.data(200);
}

#[tokio::test]
async fn preview_refuses_what_would_exceed_the_totals() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let most = json!({ "amount": "92233720368547758.06", "description": "Much" });
    alice.post(&group.path("/expenses"), most).await.data(201);
    let small = json!({ "amount": "0.01", "description": "Little" });
    let small = alice.post(&group.path("/expenses"), small).await.data(201).clone();
    let at = |rest: &str| group.path(&format!("/expenses{rest}"));
    let one = at(&format!("/{}", small["id"].as_str().unwrap()));
    let more = json!({ "amount": "0.02", "description": "More" });
    for (previewed, recorded) in [
        (alice.post(&at("/preview"), more.clone()).await, alice.post(&at(""), more.clone()).await),
        (
            alice.post(&format!("{one}/preview"), more.clone()).await,
            alice.put(&one, more.clone()).await,
        ),
    ] {
        assert_eq!(previewed.code(), (400, "VALIDATION_ERROR"));
        assert_eq!(previewed.body["details"], recorded.body["details"]);
    }
    // The old amount is taken back first.
    let same = json!({ "amount": "0.01", "description": "Same" });
    alice.post(&format!("{one}/preview"), same.clone()).await.data(200);
    alice.put(&one, same).await.data(200);
}

#[tokio::test]
async fn a_description_without_a_category_suggests_one() {
    let group = Group::new(2, "EUR").await;
    for (more, suggested) in [
        (json!({ "description": "Sushi in Lisbon" }), json!("food")),
        (json!({ "description": "Такси" }), json!("transport")),
        (json!({ "description": "Sushi", "category": "other" }), Value::Null),
        (json!({ "description": "Barcelona" }), Value::Null),
        (json!({}), Value::Null),
    ] {
        let mut body = json!({ "amount": 10 });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reply = group.members[0].post(&group.path("/expenses/preview"), body.clone()).await;
        assert_eq!(reply.data(200)["suggestedCategory"], suggested, "{body}");
    }
}
