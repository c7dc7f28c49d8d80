//! List expenses.

use serde_json::{Value, json};

use super::path;
use crate::harness::Group;

#[tokio::test]
async fn every_list_shows_the_edited_expense() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let made = group.spend(0, json!({ "amount": 30 })).await;
    group.spend(0, json!({ "amount": 3, "description": "Tea" })).await;
    let body = json!({ "payerId": "2", "amount": 20, "description": "Taxi",
        "splits": [{ "userId": "1" }, { "userId": "2" }] });
    let edited = alice.put(&path(&group, &made), body).await.data(200).clone();

    let listed = alice.get(&group.path("/expenses")).await;
    assert_eq!(listed.data(200)[1], edited, "the position in the list is unchanged");
    let paid = |expenses: &Value| {
        let described = expenses.as_array().unwrap().iter().map(|it| it["description"].clone());
        described.collect::<Vec<_>>()
    };
    assert_eq!(paid(alice.get("/api/users/me/expenses").await.data(200)), ["Tea"]);
    assert_eq!(paid(bob.get("/api/users/me/expenses").await.data(200)), ["Taxi"]);
    assert_eq!(paid(alice.get("/api/users/me/debts").await.data(200)), ["Taxi"]);
    assert_eq!(paid(bob.get("/api/users/me/debts").await.data(200)), ["Tea"]);
    assert_eq!(paid(carol.get("/api/users/me/debts").await.data(200)), ["Tea"]);
    let owed = &alice.get("/api/users/me/debts").await.body["data"][0];
    assert_eq!((&owed["amount"], &owed["totalAmount"]), (&json!(10), &json!(20)));
}
