//! Delete a group, and its rows with `fracti-admin delete-group`.

use axum::{body::Body, http::Method};
use fracti_admin::{DeleteOptions, Failure, Outcome};
use fracti_core::input::Error;
use fracti_tests::operations::text_for;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::WALLET;
use crate::{
    admin::admin,
    export::exported,
    harness::{Api, Caller, Group, Reply},
};

async fn leave(group: &Group, by: usize) {
    group.members[by].post(&group.path("/leave"), Value::Null).await.data(200);
}

async fn delete(group: &Group, by: usize) -> Reply {
    group.members[by].delete(&group.path("")).await
}

/// The statuses and codes of what a user might try with a deleted group.
async fn tried(group: &Group, by: &Caller) -> Vec<(u16, String)> {
    let mut codes = Vec::new();
    let expense = json!({ "amount": 1, "description": "x" });
    let requests = [
        (Method::GET, "", Value::Null),
        (Method::GET, "/expenses", Value::Null),
        (Method::POST, "/expenses", expense),
        (Method::PATCH, "", json!({ "archived": false })),
        (Method::POST, "/join", json!({})),
        (Method::POST, "/join", json!({ "wallet": WALLET })),
        (Method::POST, "/members/2/restore", json!({})),
        (Method::DELETE, "", Value::Null),
    ];
    for (method, path, body) in requests {
        let reply = by.call(method, &group.path(path), Some(&body)).await;
        let (status, code) = reply.code();
        codes.push((status, code.to_owned()));
    }
    codes
}

#[tokio::test]
async fn creator_who_is_alone_deletes_the_group_for_good() {
    let group = Group::new(3, "EUR").await;
    let api = &group.api;
    let alice = &group.members[0];
    let grandma = group.guest(0, "Grandma").await;
    group.spend(0, json!({ "amount": 30 })).await;
    let before = api.rows().await;
    assert_eq!(delete(&group, 1).await.code(), (403, "NOT_ALLOWED"), "not by others");
    assert_eq!(delete(&group, 0).await.code(), (409, "NOT_ALONE"));
    assert_eq!(api.rows().await, before, "a refusal changes nothing");

    // 22.50 is owed: 7.50 by each of the others.
    for (from, to) in [("2", "1"), ("3", "1")] {
        let paid = json!({ "fromId": from, "toId": to, "amount": 7.5 });
        alice.post(&group.path("/settlements"), paid).await.data(201);
    }
    leave(&group, 1).await;
    group.members[0].delete(&group.path("/members/3")).await.data(200);
    let open = delete(&group, 0).await;
    assert_eq!(open.code(), (409, "NOT_SETTLED"));
    let detail = &open.body["details"][0];
    assert_eq!(detail["path"], "EUR");
    assert_eq!(detail["message"], "the balances in EUR must be 0, but 7.5 is owed");
    let paid = json!({ "fromId": grandma, "toId": "1", "amount": 7.5 });
    alice.post(&group.path("/settlements"), paid).await.data(201);

    // An archived group is deleted as well.
    alice.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    let deleted = delete(&group, 0).await;
    assert_eq!(deleted.data(200), &json!({ "id": group.id }));
    assert_eq!(deleted.body["message"], "Group deleted");
    group.verify().await;
    let after = api.rows().await;
    let none = (404, "GROUP_NOT_FOUND".to_owned());
    for (by, code) in [(0, "LEFT"), (1, "LEFT"), (2, "REMOVED")] {
        let refused = (403, code.to_owned());
        let mut expected = vec![refused; 8];
        expected[4..6].fill(none.clone());
        assert_eq!(tried(&group, &group.members[by]).await, expected, "{code}");
    }
    let eve = tried(&group, &api.user(9, "Eve")).await;
    let mut expected = vec![(403, "NOT_A_MEMBER".to_owned()); 8];
    expected[4..6].fill(none);
    assert_eq!(eve, expected);
    assert_eq!(api.rows().await, after, "nothing is written to it any more");
    for (member, groups) in [(0, "/api/groups?archived=true"), (1, "/api/users/me/groups")] {
        assert_eq!(group.members[member].get(groups).await.data(200), &json!([]));
    }
    // What the members had paid and owed stays in their own lists.
    let spent = alice.get("/api/users/me/expenses").await;
    assert_eq!(spent.data(200)[0]["amount"], 30);
}

#[tokio::test]
async fn pending_settlement_is_ended_first() {
    // With guests, only an import makes one.
    let source = Group::new(2, "EUR").await;
    let pay = json!({ "toId": "1", "amount": 1 });
    source.members[1].post(&source.path("/settlements"), pay).await.data(201);
    let file = exported(&source.members[0], &source.id, 10).await.to_string();
    let group = Group::of(&source.api, 1, "EUR").await;
    let grandma = group.guest(0, "Grandma").await;
    let options = json!({ "members": { "A": "1", "B": grandma }, "commit": true });
    let form = json!({ "file": file, "options": options });
    group.members[0].post(&group.path("/import"), form).await.data(200);
    let refused = delete(&group, 0).await;
    assert_eq!(refused.code(), (409, "NOT_SETTLED"), "{}", refused.text);
    let details = json!([{ "path": "settlements", "message": "1 settlement is still pending" }]);
    assert_eq!(refused.body["details"], details);
    let list = group.members[0].get(&group.path("/settlements")).await;
    let path = format!("/settlements/{}", list.data(200)[0]["id"].as_str().unwrap());
    let fail = json!({ "status": "failed" });
    group.members[0].put(&group.path(&path), fail).await.data(200);
    delete(&group, 0).await.data(200);
}

#[tokio::test]
async fn repeated_deletion_has_the_same_response() {
    let group = Group::new(1, "EUR").await;
    let path = group.path("");
    let alice = &group.members[0];
    let keyed = async || {
        let request = alice.request(Method::DELETE, &path).header("idempotency-key", "k");
        group.api.send(request.body(Body::empty()).unwrap()).await
    };
    let first = keyed().await;
    let again = keyed().await;
    assert_eq!(first.data(200), again.data(200));
    assert_eq!(delete(&group, 0).await.code(), (403, "LEFT"), "without the key");
}

#[tokio::test]
async fn nobody_joins_while_the_group_is_deleted() {
    for _ in 0..20 {
        let group = Group::new(1, "EUR").await;
        let mut requests = JoinSet::new();
        for id in [2, 3] {
            let by = group.api.user(id, "Joining");
            let path = group.path("/join");
            requests.spawn(async move { by.post(&path, json!({})).await });
        }
        let deleted = delete(&group, 0).await;
        let joined: Vec<_> = requests.join_all().await;
        let joined = joined.iter().filter(|it| it.status.is_success()).count();
        match deleted.code() {
            (409, code) => assert!(code == "NOT_ALONE" && joined > 0),
            (status, _) => assert_eq!((status, joined), (200, 0)),
        }
        group.verify().await;
    }
}

#[tokio::test]
async fn chat_of_a_deleted_group_gets_a_new_one() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice").in_chat("77");
    let open = async || alice.post("/api/groups/open", json!({ "title": "Chat" })).await;
    let first = open().await.id();
    alice.delete(&format!("/api/groups/{first}")).await.data(200);
    let second = open().await;
    assert_eq!(second.status, 201);
    assert_ne!(second.id(), first);
    assert_eq!(open().await.id(), second.id());
    let bob = api.user(2, "Bob").in_chat("77");
    assert_eq!(bob.post("/api/groups/open", json!({})).await.id(), second.id());
    // The operator deletes the first one without the chat's row, which is of the second.
    let mut out = Vec::new();
    let options = DeleteOptions { group: first.parse().unwrap(), yes: true };
    admin(&api).delete_group(options, &mut out).await.unwrap();
    assert_eq!(open().await.id(), second.id());
}

/// What the command says, and how it ends.
async fn delete_rows(group: &Group, yes: bool) -> Result<(Outcome, String), Failure> {
    let mut out = Vec::new();
    let options = DeleteOptions { group: group.id.parse().unwrap(), yes };
    let outcome = admin(&group.api).delete_group(options, &mut out).await?;
    Ok((outcome, String::from_utf8(out).unwrap()))
}

#[tokio::test]
async fn operator_deletes_every_row_of_a_deleted_group_and_no_other() {
    let other = Group::new(2, "EUR").await;
    other.spend(0, json!({ "amount": 5 })).await;
    let before = other.api.rows().await;
    let group = Group::of(&other.api, 2, "EUR").await;
    let alice = &group.members[0];
    for amount in 1..=30 {
        let made = group.spend(0, json!({ "amount": amount, "splits": [{ "userId": "1" }] })).await;
        if amount % 3 == 0 {
            let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
            alice.delete(&path).await.data(200);
        }
    }
    let asked = alice.post(&group.path("/questions"), text_for(["2"])).await.id();
    let answers = group.path(&format!("/questions/{asked}/answers"));
    group.members[1].post(&answers, json!({ "answer": "Yes" })).await.data(201);
    let hash = json!({ "toId": "1", "amount": 1, "txHash": "a".repeat(64) });
    let paid = group.members[1].post(&group.path("/settlements"), hash).await.id();
    let paid = group.path(&format!("/settlements/{paid}"));
    alice.put(&paid, json!({ "status": "completed" })).await.data(200);
    let back = json!({ "fromId": "1", "toId": "2", "amount": 1 });
    group.members[1].post(&group.path("/settlements"), back).await.data(201);
    leave(&group, 1).await;

    let refused = delete_rows(&group, true).await.unwrap_err();
    assert!(matches!(refused, Failure::NotDeleted(_)), "{refused:?}");
    delete(&group, 0).await.data(200);
    let deleted = group.api.rows().await;
    let (outcome, said) = delete_rows(&group, false).await.unwrap();
    assert_eq!(outcome, Outcome::Bad, "{said}");
    assert_eq!(group.api.rows().await, deleted, "nothing without --yes");
    let (outcome, said) = delete_rows(&group, true).await.unwrap();
    assert_eq!(outcome, Outcome::Good);
    let after = group.api.rows().await;
    for (key, row) in &before {
        assert_eq!(after.get(key), Some(row));
    }
    // A transaction pays once, even if the group is gone. Requests with keys are forgotten later.
    let of_group = |(pk, sk): &&(String, String)| {
        let row = format!("{:?}", after[&(pk.clone(), sk.clone())]);
        row.contains(&group.id) && !pk.starts_with("IDEM#")
    };
    let left: Vec<_> = after.keys().filter(of_group).map(|(pk, _)| pk.clone()).collect();
    assert_eq!(left, [format!("TXHASH#{}", "a".repeat(64))]);
    let gone = deleted.len() - after.keys().filter(|(pk, _)| !pk.starts_with("IDEM#")).count();
    assert!(said.contains("rows deleted"), "{said} {gone}");
    let again = delete_rows(&group, true).await.unwrap_err();
    assert!(matches!(again, Failure::Group(_, Error::NoGroup)), "{again:?}");
    other.verify().await;
}
