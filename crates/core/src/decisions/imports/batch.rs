//! The rows of a file that one transaction records.

use std::collections::BTreeMap;

use crate::{
    decisions::{
        expenses::member_rows, ledger_transaction::LedgerTransaction, tallies::MAX_COUNTERS,
    },
    input::Error,
    ledger::LedgerError,
    records::{
        expense::Expense,
        import::{EntryPosition, ImportedSettlement, Record, RowPlace},
        settlement::Settlement,
    },
    storage::write::{Write, WriteError},
    values::{id::ImportId, tally_key::TallyKey},
};
use fracti_texts::Says;

use super::IMPORT_ROW;

/// Maximum size of the rows in a transaction, in bytes, unless a single expense has more.
///
/// A transaction has at most 4 MB, of which the balance, a closing and a checkpoint may take 400 KB
/// each.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Maximum size of a change in an entry, in bytes.
const CHANGE_BYTES: usize = 100;

/// A transaction to which the rows of a file are added as long as they fit.
pub(super) struct Batch {
    pub(super) transaction: LedgerTransaction,
    import: ImportId,
    /// The expenses. Each tally gets one write for all of them.
    recorded: Vec<Expense>,
    /// Upper bound of the number of counters of each tally.
    counters: BTreeMap<TallyKey, usize>,
    bytes: usize,
    /// Number of expenses.
    pub(super) expenses: u64,
    /// Number of settlements.
    pub(super) settlements: u64,
    /// Number of adjustments.
    pub(super) adjustments: u64,
    /// The entry of the first adjustment.
    pub(super) first_adjustment: Option<EntryPosition>,
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
            adjustments: 0,
            first_adjustment: None,
        }
    }

    /// Adds the rows of what is at this place of the file, and its entry. Returns whether they fit;
    /// those of the first record always do.
    pub(super) fn record(&mut self, place: RowPlace, record: &Record) -> Result<bool, WriteError> {
        if !self.transaction.has_room_for_event() {
            return Ok(false);
        }
        let record = record.at(self.transaction.next_at(), self.import);
        let rows = match &record {
            Record::Expense(expense) => {
                let put = Write::put_new(&**expense)?;
                [put].into_iter().chain(member_rows(None, Some(expense))?).collect()
            }
            Record::Settlement(settlement) => {
                let put = Write::put_new(&**settlement)?;
                let pending = (!settlement.is_completed()).then(|| mark(settlement)).transpose()?;
                [put].into_iter().chain(pending).collect()
            }
            Record::Adjustment(_) => Vec::new(),
        };
        if !self.fits(&record, &rows) {
            return Ok(false);
        }
        self.transaction.next_event();
        let event = record.event().map_err(|error| refused(place, error))?;
        let sequence = self.transaction.ledger().sequence;
        let created_at = self.transaction.at();
        // The entry stays if the expense is deleted, so it shows whether a transaction without a
        // response was committed.
        let recorded = match (event, &record) {
            (Some(event), Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_)) => {
                self.transaction.import(event, self.import)
            }
            (None, Record::Settlement(settlement)) => {
                self.transaction.begin_settlement(settlement.parties());
                Ok(())
            }
            (None, Record::Expense(_) | Record::Adjustment(_)) => Ok(()),
        };
        recorded.map_err(|error| match error {
            WriteError::Fail(Error::Invalid(rules)) => {
                Error::invalid("file", place.before(&rules.says())).into()
            }
            other => other,
        })?;
        self.bytes = self.bytes.saturating_add(size(&record, &rows));
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
            Record::Adjustment(_) => {
                self.adjustments = self.adjustments.saturating_add(1);
                self.first_adjustment.get_or_insert(EntryPosition { sequence, created_at });
            }
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
            Record::Settlement(_) | Record::Adjustment(_) => (0, 0),
        };
        // The entry takes an action, too.
        let writes = [self.counters.len(), tallies, rows.len(), 1];
        let writes = writes.into_iter().fold(IMPORT_ROW, usize::saturating_add);
        let bytes = self.bytes.saturating_add(size(record, rows));
        writes <= self.transaction.room() && counters <= MAX_COUNTERS && bytes <= MAX_BYTES
    }
}

/// Maximum number of counters that an expense changes.
fn counters_of(expense: &Expense) -> usize {
    expense.splits.len().saturating_add(expense.all_payers().len()).saturating_add(1)
}

/// Size of what is written for a record, in bytes. The entry counts if it may be large.
fn size(record: &Record, rows: &[Write]) -> usize {
    let entry = match record {
        Record::Expense(_) | Record::Settlement(_) => 0,
        Record::Adjustment(event) => event.changes.len().saturating_mul(CHANGE_BYTES),
    };
    rows.iter().map(Write::size).fold(entry, usize::saturating_add)
}

/// The write of the row that ensures that a pending settlement is recorded only once.
fn mark(settlement: &Settlement) -> Result<Write, Error> {
    let Settlement { id: settlement_id, group_id, .. } = *settlement;
    Write::put_new(&ImportedSettlement { settlement_id, group_id })
}

fn refused(place: RowPlace, error: LedgerError) -> Error {
    Error::invalid("file", place.before(&error.says()))
}
