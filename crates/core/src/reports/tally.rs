//! Tallies: what the members of a group consumed and paid on one day in one category.
//!
//! An expense with a `date` is in the tally of its day and category; one without is in no tally.
//! The counters of a tally are changed in the transaction that writes the expense, under the
//! group's lock, so they are exact at any moment. They are named by the member ids of the expense:
//! a linked guest is resolved when they are read.

mod stats;

use crate::values::tally_key::{TallyError, TallyKey};
pub use stats::{
    ByCategory, CategoryStats, CurrencyStats, MAX_DAYS, MAX_LINES, MemberStats, PeriodStats,
    SeriesStep, Stats, stats,
};

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize};

use crate::{
    ledger::LedgerError,
    records::expense::Expense,
    storage::{
        counters::{CounterOverflow, Counters},
        keys::{self, Keys},
        row::Row,
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};

/// A part of a tally: what one number of it counts. Its text is the name of the attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TallyPart {
    /// Sum of a member's shares, `s#<memberId>#<currency>`.
    Share(MemberId, Currency),
    /// Sum of what a member paid, `p#<memberId>#<currency>`.
    Paid(MemberId, Currency),
    /// Number of expenses, `n#<currency>`.
    Count(Currency),
}

/// Numbers by part, in major units. A refund is negative, and counts as one expense.
pub type TallyCounters = Counters<TallyPart>;

/// The totals of one group, day and category.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TallyRow {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_ledger")]
    pub group_id: GroupId,
    /// The day and the category.
    #[serde(rename = "SK", with = "keys::of_tally")]
    pub of: TallyKey,
    /// Time of the last change.
    pub updated_at: Timestamp,
    /// The counters.
    #[serde(flatten, deserialize_with = "read_counters")]
    pub counters: TallyCounters,
}

/// Changes to the tallies of a group, by expenses that are added and subtracted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally(BTreeMap<TallyKey, TallyCounters>);

impl Tally {
    /// Adds an expense, unless it has no date.
    ///
    /// # Errors
    ///
    /// [`LedgerError::Overflow`] if a number needs more than 38 digits.
    pub fn add(&mut self, expense: &Expense) -> Result<(), LedgerError> {
        self.change(expense, |number| number)
    }

    /// Subtracts an expense, unless it has no date.
    ///
    /// # Errors
    ///
    /// As [`Tally::add`].
    pub fn subtract(&mut self, expense: &Expense) -> Result<(), LedgerError> {
        self.change(expense, Decimal::negated)
    }

    /// The tallies that change, each with the numbers to add. Numbers that cancel out are left out.
    pub fn changes(self) -> impl Iterator<Item = (TallyKey, TallyCounters)> {
        self.0.into_iter().filter(|(_, counters)| !counters.is_empty())
    }

    fn change(
        &mut self,
        expense: &Expense,
        signed: impl Fn(Decimal) -> Decimal,
    ) -> Result<(), LedgerError> {
        let Some(of) = expense.tally() else { return Ok(()) };
        let counters = self.0.entry(of).or_default();
        for (part, number) in expense.tally_parts() {
            let overflow = |CounterOverflow| LedgerError::Overflow(expense.currency);
            counters.add(part, signed(number)).map_err(overflow)?;
        }
        Ok(())
    }
}

/// The right counters of each tally that differs from the sums of a group's expenses. They are
/// empty if no expense has the day and the category.
///
/// # Errors
///
/// As [`Tally::add`].
pub fn corrections(
    expenses: &[Expense],
    stored: &[TallyRow],
) -> Result<BTreeMap<TallyKey, TallyCounters>, LedgerError> {
    let mut tally = Tally::default();
    for expense in expenses {
        tally.add(expense)?;
    }
    let mut right: BTreeMap<TallyKey, TallyCounters> = tally.changes().collect();
    for row in stored {
        let counted = right.remove(&row.of).unwrap_or_default();
        if counted != row.counters {
            right.insert(row.of, counted);
        }
    }
    Ok(right)
}

impl Expense {
    /// The day and the category of its tally; `None` if the expense has no date.
    #[must_use]
    pub fn tally(&self) -> Option<TallyKey> {
        Some(TallyKey { date: self.date?, category: self.category })
    }

    /// The numbers that it adds to its tally. They are those of its ledger event, but not rounded,
    /// because those of a v0 row may be finer than a minor unit.
    fn tally_parts(&self) -> impl Iterator<Item = (TallyPart, Decimal)> {
        let currency = self.currency;
        let paid = self.all_payers().into_iter();
        let paid = paid.map(move |it| (TallyPart::Paid(it.user_id, currency), it.amount));
        let shares = self.splits.iter();
        let shares = shares.map(move |it| (TallyPart::Share(it.user_id, currency), it.amount));
        let one = (TallyPart::Count(currency), Decimal::new(1, 0));
        paid.chain(shares).chain([one])
    }
}

impl TallyPart {
    /// The currency of the number, or of the expenses that it counts.
    #[must_use]
    pub const fn currency(self) -> Currency {
        match self {
            Self::Share(_, currency) | Self::Paid(_, currency) | Self::Count(currency) => currency,
        }
    }
}

impl fmt::Display for TallyPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(member, currency) => write!(f, "s#{member}#{currency}"),
            Self::Paid(member, currency) => write!(f, "p#{member}#{currency}"),
            Self::Count(currency) => write!(f, "n#{currency}"),
        }
    }
}

impl FromStr for TallyPart {
    type Err = TallyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, rest) = text.split_once('#').ok_or(TallyError)?;
        if kind == "n" {
            return rest.parse().map(Self::Count).map_err(|_| TallyError);
        }
        let (member, currency) = rest.split_once('#').ok_or(TallyError)?;
        let member = member.parse().map_err(|_| TallyError)?;
        let currency = currency.parse().map_err(|_| TallyError)?;
        match kind {
            "s" => Ok(Self::Share(member, currency)),
            "p" => Ok(Self::Paid(member, currency)),
            _ => Err(TallyError),
        }
    }
}

fn read_counters<'de, D: Deserializer<'de>>(from: D) -> Result<TallyCounters, D::Error> {
    Counters::read(from, |name| name.parse().ok())
}

impl Row for TallyRow {
    const KIND: &'static str = "tally";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::tally(self.group_id, self.of).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_counters_and_tallies_are_read_as_they_are_written() {
        for name in ["s#1#EUR", "p#guest-0190a1b2-0000-7000-8000-000000000001#USDT", "n#JPY"] {
            assert_eq!(name.parse::<TallyPart>().map(|it| it.to_string()), Ok(name.to_owned()));
        }
        for name in ["2024-01-20#food", "2024-02-29#none", "2024-02-29#pets"] {
            assert_eq!(name.parse::<TallyKey>().map(|it| it.to_string()), Ok(name.to_owned()));
        }
        for name in ["", "kind", "PK", "n#", "n#EUR#1", "s#EUR", "s#0#EUR", "q#1#EUR", "s#1#eur"] {
            assert_eq!(name.parse::<TallyPart>(), Err(TallyError), "{name}");
        }
        for name in ["2024-01-20", "2024-01-20#", "2024-1-20#food", "2024-01-20#Pets"] {
            assert_eq!(name.parse::<TallyKey>(), Err(TallyError), "{name}");
        }
    }
}
