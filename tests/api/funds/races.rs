//! Changes of funds at the same moment, under faults, and over rows that Fracti would not write.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::{reports::fund_audit::AllFunds, values::id::FundTransactionId};
use fracti_tests::faults::{Fault, Plan, Proxy};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Friends, funds, paying::pay, report, sums};
use crate::harness::{Api, Caller, number};

type Row = BTreeMap<String, AttributeValue>;

impl Friends {
    /// Checks that funds agree with their transactions, and both laws over all users.
    pub(super) async fn audit(&self) {
        let table = &self.group.api.table;
        let now = self.group.api.now();
        let mut all = AllFunds::default();
        for user in ["1", "2", "3", "4"] {
            let rows = table.fund_rows(user.parse().unwrap()).await.unwrap();
            assert_eq!(rows.audit(now), [], "{user}");
            all.add(&rows);
        }
        assert_eq!(all.check(&table.fund_totals().await.unwrap()), []);
        self.group.verify().await;
    }
}

fn credit(amount: &str, ref_id: &str) -> Value {
    json!({ "fund": "credit", "currency": "EUR", "amount": amount, "refId": ref_id })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_changes_at_once_each_counts_once() {
    let friends = &Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    let id = bob.post("/api/users/me/funds/credits", report("50")).await.id();
    let captured = join_all((0..5).map(|_| friends.capture("2", &id, "bank 1"))).await;
    let first = captured[0].data(200);
    assert!(captured.iter().all(|it| it.data(200) == first), "{captured:?}");

    let credits = (0..50).map(|number| async move {
        dave.post("/api/users/2/funds/credits", credit("1", &format!("gift {number}"))).await
    });
    let credits = join_all(credits).await;
    let given = credits.iter().filter(|it| it.status == 201).count();
    assert!(credits.iter().all(|it| [201, 409].contains(&it.status.as_u16())));
    assert_eq!(sums(bob).await[1], given.to_string(), "409 changes nothing");

    // One key twice at once.
    let credits = "/api/users/2/funds/credits";
    let [one, other] = ["key", "key"].map(|key| dave.post_once(key, credits, credit("7", "once")));
    let (one, other) = tokio::join!(one, other);
    assert_eq!(one.data(201), other.data(201));
    assert_eq!(sums(bob).await[1], (given + 7).to_string());
    friends.audit().await;
}

/// A write, repeated with its key until it is answered.
async fn once(by: &Caller, key: &str, path: &str, body: Value) -> Value {
    let reply = by.post_until_answered(key, path, &body).await;
    assert!(reply.status.is_success(), "{path}: {}", reply.text);
    reply.body["data"].clone()
}

#[tokio::test]
async fn each_write_is_done_once_under_every_fault() {
    use Fault::{Conflict, CutAfter, CutBefore, Fail, FailAfter, Throttle};
    let proxy = Proxy::start(Plan::none()).await;
    let api = Api::new().await.with_operators(&["4"]).behind(&proxy);
    let friends = Friends::of(&api).await;
    let alice = friends.alice();
    let bob = friends.bob();
    let dave = friends.dave();
    let mine = "/api/users/me/funds";
    let of_bob = "/api/users/2/funds";
    let settlements = friends.group.path("/settlements");
    for (round, fault) in
        [CutAfter, CutBefore, Fail, FailAfter, Throttle, Conflict].into_iter().enumerate()
    {
        let forced = || proxy.force("TransactWriteItems", [fault]);
        let key = |name: &str| format!("{name}-{round}");
        let by_key = |name: &str| (key(name), format!("{name} {round}"));
        forced();
        let (k, _) = by_key("report");
        let reported = once(bob, &k, &format!("{mine}/credits"), report("50")).await;
        let at = |id: &Value, what: &str| {
            format!("{of_bob}/transactions/{}/{what}", id["id"].as_str().unwrap())
        };
        forced();
        let (k, reference) = by_key("bank");
        once(dave, &k, &at(&reported, "capture"), json!({ "refId": reference })).await;
        forced();
        let (k, reference) = by_key("gift");
        once(dave, &k, &format!("{of_bob}/credits"), credit("10", &reference)).await;
        forced();
        let bonus = json!({ "currency": "EUR", "amount": 5, "expiresAt": "2026-02-01T00:00:00Z" });
        once(dave, &key("bonus"), &format!("{of_bob}/bonuses"), bonus).await;
        for end in ["completed", "failed"] {
            forced();
            let body = pay("20", &json!({}));
            let paid = once(bob, &key(end), &settlements, body).await;
            forced();
            let path = format!("{settlements}/{}", paid["id"].as_str().unwrap());
            let ended = alice.put(&path, json!({ "status": end })).await;
            assert_eq!(ended.data(200)["status"], end, "{fault:?}");
        }
        let cash_out =
            json!({ "type": "cashout", "currency": "EUR", "amount": 30, "to": "DE12 3456" });
        for what in ["capture", "void"] {
            forced();
            let debits = format!("{mine}/debits");
            let asked = once(bob, &key(&format!("out-{what}")), &debits, cash_out.clone()).await;
            forced();
            let (k, reference) = by_key(what);
            let body = if what == "void" { json!({}) } else { json!({ "refId": reference }) };
            once(dave, &k, &at(&asked, what), body).await;
            if what == "capture" {
                let topped = credit("30", &key("again"));
                let topped = json!({ "fund": "cash", "currency": "EUR", "amount": topped["amount"],
                    "refId": topped["refId"] });
                once(dave, &key("top"), &format!("{of_bob}/credits"), topped).await;
            }
        }
        friends.audit().await;
    }
    // Of 65 and 30 a round, 20 are paid and 30 are cashed out.
    let rounds = 6;
    assert_eq!(number(&funds(bob).await["balance"]).to_string(), (45 * rounds).to_string());
    let totals = friends.totals().await;
    let expected = [80 * rounds, 30 * rounds, 15 * rounds, 0].map(|it: i32| it.to_string());
    assert_eq!(totals[..4], expected);
}

/// A pending entry, as a row has it.
fn entry(amount: &str, flow: &str) -> AttributeValue {
    AttributeValue::M(
        [
            ("amount".to_owned(), AttributeValue::N(amount.to_owned())),
            ("flow".to_owned(), AttributeValue::S(flow.to_owned())),
        ]
        .into(),
    )
}

#[tokio::test]
async fn entries_that_were_left_behind_are_found_and_released() {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let api = &friends.group.api;
    friends.top_up("2", "50", "bank 1").await;
    let at = |seconds: u64| api.now().millis() - seconds * 1_000;
    let left = |seconds: u64| {
        let at = fracti_core::values::time::Timestamp::from_millis(at(seconds)).unwrap();
        FundTransactionId::new(at, [7; 10]).to_string()
    };
    let old = left(61);
    let young = left(5);
    let plant = |row: &mut Row| {
        let Some(AttributeValue::M(pending)) = row.get_mut("pending") else { panic!("{row:?}") };
        pending.insert(old.clone(), entry("2000", "debit"));
        pending.insert(young.clone(), entry("100", "debit"));
    };
    api.change_row("USER#2", "FUND#CASH#EUR", plant).await;
    let seen = funds(bob).await;
    assert_eq!(seen["available"].to_string(), "49", "what was left behind counts nowhere");
    assert_eq!(seen["orphaned"][0]["transactionId"], old.as_str());
    assert_eq!(seen["pending"][0]["transactionId"], young.as_str());
    // What is shown as available can be used.
    let most = json!({ "type": "cashout", "currency": "EUR", "amount": 49, "to": "DE12" });
    let debits = "/api/users/me/funds/debits";
    let asked = bob.post(debits, most).await.id();
    let void = format!("/api/users/me/funds/transactions/{asked}/void");
    bob.post(&void, json!({})).await.data(200);
    let correction = json!({ "type": "correction", "fund": "cash", "currency": "EUR", "amount": 49,
        "refId": "error 1", "description": "Mistyped" });
    friends.dave().post("/api/users/2/funds/debits", correction).await.data(201);
    friends.top_up("2", "49", "bank 49").await;
    let paid = friends.settle(bob, pay("49", &json!({}))).await.id();
    friends.end(bob, &paid, "failed").await.data(200);
    let too_much = friends.settle(bob, pay("49.01", &json!({}))).await;
    assert_eq!(too_much.code(), (402, "INSUFFICIENT_FUNDS"));
    let all = friends.settle(bob, pay("60", &json!({ "allowExternal": true }))).await;
    assert_eq!(all.data(201)["funds"]["amount"], 49);
    friends.end(bob, &all.id(), "failed").await.data(200);
    let version = funds(bob).await["cash"]["version"].as_u64().unwrap();
    let checked = bob.post("/api/users/me/funds/check", json!({})).await;
    assert_eq!(checked.data(200)["released"], 1);
    let seen = funds(bob).await;
    assert_eq!(seen["cash"]["version"], version + 1);
    assert_eq!(seen["orphaned"], json!([]));
    assert_eq!(seen["withheld"].to_string(), "1", "the young one stays");

    // A transaction that is authorised, but has nothing withheld, is not completed.
    let asked = json!({ "type": "cashout", "currency": "EUR", "amount": 10, "to": "DE12 3456" });
    let asked = bob.post("/api/users/me/funds/debits", asked).await.id();
    let lose = |row: &mut Row| {
        let Some(AttributeValue::M(pending)) = row.get_mut("pending") else { panic!("{row:?}") };
        pending.remove(&asked);
    };
    api.change_row("USER#2", "FUND#CASH#EUR", lose).await;
    let before = api.rows().await;
    let captured = friends.capture("2", &asked, "bank 2").await;
    assert_eq!(captured.code(), (500, "INTERNAL"));
    assert!(captured.log.contains("FUNDS_MISMATCH"), "{}", captured.log);
    assert_eq!(api.rows().await, before);
}

#[tokio::test]
async fn twenty_bonuses_pay_and_their_settlement_fits_into_a_transaction() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "1", "bank 1").await;
    friends.dave().post("/api/users/2/funds/credits", credit("1", "gift")).await.data(201);
    for _ in 0..50 {
        friends.bonus("2", "1", "2026-02-01T00:00:00Z").await;
    }
    let bonus = json!({ "currency": "EUR", "amount": 1, "expiresAt": "2026-02-01T00:00:00Z" });
    let more = friends.dave().post("/api/users/2/funds/bonuses", bonus).await;
    assert_eq!(more.code(), (409, "LIMIT_REACHED"));
    let refused = friends.settle(bob, pay("23", &json!({}))).await;
    assert_eq!(refused.body["message"], "23 EUR are needed, 22 EUR are available.");
    friends.group.api.pass(Duration::from_hours(20));
    let id = friends.settle(bob, pay("22", &json!({}))).await.id();
    let confirmed = friends.end(alice, &id, "completed").await;
    assert_eq!(confirmed.data(200)["funds"]["credit"], 21);
    assert!((30..=33).contains(&confirmed.actions), "{}", confirmed.actions);
    friends.audit().await;
}

#[tokio::test]
async fn an_import_of_a_payment_from_funds_moves_no_funds() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.top_up("2", "50", "bank 1").await;
    let paid =
        friends.settle(bob, pay("20", &json!({ "holdUntil": "2026-02-01T00:00:00Z" }))).await;
    friends.end(alice, &paid.id(), "completed").await.data(200);
    let part = friends.settle(bob, pay("40", &json!({ "allowExternal": true }))).await;
    friends.end(alice, &part.id(), "completed").await.data(200);
    let export = alice.get(&friends.group.path("/export")).await;
    let text = export.data(200).to_string();
    assert!(text.contains("holdUntil") && text.contains("external"), "{text}");
    let new = json!({ "title": "Again", "chatId": -7, "currency": "EUR" });
    let again = alice.post("/api/groups", new).await.id();
    bob.post(&format!("/api/groups/{again}/join"), json!({})).await.data(200);
    let before = (sums(alice).await, sums(bob).await, friends.totals().await);
    let members = json!({ "A": "1", "B": "2", "C": "new guest", "D": "new guest" });
    let options = json!({ "commit": true, "members": members });
    let form = json!({ "file": export.text, "options": options });
    alice.post(&format!("/api/groups/{again}/import"), form).await.data(200);
    let list = alice.get(&format!("/api/groups/{again}/settlements")).await;
    let list = list.data(200).as_array().unwrap();
    assert_eq!(list.len(), 2);
    for of_funds in ["funds", "external", "holdUntil"] {
        assert!(list.iter().all(|it| it.get(of_funds).is_none()), "{list:?}");
    }
    assert_eq!((sums(alice).await, sums(bob).await, friends.totals().await), before);
    friends.audit().await;
}

#[tokio::test]
async fn a_linked_guest_is_the_user_and_a_bonus_becomes_no_cash() {
    let friends = Friends::new().await;
    let alice = friends.alice();
    let bob = friends.bob();
    friends.bonus("2", "10", "2026-02-01T00:00:00Z").await;
    let guest = friends.group.guest(1, "Ally").await;
    friends.group.link(&guest, "1").await.data(200);
    let body = pay("4", &json!({ "toId": guest }));
    let paid = friends.settle(bob, body).await;
    assert_eq!(paid.data(201)["toUserId"], "1");
    friends.end(alice, &paid.id(), "completed").await.data(200);
    assert_eq!(sums(alice).await, ["0", "4", "0", "4"]);
    // Through a friend and back it is credit, which is not paid out.
    let back = json!({ "toId": "2", "amount": 4, "currency": "EUR", "payFrom": "funds" });
    let back = friends.settle(alice, back).await.id();
    friends.end(bob, &back, "completed").await.data(200);
    // A failed payment gives the bonus back, not credit.
    let failed = friends.settle(bob, pay("10", &json!({}))).await.id();
    friends.end(alice, &failed, "failed").await.data(200);
    assert_eq!(sums(bob).await, ["0", "4", "6", "10"]);
    let cash_out =
        json!({ "type": "cashout", "currency": "EUR", "amount": "0.01", "to": "DE12 3456" });
    let refused = bob.post("/api/users/me/funds/debits", cash_out).await;
    assert_eq!(refused.code(), (402, "INSUFFICIENT_FUNDS"));
    friends.audit().await;
}
