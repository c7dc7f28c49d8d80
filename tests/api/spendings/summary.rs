use std::collections::BTreeMap;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::values::decimal::Decimal;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{SPENDINGS, counters, path, spend, summary};
use crate::harness::{Api, Caller, number};

/// The sum of the amounts of a user's stored spendings.
async fn total(caller: &Caller) -> String {
    let all = caller.pages(SPENDINGS, 100).await;
    let add = |sum: Decimal, spending: &Value| sum.plus(number(&spending["amount"])).unwrap();
    all.iter().fold(Decimal::ZERO, add).to_string()
}

#[tokio::test]
async fn twenty_concurrent_spendings_of_one_day_all_succeed() {
    let api = Api::new().await;
    let mut tasks = JoinSet::new();
    for cents in 1..=20 {
        // Each in a process of its own.
        let alice = api.another().user(1, "Alice");
        tasks.spawn(async move {
            let amount = format!("0.{cents:02}");
            let body =
                json!({ "title": "x", "amount": amount, "currency": "EUR", "category": "food" });
            alice.post(SPENDINGS, body).await.status.as_u16()
        });
    }
    let statuses = tasks.join_all().await;
    assert_eq!(statuses, [201; 20]);
    let expected = [("cat#food#EUR", "2.1"), ("spendingCount", "20"), ("total#EUR", "2.1")];
    assert_eq!(summary(&api, "1", "2026-01-15").await, counters(expected));
    assert_eq!(total(&api.user(1, "Alice")).await, "2.1");
}

#[tokio::test]
async fn concurrent_edits_and_deletions_keep_the_sum_exact() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let mut spendings = Vec::new();
    for _ in 0..4 {
        spendings.push(spend(&alice, json!({ "amount": 10 })).await);
    }
    let mut tasks = JoinSet::new();
    for step in 0..24_usize {
        let alice = api.another().user(1, "Alice");
        let at = path(&spendings[step % 4]);
        tasks.spawn(async move {
            let reply = match step % 3 {
                0 => alice.put(&at, json!({ "amount": step + 1 })).await,
                1 => alice.put(&at, json!({ "amount": step + 1, "userDate": "2026-01-14" })).await,
                _ if step > 20 => alice.delete(&at).await,
                _ => alice.put(&at, json!({ "userDate": "2026-01-15" })).await,
            };
            assert!([200, 404].contains(&reply.status.as_u16()), "{}", reply.text);
        });
    }
    tasks.join_all().await;
    let mut sums: BTreeMap<String, (Decimal, u64)> = BTreeMap::new();
    for spending in alice.pages(SPENDINGS, 100).await {
        let date = spending["userDate"].as_str().unwrap().to_owned();
        let (sum, count) = sums.entry(date).or_insert((Decimal::ZERO, 0));
        *sum = sum.plus(number(&spending["amount"])).unwrap();
        *count += 1;
    }
    for date in ["2026-01-14", "2026-01-15"] {
        let expected = sums.get(date).map_or_else(BTreeMap::new, |(sum, count)| {
            counters([("total#EUR", &sum.to_string()), ("spendingCount", &count.to_string())])
        });
        assert_eq!(summary(&api, "1", date).await, expected, "{date}");
    }
}

/// Puts a row as an earlier version wrote it: in `PascalCase`, without a version.
async fn put_old(api: &Api, sort_key: &str, attributes: Value) {
    let mut row: BTreeMap<String, AttributeValue> = BTreeMap::new();
    let value = |value: &Value| match value {
        Value::Number(number) => AttributeValue::N(number.to_string()),
        Value::Object(map) => {
            let number = |it: &Value| AttributeValue::N(it.to_string());
            AttributeValue::M(map.iter().map(|(key, it)| (key.clone(), number(it))).collect())
        }
        other => AttributeValue::S(other.as_str().unwrap().to_owned()),
    };
    row.insert("PK".to_owned(), AttributeValue::S("USER#1".to_owned()));
    row.insert("SK".to_owned(), AttributeValue::S(sort_key.to_owned()));
    for (name, it) in attributes.as_object().unwrap() {
        row.insert(name.clone(), value(it));
    }
    let put = api.client.put_item().table_name(fracti_tests::database::TABLE);
    put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
}

#[tokio::test]
async fn rows_in_pascal_case_read_like_new_ones() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let old = json!({ "Title": "Lunch", "Amount": 7, "Currency": "USD", "UserDate": "2026-01-14",
        "Categories": { "Food": 5 }, "CreatedAt": "2026-01-14T10:00:00Z" });
    put_old(&api, "SPEND#2026-01-14T10:00:00Z#0f3a", old).await;
    let day = json!({ "Total#USD": 7, "Cat#Food#USD": 5, "SpendingCount": 1 });
    put_old(&api, "SUMMARY#2026-01-14", day).await;
    let targets = json!({ "Version": 3, "Period": "month", "Currency": "USD",
        "Targets": { "Food": 300 },
        "Registry": {} });
    put_old(&api, "CONFIG#TARGETS", targets).await;

    let listed = alice.get(SPENDINGS).await.data(200).clone();
    let expected = json!([{ "id": "2026-01-14T10:00:00Z~0f3a", "title": "Lunch", "amount": 7,
        "currency": "USD", "categories": { "food": 5 }, "userDate": "2026-01-14",
        "spentAt": "2026-01-14T10:00:00.000Z", "createdAt": "2026-01-14T10:00:00.000Z" }]);
    assert_eq!(listed, expected);
    let read = alice.get("/api/users/me/targets").await.data(200).clone();
    assert_eq!((&read["version"], &read["food"]), (&json!(3), &json!(300)));
    let changed = json!({ "version": 3, "food": 250 });
    assert_eq!(alice.patch("/api/users/me/targets", changed).await.data(200)["version"], 4);

    let body = json!({ "amount": 2, "currency": "USD", "userDate": "2026-01-14" });
    spend(&alice, body).await;
    let at = path(&listed[0]);
    alice.put(&at, json!({ "amount": 6 })).await.data(200);
    alice.delete(&at).await.data(200);
    let rows = api.rows().await;
    let row = &rows[&("USER#1".to_owned(), "SUMMARY#2026-01-14".to_owned())];
    let number = |name: &str| row[name].as_n().unwrap().clone();
    assert_eq!([number("Total#USD"), number("total#USD")], ["7", "-5"]);
    assert_eq!([number("SpendingCount"), number("spendingCount")], ["1", "0"]);
}
