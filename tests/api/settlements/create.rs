//! Create a settlement.

use std::time::Duration;

use serde_json::{Value, json};

use super::{A, settle, with_debt};
use crate::harness::{Caller, Group};

#[tokio::test]
async fn settlement_of_the_recipient_is_completed_at_once() {
    let group = with_debt().await;
    let made = group.pay(1, 0, "50").await;
    assert_eq!(made["status"], "completed");
    assert_eq!(made["completedAt"], made["createdAt"]);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    assert_eq!(group.debts().await["suggestedSettlements"], json!([]));
    let third = json!({ "fromId": "2", "toId": "1", "amount": 5 });
    let third = group.members[2].post(&group.path("/settlements"), third).await;
    assert_eq!(third.code(), (403, "NOT_ALLOWED"));
    group.verify().await;
}

#[tokio::test]
async fn settlement_without_a_date_has_the_day_that_an_expense_has() {
    let group = with_debt().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let zone = json!({ "version": 1, "timeZone": "+03:00" });
    alice.patch("/api/users/me/targets", zone).await.data(200);
    // 03:59 of Alice's clock, then 04:00, and then 03:59 and 04:00 of Bob's, which is UTC.
    group.api.pass(Duration::from_mins(12 * 60 + 59));
    for (dates, passed) in [
        (["2026-01-15", "2026-01-15"], 1),
        (["2026-01-16", "2026-01-15"], 3 * 60 - 1),
        (["2026-01-16", "2026-01-15"], 1),
        (["2026-01-16", "2026-01-16"], 0),
    ] {
        for (member, date) in [alice, bob].into_iter().zip(dates) {
            let expense = json!({ "amount": 1, "description": "x" });
            let expense = member.post(&group.path("/expenses"), expense).await.data(201).clone();
            let payment = json!({ "fromId": "2", "toId": "1", "amount": 1, "separate": true });
            let payment = member.post(&group.path("/settlements"), payment).await;
            assert_eq!(payment.data(201)["date"], date);
            assert_eq!(payment.data(201)["date"], expense["date"]);
        }
        group.api.pass(Duration::from_mins(passed));
    }
    let dated = json!({ "fromId": "2", "toId": "1", "amount": 2, "date": "2026-01-01" });
    assert_eq!(
        alice.post(&group.path("/settlements"), dated).await.data(201)["date"],
        "2026-01-01"
    );
    let shown = alice.get("/api/users/me/activity?limit=2").await.data(200).clone();
    assert_eq!([&shown[0]["date"], &shown[1]["date"]], ["2026-01-01", "2026-01-16"]);
    group.verify().await;
}

#[tokio::test]
async fn settlement_may_be_in_another_currency() {
    let group = with_debt().await;
    let body = json!({ "fromId": "2", "toId": "1", "amount": "0.000000001", "currency": "TON" });
    let made = group.members[0].post(&group.path("/settlements"), body).await;
    assert!(made.text.contains(r#""amount":0.000000001,"currency":"TON""#), "{}", made.text);
    let debts = group.members[0].get(&group.path("/debts")).await;
    assert!(debts.text.contains(r#""balances":{"EUR":50,"TON":-0.000000001}"#), "{}", debts.text);
    group.verify().await;
}

#[tokio::test]
async fn transaction_hash_of_the_recipient_is_refused() {
    let group = with_debt().await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let body = json!({ "fromId": "2", "toId": "1", "amount": 1, "txHash": A });
    let refused = alice.post(&group.path("/settlements"), body).await;
    assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn currency_of_a_settlement_defaults_to_the_only_one_owed() {
    let group = Group::new(3, "TON").await;
    let [_, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let split = |user: &str| json!([{ "userId": user }]);
    group.spend(0, json!({ "amount": 12.5, "currency": "EUR", "splits": split("2") })).await;
    let currency =
        async |by: &Caller, body: Value| settle(&group, by, body).await.0["currency"].clone();
    // Bob owes Alice euros only.
    let pay = json!({ "toId": "1", "amount": 12.5 });
    assert_eq!(currency(bob, pay.clone()).await, "EUR");
    // Carol owes nothing, and Bob has no credit.
    assert_eq!(currency(carol, pay.clone()).await, "TON");
    assert_eq!(currency(bob, json!({ "toId": "3", "amount": 1 })).await, "TON");
    // The decimals are those of the currency that is owed.
    let fine = json!({ "toId": "1", "amount": "0.001" });
    let reply = bob.post(&group.path("/settlements"), fine).await;
    assert_eq!(
        reply.body["message"], "amount must have at most 2 decimals in EUR.",
        "{}",
        reply.text
    );
    // An explicit currency wins, by either field name, for the payer and for the recipient.
    assert_eq!(currency(bob, json!({ "toId": "1", "amount": 1, "currency": "USD" })).await, "USD");
    let said = json!({ "toId": "1", "amount": 1, "paymentType": "USDT", "recipientWallet": "EQ…" });
    assert_eq!(currency(bob, said).await, "USDT");
    let same = json!({ "toId": "1", "amount": 1, "paymentType": "TON", "currency": "TON" });
    assert_eq!(currency(bob, same).await, "TON");
    let recorded = json!({ "fromId": "2", "toId": "1", "amount": 2.5 });
    assert_eq!(currency(&group.members[0], recorded).await, "EUR");
    // With debts in two currencies, neither is the default.
    group.spend(0, json!({ "amount": 3, "currency": "USD", "splits": split("2") })).await;
    assert_eq!(currency(bob, pay).await, "TON");
    group.verify().await;
}
