//! A settlement moves money once, when its recipient says so, and a chain transaction pays one of them.

use serde_json::{Value, json};

use crate::harness::{Caller, Group};

const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

/// Bob (1) owes Alice (0) 50 EUR; Carol (2) watches.
async fn indebted() -> Group {
    let group = Group::new(3, "EUR").await;
    group
        .spend(0, json!({ "amount": 100, "splits": [{ "userId": "1" }, { "userId": "2" }] }))
        .await;
    group
}

async fn settle(group: &Group, by: &Caller, body: Value) -> (Value, String) {
    let made = by.post(&group.path("/settlements"), body).await.data(201).clone();
    let path = group.path(&format!("/settlements/{}", made["id"].as_str().unwrap()));
    (made, path)
}

#[tokio::test]
async fn settlement_of_the_payer_is_pending_until_the_recipient_completes_it() {
    let group = indebted().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (made, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    assert_eq!(made["status"], "pending");
    assert_eq!((&made["fromUserName"], &made["toUserName"]), (&json!("B"), &json!("A")));
    assert_eq!(made["completedAt"], json!(null));
    assert_eq!(group.balances().await, ["50", "-50", "0"], "nothing has moved");
    assert_eq!(group.debts().await["summary"]["settlementCount"], 0);

    assert_eq!(bob.put(&path, json!({ "status": "completed" })).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(
        carol.put(&path, json!({ "status": "completed" })).await.code(),
        (403, "NOT_ALLOWED")
    );
    let done = alice.put(&path, json!({ "status": "completed" })).await;
    assert_eq!(done.data(200)["status"], "completed");
    assert_eq!(done.data(200)["completedAt"], "2026-01-15T12:00:00.002Z", "an event of its own");
    assert_eq!(group.balances().await, ["30", "-30", "0"]);
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["settlementCount"], &summary["totalSettled"]), (&json!(1), &json!(20)));

    let before = group.api.rows().await;
    for party in [alice, bob] {
        let again = party.put(&path, json!({ "status": "completed" })).await;
        assert_eq!(again.data(200), done.data(200));
        assert_eq!(
            party.put(&path, json!({ "status": "failed" })).await.code(),
            (409, "SETTLEMENT_FINAL")
        );
        assert_eq!(
            party.put(&path, json!({ "status": "pending" })).await.code(),
            (409, "SETTLEMENT_FINAL")
        );
    }
    assert_eq!(bob.put(&path, json!({ "txHash": A })).await.code(), (409, "SETTLEMENT_FINAL"));
    assert_eq!(group.api.rows().await, before);
    assert_eq!(carol.get(&path).await.data(200), done.data(200));
    group.verify().await;
}

#[tokio::test]
async fn settlement_of_the_recipient_is_completed_at_once() {
    let group = indebted().await;
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
async fn transaction_hash_of_the_payer_is_stored_and_used_once() {
    let group = indebted().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
    let confirm = json!({ "txHash": A.to_uppercase(), "status": "completed" });
    for _ in 0..2 {
        let named = bob.put(&path, confirm.clone()).await;
        assert_eq!(
            (&named.data(200)["status"], &named.body["data"]["txHash"]),
            (&json!("pending"), &json!(A))
        );
    }
    assert_eq!(group.balances().await, ["50", "-50", "0"]);
    assert_eq!(alice.put(&path, json!({ "txHash": B })).await.code(), (403, "NOT_ALLOWED"));

    let (_, other) = settle(&group, bob, json!({ "toId": "1", "amount": 1 })).await;
    assert_eq!(bob.put(&other, json!({ "txHash": A })).await.code(), (409, "TX_HASH_USED"));
    let body = json!({ "toId": "1", "amount": 1, "txHash": A });
    assert_eq!(bob.post(&group.path("/settlements"), body).await.code(), (409, "TX_HASH_USED"));

    assert_eq!(
        bob.put(&path, json!({ "txHash": B })).await.data(200)["txHash"],
        B,
        "it was sent again"
    );
    assert_eq!(
        bob.put(&other, json!({ "txHash": A })).await.data(200)["txHash"],
        A,
        "the first one is free"
    );
    assert_eq!(alice.put(&path, json!({ "status": "completed" })).await.data(200)["txHash"], B);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn failed_settlement_moves_nothing_and_stays_failed() {
    let group = indebted().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    for party in [alice, bob] {
        let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
        assert_eq!(
            carol.put(&path, json!({ "status": "failed" })).await.code(),
            (403, "NOT_ALLOWED")
        );
        assert_eq!(
            party.put(&path, json!({ "status": "failed" })).await.data(200)["status"],
            "failed"
        );
        assert_eq!(
            party.put(&path, json!({ "status": "failed" })).await.data(200)["status"],
            "failed"
        );
        assert_eq!(
            alice.put(&path, json!({ "status": "completed" })).await.code(),
            (409, "SETTLEMENT_FINAL")
        );
    }
    assert_eq!(group.balances().await, ["50", "-50", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn settlement_is_not_found_in_another_group() {
    let group = indebted().await;
    let (made, _) = settle(&group, &group.members[1], json!({ "toId": "1", "amount": 50 })).await;
    let other = Group::of(&group.api, 3, "EUR").await;
    let path = other.path(&format!("/settlements/{}", made["id"].as_str().unwrap()));
    assert_eq!(other.members[0].get(&path).await.code(), (404, "SETTLEMENT_NOT_FOUND"));
    let complete = json!({ "status": "completed" });
    assert_eq!(other.members[0].put(&path, complete).await.code(), (404, "SETTLEMENT_NOT_FOUND"));
    assert_eq!(other.members[0].get(&other.path("/settlements")).await.data(200), &json!([]));
}

#[tokio::test]
async fn settlement_may_be_in_another_currency() {
    let group = indebted().await;
    let body = json!({ "fromId": "2", "toId": "1", "amount": "0.000000001", "currency": "TON" });
    let made = group.members[0].post(&group.path("/settlements"), body).await;
    assert!(made.text.contains(r#""amount":0.000000001,"currency":"TON""#), "{}", made.text);
    let debts = group.members[0].get(&group.path("/debts")).await;
    assert!(debts.text.contains(r#""balances":{"EUR":50,"TON":-0.000000001}"#), "{}", debts.text);
    group.verify().await;
}

#[tokio::test]
async fn transaction_hash_of_a_failed_settlement_can_be_reused() {
    let group = indebted().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let (_, wrong) = settle(&group, bob, json!({ "toId": "1", "amount": 5, "txHash": A })).await;
    let failed = alice.put(&wrong, json!({ "status": "failed" })).await;
    assert_eq!(failed.data(200).get("txHash"), None);
    assert_eq!(alice.get(&wrong).await.data(200), failed.data(200));
    let (right, _) = settle(&group, bob, json!({ "toId": "1", "amount": 50, "txHash": A })).await;
    assert_eq!(right["txHash"], A);
    group.verify().await;
}

#[tokio::test]
async fn transaction_hash_of_the_recipient_is_refused() {
    let group = indebted().await;
    let alice = &group.members[0];
    let before = group.api.rows().await;
    let body = json!({ "fromId": "2", "toId": "1", "amount": 1, "txHash": A });
    let refused = alice.post(&group.path("/settlements"), body).await;
    assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn if_match_is_checked_after_permission_and_status() {
    let group = indebted().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 5 })).await;
    let complete = json!({ "status": "completed" });
    let stranger = carol.put_if("\"x\"", &path, complete.clone()).await;
    assert_eq!(stranger.code(), (403, "NOT_ALLOWED"));
    let stale = alice.put_if("\"x\"", &path, complete.clone()).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    alice.put(&path, complete).await.data(200);
    let final_state = alice.put_if("\"x\"", &path, json!({ "status": "failed" })).await;
    assert_eq!(final_state.code(), (409, "SETTLEMENT_FINAL"));
}

#[tokio::test]
async fn currency_of_a_settlement_defaults_to_the_only_one_owed() {
    let group = Group::new(3, "TON").await;
    let [_, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let split = |user: &str| json!([{ "userId": user }]);
    group.spend(0, json!({ "amount": 12.5, "currency": "EUR", "splits": split("2") })).await;
    let currency =
        async |by: &Caller, body: Value| settle(&group, by, body).await.0["currency"].clone();
    // Bob owes Alice euros, and nothing else.
    let pay = json!({ "toId": "1", "amount": 12.5 });
    assert_eq!(currency(bob, pay.clone()).await, "EUR");
    // Carol owes nothing, and Bob is owed nothing.
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
    // A currency that is named counts, by either name, for the payer and for the recipient.
    assert_eq!(currency(bob, json!({ "toId": "1", "amount": 1, "currency": "USD" })).await, "USD");
    let said = json!({ "toId": "1", "amount": 1, "paymentType": "USDT", "recipientWallet": "EQ…" });
    assert_eq!(currency(bob, said).await, "USDT");
    let same = json!({ "toId": "1", "amount": 1, "paymentType": "TON", "currency": "TON" });
    assert_eq!(currency(bob, same).await, "TON");
    let recorded = json!({ "fromId": "2", "toId": "1", "amount": 2.5 });
    assert_eq!(currency(&group.members[0], recorded).await, "EUR");
    // Of two currencies that are owed neither is meant.
    group.spend(0, json!({ "amount": 3, "currency": "USD", "splits": split("2") })).await;
    assert_eq!(currency(bob, pay).await, "TON");
    group.verify().await;
}

#[tokio::test]
async fn mini_app_fields_are_accepted() {
    let group = indebted().await;
    let bob = &group.members[1];
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let confirm = json!({
        "txHash": A, "status": "completed", "paymentType": "TON", "recipientWallet": null,
    });
    let reply = bob.put(&path, confirm).await;
    assert_eq!(
        (&reply.data(200)["txHash"], &reply.data(200)["currency"]),
        (&json!(A), &json!("EUR"))
    );
}

#[tokio::test]
async fn transaction_hash_with_status_failed_is_refused() {
    let group = indebted().await;
    let bob = &group.members[1];
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let before = group.api.rows().await;
    let reply = bob.put(&path, json!({ "status": "failed", "txHash": A })).await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(reply.body["details"][0]["path"], "txHash");
    assert_eq!(group.api.rows().await, before);
}
