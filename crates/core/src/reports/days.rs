//! Consumption of a user by day: their own spendings, and their shares of group expenses.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
    str::FromStr,
};

use fracti_texts::{Message, Says, errors, message, rule};

use crate::{
    input::Error,
    personal::{
        summary::DaySummary,
        targets::{Period, Targets},
    },
    reports::tally::{TallyPart, TallyRow},
    values::{
        category::TOTAL,
        currency::Currency,
        decimal::Decimal,
        id::MemberId,
        time::{Day, DayError, Timestamp, day_of},
    },
};

/// Maximum number of days of one request.
pub const MAX_DAYS: u64 = 366;

/// Number of days that are read by default.
const DEFAULT_DAYS: i64 = 30;

/// A range of days that a client asks for, which may be open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DaysAsked {
    /// First day. Default: 29 days before the last one.
    pub from: Option<Day>,
    /// Last day. Default: the user's current day.
    pub to: Option<Day>,
}

/// A calendar month, written as `2026-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Month(Day);

/// Error returned for a text that is not a month.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonthError;

impl Says for MonthError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be a month from 1970-01 to 9999-12, like 2024-01",
            "{field} должно быть месяцем от 1970-01 до 9999-12, например 2024-01"
        )
    }
}

errors!(MonthError);

/// Consumption of a user in one currency.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consumed {
    /// Sum of their own spendings, in major units.
    pub spendings: Decimal,
    /// Sum of their shares of expenses, minus those of refunds, in major units.
    pub shares: Decimal,
    /// Sums by category.
    pub categories: BTreeMap<String, Decimal>,
}

/// Consumption of a user on one day or several.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Consumption {
    /// Number of their own spendings.
    pub spending_count: u64,
    /// Amounts in each currency.
    pub currencies: BTreeMap<Currency, Consumed>,
}

/// A target, and what was spent of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetState {
    /// Its key: [`TOTAL`] or a category.
    pub key: String,
    /// Its currency.
    pub currency: Currency,
    /// Target, in major units.
    pub target: Decimal,
    /// Amount spent, in major units.
    pub spent: Decimal,
    /// Amount left, in major units; negative if more was spent.
    pub left: Decimal,
}

impl DaysAsked {
    /// The days, if `today` is the user's current day.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if they are more than [`MAX_DAYS`], or the first one is after the last.
    pub fn days(self, today: Day) -> Result<RangeInclusive<Day>, Error> {
        let to = self.to.unwrap_or(today);
        let from = self.from.unwrap_or_else(|| to.plus(1_i64.saturating_sub(DEFAULT_DAYS)));
        match to.days_since(from) {
            0 => Err(Error::invalid(
                "from",
                message!(
                    "from must not be after the last day",
                    "дата from не должна быть позже последнего дня"
                ),
            )),
            1..=MAX_DAYS => Ok(from..=to),
            _ => Err(Error::invalid(
                "from",
                message!(
                    "from and to must span at most {MAX_DAYS} days",
                    "дней от from до to должно быть не больше {MAX_DAYS}"
                ),
            )),
        }
    }

    /// Days that include those of [`DaysAsked::days`] in any time zone.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the range is too long or the first day is after the last in every
    /// zone.
    pub fn widest(self, now: Timestamp) -> Result<RangeInclusive<Day>, Error> {
        let utc = now.day();
        match (self.days(utc.plus(-1)), self.days(utc.plus(1))) {
            (Ok(earliest), Ok(latest)) => Ok(*earliest.start()..=*latest.end()),
            // The range is too long if the last day is tomorrow, but perhaps not if it is today.
            (Ok(earliest), Err(_)) => {
                let last = self.to.unwrap_or_else(|| utc.plus(1));
                Ok(*earliest.start()..=last)
            }
            (Err(_), days) => days,
        }
    }

    /// The days in the zone of the user's targets.
    ///
    /// # Errors
    ///
    /// As [`DaysAsked::days`].
    pub fn of(self, targets: &Targets, now: Timestamp) -> Result<RangeInclusive<Day>, Error> {
        self.days(day_of(now, targets.zone()))
    }
}

impl Month {
    /// First and last day.
    #[must_use]
    pub fn days(self) -> DaysAsked {
        DaysAsked { from: Some(self.0), to: Some(self.0.last_of_month()) }
    }
}

impl FromStr for Month {
    type Err = MonthError;

    fn from_str(text: &str) -> Result<Self, MonthError> {
        format!("{text}-01").parse().map(Self).map_err(|DayError| MonthError)
    }
}

impl Consumed {
    /// Sum of spendings and shares.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if it has too many digits.
    pub fn total(&self) -> Result<Decimal, Error> {
        sum(self.spendings, self.shares)
    }

    fn is_zero(&self) -> bool {
        let amounts = [&self.spendings, &self.shares].into_iter().chain(self.categories.values());
        amounts.into_iter().all(|amount| *amount == Decimal::ZERO)
    }

    fn add_to_category(&mut self, category: &str, amount: Decimal) -> Result<(), Error> {
        let part = self.categories.entry(category.to_owned()).or_insert(Decimal::ZERO);
        *part = sum(*part, amount)?;
        Ok(())
    }
}

impl Consumption {
    /// Adds the user's own spendings of a day.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if a sum has too many digits.
    pub fn add_summary(&mut self, summary: &DaySummary) -> Result<(), Error> {
        self.spending_count = self.spending_count.saturating_add(summary.spending_count());
        for (currency, category, amount) in summary.sums() {
            let consumed = self.currencies.entry(currency).or_default();
            match category {
                None => consumed.spendings = sum(consumed.spendings, amount)?,
                Some(category) => consumed.add_to_category(category, amount)?,
            }
        }
        Ok(())
    }

    /// Adds the user's shares of the expenses of a group. The user has these member ids: their own,
    /// and those of the guests who turned out to be them.
    ///
    /// # Errors
    ///
    /// As [`Consumption::add_summary`].
    pub fn add_tally(&mut self, tally: &TallyRow, ids: &BTreeSet<MemberId>) -> Result<(), Error> {
        for (part, amount) in tally.counters.iter() {
            match part {
                TallyPart::Share(member, currency) if ids.contains(member) => {
                    let consumed = self.currencies.entry(*currency).or_default();
                    consumed.shares = sum(consumed.shares, amount)?;
                    if let Some(category) = tally.of.category {
                        consumed.add_to_category(&category.to_string(), amount)?;
                    }
                }
                TallyPart::Share(..) | TallyPart::Paid(..) | TallyPart::Count(_) => {}
            }
        }
        Ok(())
    }

    /// Adds another day.
    ///
    /// # Errors
    ///
    /// As [`Consumption::add_summary`].
    pub fn add(&mut self, other: &Self) -> Result<(), Error> {
        self.spending_count = self.spending_count.saturating_add(other.spending_count);
        for (currency, other) in &other.currencies {
            let consumed = self.currencies.entry(*currency).or_default();
            consumed.spendings = sum(consumed.spendings, other.spendings)?;
            consumed.shares = sum(consumed.shares, other.shares)?;
            for (category, amount) in &other.categories {
                consumed.add_to_category(category, *amount)?;
            }
        }
        Ok(())
    }

    /// The same without amounts that are zero.
    #[must_use]
    pub fn without_zeros(mut self) -> Self {
        self.currencies.retain(|_, consumed| !consumed.is_zero());
        for consumed in self.currencies.values_mut() {
            consumed.categories.retain(|_, amount| *amount != Decimal::ZERO);
        }
        self
    }

    /// State of each target. Only amounts in its currency count.
    ///
    /// # Errors
    ///
    /// As [`Consumption::add_summary`].
    pub fn compared_with(&self, targets: &Targets) -> Result<Vec<TargetState>, Error> {
        let common = targets.currency.into_iter().flat_map(|currency| {
            targets.targets.iter().map(move |(key, target)| (key.as_str(), currency, *target))
        });
        let own = targets
            .registry
            .iter()
            .filter_map(|(key, own)| Some((key.as_str(), own.unit, own.target?)));
        let state = |(key, currency, target): (&str, Currency, Decimal)| {
            let consumed = self.currencies.get(&currency);
            let spent = match consumed {
                None => Decimal::ZERO,
                Some(consumed) if key == TOTAL => consumed.total()?,
                Some(consumed) => consumed.categories.get(key).copied().unwrap_or(Decimal::ZERO),
            };
            let left = target.minus(spent).ok_or_else(too_long)?;
            Ok(TargetState { key: key.to_owned(), currency, target, spent, left })
        };
        common.chain(own).map(state).collect()
    }

    /// Keys of the daily targets that a day exceeds.
    ///
    /// # Errors
    ///
    /// As [`Consumption::add_summary`].
    pub fn over(&self, targets: &Targets) -> Result<Vec<String>, Error> {
        match targets.period {
            Period::Month => Ok(Vec::new()),
            Period::Day => {
                let states = self.compared_with(targets)?.into_iter();
                Ok(states.filter(|it| it.left.is_negative()).map(|it| it.key).collect())
            }
        }
    }
}

impl Targets {
    /// Whether the days are exactly one period of the targets.
    #[must_use]
    pub fn are_for(&self, days: &RangeInclusive<Day>) -> bool {
        let first = *days.start();
        let last = *days.end();
        match self.period {
            Period::Month => first == first.first_of_month() && last == first.last_of_month(),
            Period::Day => first == last,
        }
    }
}

fn sum(one: Decimal, two: Decimal) -> Result<Decimal, Error> {
    one.plus(two).ok_or_else(too_long)
}

fn too_long() -> Error {
    Error::Internal("a sum of a day has too many digits")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(from: Option<&str>, to: Option<&str>) -> DaysAsked {
        let day = |day: &str| day.parse().unwrap();
        DaysAsked { from: from.map(day), to: to.map(day) }
    }

    #[test]
    fn range_has_at_most_366_days_in_order() {
        let now: Timestamp = "2026-11-20T12:00:00.000Z".parse().unwrap();
        for (from, to, expected) in [
            (None, None, Some("2026-10-22 2026-11-20")),
            (None, Some("2026-01-30"), Some("2026-01-01 2026-01-30")),
            (Some("2026-11-19"), None, Some("2026-11-19 2026-11-20")),
            (Some("2026-11-21"), None, None),
            (Some("2024-01-01"), Some("2024-12-31"), Some("2024-01-01 2024-12-31")),
            (Some("2024-01-01"), Some("2025-01-01"), None),
            (Some("2026-01-02"), Some("2026-01-01"), None),
            (Some("2025-11-21"), None, Some("2025-11-21 2026-11-20")),
            (Some("2025-11-20"), None, Some("2025-11-20 2026-11-20")),
            (Some("2025-11-19"), None, None),
            (Some("1970-01-01"), None, None),
            (None, Some("1970-01-01"), Some("1970-01-01 1970-01-01")),
            // Days before 1970 cannot be written, so there are fewer.
            (None, Some("1970-01-10"), Some("1970-01-01 1970-01-10")),
            (None, Some("9999-12-31"), Some("9999-12-02 9999-12-31")),
        ] {
            let asked = asked(from, to);
            let days = asked.days(now.day()).ok();
            let text = days.clone().map(|days| format!("{} {}", days.start(), days.end()));
            assert_eq!(text.as_deref(), expected, "{from:?} {to:?}");
            if let Some(days) = days {
                let widest = asked.widest(now).unwrap();
                assert!(widest.start() <= days.start() && days.end() <= widest.end());
            }
        }
        assert!(asked(Some("1970-01-01"), None).widest(now).is_err());
        assert!(asked(Some("2026-11-21"), None).widest(now).is_ok(), "it is a day in some zone");
    }

    #[test]
    fn month_has_all_its_days() {
        let month: Month = "2024-02".parse().unwrap();
        assert_eq!(month.days(), asked(Some("2024-02-01"), Some("2024-02-29")));
        for text in ["", "2024", "2024-2", "2024-13", "2024-02-01", "1969-12"] {
            assert_eq!(text.parse::<Month>(), Err(MonthError), "{text}");
        }
    }
}
