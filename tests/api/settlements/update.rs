//! Update a settlement: complete it, fail it, or name its transaction.

use serde_json::{Value, json};

use super::{A, B, settle, with_debt};
use crate::{
    harness::{Caller, Group},
    import::splitwise,
};

#[tokio::test]
async fn settlement_of_the_payer_is_pending_until_the_recipient_completes_it() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (made, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    assert_eq!(made["status"], "pending");
    assert_eq!((&made["fromUserName"], &made["toUserName"]), (&json!("B"), &json!("A")));
    assert_eq!(made["completedAt"], json!(null));
    assert_eq!(group.balances().await, ["50", "-50", "0"], "no balance moves");
    assert_eq!(group.debts().await["summary"]["settlementCount"], 0);

    assert_eq!(bob.put(&path, json!({ "status": "completed" })).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(
        carol.put(&path, json!({ "status": "completed" })).await.code(),
        (403, "NOT_ALLOWED")
    );
    let done = alice.put(&path, json!({ "status": "completed" })).await;
    assert_eq!(done.data(200)["status"], "completed");
    assert_eq!(
        done.data(200)["completedAt"],
        "2026-01-15T12:00:00.002Z",
        "each event has its own time"
    );
    assert_eq!(group.balances().await, ["30", "-30", "0"]);
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["settlementCount"], &summary["totalSettled"]), (&json!(1), &json!(20)));

    let before = group.api.rows().await;
    assert_eq!(
        bob.put(&path, json!({ "status": "failed" })).await.code(),
        (409, "SETTLEMENT_FINAL")
    );
    for party in [alice, bob] {
        let again = party.put(&path, json!({ "status": "completed" })).await;
        assert_eq!(again.data(200), done.data(200));
        assert_eq!(
            party.put(&path, json!({ "status": "pending" })).await.code(),
            (409, "SETTLEMENT_FINAL")
        );
    }
    assert_eq!(bob.put(&path, json!({ "txHash": A })).await.code(), (409, "SETTLEMENT_FINAL"));
    assert_eq!(group.api.rows().await, before);
    assert_eq!(carol.get(&path).await.data(200), done.data(200));
    group.verify().await;
}

#[tokio::test]
async fn transaction_hash_of_the_payer_is_stored_and_used_once() {
    let group = with_debt().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
    let confirm = json!({ "txHash": A.to_uppercase(), "status": "completed" });
    for _ in 0..2 {
        let named = bob.put(&path, confirm.clone()).await;
        assert_eq!(
            (&named.data(200)["status"], &named.body["data"]["txHash"]),
            (&json!("pending"), &json!(A))
        );
    }
    assert_eq!(group.balances().await, ["50", "-50", "0"]);
    assert_eq!(alice.put(&path, json!({ "txHash": B })).await.code(), (403, "NOT_ALLOWED"));

    let (_, other) = settle(&group, bob, json!({ "toId": "1", "amount": 1 })).await;
    assert_eq!(bob.put(&other, json!({ "txHash": A })).await.code(), (409, "TX_HASH_USED"));
    let body = json!({ "toId": "1", "amount": 2, "txHash": A });
    assert_eq!(bob.post(&group.path("/settlements"), body).await.code(), (409, "TX_HASH_USED"));

    assert_eq!(
        bob.put(&path, json!({ "txHash": B })).await.data(200)["txHash"],
        B,
        "the payer may replace the hash"
    );
    assert_eq!(
        bob.put(&other, json!({ "txHash": A })).await.data(200)["txHash"],
        A,
        "the replaced hash is free"
    );
    assert_eq!(alice.put(&path, json!({ "status": "completed" })).await.data(200)["txHash"], B);
    assert_eq!(group.balances().await, ["0", "0", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn failed_settlement_moves_nothing_and_stays_failed() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    for party in [alice, bob] {
        let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 50 })).await;
        assert_eq!(
            carol.put(&path, json!({ "status": "failed" })).await.code(),
            (403, "NOT_ALLOWED")
        );
        assert_eq!(
            party.put(&path, json!({ "status": "failed" })).await.data(200)["status"],
            "failed"
        );
        assert_eq!(
            party.put(&path, json!({ "status": "failed" })).await.data(200)["status"],
            "failed"
        );
        assert_eq!(
            alice.put(&path, json!({ "status": "completed" })).await.code(),
            (409, "SETTLEMENT_FINAL")
        );
    }
    assert_eq!(group.balances().await, ["50", "-50", "0"]);
    group.verify().await;
}

#[tokio::test]
async fn transaction_hash_of_a_failed_settlement_can_be_reused() {
    let group = with_debt().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let (_, wrong) = settle(&group, bob, json!({ "toId": "1", "amount": 5, "txHash": A })).await;
    let failed = alice.put(&wrong, json!({ "status": "failed" })).await;
    assert_eq!(failed.data(200).get("txHash"), None);
    assert_eq!(alice.get(&wrong).await.data(200), failed.data(200));
    let (right, _) = settle(&group, bob, json!({ "toId": "1", "amount": 50, "txHash": A })).await;
    assert_eq!(right["txHash"], A);
    group.verify().await;
}

#[tokio::test]
async fn if_match_is_checked_after_permission_and_status() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 5 })).await;
    let complete = json!({ "status": "completed" });
    let stranger = carol.put_if("\"x\"", &path, complete.clone()).await;
    assert_eq!(stranger.code(), (403, "NOT_ALLOWED"));
    let stale = alice.put_if("\"x\"", &path, complete.clone()).await;
    assert_eq!(stale.code(), (412, "PRECONDITION_FAILED"));
    alice.put(&path, complete).await.data(200);
    let final_state = bob.put_if("\"x\"", &path, json!({ "status": "failed" })).await;
    assert_eq!(final_state.code(), (409, "SETTLEMENT_FINAL"));
}

#[tokio::test]
async fn mini_app_fields_are_accepted() {
    let group = with_debt().await;
    let bob = &group.members[1];
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let confirm = json!({
        "txHash": A, "status": "completed", "paymentType": "TON", "recipientWallet": null,
    });
    let reply = bob.put(&path, confirm).await;
    assert_eq!(
        (&reply.data(200)["txHash"], &reply.data(200)["currency"]),
        (&json!(A), &json!("EUR"))
    );
}

#[tokio::test]
async fn transaction_hash_with_status_failed_is_refused() {
    let group = with_debt().await;
    let bob = &group.members[1];
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let before = group.api.rows().await;
    let reply = bob.put(&path, json!({ "status": "failed", "txHash": A })).await;
    assert_eq!(reply.code(), (400, "VALIDATION_ERROR"));
    assert_eq!(reply.body["details"][0]["path"], "txHash");
    assert_eq!(group.api.rows().await, before);
}

#[tokio::test]
async fn recipient_takes_back_a_completed_settlement() {
    let group = with_debt().await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let before = group.balances().await;
    let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20, "txHash": A })).await;
    let done = alice.put(&path, json!({ "status": "completed" })).await.data(200).clone();
    assert_ne!(group.balances().await, before);
    let failed = json!({ "status": "failed" });
    for (member, code) in [(bob, (409, "SETTLEMENT_FINAL")), (carol, (403, "NOT_ALLOWED"))] {
        assert_eq!(member.put(&path, failed.clone()).await.code(), code);
    }
    let with_hash = json!({ "status": "failed", "txHash": A });
    assert_eq!(alice.put(&path, with_hash).await.code(), (409, "SETTLEMENT_FINAL"));
    assert_eq!(alice.put_if("\"x\"", &path, failed.clone()).await.status, 412);
    group.api.pass(std::time::Duration::from_hours(1));
    let alice = &group.api.user(1, "A");
    let reverted = alice.put(&path, failed.clone()).await.data(200).clone();
    assert_eq!((&reverted["status"], &reverted["revertedBy"]), (&json!("failed"), &json!("1")));
    assert_eq!(reverted["completedAt"], done["completedAt"]);
    assert_eq!(reverted["revertedAt"], "2026-01-15T13:00:00.000Z");
    assert_eq!(reverted.get("txHash"), None);
    assert_eq!(group.balances().await, before);
    let summary = group.debts().await["summary"].clone();
    assert_eq!((&summary["settlementCount"], &summary["totalSettled"]), (&json!(0), &json!(0)));
    let id = reverted["id"].as_str().unwrap();
    let history = alice.get(&group.path(&format!("/ledger/entries/{id}"))).await;
    let statuses = history.data(200).as_array().unwrap().iter().map(|it| it["status"].clone());
    assert_eq!(statuses.collect::<Vec<_>>(), [json!("revert"), json!("reverted")]);

    // Twice, it is as it is; completed again it is not; its transaction pays another one.
    let rows = group.api.rows().await;
    for member in [alice, &bob.at(&group.api)] {
        assert_eq!(member.put(&path, failed.clone()).await.data(200), &reverted);
    }
    let completed = alice.put(&path, json!({ "status": "completed" })).await;
    assert_eq!(completed.code(), (409, "SETTLEMENT_FINAL"));
    assert_eq!(group.api.rows().await, rows);
    let bob = &group.api.user(2, "B");
    settle(&group, bob, json!({ "toId": "1", "amount": 20, "txHash": A })).await;
    group.verify().await;
}

#[tokio::test]
async fn who_acts_for_a_guest_or_a_past_member_takes_back_their_settlement() {
    let group = Group::new(3, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let granny = group.guest(0, "Granny").await;
    let (_, path) = settle(&group, alice, json!({ "toId": granny, "amount": 5 })).await;
    bob.put(&path, json!({ "status": "completed" })).await.data(200);
    let failed = json!({ "status": "failed" });
    assert_eq!(alice.put(&path, failed.clone()).await.code(), (409, "SETTLEMENT_FINAL"));
    let reverted = carol.put(&path, failed.clone()).await;
    assert_eq!(reverted.data(200)["revertedBy"], "3");
    assert_eq!(group.balances().await, ["0", "0", "0"]);

    // Carol was paid, paid it on, and left.
    let paid = json!({ "fromId": "2", "toId": "3", "amount": 7 });
    let (_, path) = settle(&group, carol, paid).await;
    settle(&group, carol, json!({ "toId": "2", "amount": 7 })).await;
    let back = group.api.user(2, "B");
    let list = back.get("/api/users/me/settlements?waiting=true").await.data(200).clone();
    let waiting = group.path(&format!("/settlements/{}", list[0]["id"].as_str().unwrap()));
    back.put(&waiting, json!({ "status": "completed" })).await.data(200);
    carol.post(&group.path("/leave"), json!({})).await.data(200);
    assert_eq!(bob.put(&path, failed.clone()).await.code(), (409, "SETTLEMENT_FINAL"));
    assert_eq!(alice.put(&path, failed).await.data(200)["revertedBy"], "1");
    group.verify().await;
}

#[tokio::test]
async fn payment_from_funds_or_of_an_import_is_not_taken_back() {
    let group = Group::new(2, "EUR").await;
    let alice = &group.members[0];
    let rows = [("2026-01-10", "Payment", "Back", "EUR", vec![500, -500])];
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let import = json!({ "file": splitwise(&["A", "B"], &rows), "options": options });
    alice.post(&group.path("/import"), import).await.data(200);
    let list = alice.get(&group.path("/settlements")).await.data(200).clone();
    assert_eq!((list.as_array().unwrap().len(), &list[0]["date"]), (1, &json!("2026-01-10")));
    let path = group.path(&format!("/settlements/{}", list[0]["id"].as_str().unwrap()));
    for member in &group.members {
        let reply = member.put(&path, json!({ "status": "failed" })).await;
        assert_eq!(reply.code(), (409, "SETTLEMENT_FINAL"));
    }
}

#[tokio::test]
async fn who_recorded_a_pending_settlement_edits_it() {
    let group = with_debt().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let new = json!({ "toId": "1", "amount": 20, "date": "2026-01-10", "note": "Bar\nim Zug" });
    let (made, path) = settle(&group, bob, new).await;
    assert_eq!((&made["date"], &made["note"]), (&json!("2026-01-10"), &json!("Bar\nim Zug")));
    assert_eq!(made.get("updatedAt"), None);
    let edit = json!({ "amount": "12.5", "currency": "USD", "date": "2026-01-11", "note": null });
    assert_eq!(alice.put(&path, edit.clone()).await.code(), (403, "NOT_ALLOWED"));
    let edited = bob.put(&path, edit.clone()).await.data(200).clone();
    assert_eq!((&edited["amount"], &edited["currency"]), (&json!(12.5), &json!("USD")));
    assert_eq!((&edited["date"], edited.get("note")), (&json!("2026-01-11"), None));
    assert!(edited["updatedAt"].is_string());
    assert_eq!(alice.get(&path).await.data(200), &edited);
    let rows = group.api.rows().await;
    assert_eq!(bob.put(&path, edit).await.data(200), &edited);
    for (body, path_of) in [
        (json!({ "amount": 0 }), "amount"),
        (json!({ "amount": "1.001" }), "amount"),
        (json!({ "currency": "JPY" }), "amount"),
        (json!({ "amount": 1, "status": "failed" }), "amount"),
        (json!({ "note": " " }), "note"),
        (json!({ "date": "2026-02-30" }), "date"),
        (json!({}), "status"),
    ] {
        let refused = bob.put(&path, body.clone()).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{body}: {}", refused.text);
        assert_eq!(refused.body["details"][0]["path"], path_of, "{body}");
    }
    assert_eq!(group.api.rows().await, rows);
    alice.put(&path, json!({ "status": "completed" })).await.data(200);
    assert_eq!(group.debts().await["summary"]["currencies"][1]["totalSettled"], 12.5);
    let late = bob.put(&path, json!({ "amount": 1 })).await;
    assert_eq!(late.code(), (409, "SETTLEMENT_FINAL"));
    group.verify().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn settlement_is_completed_with_the_amount_that_was_last_shown() {
    let group = with_debt().await;
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    for round in 0..10_u32 {
        let (_, path) = settle(&group, bob, json!({ "toId": "1", "amount": 1 })).await;
        let other = bob.at(&group.api.another());
        let (edited, done) = tokio::join!(
            other.put(&path, json!({ "amount": 2 })),
            alice.put(&path, json!({ "status": "completed" })),
        );
        let amount = done.data(200)["amount"].clone();
        let expected = if edited.status == 200 { json!(2) } else { json!(1) };
        assert_eq!(amount, expected, "{round}: {}", edited.text);
        assert_eq!(bob.get(&path).await.data(200)["amount"], expected);
    }
    group.verify().await;
}

#[tokio::test]
async fn what_waits_for_a_user_is_listed_over_all_groups() {
    let group = with_debt().await;
    let other = Group::of(&group.api, 2, "EUR").await;
    let [alice, bob, carol] = [0, 1, 2].map(|index| &group.members[index]);
    let granny = group.guest(0, "Granny").await;
    let (to_alice, path) = settle(&group, bob, json!({ "toId": "1", "amount": 20 })).await;
    let (elsewhere, _) =
        settle(&other, &other.members[1], json!({ "toId": "1", "amount": 3 })).await;
    let by_carol = json!({ "fromId": "1", "toId": granny, "amount": 4 });
    let (paid, _) = settle(&group, carol, by_carol).await;
    settle(&group, alice, json!({ "toId": "2", "amount": 1 })).await;
    let waiting = async |user: &Caller| -> Vec<Value> {
        let list = user.pages("/api/users/me/settlements?waiting=true", 1).await;
        list.iter().map(|it| it["id"].clone()).collect()
    };
    let expected = [&paid, &to_alice, &elsewhere].map(|it| it["id"].clone());
    assert_eq!(waiting(alice).await, expected);
    alice.put(&path, json!({ "status": "completed" })).await.data(200);
    assert_eq!(waiting(alice).await, [&paid, &elsewhere].map(|it| it["id"].clone()));
    assert_eq!(waiting(bob).await.len(), 1, "what Alice sends");
    let mine = |status: &str| format!("/api/users/me/settlements?status={status}");
    assert_eq!(bob.get(&mine("completed")).await.data(200)[0]["id"], to_alice["id"]);
    assert_eq!(bob.get(&mine("failed")).await.data(200), &json!([]));
    let both = format!("{}&waiting=true", mine("pending"));
    assert_eq!(bob.get(&both).await.code(), (400, "VALIDATION_ERROR"));
    let of_group = alice.get(&group.path("/settlements?status=completed")).await;
    assert_eq!(of_group.data(200).as_array().unwrap().len(), 1);
}
