//! `fracti-admin funds void --force`: the end of transactions that something else left half-done.

use std::collections::{BTreeMap, HashMap};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::{FundsCommand, Outcome, Waiting};
use futures_util::future::join_all;
use serde_json::json;

use super::funds::{run, verified};
use crate::{
    funds::{DAY, Friends, funds, paying::pay, sums},
    harness::{Api, Caller},
};

type Row = BTreeMap<String, AttributeValue>;

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn void(transaction: &str) -> FundsCommand {
    let [user, operator] = ["2", "4"].map(|id| id.parse().unwrap());
    let waiting = Waiting { user, transaction: transaction.parse().unwrap(), operator };
    FundsCommand::Void { waiting, force: true }
}

/// What another program does to a fund of Bob.
#[derive(Clone, Copy)]
enum Fund {
    /// It loses the pending entry.
    Unnamed,
    /// It loses the pending entry and, in minor units, the amount.
    Taken(i64),
}

fn pending(row: &mut Row) -> &mut HashMap<String, AttributeValue> {
    let Some(AttributeValue::M(pending)) = row.get_mut("pending") else {
        unreachable!("no entries")
    };
    pending
}

async fn change(api: &Api, sort_key: &str, transaction: &str, how: Fund) {
    api.change_row("USER#2", sort_key, |row| {
        assert!(pending(row).remove(transaction).is_some(), "{sort_key}");
        if let Fund::Taken(amount) = how {
            let balance: i64 = row["balance"].as_n().unwrap().parse().unwrap();
            row.insert("balance".to_owned(), AttributeValue::N((balance - amount).to_string()));
        }
    })
    .await;
}

async fn set(api: &Api, key: (&str, &str), values: &[(&str, Option<&str>)]) {
    api.change_row(key.0, key.1, |row| {
        for (name, value) in values {
            match value {
                Some(value) => drop(row.insert((*name).to_owned(), text(value))),
                None => drop(row.remove(*name)),
            }
        }
    })
    .await;
}

/// Bob, who has 20 of cash, 2 of credit and a bonus of 5, and whose payment of 12 to Alice waits
/// for her: 5 of the bonus, 2 of credit, 5 of cash.
struct Waits {
    friends: Friends,
    bonus: String,
    settlement: String,
    transaction: String,
}

impl Waits {
    async fn new() -> Self {
        let friends = Friends::new().await;
        friends.top_up("2", "20", "bank 1").await;
        let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 2, "refId": "gift" });
        friends.dave().post("/api/users/2/funds/credits", credit).await.data(201);
        let bonus = friends.bonus("2", "5", "2026-06-01T12:00:00Z").await;
        let paid = friends.settle(friends.bob(), pay("12", &json!({}))).await;
        let settlement = paid.id();
        let data = paid.data(201).clone();
        let transaction = data["funds"]["transactionId"].as_str().unwrap().to_owned();
        Self { friends, bonus, settlement, transaction }
    }

    fn api(&self) -> &Api {
        &self.friends.group.api
    }

    async fn fund(&self, sort_key: &str, how: Fund) {
        change(self.api(), sort_key, &self.transaction, how).await;
    }

    async fn bonus(&self, how: Fund) {
        self.fund(&format!("FUND#BONUS#{}", self.bonus), how).await;
    }

    async fn set_transaction(&self, values: &[(&str, Option<&str>)]) {
        set(self.api(), ("USER#2", &format!("FTX#{}", self.transaction)), values).await;
    }

    /// The key of the settlement.
    async fn row(&self) -> (String, String) {
        let rows = self.api().rows().await;
        let is_it = |row: &Row| {
            row.get("kind") == Some(&text("settlement")) && row["id"] == text(&self.settlement)
        };
        rows.into_iter().find(|(_, row)| is_it(row)).unwrap().0
    }

    /// Nothing but the command ends it; the command does, twice the same, and then all is right.
    async fn ends(&self, name: &str, has_settlement: bool, sums_after: [&str; 4]) -> String {
        let api = self.api();
        let friends = &self.friends;
        let (outcome, found) = verified(api, None).await;
        assert_eq!(outcome, Outcome::Bad, "{name}: {found}");
        // Two at once, and one later.
        let command = void(&self.transaction);
        for result in join_all([run(api, &command), run(api, &command)]).await {
            let (outcome, said) = result.unwrap();
            assert_eq!(outcome, Outcome::Good, "{name}: {said}");
        }
        let rows = api.rows().await;
        let (outcome, said) = run(api, &command).await.unwrap();
        assert_eq!(outcome, Outcome::Good, "{name}: {said}");
        assert_eq!(api.rows().await, rows, "{name}: a repeated command changes nothing");
        let ended = format!("user 2: settlement {} of 12 EUR is voided", self.transaction);
        assert!(said.starts_with(&ended), "{name}: {said}");
        let (outcome, found) = verified(api, None).await;
        assert_eq!(outcome, Outcome::Good, "{name}: {found}");
        friends.group.verify().await;
        assert_eq!(sums(friends.bob()).await, sums_after, "{name}");
        if has_settlement {
            let path = friends.group.path(&format!("/settlements/{}", self.settlement));
            assert_eq!(friends.bob().get(&path).await.data(200)["status"], "failed", "{name}");
        }
        said
    }
}

#[tokio::test]
async fn a_half_done_payment_is_ended_and_what_was_taken_is_written() {
    let waits = Waits::new().await;
    waits.bonus(Fund::Taken(500)).await;
    let friends = &waits.friends;
    let refused = friends.end(friends.alice(), &waits.settlement, "completed").await;
    assert_eq!(refused.code(), (500, "INTERNAL"));
    let says = "The funds do not match their transactions; an operator has to end what is open.";
    assert_eq!(refused.body["message"], says);
    let said = waits.ends("a bonus taken", true, ["20", "2", "0", "22"]).await;
    assert!(said.contains("; 5 EUR had moved already: correction "), "{said}");
    let list = friends.bob().get("/api/users/me/funds/transactions").await;
    let correction = &list.data(200)[0];
    assert_eq!(correction["type"], "correction");
    assert_eq!(correction["bonusUsage"][0]["bonusId"], waits.bonus.as_str());
    let description = format!("Taken for {}, which was called off", waits.transaction);
    assert_eq!(correction["description"], description);
    assert_eq!(friends.totals().await, ["20", "0", "2", "0", "20", "2"]);

    let waits = Waits::new().await;
    waits.bonus(Fund::Taken(500)).await;
    waits.fund("FUND#CREDIT#EUR", Fund::Taken(200)).await;
    waits.fund("FUND#CASH#EUR", Fund::Taken(500)).await;
    waits.ends("all taken, but authorised", true, ["15", "0", "0", "15"]).await;
    assert_eq!(waits.friends.totals().await, ["15", "0", "0", "0", "15", "0"]);

    let waits = Waits::new().await;
    waits.fund("FUND#CASH#EUR", Fund::Unnamed).await;
    waits.ends("an entry lost", true, ["20", "2", "5", "27"]).await;

    let waits = Waits::new().await;
    waits.bonus(Fund::Taken(500)).await;
    waits.fund("FUND#CREDIT#EUR", Fund::Taken(200)).await;
    waits.fund("FUND#CASH#EUR", Fund::Taken(500)).await;
    let gone = [("dueAt", None), ("GSI3PK", None), ("GSI3SK", None)];
    let done = [("status", Some("completed")), ("endedAt", Some("2026-01-15T12:00:01.000Z"))];
    waits.set_transaction(&[done.as_slice(), &gone].concat()).await;
    waits.ends("completed, with a pending settlement", true, ["15", "0", "0", "15"]).await;
}

#[tokio::test]
async fn a_payment_that_only_the_group_does_not_know_of_is_completed() {
    let waits = Waits::new().await;
    let api = waits.api();
    let friends = &waits.friends;
    let before = api.rows().await;
    friends.end(friends.alice(), &waits.settlement, "completed").await.data(200);
    let done = api.rows().await;
    let is_of_funds = |pk: &str| pk.starts_with("USER#") || pk.starts_with("FUND");
    for ((pk, sk), row) in done.iter().filter(|((pk, _), _)| !is_of_funds(pk)) {
        match before.get(&(pk.clone(), sk.clone())) {
            None => api.delete_row(pk, sk).await,
            Some(old) if old == row => {}
            Some(old) => api.change_row(pk, sk, |row| row.clone_from(old)).await,
        }
    }
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Bad, "{found}");
    assert_eq!(sums(friends.alice()).await, ["5", "7", "0", "12"]);
    let command = void(&waits.transaction);
    let (outcome, said) = run(api, &command).await.unwrap();
    let completed = format!("user 2: settlement {} of 12 EUR is completed\n", waits.transaction);
    assert_eq!((outcome, said), (Outcome::Good, completed));
    let rows = api.rows().await;
    let (outcome, said) = run(api, &command).await.unwrap();
    assert_eq!(outcome, Outcome::Bad, "{said}");
    assert!(said.ends_with("the transaction is already completed\n"), "{said}");
    assert_eq!(api.rows().await, rows);
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Good, "{found}");
    friends.group.verify().await;
    assert_eq!(sums(friends.alice()).await, ["5", "7", "0", "12"]);
    let path = friends.group.path(&format!("/settlements/{}", waits.settlement));
    assert_eq!(friends.bob().get(&path).await.data(200)["status"], "completed");
}

#[tokio::test]
async fn a_payment_that_lost_its_settlement_or_its_transaction_can_be_ended() {
    let waits = Waits::new().await;
    let (pk, sk) = waits.row().await;
    waits.api().change_row(&pk, &sk, |row| drop(row.remove("funds"))).await;
    waits.ends("a settlement without funds", true, ["20", "2", "5", "27"]).await;

    // Its recipient had confirmed it: the ledger has it, and the cash stays where it is.
    let waits = Waits::new().await;
    let (pk, sk) = waits.row().await;
    waits.api().change_row(&pk, &sk, |row| drop(row.remove("funds"))).await;
    waits.friends.end(waits.friends.alice(), &waits.settlement, "completed").await.data(200);
    waits.ends("a completed settlement without funds", false, ["20", "2", "5", "27"]).await;

    let waits = Waits::new().await;
    let (pk, sk) = waits.row().await;
    let restored = waits.api().rows().await[&(pk.clone(), sk.clone())].clone();
    waits.api().delete_row(&pk, &sk).await;
    let (outcome, found) = verified(waits.api(), None).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(found.contains("it is missing, but a transaction pays it"), "{found}");
    waits.api().change_row(&pk, &sk, |row| *row = restored).await;

    // Without its transaction, nothing is left to be paid: either side fails it.
    let waits = Waits::new().await;
    let api = waits.api();
    let friends = &waits.friends;
    api.delete_row("USER#2", &format!("FTX#{}", waits.transaction)).await;
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(found.contains("its transaction of funds is missing"), "{found}");
    let refused = friends.end(friends.alice(), &waits.settlement, "completed").await;
    assert_eq!(refused.code(), (404, "TRANSACTION_NOT_FOUND"));
    friends.end(friends.bob(), &waits.settlement, "failed").await.data(200);
    assert_eq!(sums(friends.bob()).await, ["20", "2", "5", "27"]);
    assert_eq!(funds(friends.bob()).await["orphaned"], json!([]));
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Good, "{found}");
    friends.group.verify().await;
}

#[tokio::test]
async fn half_done_reports_and_cash_outs_are_ended_one_by_one() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let bob = friends.bob();
    friends.top_up("2", "20", "bank 1").await;
    let report = async |amount: u32| {
        let body = json!({ "fund": "cash", "currency": "EUR", "amount": amount });
        bob.post("/api/users/me/funds/credits", body).await.id()
    };
    let asked = async |amount: u32| {
        let body = json!({ "type": "cashout", "currency": "EUR", "amount": amount, "to": "DE12" });
        bob.post("/api/users/me/funds/debits", body).await.id()
    };
    let [unnamed, added] = [report(8).await, report(9).await];
    let [three, four, whole] = [asked(3).await, asked(4).await, asked(1).await];
    let cash = "FUND#CASH#EUR";
    change(api, cash, &unnamed, Fund::Unnamed).await;
    change(api, cash, &added, Fund::Taken(-900)).await;
    change(api, cash, &three, Fund::Unnamed).await;
    change(api, cash, &four, Fund::Taken(400)).await;
    assert_eq!(verified(api, None).await.0, Outcome::Bad);
    for (id, says) in [
        (&four, "cashout {id} of 4 EUR is voided; 4 EUR had moved already: correction "),
        (&unnamed, "topup {id} of 8 EUR is voided\n"),
        (&three, "cashout {id} of 3 EUR is voided\n"),
        (&added, "topup {id} of 9 EUR is voided; 9 EUR had moved already: topup "),
        (&whole, "cashout {id} of 1 EUR is voided\n"),
    ] {
        for _ in 0..2 {
            let (outcome, said) = run(api, &void(id)).await.unwrap();
            assert_eq!(outcome, Outcome::Good, "{said}");
            assert!(said.contains(&says.replace("{id}", id)), "{says}: {said}");
        }
    }
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Good, "{found}");
    assert_eq!(sums(bob).await, ["25", "0", "0", "25"]);
    assert_eq!(friends.totals().await, ["25", "0", "0", "0", "25", "0"]);
}

#[tokio::test]
async fn what_is_whole_or_final_is_not_ended_by_force() {
    let waits = Waits::new().await;
    let api = waits.api();
    let friends = &waits.friends;
    let before = api.rows().await;
    let (outcome, said) = run(api, &void(&waits.transaction)).await.unwrap();
    assert_eq!(outcome, Outcome::Bad, "its parties end a payment: {said}");
    assert_eq!(api.rows().await, before);
    friends.end(friends.alice(), &waits.settlement, "completed").await.data(200);
    let before = api.rows().await;
    let (outcome, said) = run(api, &void(&waits.transaction)).await.unwrap();
    assert_eq!(outcome, Outcome::Bad);
    assert!(said.ends_with("the transaction is already completed\n"), "{said}");
    assert_eq!(api.rows().await, before);

    // A fund that differs by another amount is not guessed at.
    let waits = Waits::new().await;
    waits.fund("FUND#CASH#EUR", Fund::Taken(123)).await;
    let before = waits.api().rows().await;
    let refused = run(waits.api(), &void(&waits.transaction)).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(waits.api().rows().await, before);
}

#[tokio::test]
async fn one_mismatch_is_reported_and_the_rest_is_read_and_done() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let bob = friends.bob();
    friends.top_up("2", "20", "bank 1").await;
    friends.bonus("2", "5", "2026-01-16T12:00:00Z").await;
    let asked = json!({ "type": "cashout", "currency": "EUR", "amount": 3, "to": "DE12" });
    let asked = bob.post("/api/users/me/funds/debits", asked).await.id();
    friends.capture("2", &asked, "bank 2").await.data(200);
    let entry = [("amount", AttributeValue::N("300".to_owned())), ("flow", text("debit"))];
    let entry = entry.map(|(name, value)| (name.to_owned(), value));
    api.change_row("USER#2", "FUND#CASH#EUR", |row| {
        pending(row).insert(asked.clone(), AttributeValue::M(entry.into()));
    })
    .await;
    api.pass(DAY);
    let friends = Friends::again(&friends);
    let bob = friends.bob();
    let seen = bob.get("/api/users/me/funds?currency=EUR&detail=true").await;
    let seen_funds = &seen.data(200)["currencies"][0];
    assert_eq!(seen_funds["withheld"].to_string(), "3", "it may have been taken, or not");
    assert!(seen.log.contains("FUNDS_MISMATCH") && seen.log.contains(&asked), "{}", seen.log);
    let checked = bob.post("/api/users/me/funds/check", json!({})).await;
    assert_eq!(checked.data(200)["released"], 0);
    assert!(checked.log.contains("FUNDS_MISMATCH"), "{}", checked.log);
    assert_eq!(friends.totals().await[3], "5", "the bonus has lapsed");
}

#[tokio::test]
async fn a_pending_transaction_that_cannot_be_read_withholds_its_entry_and_hides_nothing() {
    // Without a version it would be a row of the TypeScript Fracti, which other lists leave out.
    for lost in [["status"].as_slice(), &["status", "formatVersion"]] {
        let friends = Friends::new().await;
        let api = &friends.group.api;
        let bob = friends.bob();
        friends.top_up("2", "20", "bank 1").await;
        friends.bonus("2", "5", "2026-01-16T12:00:00Z").await;
        let ask = async |bob: &Caller, amount: u8| {
            let body =
                json!({ "type": "cashout", "currency": "EUR", "amount": amount, "to": "DE12" });
            bob.post("/api/users/me/funds/debits", body).await
        };
        let [broken, other] = [ask(bob, 3).await.id(), ask(bob, 4).await.id()];
        let lose = |row: &mut Row| row.retain(|name, _| !lost.contains(&name.as_str()));
        api.change_row("USER#2", &format!("FTX#{broken}"), lose).await;
        // A new one reads those of the last minute that are pending no more.
        api.change_row("USER#2", "FUND#CASH#EUR", |row| drop(pending(row).remove(&broken))).await;
        let third = ask(bob, 1).await.id();
        let entry = [("amount", AttributeValue::N("300".to_owned())), ("flow", text("debit"))];
        let entry = entry.map(|(name, value)| (name.to_owned(), value));
        api.change_row("USER#2", "FUND#CASH#EUR", |row| {
            pending(row).insert(broken.clone(), AttributeValue::M(entry.into()));
        })
        .await;
        api.pass(DAY);
        let friends = Friends::again(&friends);
        let bob = friends.bob();
        let seen = bob.get("/api/users/me/funds?currency=EUR&detail=true").await;
        let of_euros = &seen.data(200)["currencies"][0];
        assert_eq!(of_euros["withheld"].to_string(), "8", "it may have been paid, or not");
        assert!(seen.log.contains("FUNDS_MISMATCH") && seen.log.contains(&broken), "{}", seen.log);
        assert_eq!(bob.get("/screens/me/funds").await.status, 200);
        let list = bob.get("/api/users/me/funds/transactions").await;
        assert_eq!(
            (list.data(200).as_array().map(Vec::len), &list.body["unreadable"]),
            (Some(4), &json!(1))
        );
        let checked = bob.post("/api/users/me/funds/check", json!({})).await;
        assert_eq!(checked.data(200)["released"], 0);
        assert_eq!(friends.totals().await[3], "5", "the bonus has lapsed");
        // What is left can be spent, and no more; the others can be ended.
        assert_eq!(ask(bob, 13).await.code(), (402, "INSUFFICIENT_FUNDS"));
        friends.capture("2", &other, "bank 2").await.data(200);
        friends.capture("2", &third, "bank 3").await.data(200);
        ask(bob, 12).await.data(201);
        assert_eq!(friends.capture("2", &broken, "bank 4").await.code(), (500, "INTERNAL"));
    }
}
