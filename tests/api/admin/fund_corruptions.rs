//! Rows of funds that something else than Fracti changed, added or deleted: what `fracti-admin
//! verify-funds` finds, as docs/operations.md lists it.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::Outcome;
use fracti_tests::database::TABLE;
use serde_json::json;

use super::funds::{rich, verified};
use crate::{
    funds::{Friends, paying::pay},
    harness::Api,
};

type Key = (String, String);
type Row = BTreeMap<String, AttributeValue>;
type Rows = BTreeMap<Key, Row>;

/// A change of one row.
struct Corruption {
    /// What the row is.
    of: &'static str,
    name: &'static str,
    key: Key,
    /// The row afterwards; `None` if it is deleted.
    after: Option<Row>,
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn number(number: i64) -> AttributeValue {
    AttributeValue::N(number.to_string())
}

fn map(value: &mut AttributeValue) -> &mut std::collections::HashMap<String, AttributeValue> {
    let AttributeValue::M(entries) = value else { unreachable!("{value:?} is no map") };
    entries
}

/// The times and ids that no row of the scene has.
const LATER: &str = "2027-06-01T00:00:00.000Z";
const NO_ID: &str = "019bc1f0-0000-7000-8000-000000000000";

/// Rows of every kind: those of [`rich`], a report, a captured one, a bonus from which something is
/// left, a payment that failed and one that expired.
async fn scene() -> Friends {
    let friends = Friends::again(&rich().await);
    let alice = friends.alice();
    let bob = friends.bob();
    friends.bonus("2", "11", "2026-12-01T12:00:00Z").await;
    let used = friends.settle(bob, pay("2", &json!({}))).await.id();
    friends.end(alice, &used, "completed").await.data(200);
    let failed = friends.settle(bob, pay("1", &json!({}))).await.id();
    friends.end(alice, &failed, "failed").await.data(200);
    let report = json!({ "fund": "cash", "currency": "EUR", "amount": 9 });
    let credits = "/api/users/me/funds/credits";
    let reported = bob.post(credits, report.clone()).await.id();
    friends.capture("2", &reported, "bank 9").await.data(200);
    bob.post(credits, report).await.data(201);
    // An entry without its transaction may wait for it for a minute.
    friends.group.api.pass(Duration::from_mins(2));
    friends
}

/// The rows of the scene, each the first with these attributes, and its corruptions.
struct Of<'a> {
    rows: &'a Rows,
    all: Vec<Corruption>,
}

impl Of<'_> {
    fn row(&self, kind: &str, is: impl Fn(&Row) -> bool) -> (Key, Row) {
        let of_kind = |row: &Row| row.get("kind") == Some(&text(kind));
        let found = self.rows.iter().find(|(_, row)| of_kind(row) && is(row));
        let (key, row) = found.unwrap();
        (key.clone(), row.clone())
    }

    fn fund(&self, fund: &str) -> (Key, Row) {
        let owner = if fund == "held" { "USER#1" } else { "USER#2" };
        let lapses_late = |row: &Row| row["until"].as_s().unwrap().starts_with("2026-12");
        self.row("fund", |row| {
            row["fund"] == text(fund)
                && row["PK"] == text(owner)
                && (fund != "bonus" || lapses_late(row))
        })
    }

    fn transaction(&self, with: &[(&str, &str)], without: &[&str]) -> (Key, Row) {
        self.row("fundTransaction", |row| {
            with.iter().all(|(name, value)| row.get(*name) == Some(&text(value)))
                && without.iter().all(|name| !row.contains_key(*name))
        })
    }

    fn settlement(&self, status: &str, with: &str, without: &str) -> (Key, Row) {
        self.row("settlement", |row| {
            row["status"] == text(status) && row.contains_key(with) && !row.contains_key(without)
        })
    }

    fn deleted(&mut self, of: &'static str, (key, _): &(Key, Row)) {
        self.all.push(Corruption { of, name: "deleted", key: key.clone(), after: None });
    }

    fn changed(
        &mut self,
        of: &'static str,
        name: &'static str,
        (key, row): &(Key, Row),
        change: impl FnOnce(&mut Row),
    ) {
        let mut row = row.clone();
        change(&mut row);
        self.all.push(Corruption { of, name, key: key.clone(), after: Some(row) });
    }

    /// An attribute gets another value, or loses it.
    fn set(
        &mut self,
        of: &'static str,
        name: &'static str,
        row: &(Key, Row),
        values: &[(&str, Option<AttributeValue>)],
    ) {
        self.changed(of, name, row, |row| {
            for (name, value) in values {
                match value {
                    Some(value) => drop(row.insert((*name).to_owned(), value.clone())),
                    None => assert!(row.remove(*name).is_some(), "{name}"),
                }
            }
        });
    }
}

/// What may happen to every row of funds: its key, its kind and its indexes no longer agree with
/// it.
fn of_any(of: &mut Of<'_>, name: &'static str, row: &(Key, Row)) {
    of.set(name, "`kind` removed", row, &[("kind", None)]);
    of.set(name, "`kind` changed", row, &[("kind", Some(text("usage")))]);
    of.set(name, "`formatVersion` removed", row, &[("formatVersion", None)]);
    of.set(name, "`formatVersion` of a later Fracti", row, &[("formatVersion", Some(number(99)))]);
    of.set(name, "`owner` changed", row, &[("owner", Some(text("9")))]);
    of.set(name, "`currency` changed", row, &[("currency", Some(text("USD")))]);
}

fn of_cash(of: &mut Of<'_>) {
    let name = "cash";
    let cash = of.fund("cash");
    of_any(of, name, &cash);
    of.deleted(name, &cash);
    of.set(name, "`balance` changed", &cash, &[("balance", Some(number(1)))]);
    of.set(name, "`balance` negative", &cash, &[("balance", Some(number(-1)))]);
    of.set(name, "unreadable", &cash, &[("version", None)]);
    of.set(name, "`version` zero", &cash, &[("version", Some(number(0)))]);
    of.set(name, "`fund` changed", &cash, &[("fund", Some(text("credit")))]);
    of.set(name, "`until` added", &cash, &[("until", Some(text(LATER)))]);
    let due = [("GSI3PK", Some(text("DUE#MONEY"))), ("GSI3SK", Some(text(LATER)))];
    of.set(name, "attributes of an index added", &cash, &due);
    let first = |row: &Row| {
        let mut pending = row["pending"].clone();
        map(&mut pending).keys().next().unwrap().clone()
    };
    let id = first(&cash.1);
    let entry = |row: &mut Row, change: &dyn Fn(&mut AttributeValue)| {
        change(map(row.get_mut("pending").unwrap()).get_mut(&id).unwrap());
    };
    of.changed(name, "an entry of `pending` removed", &cash, |row| {
        map(row.get_mut("pending").unwrap()).remove(&id);
    });
    of.changed(name, "the amount of an entry changed", &cash, |row| {
        entry(row, &|it| drop(map(it).insert("amount".to_owned(), number(7))));
    });
    of.changed(name, "the direction of an entry changed", &cash, |row| {
        let other = |flow: &AttributeValue| if *flow == text("debit") { "credit" } else { "debit" };
        entry(row, &|it| {
            let flow = text(other(&map(it)["flow"]));
            map(it).insert("flow".to_owned(), flow);
        });
    });
    of.changed(name, "an entry added", &cash, |row| {
        let pending = map(row.get_mut("pending").unwrap());
        let entry = pending[&id].clone();
        pending.insert(NO_ID.to_owned(), entry);
    });
    let name = "credit";
    let credit = of.fund("credit");
    of.deleted(name, &credit);
    of.set(name, "`balance` changed", &credit, &[("balance", Some(number(1)))]);
    of.set(name, "`accepts` added", &credit, &[("accepts", Some(AttributeValue::Bool(true)))]);
    of.set(name, "`bonus` added", &credit, &[("bonus", of.fund("bonus").1.get("bonus").cloned())]);
}

fn of_bonus(of: &mut Of<'_>) {
    let name = "bonus";
    let bonus = of.fund("bonus");
    let position = |at: &str| Some(text(&format!("{at}#{}", bonus.1["id"].as_s().unwrap())));
    of_any(of, name, &bonus);
    of.deleted(name, &bonus);
    of.set(name, "`balance` changed", &bonus, &[("balance", Some(number(1)))]);
    of.set(name, "`id` changed", &bonus, &[("id", Some(text(NO_ID)))]);
    let until = [("until", Some(text(LATER)))];
    of.set(name, "`until` changed", &bonus, &until);
    let due = [("dueAt", Some(text(LATER))), ("GSI3SK", position(LATER))];
    let until = [until.to_vec(), due.to_vec()].concat();
    of.set(name, "`until` changed with `dueAt` and the index", &bonus, &until);
    of.set(name, "`until` removed", &bonus, &[("until", None)]);
    let due = [("GSI3PK", None), ("GSI3SK", None), ("dueAt", None)];
    of.set(name, "`dueAt` removed with the index", &bonus, &due);
    let at = "2026-12-03T12:00:00.000Z";
    let due = [("dueAt", Some(text(at))), ("GSI3SK", position(at))];
    of.set(name, "`dueAt` days late", &bonus, &due);
    let at = "2026-01-20T12:00:00.000Z";
    let due = [("dueAt", Some(text(at))), ("GSI3SK", position(at))];
    of.set(name, "`dueAt` early", &bonus, &due);
    of.set(name, "`GSI3PK` removed", &bonus, &[("GSI3PK", None)]);
    of.set(name, "`GSI3PK` changed", &bonus, &[("GSI3PK", Some(text("DUE#X")))]);
    of.set(name, "`GSI3SK` changed", &bonus, &[("GSI3SK", Some(text("x")))]);
    of.set(name, "`bonus` removed", &bonus, &[("bonus", None)]);
    let terms = |row: &mut Row, attribute: &str, value: AttributeValue| {
        map(row.get_mut("bonus").unwrap()).insert(attribute.to_owned(), value);
    };
    of.changed(name, "`awarded` changed", &bonus, |row| terms(row, "awarded", number(1)));
    of.changed(name, "`givenBy` changed", &bonus, |row| terms(row, "givenBy", text("3")));
    of.changed(name, "`note` added", &bonus, |row| terms(row, "note", text("Welcome")));
    of.changed(name, "`usage` emptied", &bonus, |row| {
        terms(row, "usage", AttributeValue::M([].into()));
    });
    of.changed(name, "an amount of `usage` changed", &bonus, |row| {
        let usage = map(map(row.get_mut("bonus").unwrap()).get_mut("usage").unwrap());
        for amount in usage.values_mut() {
            *amount = number(1);
        }
    });
    of.changed(name, "`usedEarlier` changed", &bonus, |row| terms(row, "usedEarlier", number(1)));
    let name = "held cash";
    let held = of.fund("held");
    let position = |at: &str| Some(text(&format!("{at}#{}", held.1["id"].as_s().unwrap())));
    of.deleted(name, &held);
    of.set(name, "`balance` changed", &held, &[("balance", Some(number(1)))]);
    let until =
        [("until", Some(text(LATER))), ("dueAt", Some(text(LATER))), ("GSI3SK", position(LATER))];
    of.set(name, "`until` changed with `dueAt` and the index", &held, &until);
    let due = [("GSI3PK", None), ("GSI3SK", None), ("dueAt", None)];
    of.set(name, "`dueAt` removed with the index", &held, &due);
    of.set(name, "`GSI3SK` removed", &held, &[("GSI3SK", None)]);
    for (damage, attribute, value) in [
        ("`fromUserId` changed", "fromUserId", "3"),
        ("`settlementId` changed", "settlementId", NO_ID),
    ] {
        of.changed(name, damage, &held, |row| {
            map(row.get_mut("held").unwrap()).insert(attribute.to_owned(), text(value));
        });
    }
    of.set(name, "`held` removed", &held, &[("held", None)]);
}

/// Transactions that an operator ends or ended, and those that give.
fn of_work(of: &mut Of<'_>) {
    let is = |kind: &'static str, status: &'static str| [("type", kind), ("status", status)];
    let name = "report";
    let report = of.transaction(&is("topup", "authorised"), &[]);
    let position = |at: &str| Some(text(&format!("{at}#{}", report.1["id"].as_s().unwrap())));
    of_any(of, name, &report);
    of.deleted(name, &report);
    let amount = [("amount", Some(number(7))), ("cashAmount", Some(number(7)))];
    of.set(name, "amount changed", &report, &amount);
    of.set(name, "`GSI1PK` removed", &report, &[("GSI1PK", None)]);
    of.set(name, "`GSI1SK` changed", &report, &[("GSI1SK", Some(text("x")))]);
    of.set(name, "`GSI3PK` removed", &report, &[("GSI3PK", None)]);
    let end = [
        ("expiresAt", Some(text(LATER))),
        ("dueAt", Some(text(LATER))),
        ("GSI3SK", position(LATER)),
    ];
    of.set(name, "`expiresAt` changed with `dueAt` and the index", &report, &end);
    let end = [("expiresAt", None), ("dueAt", None), ("GSI3PK", None), ("GSI3SK", None)];
    of.set(name, "`expiresAt` removed with `dueAt` and the index", &report, &end);
    of.set(name, "`createdAt` changed", &report, &[("createdAt", Some(text(LATER)))]);
    of.set(name, "`status` set to `completed`", &report, &[("status", Some(text("completed")))]);
    of.set(name, "`status` set to `voided`", &report, &[("status", Some(text("voided")))]);
    of.set(name, "`type` changed", &report, &[("type", Some(text("credit")))]);
    of.set(name, "`refId` added", &report, &[("refId", Some(text("bank 1")))]);
    of.set(name, "`endedAt` added", &report, &[("endedAt", Some(text(LATER)))]);
    let name = "cash-out";
    let asked = of.transaction(&is("cashout", "authorised"), &[]);
    of.deleted(name, &asked);
    of.set(name, "`GSI1PK` removed", &asked, &[("GSI1PK", None)]);
    of.set(name, "`expiresAt` added", &asked, &[("expiresAt", Some(text(LATER)))]);
    of.set(name, "`fundFlow` changed", &asked, &[("fundFlow", Some(text("credit")))]);
    let name = "paid cash-out";
    let paid = of.transaction(&is("cashout", "completed"), &[]);
    let waiting =
        [("GSI1PK", asked.1.get("GSI1PK").cloned()), ("GSI1SK", asked.1.get("GSI1SK").cloned())];
    of.set(name, "put back among those that wait", &paid, &waiting);
    of.set(name, "`refId` removed", &paid, &[("refId", None)]);
    of.set(name, "`endedAt` removed", &paid, &[("endedAt", None)]);
    let name = "top-up";
    let topped = of.transaction(&is("topup", "completed"), &["expiresAt"]);
    of.deleted(name, &topped);
    let amount = [("amount", Some(number(7))), ("cashAmount", Some(number(7)))];
    of.set(name, "amount changed", &topped, &amount);
    of.set(name, "`amount` changed alone", &topped, &[("amount", Some(number(7)))]);
    of.set(name, "`cashAmount` negative", &topped, &[("cashAmount", Some(number(-7)))]);
    let parts =
        [("cashAmount", Some(number(0))), ("creditAmount", topped.1.get("amount").cloned())];
    of.set(name, "its cash changed to credit", &topped, &parts);
    of.set(name, "`refId` changed", &topped, &[("refId", Some(text("bank 77")))]);
    of.set(name, "`status` set to `expired`", &topped, &[("status", Some(text("expired")))]);
    of.set(name, "`settlementId` added", &topped, &[("settlementId", Some(text(NO_ID)))]);
    let captured = of.row("fundTransaction", |row| {
        row.contains_key("expiresAt") && row["type"] == text("topup") && row.contains_key("endedAt")
    });
    of.set(
        "captured report",
        "`expiresAt` changed",
        &captured,
        &[("expiresAt", Some(text(LATER)))],
    );
    of.set("captured report", "`dueAt` added", &captured, &[("dueAt", Some(text(LATER)))]);
    let kinds = [("credit", "credit given"), ("correction", "correction"), ("lapse", "lapse")];
    for (kind, name) in kinds {
        let row = of.transaction(&is(kind, "completed"), &[]);
        of.deleted(name, &row);
        of.set(name, "`status` set to `voided`", &row, &[("status", Some(text("voided")))]);
    }
    let id = of.fund("bonus").1["id"].clone();
    let given = of.row("fundTransaction", |row| row["id"] == id);
    let name = "bonus given";
    of.deleted(name, &given);
    of.set(name, "`expiresAt` changed", &given, &[("expiresAt", Some(text(LATER)))]);
    of.changed(name, "`bonusUsage` of another bonus", &given, |row| {
        let usage = map(row.get_mut("bonusUsage").unwrap());
        let amount = usage.drain().next().unwrap().1;
        usage.insert(NO_ID.to_owned(), amount);
    });
}

/// Both sides of payments.
fn of_payments(of: &mut Of<'_>) {
    let is = |flow: &'static str, status: &'static str| {
        [("type", "settlement"), ("fundFlow", flow), ("status", status)]
    };
    let name = "hold";
    let hold = of.transaction(&is("debit", "authorised"), &[]);
    let position = |at: &str| Some(text(&format!("{at}#{}", hold.1["id"].as_s().unwrap())));
    of_any(of, name, &hold);
    of.deleted(name, &hold);
    of.set(name, "`amount` changed alone", &hold, &[("amount", Some(number(1)))]);
    of.set(name, "`GSI3PK` removed", &hold, &[("GSI3PK", None)]);
    let end = [
        ("expiresAt", Some(text(LATER))),
        ("dueAt", Some(text(LATER))),
        ("GSI3SK", position(LATER)),
    ];
    of.set(name, "`expiresAt` changed with `dueAt` and the index", &hold, &end);
    of.set(name, "`groupId` changed", &hold, &[("groupId", Some(text(NO_ID)))]);
    of.set(name, "`settlementId` changed", &hold, &[("settlementId", Some(text(NO_ID)))]);
    of.set(name, "`settlementId` removed", &hold, &[("settlementId", None)]);
    of.set(name, "`otherUserId` changed", &hold, &[("otherUserId", Some(text("3")))]);
    of.set(name, "`otherId` added", &hold, &[("otherId", Some(text(NO_ID)))]);
    of.set(name, "`status` set to `completed`", &hold, &[("status", Some(text("completed")))]);
    let name = "payment";
    let paid = of.transaction(&is("debit", "completed"), &[]);
    of.deleted(name, &paid);
    of.set(name, "`otherId` changed", &paid, &[("otherId", Some(text(NO_ID)))]);
    of.set(name, "`endedAt` changed", &paid, &[("endedAt", Some(text(LATER)))]);
    of.set(name, "`status` set to `authorised`", &paid, &[("status", Some(text("authorised")))]);
    let name = "receipt of a payment";
    let got = of.transaction(&is("credit", "completed"), &[]);
    of_any(of, name, &got);
    of.deleted(name, &got);
    let more = |name| Some(number(got.1[name].as_n().unwrap().parse::<i64>().unwrap() + 1));
    let amount = [("amount", more("amount")), ("creditAmount", more("creditAmount"))];
    of.set(name, "amount changed", &got, &amount);
    let name = "receipt of held cash";
    let held = of.transaction(&is("credit", "held"), &[]);
    of.deleted(name, &held);
    of.set(name, "`heldUntil` changed", &held, &[("heldUntil", Some(text(LATER)))]);
    of.set(name, "`heldUntil` removed", &held, &[("heldUntil", None)]);
    of.set(name, "`status` set to `completed`", &held, &[("status", Some(text("completed")))]);
    let name = "failed payment";
    let failed = of.transaction(&is("debit", "voided"), &[]);
    of.set(name, "`status` set to `authorised`", &failed, &[("status", Some(text("authorised")))]);
    of.set(name, "`status` set to `expired`", &failed, &[("status", Some(text("expired")))]);
}

/// Settlements that funds pay, references, and sums over all users.
fn of_others(of: &mut Of<'_>) {
    let name = "pending settlement";
    let pending = of.settlement("pending", "funds", "x");
    of.deleted(name, &pending);
    of.set(name, "unreadable", &pending, &[("status", None)]);
    of.set(name, "`funds` removed", &pending, &[("funds", None)]);
    of.set(name, "`amount` changed", &pending, &[("amount", Some(number(99)))]);
    of.set(name, "`currency` changed", &pending, &[("currency", Some(text("USD")))]);
    of.set(name, "`external` added", &pending, &[("external", Some(number(1)))]);
    of.set(name, "`fromUserId` changed", &pending, &[("fromUserId", Some(text("3")))]);
    of.set(name, "`toUserId` changed", &pending, &[("toUserId", Some(text("3")))]);
    of.set(name, "`status` set to `failed`", &pending, &[("status", Some(text("failed")))]);
    of.set(name, "`status` set to `completed`", &pending, &[("status", Some(text("completed")))]);
    for (damage, attribute, value) in [
        ("`funds.amount` changed", "amount", number(1)),
        ("`funds.cash` changed", "cash", number(1)),
        ("`funds.transactionId` changed", "transactionId", text(NO_ID)),
        ("`funds.expiresAt` changed", "expiresAt", text(LATER)),
    ] {
        of.changed(name, damage, &pending, |row| {
            map(row.get_mut("funds").unwrap()).insert(attribute.to_owned(), value);
        });
    }
    let name = "completed settlement";
    let paid = of.settlement("completed", "funds", "holdUntil");
    of.deleted(name, &paid);
    of.set(name, "`funds` removed", &paid, &[("funds", None)]);
    of.set(name, "`status` set to `pending`", &paid, &[("status", Some(text("pending")))]);
    of.set(name, "`completedAt` changed", &paid, &[("completedAt", Some(text(LATER)))]);
    of.set(name, "`holdUntil` added", &paid, &[("holdUntil", Some(text(LATER)))]);
    let held = of.settlement("completed", "holdUntil", "x");
    of.set(name, "`holdUntil` removed", &held, &[("holdUntil", None)]);
    let failed = of.settlement("failed", "funds", "x");
    let expired = [("expired", Some(AttributeValue::Bool(true)))];
    of.set("failed settlement", "`expired` added", &failed, &expired);
    let name = "reference";
    let reference = of.row("fundReference", |_| true);
    of.deleted(name, &reference);
    of.set(name, "unreadable", &reference, &[("transactionId", None)]);
    of.set(name, "`transactionId` changed", &reference, &[("transactionId", Some(text(NO_ID)))]);
    of.set(name, "`owner` changed", &reference, &[("owner", Some(text("1")))]);
    of.set(name, "`refId` changed", &reference, &[("refId", Some(text("other")))]);
    let added = (("FREF#0".to_owned(), "FTX".to_owned()), reference.1.clone());
    of.set(name, "added", &added, &[("PK", Some(text("FREF#0")))]);
    let name = "what waits";
    let queue = of.row("fundQueue", |_| true);
    of.deleted(name, &queue);
    of.set(name, "`owner` changed", &queue, &[("owner", Some(text("9")))]);
    of.set(name, "`waiting` emptied", &queue, &[("waiting", Some(AttributeValue::L(vec![])))]);
    let name = "sum over all users";
    let total = of.row("fundTotal", |_| true);
    of.deleted(name, &total);
    of.set(name, "a counter changed", &total, &[("given", Some(number(1)))]);
    of.set(name, "a counter removed", &total, &[("toppedUp", None)]);
    of.set(name, "`currency` changed", &total, &[("currency", Some(text("USD")))]);
    of.set(name, "unreadable", &total, &[("currency", None)]);
}

fn corruptions(rows: &Rows) -> Vec<Corruption> {
    let mut of = Of { rows, all: Vec::new() };
    for add in [of_cash, of_bonus, of_work, of_payments, of_others] {
        add(&mut of);
    }
    of.all
}

async fn put(api: &Api, row: Row) {
    let put = api.client.put_item().table_name(TABLE);
    put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
}

#[tokio::test]
async fn each_corruption_of_funds_is_found() {
    let friends = scene().await;
    let api = &friends.group.api;
    let right = api.rows().await;
    let (outcome, found) = verified(api, None).await;
    assert_eq!(outcome, Outcome::Good, "nothing is found without a corruption: {found}");
    let all = corruptions(&right);
    assert!(all.len() >= 70, "{}", all.len());
    let mut wrong = Vec::new();
    for Corruption { of, name, key, after } in &all {
        match after {
            None => api.delete_row(&key.0, &key.1).await,
            Some(row) => put(api, row.clone()).await,
        }
        let (outcome, found) = verified(api, None).await;
        let lines: Vec<_> = found.lines().collect();
        if outcome != Outcome::Bad || lines.len() < 2 {
            wrong.push(format!("{of}, {name}: {outcome:?}: {found}"));
        }
        match right.get(key) {
            Some(row) => put(api, row.clone()).await,
            None => api.delete_row(&key.0, &key.1).await,
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
    assert_eq!(api.rows().await, right);
    assert_eq!(verified(api, None).await.0, Outcome::Good);

    // docs/operations.md has the same list.
    let mut damages: Vec<(&str, Vec<&str>)> = Vec::new();
    for Corruption { of, name, .. } in &all {
        match damages.iter_mut().find(|(row, _)| row == of) {
            Some((_, names)) => names.push(name),
            None => damages.push((of, vec![name])),
        }
    }
    let rows = damages.iter().map(|(of, names)| format!("| {of} | {} |\n", names.join("; ")));
    let table = format!("| row | damage |\n|---|---|\n{}", rows.collect::<String>());
    let guide = include_str!("../../../docs/operations.md");
    assert!(guide.contains(&table), "docs/operations.md should have\n{table}");
}
