//! Update and archive a group, and the lists that show it.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Group};

#[tokio::test]
async fn any_member_changes_title_and_currency() {
    let group = Group::new(2, "EUR").await;
    let path = group.path("");
    let updated =
        group.members[1].patch(&path, json!({ "title": "Andes", "currency": "USD" })).await;
    let read = group.members[0].get(&path).await.data(200).clone();
    assert_eq!((&read["title"], &read["currency"]), (&json!("Andes"), &json!("USD")));
    assert_eq!(updated.data(200)["title"], "Andes");
    let before = group.api.rows().await;
    group.members[0].patch(&path, json!({ "title": "Andes", "archived": false })).await.data(200);
    assert_eq!(group.api.rows().await, before, "nothing changes");
    let expense = group.spend(0, json!({ "amount": 2 })).await;
    assert_eq!(expense["currency"], "USD");
    group.verify().await;
}

#[tokio::test]
async fn lists_of_users_show_the_present_title() {
    let group = Group::new(2, "EUR").await;
    group.spend(0, json!({ "amount": 4 })).await;
    group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 1 }))
        .await
        .data(201);
    group.members[0].patch(&group.path(""), json!({ "title": "Andes" })).await.data(200);
    for (member, list) in [
        (0, "/api/users/me/expenses"),
        (1, "/api/users/me/debts"),
        (1, "/api/users/me/settlements"),
        (0, "/api/users/me/activity"),
        (1, "/api/users/me/activity"),
    ] {
        let items = group.members[member].get(list).await.data(200).clone();
        let titles = items.as_array().unwrap().iter().map(|item| &item["groupTitle"]);
        let titles: Vec<_> = titles.collect();
        assert!(!titles.is_empty() && titles.iter().all(|title| **title == "Andes"), "{list}");
    }
}

/// The ids of the caller's groups, read in pages of `limit`.
async fn ids(of: &crate::harness::Caller, query: &str, limit: usize) -> Vec<Value> {
    let separator = if query.is_empty() { "?" } else { "&" };
    let mut path = format!("/api/groups{query}{separator}limit={limit}");
    let first = path.clone();
    let mut all = Vec::new();
    loop {
        let page = of.get(&path).await;
        all.extend(page.data(200).as_array().unwrap().iter().map(|group| group["id"].clone()));
        match page.body["pagination"]["nextCursor"].as_str() {
            None => return all,
            Some(cursor) => path = format!("{first}&cursor={cursor}"),
        }
    }
}

#[tokio::test]
async fn groups_are_filtered_by_chat_and_archived_ones_left_out() {
    let api = Api::new().await;
    let alice = api.user(1, "Alice");
    let mut groups = Vec::new();
    for chat in [1, 2, 1, 2, 1] {
        api.pass(std::time::Duration::from_secs(1));
        let new = json!({ "title": "x", "chatId": chat });
        groups.push(alice.post("/api/groups", new).await.data(201)["id"].clone());
    }
    groups.reverse();
    for archived in [1, 2] {
        let path = format!("/api/groups/{}", groups[archived].as_str().unwrap());
        alice.patch(&path, json!({ "archived": true })).await.data(200);
    }
    let picked = |picked: &[usize]| picked.iter().map(|index| groups[*index].clone()).collect();
    for (query, expected) in [
        ("", vec![0, 3, 4]),
        ("?archived=false", vec![0, 3, 4]),
        ("?archived=true", vec![0, 1, 2, 3, 4]),
        ("?chatId=1", vec![0, 4]),
        ("?chatId=2&archived=true", vec![1, 3]),
        ("?chatId=3", vec![]),
    ] {
        let expected: Vec<Value> = picked(&expected);
        for limit in [1, 2, 100] {
            assert_eq!(ids(&alice, query, limit).await, expected, "{query} in pages of {limit}");
        }
    }
    let page = alice.get("/api/groups?limit=1&chatId=1").await;
    let cursor = page.body["pagination"]["nextCursor"].as_str().unwrap();
    let other = alice.get(&format!("/api/groups?limit=1&cursor={cursor}")).await;
    assert_eq!(other.code(), (400, "INVALID_CURSOR"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_expense_is_recorded_after_a_group_was_archived() {
    let api = Api::new().await;
    let group = Group::of(&api, 2, "EUR").await;
    let mut expenses = JoinSet::new();
    for _ in 0..12 {
        let payer = group.members[0].at(&api.another());
        let path = group.path("/expenses");
        expenses.spawn(async move {
            payer.post(&path, json!({ "amount": 2, "description": "Tea" })).await
        });
    }
    let archive = group.members[1].at(&api.another());
    archive.patch(&group.path(""), json!({ "archived": true })).await.data(200);
    let count = group.debts().await["summary"]["expenseCount"].clone();
    let replies = expenses.join_all().await;
    let made = replies.iter().filter(|reply| reply.status == 201).count();
    assert_eq!(count, made, "{replies:?}");
    let refused = replies.iter().filter(|reply| reply.status != 201);
    assert!(refused.clone().all(|it| it.code() == (409, "GROUP_ARCHIVED")), "{replies:?}");
    assert_eq!(group.debts().await["summary"]["expenseCount"], made);
    group.verify().await;
}
