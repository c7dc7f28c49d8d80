//! Debts and suggested settlements of a group.

use serde_json::{Value, json};

use crate::harness::{Api, Group};

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

#[tokio::test]
async fn plan_can_take_pending_settlements_as_completed() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    group.spend(0, json!({ "amount": 90 })).await;
    let body = |amount: &str| json!({ "toId": "1", "amount": amount });
    let settlements = group.path("/settlements");
    let none = alice.get(&group.path("/debts?pending=subtract")).await;
    assert_eq!(none.data(200)["pending"], json!([]));
    let requests = alice.get(&group.path("/debts")).await.cost.requests;
    assert_eq!(none.cost.requests, requests, "nothing to read if none is pending");
    let paying = bob.post(&settlements, body("30")).await.data(201).clone();
    let failed = carol.post(&settlements, body("30")).await.data(201).clone();
    let path = |settlement: &Value| {
        group.path(&format!("/settlements/{}", settlement["id"].as_str().unwrap()))
    };
    carol.put(&path(&failed), json!({ "status": "failed" })).await.data(200);
    let part = carol.post(&settlements, body("10")).await.data(201).clone();

    let planned = |debts: &Value| {
        let transfers = debts["suggestedSettlements"].as_array().unwrap().iter();
        let amount =
            |it: &Value| (it["fromUserId"].as_str().unwrap().to_owned(), it["amount"].to_string());
        transfers.map(amount).collect::<Vec<_>>()
    };
    let of = |member: &str, amount: &str| (member.to_owned(), amount.to_owned());
    let debts = alice.get(&group.path("/debts")).await.data(200).clone();
    assert_eq!(planned(&debts), [of("2", "30"), of("3", "30")]);
    assert_eq!(debts.get("pending"), None);
    let subtracted = alice.get(&group.path("/debts?pending=subtract")).await.data(200).clone();
    assert_eq!(planned(&subtracted), [of("3", "20")]);
    assert_eq!(subtracted["pending"], json!([part, paying]));
    assert_eq!(subtracted["balances"], debts["balances"], "balances stay as they are");

    // A payment beyond the debt turns it around.
    bob.post(&settlements, body("40")).await.data(201);
    let subtracted = alice.get(&group.path("/debts?pending=subtract")).await.data(200).clone();
    assert_eq!(subtracted["pending"].as_array().unwrap().len(), 3, "{subtracted}");
    assert_eq!(planned(&subtracted), [of("1", "20"), of("3", "20")]);
    // The ledger could not take these as well, so no plan can.
    let huge = "92233720368547758.07";
    let huge = bob.post(&settlements, body(huge)).await.data(201).clone();
    for (query, path) in
        [("pending=add", "pending"), ("pending=", "pending"), ("pending=subtract", "pending")]
    {
        let refused = alice.get(&group.path(&format!("/debts?{query}"))).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
        assert_eq!(refused.body["details"][0]["path"], path);
    }
    bob.put(&path(&huge), json!({ "status": "failed" })).await.data(200);
    let again = alice.get(&group.path("/debts?pending=subtract")).await;
    assert_eq!(again.data(200), &subtracted);
    group.verify().await;
}
