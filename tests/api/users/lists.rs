//! A user's groups, expenses, debts and settlements.

use serde_json::json;

use crate::harness::{Api, Group};

#[tokio::test]
async fn lists_show_what_the_user_paid_owes_and_sent() {
    let group = Group::new(3, "EUR").await;
    let hut = group.spend(0, json!({ "amount": 30, "description": "Hut" })).await;
    group.spend(0, json!({ "amount": 8, "splits": [{ "userId": "2" }] })).await;
    let paid = group.members[0].get("/api/users/me/expenses").await.data(200).clone();
    assert_eq!(paid[0]["yourShare"], 0);
    assert_eq!(paid[1]["yourShare"], 10);
    assert_eq!(paid[1]["groupTitle"], "Alps");
    assert_eq!(paid[1]["id"], hut["id"]);

    let debts = group.members[2].get("/api/users/me/debts").await.data(200).clone();
    assert_eq!(
        debts,
        json!([{
            "expenseId": hut["id"], "groupId": group.id, "groupTitle": "Alps", "amount": 10, "currency": "EUR",
            "payerId": "1", "payerName": "A", "description": "Hut", "totalAmount": 30, "date": "2026-01-15",
            "createdAt": hut["createdAt"],
        }])
    );

    let made = group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 5 }))
        .await;
    let mut expected = made.data(201).clone();
    expected["groupTitle"] = json!("Alps");
    assert_eq!(
        group.members[1].get("/api/users/me/settlements").await.data(200),
        &json!([expected])
    );
    assert_eq!(group.members[0].get("/api/users/me/settlements").await.data(200), &json!([]));
}

#[tokio::test]
async fn user_of_105_groups_sees_all_of_them() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    for n in 1..=105 {
        alice.post("/api/groups", json!({ "title": format!("G{n}"), "chatId": n })).await.data(201);
    }
    let groups = alice.get("/api/users/me/groups").await;
    assert_eq!(groups.data(200).as_array().unwrap().len(), 105);
    assert_eq!(alice.get("/api/users/me/summary").await.data(200)["groupCount"], 105);
    assert_eq!(alice.get("/api/groups").await.data(200).as_array().unwrap().len(), 20);
    assert_eq!(alice.get("/api/groups?limit=100").await.data(200).as_array().unwrap().len(), 100);
}
