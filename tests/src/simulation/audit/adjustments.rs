//! Checks that each adjustment counts as often as the responses said.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::{
    ledger::{Change, EntryStatus, RefType, Totals},
    records::entry::Entry,
    values::id::UserId,
};
use serde_json::Value;

use crate::simulation::{Finding, Operation, Outcome, Record, state::State};

/// Findings about adjustments.
pub(super) fn check(state: &State, records: &[Record]) -> Vec<Finding> {
    let mut named: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    for entry in state.entries.iter().filter(|it| it.ref_type == RefType::Adjustment) {
        named.entry(entry.entry_id.to_string()).or_default().push(entry);
    }
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for record in records.iter().filter(|it| it.possible()) {
        if let Operation::Revert { names, .. } = &record.operation {
            for name in names {
                *asked.entry(name).or_default() += 1;
            }
        }
    }
    let mut findings = Vec::new();
    for (name, entries) in &named {
        let reverts = reverts(entries);
        let asked = asked.get(name.as_str()).copied().unwrap_or_default();
        if reverts > asked {
            let text = format!("{name} was reverted {reverts} times, and {asked} were asked for");
            findings.push(Finding::Twice(text));
        }
    }
    let of = |name: &String| named.get(name).map(Vec::as_slice).unwrap_or_default();
    for record in records {
        let times: Box<dyn Fn(&String) -> usize> = match &record.operation {
            Operation::Adjust { .. } => {
                let changes = changes(&record.operation).unwrap_or_default();
                Box::new(move |name| pushes(of(name), &changes))
            }
            Operation::Revert { .. } => Box::new(|name| reverts(of(name))),
            _ => continue,
        };
        findings.extend(frequency(record, times));
    }
    findings
}

/// Applied entries are present, and rejected ones are not.
fn frequency(record: &Record, times: impl Fn(&String) -> usize) -> Option<Finding> {
    let (names, pushed) = match &record.operation {
        Operation::Adjust { names, .. } => (names, true),
        Operation::Revert { names, .. } => (names, false),
        _ => return None,
    };
    let names_in = |list: &str| -> BTreeSet<&str> {
        let data = record.data().unwrap_or(&Value::Null);
        let entries = data[list].as_array().into_iter().flatten();
        entries.filter_map(|entry| entry["entryId"].as_str()).collect()
    };
    let applied = names_in("applied");
    let not_applied = names_in("nonApplied");
    names.iter().find_map(|name| {
        let times = times(name);
        let text = || format!("{name} {times} times: {record:?}");
        // Another request may have reverted the entry.
        let refused = not_applied.contains(name.as_str()) || !record.possible();
        if pushed && (times > 1 || times > 0 && refused) {
            return Some(Finding::Twice(text()));
        }
        let untold = matches!(record.outcome, Outcome::Done(_)) && !applied.contains(name.as_str());
        if untold && !not_applied.contains(name.as_str()) {
            return Some(Finding::Lost(text()));
        }
        (times == 0 && applied.contains(name.as_str())).then(|| Finding::Lost(text()))
    })
}

fn reverts(entries: &[&Entry]) -> usize {
    entries.iter().filter(|it| it.status == EntryStatus::Revert).count()
}

/// The number of entries with these changes.
fn pushes(entries: &[&Entry], changes: &[Change]) -> usize {
    entries.iter().filter(|it| it.status != EntryStatus::Revert && it.changes == changes).count()
}

/// The changes of an adjustment.
pub(super) fn changes(operation: &Operation) -> Option<Vec<Change>> {
    let Operation::Adjust { between: [plus, minus], minor, currency, .. } = operation else {
        return None;
    };
    let change = |user: &u64, totals: Totals| Change {
        user: UserId::new(*user).unwrap().into(),
        currency: *currency,
        totals,
    };
    let (sent, received) = (
        Totals { sent: *minor, ..Totals::default() },
        Totals { received: *minor, ..Totals::default() },
    );
    Some(vec![change(plus, sent), change(minus, received)])
}

/// The number of entries that an operation wrote among those with its names.
pub(super) fn effects(state: &State, operation: &Operation) -> usize {
    let named = |names: &[String]| {
        let names: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let entries = state.entries.iter().filter(|it| it.ref_type == RefType::Adjustment);
        entries.filter(|it| names.contains(it.entry_id.to_string().as_str())).collect::<Vec<_>>()
    };
    match operation {
        Operation::Adjust { names, .. } => {
            pushes(&named(names), &changes(operation).unwrap_or_default())
        }
        Operation::Revert { names, .. } => reverts(&named(names)),
        _ => 0,
    }
}

/// Whether a name is a UUID in either case, which no adjustment may have.
pub(super) fn is_uuid(name: &str) -> bool {
    let groups: Vec<&str> = name.split('-').collect();
    groups.iter().map(|it| it.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|it| it.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
