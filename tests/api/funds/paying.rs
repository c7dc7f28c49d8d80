//! Settlements that funds pay.

use std::time::Duration;

use fracti_core::values::time::Timestamp;
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{DAY, Friends, funds, report, sums};
use crate::harness::{Caller, Reply};

/// A settlement to Alice from the caller's funds.
pub(crate) fn pay(amount: &str, more: &Value) -> Value {
    let mut body = json!({ "toId": "1", "amount": amount, "currency": "EUR", "payFrom": "funds" });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

impl Friends {
    pub(crate) async fn settle(&self, by: &Caller, body: Value) -> Reply {
        by.post(&self.group.path("/settlements"), body).await
    }

    pub(crate) async fn end(&self, by: &Caller, id: &str, status: &str) -> Reply {
        let path = self.group.path(&format!("/settlements/{id}"));
        by.put(&path, json!({ "status": status })).await
    }
}

/// What a user has, and what is withheld, in EUR.
async fn withheld(user: &Caller) -> [String; 3] {
    let funds = funds(user).await;
    ["balance", "withheld", "available"].map(|name| funds[name].to_string())
}

/// The story of the guide, calculated by hand.
#[tokio::test]
async fn friends_settle_from_funds() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    let reported = bob.post("/api/users/me/funds/credits", report("50")).await.id();
    friends.capture("2", &reported, "bank 1").await.data(200);
    let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 10, "refId": "gift" });
    dave.post("/api/users/2/funds/credits", credit).await.data(201);
    let soon = friends.bonus("2", "5", "2026-01-16T12:00:00Z").await;
    let late = friends.bonus("2", "7", "2026-02-15T12:00:00Z").await;
    assert_eq!(sums(bob).await, ["50", "10", "12", "72"]);

    // Bob pays Alice 20: 12 of bonuses, 8 of credit.
    let first = friends.settle(bob, pay("20", &json!({}))).await;
    let id = first.id();
    assert_eq!(first.data(201)["status"], "pending");
    assert_eq!(
        first.data(201)["funds"],
        json!({ "transactionId": first.data(201)["funds"]["transactionId"], "amount": 20,
            "cash": 0, "credit": 20, "expiresAt": "2026-01-22T12:00:00.000Z" })
    );
    assert_eq!(withheld(bob).await, ["72", "20", "52"]);
    let transaction = first.data(201)["funds"]["transactionId"].as_str().unwrap();
    let list = bob.get(&format!("/api/users/me/funds/transactions/{transaction}")).await;
    let list = list.data(200);
    let mut usage = [(soon, 5), (late, 7)];
    usage.sort();
    let usage = usage.map(|(id, amount)| json!({ "bonusId": id, "amount": amount }));
    assert_eq!(list["bonusUsage"], json!(usage));
    assert_eq!(
        (&list["cash"], &list["credit"], &list["bonus"]),
        (&json!(0), &json!(8), &json!(12))
    );
    assert_eq!(list["available"], json!({ "credit": 10, "bonus": 12 }));
    assert_eq!(friends.group.balances().await, ["0", "0", "0", "0"], "the ledger waits");

    assert_eq!(friends.end(bob, &id, "completed").await.code(), (403, "NOT_ALLOWED"));
    let confirmed = friends.end(alice, &id, "completed").await;
    // The funds are read after the settlement.
    assert_eq!((confirmed.status.as_u16(), confirmed.cost.round_trips), (200, 3));
    assert_eq!(withheld(bob).await, ["52", "0", "52"]);
    assert_eq!(sums(alice).await, ["0", "20", "0", "20"], "a bonus arrives as credit");
    assert_eq!(friends.group.balances().await, ["-20", "20", "0", "0"]);

    // Bob pays 100, and his funds cover 52.
    let refused = friends.settle(bob, pay("100", &json!({}))).await;
    assert_eq!(refused.code(), (402, "INSUFFICIENT_FUNDS"));
    assert_eq!(refused.body["message"], "100 EUR are needed, 52 EUR are available.");
    let second = friends.settle(bob, pay("100", &json!({ "allowExternal": true }))).await;
    let paid = second.data(201);
    assert_eq!(
        (&paid["funds"]["amount"], &paid["funds"]["cash"], &paid["funds"]["credit"]),
        (&json!(52), &json!(50), &json!(2))
    );
    assert_eq!(paid["external"], json!({ "amount": 48 }));
    friends.end(alice, &second.id(), "completed").await.data(200);
    assert_eq!(sums(bob).await, ["0", "0", "0", "0"]);
    assert_eq!(sums(alice).await, ["50", "22", "0", "72"]);
    assert_eq!(friends.group.balances().await, ["-120", "120", "0", "0"], "the whole amount");

    // Alice cashes out.
    let debits = "/api/users/me/funds/debits";
    let cash_out = |amount: u32| {
        json!({ "type": "cashout", "currency": "EUR", "amount": amount,
        "to": "DE12 3456" })
    };
    let asked = alice.post(debits, cash_out(30)).await.id();
    assert_eq!(funds(alice).await["cash"]["available"].to_string(), "20");
    friends.capture("1", &asked, "bank 2").await.data(200);
    assert_eq!(sums(alice).await, ["20", "22", "0", "42"]);
    assert_eq!(friends.totals().await, ["50", "30", "22", "0", "20", "22"]);
    assert_eq!(alice.post(debits, cash_out(25)).await.code(), (402, "INSUFFICIENT_FUNDS"));
    friends.group.verify().await;
}

#[tokio::test]
async fn a_failed_or_expired_settlement_releases_funds() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let failed = friends.settle(bob, pay("20", &json!({}))).await.id();
    let over = friends.settle(bob, pay("10", &json!({}))).await;
    let end: Timestamp = over.data(201)["funds"]["expiresAt"].as_str().unwrap().parse().unwrap();
    let over = over.id();
    assert_eq!(withheld(bob).await, ["50", "30", "20"]);
    friends.end(bob, &failed, "failed").await.data(200);
    assert_eq!(withheld(bob).await, ["50", "10", "40"]);

    // A millisecond before its end, another one is confirmed.
    let last = friends.settle(bob, pay("5", &json!({}))).await.id();
    friends.group.api.pass(end.previous().since(friends.group.api.now()));
    let friends = Friends::again(&friends);
    let alice = friends.alice();
    let bob = friends.bob();
    friends.end(alice, &last, "completed").await.data(200);
    assert_eq!(withheld(bob).await, ["45", "10", "35"]);
    friends.group.api.pass(Duration::from_millis(1));
    let late = friends.end(alice, &over, "completed").await;
    assert_eq!(late.code(), (409, "HOLD_EXPIRED"));
    let path = friends.group.path(&format!("/settlements/{over}"));
    let ended = alice.get(&path).await;
    assert_eq!(ended.data(200)["status"], "failed");
    assert_eq!(ended.data(200)["expired"], true);
    assert_eq!(withheld(bob).await, ["45", "0", "45"]);
    let again = friends.end(alice, &over, "completed").await;
    assert_eq!(again.code(), (409, "HOLD_EXPIRED"), "however often");
    let failed = friends.end(alice, &over, "failed").await;
    assert_eq!(failed.data(200)["expired"], true);
    friends.group.verify().await;
}

#[tokio::test]
async fn held_cash_can_be_used_from_its_date_on() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let body = pay("25", &json!({ "holdUntil": "2026-01-16T12:00:00Z" }));
    let id = friends.settle(bob, body).await.id();
    friends.end(alice, &id, "completed").await.data(200);
    assert_eq!(sums(alice).await, ["0", "0", "0", "0"]);
    let held = funds(alice).await["held"].clone();
    assert_eq!(held["balance"].to_string(), "25");
    assert_eq!(held["items"][0]["heldUntil"], "2026-01-16T12:00:00.000Z");
    assert_eq!(friends.totals().await[4], "50", "held cash is cash of the operator");
    friends.group.api.pass(DAY);
    let friends = Friends::again(&friends);
    let alice = friends.alice();
    assert_eq!(sums(alice).await, ["0", "0", "0", "0"], "a read writes nothing");
    let check = || alice.post("/api/users/me/funds/check", json!({}));
    for reply in join_all([check(), check(), check()]).await {
        assert!([200, 409].contains(&reply.status.as_u16()), "{:?}", reply.code());
    }
    check().await.data(200);
    assert_eq!(sums(alice).await, ["25", "0", "0", "25"]);
    assert_eq!(funds(alice).await["held"]["items"], json!([]));
}

#[tokio::test]
async fn a_payment_at_once_needs_a_recipient_who_accepts_and_is_owed() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "90", "bank 1").await;
    // Bob owes Alice 30.
    friends
        .group
        .spend(
            0,
            json!({ "amount": 60, "splits": [
        { "userId": "1" }, { "userId": "2" }], "splitType": "equal" }),
        )
        .await;
    let now = |amount: &str| pay(amount, &json!({ "payNow": true }));
    assert_eq!(friends.settle(bob, now("10")).await.code(), (409, "NOT_ACCEPTED"));
    let first = friends.settle(bob, pay("10", &json!({}))).await.id();
    friends.end(alice, &first, "completed").await.data(200);
    assert_eq!(funds(alice).await["cash"]["accepts"], false);
    assert_eq!(friends.settle(bob, now("1")).await.code(), (409, "NOT_ACCEPTED"));
    let on = json!({ "currency": "EUR", "accepts": true });
    alice.put("/api/users/me/funds", on).await.data(200);

    assert_eq!(friends.settle(bob, now("20.01")).await.code(), (409, "NOT_ACCEPTED"));
    let paid = friends.settle(bob, now("5")).await;
    assert_eq!(paid.data(201)["status"], "completed");
    assert_eq!(paid.data(201)["funds"]["cash"], 5);
    assert_eq!(sums(alice).await, ["15", "0", "0", "15"]);
    // What is pending between them is not owed twice.
    let by_hand = json!({ "toId": "1", "amount": 6, "currency": "EUR" });
    let pending = friends.settle(bob, by_hand).await.id();
    assert_eq!(friends.settle(bob, now("9.01")).await.code(), (409, "NOT_ACCEPTED"));
    // What is pending between both is read after the ledger.
    let last = friends.settle(bob, now("9")).await;
    // DynamoDB Local may ask for another try.
    let most = if std::env::var_os("FRACTI_TEST_DYNAMODB").is_some() { 5 } else { 3 };
    assert!(last.status == 201 && last.cost.round_trips <= most, "{}", last.cost);
    friends.end(bob, &pending, "failed").await.data(200);

    let off = json!({ "currency": "EUR", "accepts": false });
    let set = alice.put("/api/users/me/funds", off).await;
    assert_eq!(set.data(200)["currencies"][0]["cash"]["accepts"], false);
    assert_eq!(friends.settle(bob, now("1")).await.code(), (409, "NOT_ACCEPTED"));
    // Credit does not pay at once.
    let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 10, "refId": "gift" });
    friends.dave().post("/api/users/3/funds/credits", credit).await.data(201);
    let carol = &friends.group.members[2];
    assert_eq!(friends.settle(carol, now("1")).await.code(), (402, "INSUFFICIENT_FUNDS"));
    assert_eq!(friends.group.balances().await, ["6", "-6", "0", "0"]);
    friends.group.verify().await;
}

#[tokio::test]
async fn payments_at_once_never_spend_more_than_there_is() {
    let friends = &Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "52", "bank 1").await;
    let separate = json!({ "separate": true });
    let replies = join_all((0..10).map(|_| friends.settle(bob, pay("10", &separate)))).await;
    let made: Vec<_> = replies.iter().filter(|it| it.status == 201).collect();
    assert_eq!(made.len(), 5, "{:?}", replies.iter().map(|it| it.status).collect::<Vec<_>>());
    assert!(replies.iter().all(|it| [201, 402, 409].contains(&it.status.as_u16())));
    assert_eq!(withheld(bob).await, ["52", "50", "2"]);
    let confirmed = join_all(
        made.iter()
            .flat_map(|it| [it.id(), it.id()])
            .map(|id| async move { friends.end(alice, &id, "completed").await }),
    )
    .await;
    assert!(confirmed.iter().all(|it| it.status == 200));
    assert_eq!(withheld(bob).await, ["2", "0", "2"]);
    assert_eq!(sums(alice).await, ["50", "0", "0", "50"]);
    friends.group.verify().await;
}

#[tokio::test]
async fn a_payment_from_funds_has_rules() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let guest = friends.group.guest(0, "Grandma").await;
    let before = friends.group.api.rows().await;
    for (more, path) in [
        (json!({ "payFrom": "card" }), "payFrom"),
        (json!({ "payFrom": null, "allowExternal": true }), "allowExternal"),
        (json!({ "payFrom": "outside", "payNow": false }), "payNow"),
        (json!({ "payFrom": null, "holdUntil": "2026-02-01T00:00:00Z" }), "holdUntil"),
        (json!({ "payNow": true, "allowExternal": true }), "allowExternal"),
        (json!({ "payNow": true, "holdUntil": "2026-02-01T00:00:00Z" }), "holdUntil"),
        (json!({ "holdUntil": "2026-01-15T12:00:30Z" }), "holdUntil"),
        (json!({ "holdUntil": "2026-04-16T12:00:00Z" }), "holdUntil"),
        (json!({ "txHash": "ab".repeat(32) }), "txHash"),
        (json!({ "toId": guest }), "toId"),
        (json!({ "toId": "2" }), "toId"),
        (json!({ "amount": 0 }), "amount"),
    ] {
        let reply = friends.settle(bob, pay("10", &more)).await;
        assert_eq!(reply.code(), (400, "VALIDATION_ERROR"), "{more}");
        assert_eq!(reply.body["details"][0]["path"], path, "{more}");
    }
    let of_bob = json!({ "fromId": "2", "toId": "1", "amount": 1, "payFrom": "funds" });
    let by_alice = friends.settle(alice, of_bob).await;
    assert_eq!(by_alice.code(), (403, "NOT_ALLOWED"));
    assert_eq!(by_alice.body["message"], "Only the payer can pay from their funds.");
    let scopes = json!({ "name": "bot", "scopes": ["read", "write"] });
    let token = bob.post("/api/users/me/tokens", scopes.clone()).await;
    let by_token = friends.settle(&bob.with_token(&token), pay("1", &json!({}))).await;
    assert_eq!(by_token.code(), (403, "NOT_ALLOWED"));
    let off = bob.at(&friends.group.api.with_operators(&[]));
    assert_eq!(friends.settle(&off, pay("1", &json!({}))).await.code(), (409, "FUNDS_DISABLED"));
    let rows = friends.group.api.rows().await;
    let changed = rows.iter().filter(|(key, row)| before.get(*key) != Some(row));
    let tokens = ["PAT#", "TOKENS"];
    assert!(changed.clone().all(|(key, _)| tokens.iter().any(|it| key.1.starts_with(it))));

    let id = friends.settle(bob, pay("10", &json!({}))).await.id();
    let leave = bob.post(&friends.group.path("/leave"), json!({})).await;
    assert_eq!(leave.code(), (409, "NOT_SETTLED"));
    let path = friends.group.path(&format!("/settlements/{id}"));
    let funded = bob.put(&path, json!({ "txHash": "cd".repeat(32) })).await;
    assert_eq!(funded.code(), (409, "ALREADY_FUNDED"));
    let transaction = funds(bob).await["pending"][0]["transactionId"].clone();
    let captured = friends.capture("2", transaction.as_str().unwrap(), "bank 2").await;
    assert_eq!(captured.code(), (403, "NOT_ALLOWED"));
    let token = alice.post("/api/users/me/tokens", scopes).await;
    let by_token = friends.end(&alice.with_token(&token), &id, "completed").await;
    assert_eq!(by_token.code(), (403, "NOT_ALLOWED"));
    // What was held ends without an operator, too.
    let off = alice.at(&friends.group.api.with_operators(&[]));
    friends.end(&off, &id, "completed").await.data(200);
    assert_eq!(sums(alice).await, ["10", "0", "0", "10"]);
}
