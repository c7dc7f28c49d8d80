//! Rows that something else than Fracti changed, added or deleted: what `fracti-admin verify`
//! finds, and what `fracti-admin repair` mends.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_admin::{Outcome, RepairOptions};
use fracti_tests::{database::TABLE, operations::text_for};
use serde_json::{Value, json};

use Fate::{Lost, Mended};

use super::{admin, file};
use crate::{
    export::exported,
    harness::{Api, Caller, Group},
};

type Key = (String, String);
type Row = BTreeMap<String, AttributeValue>;
type Rows = BTreeMap<Key, Row>;

/// What becomes of a corruption.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// `verify` finds it, and `repair` restores the row.
    Mended,
    /// `verify` finds it, and nothing tells how the row was.
    Lost,
}

/// A change of one row.
struct Corruption {
    name: &'static str,
    /// The row.
    key: Key,
    /// The row afterwards; `None` if it is deleted.
    after: Option<Row>,
    fate: Fate,
    /// What the finding names, if it is not the row.
    named: Option<String>,
}

fn text(text: &str) -> AttributeValue {
    AttributeValue::S(text.to_owned())
}

fn number(number: &str) -> AttributeValue {
    AttributeValue::N(number.to_owned())
}

fn map<'a>(value: &'a mut AttributeValue, name: &str) -> &'a mut AttributeValue {
    let entries = if let AttributeValue::M(entries) = value { Some(entries) } else { None };
    entries.unwrap().get_mut(name).unwrap()
}

/// A group with rows of every kind, over several days.
async fn rich() -> Group {
    let mut group = Group::new(4, "EUR").await;
    let alice = &group.members[0];
    let grandma = group.guest(0, "Grandma").await;
    let grandpa = group.guest(0, "Grandpa").await;
    let shares = |ids: &[&str]| -> Value {
        ids.iter().map(|id| json!({ "userId": id })).collect::<Vec<_>>().into()
    };
    let payers = json!([{ "userId": "1", "amount": 40 }, { "userId": "2", "amount": 20 }]);
    let dinner = json!({ "amount": 60, "payers": payers, "category": "food" });
    group.spend(0, dinner).await;
    let splits = shares(&["1", &grandma, &grandpa]);
    group.spend(0, json!({ "amount": 31, "splits": splits, "currency": "USD" })).await;
    let edited = group.spend(1, json!({ "amount": 18, "category": "transport" })).await;
    let deleted = group.spend(0, json!({ "amount": 7 })).await;
    let restored = group.spend(0, json!({ "amount": -5 })).await;
    let change = |user: &str, amount: i64| json!({ "userId": user, "amount": amount });
    let push = json!([
        { "entryId": "opening", "changes": [change("1", 3), change("2", -3)] },
        { "entryId": "mistake", "changes": [change("3", 9), change("4", -9)] },
    ]);
    alice.post(&group.path("/ledger/entries"), push).await.data(200);

    pass(&mut group, 1);
    let [alice, bob] = [0, 1].map(|index| &group.members[index]);
    let path = |id: &Value| group.path(&format!("/expenses/{}", id["id"].as_str().unwrap()));
    bob.put(&path(&edited), json!({ "amount": 24 })).await.data(200);
    alice.delete(&path(&deleted)).await.data(200);
    alice.delete(&path(&restored)).await.data(200);
    alice.post(&format!("{}/restore", path(&restored)), json!({})).await.data(200);
    group.link(&grandma, "2").await.data(200);
    let revert = group.path("/ledger/entries/revert");
    alice.post(&revert, json!(["mistake"])).await.data(200);

    let rent = json!({ "expense": { "amount": 9, "description": "Rent" },
        "repeat": { "every": "month", "start": "2026-07-31" } });
    group.members[0].post(&group.path("/schedules"), rent).await.data(201);
    let asked = group.members[0].post(&group.path("/questions"), text_for(["2", "3"])).await;
    let answers = group.path(&format!("/questions/{}/answers", asked.id()));
    group.members[1].post(&answers, json!({ "answer": "At noon" })).await.data(201);

    pass(&mut group, 1);
    group.pay(2, 0, "4").await;
    settlements(&group, &group.members[1]).await;

    pass(&mut group, 1);
    import(&group).await;

    pass(&mut group, 2);
    let push: Vec<_> = (1..=60)
        .map(|it| {
            json!({ "entryId": format!("number {it}"),
            "changes": [change("1", it), change("4", -it)] })
        })
        .collect();
    let pushed = group.members[0].post(&group.path("/ledger/entries"), json!(push)).await;
    assert_eq!(pushed.data(200)["nonApplied"], json!([]));
    group.spend(2, json!({ "amount": 11 })).await;
    pass(&mut group, 1);
    group.spend(0, json!({ "amount": 11 })).await;
    group
}

/// Lets days pass. The members sign in again.
fn pass(group: &mut Group, days: u32) {
    group.api.pass(days * Duration::from_hours(24));
    for (id, member) in (1..).zip(&mut group.members) {
        *member = group.api.user(id, &member.user.name);
    }
}

/// Settlements to A: a pending one, one that is completed and has a hash, and one that has failed.
async fn settlements(group: &Group, by: &Caller) {
    let path = group.path("/settlements");
    for (amount, digit, status) in
        [(1, "a", None), (2, "b", Some("completed")), (3, "c", Some("failed"))]
    {
        let new = json!({ "toId": "1", "amount": amount, "txHash": digit.repeat(64) });
        let made = by.post(&path, new).await;
        let path = format!("{path}/{}", made.data(201)["id"].as_str().unwrap());
        if let Some(status) = status {
            group.members[0].put(&path, json!({ "status": status })).await.data(200);
        }
    }
}

/// Imports an expense and a pending settlement of another group.
async fn import(group: &Group) {
    let source = Group::of(&group.api, 2, "EUR").await;
    source.spend(0, json!({ "amount": 8 })).await;
    let new = json!({ "toId": "1", "amount": 1 });
    source.members[1].post(&source.path("/settlements"), new).await.data(201);
    let alice = &group.members[0];
    let file = exported(alice, &source.id, 10).await.to_string();
    let options = json!({ "members": { "A": "1", "B": "2" }, "commit": true });
    let form = json!({ "file": file, "options": options });
    let done = alice.post(&group.path("/import"), form).await;
    assert_eq!(done.data(200)["status"], "done");
}

async fn verify(group: &Group) -> (Outcome, String) {
    let mut out = Vec::new();
    let mut admin = admin(&group.api).at(group.api.app.clock.clone());
    let outcome = admin.verify(Some(group.id.parse().unwrap()), &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

async fn repair(group: &Group, yes: bool, report: Option<PathBuf>) -> (Outcome, String) {
    let mut out = Vec::new();
    let mut admin = admin(&group.api).at(group.api.app.clock.clone());
    let options = RepairOptions { group: Some(group.id.parse().unwrap()), yes, report };
    let outcome = admin.repair(&options, &mut out).await.unwrap();
    (outcome, String::from_utf8(out).unwrap())
}

async fn put(api: &Api, row: Row) {
    let put = api.client.put_item().table_name(TABLE);
    put.set_item(Some(row.into_iter().collect())).send().await.unwrap();
}

/// Makes the table as it was.
async fn restore(api: &Api, right: &Rows) {
    let now = api.rows().await;
    for (key, row) in right.iter().filter(|(key, row)| now.get(*key) != Some(*row)) {
        put(api, row.clone()).await;
        assert_eq!((&row["PK"], &row["SK"]), (&text(&key.0), &text(&key.1)));
    }
    for (pk, sk) in now.keys().filter(|key| !right.contains_key(*key)) {
        api.delete_row(pk, sk).await;
    }
}

/// The rows without their stamps: versions, times of tallies, and what a past ledger has that does
/// not follow from entries.
fn unstamped(rows: &Rows, mended: &Key) -> Rows {
    let mut rows = rows.clone();
    for (key, row) in &mut rows {
        let is_of = |prefix: &str| key.1.starts_with(prefix);
        if is_of("BALANCE") || is_of("USER#") {
            row.remove("version");
        }
        if is_of("SPENT#") {
            row.remove("updatedAt");
        }
        if key == mended && (is_of("DAY#") || is_of("CHECKPOINT#") || is_of("BALANCE")) {
            row.remove("version");
            row.remove("presence");
        }
    }
    rows
}

/// The rows of a group, and how to name one.
struct Of<'a> {
    rows: &'a Rows,
    group: &'a Group,
}

impl Of<'_> {
    /// The first row of a kind of the group, that fulfils a condition.
    fn row(&self, kind: &str, is: impl Fn(&Row) -> bool) -> (Key, Row) {
        let own = |key: &Key| key.0.contains(&self.group.id) || key.0.starts_with("TXHASH#");
        let of_kind = |row: &Row| row.get("kind") == Some(&text(kind));
        let found = self.rows.iter().find(|(key, row)| own(key) && of_kind(row) && is(row));
        let (key, row) = found.unwrap();
        (key.clone(), row.clone())
    }

    fn entry(&self, status: &str, ref_type: &str) -> (Key, Row) {
        let is = |name: &str, value: &str, row: &Row| row.get(name) == Some(&text(value));
        self.row("entry", |row| is("status", status, row) && is("refType", ref_type, row))
    }
}

fn deleted(name: &'static str, (key, _): (Key, Row), fate: Fate) -> Corruption {
    Corruption { name, key, after: None, fate, named: None }
}

fn changed(
    name: &'static str,
    (key, mut row): (Key, Row),
    change: impl FnOnce(&mut Row),
    fate: Fate,
) -> Corruption {
    change(&mut row);
    Corruption { name, key, after: Some(row), fate, named: None }
}

/// A copy of a row at another sort key.
fn copied(
    name: &'static str,
    (mut key, mut row): (Key, Row),
    sk: &str,
    change: impl FnOnce(&mut Row),
    fate: Fate,
) -> Corruption {
    sk.clone_into(&mut key.1);
    row.insert("SK".to_owned(), text(sk));
    change(&mut row);
    Corruption { name, key, after: Some(row), fate, named: None }
}

fn set(name: &str, value: AttributeValue) -> impl FnOnce(&mut Row) {
    let name = name.to_owned();
    move |row| drop(row.insert(name, value))
}

fn without(name: &'static str) -> impl FnOnce(&mut Row) {
    move |row| assert!(row.remove(name).is_some(), "{name}")
}

/// An id that no row has.
const NO_ID: &str = "019bc1f0-0000-7000-8000-000000000000";

fn of_expenses(of: &Of<'_>) -> Vec<Corruption> {
    let any = |_: &Row| true;
    let paid_by_two = |row: &Row| row.contains_key("payers");
    let edited = |row: &Row| row.contains_key("updatedAt");
    let expense = || of.row("expense", paid_by_two);
    let participant = || of.row("participant", any);
    let payer = || of.row("payer", any);
    vec![
        deleted("expense deleted", expense(), Lost),
        changed("expense: amount", expense(), set("amount", number("61")), Lost),
        changed("expense: payerId", expense(), set("payerId", text("3")), Lost),
        changed("expense: splits deleted", expense(), without("splits"), Lost),
        changed("expense: GSI2PK deleted", expense(), without("GSI2PK"), Mended),
        changed("expense: GSI2SK", expense(), set("GSI2SK", text("x")), Mended),
        changed("expense: GSI3PK", expense(), set("GSI3PK", text("USER#4")), Mended),
        changed("expense: GSI3SK", expense(), set("GSI3SK", text("TX#x")), Mended),
        changed(
            "expense: updatedAt deleted",
            of.row("expense", edited),
            without("updatedAt"),
            Mended,
        ),
        changed(
            "expense: updatedAt added",
            expense(),
            set("updatedAt", text("2026-01-16T12:00:00.000Z")),
            Mended,
        ),
        copied(
            "expense added",
            expense(),
            "TX#2026-01-15T17:00:00.000Z",
            |row| {
                row.insert("id".to_owned(), text(NO_ID));
                row.insert("createdAt".to_owned(), text("2026-01-15T17:00:00.000Z"));
            },
            Lost,
        ),
        copied("expense copied", expense(), "TX#2026-01-15T17:00:00.000Z", |_| (), Lost),
        // Participants and payers.
        deleted("participant deleted", participant(), Mended),
        changed("participant: amount", participant(), set("amount", number("1")), Mended),
        changed("participant: payerName", participant(), set("payerName", text("X")), Mended),
        changed("participant: GSI1PK", participant(), set("GSI1PK", text("USER#9")), Mended),
        changed("participant: GSI1SK deleted", participant(), without("GSI1SK"), Mended),
        changed("participant: unreadable", participant(), without("userId"), Mended),
        copied("participant added", participant(), &format!("PART#{NO_ID}#1"), |_| (), Mended),
        deleted("payer deleted", payer(), Mended),
        changed("payer: description", payer(), set("description", text("X")), Mended),
        changed("payer: GSI1PK deleted", payer(), without("GSI1PK"), Mended),
        copied("payer added", payer(), &format!("PAID#{NO_ID}#1"), |_| (), Mended),
        // Deleted expenses.
        deleted("deleted expense deleted", of.row("deletedExpense", any), Mended),
        changed(
            "deleted expense: deletedBy",
            of.row("deletedExpense", any),
            set("deletedBy", text("4")),
            Mended,
        ),
        copied(
            "deleted expense added",
            of.row("deletedExpense", any),
            &format!("DELETED#x#{NO_ID}"),
            |_| (),
            Mended,
        ),
    ]
}

/// Settlements and their other rows, and imports.
fn of_settlements(of: &Of<'_>) -> Vec<Corruption> {
    let any = |_: &Row| true;
    let has = |name: &'static str, value: &'static str| {
        move |row: &Row| row.get(name) == Some(&text(value))
    };
    let with_hash = |row: &Row| row.contains_key("txHash") && has("status", "completed")(row);
    let imported = |row: &Row| row.contains_key("importId");
    let completed = || of.row("settlement", with_hash);
    let pending = || of.row("settlement", has("status", "pending"));
    vec![
        deleted("completed settlement deleted", completed(), Lost),
        changed("settlement: amount", completed(), set("amount", number("9")), Lost),
        changed("settlement: status", completed(), set("status", text("pending")), Mended),
        changed("settlement: completedAt deleted", completed(), without("completedAt"), Mended),
        changed("settlement: GSI1PK", completed(), set("GSI1PK", text("USER#9")), Mended),
        changed("settlement: GSI2PK deleted", completed(), without("GSI2PK"), Mended),
        changed("settlement: GSI3SK", completed(), set("GSI3SK", text("SETTLE#x")), Mended),
        changed(
            "pending settlement: status",
            of.row("settlement", |row| has("status", "pending")(row) && !imported(row)),
            set("status", text("completed")),
            Lost,
        ),
        changed("pending settlement: GSI2PK", pending(), set("GSI2PK", text("X")), Mended),
        deleted("used hash deleted", of.row("usedHash", any), Mended),
        changed(
            "used hash: settlementId",
            of.row("usedHash", any),
            set("settlementId", text(NO_ID)),
            Mended,
        ),
        changed(
            "used hash: of another group",
            of.row("usedHash", any),
            |row| {
                row.insert("settlementId".to_owned(), text(NO_ID));
                row.insert("groupId".to_owned(), text(NO_ID));
            },
            Lost,
        ),
        deleted("imported settlement deleted", of.row("importedSettlement", any), Mended),
        copied(
            "imported settlement added",
            of.row("importedSettlement", any),
            &format!("IMPORTED#{NO_ID}"),
            set("settlementId", text(NO_ID)),
            Mended,
        ),
        deleted("import deleted", of.row("import", any), Lost),
        changed("import: unreadable", of.row("import", any), without("status"), Lost),
    ]
}

fn of_group(of: &Of<'_>) -> Vec<Corruption> {
    let group = || of.row("group", |_| true);
    let member = |id: &'static str| of.row("member", move |row| row["id"] == text(id));
    let guest = |linked: bool| {
        of.row("member", move |row| {
            row.contains_key("guest") && row.contains_key("linkedTo") == linked
        })
    };
    vec![
        changed("group: memberCount", group(), set("memberCount", number("9")), Mended),
        changed(
            "group: defaultSplitsAt",
            group(),
            set("defaultSplitsAt", text("2026-01-16T12:00:00.000Z")),
            Mended,
        ),
        changed("group: archived", group(), set("archived", AttributeValue::Bool(true)), Mended),
        changed("group: unreadable", group(), without("title"), Lost),
        deleted("member deleted", member("3"), Lost),
        changed("member: GSI1PK", member("3"), set("GSI1PK", text("USER#9")), Mended),
        changed("member: GSI1SK deleted", member("3"), without("GSI1SK"), Mended),
        changed("member: guests deleted", member("2"), without("guests"), Mended),
        changed("member: joinedAt deleted", member("3"), without("joinedAt"), Lost),
        changed("guest: linkedTo deleted", guest(true), without("linkedTo"), Mended),
        changed("guest: linkedTo added", guest(false), set("linkedTo", text("3")), Mended),
        deleted("guest deleted", guest(false), Lost),
        Corruption {
            named: Some("METADATA".to_owned()),
            ..copied(
                "member added",
                member("3"),
                "USER#77",
                |row| {
                    row.insert("id".to_owned(), text("77"));
                    row.insert("GSI1PK".to_owned(), text("USER#77"));
                },
                Mended,
            )
        },
    ]
}

fn of_ledger(of: &Of<'_>) -> Vec<Corruption> {
    let balance = || of.row("balance", |_| true);
    let closing = || of.row("closing", |_| true);
    let checkpoint = || of.row("checkpoint", |_| true);
    let tally = || of.row("tally", |row| row.keys().any(|name| name.starts_with("s#")));
    let paid = |row: &mut Row| {
        let user = map(row.get_mut("balances").unwrap(), "EUR");
        *map(map(user, "1"), "paid") = number("532.75");
    };
    vec![
        deleted("balance deleted", balance(), Mended),
        changed("balance: paid", balance(), paid, Mended),
        changed("balance: sequence too low", balance(), set("sequence", number("9")), Mended),
        changed("balance: version deleted", balance(), without("version"), Lost),
        changed("balance: sequence too high", balance(), set("sequence", number("999")), Lost),
        changed("balance: expenseCount", balance(), set("expenseCount", number("9")), Mended),
        changed("balance: settlementCount", balance(), set("settlementCount", number("9")), Mended),
        changed("balance: links deleted", balance(), without("links"), Mended),
        changed(
            "balance: lastEventAt too early",
            balance(),
            set("lastEventAt", text("2026-01-15T13:00:00.000Z")),
            Mended,
        ),
        changed(
            "balance: lastEventAt in the future",
            balance(),
            set("lastEventAt", text("2099-01-01T00:00:00.000Z")),
            Mended,
        ),
        changed(
            "balance: pending deleted",
            balance(),
            |row| {
                let presence = row.get_mut("presence").unwrap();
                *map(presence, "pending") = AttributeValue::M([].into());
            },
            Mended,
        ),
        changed(
            "balance: settled",
            balance(),
            |row| *map(row.get_mut("settled").unwrap(), "EUR") = number("1"),
            Mended,
        ),
        changed("balance: unreadable", balance(), without("balances"), Lost),
        deleted("closing deleted", closing(), Mended),
        changed("closing: paid", closing(), paid, Mended),
        changed("closing: sequence", closing(), set("sequence", number("1")), Mended),
        changed("closing: unreadable", closing(), without("version"), Mended),
        copied("closing added", closing(), "DAY#2026-01-30", |_| (), Mended),
        copied("closing added between days", closing(), "DAY#2026-01-19", |_| (), Mended),
        deleted("checkpoint deleted", checkpoint(), Mended),
        changed("checkpoint: paid", checkpoint(), paid, Mended),
        changed("checkpoint: sequence", checkpoint(), set("sequence", number("1")), Mended),
        copied(
            "checkpoint added",
            checkpoint(),
            "CHECKPOINT#2026-01-15T18:00:00.000Z",
            |_| (),
            Mended,
        ),
        deleted("tally deleted", tally(), Mended),
        changed("tally: counter", tally(), set("n#EUR", number("99")), Mended),
        changed("tally: unreadable", tally(), set("updatedAt", text("x")), Mended),
        copied("tally added", tally(), "SPENT#2026-01-02#food", |_| (), Mended),
    ]
}

fn of_entries(of: &Of<'_>) -> Vec<Corruption> {
    let spent = || of.entry("applied", "expense");
    let was = || of.entry("reverted", "expense");
    let revert = || of.entry("revert", "expense");
    let adjusted = || of.entry("applied", "adjustment");
    let link = || of.entry("applied", "link");
    // Ten times as much, of amounts without decimals.
    let tenfold = |row: &mut Row| {
        let mut changes = row["changes"].as_l().unwrap().clone();
        for change in &mut changes {
            for name in ["paid", "owed", "sent", "received"] {
                if let Some(AttributeValue::N(digits)) = change.as_m().unwrap().get(name).cloned() {
                    *map(change, name) = number(&format!("{digits}0"));
                }
            }
        }
        row.insert("changes".to_owned(), AttributeValue::L(changes));
    };
    let index = format!("LEDGER#{}#ENTRIES", of.group.id);
    let elsewhere = |corruption: Corruption, named: &str| Corruption {
        named: Some(named.to_owned()),
        ..corruption
    };
    vec![
        deleted("entry deleted", spent(), Lost),
        changed("entry: changes", spent(), tenfold, Mended),
        changed("entry: changes deleted", spent(), without("changes"), Lost),
        changed("entry: GSI1PK deleted", spent(), without("GSI1PK"), Mended),
        changed("entry: GSI1SK deleted", spent(), without("GSI1SK"), Mended),
        changed(
            "entry: createdAt",
            spent(),
            set("createdAt", text("2026-03-01T00:00:00.000Z")),
            Mended,
        ),
        changed("entry: sequence", spent(), set("sequence", number("999")), Mended),
        changed("entry: refId", spent(), set("refId", text(NO_ID)), Mended),
        deleted("settlement's entry deleted", of.entry("applied", "settlement"), Lost),
        changed("settlement's entry: changes", of.entry("applied", "settlement"), tenfold, Mended),
        elsewhere(deleted("adjustment deleted", adjusted(), Lost), &index),
        elsewhere(
            changed("adjustment: GSI1PK deleted", adjusted(), without("GSI1PK"), Lost),
            &index,
        ),
        elsewhere(changed("adjustment: changes", adjusted(), tenfold, Lost), "BALANCE"),
        deleted("reverted entry deleted", was(), Lost),
        changed("reverted entry: changes", was(), tenfold, Mended),
        changed("reverted entry: expense deleted", was(), without("expense"), Lost),
        changed("reverted entry: otherSequence deleted", was(), without("otherSequence"), Mended),
        changed("reverted entry: GSI1PK deleted", was(), without("GSI1PK"), Mended),
        deleted("revert deleted", revert(), Lost),
        changed("revert: changes", revert(), tenfold, Mended),
        changed("revert: otherSequence", revert(), set("otherSequence", number("0")), Mended),
        changed("revert: status", revert(), set("status", text("reverted")), Mended),
        deleted("link deleted", link(), Lost),
        changed("link: linkedTo deleted", link(), without("linkedTo"), Mended),
        changed("link: GSI1SK deleted", link(), without("GSI1SK"), Mended),
        copied(
            "past entry added",
            was(),
            "HISTORY#00000000000000000999",
            |row| {
                row.insert("sequence".to_owned(), number("999"));
                row.insert(
                    "GSI1SK".to_owned(),
                    text("2026-03-01T00:00:00.000Z#00000000000000000999"),
                );
                row.insert("createdAt".to_owned(), text("2026-03-01T00:00:00.000Z"));
            },
            Lost,
        ),
    ]
}

/// Questions, schedules, points, and what the group is told, from which nothing follows.
fn of_questions(of: &Of<'_>) -> Vec<Corruption> {
    let question = || of.row("question", |_| true);
    let schedule = || of.row("schedule", |_| true);
    let points = || of.row("points", |_| true);
    let change = || of.row("change", |_| true);
    vec![
        changed("question: unreadable", question(), without("prompt"), Lost),
        changed("question: GSI1PK deleted", question(), without("GSI1PK"), Mended),
        changed("question: GSI3SK", question(), set("GSI3SK", text("x")), Mended),
        changed("schedule: unreadable", schedule(), without("repeat"), Lost),
        changed("schedule: nextDate", schedule(), set("nextDate", text("2026-09-01")), Lost),
        changed("schedule: dueAt deleted", schedule(), without("dueAt"), Mended),
        changed("schedule: GSI3PK deleted", schedule(), without("GSI3PK"), Mended),
        changed("schedule: GSI3SK", schedule(), set("GSI3SK", text("x")), Mended),
        changed("points: unreadable", points(), without("totalPoints"), Lost),
        changed("points: GSI1PK", points(), set("GSI1PK", text("USER#9")), Mended),
        changed("change: unreadable", change(), without("at"), Lost),
    ]
}

/// Rows without what tells them from those of the TypeScript Fracti.
fn versions(of: &Of<'_>) -> Vec<Corruption> {
    let completed = |row: &Row| row.get("status") == Some(&text("completed"));
    let paid_by_two = |row: &Row| row.contains_key("payers");
    let mut all: Vec<Corruption> = [
        "group",
        "member",
        "expense",
        "participant",
        "payer",
        "deletedExpense",
        "settlement",
        "usedHash",
        "importedSettlement",
        "import",
        "question",
        "schedule",
        "points",
        "balance",
        "closing",
        "checkpoint",
        "change",
        "tally",
        "entry",
    ]
    .map(|kind| {
        changed("formatVersion deleted", of.row(kind, |_| true), without("formatVersion"), Mended)
    })
    .into();
    let unmarked = |row: &mut Row| {
        row.remove("formatVersion");
        row.remove("kind");
    };
    for kind in ["participant", "payer", "usedHash", "closing", "checkpoint", "tally", "entry"] {
        all.push(changed("kind deleted, too", of.row(kind, |_| true), unmarked, Mended));
    }
    all.extend([
        changed("expense: kind deleted, too", of.row("expense", paid_by_two), unmarked, Mended),
        changed("settlement: kind deleted, too", of.row("settlement", completed), unmarked, Mended),
        changed(
            "expense: kind deleted, too, and amount",
            of.row("expense", |row| !paid_by_two(row)),
            |row| {
                unmarked(row);
                row.insert("amount".to_owned(), number("61"));
            },
            Lost,
        ),
        changed(
            "pending settlement: kind deleted, too",
            of.row("settlement", |row| row.get("status") == Some(&text("pending"))),
            unmarked,
            Lost,
        ),
        changed("group: kind deleted, too", of.row("group", |_| true), unmarked, Lost),
        changed("member: kind deleted, too", of.row("member", |_| true), unmarked, Lost),
        Corruption {
            named: Some(format!("row PART#{NO_ID}#1 is left out")),
            ..copied(
                "v0 participant added",
                of.row("participant", |_| true),
                &format!("PART#{NO_ID}#1"),
                unmarked,
                Lost,
            )
        },
    ]);
    all
}

#[tokio::test]
async fn each_corruption_is_found_by_its_row_and_mended_if_other_rows_tell_how() {
    let group = rich().await;
    let api = &group.api;
    let right = api.rows().await;
    let (outcome, found) = verify(&group).await;
    assert_eq!(
        (outcome, found.lines().next().unwrap()),
        (Outcome::Good, "1 group verified, 0 of them with a finding")
    );
    let of = Of { rows: &right, group: &group };
    let all = [
        of_expenses(&of),
        of_settlements(&of),
        of_group(&of),
        of_ledger(&of),
        of_entries(&of),
        of_questions(&of),
        versions(&of),
    ];
    let mut wrong = Vec::new();
    for corruption in all.into_iter().flatten() {
        if let Err(what) = tried(&group, &right, &corruption).await {
            wrong.push(format!("{}: {what}", corruption.name));
        }
        restore(api, &right).await;
    }
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n"));
}

/// Corrupts a row, and checks what is found and mended.
async fn tried(group: &Group, right: &Rows, corruption: &Corruption) -> Result<(), String> {
    let (api, (pk, sk)) = (&group.api, &corruption.key);
    match &corruption.after {
        None => api.delete_row(pk, sk).await,
        Some(row) => put(api, row.clone()).await,
    }
    let wrong = api.rows().await;
    let (outcome, found) = verify(group).await;
    let named = corruption.named.clone().unwrap_or_else(|| format!("row {pk} {sk} "));
    let lines: Vec<_> = found.lines().collect();
    if outcome != Outcome::Bad || lines.len() != 3 || !lines[0].contains(&named) {
        return Err(format!("verify: {outcome:?}: {found}"));
    }
    let (_, shown) = repair(group, false, None).await;
    if api.rows().await != wrong {
        return Err(format!("repair wrote without --yes: {shown}"));
    }
    let (outcome, output) = repair(group, true, None).await;
    let mended = api.rows().await;
    let expected = match corruption.fate {
        Mended => (Outcome::Good, right),
        Lost => (Outcome::Bad, &wrong),
    };
    let is_mended = outcome;
    let is_found = unstamped(&mended, &corruption.key);
    let expected_rows = unstamped(expected.1, &corruption.key);
    // A member who was added is counted, because nothing says that they never joined.
    let is_other = corruption.named.is_some() && corruption.fate == Mended;
    if is_mended != expected.0 || !is_other && is_found != expected_rows {
        let differing: Vec<_> = expected_rows
            .iter()
            .filter(|(key, row)| is_found.get(*key) != Some(row))
            .map(|(key, row)| format!("{key:?}: {row:?}, not {:?}", is_found.get(key)))
            .collect();
        let more: Vec<_> =
            is_found.keys().filter(|key| !expected_rows.contains_key(*key)).collect();
        return Err(format!(
            "repair: {outcome:?}: {output} (shown before: {shown}) {differing:?} {more:?}"
        ));
    }
    if corruption.fate == Mended {
        let (outcome, found) = verify(group).await;
        if outcome != Outcome::Good {
            return Err(format!("verify after repair: {found}"));
        }
    }
    Ok(())
}

#[tokio::test]
async fn many_rows_are_mended_beside_the_api_and_each_is_in_the_report() {
    let mut group = Group::new(3, "EUR").await;
    for amount in 1..=60 {
        group.spend(amount % 3, json!({ "amount": amount })).await;
    }
    pass(&mut group, 1);
    group.spend(0, json!({ "amount": 9 })).await;
    let api = &group.api;
    let right = api.rows().await;
    let is_derived =
        |key: &&Key| ["PART#", "DAY#", "SPENT#2026-01-15"].iter().any(|it| key.1.starts_with(it));
    let lost: Vec<&Key> = right.keys().filter(is_derived).collect();
    assert!(lost.len() > 100, "more than one transaction writes");
    for (pk, sk) in &lost {
        api.delete_row(pk, sk).await;
    }
    let report = file(&format!("repair-{}.json", group.id));
    let (shown, output) = repair(&group, false, Some(report.clone())).await;
    assert_eq!(shown, Outcome::Bad);
    let would = format!("{} rows would be mended, 0 findings cannot be mended", lost.len());
    assert!(output.contains(&would) && !report.exists(), "{output}");

    let writes = async {
        for _ in 0..5 {
            let new = json!({ "amount": 1, "splits": [{ "userId": "1" }] });
            group.spend(0, new).await;
        }
    };
    let ((outcome, output), ()) = tokio::join!(repair(&group, true, Some(report.clone())), writes);
    assert_eq!(outcome, Outcome::Good, "{output}");
    group.verify().await;
    let mended = unstamped(&api.rows().await, &(String::new(), String::new()));
    for (key, row) in unstamped(&right, &(String::new(), String::new())) {
        if key.1.starts_with("PART#") {
            assert_eq!(mended.get(&key), Some(&row));
        }
    }
    let lines = std::fs::read_to_string(&report).unwrap();
    std::fs::remove_file(&report).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    for (pk, sk) in lost {
        let line = lines.iter().find(|line| line["pk"] == **pk && line["sk"] == **sk);
        let line = line.unwrap_or_else(|| panic!("{pk} {sk}: {output}"));
        assert_eq!(line["before"], Value::Null);
        assert_eq!(line["after"]["SK"]["S"], **sk, "{line}");
        assert!(output.contains(&format!("row {pk} {sk} is missing")), "{output}");
    }
}
