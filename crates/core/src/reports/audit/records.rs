//! The rows of a group's partition, and those that follow from its expenses and settlements.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    Audit, Mend,
    compare::{Kept, are_same, by_sort_key, is_v0, marks},
    read::{Entries, LedgerRows, Records, expense_of},
    uses_hash,
};
use crate::{
    ledger::Change,
    records::{
        deleted_expense::DeletedExpense,
        expense::{PaidExpense, Participant},
        group_change::{ChangeKind, GroupChange},
        import::{ImportedSettlement, was_pending},
        settlement::{Settlement, UsedHash},
    },
    reports::tally::{TallyRow, corrections},
    storage::{
        keys::{self, Primary, prefix},
        row::{FORMAT_VERSION, Item, KIND, Row, from_item},
    },
    values::{
        entry_id::EntryId,
        id::{ExpenseId, ImportId},
    },
};

impl Audit {
    /// Reports v0 rows of expenses and settlements: no balance has them, unless they lost what
    /// tells them from v0 rows after they were recorded.
    pub(super) fn check_v0(&mut self, records: &mut Records, entries: &Entries) {
        let mut wrong: Vec<EntryId> = Vec::new();
        for kept in &records.v0_expenses {
            let changes = kept.row.event().ok().map(|event| event.changes);
            wrong.extend(self.check_v0_row(kept, kept.row.id.into(), changes, entries));
        }
        for kept in &records.v0_settlements {
            let changes = kept.row.event().ok().map(|event| event.changes);
            wrong.extend(self.check_v0_row(kept, kept.row.id.into(), changes, entries));
        }
        for id in wrong {
            records.wrong(&id);
        }
        let known: BTreeSet<ExpenseId> =
            records.all_expenses().into_iter().map(|expense| expense.id).collect();
        for item in records.participants.iter().filter(|item| is_v0(item)) {
            let Some(key) = Primary::of(item) else { continue };
            let expense = expense_of(&key.sk, prefix::PARTICIPANT);
            if expense.is_none_or(|id| !known.contains(&id)) {
                let what = "is a row of the TypeScript Fracti whose expense does not exist";
                self.lost(key, what, Some(item));
            }
        }
    }

    /// Returns the id of a row that counts, but is not as its entry says.
    fn check_v0_row<T: Row>(
        &mut self,
        kept: &Kept<T>,
        id: EntryId,
        changes: Option<Vec<Change>>,
        entries: &Entries,
    ) -> Option<EntryId> {
        let Kept { key, item, row } = kept;
        let Some(entry) = entries.applied(&id) else {
            let what = "is a row of the TypeScript Fracti, and no balance has it: fracti-admin \
                        migrate records it or says why it cannot";
            self.lost(key.clone(), what, Some(item));
            return None;
        };
        let is_recorded = row.keys().primary == *key
            && changes.is_some_and(|changes| are_same(&changes, &entry.changes));
        let mend = is_recorded.then(|| Mend::Set(marks::<T>()));
        let differs = if is_recorded { "" } else { ", and differs from it" };
        let what = format!(
            "has no {KIND} and {FORMAT_VERSION}, but its entry {} counts{differs}",
            entry.sequence
        );
        self.find(key.clone(), what, Some(item), mend);
        (!is_recorded).then_some(id)
    }

    /// Checks what follows from expenses and settlements: their index attributes, participants,
    /// payers, tallies, used hashes and imported settlements; and from the entries of deletions.
    pub(super) fn check_derived(
        &mut self,
        records: &Records,
        entries: &Entries,
        ledger: &mut LedgerRows,
        hashes: Vec<Item>,
    ) {
        let dated = records.group.as_ref().is_some_and(|group| group.row.dated);
        for kept in records.sound_expenses() {
            // Expenses of earlier groups may have no keys by day.
            if dated || kept.item.contains_key("GSI1PK") {
                self.check_indexes(kept);
            } else {
                self.check_indexes_but(kept, &["GSI1PK", "GSI1SK"]);
            }
        }
        for kept in records.sound_settlements() {
            self.check_indexes(kept);
        }
        if !records.has_unreadable {
            self.check_copies(records);
            self.check_imported(records);
        }
        self.check_deleted(records, entries, ledger);
        self.check_hashes(records, hashes);
        if records.are_whole() {
            self.check_tallies(records, ledger);
        }
    }

    fn check_copies(&mut self, records: &Records) {
        let participants = records.about_sound(&records.participants, prefix::PARTICIPANT);
        let right = records.sound_expenses().flat_map(|kept| kept.row.participants());
        // `date-expenses` dates only the expense. Views show the same day without a date.
        let adapt = |stored: &mut Participant, right: &mut Participant| {
            if stored.date.is_none() && right.date == Some(right.created_at.day()) {
                stored.date = right.date;
            }
        };
        self.compare(participants, right.collect::<Vec<_>>(), adapt, "its expense");

        let payers = records.about_sound(&records.payers, prefix::PAID);
        let right = records.sound_expenses().flat_map(|kept| kept.row.further_payers());
        let adapt = |stored: &mut PaidExpense, right: &mut PaidExpense| {
            if stored.expense.date.is_none()
                && right.expense.date == Some(right.expense.created_at.day())
            {
                stored.expense.date = right.expense.date;
            }
        };
        self.compare(payers, right.collect::<Vec<_>>(), adapt, "its expense");
    }

    /// A settlement that was imported as pending has a row of its own.
    fn check_imported(&mut self, records: &Records) {
        let expenses = records.expenses.values().map(|kept| kept.row.import_id);
        let settlements = records.settlements.values().map(|kept| kept.row.import_id);
        let named: BTreeSet<ImportId> = expenses.chain(settlements).flatten().collect();
        for id in named.into_iter().filter(|id| !records.imports.contains_key(id)) {
            let key = keys::import(self.group, id);
            if self.findings.iter().all(|finding| finding.key != key) {
                self.lost(key, "is missing, but expenses or settlements are of this import", None);
            }
        }
        let mut stored = by_sort_key(records.imported.iter().cloned());
        let mut right = Vec::new();
        for Kept { row: settlement, .. } in records.settlements.values() {
            let Settlement { id, group_id, import_id, .. } = *settlement;
            let row = ImportedSettlement { settlement_id: id, group_id };
            if import_id.is_some()
                && was_pending(settlement)
                && !records.wrong_settlements.contains(&id)
            {
                right.push(row);
            }
        }
        for id in &records.wrong_settlements {
            stored.remove(&keys::imported_settlement(self.group, *id).sk);
        }
        self.compare(stored, right, |_, _| {}, "its import");
    }

    /// An expense that a user deleted has a row by which it is listed, if the group was told of it.
    /// The undo of an import puts none, and nor did earlier versions, which told nothing.
    fn check_deleted(&mut self, records: &Records, entries: &Entries, ledger: &mut LedgerRows) {
        let mut told: BTreeSet<u64> = BTreeSet::new();
        for item in ledger.take(prefix::CHANGE).into_values() {
            if let Some(Kept { row: change, .. }) = self.read_own::<GroupChange>(item)
                && change.subject.kind == ChangeKind::ExpenseDeleted
            {
                told.extend(change.entries.map(|entries| entries.sequence));
            }
        }
        if entries.has_lost {
            return;
        }
        let stored = by_sort_key(records.deleted.iter().cloned());
        let right = entries.deletions().filter_map(|(id, revert, is_last)| {
            let row = DeletedExpense::by(revert, id)?;
            let is_listed = stored.contains_key(&row.keys().primary.sk);
            (is_listed || is_last && told.contains(&revert.sequence)).then_some(row)
        });
        let right: Vec<_> = right.collect();
        self.compare(stored, right, |_, _| {}, "the ledger");
    }

    fn check_hashes(&mut self, records: &Records, hashes: Vec<Item>) {
        let mut stored: BTreeMap<String, Item> = BTreeMap::new();
        for item in hashes {
            if let Some(key) = Primary::of(&item) {
                stored.insert(key.pk, item);
            }
        }
        let mut seen = BTreeSet::new();
        for Kept { row: settlement, .. } in records.sound_settlements() {
            let (Some(hash), Some(id)) = (&settlement.tx_hash, uses_hash(settlement)) else {
                continue;
            };
            let key = keys::tx_hash(hash);
            let found = stored.get(&key.pk).cloned();
            let used: Option<UsedHash> = found.clone().and_then(|it| from_item(it).ok());
            let right = UsedHash { tx_hash: hash.clone(), settlement_id: id, group_id: self.group };
            // Several settlements of v0 rows may have one hash, which belongs to the first.
            let is_other = |used: &UsedHash| used.settlement_id != id;
            if !id.is_ours() && (used.as_ref().is_some_and(is_other) || seen.contains(&key.pk)) {
                continue;
            }
            seen.insert(key.pk.clone());
            if let Some(used) = used.filter(is_other) {
                let other = records.settlements.get(&used.settlement_id);
                let is_true = other.is_some_and(|it| it.row.tx_hash.as_ref() == Some(hash));
                if used.group_id != self.group || is_true {
                    let UsedHash { settlement_id, group_id, .. } = used;
                    let what = format!(
                        "the settlement {id} has this hash, but the row says that it is of \
                         {settlement_id} of the group {group_id}"
                    );
                    self.lost(key, what, found.as_ref());
                    continue;
                }
            }
            let found = found.map(|item| (right.keys().primary.sk, item));
            self.compare(found.into_iter().collect(), [right], |_, _| {}, "its settlement");
        }
    }

    fn check_tallies(&mut self, records: &Records, ledger: &mut LedgerRows) {
        let Ok(right) = corrections(&records.all_expenses(), &[]) else { return };
        let group_id = self.group;
        let updated_at = self.now;
        let right = right.into_iter();
        let right = right.map(|(of, counters)| TallyRow { group_id, of, updated_at, counters });
        let adapt =
            |stored: &mut TallyRow, right: &mut TallyRow| stored.updated_at = right.updated_at;
        let stored = ledger.take(prefix::TALLY);
        // A tally whose counters are all zero says nothing, and remains of expenses that were
        // deleted.
        let is_empty = |item: &Item| {
            from_item::<TallyRow>(item.clone()).is_ok_and(|row| row.counters.is_empty())
        };
        let stored = stored.into_iter().filter(|(_, item)| !is_empty(item)).collect();
        self.compare(stored, right.collect::<Vec<_>>(), adapt, "the expenses");
    }
}
