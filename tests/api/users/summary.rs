//! A user's totals.

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
                { "currency": "TON", "paid": 0.5, "owed": 1.25, "sent": 0, "received": 0,
                    "net": -0.75 },
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
