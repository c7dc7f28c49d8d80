//! `fracti-admin verify-funds`, and `fracti-admin funds`.

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::{Failure, FundsCommand, Outcome, Waiting};
use serde_json::{Value, json};

use super::admin;
use crate::{
    funds::{DAY, Friends, paying::pay, sums},
    harness::Api,
};

type Row = std::collections::BTreeMap<String, AttributeValue>;

pub(super) async fn verified(api: &Api, user: Option<&str>) -> (Outcome, String) {
    let mut out = Vec::new();
    let user = user.map(|id| id.parse().unwrap());
    let mut admin = admin(api).at(api.app.clock.clone());
    let outcome = admin.verify_funds(user, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

async fn settle(friends: &Friends, amount: &str, more: Value) -> String {
    friends.settle(friends.bob(), pay(amount, &more)).await.id()
}

async fn confirm(friends: &Friends, id: &str) {
    friends.end(friends.alice(), id, "completed").await.data(200);
}

/// Funds of every kind. Bob has 42 of cash, with 4 waiting to be cashed out, 1 of credit, and 3
/// withheld of a bonus. Alice has cash, held cash and credit.
pub(super) async fn rich() -> Friends {
    let friends = Friends::new().await;
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "50", "bank 1").await;
    let credit = json!({ "fund": "credit", "currency": "EUR", "amount": 10, "refId": "gift" });
    dave.post("/api/users/2/funds/credits", credit).await.data(201);
    friends.bonus("2", "8", "2026-01-16T12:00:00Z").await;
    let first = settle(&friends, "17", json!({})).await;
    confirm(&friends, &first).await;
    let held = settle(&friends, "5", json!({ "holdUntil": "2026-01-20T12:00:00Z" })).await;
    confirm(&friends, &held).await;
    let debits = "/api/users/2/funds/debits";
    let cash_out = |amount: u32| {
        json!({ "type": "cashout", "currency": "EUR", "amount": amount,
        "to": "DE12 3456" })
    };
    bob.post("/api/users/me/funds/debits", cash_out(4)).await.data(201);
    let paid = bob.post("/api/users/me/funds/debits", cash_out(2)).await.id();
    friends.capture("2", &paid, "bank 2").await.data(200);
    let correction = json!({ "type": "correction", "fund": "cash", "currency": "EUR", "amount": 1,
        "refId": "error 1", "description": "Mistyped" });
    dave.post(debits, correction).await.data(201);
    friends.bonus("2", "7", "2026-01-16T12:00:00Z").await;
    settle(&friends, "3", json!({})).await;
    friends.group.api.pass(DAY);
    bob.post("/api/users/me/funds/check", json!({})).await.data(200);
    friends
}

/// Keys of Bob's or Alice's rows whose sort key begins like this and that have these attributes.
async fn row(api: &Api, user: &str, sort_key: &str, with: &[(&str, &str)]) -> (String, String) {
    let is_it = |key: &(String, String), row: &Row| {
        key.0 == format!("USER#{user}")
            && key.1.starts_with(sort_key)
            && with.iter().all(|(name, value)| {
                row.get(*name).is_some_and(|it| it == &AttributeValue::S((*value).to_owned()))
            })
    };
    let rows = api.rows().await;
    let found: Vec<_> = rows.iter().filter(|(key, row)| is_it(key, row)).collect();
    assert_eq!(found.len(), 1, "{user} {sort_key} {with:?}");
    found[0].0.clone()
}

/// Adds to a number of a row outside of the API.
async fn add(api: &Api, (pk, sk): &(String, String), name: &str, more: i64) {
    api.change_row(pk, sk, |row| {
        let number: i64 = row[name].as_n().unwrap().parse().unwrap();
        row.insert(name.to_owned(), AttributeValue::N((number + more).to_string()));
    })
    .await;
}

#[tokio::test]
async fn funds_of_every_kind_have_no_finding() {
    let friends = rich().await;
    let api = &friends.group.api;
    let before = api.rows().await;
    let good = (Outcome::Good, "2 users verified, 0 of them with a finding\n".to_owned());
    assert_eq!(verified(api, None).await, good);
    let one = (Outcome::Good, "1 user verified, 0 of them with a finding\n".to_owned());
    assert_eq!(verified(api, Some("2")).await, one);
    assert_eq!(api.rows().await, before, "it writes nothing");
    let empty = (Outcome::Good, "0 users verified, 0 of them with a finding\n".to_owned());
    assert_eq!(verified(&Api::new().await, None).await, empty);
}

#[tokio::test]
async fn each_planted_difference_is_found() {
    let friends = rich().await;
    let api = &friends.group.api;
    let good = api.rows().await;
    let received = [("type", "settlement"), ("status", "completed")];
    let top_up = [("type", "topup")];
    let total = ("FUNDS".to_owned(), "TOTAL#EUR".to_owned());
    for (what, key, change, expected) in [
        (
            "a balance off by one minor unit",
            row(api, "2", "FUND#CASH#EUR", &[]).await,
            Some(("balance", 1)),
            vec!["user 2: fund CASH#EUR has 42.01 EUR, but its transactions sum up to 42"],
        ),
        (
            "held cash off by one minor unit",
            row(api, "1", "FUND#HELD#", &[]).await,
            Some(("balance", -1)),
            vec!["user 1: fund HELD#", " has 4.99 EUR, but its transactions sum up to 5"],
        ),
        (
            "a lost side of a payment",
            row(api, "1", "FTX#", &received).await,
            None,
            vec![
                "user 1: fund CREDIT#EUR has 17 EUR, but its transactions sum up to 0",
                "of 17 EUR: its other side is missing",
            ],
        ),
        (
            "a missing transaction",
            row(api, "2", "FTX#", &top_up).await,
            None,
            vec![
                "user 2: fund CASH#EUR has 42 EUR, but its transactions sum up to -8",
                "all users: toppedUp in EUR: 49 by the sums, but -1 by the transactions",
            ],
        ),
        (
            "a lost fund",
            row(api, "2", "FUND#CREDIT#EUR", &[]).await,
            None,
            vec!["user 2: fund CREDIT#EUR has 0 EUR, but its transactions sum up to 1"],
        ),
        (
            "a total off by one minor unit",
            total,
            Some(("given", 1)),
            vec![
                "all users: given in EUR: 25.01 by the sums, but 25 by the transactions",
                "all users: credit and bonuses in EUR: 21.01 by the sums, but 21 by the funds",
            ],
        ),
    ] {
        match change {
            Some((name, more)) => add(api, &key, name, more).await,
            None => api.delete_row(&key.0, &key.1).await,
        }
        let (outcome, found) = verified(api, None).await;
        assert_eq!(outcome, Outcome::Bad, "{what}");
        for expected in expected {
            assert!(found.contains(expected), "{what}: {expected}: {found}");
        }
        let restored = good[&key].clone();
        api.change_row(&key.0, &key.1, |row| *row = restored).await;
    }
    assert_eq!(verified(api, None).await.0, Outcome::Good);
}

#[tokio::test]
async fn left_entries_and_unreadable_rows_are_findings_and_sums_need_all_users() {
    let friends = rich().await;
    let api = &friends.group.api;
    let asked = row(api, "2", "FTX#", &[("type", "cashout"), ("status", "authorised")]).await;
    let text = |text: &str| AttributeValue::S(text.to_owned());
    api.change_row(&asked.0, &asked.1, |row| drop(row.insert("status".to_owned(), text("voided"))))
        .await;
    let (outcome, found) = verified(api, Some("2")).await;
    assert_eq!(outcome, Outcome::Bad);
    let id = asked.1.trim_start_matches("FTX#");
    let left =
        format!("user 2: fund CASH#EUR: the pending entry of transaction {id} was left behind");
    assert!(found.contains(&left), "{found}");
    assert!(found.ends_with("1 user verified, 1 of them with a finding\n"), "{found}");

    api.change_row(&asked.0, &asked.1, |row| drop(row.insert("status".to_owned(), text("lost"))))
        .await;
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Bad);
    assert!(found.contains("user 2: "), "{found}");
    let end = "1 of them with a finding; the sums over all users could not be verified\n";
    assert!(found.ends_with(end), "{found}");
}

/// The command as it was typed by the operator, Dave, or another user.
fn waiting(transaction: &str, operator: &str) -> Waiting {
    Waiting {
        user: "2".parse().unwrap(),
        transaction: transaction.parse().unwrap(),
        operator: operator.parse().unwrap(),
    }
}

fn capture(transaction: &str, ref_id: &str, operator: &str) -> FundsCommand {
    FundsCommand::Capture {
        waiting: waiting(transaction, operator),
        ref_id: ref_id.parse().unwrap(),
    }
}

fn void(transaction: &str) -> FundsCommand {
    FundsCommand::Void { waiting: waiting(transaction, "4"), force: false }
}

pub(super) async fn run(api: &Api, command: &FundsCommand) -> Result<(Outcome, String), Failure> {
    let mut out = Vec::new();
    let mut admin = admin(api).at(api.app.clock.clone());
    let outcome = admin.funds(command, &["4".parse().unwrap()], &mut out).await?;
    Ok((outcome, String::from_utf8(out).unwrap()))
}

#[tokio::test]
async fn operators_end_what_waits_for_them() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let bob = friends.bob();
    friends.top_up("2", "30", "bank 1").await;
    let report = |amount: u32| {
        json!({ "fund": "cash", "currency": "EUR", "amount": amount,
        "description": "Rent of May" })
    };
    let reported = bob.post("/api/users/me/funds/credits", report(50)).await.id();
    let wrong = bob.post("/api/users/me/funds/credits", report(5)).await.id();
    let cash_out = json!({ "type": "cashout", "currency": "EUR", "amount": 8, "to": "DE12 3456" });
    let asked = bob.post("/api/users/me/funds/debits", cash_out).await.id();
    let lines = async |kind: Option<&str>| {
        let kind = kind.map(|kind| kind.parse().unwrap());
        let (outcome, list) = run(api, &FundsCommand::List { kind }).await.unwrap();
        assert_eq!(outcome, Outcome::Good);
        list.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let cashout =
        format!("2026-01-15T12:00:00.000Z user 2: cashout {asked} of 8 EUR, to DE12 3456");
    assert_eq!(lines(Some("cashout")).await, [&*cashout]);
    let all = lines(None).await;
    assert_eq!((all.len(), &all[2]), (3, &cashout));
    let end = "of 50 EUR, until 2026-01-22T12:00:00.000Z, \"Rent of May\"";
    let topup = format!("2026-01-15T12:00:00.000Z user 2: topup {reported} {end}");
    assert!(all.contains(&topup), "{all:?}");

    let before = api.rows().await;
    let refused = run(api, &capture(&reported, "bank 2", "2")).await.unwrap_err();
    assert_eq!(refused.to_string(), "--as must be one of OPERATOR_IDS, and 2 is not");
    let stranger = FundsCommand::Void { waiting: waiting(&reported, "3"), force: false };
    assert!(matches!(run(api, &stranger).await, Err(Failure::NotOperator(_))));
    assert_eq!(api.rows().await, before, "nothing is changed");

    let done = |kind: &str, id: &str, end: &str| {
        (Outcome::Good, format!("user 2: {kind} {id} of {end}\n"))
    };
    for _ in 0..2 {
        let captured = run(api, &capture(&reported, "bank 2", "4")).await.unwrap();
        assert_eq!(captured, done("topup", &reported, "50 EUR is completed"));
        let voided = run(api, &void(&wrong)).await.unwrap();
        assert_eq!(voided, done("topup", &wrong, "5 EUR is voided"));
        let paid = run(api, &capture(&asked, "bank 3", "4")).await.unwrap();
        assert_eq!(paid, done("cashout", &asked, "8 EUR is completed"));
    }
    assert_eq!(lines(None).await, [""; 0]);
    assert_eq!(sums(bob).await, ["72", "0", "0", "72"]);
    assert_eq!(friends.totals().await, ["80", "8", "0", "0", "72", "0"]);
    let row = bob.get(&format!("/api/users/me/funds/transactions/{reported}")).await;
    assert_eq!(row.data(200)["refId"], "bank 2");
    assert_eq!(row.data(200)["endedBy"], "4", "the command says who");

    for (command, why) in [
        (capture(&reported, "bank 4", "4"), "the transaction is already completed"),
        (capture(&wrong, "bank 4", "4"), "the transaction is already voided"),
        (void(&reported), "the transaction is already completed"),
    ] {
        let (outcome, text) = run(api, &command).await.unwrap();
        assert_eq!(outcome, Outcome::Bad);
        assert!(text.ends_with(&format!(": {why}\n")), "{text}");
    }
    assert_eq!(verified(api, None).await.0, Outcome::Good);
}

#[tokio::test]
async fn unreadable_row_hides_nothing_else_that_waits_for_an_operator() {
    let friends = Friends::new().await;
    let api = &friends.group.api;
    let bob = friends.bob();
    let dave = friends.dave();
    friends.top_up("2", "30", "bank 1").await;
    let report = |currency: &str| json!({ "fund": "cash", "currency": currency, "amount": 5 });
    let ask = |amount: u8| {
        json!({ "type": "cashout", "currency": "EUR", "amount": amount,
        "to": "DE12" })
    };
    let mut waiting = Vec::new();
    for (path, bodies) in
        [("credits", [report("EUR"), report("USD")]), ("debits", [ask(3), ask(4)])]
    {
        let path = format!("/api/users/me/funds/{path}");
        for body in bodies {
            waiting.push(bob.post(&path, body).await.id());
            api.pass(std::time::Duration::from_mins(1));
        }
    }
    let dollars = json!({ "fund": "cash", "currency": "USD", "amount": 7, "refId": "bank 2" });
    dave.post("/api/users/2/funds/credits", dollars).await.data(201);
    let lose = |row: &mut Row, name: &str| drop(row.remove(name));
    for broken in [&waiting[0], &waiting[2]] {
        api.change_row("USER#2", &format!("FTX#{broken}"), |row| lose(row, "status")).await;
    }
    api.change_row("FUNDS", "TOTAL#EUR", |row| lose(row, "currency")).await;

    for (kind, broken, left) in
        [("topup", &waiting[0], &waiting[1]), ("cashout", &waiting[2], &waiting[3])]
    {
        let list = dave.get(&format!("/api/funds/work?kind={kind}")).await;
        let ids: Vec<_> = list.data(200).as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!((ids, &list.body["unreadable"]), (vec![&json!(left)], &json!(1)));
        assert!(list.log.contains("FUNDS_MISMATCH") && list.log.contains(broken), "{}", list.log);
        let page = dave.get(&format!("/screens/funds/work?kind={kind}")).await;
        assert!(page.status == 200 && page.text.contains(left), "{}", page.text);
    }
    let totals = dave.get("/api/funds/totals").await;
    let seen = totals.data(200);
    let sums = seen["currencies"].as_array().unwrap();
    assert_eq!(
        (sums.len(), &sums[0]["currency"], &seen["unreadable"]),
        (1, &json!("USD"), &json!(1))
    );
    assert!(totals.log.contains("TOTAL#EUR"), "{}", totals.log);

    let (outcome, listed) = run(api, &FundsCommand::List { kind: None }).await.unwrap();
    assert_eq!(outcome, Outcome::Bad, "{listed}");
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!(lines.len(), 4, "{listed}");
    for (line, id) in lines.iter().zip([&waiting[0], &waiting[1], &waiting[2], &waiting[3]]) {
        assert!(line.contains(id.as_str()), "{id}: {listed}");
    }
    for line in [lines[0], lines[2]] {
        assert!(line.contains("the row USER#2 FTX#") && line.contains("cannot be read"));
    }
    // The keeper still sees for how long the other cash-out waits.
    let reports = fracti_keeper::keep(&api.table, &api.app.clock, None).await.unwrap();
    assert!(!reports.is_empty());
    // The sums are verified once the funds of all users are right.
    for broken in [&waiting[0], &waiting[2]] {
        let waits = AttributeValue::S("authorised".to_owned());
        let mend = |row: &mut Row| drop(row.insert("status".to_owned(), waits));
        api.change_row("USER#2", &format!("FTX#{broken}"), mend).await;
    }
    let (outcome, found) = verified(api, None).await;
    assert!(outcome == Outcome::Bad && found.contains("the row FUNDS TOTAL#EUR: "), "{found}");
}
