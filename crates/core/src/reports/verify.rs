//! Verification of a ledger and of tallies: both are computed again from all rows of a group.

use std::collections::BTreeSet;

use crate::{
    ledger::{Balances, Change, EntryStatus, Ledger, LedgerError, RefType, Settled},
    records::{
        entry::Entry,
        expense::Expense,
        settlement::{Settlement, SettlementStatus},
    },
    reports::tally::{TallyRow, corrections},
    values::entry_id::EntryId,
};

pub use crate::reports::discrepancy::Discrepancy;

/// All rows of a group that its ledger stands for.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// The expenses that exist.
    pub expenses: Vec<Expense>,
    /// The settlements, in any status.
    pub settlements: Vec<Settlement>,
    /// All entries, in order.
    pub entries: Vec<Entry>,
    /// All tallies.
    pub tallies: Vec<TallyRow>,
}

/// Computes the balances again, and compares them with a group's ledger: from its expenses,
/// settlements and adjustments as they are now, and from all its entries. Then compares the tallies
/// with the sums of the expenses.
///
/// # Errors
///
/// [`Discrepancy::Differs`] if a total, a count or a sum differs; [`Discrepancy::Unsound`] if an
/// entry is missing or the balances do not sum to zero; [`Discrepancy::Tallies`].
pub fn verify(ledger: &Ledger, rows: &Rows) -> Result<(), Discrepancy> {
    let unsound = |of| move |cause| Discrepancy::Unsound { of, cause };
    ledger.check().map_err(unsound("balances"))?;
    let counted = rows.counted(ledger).map_err(unsound("rows"))?;
    let replayed = Ledger::default().replay(&rows.entries).map_err(unsound("entries"))?;
    let replayed = Ledger { state: ledger.state.clone(), ..replayed };
    for (against, rows) in [("rows", counted), ("entries", replayed)] {
        let same = rows.balances == ledger.balances
            && rows.settled == ledger.settled
            && rows.links == ledger.links
            && rows.state == ledger.state
            && rows.sequence == ledger.sequence
            && rows.expense_count == ledger.expense_count
            && rows.settlement_count == ledger.settlement_count;
        if !same {
            let ledger = Box::new(ledger.clone());
            return Err(Discrepancy::Differs { ledger, against, rows: Box::new(rows) });
        }
    }
    // What was paid and what is shared agree in the others, as they do in each expense; a v0 row
    // may be off by rounding.
    let differing = corrections(&rows.expenses, &rows.tallies).map_err(unsound("expenses"))?;
    if differing.is_empty() {
        Ok(())
    } else {
        Err(Discrepancy::Tallies(differing.into_keys().collect()))
    }
}

impl Rows {
    /// The ledger that the current expenses, settlements and adjustments add up to.
    pub(crate) fn counted(&self, ledger: &Ledger) -> Result<Ledger, LedgerError> {
        let applied = self.entries.iter().filter(|entry| entry.status == EntryStatus::Applied);
        let entered: BTreeSet<&EntryId> = applied.clone().map(|entry| &entry.entry_id).collect();
        // v0 rows have no entry and never moved these balances. Their ids are of another kind.
        let counts = |ours: bool, id: EntryId| ours || entered.contains(&id);
        let expenses = self.expenses.iter();
        let expenses = expenses.filter(|it| counts(it.id.is_ours(), it.id.into()));
        let completed = self.settlements.iter().filter(|it| {
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
        let mut state = ledger.state.clone();
        let pending = self.settlements.iter().filter(|it| it.status == SettlementStatus::Pending);
        state.recount(pending.map(Settlement::parties));
        Ok(Ledger {
            state,
            expense_count: expenses.count() as u64,
            settlement_count: completed.count() as u64,
            balances: Balances::default().after(&changes)?,
            settled: Settled::default().after(RefType::Settlement, &settled)?,
            ..ledger.clone()
        })
    }
}

#[cfg(test)]
mod tests;
