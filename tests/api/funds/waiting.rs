//! What waits for an operator: whose it is, who ends it, and how many there may be.

use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{DAY, Friends, funds, paying::pay, report, sums};
use crate::harness::{Caller, Reply};

fn report_in(currency: &str) -> Value {
    json!({ "fund": "cash", "currency": currency, "amount": 1 })
}

fn cash_out(amount: &str) -> Value {
    json!({ "type": "cashout", "currency": "EUR", "amount": amount, "to": "DE12 3456" })
}

async fn ask(user: &Caller, amount: &str) -> Reply {
    user.post("/api/users/me/funds/debits", cash_out(amount)).await
}

async fn void(by: &Caller, id: &str) -> Reply {
    let path = format!("/api/users/2/funds/transactions/{id}/void");
    by.post(&path, json!({})).await
}

#[tokio::test]
async fn owners_call_off_what_waits_and_who_comes_second_is_refused() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "50", "bank 1").await;
    let asked = ask(bob, "30").await.id();
    assert_eq!(sums(bob).await[3], "20");
    // Neither another user nor a token.
    let before = friends.group.api.rows().await;
    assert_eq!(void(alice, &asked).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(friends.group.api.rows().await, before);
    let scopes = json!({ "name": "bot", "scopes": ["read", "write"] });
    let token = bob.post("/api/users/me/tokens", scopes).await;
    assert_eq!(void(&bob.with_token(&token), &asked).await.code(), (403, "NOT_ALLOWED"));

    let voided = void(bob, &asked).await;
    assert_eq!(voided.data(200)["status"], "voided");
    assert_eq!(voided.data(200)["endedBy"], "2");
    assert_eq!(sums(bob).await[3], "50");
    assert_eq!(void(bob, &asked).await.data(200), voided.data(200), "twice is once");
    assert_eq!(void(dave, &asked).await.code(), (409, "TRANSACTION_FINAL"));
    let late = friends.capture("2", &asked, "bank 2").await;
    assert_eq!(late.code(), (409, "TRANSACTION_FINAL"));

    let reported = bob.post("/api/users/me/funds/credits", report("9")).await.id();
    assert_eq!(friends.capture("2", &reported, "bank 3").await.data(200)["endedBy"], "4");
    assert_eq!(void(bob, &reported).await.code(), (409, "TRANSACTION_FINAL"));
    let reported = bob.post("/api/users/me/funds/credits", report("9")).await.id();
    void(bob, &reported).await.data(200);
    assert_eq!(sums(bob).await[3], "59");

    // A hold ends with its settlement only.
    let paid = friends.settle(bob, pay("5", &json!({}))).await;
    let hold = paid.data(201)["funds"]["transactionId"].as_str().unwrap().to_owned();
    assert_eq!(void(bob, &hold).await.code(), (403, "NOT_ALLOWED"));
    assert_eq!(void(dave, &hold).await.code(), (403, "NOT_ALLOWED"));
    friends.audit().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_a_capture_and_a_call_off_at_once_one_counts() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "50", "bank 1").await;
    for round in 0..5 {
        let asked = ask(bob, "2").await.id();
        let reference = format!("out {round}");
        let (captured, owner, operator) = tokio::join!(
            friends.capture("2", &asked, &reference),
            void(bob, &asked),
            void(dave, &asked),
        );
        let replies = [captured, owner, operator];
        let done = replies.iter().filter(|it| it.status == 200).count();
        assert_eq!(done, 1, "{replies:?}");
        let others = replies.iter().filter(|it| it.status != 200);
        assert!(others.clone().all(|it| it.status == 409), "{replies:?}");
        friends.audit().await;
    }
}

#[tokio::test]
async fn each_transaction_says_who_ended_it_and_the_log_who_asked() {
    let friends = Friends::of(&crate::harness::Api::new().await.with_operators(&["1", "4"])).await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    let reported = bob.post("/api/users/me/funds/credits", report("9")).await.id();
    let path = format!("/api/users/2/funds/transactions/{reported}");
    let capture = json!({ "refId": "bank 1" });
    let captured = alice.post(&format!("{path}/capture"), capture.clone()).await;
    assert_eq!(
        (&captured.data(200)["actorId"], &captured.data(200)["endedBy"]),
        (&json!("2"), &json!("1"))
    );
    let log = &captured.log;
    for field in ["user_id=\"1\"", "owner_id=\"2\"", &format!("transaction_id=\"{reported}\"")] {
        assert!(log.contains(field), "{field}: {log}");
    }
    // The same by another operator is not a repetition.
    let again = dave.post(&format!("{path}/capture"), capture).await;
    assert_eq!(again.code(), (409, "TRANSACTION_FINAL"));
    let read = dave.get("/api/users/2/funds").await;
    assert!(read.log.contains("user_id=\"4\"") && read.log.contains("owner_id=\"2\""));
    let own = bob.get("/api/users/me/funds").await;
    assert!(own.log.contains("user_id=\"2\"") && own.log.contains("owner_id=\"2\""));
    let group = bob.get(&friends.group.path("/debts")).await;
    assert!(!group.log.contains("user_id"), "{}", group.log);

    // At once, by a settlement, and by time.
    assert_eq!(friends.top_up("2", "20", "bank 2").await["endedBy"], "4");
    let ended = async |user: &Caller, id: &str| {
        let path = format!("/api/users/me/funds/transactions/{id}");
        user.get(&path).await.data(200)["endedBy"].clone()
    };
    for (end, by, expected) in [("completed", alice, "1"), ("failed", bob, "2")] {
        let paid = friends.settle(bob, pay("5", &json!({}))).await;
        friends.end(by, &paid.id(), end).await.data(200);
        let hold = paid.data(201)["funds"]["transactionId"].as_str().unwrap().to_owned();
        assert_eq!(ended(bob, &hold).await, expected);
    }
    let over = bob.post("/api/users/me/funds/credits", report("9")).await.id();
    friends.group.api.pass(7 * DAY);
    let friends = Friends::again(&friends);
    let bob = friends.bob();
    bob.post("/api/users/me/funds/check", json!({})).await.data(200);
    let path = format!("/api/users/me/funds/transactions/{over}");
    let expired = bob.get(&path).await;
    assert_eq!(expired.data(200)["status"], "expired");
    assert_eq!(expired.data(200).get("endedBy"), None);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_user_has_five_that_wait_in_all_currencies() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let currencies = ["EUR", "USD", "CHF", "GBP", "JPY", "SEK", "NOK", "DKK", "PLN", "CZK"];
    let reports =
        currencies.map(|currency| bob.post("/api/users/me/funds/credits", report_in(currency)));
    let replies = join_all(reports).await;
    let made: Vec<_> = replies.iter().filter(|it| it.status == 201).collect();
    assert!(replies.iter().all(|it| [201, 409].contains(&it.status.as_u16())), "{replies:?}");
    assert!((1..=5).contains(&made.len()), "{}", made.len());
    for currency in &currencies[..5 - made.len()] {
        bob.post("/api/users/me/funds/credits", report_in(currency)).await.data(201);
    }
    let sixth = bob.post("/api/users/me/funds/credits", report_in("ISK")).await;
    assert_eq!(sixth.code(), (409, "LIMIT_REACHED"));
    assert_eq!(sixth.body["details"][0]["limit"], "fundWork");
    let message = "At most 5 reports and cash-outs can wait for an operator.";
    assert_eq!(sixth.body["message"], message);
    assert_eq!(ask(bob, "1").await.code(), (409, "LIMIT_REACHED"));
    // What has ended does not count, at the same moment and later.
    void(bob, &made[0].id()).await.data(200);
    let asked = ask(bob, "1").await.id();
    assert_eq!(ask(bob, "1").await.code(), (409, "LIMIT_REACHED"));
    friends.capture("2", &asked, "bank 2").await.data(200);
    friends.group.api.pass(DAY / 24);
    ask(bob, "1").await.data(201);
    assert_eq!(ask(bob, "1").await.code(), (409, "LIMIT_REACHED"));
    friends.audit().await;
}

#[tokio::test]
async fn the_operators_list_has_the_first_of_each_user_first_and_goes_on() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    let mut reported = Vec::new();
    for currency in ["EUR", "USD", "CHF", "GBP", "JPY"] {
        let made = bob.post("/api/users/me/funds/credits", report_in(currency)).await;
        reported.push(made.id());
        friends.group.api.pass(DAY / 1_440);
    }
    let honest = alice.post("/api/users/me/funds/credits", report("50")).await.id();
    let work = dave.pages("/api/funds/work?kind=topup", 2).await;
    let ids: Vec<_> = work.iter().map(|it| it["id"].as_str().unwrap()).collect();
    let expected = [&reported[0], &honest, &reported[1], &reported[2], &reported[3], &reported[4]];
    assert_eq!(ids, expected);
    assert_eq!((&work[1]["owner"], &work[1]["ownerName"]), (&json!("1"), &json!("A")));
}

#[tokio::test]
async fn the_operator_sees_whom_to_pay_and_what_all_users_have() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "50", "bank 1").await;
    ask(bob, "30").await.data(201);
    let topped =
        json!({ "fund": "cash", "currency": "TON", "amount": 3, "refId": "ab".repeat(32) });
    dave.post("/api/users/2/funds/credits", topped).await.data(201);
    let wallet = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF";
    let ton = json!({ "type": "cashout", "currency": "TON", "amount": 3, "to": wallet });
    bob.post("/api/users/me/funds/debits", ton).await.data(201);
    let page = dave.get("/screens/funds/work?kind=cashout").await;
    assert_eq!(page.status, 200);
    for shown in [
        "DE12 3456",
        "<bdi>B</bdi> · Telegram id 2",
        &format!("ton://transfer/{wallet}?amount=3000000000"),
    ] {
        assert!(page.text.contains(shown), "{shown}: {}", page.text);
    }
    assert!(page.text.contains("All users") && page.text.contains("50.00"), "{}", page.text);
    // A list that does not fit goes on.
    let page = dave.get("/screens/funds/work?kind=cashout&limit=1").await;
    let next = page.text.split("href=\"/app/funds/work?kind=cashout&amp;cursor=").nth(1);
    let cursor = next.unwrap_or_else(|| panic!("{}", page.text)).split('"').next().unwrap();
    let path = format!("/screens/funds/work?kind=cashout&limit=1&cursor={cursor}");
    let second = dave.get(&path).await;
    assert!(second.status == 200 && second.text != page.text, "{}", second.text);
    let own = bob.get("/screens/me/funds?limit=1").await;
    assert!(own.text.contains("href=\"/app/me/funds?cursor="), "{}", own.text);
}

#[tokio::test]
async fn the_page_has_held_cash_and_no_spent_bonus() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    friends.bonus("2", "5", "2026-02-15T12:00:00Z").await;
    let paid = friends.settle(bob, pay("5", &json!({}))).await.id();
    friends.end(alice, &paid, "completed").await.data(200);
    let body = pay("25", &json!({ "holdUntil": "2026-01-16T12:00:00Z" }));
    let held = friends.settle(bob, body).await.id();
    friends.end(alice, &held, "completed").await.data(200);
    let page = alice.get("/screens/me/funds").await;
    assert!(page.text.contains("Held until") && page.text.contains("25.00"), "{}", page.text);
    let page = bob.get("/screens/me/funds").await;
    assert!(!page.text.contains("Bonuses"), "{}", page.text);
    assert_eq!(funds(bob).await["bonus"]["items"], json!([]));
}

#[tokio::test]
async fn spent_bonuses_do_not_count_for_the_limit() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    for _ in 0..50 {
        friends.bonus("2", "1", "2026-02-01T00:00:00Z").await;
    }
    let bonus = json!({ "currency": "EUR", "amount": 1, "expiresAt": "2026-02-01T00:00:00Z" });
    let credits = "/api/users/2/funds/bonuses";
    let full = friends.dave().post(credits, bonus.clone()).await;
    assert_eq!(full.code(), (409, "LIMIT_REACHED"));
    let paid = friends.settle(bob, pay("20", &json!({}))).await.id();
    let withheld = friends.dave().post(credits, bonus.clone()).await;
    assert_eq!(withheld.code(), (409, "LIMIT_REACHED"), "what is withheld may come back");
    friends.end(alice, &paid, "completed").await.data(200);
    for _ in 0..20 {
        friends.dave().post(credits, bonus.clone()).await.data(201);
    }
    assert_eq!(friends.dave().post(credits, bonus).await.code(), (409, "LIMIT_REACHED"));
    assert_eq!(funds(bob).await["bonus"]["items"].as_array().unwrap().len(), 50);
    friends.audit().await;
}

#[tokio::test]
async fn who_said_no_is_asked_each_time() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let set = async |accepts: bool| {
        let body = json!({ "currency": "EUR", "accepts": accepts });
        let set = alice.put("/api/users/me/funds", body).await;
        let answer = set.data(200)["currencies"][0].clone();
        assert_eq!(answer, funds(alice).await, "the answer is what the next read shows");
        answer["cash"]["accepts"].clone()
    };
    let accepts = async || funds(alice).await["cash"]["accepts"].clone();
    assert_eq!(set(false).await, false, "before there were any funds");
    alice.post("/api/users/me/funds/credits", report("9")).await.data(201);
    let paid = friends.settle(bob, pay("5", &json!({}))).await.id();
    friends.end(alice, &paid, "completed").await.data(200);
    assert_eq!(accepts().await, false);
    assert_eq!(set(true).await, true);
    assert_eq!(set(false).await, false);
    let paid = friends.settle(bob, pay("5", &json!({}))).await.id();
    friends.end(alice, &paid, "completed").await.data(200);
    assert_eq!(accepts().await, false);
    let checked = alice.post("/api/users/me/funds/check", json!({})).await;
    assert_eq!(checked.data(200)["currencies"][0], funds(alice).await);
    // Who has said nothing yet is asked, too.
    bob.post("/api/users/me/funds/credits", report("9")).await.data(201);
    assert_eq!(funds(bob).await["cash"]["accepts"], false);
}

#[tokio::test]
async fn a_transaction_says_what_was_available_of_the_funds_that_it_changes() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    let topped = friends.top_up("2", "50", "bank 1").await;
    assert_eq!(topped["available"], json!({ "cash": 0 }));
    let bonus = json!({ "currency": "EUR", "amount": 5, "expiresAt": "2026-02-01T00:00:00Z" });
    for _ in 0..2 {
        let given = dave.post("/api/users/2/funds/bonuses", bonus.clone()).await;
        assert_eq!(given.data(201)["available"], json!({ "bonus": 0 }));
    }
    let again = friends.top_up("2", "1", "bank 2").await;
    assert_eq!(again["available"], json!({ "cash": 50 }));
    let paid = friends.settle(bob, pay("12", &json!({}))).await;
    let id = paid.data(201)["funds"]["transactionId"].as_str().unwrap().to_owned();
    let path = format!("/api/users/me/funds/transactions/{id}");
    assert_eq!(bob.get(&path).await.data(200)["available"], json!({ "cash": 51, "bonus": 10 }));
}
