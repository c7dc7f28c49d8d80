//! The entries of a ledger: whether all are there, and agree with each other and with the expenses
//! and settlements that they stand for.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Audit, Mend, Stored,
    compare::{Kept, are_same},
    read::{BalanceRow, Entries, Records},
};
use crate::{
    ledger::{Change, EntryStatus, Ledger, RefType},
    records::entry::Entry,
    storage::{
        keys::{self, Primary},
        row::{self, Item, from_item},
    },
    values::{
        entry_id::EntryId,
        id::{ExpenseId, GroupId},
        settlement_status::SettlementStatus,
        time::Timestamp,
    },
};

/// A row from which the changes of an entry follow: its key, what it is, and the row as it is
/// stored.
type Source = (Primary, String, Option<Item>);

/// The changes that an entry should have, and where they come from.
type Right = (Vec<Change>, Source);

/// An entry whose changes are not those that follow from another row.
struct Suspect {
    sequence: u64,
    right: Vec<Change>,
    source: Source,
    record: EntryId,
}

/// Partitions of entries that are not among those of `stored`.
pub(super) fn partitions_to_search(stored: &Stored, group: GroupId) -> Vec<String> {
    let read = |item: &Item| from_item::<Entry>(item.clone()).ok();
    let entries: Vec<Entry> = stored.entries.iter().filter_map(read).collect();
    let sequences: BTreeSet<u64> = entries.iter().map(|entry| entry.sequence).collect();
    let current = entries.iter().filter(|entry| entry.status == EntryStatus::Applied);
    let current: BTreeSet<&EntryId> = current.map(|entry| &entry.entry_id).collect();
    let balance = stored.ledger.iter().find(|item| super::is_at(item, keys::BALANCE));
    let ledger: Option<Ledger> = balance.and_then(|item| {
        from_item::<crate::ledger::balance::Balance>(item.clone()).ok().map(|row| row.ledger)
    });
    let ledger = ledger.unwrap_or_default();
    let count = u64::try_from(sequences.len()).unwrap_or(u64::MAX);
    let last = sequences.last().map_or(0, |last| last.saturating_add(1));
    if count >= ledger.sequence.max(last) && balance.is_some() {
        return Vec::new();
    }
    let mut names: BTreeSet<EntryId> = BTreeSet::new();
    // One half of a reverted entry names the other.
    let is_missing = |entry: &&Entry| {
        entry.other_sequence.is_some_and(|sequence| !sequences.contains(&sequence))
    };
    names.extend(entries.iter().filter(is_missing).map(|entry| entry.entry_id.clone()));
    let mut silent = Audit { group, now: Timestamp::default(), findings: Vec::new() };
    let records = Records::read(&mut silent, stored.records.clone());
    names.extend(records.expenses.keys().map(|id| EntryId::from(*id)));
    names.extend(records.settlements.keys().map(|id| EntryId::from(*id)));
    names.extend(ledger.links.guests().map(EntryId::Link));
    let lacking = names.into_iter().filter(|name| {
        !current.contains(name) || entries.iter().any(|it| it.entry_id == *name && is_missing(&it))
    });
    lacking.map(|name| keys::entry_partition(group, &name)).collect()
}

impl Audit {
    /// Compares the entries with each other and with the expenses and settlements, and returns the
    /// ledger after all of them. There is none if an entry is lost, or if it is not certain which
    /// one is right.
    pub(super) fn compare_entries(
        &mut self,
        entries: &mut Entries,
        records: &mut Records,
        balance: &BalanceRow,
    ) -> Option<Ledger> {
        self.drop_strays(entries, balance);
        self.check_statuses(entries);
        self.name_lost(entries, records, &balance.ledger);
        let mut suspects = Vec::new();
        let mut links = Ledger::default();
        let mut linked = Vec::new();
        for kept in entries.all.values() {
            let entry = &kept.row;
            self.check_pair(kept, entries);
            self.check_reference(kept);
            let right = match entry.status {
                EntryStatus::Applied => self.of_record(kept, entries, records),
                EntryStatus::Reverted => self.of_snapshot(kept),
                EntryStatus::Revert => of_reverted(entry, entries),
            };
            if let Some((changes, source)) = right
                && let Ok(changes) = links.resolved(changes)
                && !are_same(&changes, &entry.changes)
            {
                let record = entry.entry_id.clone();
                suspects.push(Suspect { sequence: entry.sequence, right: changes, source, record });
            }
            if let EntryId::Link(guest) = entry.entry_id {
                let known = balance.ledger.links.user_of(guest);
                if let Some(user) = entry.linked_to.or(known) {
                    links.links.insert(guest, user);
                }
                if entry.linked_to.is_none() {
                    let mend =
                        known.map(|user| Mend::Set(vec![("linkedTo", row::to_value(&user).ok())]));
                    let what = "has lost its linkedTo";
                    self.find(kept.key.clone(), what, Some(&kept.item), mend);
                    linked.extend(known.map(|user| (entry.sequence, user)));
                }
            }
        }
        for (sequence, user) in linked {
            if let Some(kept) = entries.all.get_mut(&sequence) {
                kept.row.linked_to = Some(user);
            }
        }
        self.judge(suspects, entries, records, balance)
    }

    /// Decides which of the entries and the rows from which they follow are right.
    fn judge(
        &mut self,
        suspects: Vec<Suspect>,
        entries: &mut Entries,
        records: &mut Records,
        balance: &BalanceRow,
    ) -> Option<Ledger> {
        let is_right = |ledger: &Ledger| {
            balance.is_readable()
                && ledger.balances == balance.ledger.balances
                && ledger.settled == balance.ledger.settled
        };
        let whole = !entries.has_lost;
        let none = BTreeMap::new();
        let as_stored = whole.then(|| entries.replay(&none)).transpose();
        if suspects.is_empty() {
            return match as_stored {
                Ok(ledger) => ledger,
                Err((kept, error)) => {
                    let what = format!("does not add up with the entries before it: {error}");
                    self.lost(kept.key.clone(), what, Some(&kept.item));
                    None
                }
            };
        }
        let instead = suspects.iter().map(|it| (it.sequence, &it.right)).collect();
        let mended = whole.then(|| entries.replay(&instead)).transpose();
        let as_stored = as_stored.ok().flatten();
        let mended = mended.ok().flatten();
        if let Some(mended) = mended.filter(is_right) {
            for Suspect { sequence, right, source: (_, name, _), .. } in suspects {
                let Some(kept) = entries.all.get_mut(&sequence) else { continue };
                let what = format!("its changes differ from those of {name}");
                let set = vec![("changes", row::to_value(&right).ok())];
                self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
                kept.row.changes = right;
            }
            return Some(mended);
        }
        let as_stored = as_stored.filter(is_right);
        for Suspect { sequence, source: (key, name, stored), record, .. } in suspects {
            records.wrong(&record);
            let Some(kept) = entries.all.get(&sequence) else { continue };
            if as_stored.is_some() {
                let what =
                    format!("differs from its entry {sequence}, with which the ledger agrees");
                self.lost(key, what, stored.as_ref());
            } else {
                let what = format!(
                    "its changes differ from those of {name}, and the ledger agrees with neither"
                );
                self.lost(kept.key.clone(), what, Some(&kept.item));
            }
        }
        as_stored
    }

    /// Reports entries after those that the balance row counts, if it agrees with the others.
    fn drop_strays(&mut self, entries: &mut Entries, balance: &BalanceRow) {
        if !balance.is_readable() || entries.all.range(balance.ledger.sequence..).next().is_none() {
            return;
        }
        let strays = entries.all.split_off(&balance.ledger.sequence);
        let counted = entries.replay(&BTreeMap::new());
        if counted.is_ok_and(|it| it.balances == balance.ledger.balances) {
            for (sequence, kept) in strays {
                let what = format!("has the sequence {sequence}, at which the ledger has no entry");
                self.lost(kept.key, what, Some(&kept.item));
            }
            entries.gaps = entries.gaps_until(balance.ledger.sequence, &BTreeSet::new());
            entries.has_lost = !entries.gaps.is_empty();
        } else {
            entries.all.extend(strays);
        }
    }

    /// Reports the entries that are lost, by their keys if other rows tell them.
    fn name_lost(&mut self, entries: &Entries, records: &mut Records, ledger: &Ledger) {
        let mut count = 0_u64;
        for (first, last) in &entries.gaps {
            count = count.saturating_add(last.saturating_sub(*first)).saturating_add(1);
        }
        for kept in entries.all.values() {
            let other = kept.row.other_sequence.filter(|other| entries.in_gap(*other));
            if let Some(other) = other {
                let key = keys::past_entry(self.group, &kept.row.entry_id, other);
                let what = format!("is missing, but the entry {} names it", kept.row.sequence);
                self.lost(key, what, None);
                count = count.saturating_sub(1);
            }
        }
        let has_lost = entries.has_lost;
        let applied = entries.all.values().filter(|it| it.row.status == EntryStatus::Applied);
        let applied: BTreeSet<EntryId> = applied.map(|it| it.row.entry_id.clone()).collect();
        let expenses = records.expenses.values();
        let expenses =
            expenses.map(|it| (EntryId::from(it.row.id), "the expense", it.key.clone(), &it.item));
        let settlements =
            records.settlements.values().filter(|it| it.row.status == SettlementStatus::Completed);
        let settlements = settlements
            .map(|it| (EntryId::from(it.row.id), "the settlement", it.key.clone(), &it.item));
        for guest in ledger.links.guests() {
            let id = EntryId::Link(guest);
            if count > 0 && !applied.contains(&id) {
                let key = keys::entry(self.group, &id);
                self.lost(key, "is missing, but the balance row has the link", None);
                count = count.saturating_sub(1);
            }
        }
        let lacking = expenses.chain(settlements).filter(|(id, ..)| !applied.contains(id));
        let mut wrong = Vec::new();
        for (id, name, own, item) in lacking {
            let key = keys::entry(self.group, &id);
            let is_reported = self.findings.iter().any(|finding| finding.key == key);
            if count > 0 {
                self.lost(key, format!("is missing, but {name} counts"), None);
                count = count.saturating_sub(1);
            } else if !is_reported && !has_lost {
                self.lost(own, "is not in the ledger, which is whole", Some(item));
            }
            wrong.push(id);
        }
        for id in wrong {
            records.wrong(&id);
        }
        if count > 0 {
            for (first, last) in &entries.gaps {
                if entries.all.keys().next_back().is_none_or(|end| end < first) {
                    let what = format!("counts {} entries, but they end before {first}", {
                        ledger.sequence
                    });
                    self.lost(keys::balance(self.group), what, None);
                    continue;
                }
                let pk = keys::entries_of(self.group);
                let key = Primary { pk, sk: format!("{first:020}") };
                self.lost(key, format!("an entry from {first} to {last} is missing"), None);
            }
        }
    }

    /// Of two past entries that name each other, the later one reverts the other.
    fn check_statuses(&mut self, entries: &mut Entries) {
        let status_of = |kept: &Kept<Entry>| {
            let entry = &kept.row;
            let other = &entries.all.get(&entry.other_sequence?)?.row;
            let is_pair =
                other.entry_id == entry.entry_id && other.other_sequence == Some(entry.sequence);
            let is_later = entry.sequence > other.sequence;
            let right = if is_later { EntryStatus::Revert } else { EntryStatus::Reverted };
            (is_pair && entry.status != right).then_some((entry.sequence, right))
        };
        for (sequence, right) in entries.all.values().filter_map(status_of).collect::<Vec<_>>() {
            let Some(kept) = entries.all.get_mut(&sequence) else { continue };
            let set = vec![("status", row::to_value(&right).ok())];
            let what = format!("its status should be {right}");
            self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
            kept.row.status = right;
        }
    }

    /// Checks that a reverted entry and its revert name each other.
    fn check_pair(&mut self, kept: &Kept<Entry>, entries: &Entries) {
        let entry = &kept.row;
        let status = match entry.status {
            EntryStatus::Applied => return,
            EntryStatus::Reverted => EntryStatus::Revert,
            EntryStatus::Revert => EntryStatus::Reverted,
        };
        let named = entry.other_sequence.and_then(|sequence| entries.all.get(&sequence));
        let named = named.filter(|it| it.row.status == status && it.row.entry_id == entry.entry_id);
        if named.is_some_and(|it| it.row.other_sequence == Some(entry.sequence)) {
            return;
        }
        if let Some(other) = entries.with_other(entry, status) {
            let set = vec![("otherSequence", row::to_value(&other.row.sequence).ok())];
            let what = format!("its otherSequence should be {}", other.row.sequence);
            self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
        } else if named.is_none() && !entries.has_lost {
            self.lost(kept.key.clone(), "has no entry that it belongs to", Some(&kept.item));
        }
    }

    fn check_reference(&mut self, kept: &Kept<Entry>) {
        let right = match kept.row.ref_type {
            RefType::Expense | RefType::Settlement => Some(kept.row.entry_id.to_string()),
            RefType::Adjustment | RefType::Link => None,
        };
        if kept.row.ref_id != right {
            let set = vec![("refId", right.and_then(|id| row::to_value(&id).ok()))];
            let what = "its refId should be its entryId";
            self.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
        }
    }

    /// The changes of the expense or the settlement of an entry that counts, and its row.
    fn of_record(
        &mut self,
        kept: &Kept<Entry>,
        entries: &Entries,
        records: &mut Records,
    ) -> Option<Right> {
        let entry = &kept.row;
        let EntryId::Record(id) = entry.entry_id else { return None };
        let at = ExpenseId::from_bytes(*id.as_bytes());
        let at = at.created_at().or(entry.ref_created_at).unwrap_or(entry.created_at);
        let is_certain = !entries.disputed.contains(&entry.sequence);
        match entry.ref_type {
            RefType::Expense => {
                let id = ExpenseId::from_bytes(*id.as_bytes());
                let Some(expense) = records.expenses.get(&id) else {
                    if records.v0_expenses.iter().all(|it| it.row.id != id) {
                        self.lost_record(keys::expense(self.group, at), entry.sequence);
                        records.wrong_expenses.insert(id);
                    }
                    return None;
                };
                // It has been reported.
                if records.wrong_expenses.contains(&id) {
                    return None;
                }
                let stored = expense.row.updated_at.unwrap_or(expense.row.created_at);
                if id.is_ours() && stored != entry.created_at && is_certain {
                    let right = Some(entry.created_at).filter(|at| *at != expense.row.created_at);
                    let set = vec![("updatedAt", right.and_then(|at| row::to_value(&at).ok()))];
                    let what =
                        format!("its updatedAt should be that of its entry {}", entry.sequence);
                    let key = expense.key.clone();
                    let item = expense.item.clone();
                    self.find(key, what, Some(&item), Some(Mend::Set(set)));
                    records.wrong_expenses.insert(id);
                }
                let expense = records.expenses.get(&id)?;
                let changes = expense.row.event().ok()?.changes;
                let item = Some(expense.item.clone());
                Some((changes, (expense.key.clone(), "its expense".to_owned(), item)))
            }
            RefType::Settlement => {
                let id = crate::values::id::SettlementId::from_bytes(*id.as_bytes());
                let Some(settlement) = records.settlements.get(&id) else {
                    if records.v0_settlements.iter().all(|it| it.row.id != id) {
                        self.lost_record(keys::settlement(self.group, at), entry.sequence);
                        records.wrong_settlements.insert(id);
                    }
                    return None;
                };
                let row = &settlement.row;
                let is_at = row.completed_at == Some(entry.created_at);
                let is_completed = row.status == SettlementStatus::Completed;
                if !is_completed || id.is_ours() && !is_at && is_certain {
                    let set = vec![
                        ("status", row::to_value(&SettlementStatus::Completed).ok()),
                        ("completedAt", row::to_value(&entry.created_at).ok()),
                    ];
                    let what = format!(
                        "its status and completedAt should be those of its entry {}",
                        entry.sequence
                    );
                    let key = settlement.key.clone();
                    let item = settlement.item.clone();
                    self.find(key, what, Some(&item), Some(Mend::Set(set)));
                    records.wrong_settlements.insert(id);
                }
                let settlement = records.settlements.get(&id)?;
                let changes = settlement.row.event().ok()?.changes;
                let item = Some(settlement.item.clone());
                Some((changes, (settlement.key.clone(), "its settlement".to_owned(), item)))
            }
            RefType::Adjustment | RefType::Link => None,
        }
    }

    fn lost_record(&mut self, key: Primary, sequence: u64) {
        // A row that cannot be read has been reported.
        if self.findings.iter().all(|finding| finding.key != key) {
            self.lost(key, format!("is missing, but its entry {sequence} counts"), None);
        }
    }

    /// The changes of the expense that a reverted entry keeps.
    fn of_snapshot(&mut self, kept: &Kept<Entry>) -> Option<Right> {
        if kept.row.ref_type != RefType::Expense {
            return None;
        }
        let Some(expense) = &kept.row.snapshot else {
            let what = "has lost the expense as it was";
            self.lost(kept.key.clone(), what, Some(&kept.item));
            return None;
        };
        let changes = expense.event().ok()?.changes;
        let name = "the expense as it was".to_owned();
        Some((changes, (kept.key.clone(), name, Some(kept.item.clone()))))
    }
}

/// The changes that take back those of the reverted entry of a revert.
fn of_reverted(entry: &Entry, entries: &Entries) -> Option<Right> {
    let reverted = entries.all.get(&entry.other_sequence?)?;
    if reverted.row.entry_id != entry.entry_id {
        return None;
    }
    // If it keeps its expense, its own changes may be the wrong ones.
    let snapshot = reverted.row.snapshot.as_ref().and_then(|it| it.event().ok());
    let changes = snapshot.map_or_else(|| reverted.row.changes.clone(), |event| event.changes);
    let negated = changes
        .iter()
        .map(|it| Some(Change { totals: it.totals.negated()?, ..*it }))
        .collect::<Option<Vec<_>>>()?;
    let name = "the entry that it reverts".to_owned();
    Some((negated, (reverted.key.clone(), name, Some(reverted.item.clone()))))
}
