//! Why a ledger does not match the rows of its group.

use std::collections::BTreeSet;

use crate::{
    currency::Currency,
    ledger::{Ledger, LedgerError},
};

/// Why a ledger does not match the rows of its group.
///
/// Its text goes to the log, so it has counts and currencies but no amounts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Discrepancy {
    /// The ledger differs from what rows add up to.
    #[error(
        "the ledger has {}, its {against} have {}; balances differ in [{}]",
        counts(ledger),
        counts(rows),
        differing(ledger, rows)
    )]
    Differs {
        /// The ledger.
        ledger: Box<Ledger>,
        /// Which rows differ from it.
        against: &'static str,
        /// The ledger that these rows add up to.
        rows: Box<Ledger>,
    },
    /// Rows add up to no ledger: one is missing, or they do not balance.
    #[error("the {of} of the ledger do not add up")]
    Unsound {
        /// Which rows.
        of: &'static str,
        /// What is wrong with them.
        #[source]
        cause: LedgerError,
    },
}

fn counts(ledger: &Ledger) -> String {
    let Ledger { sequence, expense_count, settlement_count, .. } = ledger;
    format!("{sequence} entries, {expense_count} expenses, {settlement_count} settlements")
}

/// Codes of the currencies in which two ledgers have other balances.
fn differing(ledger: &Ledger, rows: &Ledger) -> String {
    let currencies: BTreeSet<Currency> =
        ledger.balances.currencies().chain(rows.balances.currencies()).collect();
    let differ = currencies
        .into_iter()
        .filter(|currency| !ledger.balances.of(*currency).eq(rows.balances.of(*currency)))
        .map(Currency::code);
    differ.collect::<Vec<_>>().join(", ")
}
