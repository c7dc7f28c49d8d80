//! Concurrent requests have the effect of some sequence, each exactly once.

use std::collections::HashSet;

use serde_json::json;
use tokio::task::JoinSet;

use crate::harness::{Api, Caller, Group, Reply};

/// Makes `times` concurrent calls, distributed over the callers.
async fn concurrently<F: Future<Output = Reply> + Send + 'static>(
    times: usize,
    callers: &[Caller],
    call: impl Fn(Caller) -> F,
) -> Vec<Reply> {
    let mut calls = JoinSet::new();
    for caller in callers.iter().cycle().take(times) {
        calls.spawn(call(caller.clone()));
    }
    calls.join_all().await
}

fn count(replies: &[Reply], status: u16) -> usize {
    replies.iter().filter(|reply| reply.status == status).count()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn fifty_concurrent_expenses_are_all_recorded_in_sequence() {
    let group = Group::new(5, "EUR").await;
    let path = group.path("/expenses");
    let replies = concurrently(50, &group.members, |caller| {
        let path = path.clone();
        async move { caller.post(&path, json!({ "amount": 1, "description": "Tea" })).await }
    })
    .await;
    assert_eq!(count(&replies, 201), 50);
    assert!(replies.iter().all(|reply| reply.cost.requests == 5), "no request is repeated");
    let moments: HashSet<&str> =
        replies.iter().map(|reply| reply.body["data"]["createdAt"].as_str().unwrap()).collect();
    assert_eq!(moments.len(), 50);
    assert_eq!(group.debts().await["summary"]["expenseCount"], 50);
    assert_eq!(group.debts().await["summary"]["totalExpenses"], 50);
    let sequences = group.api.rows().await.into_iter().filter(|((_, sk), _)| sk == "~");
    let mut sequences: Vec<u32> =
        sequences.map(|(_, row)| row["sequence"].as_n().unwrap().parse().unwrap()).collect();
    sequences.sort_unstable();
    assert_eq!(sequences, (0..50).collect::<Vec<_>>());
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_of_several_processes_are_all_recorded() {
    let group = Group::new(2, "EUR").await;
    let path = group.path("/expenses");
    let processes: Vec<_> = (0..8).map(|_| group.members[0].at(&group.api.another())).collect();
    let replies = concurrently(24, &processes, |caller| {
        let path = path.clone();
        async move { caller.post(&path, json!({ "amount": 1, "description": "Tea" })).await }
    })
    .await;
    assert_eq!(count(&replies, 201), 24, "{replies:?}");
    assert_eq!(group.debts().await["summary"]["totalExpenses"], 24);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_concurrent_deletions_delete_an_expense_once() {
    let group = Group::new(2, "EUR").await;
    group.spend(1, json!({ "amount": 8 })).await;
    let before = group.balances().await;
    let made = group.spend(0, json!({ "amount": 100, "payerId": "2" })).await;
    let path = group.path(&format!("/expenses/{}", made["id"].as_str().unwrap()));
    let replies = concurrently(10, &group.members, |caller| {
        let path = path.clone();
        async move { caller.delete(&path).await }
    })
    .await;
    assert_eq!((count(&replies, 200), count(&replies, 404)), (1, 9), "{replies:?}");
    assert_eq!(group.balances().await, before);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_concurrent_completions_move_money_once() {
    let group = Group::new(2, "EUR").await;
    let made = group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 7 }))
        .await;
    let path = group.path(&format!("/settlements/{}", made.data(201)["id"].as_str().unwrap()));
    let replies = concurrently(10, &group.members[..1], |caller| {
        let path = path.clone();
        async move { caller.put(&path, json!({ "status": "completed" })).await }
    })
    .await;
    assert_eq!(count(&replies, 200), 10, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.data(200) == replies[0].data(200)));
    assert_eq!(group.balances().await, ["-7", "7"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_completion_and_failure_leave_one_winner() {
    let group = Group::new(2, "EUR").await;
    let made = group.members[1]
        .post(&group.path("/settlements"), json!({ "toId": "1", "amount": 7 }))
        .await;
    let path = group.path(&format!("/settlements/{}", made.data(201)["id"].as_str().unwrap()));
    let replies = concurrently(10, &group.members, |caller| {
        let path = path.clone();
        let status = if caller.id == "1" { "completed" } else { "failed" };
        async move { caller.put(&path, json!({ "status": status })).await }
    })
    .await;
    assert_eq!((count(&replies, 200), count(&replies, 409)), (5, 5), "{replies:?}");
    let status = group.members[0].get(&path).await.data(200)["status"].clone();
    let moved = if status == "completed" { ["-7", "7"] } else { ["0", "0"] };
    assert_eq!(group.balances().await, moved);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_ten_settlements_with_one_transaction_hash_is_recorded() {
    let group = Group::new(3, "EUR").await;
    let replies = concurrently(10, &group.members[1..], |caller| {
        let path = group.path("/settlements");
        let body = json!({ "toId": "1", "amount": 7, "txHash": "e".repeat(64) });
        async move { caller.post(&path, body).await }
    })
    .await;
    assert_eq!((count(&replies, 201), count(&replies, 409)), (1, 9), "{replies:?}");
    assert_eq!(
        group.members[0].get(&group.path("/settlements")).await.data(200).as_array().unwrap().len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_joins_of_one_user_count_once() {
    let group = Group::new(1, "EUR").await;
    let newcomers: Vec<Caller> = (2..7).map(|id| group.api.user(id, "New")).collect();
    let path = group.path("/join");
    let replies = concurrently(20, &newcomers, |caller| {
        let path = path.clone();
        async move { caller.post(&path, json!({})).await }
    })
    .await;
    assert_eq!(count(&replies, 200), 20, "{replies:?}");
    let read = group.members[0].get(&group.path("")).await.data(200).clone();
    assert_eq!(read["memberCount"], 6);
    assert_eq!(read["members"].as_array().unwrap().len(), 6);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_operations_of_all_kinds_leave_a_correct_ledger() {
    let api = Api::new().await;
    let group = Group::of(&api, 4, "TON").await;
    let mut expenses = Vec::new();
    for payer in 0..4 {
        expenses.push(group.spend(payer, json!({ "amount": "1.000000001" })).await);
    }
    let mut calls = JoinSet::new();
    for (index, expense) in expenses.iter().enumerate() {
        let caller = group.members[index].clone();
        let next = group.members[(index + 1) % 4].id.clone();
        let path = group.path(&format!("/expenses/{}", expense["id"].as_str().unwrap()));
        let expenses = group.path("/expenses");
        let settlements = group.path("/settlements");
        calls.spawn(async move {
            caller.delete(&path).await.data(200);
            caller
                .post(&expenses, json!({ "amount": 3, "description": "x", "currency": "EUR" }))
                .await
                .data(201);
            let pay = json!({ "fromId": next, "toId": caller.id, "amount": "0.5" });
            caller.post(&settlements, pay).await.data(201);
        });
    }
    calls.join_all().await;
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["expenseCount"], &summary["settlementCount"]), (&json!(4), &json!(4)));
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn expenses_of_one_user_in_many_groups_do_not_wait_for_each_other() {
    let api = Api::new().await.queued();
    let mut groups = Vec::new();
    for _ in 0..50 {
        groups.push(Group::of(&api, 3, "EUR").await);
    }
    let mut calls = JoinSet::new();
    for group in &groups {
        let caller = group.members[0].clone();
        let path = group.path("/expenses");
        let body = json!({ "amount": 9, "description": "Tea", "category": "food" });
        calls.spawn(async move { caller.post(&path, body).await });
    }
    let replies = calls.join_all().await;
    assert_eq!(count(&replies, 201), 50, "{replies:?}");
    assert!(replies.iter().all(|reply| reply.cost.requests == 5), "no attempt is repeated");
    for group in &groups {
        group.verify().await;
        let stats = group.members[2].get(&group.path("/stats")).await.data(200).clone();
        assert_eq!(stats["currencies"][0]["members"][2]["share"], 3);
    }
}
