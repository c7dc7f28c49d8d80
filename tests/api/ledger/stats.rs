//! Statistics of a group.

use std::collections::BTreeMap;

use fastrand::Rng;
use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};

use crate::harness::{Api, Group, number};

#[tokio::test]
async fn statistics_are_by_category_member_and_period() {
    let group = Group::new(3, "EUR").await;
    let guest = group.guest(0, "Grandma").await;
    let shared =
        |users: &[&str]| users.iter().map(|user| json!({ "userId": user })).collect::<Vec<_>>();
    let dinner = json!({ "amount": 30, "category": "food", "date": "2026-01-31",
        "splits": shared(&["1", "2", &guest]) });
    group.spend(0, dinner).await;
    let wine = json!({ "amount": 9, "category": "food", "date": "2026-01-31",
        "splits": shared(&["1", "2", "3"]) });
    group.spend(1, wine).await;
    let refund = json!({ "amount": -4, "date": "2026-02-01", "splits": shared(&["1", "2"]) });
    group.spend(1, refund).await;
    let taxi = json!({ "amount": 5, "currency": "USD", "category": "transport",
        "date": "2026-02-02", "splits": shared(&["2"]) });
    group.spend(0, taxi).await;
    // In no period that is asked for.
    group.spend(0, json!({ "amount": 100, "date": "2026-03-01" })).await;
    let alice = &group.members[0];
    group.link(&guest, "3").await.data(200);
    group.pay(2, 0, "1").await;

    let path = group.path("/stats?from=2026-01-01&to=2026-02-28");
    let stats = alice.get(&path).await.data(200).clone();
    let expected = json!({ "from": "2026-01-01", "to": "2026-02-28", "currencies": [
        { "currency": "EUR", "total": 35, "expenseCount": 3,
          "categories": [
            { "category": "none", "total": -4, "expenseCount": 1 },
            { "category": "food", "total": 39, "expenseCount": 2 },
          ],
          "members": [
            { "userId": "1", "name": "A", "paid": 30, "share": 11,
              "categories": { "food": 13, "none": -2 } },
            { "userId": "2", "name": "B", "paid": 5, "share": 11,
              "categories": { "food": 13, "none": -2 } },
            { "userId": "3", "name": "C", "paid": 0, "share": 13, "categories": { "food": 13 } },
          ],
          "series": [
            { "period": "2026-01", "total": 39, "categories": { "food": 39 } },
            { "period": "2026-02", "total": -4, "categories": { "none": -4 } },
          ] },
        { "currency": "USD", "total": 5, "expenseCount": 1,
          "categories": [{ "category": "transport", "total": 5, "expenseCount": 1 }],
          "members": [
            { "userId": "1", "name": "A", "paid": 5, "share": 0, "categories": {} },
            { "userId": "2", "name": "B", "paid": 0, "share": 5, "categories": { "transport": 5 } },
          ],
          "series": [{ "period": "2026-02", "total": 5, "categories": { "transport": 5 } }] },
    ] });
    assert_eq!(stats, expected);
    let by_day = alice.get(&format!("{path}&by=day")).await.data(200).clone();
    let series = &by_day["currencies"][0]["series"];
    assert_eq!(
        (&series[0]["period"], &series[1]["period"]),
        (&json!("2026-01-31"), &json!("2026-02-01"))
    );
    // This month in UTC.
    let month = alice.get(&group.path("/stats")).await.data(200).clone();
    assert_eq!((&month["from"], &month["to"]), (&json!("2026-01-01"), &json!("2026-01-31")));
    assert_eq!(month["currencies"][0]["total"], 39);
}

#[tokio::test]
async fn members_who_left_stay_in_the_statistics() {
    let group = Group::new(3, "EUR").await;
    group.spend(2, json!({ "amount": 4, "splits": [{ "userId": "3" }] })).await;
    group.members[2].post(&group.path("/leave"), json!({})).await.data(200);
    let stats = group.members[0].get(&group.path("/stats")).await.data(200).clone();
    let carol = json!({ "userId": "3", "name": "C", "paid": 4, "share": 4,
        "categories": { "none": 4 } });
    assert_eq!(stats["currencies"][0]["members"], json!([carol]));
    let refused = group.members[2].get(&group.path("/stats")).await;
    assert_eq!(refused.code(), (403, "LEFT"));
}

/// Sums of numbers by the path that the statistics have them at.
type Sums = BTreeMap<String, Decimal>;

fn add(sums: &mut Sums, path: String, number: Decimal) {
    let sum = sums.entry(path).or_insert(Decimal::ZERO);
    *sum = sum.plus(number).unwrap();
}

/// The statistics by month of expenses as they are listed.
fn recomputed(expenses: &[Value], (from, to): (&str, &str)) -> Sums {
    let mut sums = Sums::new();
    for expense in expenses {
        let date = expense["date"].as_str().unwrap();
        if date < from || date > to {
            continue;
        }
        let currency = expense["currency"].as_str().unwrap();
        let category = expense["category"].as_str().unwrap_or("none");
        let one = Decimal::new(1, 0);
        add(&mut sums, format!("{currency} count"), one);
        add(&mut sums, format!("{currency} {category} count"), one);
        let month = &date[..7];
        for share in expense["splits"].as_array().unwrap() {
            let user = share["userId"].as_str().unwrap();
            let amount = number(&share["amount"]);
            for path in [
                currency.to_owned(),
                format!("{currency} {category}"),
                format!("{currency} {month}"),
                format!("{currency} {month} {category}"),
                format!("{currency} {user} share"),
                format!("{currency} {user} {category}"),
            ] {
                add(&mut sums, path, amount);
            }
        }
        for payer in expense["payers"].as_array().unwrap() {
            let user = payer["userId"].as_str().unwrap();
            add(&mut sums, format!("{currency} {user} paid"), number(&payer["amount"]));
        }
    }
    sums.retain(|_, sum| *sum != Decimal::ZERO);
    sums
}

/// The numbers of a response.
fn shown(stats: &Value) -> Sums {
    let mut sums = Sums::new();
    let list = |value: &Value| value.as_array().unwrap().clone();
    for of in list(&stats["currencies"]) {
        let currency = of["currency"].as_str().unwrap();
        let mut add = |path: String, value: &Value| add(&mut sums, path, number(value));
        add(currency.to_owned(), &of["total"]);
        add(format!("{currency} count"), &of["expenseCount"]);
        for category in list(&of["categories"]) {
            let name = category["category"].as_str().unwrap();
            add(format!("{currency} {name}"), &category["total"]);
            add(format!("{currency} {name} count"), &category["expenseCount"]);
        }
        for member in list(&of["members"]) {
            let user = member["userId"].as_str().unwrap();
            add(format!("{currency} {user} share"), &member["share"]);
            add(format!("{currency} {user} paid"), &member["paid"]);
            for (category, amount) in member["categories"].as_object().unwrap() {
                add(format!("{currency} {user} {category}"), amount);
            }
        }
        for period in list(&of["series"]) {
            let month = period["period"].as_str().unwrap();
            add(format!("{currency} {month}"), &period["total"]);
            for (category, amount) in period["categories"].as_object().unwrap() {
                add(format!("{currency} {month} {category}"), amount);
            }
        }
    }
    sums.retain(|_, sum| *sum != Decimal::ZERO);
    sums
}

#[tokio::test]
async fn statistics_equal_a_recomputation() {
    let group = Group::new(4, "EUR").await;
    let alice = &group.members[0];
    let mut rng = Rng::with_seed(1);
    for _ in 0..40 {
        let mut body = json!({
            "amount": format!("{}.{:02}", rng.i64(1..500), rng.i64(0..100)),
            "date": format!("2026-{:02}-{:02}", rng.i64(1..4), rng.i64(1..29)),
            "currency": rng.choice(["EUR", "USD"]),
        });
        if let Some(category) = rng.choice([None, Some("food"), Some("travel")]).flatten() {
            body["category"] = json!(category);
        }
        let users = rng.choose_multiple(["1", "2", "3", "4"], 2);
        body["splits"] = users.iter().map(|user| json!({ "userId": user })).collect();
        if rng.bool() {
            body["payers"] = json!([{ "userId": "1", "amount": "0.5" }, { "userId": users[0] }]);
            if users[0] == "1" {
                body["payers"] = json!([{ "userId": "1" }]);
            }
        }
        let made = group.spend(0, body).await;
        let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
        match rng.u32(0..6) {
            0 => alice.delete(&path).await.data(200).clone(),
            1 => alice
                .put(&path, json!({ "date": "2026-02-14", "category": "food" }))
                .await
                .data(200)
                .clone(),
            2 => alice.put(&path, json!({ "splits": [{ "userId": "4" }] })).await.data(200).clone(),
            _ => continue,
        };
    }
    let expenses = alice.pages(&group.path("/expenses"), 100).await;
    for (from, to) in [
        ("2026-01-01", "2026-12-31"),
        ("2026-02-01", "2026-02-28"),
        ("2026-02-14", "2026-02-14"),
        ("2027-01-01", "2027-01-31"),
    ] {
        let stats = alice.get(&group.path(&format!("/stats?from={from}&to={to}"))).await;
        let expected = recomputed(&expenses, (from, to));
        let found = shown(stats.data(200));
        assert_eq!(found, expected, "{from} to {to}");
        assert_eq!(found.is_empty(), from.starts_with("2027"), "{from} to {to}");
    }
    group.verify().await;
}

#[tokio::test]
async fn cost_of_statistics_grows_with_days_and_not_with_expenses() {
    let group = Group::of(&Api::embedded().await, 3, "EUR").await;
    let alice = &group.members[0];
    let stats = async || {
        let reply = alice.get(&group.path("/stats")).await;
        reply.data(200);
        (reply.cost, reply.bytes_read)
    };
    let spend = |day: u64, category: &'static str| {
        group.spend(
            0,
            json!({ "amount": 3, "category": category, "date": format!("2026-01-{day:02}") }),
        )
    };
    spend(1, "food").await;
    let (one, bytes) = stats().await;
    assert_eq!(one.round_trips, 1);
    for _ in 0..50 {
        spend(1, "food").await;
    }
    let (many, more_bytes) = stats().await;
    assert_eq!(many, one);
    // The numbers have more digits.
    assert!(more_bytes < bytes + 20, "{bytes} {more_bytes}");
    for day in 2..=31 {
        spend(day, "food").await;
    }
    let (days, _) = stats().await;
    assert!(days.read_units > one.read_units && days.requests == one.requests, "{days}");
}
