//! Create an expense.

use serde_json::json;

use crate::harness::{Group, number};

#[tokio::test]
async fn created_expense_reads_back_as_recorded() {
    let group = Group::new(3, "USD").await;
    let made = group
        .spend(
            0,
            json!({
                "amount": "100", "payerId": "2", "category": "food", "description": "Fondue 🫕",
                "splitType": "percentage",
                "splits": [{ "userId": "1", "percentage": 33.3333 },
                    { "userId": "3", "percentage": "66.6667" }],
            }),
        )
        .await;
    assert_eq!(made["payerId"], "2");
    assert_eq!(made["payerName"], "B");
    assert_eq!(made["createdBy"], "1");
    assert_eq!(made["currency"], "USD");
    assert_eq!(made["category"], "food");
    assert_eq!(made["splitType"], "percentage");
    assert_eq!(
        made["splits"],
        json!([
            { "userId": "1", "userName": "A", "amount": 33.33, "percentage": 33.3333 },
            { "userId": "3", "userName": "C", "amount": 66.67, "percentage": 66.6667 },
        ])
    );
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    for member in &group.members {
        assert_eq!(member.get(&path).await.data(200), &made);
    }
    assert_eq!(group.members[2].get(&group.path("/expenses")).await.data(200), &json!([made]));
    assert_eq!(group.balances().await, ["-33.33", "100", "-66.67"]);
    group.verify().await;
}

#[tokio::test]
async fn amounts_keep_all_digits_in_responses_rows_and_totals() {
    let group = Group::new(1, "TON").await;
    for (amount, currency, printed) in [
        ("0.000000001", "TON", "0.000000001"),
        ("1e-9", "TON", "0.000000001"),
        ("9007199254740993", "JPY", "9007199254740993"),
        ("90071992547409.93", "USD", "90071992547409.93"),
        ("\"33.33\"", "EUR", "33.33"),
        ("33.330", "EUR", "33.33"),
        ("9223372036.854775807", "TON", "9223372036.854775807"),
    ] {
        let body = format!(r#"{{"description":"x","amount":{amount},"currency":"{currency}"}}"#);
        let made = group.members[0].post_text(&group.path("/expenses"), &body).await;
        let id = made.data(201)["id"].as_str().unwrap().to_owned();
        let path = group.path(&format!("/expenses/{id}"));
        let read = group.members[0].get(&path).await;
        let debts = group.members[0].get(&group.path("/debts")).await;
        for reply in [&made, &read] {
            assert!(
                reply.text.contains(&format!(r#""amount":{printed},"#)),
                "{amount}: {}",
                reply.text
            );
        }
        let total = format!(r#"{{"currency":"{currency}","totalExpenses":{printed},"#);
        assert!(debts.text.contains(&total), "{total} in {}", debts.text);
        let numbers =
            group.api.rows().await.into_values().filter_map(|row| row.get("amount").cloned());
        assert!(numbers.into_iter().any(|it| it.as_n().is_ok_and(|n| n == printed)), "{printed}");
        group.members[0].delete(&path).await.data(200);
    }
    group.verify().await;
}

#[tokio::test]
async fn payer_without_a_share_is_owed_the_whole_amount() {
    let group = Group::new(3, "EUR").await;
    group
        .spend(0, json!({ "amount": 150, "splits": [{ "userId": "2" }, { "userId": "3" }] }))
        .await;
    assert_eq!(group.balances().await, ["150", "-75", "-75"]);
    let debts = group.members[0].get("/api/users/me/debts").await;
    assert_eq!(debts.data(200), &json!([]));
    group.verify().await;
}

#[tokio::test]
async fn zero_share_owes_nothing_and_writes_no_participant_row() {
    let group = Group::new(3, "EUR").await;
    let splits = json!([
        { "userId": "1", "amount": 0 }, { "userId": "2", "amount": "10.00" },
            { "userId": "3", "amount": 0 },
    ]);
    let made =
        group.spend(0, json!({ "amount": 10, "splitType": "exact", "splits": splits })).await;
    assert_eq!(made["splits"].as_array().unwrap().len(), 3);
    let rows = group.api.rows().await;
    let participants: Vec<_> = rows.keys().filter(|(_, sk)| sk.starts_with("PART#")).collect();
    assert_eq!(participants.len(), 1);
    assert_eq!(group.balances().await, ["10", "-10", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn expenses_of_one_millisecond_get_distinct_creation_times() {
    let group = Group::new(2, "EUR").await;
    let [first, second] = [
        group.spend(0, json!({ "amount": 1 })).await,
        group.spend(1, json!({ "amount": 2 })).await,
    ];
    assert_eq!(first["createdAt"], "2026-01-15T12:00:00.000Z");
    assert_eq!(second["createdAt"], "2026-01-15T12:00:00.001Z");
    assert_eq!(
        group.members[0].get(&group.path("/expenses")).await.data(200),
        &json!([second, first])
    );
}

#[tokio::test]
async fn expense_has_at_most_45_shares() {
    let group = Group::new(45, "EUR").await;
    let made = group.spend(0, json!({ "amount": "100.00" })).await;
    let shares = made["splits"].as_array().unwrap();
    assert_eq!(shares.len(), 45);
    let sum: i128 = shares.iter().map(|share| number(&share["amount"]).at_scale(2).unwrap()).sum();
    assert_eq!(sum, 10_000);
    group.verify().await;

    let one_more = group.api.user(46, "Late");
    one_more.post(&group.path("/join"), json!({})).await.data(200);
    let before = group.api.rows().await;
    let all =
        one_more.post(&group.path("/expenses"), json!({ "amount": 1, "description": "x" })).await;
    assert_eq!(all.code(), (422, "TOO_MANY_SPLITS"));
    assert_eq!(group.api.rows().await, before);

    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    group.members[0].delete(&path).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn expense_that_would_overflow_the_totals_is_refused() {
    let group = Group::new(2, "JPY").await;
    group.spend(0, json!({ "amount": i64::MAX })).await;
    let before = group.api.rows().await;
    let more = group.members[1]
        .post(&group.path("/expenses"), json!({ "amount": 1, "description": "x" }))
        .await;
    assert_eq!(more.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(more.body["details"][0]["path"], "amount");
    assert_eq!(group.api.rows().await, before);
    group.spend(1, json!({ "amount": i64::MAX, "currency": "KRW" })).await;
    group.verify().await;
}
