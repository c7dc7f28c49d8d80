//! A payment that both sides record counts once.

use std::time::Duration;

use serde_json::{Value, json};

use super::{A, B, settle, with_debt};
use crate::{
    funds::{Friends, paying::pay},
    harness::{Caller, Group},
};

/// The settlement that the refusal of another one names.
async fn refused(group: &Group, by: &Caller, body: &Value) -> String {
    let before = group.api.rows().await;
    let reply = by.post(&group.path("/settlements"), body.clone()).await;
    assert_eq!(reply.code(), (409, "PAYMENT_PENDING"), "{body}: {}", reply.text);
    let details = reply.body["details"].as_array().unwrap();
    assert_eq!((details.len(), &details[0]["path"]), (1, &json!("separate")));
    let message = "this payment is already recorded and waits to be confirmed; if it is another \
                   one, send separate: true";
    assert_eq!(details[0]["message"], message);
    assert_eq!(group.api.rows().await, before, "{body}");
    details[0]["settlementId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn payment_that_the_payer_recorded_is_not_recorded_by_the_recipient_again() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (made, path) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
    let same = json!({ "fromId": "2", "toId": "1", "amount": "50.00", "currency": "EUR" });
    assert_eq!(refused(&group, alice, &same).await, made["id"]);
    // A second one of the payer waits for the recipient, too, who may say that it never came.
    let (_, second) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
    alice.put(&second, json!({ "status": "failed" })).await.data(200);

    // Another amount, payer, recipient or currency is another payment.
    for (by, body) in [
        (alice, json!({ "fromId": "2", "toId": "1", "amount": 49 })),
        (alice, json!({ "fromId": "3", "toId": "1", "amount": 50 })),
        (bob, json!({ "toId": "3", "amount": 50 })),
        (alice, json!({ "fromId": "2", "toId": "1", "amount": 50, "currency": "JPY" })),
        (alice, json!({ "toId": "2", "amount": 50 })),
    ] {
        by.post(&group.path("/settlements"), body).await.data(201);
    }
    let separate = json!({ "fromId": "2", "toId": "1", "amount": 50, "separate": true });
    let other = alice.post(&group.path("/settlements"), separate).await;
    assert_eq!(other.data(201)["status"], "completed");
    assert_eq!(carol.get(&path).await.data(200)["status"], "pending");

    // A payment on a blockchain is another one if it has another transaction.
    for hash in [A, B] {
        let paid = json!({ "toId": "1", "amount": 7, "txHash": hash });
        bob.post(&group.path("/settlements"), paid).await.data(201);
    }
    refused(&group, alice, &json!({ "fromId": "2", "toId": "1", "amount": 7 })).await;

    // What has ended is on its way no more.
    bob.put(&path, json!({ "status": "failed" })).await.data(200);
    alice.post(&group.path("/settlements"), same).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn payment_of_a_guest_is_found_from_each_side_and_after_a_link() {
    let group = Group::new(4, "EUR").await;
    let [bob, carol] = [1, 2].map(|index| &group.members[index]);
    let guest = group.guest(0, "Grandma").await;
    let (made, path) = settle(&group, bob, json!({ "toId": guest, "amount": 5 })).await;
    let same = json!({ "fromId": "2", "toId": guest, "amount": 5 });
    assert_eq!(refused(&group, carol, &same).await, made["id"]);
    group.link(&guest, "3").await.data(200);
    for to in [guest.as_str(), "3"] {
        let same = json!({ "fromId": "2", "toId": to, "amount": 5 });
        assert_eq!(refused(&group, carol, &same).await, made["id"], "{to}");
    }
    carol.put(&path, json!({ "status": "completed" })).await.data(200);
    let again = json!({ "fromId": "2", "toId": "3", "amount": 5 });
    carol.post(&group.path("/settlements"), again).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn payment_that_is_withheld_is_not_recorded_by_the_recipient_again() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "90", "bank 1").await;
    let made = friends.settle(bob, pay("20", &json!({}))).await.id();
    let group = &friends.group;
    let received = json!({ "fromId": "2", "toId": "1", "amount": 20 });
    assert_eq!(refused(group, alice, &received).await, made);
    friends.settle(bob, pay("20", &json!({ "separate": true }))).await.data(201);
    // Both holds are over.
    group.api.pass(Duration::from_hours(8 * 24));
    let again = Friends::again(&friends);
    again.settle(again.alice(), received).await.data(201);
    group.verify().await;
}

#[tokio::test]
async fn payment_is_dated_at_most_a_year_ahead() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "90", "bank 1").await;
    let group = &friends.group;
    let at = |date: &str| json!({ "toId": "1", "fromId": "2", "amount": 1, "date": date });
    let mut from_funds = pay("20", &json!({ "date": "2027-01-16" }));
    for (by, body) in
        [(bob, at("2030-01-01")), (alice, at("2027-01-16")), (bob, from_funds.clone())]
    {
        let reply = by.post(&group.path("/settlements"), body.clone()).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{body}");
        assert_eq!(reply.body["details"][0]["message"], "date must be at most one year ahead");
    }
    from_funds["date"] = json!("2027-01-15");
    friends.settle(bob, from_funds).await.data(201);
    let (_, path) = settle(group, bob, at("2027-01-15")).await;
    let edited = bob.put(&path, json!({ "date": "2027-01-16" })).await;
    assert_eq!(edited.body["details"][0]["message"], "date must be at most one year ahead");
    bob.put(&path, json!({ "date": "2020-01-01", "amount": 2 })).await.data(200);
    group.verify().await;
}
