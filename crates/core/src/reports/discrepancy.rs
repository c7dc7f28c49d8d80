//! Discrepancies between the ledger or the tallies of a group and its other rows.

use std::collections::BTreeSet;

use crate::{
    ledger::{Ledger, LedgerError},
    reports::tally::TallyKey,
    values::{currency::Currency, id::MemberId},
};

/// A discrepancy between the ledger or the tallies of a group and its other rows.
///
/// The message goes to the log, so it has counts and currencies but no amounts.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Discrepancy {
    /// The ledger differs from the one that the rows add up to.
    #[error(
        "the ledger has {}, its {against} have {}; balances differ in [{}]",
        counts(ledger),
        counts(rows),
        differing(ledger, rows)
    )]
    Differs {
        /// The ledger.
        ledger: Box<Ledger>,
        /// Kind of the rows.
        against: &'static str,
        /// The ledger that the rows add up to.
        rows: Box<Ledger>,
    },
    /// Tallies differ from the sums of the expenses that have a date.
    #[error("tallies differ from the expenses: [{}]", first(.0))]
    Tallies(Vec<TallyKey>),
    /// The group's row or those of its members say something else than the members and the ledger.
    #[error("{}", of_members(*count, links, missing))]
    Members {
        /// Number of members who are present, if the group's row has another one.
        count: Option<u64>,
        /// Members whose links differ from the ledger's.
        links: Vec<MemberId>,
        /// Ids in the ledger that have no row of a member.
        missing: Vec<MemberId>,
    },
    /// The rows do not add up to a ledger: a row is missing, or they do not balance.
    #[error("the {of} of the ledger do not add up")]
    Unsound {
        /// Kind of the rows.
        of: &'static str,
        /// The rule that the rows break.
        #[source]
        cause: LedgerError,
    },
}

/// Number of tallies or members that a message names.
const NAMED: usize = 20;

fn of_members(count: Option<u64>, links: &[MemberId], missing: &[MemberId]) -> String {
    let count =
        count.map(|count| format!("the group has {count} members, its row has another number"));
    let list =
        |what: &str, of: &[MemberId]| (!of.is_empty()).then(|| format!("{what} [{}]", first(of)));
    let parts = [count, list("links differ of", links), list("there is no member row of", missing)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn first(things: &[impl ToString]) -> String {
    let named = things.iter().take(NAMED).map(ToString::to_string);
    let more = things.len().checked_sub(NAMED).filter(|more| *more > 0);
    named.chain(more.map(|more| format!("and {more} more"))).collect::<Vec<_>>().join(", ")
}

fn counts(ledger: &Ledger) -> String {
    let Ledger { sequence, expense_count, settlement_count, .. } = ledger;
    format!("{sequence} entries, {expense_count} expenses, {settlement_count} settlements")
}

/// Codes of the currencies in which two ledgers have different balances.
pub(crate) fn differing(ledger: &Ledger, rows: &Ledger) -> String {
    let currencies: BTreeSet<Currency> =
        ledger.balances.currencies().chain(rows.balances.currencies()).collect();
    let differ = currencies
        .into_iter()
        .filter(|currency| !ledger.balances.of(*currency).eq(rows.balances.of(*currency)))
        .map(Currency::code);
    differ.collect::<Vec<_>>().join(", ")
}
