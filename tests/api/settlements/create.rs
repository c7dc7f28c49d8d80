//! Create a settlement.

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
