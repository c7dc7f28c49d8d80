//! Compares the changes of a group with its ledger.

use std::collections::BTreeMap;

use fracti_core::{
    ledger::{EntryStatus, RefType},
    records::{
        entry::Entry,
        group_change::{ChangeKind, GroupChange},
    },
    values::id::GroupId,
};

use crate::simulation::{Finding, state::State};

/// Findings about a group: numbers without gaps, and each entry told by one change, of the kind
/// that its entries have. Only the rows of an import and of its undo are told together.
pub(super) fn check(state: &State, group: GroupId) -> Vec<Finding> {
    let count = state.ledgers.get(&group).map_or(0, |ledger| ledger.state.changes);
    let changes: Vec<&GroupChange> =
        state.changes.iter().filter(|change| change.group_id == group).collect();
    let mut findings = Vec::new();
    if !changes.iter().map(|change| change.number).eq(1..=count) {
        findings.push(Finding::Wrong(format!("{group}: {count} changes, and {changes:?}")));
    }
    let mut untold: BTreeMap<u64, Entry> =
        state.entries_of(group).into_iter().map(|entry| (entry.sequence, entry)).collect();
    for change in changes {
        let span = change.entries.map_or(0..0, |it| it.sequence..it.sequence + it.count);
        let told: Vec<Entry> = span.clone().filter_map(|it| untold.remove(&it)).collect();
        let by_actor = told.iter().all(|entry| {
            entry.status == EntryStatus::Reverted || entry.actor_id == change.actor_id
        });
        let is_import =
            [ChangeKind::ImportDone, ChangeKind::ImportUndone].contains(&change.subject.kind);
        if (told.len() as u64) != span.end - span.start || !by_actor {
            findings.push(Finding::Twice(format!("{change:?} tells of {told:?}")));
        } else if !is_import && !fits(change, &told) {
            findings.push(Finding::Wrong(format!("{change:?} tells otherwise of {told:?}")));
        }
    }
    // Those of an import that was undone are not marked any more by their reverts' transactions.
    let missing = untold.values().filter(|entry| entry.import_id.is_none());
    findings.extend(missing.map(|entry| Finding::Lost(format!("no change tells of {entry:?}"))));
    findings
}

/// Whether a write of this kind makes such entries.
fn fits(change: &GroupChange, entries: &[Entry]) -> bool {
    use ChangeKind::{
        AdjustmentPushed, AdjustmentReverted, ExpenseAdded, ExpenseDeleted, ExpenseEdited,
        ExpenseRestored, MemberLinked, SettlementCompleted, SettlementRecorded, SettlementReverted,
    };
    let kinds: Vec<_> = entries.iter().map(|it| (it.ref_type, it.status)).collect();
    let adds = |of: RefType| {
        kinds.iter().all(|(kind, status)| *kind == of && *status != EntryStatus::Revert)
    };
    let reverts = |of: RefType| kinds.iter().all(|it| *it == (of, EntryStatus::Revert));
    match change.subject.kind {
        ExpenseAdded | ExpenseRestored => entries.len() == 1 && adds(RefType::Expense),
        ExpenseEdited => matches!(
            &*kinds,
            [
                (RefType::Expense, EntryStatus::Revert),
                (RefType::Expense, EntryStatus::Applied | EntryStatus::Reverted)
            ]
        ),
        ExpenseDeleted => entries.len() == 1 && reverts(RefType::Expense),
        SettlementRecorded => entries.len() <= 1 && adds(RefType::Settlement),
        SettlementCompleted => entries.len() == 1 && adds(RefType::Settlement),
        SettlementReverted => entries.len() == 1 && reverts(RefType::Settlement),
        AdjustmentPushed => !entries.is_empty() && adds(RefType::Adjustment),
        AdjustmentReverted => !entries.is_empty() && reverts(RefType::Adjustment),
        MemberLinked => entries.len() == 1 && adds(RefType::Link),
        _ => entries.is_empty(),
    }
}
