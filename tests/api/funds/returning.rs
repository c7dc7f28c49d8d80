//! Payments at once, which their recipient never confirmed and may give back.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Friends, funds, paying::pay, sums};

/// Bob owes Alice 30, has cash of 90, and Alice takes payments at once.
async fn owing() -> Friends {
    let friends = Friends::new().await;
    friends.top_up("2", "90", "bank 1").await;
    let splits = json!([{ "userId": "1" }, { "userId": "2" }]);
    let hut = json!({ "amount": 60, "splits": splits, "splitType": "equal" });
    friends.group.spend(0, hut).await;
    let accepts = json!({ "currency": "EUR", "accepts": true });
    friends.alice().put("/api/users/me/funds", accepts).await.data(200);
    friends
}

fn now(amount: &str) -> Value {
    pay(amount, &json!({ "payNow": true }))
}

#[tokio::test]
async fn the_recipient_gives_a_payment_at_once_back_while_its_cash_is_there() {
    let friends = owing().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let before = (friends.group.balances().await, sums(alice).await, sums(bob).await);
    let paid = friends.settle(bob, now("30")).await;
    let id = paid.id();
    assert_eq!(paid.data(201)["status"], "completed");
    // Neither the payer, nor a token, nor another member.
    assert_eq!(friends.end(bob, &id, "failed").await.code(), (409, "SETTLEMENT_FINAL"));
    let carol = &friends.group.members[2];
    assert_eq!(friends.end(carol, &id, "failed").await.code(), (403, "NOT_ALLOWED"));
    let scopes = json!({ "name": "bot", "scopes": ["read", "write"] });
    let token = alice.post("/api/users/me/tokens", scopes).await;
    let by_token = friends.end(&alice.with_token(&token), &id, "failed").await;
    assert_eq!(by_token.code(), (403, "NOT_ALLOWED"));

    // Without the cash, it stays.
    let ask = json!({ "type": "cashout", "currency": "EUR", "amount": 1, "to": "DE12 3456" });
    let asked = alice.post("/api/users/me/funds/debits", ask).await.id();
    let short = friends.end(alice, &id, "failed").await;
    assert_eq!(short.code(), (402, "INSUFFICIENT_FUNDS"));
    assert_eq!(short.body["message"], "30 EUR of cash are needed, 29 EUR are available.");
    let void = format!("/api/users/me/funds/transactions/{asked}/void");
    alice.post(&void, json!({})).await.data(200);

    let page = alice.get(&format!("/screens/groups/{}/settlements/{id}", friends.group.id)).await;
    assert!(page.text.contains("Give back"), "{}", page.text);
    let back = friends.end(alice, &id, "failed").await;
    assert_eq!(back.data(200)["status"], "failed");
    assert_eq!(back.data(200)["revertedBy"], "1");
    assert_eq!((friends.group.balances().await, sums(alice).await, sums(bob).await), before);
    assert_eq!(friends.end(alice, &id, "failed").await.data(200), back.data(200), "once");
    for (user, flow) in [(alice, "debit"), (bob, "credit")] {
        let list = user.get("/api/users/me/funds/transactions?limit=1").await;
        let last = &list.data(200)[0];
        assert_eq!((&last["type"], &last["fundFlow"]), (&json!("return"), &json!(flow)));
        assert_eq!((&last["settlementId"], &last["endedBy"]), (&json!(id), &json!("1")));
    }
    friends.audit().await;
}

#[tokio::test]
async fn a_debt_that_its_payer_made_and_unmade_makes_no_debtor() {
    let friends = owing().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let settled = friends.settle(bob, now("30")).await.id();
    // Bob says that Alice paid for him, pays her, and deletes it.
    let of_bob = json!([{ "userId": "2" }]);
    let made_up =
        json!({ "amount": 50, "description": "Nothing", "payerId": "1", "splits": of_bob });
    let made_up = bob.post(&friends.group.path("/expenses"), made_up).await.id();
    let paid = friends.settle(bob, now("50")).await.id();
    bob.delete(&friends.group.path(&format!("/expenses/{made_up}"))).await.data(200);
    assert_eq!(friends.group.balances().await, ["-50", "50", "0", "0"]);
    friends.end(alice, &paid, "failed").await.data(200);
    assert_eq!(friends.group.balances().await, ["0", "0", "0", "0"]);
    assert_eq!(sums(alice).await[0], "30");
    friends.end(alice, &settled, "failed").await.data(200);
    assert_eq!(friends.group.balances().await, ["30", "-30", "0", "0"]);
    friends.audit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_at_once_it_is_given_back_once() {
    let friends = owing().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let id = friends.settle(bob, now("20")).await.id();
    let replies = join_all((0..4).map(|_| friends.end(alice, &id, "failed"))).await;
    assert!(replies.iter().all(|it| it.status == 200), "{replies:?}");
    assert_eq!(sums(bob).await[0], "90");
    assert_eq!(sums(alice).await[0], "0");
    // A confirmed one is not given back.
    let confirmed = friends.settle(bob, pay("5", &json!({}))).await.id();
    friends.end(alice, &confirmed, "completed").await.data(200);
    let refused = friends.end(alice, &confirmed, "failed").await;
    assert_eq!(refused.code(), (409, "SETTLEMENT_FINAL"));
    friends.audit().await;
}

#[tokio::test]
async fn it_is_given_back_without_an_operator_and_by_no_stand_in() {
    let friends = owing().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let id = friends.settle(bob, now("30")).await.id();
    alice.post(&friends.group.path("/leave"), json!({})).await.data(200);
    // Others act for a past member, but do not spend their cash.
    let carol = &friends.group.members[2];
    assert_eq!(friends.end(carol, &id, "failed").await.code(), (409, "SETTLEMENT_FINAL"));
    alice.post(&friends.group.path("/join"), json!({})).await.data(200);
    let off = alice.at(&friends.group.api.with_operators(&[]));
    friends.end(&off, &id, "failed").await.data(200);
    assert_eq!(sums(alice).await[0], "0");
    assert_eq!(sums(bob).await[0], "90");
    friends.audit().await;
}

#[tokio::test]
async fn a_linked_guest_is_paid_at_once_and_is_the_user() {
    let friends = owing().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let guest = friends.group.guest(1, "Ally").await;
    let to_guest = now("10");
    let to_guest = json!({ "toId": guest, "amount": to_guest["amount"], "currency": "EUR",
        "payFrom": "funds", "payNow": true });
    let unlinked = friends.settle(bob, to_guest.clone()).await;
    assert_eq!(unlinked.body["details"][0]["path"], "toId");
    friends.group.link(&guest, "1").await.data(200);
    let paid = friends.settle(bob, to_guest).await;
    assert_eq!(
        (&paid.data(201)["toUserId"], &paid.data(201)["status"]),
        (&json!("1"), &json!("completed"))
    );
    assert_eq!(sums(alice).await[0], "10");
    friends.end(alice, &paid.id(), "failed").await.data(200);
    assert_eq!(sums(alice).await[0], "0");
    friends.audit().await;
}

#[tokio::test]
async fn without_any_funds_all_of_a_payment_is_external() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let paid = friends.settle(bob, pay("12", &json!({ "allowExternal": true }))).await;
    let id = paid.id();
    assert_eq!(paid.data(201)["status"], "pending");
    assert_eq!(paid.data(201)["external"], json!({ "amount": 12 }));
    assert_eq!(paid.data(201).get("funds"), None);
    let refused = friends.settle(bob, pay("12", &json!({}))).await;
    assert_eq!(refused.code(), (402, "INSUFFICIENT_FUNDS"));
    let path = friends.group.path(&format!("/settlements/{id}"));
    let edited = bob.put(&path, json!({ "amount": 13 })).await;
    assert_eq!(edited.data(200)["external"], json!({ "amount": 13 }));
    bob.put(&path, json!({ "txHash": "ab".repeat(32) })).await.data(200);
    friends.end(alice, &id, "completed").await.data(200);
    assert_eq!(friends.group.balances().await, ["-13", "13", "0", "0"]);
    friends.end(alice, &id, "failed").await.data(200);
    assert_eq!(friends.group.balances().await, ["0", "0", "0", "0"]);
    assert_eq!(funds(bob).await, Value::Null);
    friends.audit().await;
}

#[tokio::test]
async fn only_both_sides_see_of_what_a_payment_consists_in_the_app() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let carol = &friends.group.members[2];
    friends.top_up("2", "10", "bank 1").await;
    friends.bonus("2", "5", "2026-02-15T12:00:00Z").await;
    let paid = friends.settle(bob, pay("12", &json!({}))).await;
    let path = friends.group.path(&format!("/settlements/{}", paid.id()));
    let parts = ["cash", "credit", "transactionId"];
    let scopes = json!({ "name": "bot", "scopes": ["read", "write"] });
    let token = bob.post("/api/users/me/tokens", scopes).await;
    let by_token = bob.with_token(&token);
    for (user, sees) in [(alice, true), (bob, true), (carol, false), (&by_token, false)] {
        let lists = [
            friends.group.path("/settlements"),
            friends.group.path("/debts?pending=subtract"),
            "/api/users/me/settlements".to_owned(),
        ];
        for path in lists.iter().chain([&path]) {
            let read = user.get(path).await;
            let data = read.data(200);
            let one = match data {
                Value::Array(items) => items.first(),
                Value::Object(object) if object.contains_key("pending") => data["pending"].get(0),
                _ => Some(data),
            };
            let Some(one) = one else { continue };
            assert_eq!(one["funds"]["amount"], 12, "{path}");
            assert_eq!(parts.map(|it| one["funds"].get(it).is_some()), [sees; 3], "{path}");
        }
    }
    let export = carol.get(&friends.group.path("/export")).await;
    assert!(!export.text.contains("\"credit\"") && !export.text.contains("\"cash\""));
    // The tag of what each side has seen is accepted.
    let tag = alice.get(&path).await.header("etag").unwrap().to_owned();
    alice.put_if(&tag, &path, json!({ "status": "completed" })).await.data(200);
}
