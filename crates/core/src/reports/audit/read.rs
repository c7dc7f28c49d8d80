//! The rows of a group as sets, from which the checks compute the others.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry as Slot};

use super::{
    Audit, Mend,
    compare::{Kept, Read, by_sort_key, is_v0},
    is_at,
};
use crate::{
    group::{Group, MemberRow, group_state::GroupState},
    ledger::{
        Change, EntryStatus, Ledger, LedgerError, RefType,
        balance::{Balance, Checkpoint, Closing},
    },
    questions::{points::Points, question::Question},
    records::{
        entry::Entry, expense::Expense, import::ImportRow, schedule::Schedule,
        settlement::Settlement,
    },
    storage::{
        keys::{self, prefix},
        row::{self, AttributeValue, Item, Row, from_item},
    },
    values::{
        decimal::Decimal,
        entry_id::EntryId,
        id::{ExpenseId, ImportId, MemberId, SettlementId},
        time::Timestamp,
    },
};

/// The rows of a group's partition.
#[derive(Default)]
pub(super) struct Records {
    pub(super) group: Option<Kept<Group>>,
    pub(super) members: Vec<Kept<MemberRow>>,
    /// v0 rows of members.
    pub(super) other_members: BTreeSet<MemberId>,
    pub(super) expenses: BTreeMap<ExpenseId, Kept<Expense>>,
    pub(super) settlements: BTreeMap<SettlementId, Kept<Settlement>>,
    pub(super) v0_expenses: Vec<Kept<Expense>>,
    pub(super) v0_settlements: Vec<Kept<Settlement>>,
    pub(super) imports: BTreeMap<ImportId, Kept<ImportRow>>,
    /// Expenses that are lost or wrong, so that nothing follows from them.
    pub(super) wrong_expenses: BTreeSet<ExpenseId>,
    /// Settlements that are lost or wrong.
    pub(super) wrong_settlements: BTreeSet<SettlementId>,
    /// Whether the group has an unreadable row of unknown kind.
    pub(super) has_unreadable: bool,
    pub(super) participants: Vec<Item>,
    pub(super) payers: Vec<Item>,
    pub(super) imported: Vec<Item>,
    pub(super) deleted: Vec<Item>,
}

impl Records {
    pub(super) fn read(audit: &mut Audit, items: Vec<Item>) -> Self {
        let mut records = Self::default();
        for item in items {
            if is_at(&item, keys::METADATA) {
                match audit.read(item) {
                    Read::Kept(group) => records.group = Some(group),
                    Read::V0(row) => audit.unmigrated(row.as_ref()),
                    Read::Bad => {}
                }
            } else if is_at(&item, prefix::MEMBER) {
                match audit.read::<MemberRow>(item) {
                    Read::Kept(member) => records.members.push(member),
                    Read::V0(row) => {
                        audit.unmigrated(row.as_ref());
                        records.other_members.extend(row.map(|kept| kept.row.member.id));
                    }
                    Read::Bad => records.has_unreadable = true,
                }
            } else if is_at(&item, prefix::EXPENSE) {
                match audit.read::<Expense>(item) {
                    Read::Kept(kept) => drop(records.expenses.insert(kept.row.id, kept)),
                    Read::V0(row) => records.v0_expenses.extend(row),
                    Read::Bad => records.has_unreadable = true,
                }
            } else if is_at(&item, prefix::SETTLEMENT) {
                match audit.read::<Settlement>(item) {
                    Read::Kept(kept) => drop(records.settlements.insert(kept.row.id, kept)),
                    Read::V0(row) => records.v0_settlements.extend(row),
                    Read::Bad => records.has_unreadable = true,
                }
            } else if is_at(&item, prefix::IMPORT) {
                if let Some(kept) = audit.read_own::<ImportRow>(item) {
                    records.imports.insert(kept.row.id, kept);
                }
            } else if is_at(&item, prefix::PARTICIPANT) {
                records.participants.push(item);
            } else if is_at(&item, prefix::PAID) {
                records.payers.push(item);
            } else if is_at(&item, prefix::IMPORTED) {
                records.imported.push(item);
            } else if is_at(&item, prefix::DELETED) {
                records.deleted.push(item);
            } else if is_at(&item, prefix::SCHEDULE) {
                audit.check_schedule(item);
            } else if is_at(&item, prefix::QUESTION) {
                audit.check_row::<Question>(item);
            } else if is_at(&item, prefix::POINTS) {
                audit.check_row::<Points>(item);
            }
        }
        records.check_amounts(audit);
        records
    }

    /// Checks that the payers and the shares of each expense add up to its amount.
    fn check_amounts(&mut self, audit: &mut Audit) {
        for kept in self.expenses.values().filter(|kept| kept.row.id.is_ours()) {
            let expense = &kept.row;
            let minor = |amount: Decimal| expense.currency.to_minor(amount).ok().map(i128::from);
            let payers = expense.all_payers();
            let main = payers.first().map(|payer| payer.user_id);
            let paid: Option<i128> = payers.iter().map(|payer| minor(payer.amount)).sum();
            let owed: Option<i128> = expense.splits.iter().map(|it| minor(it.amount)).sum();
            let amount = minor(expense.amount);
            if amount.is_none() || [paid, owed] != [amount; 2] || main != Some(expense.payer_id) {
                let what = "its amount, payers and shares contradict each other";
                audit.lost(kept.key.clone(), what, Some(&kept.item));
                self.wrong_expenses.insert(expense.id);
            }
        }
    }

    /// Marks the expense or the settlement of an entry as lost or wrong.
    pub(super) fn wrong(&mut self, of: &EntryId) {
        if let EntryId::Record(id) = of {
            self.wrong_expenses.insert(ExpenseId::from_bytes(*id.as_bytes()));
            self.wrong_settlements.insert(SettlementId::from_bytes(*id.as_bytes()));
        }
    }

    /// Whether there is an expense or a settlement, whose recording wrote the balance row.
    pub(super) fn have_events(&self) -> bool {
        !self.expenses.is_empty() || !self.settlements.is_empty()
    }

    /// Whether all expenses and settlements are there and agree with the ledger.
    pub(super) fn are_whole(&self) -> bool {
        !self.has_unreadable && self.wrong_expenses.is_empty() && self.wrong_settlements.is_empty()
    }

    /// The expenses from which other rows follow.
    pub(super) fn sound_expenses(&self) -> impl Iterator<Item = &Kept<Expense>> {
        self.expenses.values().filter(|kept| !self.wrong_expenses.contains(&kept.row.id))
    }

    /// The settlements from which other rows follow.
    pub(super) fn sound_settlements(&self) -> impl Iterator<Item = &Kept<Settlement>> {
        self.settlements.values().filter(|kept| !self.wrong_settlements.contains(&kept.row.id))
    }

    /// All expenses that can be read.
    pub(super) fn all_expenses(&self) -> Vec<Expense> {
        self.expenses.values().chain(&self.v0_expenses).map(|kept| kept.row.clone()).collect()
    }

    /// All settlements that can be read.
    pub(super) fn all_settlements(&self) -> Vec<Settlement> {
        self.settlements.values().chain(&self.v0_settlements).map(|kept| kept.row.clone()).collect()
    }

    /// The rows that are about an expense that is right or does not exist. The others may tell how
    /// the expense was, and a v0 row of an expense that does not exist may be all that is left of
    /// it.
    pub(super) fn about_sound(&self, items: &[Item], prefix: &str) -> BTreeMap<String, Item> {
        let v0 = self.v0_expenses.iter().map(|kept| kept.row.id);
        let left: BTreeSet<ExpenseId> = v0.chain(self.wrong_expenses.clone()).collect();
        let is_sound = |key: &str, item: &Item| {
            let Some(id) = expense_of(key, prefix) else { return !is_v0(item) };
            !left.contains(&id) && (self.expenses.contains_key(&id) || !is_v0(item))
        };
        let rows = by_sort_key(items.iter().cloned()).into_iter();
        rows.filter(|(key, item)| is_sound(key, item)).collect()
    }
}

/// The expense in the sort key of a participant or a payer.
pub(super) fn expense_of(key: &str, prefix: &str) -> Option<ExpenseId> {
    key.strip_prefix(prefix)?.split('#').next()?.parse().ok()
}

/// The entries of a group.
#[derive(Default)]
pub(super) struct Entries {
    /// Those that can be read, by sequence.
    pub(super) all: BTreeMap<u64, Kept<Entry>>,
    /// First and last sequence of each gap, apart from entries that are reported already.
    pub(super) gaps: Vec<(u64, u64)>,
    /// Whether an entry is lost or cannot be read.
    pub(super) has_lost: bool,
    /// Those whose time is uncertain.
    pub(super) disputed: BTreeSet<u64>,
}

/// The rows of the ledger's partition, by sort key.
pub(super) struct LedgerRows(BTreeMap<String, Item>);

/// The balance row as it was read.
pub(super) struct BalanceRow {
    pub(super) item: Option<Item>,
    pub(super) is_readable: bool,
    pub(super) ledger: Ledger,
}

/// A row with a past ledger.
pub(super) trait Past: Row {
    const PREFIX: &'static str;

    fn ledger(&self) -> &Ledger;

    fn with_ledger(self, ledger: Ledger) -> Self;

    /// Whether the last event before the row may have been at this moment.
    fn allows(&self, at: Timestamp) -> bool;
}

impl Past for Closing {
    const PREFIX: &'static str = prefix::CLOSING;

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn with_ledger(self, ledger: Ledger) -> Self {
        Self { ledger, ..self }
    }

    fn allows(&self, at: Timestamp) -> bool {
        at.day() == self.day
    }
}

impl Past for Checkpoint {
    const PREFIX: &'static str = prefix::CHECKPOINT;

    fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    fn with_ledger(self, ledger: Ledger) -> Self {
        Self { ledger, ..self }
    }

    fn allows(&self, at: Timestamp) -> bool {
        at == self.at
    }
}

impl LedgerRows {
    pub(super) fn of(items: Vec<Item>) -> Self {
        Self(by_sort_key(items))
    }

    /// Takes the rows with this prefix.
    pub(super) fn take(&mut self, prefix: &str) -> BTreeMap<String, Item> {
        let (taken, left) =
            std::mem::take(&mut self.0).into_iter().partition(|(key, _)| key.starts_with(prefix));
        self.0 = left;
        taken
    }

    /// The ledgers of closings and checkpoints that can be read.
    pub(super) fn past(&self) -> impl Iterator<Item = Ledger> + '_ {
        fn read<T: Past>((key, item): (&String, &Item)) -> Option<Ledger> {
            let row = key.starts_with(T::PREFIX).then(|| from_item::<T>(item.clone()).ok());
            row.flatten().map(|row| row.ledger().clone())
        }
        self.0.iter().filter_map(|row| read::<Closing>(row).or_else(|| read::<Checkpoint>(row)))
    }
}

impl BalanceRow {
    pub(super) const fn is_readable(&self) -> bool {
        self.is_readable
    }
}

impl Entries {
    pub(super) fn read(audit: &mut Audit, items: Vec<Item>, ledger: &Ledger) -> Self {
        let mut entries = Self::default();
        let mut known: BTreeSet<u64> = BTreeSet::new();
        let mut disputed = Vec::new();
        for item in items {
            let sequence = match item.get("sequence") {
                Some(AttributeValue::N(number)) => number.parse::<u64>().ok(),
                _ => None,
            };
            let Some(kept) = audit.read_own::<Entry>(item) else {
                entries.has_lost = true;
                known.extend(sequence);
                continue;
            };
            let own = (kept.row.created_at, kept.row.sequence);
            match position(&kept).filter(|position| *position != own) {
                Some(position) => disputed.push((kept, position)),
                None => entries.place(audit, kept),
            }
        }
        for (kept, position) in disputed {
            entries.decide(audit, kept, position, ledger);
        }
        entries.gaps = entries.gaps_until(ledger.sequence, &known);
        entries.has_lost |= !entries.gaps.is_empty();
        entries
    }

    /// Adds an entry. Of two with one sequence, one is a stray.
    fn place(&mut self, audit: &mut Audit, kept: Kept<Entry>) {
        audit.check_indexes(&kept);
        let sequence = kept.row.sequence;
        match self.all.entry(sequence) {
            Slot::Vacant(slot) => drop(slot.insert(kept)),
            Slot::Occupied(_) => {
                let what = format!("another entry has the sequence {sequence}, too");
                audit.lost(kept.key, what, Some(&kept.item));
            }
        }
    }

    /// Adds an entry whose time or sequence differs in the index. What fits between
    /// the other entries is right.
    fn decide(
        &mut self,
        audit: &mut Audit,
        mut kept: Kept<Entry>,
        (at, sequence): (Timestamp, u64),
        ledger: &Ledger,
    ) {
        let fits = |at: Timestamp, sequence: u64| {
            let before = self.all.range(..sequence).next_back();
            let after = self.all.range(sequence..).next();
            sequence < ledger.sequence
                && !self.all.contains_key(&sequence)
                && before.is_none_or(|(_, before)| before.row.created_at <= at)
                && after.is_none_or(|(_, after)| at <= after.row.created_at)
        };
        let by_row = fits(kept.row.created_at, kept.row.sequence);
        let by_index = fits(at, sequence);
        let text = |value: &_| row::to_value(value).ok();
        match (by_row, by_index) {
            (true, false) => audit.check_indexes(&kept),
            (false, true) => {
                let set = [("createdAt", text(&at)), ("sequence", row::to_value(&sequence).ok())];
                let own = [kept.row.created_at == at, kept.row.sequence == sequence];
                let set: Vec<_> =
                    set.into_iter().zip(own).filter(|(_, same)| !same).map(|(it, _)| it).collect();
                let names: Vec<_> = set.iter().map(|(name, _)| *name).collect();
                let what = format!("its {} fits to no other entry", names.join(", "));
                audit.find(kept.key.clone(), what, Some(&kept.item), Some(Mend::Set(set)));
                (kept.row.created_at, kept.row.sequence) = (at, sequence);
            }
            (true, true) | (false, false) => {
                let what = "its createdAt, sequence and GSI1SK contradict each other";
                audit.lost(kept.key.clone(), what, Some(&kept.item));
                if by_row {
                    self.disputed.insert(kept.row.sequence);
                } else {
                    self.has_lost = true;
                    return;
                }
            }
        }
        self.all.insert(kept.row.sequence, kept);
    }

    /// First and last sequence of each gap below `end` and between the entries.
    pub(super) fn gaps_until(&self, end: u64, known: &BTreeSet<u64>) -> Vec<(u64, u64)> {
        let present: BTreeSet<u64> = self.all.keys().chain(known).copied().collect();
        let mut gaps = Vec::new();
        let mut next = 0;
        for sequence in present.into_iter().chain([end]) {
            if next < sequence {
                gaps.push((next, sequence.saturating_sub(1)));
            }
            next = next.max(sequence.saturating_add(1));
        }
        gaps
    }

    /// The entry of an expense or a settlement that counts.
    pub(super) fn applied(&self, id: &EntryId) -> Option<&Entry> {
        let entries = self.all.values().map(|kept| &kept.row);
        entries.filter(|entry| entry.status == EntryStatus::Applied).find(|it| it.entry_id == *id)
    }

    /// Whether an adjustment counts, whose changes no other row tells.
    pub(super) fn have_adjustments(&self) -> bool {
        self.all.values().any(|kept| kept.row.ref_type == RefType::Adjustment)
    }

    /// The reverts of expenses, and whether each is the last entry of its expense. One that is not
    /// may have a row by which it is listed if the expense was imported again.
    pub(super) fn deletions(&self) -> impl Iterator<Item = (ExpenseId, &Entry, bool)> {
        let mut of_expenses: BTreeMap<&EntryId, Vec<&Entry>> = BTreeMap::new();
        let entries = self.all.values().map(|kept| &kept.row);
        for entry in entries.filter(|entry| entry.ref_type == RefType::Expense) {
            of_expenses.entry(&entry.entry_id).or_default().push(entry);
        }
        of_expenses.into_iter().flat_map(|(id, entries)| {
            let EntryId::Record(id) = id else { return Vec::new() };
            let id = ExpenseId::from_bytes(*id.as_bytes());
            let last = entries.last().map(|entry| entry.sequence);
            let is_imported = entries.iter().any(|entry| entry.import_id.is_some());
            let reverts = entries.into_iter().filter(|it| it.status == EntryStatus::Revert);
            let with_end = reverts.map(|it| (id, it, Some(it.sequence) == last));
            with_end.filter(|(.., is_last)| *is_last || is_imported).collect()
        })
    }

    pub(super) fn in_gap(&self, sequence: u64) -> bool {
        self.gaps.iter().any(|(first, last)| (*first..=*last).contains(&sequence))
    }

    /// The entry in whose place a ledger has another one reverted or a revert.
    pub(super) fn with_other(&self, of: &Entry, status: EntryStatus) -> Option<&Kept<Entry>> {
        self.all.values().find(|kept| {
            kept.row.status == status
                && kept.row.entry_id == of.entry_id
                && kept.row.other_sequence == Some(of.sequence)
        })
    }

    /// The ledger after all entries, with the changes that `instead` has instead of theirs.
    ///
    /// # Errors
    ///
    /// The first entry that cannot be applied, and why.
    pub(super) fn replay(
        &self,
        instead: &BTreeMap<u64, &Vec<Change>>,
    ) -> Result<Ledger, (&Kept<Entry>, LedgerError)> {
        let mut ledger = Ledger::default();
        for (sequence, kept) in &self.all {
            let applied = if let Some(changes) = instead.get(sequence) {
                let entry = Entry { changes: (*changes).clone(), ..kept.row.clone() };
                ledger.replay_next(&entry)
            } else {
                ledger.replay_next(&kept.row)
            };
            applied.map_err(|error| (kept, error))?;
        }
        Ok(ledger)
    }
}

impl Audit {
    /// Reads a row from which nothing follows, and checks its index attributes.
    pub(super) fn check_row<T: Row>(&mut self, item: Item) {
        if let Some(kept) = self.read_own::<T>(item) {
            self.check_indexes(&kept);
        }
    }

    /// Checks that a schedule is due if it is active, and that its next date is one of its rule. A
    /// failed attempt may have delayed it.
    fn check_schedule(&mut self, item: Item) {
        let Some(kept) = self.read_own::<Schedule>(item) else { return };
        let schedule = &kept.row;
        if schedule.next_date.is_some_and(|next| !schedule.repeat.has(next)) {
            self.lost(kept.key.clone(), "its nextDate is no date of its rule", Some(&kept.item));
        }
        let due_at = schedule.first_due_at();
        if schedule.due_at.is_some() == due_at.is_some() {
            return self.check_indexes(&kept);
        }
        let Ok(right) = row::to_item(&Schedule { due_at, ..schedule.clone() }) else { return };
        let names = ["dueAt", "GSI3PK", "GSI3SK"];
        let set = names.map(|name| (name, right.get(name).cloned()));
        let what = "its dueAt should follow from its next date";
        self.find(kept.key, what, Some(&kept.item), Some(Mend::Set(set.into())));
    }

    /// Reports a v0 row that is no event, and can be read.
    fn unmigrated<T>(&mut self, row: Option<&Kept<T>>) {
        if let Some(Kept { key, item, .. }) = row {
            self.lost(
                key.clone(),
                "is a row of the TypeScript Fracti that is not migrated",
                Some(item),
            );
        }
    }

    pub(super) fn balance(&mut self, rows: &mut LedgerRows) -> BalanceRow {
        let item = rows.0.remove(keys::BALANCE);
        let read = item.clone().map(from_item::<Balance>);
        let (is_readable, ledger) = match read {
            Some(Ok(row)) => (true, row.ledger),
            Some(Err(_)) => (false, Ledger::default()),
            None => {
                // Before the first write to a group, there is no balance row.
                (false, Ledger { state: GroupState::first(self.group), ..Ledger::default() })
            }
        };
        BalanceRow { item, is_readable, ledger }
    }
}

/// The time and the sequence of an entry in the index.
fn position(kept: &Kept<Entry>) -> Option<(Timestamp, u64)> {
    let Some(AttributeValue::S(key)) = kept.item.get("GSI1SK") else { return None };
    keys::position_of_entry(key)
}
