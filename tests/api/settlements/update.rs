//! Update a settlement: complete it, fail it, or name its transaction.

use serde_json::json;

use super::{A, B, settle, with_debt};

#[tokio::test]
async fn settlement_of_the_payer_is_pending_until_the_recipient_completes_it() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (made, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    assert_eq!(made["status"], "pending");
    assert_eq!((&made["fromUserName"], &made["toUserName"]), (&json!("B"), &json!("A")));
    assert_eq!(made["completedAt"], json!(null));
    assert_eq!(group.balances().await, ["50", "-50", "0"], "no balance moves");
    assert_eq!(group.debts().await["summary"]["settlementCount"], 0);

    assert_eq!(bob.put(&path, json!({ "status": "completed" })).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(
        carol.put(&path, json!({ "status": "completed" })).await.code(),
        (403, "NOT_ALLOWED")
    );
    let done = alice.put(&path, json!({ "status": "completed" })).await;
    assert_eq!(done.data(200)["status"], "completed");
    assert_eq!(
        done.data(200)["completedAt"],
        "2026-01-15T12:00:00.002Z",
        "each event has its own time"
    );
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
async fn transaction_hash_of_the_payer_is_stored_and_used_once() {
    let group = with_debt().await;
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
        "the payer may replace the hash"
    );
    assert_eq!(
        bob.put(&other, json!({ "txHash": A })).await.data(200)["txHash"],
        A,
        "the replaced hash is free"
    );
    assert_eq!(alice.put(&path, json!({ "status": "completed" })).await.data(200)["txHash"], B);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn failed_settlement_moves_nothing_and_stays_failed() {
    let group = with_debt().await;
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
async fn transaction_hash_of_a_failed_settlement_can_be_reused() {
    let group = with_debt().await;
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
async fn if_match_is_checked_after_permission_and_status() {
    let group = with_debt().await;
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
async fn mini_app_fields_are_accepted() {
    let group = with_debt().await;
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
    let group = with_debt().await;
    let bob = &group.members[1];
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let before = group.api.rows().await;
    let reply = bob.put(&path, json!({ "status": "failed", "txHash": A })).await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(reply.body["details"][0]["path"], "txHash");
    assert_eq!(group.api.rows().await, before);
}
