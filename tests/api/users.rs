//! What a user has over all groups.

use serde_json::json;

use crate::harness::{Api, Group};

#[tokio::test]
async fn summary_totals_a_user_over_all_groups() {
    let api = Api::new().await;
    let [alps, home] = [Group::of(&api, 3, "EUR").await, Group::of(&api, 2, "TON").await];
    alps.spend(0, json!({ "amount": 30 })).await;
    alps.spend(1, json!({ "amount": 3, "currency": "TON" })).await;
    home.spend(0, json!({ "amount": "0.5" })).await;
    alps.pay(1, 0, "4").await;

    let alice = &alps.members[0];
    let summary = alice.get("/api/users/me/summary").await.data(200).clone();
    assert_eq!(
        summary,
        json!({
            "groupCount": 2, "expenseCount": 3, "settlementCount": 1,
            "currencies": [
                { "currency": "EUR", "paid": 30, "owed": 10, "sent": 0, "received": 4, "net": 16 },
                { "currency": "TON", "paid": 0.5, "owed": 1.25, "sent": 0, "received": 0, "net": -0.75 },
            ],
            "mostActiveGroup": { "id": alps.id, "title": "Alps", "expenseCount": 2 },
        })
    );
    let me = alice.get("/api/users/me").await.data(200).clone();
    assert_eq!(
        me,
        json!({ "id": "1", "name": "A", "username": "a", "groupCount": 2, "summary": summary })
    );

    let groups = alice.get("/api/users/me/groups").await.data(200).clone();
    let stands = |group: &Group| {
        let group = groups.as_array().unwrap().iter().find(|it| it["id"] == group.id).unwrap();
        json!([
            group["balance"],
            group["balances"],
            group["expenseCount"],
            group["memberCount"],
            group["joinedAt"].is_string()
        ])
    };
    assert_eq!(stands(&alps), json!([16, { "EUR": 16, "TON": -1 }, 2, 3, true]));
    assert_eq!(stands(&home), json!([0.25, { "TON": 0.25 }, 1, 2, true]));
}

#[tokio::test]
async fn summary_of_a_new_user_is_empty() {
    let alice = Api::new().await.user(1, "Alice");
    let empty =
        json!({ "groupCount": 0, "expenseCount": 0, "settlementCount": 0, "currencies": [] });
    assert_eq!(alice.get("/api/users/me/summary").await.data(200), &empty);
    assert_eq!(alice.get("/api/users/me").await.data(200)["summary"], empty);
}

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
            "payerId": "1", "payerName": "A", "description": "Hut", "totalAmount": 30, "createdAt": hut["createdAt"],
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
