//! What a user consumed on their days, and the rebuild of its sums.

use std::collections::BTreeMap;

use fracti_core::values::decimal::Decimal;
use fracti_tests::database::TABLE;
use serde_json::{Value, json};

use aws_sdk_dynamodb::types::AttributeValue;

use crate::harness::{Api, Caller, Group, number};

const DAYS: &str = "/api/users/me/days";
const SPENDINGS: &str = "/api/users/me/spendings";

/// The amounts of a response in one currency: total, spendings and shares.
fn amounts(of: &Value, currency: &str) -> [String; 3] {
    let currencies = of["currencies"].as_array().unwrap();
    let found = currencies.iter().find(|it| it["currency"] == currency);
    ["total", "spendings", "shares"]
        .map(|name| found.map_or_else(|| "0".to_owned(), |found| number(&found[name]).to_string()))
}

async fn day(caller: &Caller, date: &str) -> Value {
    caller.get(&format!("{DAYS}/{date}")).await.data(200).clone()
}

async fn spend(caller: &Caller, body: Value) -> String {
    let mut spending = json!({ "title": "Coffee", "amount": 1, "currency": "EUR" });
    spending.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
    caller.post(SPENDINGS, spending).await.data(201)["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn day_has_own_spendings_and_shares_of_every_group() {
    let api = Api::new().await;
    let alps = Group::of(&api, 4, "EUR").await;
    let flat = Group::of(&api, 2, "EUR").await;
    let alice = &alps.members[0];
    let dinner = json!({ "amount": 100, "category": "food", "date": "2026-01-10" });
    let dinner = alps.spend(1, dinner).await;
    flat.spend(0, json!({ "amount": 9, "date": "2026-01-10", "category": "rent" })).await;
    flat.spend(0, json!({ "amount": 5, "date": "2026-01-10", "currency": "JPY" })).await;
    spend(alice, json!({ "userDate": "2026-01-10", "categories": { "food": 0.5 } })).await;
    let seen = day(alice, "2026-01-10").await;
    assert_eq!(amounts(&seen, "EUR"), ["30.5", "1", "29.5"]);
    assert_eq!(seen["currencies"][0]["categories"], json!({ "food": 25.5, "rent": 4.5 }));
    assert_eq!(seen["spendingCount"], 1);
    let mut groups: Vec<_> = seen["groups"].as_array().unwrap().clone();
    groups.sort_by_key(|it| it["amount"].to_string());
    let in_flat: Vec<_> = groups.iter().filter(|it| it["groupId"] == *flat.id).collect();
    assert_eq!(in_flat.len(), 2, "one in each currency");
    let in_alps = groups.iter().find(|it| it["groupId"] == *alps.id).unwrap();
    assert_eq!((&in_alps["amount"], &in_alps["title"]), (&json!(25), &json!("Alps")));
    assert_eq!(amounts(&day(&alps.members[3], "2026-01-10").await, "EUR"), ["25", "0", "25"]);

    let expense = alps.path(&format!("/expenses/{}", dinner["id"].as_str().unwrap()));
    alps.members[1].delete(&expense).await.data(200);
    assert_eq!(amounts(&day(alice, "2026-01-10").await, "EUR"), ["5.5", "1", "4.5"]);
    alps.members[1].post(&format!("{expense}/restore"), json!({})).await.data(200);
    alps.members[1].put(&expense, json!({ "date": "2026-01-09", "amount": 40 })).await.data(200);
    assert_eq!(amounts(&day(alice, "2026-01-10").await, "EUR"), ["5.5", "1", "4.5"]);
    assert_eq!(amounts(&day(alice, "2026-01-09").await, "EUR"), ["10", "0", "10"]);
    let refund = json!({ "amount": -40, "category": "food", "date": "2026-01-09" });
    alps.spend(1, refund).await;
    assert_eq!(day(alice, "2026-01-09").await["currencies"], json!([]));
}

#[tokio::test]
async fn linked_guests_and_past_members_keep_their_days() {
    let group = Group::new(2, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let splits = json!([{ "userId": guest }, { "userId": "2" }]);
    group.spend(0, json!({ "amount": 10, "date": "2026-01-10", "splits": splits })).await;
    let bob = &group.members[1];
    assert_eq!(amounts(&day(bob, "2026-01-10").await, "EUR"), ["5", "0", "5"]);
    group.link(&guest, "2").await.data(200);
    assert_eq!(amounts(&day(bob, "2026-01-10").await, "EUR"), ["10", "0", "10"]);
    group.pay(1, 0, "10").await;
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(amounts(&day(bob, "2026-01-10").await, "EUR"), ["10", "0", "10"]);
}

#[tokio::test]
async fn days_are_listed_with_targets_of_their_period() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let targets = json!({ "version": 1, "currency": "EUR", "total": 10, "food": 5,
        "registry": { "pets": { "unit": "USD", "target": 3 } } });
    alice.patch("/api/users/me/targets", targets).await.data(200);
    for (date, amount, currency) in [
        ("2026-01-02", "4.10", "EUR"),
        ("2026-01-03", "4.20", "EUR"),
        ("2026-01-03", "1", "USD"),
        ("2025-12-31", "7", "EUR"),
    ] {
        let body =
            json!({ "userDate": date, "amount": amount, "currency": currency, "category": "food" });
        spend(&alice, body).await;
    }
    let gone = spend(&alice, json!({ "userDate": "2026-01-04" })).await;
    alice.delete(&format!("{SPENDINGS}/{gone}")).await.data(200);
    let month = alice.get(&format!("{DAYS}?month=2026-01")).await.data(200).clone();
    assert_eq!((&month["from"], &month["to"]), (&json!("2026-01-01"), &json!("2026-01-31")));
    assert_eq!(month["uniqueDays"], 2);
    let dates: Vec<_> = month["days"].as_array().unwrap().iter().map(|it| &it["date"]).collect();
    assert_eq!(dates, ["2026-01-03", "2026-01-02"]);
    assert_eq!(amounts(&month, "EUR"), ["8.3", "8.3", "0"]);
    let state = |key: &str, currency: &str, target: f64, spent: f64, left: f64| {
        json!({ "key": key, "currency": currency, "target": target, "spent": spent,
            "left": left })
    };
    let text = |value: &Value| {
        let list = value.as_array().unwrap().iter();
        let line = |it: &Value| {
            let numbers = ["target", "spent", "left"].map(|name| number(&it[name]).to_string());
            format!("{} {} {}", it["key"], it["currency"], numbers.join(" "))
        };
        list.map(line).collect::<Vec<_>>()
    };
    let expected = json!([
        state("food", "EUR", 5.0, 8.3, -3.3),
        state("total", "EUR", 10.0, 8.3, 1.7),
        state("pets", "USD", 3.0, 0.0, 3.0),
    ]);
    assert_eq!(text(&month["targets"]), text(&expected));
    let other = alice.get(&format!("{DAYS}?from=2026-01-01&to=2026-01-30")).await;
    assert_eq!(other.data(200)["targets"], Value::Null);
    let default = alice.get(DAYS).await.data(200).clone();
    assert_eq!((&default["from"], &default["to"]), (&json!("2025-12-17"), &json!("2026-01-15")));
    assert_eq!(default["uniqueDays"], 3);
    assert_eq!(default["days"][0]["over"], Value::Null);
    let daily = json!({ "version": 2, "period": "day", "food": 4.1 });
    alice.patch("/api/users/me/targets", daily).await.data(200);
    let listed = alice.get(&format!("{DAYS}?month=2026-01")).await.data(200).clone();
    assert_eq!(listed["targets"], Value::Null);
    assert_eq!(listed["days"][0]["over"], json!(["food"]));
    assert_eq!(listed["days"][1]["over"], Value::Null);
}

#[tokio::test]
async fn invalid_ranges_name_the_parameter() {
    let alice = Api::new().await.user(1, "Alice");
    for (query, at) in [
        ("from=2026-02-30", "from"),
        ("from=2026-2-3", "from"),
        ("to=x", "to"),
        ("from=2026-01-12&to=2026-01-11", "from"),
        ("from=2026-01-20", "from"),
        ("from=2025-01-01&to=2026-01-02", "from"),
        ("from=2000-01-01", "from"),
        ("month=2026-13", "month"),
        ("month=2026-01&from=2026-01-01", "month"),
        ("limit=5", "limit"),
    ] {
        for reply in [
            alice.get(&format!("{DAYS}?{query}")).await,
            alice.post(&format!("{DAYS}/rebuild?{query}"), json!({})).await,
        ] {
            assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{query}: {}", reply.text);
            assert_eq!(reply.body["details"][0]["path"], at, "{query}");
        }
    }
    for date in ["x", "2026-02-30", "2026-1-1"] {
        let reply = alice.get(&format!("{DAYS}/{date}")).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{date}");
    }
    alice.get(&format!("{DAYS}?from=2024-01-01&to=2024-12-31")).await.data(200);
}

#[tokio::test]
async fn rebuild_repairs_a_corrupted_summary_once() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for date in ["2026-01-10", "2026-01-11", "2026-01-12"] {
        spend(&alice, json!({ "userDate": date, "category": "food" })).await;
    }
    let right = api.rows().await;
    let update = |date: &str, change: &str, name: &str| {
        let key = |text: String| AttributeValue::S(text);
        let update = api.client.update_item().table_name(TABLE);
        update
            .key("PK", key("USER#1".to_owned()))
            .key("SK", key(format!("SUMMARY#{date}")))
            .update_expression(change)
            .expression_attribute_names("#name", name)
    };
    let five = || AttributeValue::N("5".to_owned());
    let wrong = update("2026-01-10", "ADD #name :five", "total#EUR");
    wrong.expression_attribute_values(":five", five()).send().await.unwrap();
    let wrong = update("2026-01-13", "ADD #name :five", "cat#food#EUR");
    wrong.expression_attribute_values(":five", five()).send().await.unwrap();
    update("2026-01-12", "REMOVE #name", "spendingCount").send().await.unwrap();

    let earlier = format!("{DAYS}/rebuild?month=2025-12");
    alice.post_once("key", &earlier, json!({})).await.data(200);
    let other = alice.post_once("key", &format!("{DAYS}/rebuild?month=2026-01"), json!({})).await;
    assert_eq!(other.code(), (422, "IDEMPOTENCY_KEY_REUSED"), "the key was for other days");
    let rebuild = format!("{DAYS}/rebuild?month=2026-01");
    let rebuilt = alice.post(&rebuild, json!({})).await;
    assert_eq!(rebuilt.cost.round_trips, 3);
    let changed = json!(["2026-01-10", "2026-01-12", "2026-01-13"]);
    assert_eq!(rebuilt.data(200), &json!({ "checked": 31, "changed": changed }));
    let counters = |rows: &BTreeMap<(String, String), BTreeMap<String, AttributeValue>>| {
        let days = rows.iter().filter(|((_, sort_key), _)| sort_key.starts_with("SUMMARY#"));
        let counter = |(name, value): (&String, &AttributeValue)| {
            let kept = name == "spendingCount" || name.contains('#');
            kept.then(|| (name.clone(), value.clone()))
        };
        days.map(|(key, row)| (key.clone(), row.iter().filter_map(counter).collect::<Vec<_>>()))
            .filter(|(_, counters)| !counters.is_empty())
            .collect::<BTreeMap<_, _>>()
    };
    let repaired = api.rows().await;
    assert_eq!(counters(&repaired), counters(&right));
    let again = alice.post(&rebuild, json!({})).await;
    assert_eq!(again.data(200), &json!({ "checked": 31, "changed": [] }));
    assert_eq!(again.cost.round_trips, 1);
    assert_eq!(api.rows().await, repaired);
}

#[tokio::test]
async fn days_take_two_round_trips_for_a_hundred_groups() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for chat in 0..5 {
        let group = json!({ "title": "G", "chatId": chat, "currency": "EUR" });
        alice.post("/api/groups", group).await.data(201);
    }
    for path in [DAYS.to_owned(), format!("{DAYS}/2026-01-10")] {
        let reply = alice.get(&path).await;
        reply.data(200);
        assert_eq!(reply.cost.round_trips, 2, "{path}: {}", reply.cost);
    }
    let nobody = api.user(2, "Bob").get(DAYS).await;
    assert_eq!(nobody.cost.round_trips, 1);
}

/// The sum of what is left of a user's spendings.
async fn left(caller: &Caller) -> Decimal {
    let all = caller.pages(SPENDINGS, 100).await;
    all.iter().fold(Decimal::ZERO, |sum, it| sum.plus(number(&it["amount"])).unwrap())
}

#[tokio::test]
async fn sharing_turns_a_spending_into_an_expense() {
    let group = Group::new(2, "JPY").await;
    let alice = &group.members[0];
    let body = json!({ "title": "Pizza", "amount": "12.50", "userDate": "2026-01-10",
        "categories": { "food": 9 }, "notes": "private", "emoji": "🍕" });
    let id = spend(alice, body).await;
    let expenses = group.path("/expenses");
    for (extra, at) in [
        (json!({ "amount": 1 }), "amount"),
        (json!({ "currency": "EUR" }), "currency"),
        (json!({ "payerId": "2" }), "payerId"),
        (json!({ "items": [{ "name": "All", "amount": 1 }] }), "items"),
        (json!({ "spendingId": "x/y" }), "spendingId"),
    ] {
        let mut body = json!({ "spendingId": id });
        body.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let refused = alice.post(&expenses, body).await;
        assert_eq!(refused.body["details"][0]["path"], at, "{}", refused.text);
    }
    let of_bob = group.members[1].post(&expenses, json!({ "spendingId": id })).await;
    assert_eq!(of_bob.code(), (404, "SPENDING_NOT_FOUND"));
    let missing = alice.post(&expenses, json!({ "amount": 1 })).await;
    assert_eq!(missing.body["details"][0]["message"], "description is required");

    let only_me = json!({ "spendingId": id, "splits": [{ "userId": "1" }] });
    let shared = alice.post_once("k", &expenses, only_me.clone()).await;
    assert_eq!(shared.cost.round_trips, 2);
    let expense = shared.data(201).clone();
    for (name, value) in [
        ("amount", json!(12.5)),
        ("currency", json!("EUR")),
        ("description", json!("Pizza")),
        ("category", json!("food")),
        ("date", json!("2026-01-10")),
        ("payerId", json!("1")),
        ("notes", Value::Null),
    ] {
        assert_eq!(expense[name], value, "{name}");
    }
    assert_eq!(left(alice).await, Decimal::ZERO);
    let seen = day(alice, "2026-01-10").await;
    assert_eq!(amounts(&seen, "EUR"), ["12.5", "0", "12.5"], "the day's total stays");
    assert_eq!(seen["spendingCount"], 0);
    let replayed = alice.post_once("k", &expenses, only_me.clone()).await;
    assert_eq!(replayed.data(201), &expense);
    let again = alice.post(&expenses, only_me).await;
    assert_eq!(again.code(), (404, "SPENDING_NOT_FOUND"));
    group.verify().await;
}

#[tokio::test]
async fn concurrent_sharing_makes_one_expense() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let id = spend(alice, json!({ "amount": 8 })).await;
    let share = || {
        let alice = alice.at(&group.api.another());
        let path = group.path("/expenses");
        let body = json!({ "spendingId": id });
        async move { alice.post(&path, body).await.status.as_u16() }
    };
    let (one, two, three) = tokio::join!(share(), share(), share());
    let mut all = [one, two, three];
    all.sort_unstable();
    assert_eq!(all, [201, 404, 404]);
    assert_eq!(amounts(&day(alice, "2026-01-15").await, "EUR"), ["4", "0", "4"]);
    group.verify().await;
}
