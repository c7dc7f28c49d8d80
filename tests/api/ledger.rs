//! Adjustments of the book: each counts once, many at a time, and can be taken back.

use axum::http::Method;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::harness::{Api, Caller, Group, Reply};

const ENTRIES: &str = "/ledger/entries";

/// An adjustment that moves so many cents from the second member to the first.
fn adjustment(name: &str, amount: &str) -> Value {
    let minus = amount.strip_prefix('-').map_or_else(|| format!("-{amount}"), str::to_owned);
    let changes = json!([{ "userId": "1", "amount": amount }, { "userId": "2", "amount": minus }]);
    json!({ "entryId": name, "changes": changes })
}

/// What was applied, and what was not and why.
fn told(reply: &Reply) -> (Vec<String>, Vec<String>) {
    let data = reply.data(200);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let applied = data["applied"].as_array().unwrap().iter().map(|it| text(&it["entryId"]));
    let non_applied = data["nonApplied"].as_array().unwrap().iter();
    let non_applied =
        non_applied.map(|it| format!("{} {}", text(&it["entryId"]), text(&it["code"])));
    (applied.collect(), non_applied.collect())
}

async fn revert(caller: &Caller, group: &Group, names: Value) -> Reply {
    caller.call(Method::DELETE, &group.path(ENTRIES), Some(&names)).await
}

#[tokio::test]
async fn an_opening_balance_counts_like_money() {
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
async fn one_that_does_not_count_does_not_stop_the_others() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let expense = group.spend(0, json!({ "amount": 20 })).await;
    let expense = expense["id"].as_str().unwrap();
    let at_least = |user: &str, least: Value| json!({ "userId": user, "balanceAtLeast": least });
    let condition = |name: &str, amount: &str, condition: Value| {
        let mut adjustment = adjustment(name, amount);
        adjustment["condition"] = condition;
        adjustment
    };
    // Alice has 10, Bob -10. A condition is about the balance that the adjustment leads to.
    let entries = json!([
        adjustment("a", "1"),
        adjustment("a", "2"),
        adjustment(expense, "1"),
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
    let (applied, not) = told(&reply);
    assert_eq!(applied, ["a", "bob-to-zero", "alice-at-zero", "z"]);
    assert_eq!(
        not,
        [
            "a ENTRY_EXISTS".to_owned(),
            format!("{expense} ENTRY_EXISTS"),
            "bob-too-poor CONDITION_FAILED".to_owned(),
            "in-ton CONDITION_FAILED".to_owned(),
            "much TOTALS_TOO_LARGE".to_owned(),
        ]
    );
    let message = reply.body["data"]["nonApplied"][2]["message"].as_str().unwrap();
    assert_eq!(message, "The balance would be less than the condition says.");
    assert_eq!(group.balances().await, ["6", "-6"]);

    let again = bob.post(&group.path(ENTRIES), json!({ "entries": entries })).await;
    let (applied, not) = told(&again);
    assert_eq!((applied.len(), not.len()), (0, 9));
    group.verify().await;

    // The id of an expense stays its own, also after its deletion, so that it can come back.
    alice.delete(&group.path(&format!("/expenses/{expense}"))).await.data(200);
    let taken = alice.post(&group.path(ENTRIES), json!([adjustment(expense, "1")])).await;
    assert_eq!(told(&taken).1, [format!("{expense} ENTRY_EXISTS")]);
    let free = "019bc186-de00-7303-8303-030303030303";
    let reply = alice.post(&group.path(ENTRIES), json!([adjustment(free, "1")])).await;
    assert_eq!(told(&reply).0, [free]);
    group.verify().await;
}

#[tokio::test]
async fn what_was_reverted_may_be_pushed_with_another_value() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let names = json!({ "entryIds": ["a", "never", "a"] });
    for (amount, balances) in
        [("5", ["5", "-5", "0"]), ("-7", ["-7", "7", "0"]), ("5", ["5", "-5", "0"])]
    {
        let pushed = alice.post(&group.path(ENTRIES), json!([adjustment("a", amount)])).await;
        assert_eq!(told(&pushed).0, ["a"]);
        assert_eq!(group.balances().await, balances);
        // Whose balance it moved may take it back too; a bystander may not.
        let refused = revert(carol, &group, names.clone()).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
        let reverted = revert(bob, &group, names.clone()).await;
        let (applied, not) = told(&reverted);
        assert_eq!(
            (applied, not),
            (
                vec!["a".to_owned()],
                ["never ENTRY_MISSING", "a ENTRY_MISSING"].map(str::to_owned).to_vec()
            )
        );
        assert_eq!(reverted.body["data"]["applied"][0]["status"], "revert");
        assert_eq!(group.balances().await, ["0", "0", "0"]);
        group.verify().await;
    }
    let history = alice.pages(&group.path("/ledger/entries/a"), 2).await;
    let sequences: Vec<_> =
        history.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, [5, 4, 3, 2, 1, 0]);
    let by_post = carol.post(&group.path("/ledger/entries/revert"), json!(["a"])).await;
    assert_eq!(told(&by_post).1, ["a ENTRY_MISSING"]);
}

#[tokio::test]
async fn what_belongs_to_an_expense_or_a_settlement_is_not_reverted_here() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    alice.post(&group.path(ENTRIES), json!([adjustment("a", "5")])).await.data(200);
    let expense = group.spend(0, json!({ "amount": 20 })).await["id"].clone();
    let settlement = group.pay(1, 0, "1").await["id"].clone();
    let before = group.api.rows().await;
    for (id, hint) in [(expense, "delete the expense"), (settlement, "the other way")] {
        let refused = revert(alice, &group, json!(["a", id])).await;
        assert_eq!(refused.code(), (403, "NOT_ALLOWED"));
        assert!(refused.body["message"].as_str().unwrap().contains(hint), "{refused:?}");
    }
    assert_eq!(group.api.rows().await, before, "nothing was reverted");
}

#[tokio::test]
async fn a_request_that_is_repeated_with_its_key_is_done_once() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let (entries, reverts) = (group.path(ENTRIES), group.path("/ledger/entries/revert"));
    let body: Vec<_> = (0..120).map(|number| adjustment(&number.to_string(), "0.01")).collect();
    let first = alice.post_once("push", &entries, json!(body)).await;
    assert_eq!(told(&first).0.len(), 120);
    let again = alice.post_once("push", &entries, json!(body)).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, Some("true")));

    // As it is where the answer was never recorded: what it did is found, and told as it was.
    forget_responses(&group.api).await;
    let again = alice.post_once("push", &entries, json!(body)).await;
    assert_eq!((&again.text, again.header("idempotent-replayed")), (&first.text, None));
    let other = alice.post_once("other", &entries, json!(body)).await;
    assert_eq!(told(&other).1.len(), 120, "another request is told that they exist");

    let names: Vec<_> = (0..40).map(|number| number.to_string()).collect();
    let reverted = alice.post_once("take-back", &reverts, json!(names)).await;
    assert_eq!(told(&reverted).0.len(), 40);
    forget_responses(&group.api).await;
    let again = alice.post_once("take-back", &reverts, json!(names)).await;
    assert_eq!(again.text, reverted.text);
    assert_eq!(group.balances().await, ["0.8", "-0.8"]);
    group.verify().await;
}

/// As if the process had died before it could record its responses.
async fn forget_responses(api: &Api) {
    for ((pk, _), row) in api.rows().await {
        if pk.starts_with("IDEM#") {
            let delete = api.client.delete_item().table_name("FractiTable");
            let delete = delete.key("PK", row["PK"].clone()).key("SK", row["SK"].clone());
            delete.send().await.unwrap();
        }
    }
}

#[tokio::test]
async fn two_hundred_and_fifty_in_one_request_are_all_in_the_book() {
    let group = Group::new(2, "EUR").await;
    let body: Vec<_> = (0..250).map(|number| adjustment(&number.to_string(), "0.01")).collect();
    let reply = group.members[0].post(&group.path(ENTRIES), json!(body)).await;
    assert_eq!(told(&reply).0, (0..250).map(|number| number.to_string()).collect::<Vec<_>>());
    let applied = reply.body["data"]["applied"].as_array().unwrap();
    let sequences: Vec<_> =
        applied.iter().map(|entry| entry["sequence"].as_u64().unwrap()).collect();
    assert_eq!(sequences, (0..250).collect::<Vec<_>>());
    assert_eq!(group.balances().await, ["2.5", "-2.5"]);
    group.verify().await;
    let names: Vec<_> = (0..250).map(|number| number.to_string()).collect();
    let reverted = revert(&group.members[1], &group, json!(names)).await;
    assert_eq!(told(&reverted).0.len(), 250);
    assert_eq!(group.balances().await, ["0", "0"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn adjustments_at_once_are_all_in_the_book_and_each_once() {
    let group = Group::new(2, "EUR").await;
    let push = |name: String| {
        // Each in a process of its own, so that none waits for its turn.
        let (alice, entries) = (group.members[0].at(&group.api.another()), group.path(ENTRIES));
        async move { alice.post(&entries, json!([adjustment(&name, "1")])).await }
    };
    let others: JoinSet<_> = (0..20).map(|number| push(number.to_string())).collect();
    for reply in others.join_all().await {
        assert_eq!(told(&reply).0.len(), 1, "{reply:?}");
    }
    let same: JoinSet<_> = (0..20).map(|_| push("same".to_owned())).collect();
    let same = same.join_all().await;
    let applied: usize = same.iter().map(|reply| told(reply).0.len()).sum();
    assert_eq!(applied, 1);
    for reply in same.iter().filter(|reply| told(reply).0.is_empty()) {
        assert_eq!(told(reply).1, ["same ENTRY_EXISTS"]);
    }
    assert_eq!(group.balances().await, ["21", "-21"]);
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_hundred_groups_at_once_do_not_see_each_other() {
    let api = Api::new().await;
    let mut groups = Vec::new();
    for _ in 0..200 {
        groups.push(Group::of(&api, 2, "EUR").await);
    }
    let mut calls = JoinSet::new();
    for (number, group) in (1..).zip(&groups) {
        let (alice, entries) = (group.members[0].clone(), group.path(ENTRIES));
        let (number, key) = (number.to_string(), format!("opening-{number}"));
        let body = json!([adjustment("same name", &number), adjustment("other", "-1")]);
        calls.spawn(async move {
            loop {
                // A machine that is busy answers 503: whoever has a key sends it again.
                let reply = alice.post_once(&key, &entries, body.clone()).await;
                if reply.status != 503 {
                    return reply;
                }
            }
        });
    }
    for reply in calls.join_all().await {
        assert_eq!(told(&reply).0.len(), 2);
    }
    for (number, group) in (1..).zip(&groups) {
        let net: i64 = number - 1;
        assert_eq!(group.balances().await, [net.to_string(), (-net).to_string()]);
        group.verify().await;
    }
}

#[tokio::test]
async fn debts_that_are_verified_say_where_the_book_is_wrong() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    group.spend(0, json!({ "amount": 20 })).await;
    let debts = alice.get(&group.path("/debts")).await.data(200).clone();
    let verified = alice.get(&group.path("/debts?verify=true")).await;
    assert_eq!(verified.data(200), &debts);
    assert_eq!(alice.get(&group.path("/debts?verify=false")).await.usage.trips, 1);

    // Somebody took a share away behind our back.
    let rows = group.api.rows().await;
    let ((pk, sk), _) = rows.iter().find(|((_, sk), _)| sk.starts_with("TX#")).unwrap();
    let key = |text: &str| aws_sdk_dynamodb::types::AttributeValue::S(text.to_owned());
    let delete = group.api.client.delete_item().table_name("FractiTable");
    delete.key("PK", key(pk)).key("SK", key(sk)).send().await.unwrap();
    alice.get(&group.path("/debts")).await.data(200);
    let wrong = alice.get(&group.path("/debts?verify=true")).await;
    assert_eq!(wrong.code(), (500, "INTERNAL"));
    assert!(!wrong.text.contains("balances"), "what differs is only in the log: {}", wrong.text);
}
