//! What the caller shares with another user.

use serde_json::{Value, json};

use crate::harness::{Api, Caller, Group};

/// The path of what is shared with a user.
fn with(user: &str) -> String {
    format!("/api/users/me/with/{user}")
}

/// A group of these users. The first one paid an amount for all.
async fn group(api: &Api, title: &str, users: &[&Caller], amount: u32) -> String {
    let new = json!({ "title": title, "chatId": 1, "currency": "EUR" });
    let id = users[0].post("/api/groups", new).await.data(201)["id"].as_str().unwrap().to_owned();
    api.pass(std::time::Duration::from_secs(1));
    for other in &users[1..] {
        other.post(&format!("/api/groups/{id}/join"), json!({})).await.data(200);
    }
    let hut = json!({ "amount": amount, "description": "Hut" });
    users[0].post(&format!("/api/groups/{id}/expenses"), hut).await.data(201);
    id
}

#[tokio::test]
async fn balances_of_both_in_each_group_and_over_all() {
    let api = Api::new().await;
    let [alice, bob, carol] =
        [(1, "Alice"), (2, "Bob"), (3, "Carol")].map(|(id, name)| api.user(id, name));
    let old = group(&api, "Old", &[&bob, &alice], 10).await;
    let new = group(&api, "New", &[&alice, &bob, &carol], 90).await;
    group(&api, "Others", &[&bob, &carol], 8).await;
    let usd = json!({ "amount": 4, "description": "Tea", "currency": "USD",
        "splits": [{ "userId": "3" }] });
    bob.post(&format!("/api/groups/{new}/expenses"), usd).await.data(201);
    let shared = alice.get(&with("2")).await.data(200).clone();
    let both = |currency: &str, yours: Value, theirs: Value| json!({ "currency": currency, "yours": yours, "theirs": theirs });
    let expected = json!({
        "userId": "2", "name": "Bob", "username": "bob", "hasMore": false, "pending": [],
        "balances": [both("EUR", json!(55), json!(-25)), both("USD", json!(0), json!(4))],
        "groups": [
            { "groupId": new, "groupTitle": "New", "archived": false,
              "balances": [both("EUR", json!(60), json!(-30)), both("USD", json!(0), json!(4))] },
            { "groupId": old, "groupTitle": "Old", "archived": false,
              "balances": [both("EUR", json!(-5), json!(5))] },
        ],
    });
    assert_eq!(shared, expected);
    let theirs = bob.get(&with("1")).await.data(200).clone();
    assert_eq!(theirs["groups"][1]["balances"], json!([both("EUR", json!(5), json!(-5))]));
    assert_eq!(bob.get(&with("3")).await.data(200)["groups"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn pending_payments_between_the_two_are_listed() {
    let api = Api::new().await;
    let [alice, bob, carol] =
        [(1, "Alice"), (2, "Bob"), (3, "Carol")].map(|(id, name)| api.user(id, name));
    let id = group(&api, "Flat", &[&alice, &bob, &carol], 90).await;
    let settlements = format!("/api/groups/{id}/settlements");
    let pay = async |by: &Caller, from: &str, to: &str, amount: u32| {
        api.pass(std::time::Duration::from_secs(1));
        let body = json!({ "fromId": from, "toId": to, "amount": amount });
        by.post(&settlements, body).await.data(201)["id"].clone()
    };
    let sent = pay(&alice, "1", "2", 1).await;
    let received = pay(&bob, "2", "1", 2).await;
    let failed = pay(&bob, "2", "1", 3).await;
    bob.put(&format!("{settlements}/{}", failed.as_str().unwrap()), json!({ "status": "failed" }))
        .await
        .data(200);
    pay(&alice, "1", "3", 4).await;
    pay(&carol, "3", "2", 5).await;
    pay(&alice, "2", "1", 6).await;
    for (by, other) in [(&alice, "2"), (&bob, "1")] {
        let shared = by.get(&with(other)).await.data(200).clone();
        let pending = shared["pending"].as_array().unwrap();
        let ids: Vec<_> = pending.iter().map(|it| it["id"].clone()).collect();
        assert_eq!(ids, [received.clone(), sent.clone()], "{shared}");
        assert!(pending.iter().all(|it| it["groupTitle"] == "Flat"));
    }
}

#[tokio::test]
async fn who_shares_nothing_is_not_found() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let stranger = group.api.user(9, "Eve");
    for (by, other) in [(alice, "9"), (&stranger, "1"), (alice, "77")] {
        let refused = by.get(&with(other)).await;
        assert_eq!(refused.code(), (404, "USER_NOT_FOUND"), "{}", refused.text);
    }
    bob.get(&with("1")).await.data(200);
    bob.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(alice.get(&with("2")).await.code(), (404, "USER_NOT_FOUND"));
    assert_eq!(bob.get(&with("1")).await.code(), (404, "USER_NOT_FOUND"));
    for other in ["1", "0", "x", "me", "guest-019bc186-de00-7505-8505-050505050505"] {
        let refused = alice.get(&with(other)).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{other}");
        assert_eq!(refused.body["details"][0]["path"], "otherId");
    }
}

#[tokio::test]
async fn guest_who_is_the_other_user_counts_for_them() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob] = [&group.members[0], &group.members[1]];
    let guest = group.guest(0, "Bobby").await;
    let pending = json!({ "fromId": "1", "toId": guest, "amount": 7 });
    let pending = alice.post(&group.path("/settlements"), pending).await.data(201)["id"].clone();
    let cake = json!({ "amount": 30, "description": "Cake", "payerId": guest });
    alice.post(&group.path("/expenses"), cake).await.data(201);
    group.link(&guest, "2").await.data(200);
    let shared = alice.get(&with("2")).await.data(200).clone();
    assert_eq!(shared["groups"][0]["balances"][0]["theirs"], 15, "{shared}");
    assert_eq!(shared["pending"][0]["id"], pending, "{shared}");
    assert_eq!(bob.get(&with("1")).await.data(200)["pending"][0]["id"], pending);
}

#[tokio::test]
async fn token_of_a_group_does_not_see_the_others() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let new = json!({ "name": "x", "scopes": ["read"], "groupId": group.id });
    let token = alice.with_token(&alice.post("/api/users/me/tokens", new).await);
    assert_eq!(token.get(&with("2")).await.code(), (403, "INSUFFICIENT_SCOPE"));
}
