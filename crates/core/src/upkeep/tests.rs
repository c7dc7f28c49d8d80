//! What is mended at once, and the steps of a migration.

use super::{
    mending::mending,
    migration::{Migration, MigrationState, Planned, Stream, TrialRun, in_order},
};
use crate::{
    decisions::decision::Decision,
    ledger::Ledger,
    reports::audit::{Finding, Mend},
    storage::{
        keys::{self, Primary},
        row::{AttributeValue, Item},
        write::Transaction,
    },
    values::id::GroupId,
};

const GROUP: &str = "550e8400-e29b-41d4-a716-446655440000";
const AT: &str = "2024-01-20T18:30:00.000Z";

fn group() -> GroupId {
    GROUP.parse().unwrap()
}

/// A row of the group with these texts.
fn row(sort_key: &str, texts: &[(&str, &str)]) -> Item {
    let partition = keys::group_partition(group());
    let all = [("PK", partition.as_str()), ("SK", sort_key)];
    let all = all.iter().chain(texts);
    all.map(|(name, text)| ((*name).to_owned(), AttributeValue::S((*text).to_owned()))).collect()
}

fn finding(sort_key: &str, mend: Option<Mend>) -> Finding {
    let key = Primary { pk: keys::group_partition(group()), sk: sort_key.to_owned() };
    Finding { key, what: "is wrong".to_owned(), stored: None, mend }
}

/// The keys that a decision writes, and the sort keys of the findings that it mends.
fn mended(ledger: Option<&Ledger>, findings: Vec<Finding>) -> (usize, Vec<String>) {
    let decision = mending(group(), ledger, findings).unwrap();
    let (transaction, done) = decision.into_write().unwrap();
    (transaction.keys().len(), done.into_iter().map(|it| it.key.sk).collect())
}

#[test]
fn the_balance_row_is_mended_first_and_each_row_once() {
    let put = || Some(Mend::Put(row("A", &[])));
    let balance = || finding("BALANCE", Some(Mend::Balance(Box::default())));
    let findings = || vec![finding("A", put()), finding("B", None), finding("A", put()), balance()];
    // Without the balance row there is no lock.
    assert_eq!(mended(None, findings()), (1, vec!["BALANCE".to_owned()]));
    let ledger = Ledger::default();
    let all = ["BALANCE", "A"].map(str::to_owned).to_vec();
    assert_eq!(mended(Some(&ledger), findings()), (2, all));
    // The lock is written beside what does not write it.
    let only = vec![finding("A", put()), finding("B", None)];
    assert_eq!(mended(Some(&ledger), only), (2, vec!["A".to_owned()]));
    assert_eq!(mended(Some(&ledger), vec![finding("B", None)]), (0, Vec::new()));
}

#[test]
fn one_transaction_mends_as_much_as_it_takes() {
    let findings = |texts: &str| {
        let put = |number| {
            let sort_key = format!("{number:03}");
            finding(&sort_key, Some(Mend::Put(row(&sort_key, &[("text", texts)]))))
        };
        (0..150).map(put).collect::<Vec<_>>()
    };
    let ledger = Ledger::default();
    let (writes, rows) = mended(Some(&ledger), findings(""));
    assert_eq!((writes, rows.len()), (Transaction::ROOM, Transaction::ROOM - 1));
    let (writes, rows) = mended(Some(&ledger), findings(&"x".repeat(300_000)));
    assert_eq!((writes, rows.len()), (4, 3));
    // A row that is larger than all of that is mended alone.
    let (writes, rows) = mended(Some(&ledger), findings(&"x".repeat(2_000_000)));
    assert_eq!((writes, rows.len()), (2, 1));
}

#[test]
fn rows_are_taken_in_order_up_to_the_end_of_what_was_read() {
    let rows = |kind: &str, hours: &[u8]| {
        hours.iter().map(|hour| row(&format!("{kind}#2024-01-20T{hour:02}"), &[])).collect()
    };
    let taken = |expenses: &[u8], settlements: &[u8], ended: [bool; 2]| {
        let [first, second] = ended;
        let expenses = Stream { rows: rows("TX", expenses), ended: first };
        let settlements = Stream { rows: rows("SETTLE", settlements), ended: second };
        let candidates = in_order(expenses, settlements).into_iter();
        candidates.map(|it| it.key.sk.replace("2024-01-20T", "")).collect::<Vec<_>>()
    };
    assert_eq!(taken(&[1, 4], &[2, 4], [true; 2]), ["TX#01", "SETTLE#02", "TX#04", "SETTLE#04"]);
    // An expense of 03 may follow, which no later settlement may overtake.
    assert_eq!(taken(&[1, 2], &[1, 4], [false, true]), ["TX#01", "SETTLE#01", "TX#02"]);
    assert_eq!(taken(&[], &[3], [true, false]), ["SETTLE#03"]);
}

#[test]
fn a_step_is_checked_before_it_reports_an_anomaly_or_writes_nothing() {
    let group_row = row(
        keys::METADATA,
        &[
            ("id", GROUP),
            ("chatId", "-100"),
            ("title", "Flat"),
            ("currency", "EUR"),
            ("createdAt", AT),
        ],
    );
    let member = |sort_key: &str| {
        let mut member = row(sort_key, &[("id", "1"), ("name", "Alice"), ("joinedAt", AT)]);
        member.insert("telegramId".to_owned(), AttributeValue::N("1".to_owned()));
        member
    };
    let ledger = Ledger { version: 7, ..Ledger::default() };
    let planned = |migration: &Migration, members: &[&str]| {
        let rows = members.iter().copied().map(member).collect();
        let state = MigrationState::of(migration, ledger.clone(), Some(group_row.clone()), rows);
        Planned::members(migration, state.unwrap()).unwrap()
    };
    let migration = Migration::of(group());
    let step = planned(&migration, &["USER#1"]);
    assert!(step.is_last());
    assert_eq!(step.unchecked(), None, "the transaction checks the version");
    let Decision::Write(transaction, done) = step.decide().unwrap() else { panic!("it writes") };
    assert_eq!((transaction.keys().len(), done.counts.members, done.counts.groups), (3, 1, 1));
    // Another row of the same member, which another process may just have moved.
    let twice = ["USER#1", "USER#01"];
    assert_eq!(planned(&migration, &twice).unchecked(), Some(7));
    let trial = Migration::trial(group(), &TrialRun::default());
    let step = planned(&trial, &twice);
    assert_eq!(step.unchecked(), None);
    assert!(matches!(step.decide().unwrap(), Decision::Done(_)), "a trial run writes nothing");
}
