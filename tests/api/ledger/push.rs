//! Push adjustments.

use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::{ENTRIES, adjustment, applied_and_rejected, revert};
use crate::harness::{Api, Group};

#[tokio::test]
async fn opening_balance_counts_like_any_other_entry() {
    let group = Group::new(3, "EUR").await;
    let bob = &group.members[1];
    let opening = json!([{
        "entryId": "from the old app", "note": "Übertrag 2025",
        "changes": [
            { "userId": "1", "amount": "12.50" },
            { "userId": "2", "amount": -10 },
            { "userId": "3", "amount": -2.5 },
            { "userId": "1", "amount": "-0.000000001", "currency": "TON" },
            { "userId": "3", "amount": 1e-9, "currency": "TON" },
        ],
    }]);
    let reply = bob.post(&group.path(ENTRIES), opening).await;
    assert_eq!(
        reply.data(200),
        &json!({
            "applied": [{
                "entryId": "from the old app", "sequence": 0, "status": "applied",
                "refType": "adjustment", "actorId": "2", "note": "Übertrag 2025",
                "changes": [
                    { "userId": "1", "currency": "EUR", "sent": 12.5 },
                    { "userId": "2", "currency": "EUR", "received": 10 },
                    { "userId": "3", "currency": "EUR", "received": 2.5 },
                    { "userId": "1", "currency": "TON", "received": 1e-9 },
                    { "userId": "3", "currency": "TON", "sent": 1e-9 },
                ],
                "createdAt": "2026-01-15T12:00:00.000Z",
            }],
            "nonApplied": [],
        })
    );
    assert_eq!(group.balances().await, ["12.5", "-10", "-2.5"]);
    let plan = group.debts().await["suggestedSettlements"].clone();
    assert_eq!(plan.as_array().unwrap().len(), 3, "{plan}");
    group.verify().await;

    let read = bob.get(&group.path("/ledger/entries/from%20the%20old%20app")).await;
    assert_eq!(read.data(200), &reply.body["data"]["applied"]);
}

#[tokio::test]
async fn rejected_adjustment_does_not_stop_the_others() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    group.spend(0, json!({ "amount": 20 })).await;
    let at_least = |user: &str, least: Value| json!({ "userId": user, "balanceAtLeast": least });
    let condition = |name: &str, amount: &str, condition: Value| {
        let mut adjustment = adjustment(name, amount);
        adjustment["condition"] = condition;
        adjustment
    };
    // Alice has 10, Bob -10. A condition applies to the balance after the adjustment.
    let entries = json!([
        adjustment("a", "1"),
        adjustment("a", "2"),
        condition("bob-to-zero", "-11", at_least("2", json!(0))),
        condition("bob-too-poor", "0.01", at_least("2", json!(0))),
        condition("alice-at-zero", "5", at_least("1", json!("5.00"))),
        condition(
            "in-ton",
            "1",
            json!({ "userId": "1", "currency": "TON", "balanceAtLeast": "0.000000001" })
        ),
        adjustment("much", "92233720368547758.07"),
        adjustment("z", "1"),
    ]);
    let reply = alice.post(&group.path(ENTRIES), entries.clone()).await;
    let (applied, not) = applied_and_rejected(&reply);
    assert_eq!(applied, ["a", "bob-to-zero", "alice-at-zero", "z"]);
    assert_eq!(
        not,
        [
            "a ENTRY_EXISTS".to_owned(),
            "bob-too-poor CONDITION_FAILED".to_owned(),
            "in-ton CONDITION_FAILED".to_owned(),
            "much TOTALS_TOO_LARGE".to_owned(),
        ]
    );
    let message = reply.body["data"]["nonApplied"][1]["message"].as_str().unwrap();
    assert_eq!(message, "The balance would be below balanceAtLeast.");
    assert_eq!(group.balances().await, ["6", "-6"]);

    let again = bob.post(&group.path(ENTRIES), json!({ "entries": entries })).await;
    let (applied, not) = applied_and_rejected(&again);
    assert_eq!((applied.len(), not.len()), (0, 8));
    group.verify().await;
}

#[tokio::test]
async fn repeated_push_and_revert_with_a_key_are_replayed() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let (entries, reverts) = (group.path(ENTRIES), group.path("/ledger/entries/revert"));
    let body: Vec<_> = (0..90).map(|number| adjustment(&number.to_string(), "0.01")).collect();
    let first = alice.post_once("push", &entries, json!(body)).await;
    assert_eq!(applied_and_rejected(&first).0.len(), 90);
    let again = alice.post_once("push", &entries, json!(body)).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));

    let other = alice.post_once("other", &entries, json!(body)).await;
    assert_eq!(applied_and_rejected(&other).1.len(), 90, "another key does not push them again");

    let names: Vec<_> = (0..30).map(|number| number.to_string()).collect();
    let reverted = alice.post_once("take-back", &reverts, json!(names)).await;
    assert_eq!(applied_and_rejected(&reverted).0.len(), 30);
    // Writes of others in between stay, and both requests are replayed.
    group.members[1].post(&entries, json!([adjustment("0", "7")])).await.data(200);
    for (key, path, body, first) in [
        ("take-back", &reverts, json!(names), &reverted),
        ("push", &entries, json!(body), &first),
        ("other", &entries, json!(body), &other),
    ] {
        let again = alice.post_once(key, path, body).await;
        assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    }
    let reused = alice.post_once("push", &entries, json!([adjustment("1", "1")])).await;
    assert_eq!(reused.code(), (422, "IDEMPOTENCY_KEY_REUSED"));
    assert_eq!(group.balances().await, ["7.6", "-7.6"]);
    group.verify().await;
}

#[tokio::test]
async fn more_entries_or_changes_than_one_transaction_takes_are_refused() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let (entries, reverts) = (group.path(ENTRIES), group.path("/ledger/entries/revert"));
    let names: Vec<_> = (0..31).map(|number| number.to_string()).collect();
    let reverted = alice.post_once("key", &reverts, json!({ "entryIds": names })).await;
    let many: Vec<_> = (0..91).map(|number| adjustment(&number.to_string(), "1")).collect();
    let changes = |count| vec![json!({ "userId": "1", "amount": 1 }); count];
    let entry =
        |name: usize, count| json!({ "entryId": name.to_string(), "changes": changes(count) });
    let before = group.api.rows().await;
    for (refused, path, rule) in [
        (reverted, "entryIds", "entryIds must have at most 30 items"),
        (alice.post(&entries, json!(many)).await, "body", "the body must have at most 90 items"),
        (
            alice.post(&entries, json!([entry(0, 501)])).await,
            "[0].changes",
            "[0].changes must have at most 500 items",
        ),
        (
            alice
                .post(
                    &entries,
                    json!({ "entries": (0..5).map(|it| entry(it, 401)).collect::<Vec<_>>() }),
                )
                .await,
            "entries",
            "entries must have at most 2000 changes in total; send several requests",
        ),
    ] {
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"));
        let details = refused.body["details"].as_array().unwrap();
        assert!(details.contains(&json!({ "path": path, "message": rule })), "{details:?}");
        assert!(refused.cost.requests <= 6, "{}", refused.cost);
    }
    assert_eq!(group.api.rows().await.len(), before.len());
}

#[tokio::test]
async fn adjustment_names_cannot_be_ids_of_expenses_or_settlements() {
    let group = Group::new(4, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let expense = group.spend(0, json!({ "amount": 20 })).await["id"].clone();
    let pending = bob.post(&group.path("/settlements"), json!({ "toId": "1", "amount": 10 })).await;
    let pending = pending.data(201)["id"].clone();
    let before = group.api.rows().await;
    for id in [&pending, &expense] {
        let id = id.as_str().unwrap();
        for name in [id.to_owned(), id.to_uppercase()] {
            let refused = carol.post(&group.path(ENTRIES), json!([adjustment(&name, "1")])).await;
            assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{name}");
            assert_eq!(refused.body["details"][0]["path"], "[0].entryId");
        }
    }
    assert_eq!(group.api.rows().await, before);
    let settlement = group.path(&format!("/settlements/{}", pending.as_str().unwrap()));
    alice.put(&settlement, json!({ "status": "completed" })).await.data(200);
    group.verify().await;

    // The id of a settlement, or an unknown id, is not an expense to restore.
    for id in [pending.as_str().unwrap(), "019bc186-de00-7303-8303-030303030303"] {
        let restored = alice.post(&group.path(&format!("/expenses/{id}/restore")), json!({})).await;
        assert_eq!(restored.code(), (404, "EXPENSE_NOT_FOUND"));
        assert!(restored.cost.requests <= 6, "{}", restored.cost);
    }
}

#[tokio::test]
async fn settlement_totals_leave_adjustments_out() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    alice.post(&group.path(ENTRIES), json!([adjustment("a", "100")])).await.data(200);
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["totalSettled"], &summary["settlementCount"]), (&json!(0), &json!(0)));
    group.pay(1, 0, "2.5").await;
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["totalSettled"], &summary["settlementCount"]), (&json!(2.5), &json!(1)));
    assert_eq!(summary["currencies"][0]["totalSettled"], 2.5);
    group.verify().await;
}

#[tokio::test]
async fn push_of_90_entries_writes_all_of_them_in_order_and_at_once() {
    let group = Group::new(2, "EUR").await;
    let names: Vec<_> = (0..90).map(|number| number.to_string()).collect();
    let body: Vec<_> = names.iter().map(|name| adjustment(name, "0.01")).collect();
    let reply = group.members[0].post(&group.path(ENTRIES), json!(body)).await;
    assert_eq!(applied_and_rejected(&reply).0, names);
    // With the balance row, a checkpoint, the change and the row of the request.
    assert_eq!(reply.actions, 94);
    let applied = reply.body["data"]["applied"].as_array().unwrap();
    let sequences: Vec<_> =
        applied.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (0..90).collect::<Vec<_>>());
    assert_eq!(group.balances().await, ["0.9", "-0.9"]);
    group.verify().await;
    for names in names.chunks(30) {
        let reverted = revert(&group.members[1], &group, json!(names)).await;
        assert_eq!(applied_and_rejected(&reverted).0, names);
    }
    assert_eq!(group.balances().await, ["0", "0"]);
    group.verify().await;
}

/// The revert of all has about the largest response that is stored for a repeated request.
#[tokio::test]
async fn large_pushes_and_reverts_with_a_key_are_replayed() {
    let group = Group::new(63, "EUR").await;
    let alice = &group.members[0];
    let (entries, reverts) = (group.path(ENTRIES), group.path("/ledger/entries/revert"));
    let change = |user: u64| {
        let amount = if user == 1 { "7654320987653.90" } else { "-123456790123.45" };
        json!({ "userId": user.to_string(), "amount": amount })
    };
    let changes: Vec<_> = (1..=63).map(change).collect();
    let money = "\u{1f4b6}";
    let names: Vec<_> = (0..30).map(|number| format!("{number:02}{}", money.repeat(62))).collect();
    let entry =
        |name: &String| json!({ "entryId": name, "changes": changes, "note": money.repeat(200) });
    for (number, part) in names.chunks(10).enumerate() {
        let body: Value = part.iter().map(entry).collect();
        let key = format!("push-{number}");
        let first = alice.post_once(&key, &entries, body.clone()).await;
        assert_eq!(applied_and_rejected(&first).0, part);
        let again = alice.post_once(&key, &entries, body).await;
        assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    }
    let first = alice.post_once("take-back", &reverts, json!(names)).await;
    assert_eq!(applied_and_rejected(&first).0, names);
    let again = alice.post_once("take-back", &reverts, json!(names)).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_pushes_apply_each_adjustment_once() {
    let group = Group::new(2, "EUR").await;
    let push = |name: String| {
        // Each in a separate process, so that they do not queue for the group.
        let alice = group.members[0].at(&group.api.another());
        let entries = group.path(ENTRIES);
        async move { alice.post(&entries, json!([adjustment(&name, "1")])).await }
    };
    let others: JoinSet<_> = (0..20).map(|number| push(number.to_string())).collect();
    for reply in others.join_all().await {
        assert_eq!(applied_and_rejected(&reply).0.len(), 1, "{reply:?}");
    }
    let same: JoinSet<_> = (0..20).map(|_| push("same".to_owned())).collect();
    let same = same.join_all().await;
    let applied: usize = same.iter().map(|reply| applied_and_rejected(reply).0.len()).sum();
    assert_eq!(applied, 1);
    for reply in same.iter().filter(|reply| applied_and_rejected(reply).0.is_empty()) {
        assert_eq!(applied_and_rejected(reply).1, ["same ENTRY_EXISTS"]);
    }
    assert_eq!(group.balances().await, ["21", "-21"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_pushes_to_200_groups_do_not_mix() {
    let api = Api::new().await.queued();
    let mut groups = Vec::new();
    for _ in 0..200 {
        groups.push(Group::of(&api, 2, "EUR").await);
    }
    let mut calls = JoinSet::new();
    for (number, group) in (1..).zip(&groups) {
        let alice = group.members[0].clone();
        let entries = group.path(ENTRIES);
        let (number, key) = (number.to_string(), format!("opening-{number}"));
        let body = json!([adjustment("same name", &number), adjustment("other", "-1")]);
        calls.spawn(async move { alice.post_until_answered(&key, &entries, &body).await });
    }
    for reply in calls.join_all().await {
        assert_eq!(applied_and_rejected(&reply).0.len(), 2);
    }
    for (number, group) in (1..).zip(&groups) {
        let net: i64 = number - 1;
        assert_eq!(group.balances().await, [net.to_string(), (-net).to_string()]);
        group.verify().await;
    }
}
