//! Statistics of a group: what was consumed by category, member and period.

use std::collections::BTreeMap;

use super::{TallyPart, TallyRow};
use crate::{
    group::links::Links,
    ledger::LedgerError,
    values::{
        category::ExpenseCategory, currency::Currency, decimal::Decimal, id::MemberId, time::Day,
    },
    words,
};

/// Maximum number of days of statistics.
pub const MAX_DAYS: u64 = 366;

/// Maximum number of members and periods of statistics, over all currencies. One takes up to a
/// kilobyte of the response. One with more categories than the built-in ones counts several times.
pub const MAX_LINES: usize = 5_000;

words! {
    /// Length of the periods of a series: `month` or `day`.
    pub enum SeriesStep as "SeriesStep" {
        /// A calendar month.
        Month = "month",
        /// A day.
        Day = "day",
    }
}

/// Statistics by currency.
pub type Stats = BTreeMap<Currency, CurrencyStats>;

/// Amounts by category, in major units; `None` is without a category.
pub type ByCategory = BTreeMap<Option<ExpenseCategory>, Decimal>;

/// Statistics in one currency. Sums are in major units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CurrencyStats {
    /// Sum of all shares.
    pub total: Decimal,
    /// Number of expenses.
    pub expense_count: Decimal,
    /// Sums and numbers of expenses by category.
    pub categories: BTreeMap<Option<ExpenseCategory>, CategoryStats>,
    /// Sums by member. A linked guest's are the user's.
    pub members: BTreeMap<MemberId, MemberStats>,
    /// Sums by period.
    pub series: BTreeMap<String, PeriodStats>,
}

/// Statistics of a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryStats {
    /// Sum of all shares.
    pub total: Decimal,
    /// Number of expenses.
    pub expense_count: Decimal,
}

/// Statistics of a member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemberStats {
    /// Sum of what the member paid.
    pub paid: Decimal,
    /// Sum of the member's shares.
    pub share: Decimal,
    /// The shares by category.
    pub categories: ByCategory,
}

/// Statistics of a period.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeriodStats {
    /// Sum of all shares.
    pub total: Decimal,
    /// The shares by category.
    pub categories: ByCategory,
}

impl SeriesStep {
    /// The period of a day, written as `2024-01` or `2024-01-20`.
    #[must_use]
    pub fn period(self, day: Day) -> String {
        let mut period = day.to_string();
        match self {
            Self::Month => period.truncate("2024-01".len()),
            Self::Day => {}
        }
        period
    }
}

/// Computes statistics from tallies. What has only zeros is left out.
///
/// # Errors
///
/// [`LedgerError::Overflow`] if a sum needs more than 38 digits.
pub fn stats(tallies: &[TallyRow], links: &Links, step: SeriesStep) -> Result<Stats, LedgerError> {
    let mut stats = Stats::new();
    for TallyRow { of, counters, .. } in tallies {
        let period = step.period(of.date);
        for (part, number) in counters.iter() {
            let currency = part.currency();
            let stats: &mut CurrencyStats = stats.entry(currency).or_default();
            let category = stats.categories.entry(of.category).or_default();
            let sums = match part {
                TallyPart::Share(member, _) => {
                    let member = stats.members.entry(links.resolve(*member)).or_default();
                    let period = stats.series.entry(period.clone()).or_default();
                    vec![
                        &mut stats.total,
                        &mut category.total,
                        &mut member.share,
                        member.categories.entry(of.category).or_default(),
                        &mut period.total,
                        period.categories.entry(of.category).or_default(),
                    ]
                }
                TallyPart::Paid(member, _) => {
                    vec![&mut stats.members.entry(links.resolve(*member)).or_default().paid]
                }
                TallyPart::Count(_) => vec![&mut stats.expense_count, &mut category.expense_count],
            };
            for sum in sums {
                *sum = sum.plus(number).ok_or(LedgerError::Overflow(currency))?;
            }
        }
    }
    Ok(stats)
}
