//! An entry of a group's ledger as it is stored: with the expense that it stood for.

use crate::{expense::Expense, ledger};

/// An entry whose snapshot is the expense as it was until it was edited or deleted. Settlements and
/// adjustments have none.
pub type Entry = ledger::Entry<Expense>;
