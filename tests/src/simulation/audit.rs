//! Compares a table with the journal of its users.
//!
//! Three checks: the effect of every record is present as often as its response said; every row is
//! explained by a record; and the ledger, entries, history, indexes and tallies of every group
//! agree with its expenses and settlements, as do its exports. The arithmetic is independent of the
//! production code.

mod adjustments;
mod changes;
mod copies;
mod exports;
mod ledger;
mod records;
mod shares;
mod tallies;

use std::collections::BTreeSet;

use aws_sdk_dynamodb::Client;
use fracti_core::{
    storage::keys,
    values::{
        decimal::Decimal,
        id::{GroupId, MemberId, UserId},
        tx_hash::TxHash,
    },
};
use fracti_store::Table;
use sha2::{Digest, Sha256};

pub use copies::copies;
pub(super) use shares::near;

use super::{
    Actor, Finding, Journal, Operation, Outcome, Record, Report,
    state::{Key, State, pair},
};

/// A time that no clock of a simulation reaches.
pub(super) const LAST_MOMENT: &str = "9999-12-31T23:59:59.999Z";

/// Compares the rows of a table with a journal.
///
/// # Panics
///
/// If the table cannot be read.
pub async fn audit(table: &Table, client: &Client, journal: &Journal) -> Report {
    let mut state = State::read(client).await;
    let records = journal.records();
    let mut report = Report::default();
    for record in &records {
        report.add(&record.outcome);
    }
    report.forged = journal.forged_requests();
    let mut findings = journal.findings();
    findings.append(&mut state.findings);
    findings.extend(records::check(&state, &records));
    findings.extend(adjustments::check(&state, &records));
    findings.extend(shares::check(&state, &records));
    findings.extend(used(&state, &records));
    for group in state.groups.keys() {
        findings.extend(of_ledger(&state, *group));
        findings.extend(exports::check(table, *group).await);
        for found in table.audit(*group, LAST_MOMENT.parse().unwrap()).await.unwrap() {
            let pk = found.key.pk;
            let sk = found.key.sk;
            findings.push(Finding::Off(format!("{group}: row {pk} {sk} {}", found.what)));
        }
    }
    for finding in findings {
        report.find(finding);
    }
    report
}

/// Every transaction hash row belongs to a settlement, and every idempotency row to a request.
fn used(state: &State, records: &[Record]) -> Vec<Finding> {
    let hash = |hash: &TxHash| pair(keys::tx_hash(hash));
    let hashes = state.settlements.iter().filter_map(|it| it.tx_hash.as_ref().map(hash));
    let done = records.iter().filter(|it| it.data().is_some() || told_beside(it));
    let mut expected: BTreeSet<Key> = hashes.chain(done.filter_map(request_key)).collect();
    // With an unknown outcome, the idempotency row exists if the effect does.
    let unknown = records.iter().filter(|it| it.outcome == Outcome::Unknown);
    for (record, key) in unknown.filter_map(|it| Some((it, request_key(it)?))) {
        let happened = match record.operation {
            // The state may have been the same before.
            Operation::Join { .. } | Operation::Restore { .. } | Operation::Revert { .. } => {
                state.used.contains_key(&key)
            }
            // A response without applied items is stored too.
            Operation::Adjust { .. } => {
                state.used.contains_key(&key) || records::effects(state, record) > 0
            }
            _ => records::effects(state, record) > 0,
        };
        if happened {
            expected.insert(key);
        }
    }
    let found: BTreeSet<Key> = state.used.keys().cloned().collect();
    let missing = expected.difference(&found).map(|key| format!("{key:?} is missing"));
    let stray = found.difference(&expected).map(|key| format!("{key:?} is of nothing"));
    missing.chain(stray).map(Finding::Wrong).collect()
}

/// Whether the refusal was part of a successful response, which is stored.
fn told_beside(record: &Record) -> bool {
    matches!(&record.outcome, Outcome::Refused(code) if ["ENTRY_MISSING", "ENTRY_EXISTS"].contains(&&**code))
}

/// The key of a record's stored response.
fn request_key(record: &Record) -> Option<Key> {
    let key = record.key.as_ref()?;
    let name = record.operation.name()?;
    let user = UserId::new(record.user).unwrap();
    Some(pair(keys::idempotency(user, name, &hex::encode(Sha256::digest(key)))))
}

/// Compares a group's ledger, tallies and changes with its rows.
pub(super) fn of_ledger(state: &State, group: GroupId) -> Vec<Finding> {
    let mut findings = ledger::check(state, group);
    findings.extend(tallies::check(state, group));
    findings.extend(changes::check(state, group));
    findings
}

/// Compares each user's own lists, which are read from indexes, with the rows.
///
/// # Panics
///
/// If a response lacks a field.
pub async fn views(client: &Client, observer: &Actor, report: &mut Report) {
    let state = State::read(client).await;
    let users: BTreeSet<UserId> = state.members.keys().filter_map(|(_, it)| it.user()).collect();
    for id in users {
        let user = id.number();
        let actor = observer.be(id.number());
        let own = state.members.iter().filter(|((_, member), it)| *member == id && it.is_present());
        let groups = own.map(|(key, _)| key);
        let linked = state.members.values().filter(|it| it.linked_to == Some(id)).map(|it| it.id);
        let own: BTreeSet<MemberId> = linked.chain([id.into()]).collect();
        let paid = state.expenses.iter().filter(|it| it.paid_by_all(&own) != Decimal::ZERO);
        let owed = state.expenses.iter().filter(|it| it.owed_by_all(&own).is_some());
        let sent = state.settlements.iter().filter(|it| own.contains(&it.from_user_id));
        for (list, name, expected) in [
            ("groups", "id", groups.map(|(group, _)| group.to_string()).collect::<Vec<_>>()),
            ("expenses", "id", paid.map(|it| it.id.to_string()).collect()),
            ("debts", "expenseId", owed.map(|it| it.id.to_string()).collect()),
            ("settlements", "id", sent.map(|it| it.id.to_string()).collect()),
        ] {
            let rows = actor.pages(&format!("/api/users/me/{list}"), 100).await.unwrap();
            // A user may have two shares of an expense: one's own, and that of a linked guest.
            let mut shown: Vec<_> =
                rows.iter().map(|it| it[name].as_str().unwrap().to_owned()).collect();
            let mut expected = expected;
            shown.sort_unstable();
            expected.sort_unstable();
            if shown != expected {
                let text = format!("user {user} sees {list} {shown:?}, and has {expected:?}");
                report.find(Finding::Wrong(text));
            }
        }
    }
}
