//! Debts and suggested settlements of a group.

use serde_json::json;

use crate::harness::Api;

#[tokio::test]
async fn suggested_settlements_bring_every_balance_to_zero() {
    let api = Api::new().await;
    let [alice, bob, carol] =
        [(1, "Alice"), (2, "Bob"), (3, "Carol")].map(|(id, name)| api.user(id, name));
    let group = alice
        .post("/api/groups", json!({ "title": "Alps", "chatId": "-7", "currency": "EUR" }))
        .await;
    let id = group.data(201)["id"].as_str().unwrap().to_owned();
    for friend in [&bob, &carol] {
        friend.post(&format!("/api/groups/{id}/join"), json!({})).await.data(200);
    }
    let expenses = format!("/api/groups/{id}/expenses");
    alice.post(&expenses, json!({ "amount": 90, "description": "Hut" })).await.data(201);
    bob.post(&expenses, json!({ "amount": 3e-9, "currency": "TON", "description": "Gas" }))
        .await
        .data(201);

    let debts = alice.get(&format!("/api/groups/{id}/debts")).await;
    let suggested = debts.data(200)["suggestedSettlements"].as_array().unwrap().clone();
    assert_eq!(suggested.len(), 4, "two in each currency: {suggested:?}");
    assert!(debts.text.contains("0.000000001"), "{}", debts.text);
    for transfer in &suggested {
        let recipient =
            [&alice, &bob, &carol].into_iter().find(|it| transfer["toUserId"] == it.id).unwrap();
        let amount = if transfer["currency"] == "TON" {
            json!("0.000000001")
        } else {
            transfer["amount"].clone()
        };
        let body = json!({
            "fromId": transfer["fromUserId"], "toId": recipient.id,
            "amount": amount, "currency": transfer["currency"],
        });
        let paid = recipient.post(&format!("/api/groups/{id}/settlements"), body).await;
        assert_eq!(paid.data(201)["status"], "completed");
    }
    let debts = alice.get(&format!("/api/groups/{id}/debts")).await.data(200).clone();
    assert_eq!(debts["suggestedSettlements"], json!([]));
    for node in debts["balances"].as_array().unwrap() {
        assert_eq!(node["balances"], json!({ "EUR": 0, "TON": 0 }), "{node}");
    }
    assert_eq!(debts["summary"]["settlementCount"], 4);
    api.verify(&id).await;
}
