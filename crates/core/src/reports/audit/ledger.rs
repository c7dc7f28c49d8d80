//! The rows of a ledger that follow from its entries: the balance row, closings and checkpoints.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use super::{
    Audit, Mend,
    compare::{cause, lacks_version},
    read::{BalanceRow, Entries, LedgerRows, Past, Records},
};
use crate::{
    group::group_state::GroupState,
    ledger::{
        Balances, Change, EntryStatus, Ledger, LedgerError, RefType, Settled,
        balance::{Checkpoint, Closing},
    },
    records::settlement::Settlement,
    storage::{
        keys::{self, prefix},
        row::{FORMAT_VERSION, Item, Row, from_item, to_item},
    },
    values::{
        currency::Currency,
        entry_id::EntryId,
        settlement_status::SettlementStatus,
        time::{Day, Timestamp},
    },
};

impl Audit {
    /// Compares the balance row with the entries, `replayed`, and with the expenses and
    /// settlements. Returns whether the entries are right. `last` is the time of the last event.
    pub(super) fn check_balance(
        &mut self,
        balance: &BalanceRow,
        replayed: Option<&Ledger>,
        last: Option<Timestamp>,
        entries: &Entries,
        records: &Records,
        rows: &LedgerRows,
    ) -> bool {
        let key = keys::balance(self.group);
        let item = balance.item.as_ref();
        let is_new = item.is_none() && entries.all.is_empty() && !records.have_events();
        let Some(replayed) = replayed else {
            if !balance.is_readable && !is_new {
                self.lost(key, "is missing or cannot be read, and so is an entry", item);
            }
            return false;
        };
        if is_new {
            return true;
        }
        let stored = &balance.ledger;
        let settlements = records.all_settlements();
        let mut state = stored.state.clone();
        let pending = settlements.iter().filter(|it| it.status == SettlementStatus::Pending);
        if !balance.is_readable {
            state = GroupState::first(self.group);
            state.migrated = state.needs_migration(self.group);
            let group = records.group.as_ref().map(|kept| &kept.row);
            state.archived = group.is_some_and(|group| group.archived);
            state.default_splits_at = group.and_then(|group| group.default_splits_at);
            state.count(pending.map(Settlement::parties));
        } else if records.are_whole() {
            state.recount(pending.map(Settlement::parties));
        }
        let right = Ledger {
            version: stored.version.saturating_add(1),
            state,
            last_event_at: last,
            ..replayed.clone()
        };
        if records.are_whole() && !agree(&right, entries, records) {
            self.lost(key, "the expenses and settlements do not add up to the entries", item);
            return false;
        }
        if !balance.is_readable {
            let known = rows.past().map(|it| it.version).chain([replayed.version]).max();
            let version = known.unwrap_or_default().saturating_add(1);
            let what = if item.is_some() { "cannot be read" } else { "is missing" };
            let mend = item.is_none().then(|| Mend::Balance(Ledger { version, ..right }.into()));
            self.find(key, what, item, mend);
            return true;
        }
        let mut wrong = differences(stored, &right);
        wrong.extend(item.filter(|item| lacks_version(item)).map(|_| FORMAT_VERSION.to_owned()));
        if !wrong.is_empty() {
            // Entries may be lost without a trace, and an adjustment has no other row.
            let is_short = right.sequence < stored.sequence;
            let is_sum = stored.balances == right.balances
                || stored.check().is_err()
                || !entries.have_adjustments();
            let is_certain = !is_short && is_sum && records.are_whole();
            let wrong = wrong.join(", ");
            let what = if is_sum {
                format!("its {wrong} should follow from the entries")
            } else {
                format!("its {wrong} differ from the entries: it or an adjustment is wrong")
            };
            let mend = is_certain.then(|| Mend::Balance(right.into()));
            self.find(key, what, item, mend);
            return is_sum;
        }
        true
    }

    /// The time of the last event: the stored one, unless an event is later, or it is in the future
    /// and no row has it. Clocks may differ by some minutes.
    pub(super) fn last_event_at(
        &self,
        balance: &BalanceRow,
        entries: &Entries,
        records: &Records,
        rows: &LedgerRows,
    ) -> Option<Timestamp> {
        let stored = balance.ledger.last_event_at;
        let last_entry = entries.all.values().next_back().map(|kept| kept.row.created_at);
        let settlements = records.settlements.values().filter(|it| it.row.id.is_ours());
        let known = settlements.map(|it| it.row.created_at).max().max(last_entry);
        let is_over = |at: &Timestamp| at.since(self.now) <= CLOCKS_DIFFER;
        let members = records.members.iter().map(|kept| &kept.row.member);
        let joined = members.flat_map(|it| [Some(it.joined_at), it.left_at, it.removed_at]);
        let imports = records.imports.values().map(|kept| kept.row.updated_at);
        let latest = joined.flatten().chain(imports).max().max(known);
        if stored >= known && (stored <= latest || stored.as_ref().is_none_or(is_over)) {
            return stored;
        }
        // Writes that are no events leave a trace in closings.
        let closed = rows.past().filter_map(|it| it.last_event_at).filter(is_over).max();
        known.max(closed)
    }

    /// Compares closings and checkpoints with the ledgers after the entries.
    pub(super) fn check_past(
        &mut self,
        replayed: &Ledger,
        last: Option<Timestamp>,
        entries: &Entries,
        rows: &mut LedgerRows,
        balance: &BalanceRow,
    ) {
        let (mut closings, mut checkpoints) =
            (rows.take(prefix::CLOSING), rows.take(prefix::CHECKPOINT));
        let is_certain = balance.ledger.last_event_at == last;
        let last_day = last.max(replayed.last_event_at).map(Timestamp::day);
        let mut ledger = Ledger::default();
        let mut before = Ledger::default();
        let mut moments = entries.all.values().map(|kept| &kept.row).peekable();
        // Closings before the first event are of days on which members came or went.
        let first_day = moments.peek().map(|entry| entry.created_at.day());
        self.check_days(&mut closings, &ledger, None, first_day, last_day);
        while let Some(entry) = moments.next() {
            if ledger.replay_next(entry).is_err() {
                return;
            }
            let next = moments.peek();
            if next.is_some_and(|next| next.created_at == entry.created_at) {
                continue;
            }
            if let Some(due) = Checkpoint::of(self.group, &before, &ledger) {
                let found = checkpoints.remove(&due.keys().primary.sk);
                self.check_one(found.as_ref(), due);
            } else {
                let at = entry.created_at;
                let other = Checkpoint { group_id: self.group, at, ledger: ledger.clone() };
                if let Some(found) = checkpoints.remove(&other.keys().primary.sk)
                    && !is_same(&found, &other)
                {
                    self.stray(&found, "the ledger");
                }
            }
            before = ledger.clone();
            let day = entry.created_at.day();
            let next_day = next.map(|next| next.created_at.day());
            if next_day != Some(day) {
                self.check_days(&mut closings, &ledger, Some(day), next_day, last_day);
            }
        }
        // Without the time of the last event, the last closings are uncertain.
        closings.retain(|_, _| is_certain);
        for stray in closings.into_values().chain(checkpoints.into_values()) {
            self.stray(&stray, "the ledger");
        }
    }

    /// Checks the closings from a day with events until the next one. On the days between them,
    /// there may have been writes that are no events.
    fn check_days(
        &mut self,
        closings: &mut BTreeMap<String, Item>,
        ledger: &Ledger,
        day: Option<Day>,
        next: Option<Day>,
        last: Option<Day>,
    ) {
        let closing = |day| Closing { group_id: self.group, day, ledger: ledger.clone() };
        let due = day.filter(|day| last.is_some_and(|last| *day < last)).map(closing);
        if let Some(due) = due {
            let found = closings.remove(&due.keys().primary.sk);
            self.check_one(found.as_ref(), due);
        }
        let end = next.into_iter().chain(last).min();
        let between = closings.iter().filter_map(|(key, item)| {
            let day: Day = key.strip_prefix(prefix::CLOSING)?.parse().ok()?;
            (end.is_some_and(|end| day < end)).then(|| (key.clone(), day, item.clone()))
        });
        for (key, day, item) in between.collect::<Vec<_>>() {
            closings.remove(&key);
            let right = Closing { group_id: self.group, day, ledger: ledger.clone() };
            let own_day = from_item::<Closing>(item.clone()).ok();
            let own_day = own_day.and_then(|row| row.ledger.last_event_at).map(Timestamp::day);
            if own_day != Some(day) {
                self.stray(&item, "the ledger");
            } else if !is_same(&item, &right) {
                self.check_one(Some(&item), right);
            }
        }
    }

    /// Compares a row with a past ledger with the right one. What does not follow from the entries
    /// stays as it is.
    fn check_one<T: Past>(&mut self, found: Option<&Item>, right: T) {
        let key = right.keys().primary;
        let read = found.cloned().map(from_item::<T>);
        let (what, mended) = match &read {
            None => ("is missing".to_owned(), right),
            Some(Err(error)) => (cause(error), right),
            Some(Ok(row)) => {
                let old = row.ledger();
                let new = right.ledger();
                let last_event_at =
                    new.last_event_at.max(old.last_event_at.filter(|at| right.allows(*at)));
                let new = Ledger { last_event_at, ..new.clone() };
                let mut wrong = differences(old, &new);
                if found.is_some_and(|item| !item.contains_key("settled")) {
                    wrong.retain(|name| name != "settled");
                }
                wrong.extend(
                    found.filter(|it| lacks_version(it)).map(|_| FORMAT_VERSION.to_owned()),
                );
                if wrong.is_empty() {
                    return;
                }
                let what = format!("its {} should follow from the entries", wrong.join(", "));
                let version = old.version;
                let state = old.state.clone();
                (what, right.with_ledger(Ledger { version, state, ..new }))
            }
        };
        let Ok(item) = to_item(&mended) else { return };
        self.find(key, what, found, Some(Mend::Put(item)));
    }
}

/// Time by which the clocks of the functions and of the operator may differ.
const CLOCKS_DIFFER: Duration = Duration::from_mins(10);

/// Whether the expenses, the settlements and the adjustments add up to the ledger.
fn agree(right: &Ledger, entries: &Entries, records: &Records) -> bool {
    counted(right, entries, records).is_ok_and(|counted| {
        counted.balances == right.balances
            && counted.settled == right.settled
            && counted.expense_count == right.expense_count
            && counted.settlement_count == right.settlement_count
    })
}

/// The ledger that the present expenses, settlements and adjustments add up to.
fn counted(ledger: &Ledger, entries: &Entries, records: &Records) -> Result<Ledger, LedgerError> {
    let entries = entries.all.values().map(|kept| &kept.row);
    let applied = entries.filter(|entry| entry.status == EntryStatus::Applied);
    let entered: BTreeSet<&EntryId> = applied.clone().map(|entry| &entry.entry_id).collect();
    // v0 rows have no entry and never moved these balances. Their ids are of another kind.
    let counts = |ours: bool, id: EntryId| ours || entered.contains(&id);
    let expenses = records.all_expenses();
    let settlements = records.all_settlements();
    let expenses = expenses.iter().filter(|it| counts(it.id.is_ours(), it.id.into()));
    let completed = settlements.iter().filter(|it| {
        it.status == SettlementStatus::Completed && counts(it.id.is_ours(), it.id.into())
    });
    let adjusted = applied.filter(|entry| entry.ref_type == RefType::Adjustment);

    let mut settled: Vec<Change> = Vec::new();
    for settlement in completed.clone() {
        settled.extend(settlement.event()?.changes);
    }
    let mut changes: Vec<Change> = settled.clone();
    for expense in expenses.clone() {
        changes.extend(expense.event()?.changes);
    }
    changes.extend(adjusted.flat_map(|entry| &entry.changes));
    // Rows of the time before a link name the guest.
    let changes = ledger.resolved(changes)?;
    Ok(Ledger {
        expense_count: expenses.count() as u64,
        settlement_count: completed.count() as u64,
        balances: Balances::default().after(&changes)?,
        settled: Settled::default().after(RefType::Settlement, &settled)?,
        ..ledger.clone()
    })
}

/// Whether a row has the right past ledger.
fn is_same<T: Past>(found: &Item, right: &T) -> bool {
    !lacks_version(found)
        && from_item::<T>(found.clone()).is_ok_and(|row| {
            let old = row.ledger();
            let new = right.ledger();
            let last_event_at = old.last_event_at;
            differences(old, &Ledger { last_event_at, ..new.clone() }).is_empty()
        })
}

/// Names of what differs, of what follows from the entries.
fn differences(stored: &Ledger, right: &Ledger) -> Vec<String> {
    let mut names = Vec::new();
    if stored.balances != right.balances {
        names.push(format!("balances in [{}]", differing(stored, right)));
    }
    let others = [
        ("sequence", stored.sequence == right.sequence),
        ("expenseCount", stored.expense_count == right.expense_count),
        ("settlementCount", stored.settlement_count == right.settlement_count),
        ("settled", stored.settled == right.settled),
        ("links", stored.links == right.links),
        ("pending", stored.state.same_pending(&right.state)),
        ("lastEventAt", stored.last_event_at == right.last_event_at),
    ];
    names.extend(others.into_iter().filter(|(_, same)| !same).map(|(name, _)| name.to_owned()));
    names
}

/// Codes of the currencies in which two ledgers have different balances.
fn differing(ledger: &Ledger, rows: &Ledger) -> String {
    let currencies: BTreeSet<Currency> =
        ledger.balances.currencies().chain(rows.balances.currencies()).collect();
    let differ = currencies
        .into_iter()
        .filter(|currency| !ledger.balances.of(*currency).eq(rows.balances.of(*currency)))
        .map(Currency::code);
    differ.collect::<Vec<_>>().join(", ")
}
