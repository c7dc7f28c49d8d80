//! Leave a group, and come back.

use std::time::Duration;

use axum::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Caller, Group};

async fn leave(group: &Group, member: usize) -> crate::harness::Reply {
    group.members[member].call(Method::POST, &group.path("/leave"), None).await
}

/// The ids of the members whom a group shows to `reader`.
async fn members(group: &Group, reader: &Caller, query: &str) -> Vec<Value> {
    let read = reader.get(&group.path(query)).await;
    let members = read.data(200)["members"].as_array().unwrap().iter();
    members.map(|member| member["id"].clone()).collect()
}

#[tokio::test]
async fn member_with_an_open_balance_cannot_leave() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": "0.02" })).await;
    let yen = json!({ "amount": 10, "currency": "JPY", "splits": [{ "userId": "1" }] });
    group.spend(1, yen).await;
    let before = group.api.rows().await;
    let refused = leave(&group, 1).await;
    assert_eq!(refused.code(), (409, "NOT_SETTLED"));
    let details = json!([
        { "path": "EUR", "message": "the balance in EUR must be 0, but is -0.01" },
        { "path": "JPY", "message": "the balance in JPY must be 0, but is 10" },
    ]);
    assert_eq!(refused.body["details"], details);
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn member_with_a_pending_settlement_cannot_leave() {
    for (status, ends) in [("completed", 0), ("failed", 0), ("failed", 1)] {
        let group = Group::new(3, "EUR").await;
        let pays = json!({ "toId": "1", "amount": 5 });
        let pending = group.members[1].post(&group.path("/settlements"), pays).await;
        let path =
            group.path(&format!("/settlements/{}", pending.data(201)["id"].as_str().unwrap()));
        for member in [0, 1] {
            let refused = leave(&group, member).await;
            assert_eq!(refused.code(), (409, "NOT_SETTLED"));
            let details =
                json!([{ "path": "settlements", "message": "1 settlement is still pending" }]);
            assert_eq!(refused.body["details"], details);
        }
        leave(&group, 2).await.data(200);
        group.verify().await;
        group.members[ends].put(&path, json!({ "status": status })).await.data(200);
        group.verify().await;
        if status == "completed" {
            assert_eq!(leave(&group, 1).await.body["details"][0]["path"], "EUR");
            group.pay(0, 1, "5").await;
        }
        leave(&group, 1).await.data(200);
        group.verify().await;
    }
}

#[tokio::test]
async fn member_who_left_is_past_until_they_join_again() {
    let group = Group::new(3, "EUR").await;
    let join = group.path("/join");
    let joined = group.members[2].post(&join, json!({})).await.data(200).clone();
    group.api.pass(Duration::from_secs(5));
    let left = leave(&group, 2).await.data(200).clone();
    assert_eq!(left["leftAt"], "2026-01-15T12:00:05.000Z");
    assert_eq!(left["joinedAt"], joined["joinedAt"]);

    assert_eq!(leave(&group, 2).await.code(), (403, "LEFT"));
    assert_eq!(group.members[2].get(&group.path("")).await.code(), (403, "LEFT"));
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 2);
    assert_eq!(members(&group, &group.members[0], "").await, ["1", "2"]);
    assert_eq!(members(&group, &group.members[0], "?include=past").await, ["1", "2", "3"]);
    for list in ["/api/groups", "/api/users/me/groups"] {
        assert_eq!(group.members[2].get(list).await.data(200), &json!([]), "{list}");
        assert_eq!(group.members[1].get(list).await.data(200).as_array().unwrap().len(), 1);
    }
    assert_eq!(group.members[2].get("/api/users/me").await.data(200)["groupCount"], 0);

    let expense = group.spend(0, json!({ "amount": 10 })).await;
    assert_eq!(expense["splits"].as_array().unwrap().len(), 2, "past members share nothing");
    for body in [json!({ "payerId": "3" }), json!({ "splits": [{ "userId": "3" }] })] {
        let mut expense = json!({ "amount": 1, "description": "Tea" });
        expense.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
        let refused = group.members[0].post(&group.path("/expenses"), expense).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{body}");
    }

    let again = group.api.user(3, "Carol").post(&join, json!({})).await.data(200).clone();
    assert_eq!(again["joinedAt"], joined["joinedAt"]);
    assert_eq!((&again["leftAt"], &again["name"]), (&json!(null), &json!("Carol")));
    assert_eq!(members(&group, &group.members[2], "").await, ["1", "2", "3"]);
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 3);
    let expense = group.spend(0, json!({ "amount": 9 })).await;
    assert_eq!(expense["splits"].as_array().unwrap().len(), 3);
    group.verify().await;
}

#[tokio::test]
async fn past_member_stays_in_the_expenses_of_their_time() {
    let group = Group::new(3, "EUR").await;
    let expense = group.spend(0, json!({ "amount": 9 })).await;
    let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
    group.pay(2, 0, "3").await;
    leave(&group, 2).await.data(200);
    let edited = group.members[0].put(&path, json!({ "amount": 12 })).await;
    assert_eq!(edited.data(200)["splits"].as_array().unwrap().len(), 3);
    let splits = json!({ "splits": [{ "userId": "1" }, { "userId": "3" }] });
    group.members[0].put(&path, splits).await.data(200);
    assert_eq!(group.balances().await, ["3", "0", "-3"], "a past member's debt is shown");
    let without = json!({ "splits": [{ "userId": "1" }, { "userId": "2" }] });
    group.members[0].put(&path, without).await.data(200);
    let refused = group.members[0].put(&path, json!({ "splits": [{ "userId": "3" }] })).await;
    assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "they do not share it any more");
    assert_eq!(group.balances().await, ["3", "-6", "3"]);

    // Who owes them pays, and another present member confirms it for them.
    let pays = json!({ "toId": "3", "amount": 3 });
    let pays = group.members[1].post(&group.path("/settlements"), pays).await.data(201).clone();
    let path = group.path(&format!("/settlements/{}", pays["id"].as_str().unwrap()));
    group.members[0].put(&path, json!({ "status": "completed" })).await.data(200);
    let nodes = group.debts().await["balances"].clone();
    let ids: Vec<_> = nodes.as_array().unwrap().iter().map(|node| node["id"].clone()).collect();
    assert_eq!(ids, ["1", "2"], "past members without a balance are not shown");
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_expense_after_a_member_left_includes_them() {
    let api = Api::new().await;
    for round in 0..3 {
        let group = Group::of(&api, 4, "EUR").await;
        let mut expenses = JoinSet::new();
        for number in 0..20 {
            // Each process has a queue of its own, so only the table decides.
            let payer = group.members[number % 3].at(&api.another());
            let path = group.path("/expenses");
            expenses.spawn(async move {
                let spend = json!({ "amount": 4, "description": "Tea" });
                payer.post(&path, spend).await
            });
        }
        let leaver = group.members[3].at(&api.another());
        let path = group.path("/leave");
        let left = tokio::spawn(async move { leaver.call(Method::POST, &path, None).await });
        let left = left.await.unwrap();
        let replies = expenses.join_all().await;
        let balances = group.debts().await["balances"].clone();
        let balance = balances.as_array().unwrap().iter().find(|node| node["id"] == "4").cloned();
        match left.code() {
            (200, _) => assert_eq!(balance, None, "round {round}"),
            refused => {
                assert!(matches!(refused, (409, "NOT_SETTLED" | "CONFLICT")), "{left:?}");
                assert!(balance.is_some());
            }
        }
        let made = replies.iter().filter(|reply| reply.status == 201).count();
        assert!(made > 0, "{replies:?}");
        group.verify().await;
    }
}

#[tokio::test]
async fn repeated_departure_with_the_same_key_is_replayed() {
    let group = Group::new(2, "EUR").await;
    let path = group.path("/leave");
    let first = group.members[1].post_once("go", &path, json!({})).await.data(200).clone();
    let again = group.members[1].post_once("go", &path, json!({})).await;
    assert_eq!(again.data(200), &first);
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    let other = group.members[1].post_once("gone", &path, json!({})).await;
    assert_eq!(other.code(), (403, "LEFT"));
}
