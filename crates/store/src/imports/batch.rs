//! The rows of a file that one transaction records.

use std::collections::BTreeMap;

use fracti_core::{
    Error, expense::Expense, id::ImportId, import::Record, ledger::LedgerError, tally::TallyOf,
};

use super::OTHER_ACTIONS;
use crate::{
    dynamo::{Expression, MAX_ACTIONS, OnConflict, TransactionError, Write},
    expenses::member_rows,
    ledger::LedgerTransaction,
    tallies::MAX_COUNTERS,
};

/// Maximum size of the rows in a transaction, in bytes, unless a single expense has more.
///
/// A transaction has at most 4 MB, of which the balance, a closing and a checkpoint may take 400 KB
/// each.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// A transaction to which expenses and settlements are added as long as they fit.
pub(super) struct Batch {
    pub(super) transaction: LedgerTransaction,
    import: ImportId,
    /// The expenses. Each tally gets one write for all of them.
    recorded: Vec<Expense>,
    /// Upper bound of the number of counters of each tally.
    counters: BTreeMap<TallyOf, usize>,
    bytes: usize,
    /// Number of expenses.
    pub(super) expenses: u64,
    /// Number of settlements.
    pub(super) settlements: u64,
}

impl Batch {
    pub(super) const fn new(transaction: LedgerTransaction, import: ImportId) -> Self {
        Self {
            transaction,
            import,
            recorded: Vec::new(),
            counters: BTreeMap::new(),
            bytes: 0,
            expenses: 0,
            settlements: 0,
        }
    }

    /// Adds the rows of the expense or settlement in this line of the file, and its entry. Returns
    /// whether they fit; those of the first line always do.
    pub(super) fn record(
        &mut self,
        line: usize,
        record: &Record,
    ) -> Result<bool, TransactionError> {
        if !self.transaction.has_room_for_event() {
            return Ok(false);
        }
        let record = record.at(self.transaction.next_at(), self.import);
        let rows = match &record {
            Record::Expense(expense) => {
                let put = Write::put(&**expense)?.when(Expression::absent(), OnConflict::Retry);
                [put].into_iter().chain(member_rows(None, Some(expense))?).collect()
            }
            Record::Settlement(settlement) => {
                vec![Write::put(&**settlement)?.when(Expression::absent(), OnConflict::Retry)]
            }
        };
        if !self.fits(&record, &rows) {
            return Ok(false);
        }
        self.transaction.next_event();
        let event = record.event().map_err(|error| refused(line, error))?;
        // The entry stays if the expense is deleted, so it shows whether a transaction without a
        // response was committed.
        self.transaction.record(event).map_err(|error| match error {
            TransactionError::Fail(Error::Invalid(rules)) => {
                Error::invalid("file", format!("line {line}: {rules}")).into()
            }
            other => other,
        })?;
        self.bytes = rows.iter().map(Write::size).fold(self.bytes, usize::saturating_add);
        self.transaction.add_all(rows);
        match record {
            Record::Expense(expense) => {
                self.expenses = self.expenses.saturating_add(1);
                if let Some(of) = expense.tally() {
                    let counters = self.counters.entry(of).or_default();
                    *counters = counters.saturating_add(counters_of(&expense));
                }
                self.recorded.push(*expense);
            }
            Record::Settlement(_) => self.settlements = self.settlements.saturating_add(1),
        }
        Ok(true)
    }

    /// Adds the writes of the tallies.
    pub(super) fn with_tallies(mut self) -> Result<Self, Error> {
        let expenses = std::mem::take(&mut self.recorded);
        self.transaction.tally(&[], &expenses)?;
        Ok(self)
    }

    /// Whether the rows and the entry of an event fit beside the earlier ones.
    fn fits(&self, record: &Record, rows: &[Write]) -> bool {
        if self.transaction.is_empty() {
            return true;
        }
        let (tallies, counters) = match record {
            Record::Expense(expense) => match expense.tally() {
                Some(of) => {
                    let others = self.counters.get(&of);
                    let counters = others.map_or(0, |it| it.saturating_add(counters_of(expense)));
                    (usize::from(others.is_none()), counters)
                }
                None => (0, 0),
            },
            Record::Settlement(_) => (0, 0),
        };
        let writes = [self.transaction.writes(), self.counters.len(), tallies, rows.len(), 1];
        let writes = writes.into_iter().fold(OTHER_ACTIONS, usize::saturating_add);
        let bytes = rows.iter().map(Write::size).fold(self.bytes, usize::saturating_add);
        writes <= MAX_ACTIONS && counters <= MAX_COUNTERS && bytes <= MAX_BYTES
    }
}

/// Maximum number of counters that an expense changes.
fn counters_of(expense: &Expense) -> usize {
    expense.splits.len().saturating_add(expense.all_payers().len()).saturating_add(1)
}

fn refused(line: usize, error: LedgerError) -> Error {
    Error::invalid("file", format!("line {line}: {error}"))
}
