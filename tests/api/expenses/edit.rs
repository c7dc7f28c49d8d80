//! Edit an expense, with and without a precondition.

use std::sync::atomic::{AtomicBool, Ordering};

use axum::http::Method;
use fracti_core::{
    group::MemberKey,
    input::{Draft, Field},
    records::expense::{Edit, Expense},
};
use fracti_store::Idempotency;
use fracti_tests::client;
use serde_json::{Value, json};
use tokio::{runtime::Handle, task::block_in_place};

use super::path;
use crate::harness::{Group, Reply};

/// The fields of an expense that no edit changes.
fn origin(expense: &Value) -> [&Value; 4] {
    ["id", "groupId", "createdAt", "createdBy"].map(|field| &expense[field])
}

#[tokio::test]
async fn fields_left_out_of_an_edit_keep_their_values() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let made = group.spend(0, json!({ "amount": 100, "category": "food" })).await;
    let at = path(&group, &made);
    let payer = |id: &str, name: &str| {
        let payers = json!([{ "userId": id, "userName": name, "amount": 100 }]);
        json!({ "payerId": id, "payerName": name, "payers": payers })
    };
    for (body, changed) in [
        (json!({ "description": "Fondue" }), json!({ "description": "Fondue" })),
        (json!({ "category": "travel" }), json!({ "category": "travel" })),
        (json!({ "category": null }), json!({ "category": null })),
        (json!({ "payerId": "2" }), payer("2", "B")),
        (json!({ "payerId": "1", "amount": null }), payer("1", "A")),
    ] {
        let before = alice.get(&at).await.data(200).clone();
        let after = alice.put(&at, body.clone()).await.data(200).clone();
        assert_eq!(origin(&after), origin(&made), "{body}");
        assert_eq!(
            after["splits"], made["splits"],
            "the indivisible cent stays with its member: {body}"
        );
        let mut expected = before.as_object().unwrap().clone();
        expected.extend(changed.as_object().unwrap().clone());
        expected.insert("updatedAt".to_owned(), after["updatedAt"].clone());
        expected.retain(|_, value| !value.is_null());
        assert_eq!(after, Value::Object(expected), "{body}");
        assert_eq!(alice.get(&at).await.data(200), &after, "{body}");
        group.verify().await;
    }
    let before = group.api.rows().await;
    for nothing in [
        json!({}),
        json!({ "amount": "100.0", "payerId": "1", "splits": [
        { "userId": "3" }, { "userId": "1" }, { "userId": "2" } ] }),
    ] {
        alice.put(&at, nothing.clone()).await.data(200);
        assert_eq!(group.api.rows().await, before, "{nothing} changes nothing");
    }
}

#[tokio::test]
async fn edit_moves_balances_by_exactly_the_difference() {
    let group = Group::new(3, "EUR").await;
    let alice = &group.members[0];
    let percentages = |parts: [(&str, u8); 2]| {
        parts.map(|(user, of)| json!({ "userId": user, "percentage": of }))
    };
    let exact = json!([{ "userId": "2", "amount": 10 }, { "userId": "3", "amount": "20.5" }]);
    let made = group.spend(0, json!({ "amount": 30 })).await;
    let at = path(&group, &made);
    for (body, balances) in [
        (json!({ "amount": 60 }), ["40", "-20", "-20"]),
        (json!({ "splits": [{ "userId": "2" }, { "userId": "3" }] }), ["60", "-30", "-30"]),
        (
            json!({ "splitType": "percentage", "splits": percentages([("1", 25), ("2", 75)]) }),
            ["45", "-45", "0"],
        ),
        (json!({ "amount": 100 }), ["75", "-75", "0"]),
        (
            json!({ "amount": "30.50", "splitType": "exact", "splits": exact }),
            ["30.5", "-10", "-20.5"],
        ),
        (json!({ "splitType": "equal" }), ["30.5", "-15.25", "-15.25"]),
        (json!({ "splitType": "exact", "payerId": "3" }), ["0", "-15.25", "15.25"]),
    ] {
        // Alice is the creator, so she may edit the expense of any payer.
        alice.put(&at, body.clone()).await.data(200);
        assert_eq!(group.balances().await, balances, "{body}");
        group.verify().await;
    }
    let debts = group.debts().await;
    assert_eq!(debts["summary"]["expenseCount"], 1);
    assert_eq!(debts["summary"]["totalExpenses"], json!(30.5));

    alice.put(&at, json!({ "currency": "TON" })).await.data(200);
    let debts = group.debts().await;
    assert_eq!(debts["balances"][1]["balances"], json!({ "EUR": 0, "TON": -15.25 }));
    group.verify().await;
}

#[tokio::test]
async fn new_amount_of_an_exact_split_requires_splits() {
    let group = Group::new(2, "EUR").await;
    let splits = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": 2 }]);
    let made = group.spend(0, json!({ "amount": 3, "splitType": "exact", "splits": splits })).await;
    let reply = group.members[0].put(&path(&group, &made), json!({ "amount": 4 })).await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(
        reply.body["details"][0],
        json!({ "path": "splits", "message": "splits is required" })
    );
    group.verify().await;
}

#[tokio::test]
async fn conditions_that_are_compared_with_nothing_are_refused() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let made = group.spend(0, json!({ "amount": 3 })).await;
    let before = group.api.rows().await;
    let restore = format!("{}/restore", path(&group, &made));
    for (method, at) in [
        (Method::PATCH, group.path("")),
        (Method::PUT, group.path("/wallet")),
        (Method::POST, restore),
        (Method::POST, group.path("/expenses")),
        (Method::POST, group.path("/expenses/preview")),
        (Method::POST, "/api/groups".to_owned()),
    ] {
        let request = alice.request(method.clone(), &at).header("if-match", "\"nonsense\"");
        let refused = group.api.send(client::with_body(request, &json!({}))).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{method} {at}");
        assert_eq!(refused.body["details"][0]["path"], "If-Match", "{method} {at}");
    }
    for (name, header) in
        [("If-None-Match", "if-none-match"), ("If-Unmodified-Since", "if-unmodified-since")]
    {
        let request = alice.request(Method::PUT, &path(&group, &made)).header(header, "*");
        let refused = group.api.send(client::with_body(request, &json!({ "amount": 4 }))).await;
        assert_eq!(refused.body["details"][0]["path"], name);
    }
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn stale_if_match_is_refused_and_changes_nothing() {
    let group = Group::new(2, "EUR").await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let body = json!({ "amount": 10, "description": "Hut", "payerId": "2" });
    let made = alice.post_once("key", &group.path("/expenses"), body.clone()).await;
    let tag = |reply: &Reply| reply.header("etag").unwrap().to_owned();
    let first = tag(&made);
    let replayed = alice.post_once("key", &group.path("/expenses"), body).await;
    assert_eq!(tag(&replayed), first);
    let at = path(&group, made.data(201));
    assert_eq!(tag(&bob.get(&at).await), first);

    let edited = bob.put_if(&first, &at, json!({ "amount": 11 })).await;
    edited.data(200);
    assert_ne!(tag(&edited), first);
    let before = group.api.rows().await;
    let stale = alice.put_if(&first, &at, json!({ "description": "Cabin" })).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    let request = alice.request(Method::DELETE, &at).header("if-match", &first);
    let stale = group.api.send(request.body(axum::body::Body::empty()).unwrap()).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    let stale = alice.put_if("\"\", \"x\"", &at, json!({ "description": "Cabin" })).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    let now = tag(&edited);
    let unquoted = now.trim_matches('"');
    let weak = format!("W/{now}");
    for (tags, rule) in [
        (&*weak, "If-Match must not have a weak tag"),
        (&format!("{now}, {weak}"), "If-Match must not have a weak tag"),
        (unquoted, "If-Match must be an ETag with its quotes"),
        (&format!("{now} {now}"), "If-Match must be an ETag with its quotes"),
        (&format!("*, {now}"), "If-Match must be an ETag with its quotes"),
        ("\"", "If-Match must be an ETag with its quotes"),
        ("", "If-Match must be an ETag with its quotes"),
    ] {
        let refused = alice.put_if(tags, &at, json!({ "description": "Cabin" })).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{tags}");
        assert_eq!(refused.body["details"][0]["path"], "If-Match");
        assert!(refused.body["message"].as_str().unwrap().starts_with(rule), "{}", refused.text);
    }
    let wrong = alice.put_if(&first, &at, json!({ "splits": [] })).await;
    assert_eq!(
        wrong.code(),
        (412, "PRECONDITION_FAILED"),
        "the precondition is checked before the body"
    );
    assert_eq!(group.api.rows().await, before);

    let either = format!("{first},, {now}");
    alice.put_if(&either, &at, json!({ "description": "Cabin" })).await.data(200);
    alice.put_if("*", &at, json!({ "description": "Hotel" })).await.data(200);
    // A later state has another ETag, even with equal content.
    alice.put(&at, json!({ "description": "Hut", "amount": 10 })).await.data(200);
    assert_eq!(alice.put_if(&first, &at, json!({ "amount": 1 })).await.status, 412);

    let paid = json!({ "toId": "1", "amount": 1 });
    let payment = bob.post(&group.path("/settlements"), paid).await;
    let pending = tag(&payment);
    let at = payment.data(201)["id"].as_str().unwrap();
    let at = group.path(&format!("/settlements/{at}"));
    assert_eq!(tag(&alice.get(&at).await), pending);
    bob.put(&at, json!({ "txHash": "a".repeat(64) })).await.data(200);
    let stale = alice.put_if(&pending, &at, json!({ "status": "completed" })).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    let seen = tag(&alice.get(&at).await);
    alice.put_if(&seen, &at, json!({ "status": "completed" })).await.data(200);
    group.verify().await;
}

#[tokio::test]
async fn only_the_payer_and_the_recorder_may_change_an_expense() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let made = group.spend(0, json!({ "amount": 9, "payerId": "2" })).await;
    let at = path(&group, &made);
    let refused = |reply: Reply| assert_eq!(reply.code(), (403, "NOT_ALLOWED"), "{reply:?}");
    refused(carol.put(&at, json!({ "payerId": "3" })).await);
    alice.put(&at, json!({ "payerId": "3" })).await.data(200);
    refused(bob.put(&at, json!({ "amount": 1 })).await);
    carol.put(&at, json!({ "amount": 6 })).await.data(200);
    carol.delete(&at).await.data(200);
    refused(bob.post(&format!("{at}/restore"), json!({})).await);
    carol.post(&format!("{at}/restore"), json!({})).await.data(200);
    refused(bob.post(&format!("{at}/restore"), json!({})).await);
    group.verify().await;
}

#[tokio::test]
async fn largest_edit_fits_into_one_transaction() {
    let group = Group::new(91, "EUR").await;
    let alice = &group.members[0];
    let shares = |from: u64, number: u64| {
        (from..from + number).map(|id| json!({ "userId": id.to_string() })).collect::<Vec<_>>()
    };
    // With the expense, 62 entries, so that the edit also writes a checkpoint.
    let changes = json!([{ "userId": "1", "amount": 1 }, { "userId": "2", "amount": -1 }]);
    let entry = |name: u64| json!({ "entryId": name.to_string(), "changes": changes });
    let entries: Vec<_> = (0..61).map(entry).collect();
    alice.post(&group.path("/ledger/entries"), json!(entries)).await.data(200);
    let made = group.spend(0, json!({ "amount": 100, "splits": shares(2, 45) })).await;
    group.api.pass(std::time::Duration::from_hours(24));
    // All participants, the payer, the day and the category change. Besides the participants, the
    // edit writes the expense, three entries, the balance, a closing, a checkpoint, the change, two
    // tallies and the row of the request: all that a transaction may have, with 89 participants.
    let alice = group.api.user(1, &alice.user.name);
    let body = |splits: Vec<Value>| {
        json!({ "splits": splits, "payerId": "2", "amount": 99, "category": "food",
            "date": "2026-01-01" })
    };
    let before = group.api.rows().await;
    let refused = alice.put(&path(&group, &made), body(shares(47, 45))).await;
    assert_eq!(refused.code(), (422, "TOO_MANY_SPLITS"));
    assert!(refused.text.contains("in two edits"), "{}", refused.text);
    assert_eq!(group.api.rows().await, before);
    let edited = alice.put(&path(&group, &made), body(shares(47, 44))).await;
    assert_eq!(edited.data(200)["splits"].as_array().unwrap().len(), 44);
    assert_eq!(edited.actions, 45 + 44 + 11);
    group.verify().await;
    let rows = group.api.rows().await;
    let participants = rows.keys().filter(|(_, sk)| sk.starts_with("PART#")).count();
    assert_eq!(participants, 44);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn write_that_lost_a_race_is_repeated_on_the_new_state() {
    let group = Group::new(3, "EUR").await;
    let made = group.spend(0, json!({ "amount": 30 })).await;
    let at = path(&group, &made);
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let member_key = MemberKey { group: group.id.parse().unwrap(), user: group.members[0].user.id };
    let table = group.api.another().table;
    // One interruption between the read and the write of an operation.
    let interrupted = |body: Value| {
        let alice = group.members[0].clone();
        let at = at.clone();
        let once = AtomicBool::new(true);
        move |_: &Expense| {
            if once.swap(false, Ordering::SeqCst) {
                block_in_place(|| Handle::current().block_on(alice.put(&at, body.clone())))
                    .data(200);
            }
            true
        }
    };

    let splits = json!({ "description": "Taxi", "splits": [{ "userId": "2" }] });
    let amount = Field::Value("60".parse().unwrap());
    let edit = Draft::valid(Edit { amount, ..Edit::default() });
    let now = group.api.now();
    let once = Idempotency::own_work("edit-expense", now);
    table.edit_expense(member_key, id, &edit, interrupted(splits), &once).await.unwrap();
    let edited = group.members[0].get(&at).await.data(200).clone();
    assert_eq!((&edited["amount"], &edited["description"]), (&json!(60), &json!("Taxi")));
    assert_eq!(group.balances().await, ["60", "-60", "0"]);
    group.verify().await;

    let dearer = json!({ "amount": 90, "splits": [{ "userId": "3" }] });
    let once = Idempotency::own_work("delete-expense", now);
    table.delete_expense(member_key, id, interrupted(dearer), &once).await.unwrap();
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    assert!(!group.api.rows().await.keys().any(|(_, sk)| sk.starts_with("PART#")));
    group.verify().await;
    let history = group.members[0].pages(&format!("{at}/history"), 100).await;
    let amounts: Vec<_> = history.iter().map(|it| it["expense"]["amount"].to_string()).collect();
    assert_eq!(amounts, ["null", "90", "null", "60", "null", "30", "null", "30"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_edits_deletions_and_restores_leave_one_state() {
    let group = Group::new(3, "EUR").await;
    let made = group.spend(0, json!({ "amount": 10 })).await;
    let at = path(&group, &made);
    let mut calls = tokio::task::JoinSet::new();
    for number in 0..24 {
        // Each in a separate process, so that they do not queue for the group.
        let alice = group.members[0].at(&group.api.another());
        let at = at.clone();
        calls.spawn(async move {
            match number % 4 {
                0 => alice.delete(&at).await,
                1 => alice.post(&format!("{at}/restore"), json!({})).await,
                2 => alice.put(&at, json!({ "amount": number, "payerId": "2" })).await,
                _ => alice.put(&at, json!({ "splits": [{ "userId": "3" }] })).await,
            }
        });
    }
    for reply in calls.join_all().await {
        assert!([200, 404].contains(&reply.status.as_u16()), "{reply:?}");
    }
    group.verify().await;
    let history = group.members[0].pages(&format!("{at}/history"), 100).await;
    let (there, applied) =
        (group.members[0].get(&at).await.status == 200, history[0]["status"] == "applied");
    assert_eq!(there, applied);
    let participants = group.api.rows().await;
    let participants = participants.keys().filter(|(_, sk)| sk.starts_with("PART#")).count();
    let owing = group.members[0].get(&at).await.body["data"].clone();
    let owing = owing["splits"].as_array().map_or(0, |splits| {
        splits.iter().filter(|share| share["userId"] != owing["payerId"]).count()
    });
    assert_eq!(participants, owing);
}
