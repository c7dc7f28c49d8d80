//! Compares records with rows, and rows with records.

use std::collections::BTreeSet;

use fracti_core::{
    ledger::{EntryStatus, RefType},
    records::{expense::Expense, settlement::Settlement},
    values::{
        id::{MemberId, UserId},
        settlement_status::SettlementStatus,
    },
};
use fracti_http::{ExpenseView, SettlementView, shown};
use serde::Serialize;
use serde_json::Value;

use super::adjustments;
use crate::simulation::{
    Finding, Operation, Outcome, Record, SettlementUpdate, Split, state::State,
};

/// Findings about records and rows.
pub(super) fn check(state: &State, records: &[Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for record in records {
        findings.extend(frequency(state, record));
        findings.extend(refusal(state, records, record));
        findings.extend(content(state, records, record));
    }
    findings.extend(repeated(state, records));
    findings.extend(unexplained_rows(state, records));
    findings
}

/// The number of times that the effect of a record is present; 0 or 1 for a change.
pub(super) fn effects(state: &State, record: &Record) -> usize {
    match &record.operation {
        Operation::CreateGroup { title } => {
            state.groups.values().filter(|it| it.title.to_string() == *title).count()
        }
        Operation::Join { group } => {
            let joined = |(of, member): &(_, MemberId)| {
                *of == group.parse().unwrap() && *member == UserId::new(record.user).unwrap()
            };
            state.members.keys().filter(|key| joined(key)).count()
        }
        Operation::Spend { group, label, .. } => {
            let first =
                |id: &String| state.versions(id).0.first().is_some_and(|it| it.label == *label);
            expenses(state, group).iter().filter(|id| first(id)).count()
        }
        Operation::Edit { expense, label, .. } => {
            let versions = state.versions(expense).0;
            versions.iter().filter(|it| it.edited && it.label == *label).count()
        }
        Operation::Delete { expense, .. } => (state.versions(expense).1 > 0).into(),
        // The state may have been the same before, or may have changed since.
        Operation::Restore { expense, .. } => (!state.versions(expense).0.is_empty()).into(),
        Operation::Adjust { .. } | Operation::Revert { .. } => {
            adjustments::effects(state, &record.operation)
        }
        Operation::Pay { .. } => {
            state.settlements.iter().filter(|it| is_paid(it, &record.operation)).count()
        }
        Operation::Settle { settlement, update, .. } => {
            let settled = state.settlements.iter().find(|it| it.id.to_string() == *settlement);
            settled.is_some_and(|it| is_settled(it, update)).into()
        }
    }
}

/// Every expense of a group, including deleted ones.
fn expenses(state: &State, group: &str) -> BTreeSet<String> {
    let of_group = state.entries.iter().filter(|it| it.group_id.to_string() == group);
    of_group
        .filter(|it| it.ref_type == RefType::Expense)
        .filter_map(|it| it.ref_id.clone())
        .collect()
}

/// The number of restores of an expense.
fn restores(state: &State, expense: &str) -> usize {
    state.versions(expense).0.iter().skip(1).filter(|it| !it.edited).count()
}

/// Whether an operation created an expense, by its first label.
pub(super) fn is_spent(state: &State, expense: &Expense, operation: &Operation) -> bool {
    let versions = state.versions(&expense.id.to_string()).0;
    matches!(operation, Operation::Spend { group, label, .. }
        if versions.first().is_some_and(|it| it.label == *label) && expense.group_id.to_string() == *group)
}

fn is_paid(settlement: &Settlement, operation: &Operation) -> bool {
    matches!(operation, Operation::Pay { group, minor, currency, .. }
        if settlement.group_id.to_string() == *group
            && settlement.currency == *currency
            && settlement.currency.to_minor(settlement.amount) == Ok(*minor))
}

fn is_settled(settlement: &Settlement, update: &SettlementUpdate) -> bool {
    match update {
        // Its recipient may have taken it back since.
        SettlementUpdate::Complete => {
            settlement.status == SettlementStatus::Completed || settlement.reverted_at.is_some()
        }
        SettlementUpdate::Fail => settlement.status == SettlementStatus::Failed,
        // The hash is released when the settlement fails.
        SettlementUpdate::Attach(_) => {
            settlement.tx_hash.is_some() || settlement.status == SettlementStatus::Failed
        }
    }
}

/// An acknowledged effect is present once, a refused one never, any other at most once.
fn frequency(state: &State, record: &Record) -> Option<Finding> {
    let times = effects(state, record);
    // Other operations may have had the same effect, or undone it.
    let shared = matches!(
        record.operation,
        Operation::Join { .. }
            | Operation::Delete { .. }
            | Operation::Restore { .. }
            | Operation::Settle { .. }
    );
    if matches!(record.operation, Operation::Adjust { .. } | Operation::Revert { .. }) {
        return None;
    }
    let text = || format!("{times} times: {record:?}");
    match record.outcome {
        _ if times > 1 => Some(Finding::Twice(text())),
        Outcome::Done(_) if times == 0 => Some(Finding::Lost(text())),
        Outcome::Refused(_) if times > 0 && !shared => Some(Finding::Twice(text())),
        _ => None,
    }
}

/// Expenses that were deleted or restored more often than requested.
fn repeated(state: &State, records: &[Record]) -> Vec<Finding> {
    let ids = state.groups.keys().flat_map(|group| expenses(state, &group.to_string()));
    let twice = |id: String| {
        let (asked_to_go, asked_to_come) =
            records.iter().filter(|it| it.possible()).fold((0, 0), |(go, come), record| {
                match &record.operation {
                    Operation::Delete { expense, .. } if *expense == id => (go + 1, come),
                    Operation::Restore { expense, .. } if *expense == id => (go, come + 1),
                    _ => (go, come),
                }
            });
        let gone = state.versions(&id).1;
        let came = restores(state, &id);
        let text =
            || format!("{id} went {gone} times of {asked_to_go}, came {came} of {asked_to_come}");
        (gone > asked_to_go || came > asked_to_come).then(|| Finding::Twice(text()))
    };
    ids.filter_map(twice).collect()
}

/// A refusal or a success that the rules forbid.
fn refusal(state: &State, records: &[Record], record: &Record) -> Option<Finding> {
    let permitted = permitted(state, record);
    let allowed = match &record.outcome {
        Outcome::Unknown => true,
        Outcome::Done(_) => {
            return (!permitted).then(|| Finding::ForgeryAccepted(format!("{record:?}")));
        }
        Outcome::Refused(code) => match &**code {
            "CONFLICT" => true,
            "NOT_ALLOWED" => !permitted || asks_too_early(record),
            "EXPENSE_NOT_FOUND" => others(records, record).any(|it| same_expense(it, record)),
            // Numbers of the split may not fit an amount that is edited alone.
            "VALIDATION_ERROR" => edits_amounts(records, record) || !permitted,
            "ENTRY_MISSING" | "ENTRY_EXISTS" => {
                others(records, record).any(|it| same_name(it, record))
            }
            "SETTLEMENT_FINAL" => is_final(state, record),
            "TX_HASH_USED" => hash(record)
                .is_some_and(|used| others(records, record).any(|it| hash(it) == Some(used))),
            _ => false,
        },
    };
    (!allowed).then(|| Finding::Wrong(format!("refused without reason: {record:?}")))
}

/// A payer must not complete a pending settlement; it may already be completed.
fn asks_too_early(record: &Record) -> bool {
    matches!(record.operation, Operation::Settle { from, update: SettlementUpdate::Complete, .. } if from == record.user)
}

/// All other records that may have had an effect.
fn others<'a>(records: &'a [Record], record: &'a Record) -> impl Iterator<Item = &'a Record> {
    records.iter().filter(move |it| !std::ptr::eq(*it, record) && it.possible())
}

fn same_expense(one: &Record, two: &Record) -> bool {
    match (&one.operation, &two.operation) {
        (
            Operation::Delete { expense: one, .. },
            Operation::Delete { expense: two, .. } | Operation::Edit { expense: two, .. },
        ) => one == two,
        _ => false,
    }
}

fn same_name(one: &Record, two: &Record) -> bool {
    let names = |record: &Record| match &record.operation {
        Operation::Adjust { names, .. } | Operation::Revert { names, .. } => names.clone(),
        _ => Vec::new(),
    };
    let of_two = names(two);
    names(one).iter().any(|name| of_two.contains(name))
}

/// Whether the record edits an expense whose split has amounts.
fn edits_amounts(records: &[Record], record: &Record) -> bool {
    let Operation::Edit { expense, .. } = &record.operation else { return false };
    records.iter().any(|it| {
        let Operation::Spend { split, .. } = &it.operation else { return false };
        matches!(split, Split::Exact(_) | Split::Adjustment(_) | Split::Itemized(_))
            && it.data().is_some_and(|data| data["id"] == **expense)
    })
}

fn is_final(state: &State, record: &Record) -> bool {
    let Operation::Settle { settlement, .. } = &record.operation else { return false };
    let settled = state.settlements.iter().find(|it| it.id.to_string() == *settlement);
    settled.is_some_and(|it| it.status != SettlementStatus::Pending)
}

fn hash(record: &Record) -> Option<&str> {
    match &record.operation {
        Operation::Pay { hash, .. } => hash.as_deref(),
        Operation::Settle { update: SettlementUpdate::Attach(hash), .. } => Some(hash),
        _ => None,
    }
}

/// Whether the user has the permission.
fn permitted(state: &State, record: &Record) -> bool {
    match &record.operation {
        Operation::Delete { owners, .. }
        | Operation::Edit { owners, .. }
        | Operation::Restore { owners, .. } => owners.contains(&record.user),
        Operation::Revert { owners, .. } => owners.contains(&record.user),
        Operation::Adjust { names, .. } => !names.iter().any(|name| adjustments::is_uuid(name)),
        Operation::Settle { from, to, update, .. } => match update {
            SettlementUpdate::Fail => [*from, *to].contains(&record.user),
            SettlementUpdate::Attach(_) => record.user == *from,
            // Any party may ask for the state that a settlement already has.
            SettlementUpdate::Complete => {
                record.user == *to || (record.user == *from && is_final(state, record))
            }
        },
        _ => true,
    }
}

/// A difference between the stored state and the response.
fn content(state: &State, records: &[Record], record: &Record) -> Option<Finding> {
    let response = record.data()?;
    let differs = |row: Value| {
        (row != *response).then(|| format!("the response was {response}, and there is {row}"))
    };
    let text = match &record.operation {
        Operation::Spend { .. } | Operation::Edit { .. } | Operation::Restore { .. } => {
            let row = state.expenses.iter().find(|it| response["id"] == it.id.to_string())?;
            // A later edit or restore changes the view.
            let updated_at = row.updated_at.map(|at| at.to_string());
            if updated_at.as_deref() != response["updatedAt"].as_str() {
                return None;
            }
            differs(as_shown(&ExpenseView::from(row.clone())))
        }
        Operation::Pay { .. } => {
            let row = state.settlements.iter().find(|it| is_paid(it, &record.operation))?;
            let settled = |it: &&Record| {
                matches!(&it.operation, Operation::Settle { settlement, .. }
                    if *settlement == row.id.to_string())
            };
            // A later update changes the view.
            if others(records, record).any(|it| settled(&it)) {
                return None;
            }
            differs(as_shown(&SettlementView::from(row.clone())))
        }
        Operation::Settle { settlement, .. } => {
            let row = state.settlements.iter().find(|it| it.id.to_string() == *settlement)?;
            let row = as_shown(&SettlementView::from(row.clone()));
            let moved = response["status"] != "pending" && response["status"] != row["status"];
            let taken_back = response["status"] == "completed" && !row["revertedAt"].is_null();
            (moved && !taken_back)
                .then(|| format!("the response was {response}, and there is {row}"))
        }
        _ => None,
    };
    text.map(Finding::Lost)
}

/// Rows without an operation that explains them.
fn unexplained_rows(state: &State, records: &[Record]) -> Vec<Finding> {
    let asked = |is: &dyn Fn(&Operation) -> bool| {
        records.iter().any(|record| record.possible() && is(&record.operation))
    };
    let taken_back = |id: &str| {
        let fails = |record: &Record| {
            matches!(&record.operation,
            Operation::Settle { settlement, to, update: SettlementUpdate::Fail, .. } if settlement == id && *to == record.user)
        };
        records.iter().any(|record| record.possible() && fails(record))
    };
    let mut unexplained_rows = Vec::new();
    for group in state.groups.values() {
        let title = group.title.to_string();
        if !asked(&|it| matches!(it, Operation::CreateGroup { title: asked } if *asked == title)) {
            unexplained_rows.push(format!("{group:?}"));
        }
    }
    for expense in &state.expenses {
        if !asked(&|it| is_spent(state, expense, it)) {
            unexplained_rows.push(format!("{expense:?}"));
        }
        let id = expense.id.to_string();
        for version in state.versions(&id).0.iter().filter(|it| it.edited) {
            let edit = |it: &Operation| matches!(it, Operation::Edit { expense, label, .. } if *expense == id && *label == version.label);
            if !asked(&edit) {
                unexplained_rows.push(format!("{version:?} of {id}"));
            }
        }
    }
    for settlement in &state.settlements {
        let id = settlement.id.to_string();
        let final_by = |it: &Operation| {
            matches!((it, settlement.status),
                (Operation::Settle { settlement, update: SettlementUpdate::Complete, .. }, SettlementStatus::Completed)
                | (Operation::Settle { settlement, update: SettlementUpdate::Fail, .. }, SettlementStatus::Failed)
                    if *settlement == id)
        };
        let made = |it: &Operation| is_paid(settlement, it);
        let settled = settlement.status == SettlementStatus::Pending || asked(&final_by);
        let recorded = records.iter().any(|record| {
            matches!(record.operation, Operation::Pay { to, .. } if to == record.user)
                && made(&record.operation)
        });
        if !asked(&made) || !(settled || recorded) {
            unexplained_rows.push(format!("{settlement:?}"));
        }
    }
    for entry in &state.entries {
        let id = entry.entry_id.to_string();
        let is_asked = match (entry.status, entry.ref_type) {
            (EntryStatus::Revert, RefType::Settlement) => taken_back(&id),
            (EntryStatus::Revert, _) => asked(&|it| match it {
                Operation::Delete { expense, .. } | Operation::Edit { expense, .. } => {
                    *expense == id
                }
                Operation::Revert { names, .. } => names.contains(&id),
                _ => false,
            }),
            (_, RefType::Adjustment) => asked(&|it| {
                let Operation::Adjust { names, .. } = it else { return false };
                names.contains(&id) && adjustments::changes(it).as_ref() == Some(&entry.changes)
            }),
            _ => true,
        };
        if !is_asked {
            unexplained_rows.push(format!("{entry:?}"));
        }
    }
    for ((group, member), row) in &state.members {
        let join = |it: &Operation| matches!(it, Operation::Join { group: asked } if *asked == group.to_string());
        let found = |it: &Operation| matches!(it, Operation::CreateGroup { title } if *title == state.groups[group].title.to_string());
        let by =
            |record: &Record| *member == UserId::new(record.user).unwrap() && record.possible();
        if !records.iter().any(|it| by(it) && (join(&it.operation) || found(&it.operation))) {
            unexplained_rows.push(format!("{row:?}"));
        }
    }
    unexplained_rows
        .into_iter()
        .map(|row| Finding::Wrong(format!("unexplained row: {row}")))
        .collect()
}

/// A view as JSON of a response.
fn as_shown(view: &impl Serialize) -> Value {
    serde_json::from_slice(&shown(&serde_json::to_vec(view).unwrap())).unwrap()
}
