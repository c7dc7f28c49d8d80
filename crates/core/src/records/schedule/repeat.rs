//! The rule of a schedule: its dates, which follow from the rule alone.

use fracti_texts::rule;
use serde::{Deserialize, Serialize};

use crate::{
    input::{Field, FieldErrors, Path, numbers::whole},
    values::{
        decimal::Decimal,
        time::{Day, Timestamp, Zone, day_of},
    },
    words,
};

/// Days before today at which a rule may start, and for which missed dates are recorded.
pub const DAYS_BACK: i64 = 35;

/// Days after today at which a rule may start.
const DAYS_AHEAD: i64 = 366;

/// Maximum number of units between two dates.
const MAX_INTERVAL: u64 = 365;

/// Maximum number of dates of a rule that has a number.
const MAX_COUNT: u64 = 1_000;

/// More dates than a rule has until the year 9999.
const MAX_INDEX: u32 = 3_000_000;

words! {
    /// Unit of time between two dates of a schedule.
    pub enum RepeatUnit as "RepeatUnit" {
        /// Days.
        Day = "day",
        /// Weeks.
        Week = "week",
        /// Months.
        Month = "month",
        /// Years.
        Year = "year",
    }
}

/// The rule of a schedule. Date k, from 0, is `start` and k times `interval` units, always counted
/// from `start`: of a 31st, the last day of a shorter month, and the 31st again after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repeat {
    /// Unit.
    pub every: RepeatUnit,
    /// Number of units between two dates, from 1.
    pub interval: u32,
    /// First date.
    pub start: Day,
    /// Last day that may be a date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Day>,
    /// Number of dates, skipped ones among them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u32>,
    /// Zone in which a date begins. A journey does not move it.
    pub time_zone: Zone,
}

/// The rule of a schedule, before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RepeatInput {
    /// Unit.
    pub every: Field<RepeatUnit>,
    /// Number of units. Default: 1.
    pub interval: Field<Decimal>,
    /// First date. Default: today.
    pub start: Field<Day>,
    /// Last day that may be a date. Default: no end.
    pub until: Field<Day>,
    /// Number of dates. Default: no end.
    pub count: Field<Decimal>,
    /// Zone. Default: that of the caller.
    pub time_zone: Field<Zone>,
}

/// Context in which a rule is checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct RepeatContext {
    pub(super) now: Timestamp,
    /// Zone of a rule that names none.
    pub(super) zone: Zone,
    /// The last date that was recorded, after which the rule has to start.
    pub(super) after: Option<Day>,
}

impl RepeatInput {
    /// The rule. Reports those that it breaks, at their paths within `repeat`.
    pub(super) fn read(&self, context: RepeatContext, errors: &mut FieldErrors) -> Option<Repeat> {
        let path = Path::from("repeat");
        let time_zone = self.time_zone.or(context.zone);
        let today = day_of(context.now, time_zone.unwrap_or(context.zone));
        let [first, last] = [DAYS_BACK.saturating_neg(), DAYS_AHEAD].map(|days| today.plus(days));
        let number =
            |name: &'static str, number: Field<Decimal>, most, errors: &mut FieldErrors| {
                let number = *number.value()?;
                whole(path.field(name), number, 1..=most, errors)
                    .and_then(|it| u32::try_from(it).ok())
            };
        if self.every.is_absent() {
            errors.missing(path.field("every"));
        }
        let interval = match self.interval {
            Field::Absent => Some(1),
            given => number("interval", given, MAX_INTERVAL, errors),
        };
        let count = match self.count {
            Field::Absent => Some(None),
            given => number("count", given, MAX_COUNT, errors).map(Some),
        };
        let start = match (self.start, context.after) {
            (Field::Value(start), _) => Some(start),
            (Field::Absent, Some(after)) => Some(today.max(after.plus(1))),
            (Field::Absent, None) => Some(today),
            (Field::Invalid, _) => None,
        };
        if let Field::Value(start) = self.start {
            if !(first..=last).contains(&start) {
                let rule = rule!(
                    "{field} must be from {first} to {last}",
                    "{field} должно быть от {first} до {last}"
                );
                errors.push(path.field("start"), rule);
            } else if let Some(after) = context.after.filter(|after| start <= *after) {
                let rule =
                    rule!("{field} must be after {after}", "{field} должно быть позже {after}");
                errors.push(path.field("start"), rule);
            }
        }
        if let (Some(start), Field::Value(until)) = (start, self.until)
            && until < start
        {
            errors.push(
                path.field("until"),
                rule!("{field} must not be before start", "{field} не должно быть раньше start"),
            );
        }
        if !self.until.is_absent() && !self.count.is_absent() {
            errors.push(
                path.field("count"),
                rule!(
                    "{field} must be left out if until is sent",
                    "не указывайте {field} вместе с until"
                ),
            );
        }
        Some(Repeat {
            every: *self.every.value()?,
            interval: interval?,
            start: start?,
            until: self.until.map(Some).or(None)?,
            count: count?,
            time_zone: time_zone?,
        })
    }
}

impl Repeat {
    /// The date with this index, from 0; `None` after the last one.
    #[must_use]
    pub fn date(&self, index: u32) -> Option<Day> {
        let is_counted = self.count.is_none_or(|count| index < count);
        let date = self.unlimited(index).filter(|_| is_counted)?;
        self.until.is_none_or(|until| date <= until).then_some(date)
    }

    /// The dates from a day on, in order.
    pub fn from(&self, day: Day) -> impl Iterator<Item = Day> + '_ {
        (self.index_from(day)..).map_while(|index| self.date(index))
    }

    /// Whether the day is one of its dates.
    #[must_use]
    pub fn has(&self, day: Day) -> bool {
        self.from(day).next() == Some(day)
    }

    /// The date with this index, without an end but that of the year 9999.
    fn unlimited(&self, index: u32) -> Option<Day> {
        let units = index.checked_mul(self.interval)?;
        match self.every {
            RepeatUnit::Day => self.start.later(units),
            RepeatUnit::Week => self.start.later(units.checked_mul(7)?),
            RepeatUnit::Month => self.start.months_later(units),
            RepeatUnit::Year => self.start.months_later(units.checked_mul(12)?),
        }
    }

    /// Index of the first date that is not before a day.
    fn index_from(&self, day: Day) -> u32 {
        let mut low = 0;
        let mut high = MAX_INDEX;
        while low < high {
            let middle = low.midpoint(high);
            match self.unlimited(middle) {
                Some(date) if date < day => low = middle.saturating_add(1),
                _ => high = middle,
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Day {
        text.parse().unwrap()
    }

    fn rule(every: RepeatUnit, interval: u32, start: &str) -> Repeat {
        let time_zone = Zone::default();
        Repeat { every, interval, start: day(start), until: None, count: None, time_zone }
    }

    fn first(rule: &Repeat, count: usize) -> Vec<String> {
        rule.from(rule.start).take(count).map(|date| date.to_string()).collect()
    }

    /// Dates as `start + relativedelta(…)` of Python's dateutil 2.9 gives them.
    #[test]
    fn each_date_is_counted_from_the_start() {
        for (every, interval, start, dates) in [
            (
                RepeatUnit::Month,
                1,
                "2027-01-31",
                &["2027-01-31", "2027-02-28", "2027-03-31", "2027-04-30", "2027-05-31"][..],
            ),
            (
                RepeatUnit::Month,
                1,
                "2027-12-30",
                &["2027-12-30", "2028-01-30", "2028-02-29", "2028-03-30"],
            ),
            (
                RepeatUnit::Month,
                5,
                "2026-10-31",
                &["2026-10-31", "2027-03-31", "2027-08-31", "2028-01-31", "2028-06-30"],
            ),
            (
                RepeatUnit::Year,
                1,
                "2028-02-29",
                &["2028-02-29", "2029-02-28", "2030-02-28", "2031-02-28", "2032-02-29"],
            ),
            (RepeatUnit::Day, 3, "2028-02-27", &["2028-02-27", "2028-03-01", "2028-03-04"]),
            (
                RepeatUnit::Week,
                5,
                "2026-12-01",
                &["2026-12-01", "2027-01-05", "2027-02-09", "2027-03-16"],
            ),
        ] {
            let rule = rule(every, interval, start);
            assert_eq!(first(&rule, dates.len()), dates);
            for (index, date) in (0..).zip(dates) {
                assert_eq!(
                    rule.date(index),
                    Some(day(date)),
                    "date k depends on start and k alone"
                );
                assert!(rule.has(day(date)));
                assert!(!rule.has(day(date).plus(1)), "{date}");
            }
        }
    }

    #[test]
    fn a_rule_ends_after_its_last_day_or_its_last_date() {
        let monthly = rule(RepeatUnit::Month, 1, "2027-01-31");
        let until = Repeat { until: Some(day("2027-03-31")), ..monthly.clone() };
        assert_eq!(first(&until, 9), ["2027-01-31", "2027-02-28", "2027-03-31"]);
        let before = Repeat { until: Some(day("2027-03-30")), ..monthly.clone() };
        assert_eq!(first(&before, 9), ["2027-01-31", "2027-02-28"]);
        let twice = Repeat { count: Some(2), ..monthly.clone() };
        assert_eq!(first(&twice, 9), ["2027-01-31", "2027-02-28"]);
        assert_eq!(twice.from(day("2027-03-01")).next(), None);
        assert_eq!(monthly.from(day("2027-02-28")).next(), Some(day("2027-02-28")));
        assert_eq!(monthly.from(day("2027-03-01")).next(), Some(day("2027-03-31")));
        assert_eq!(rule(RepeatUnit::Year, 1, "9998-05-05").from(day("9998-05-05")).count(), 2);
        assert_eq!(
            rule(RepeatUnit::Day, 365, "1970-01-01")
                .index_from(day("1960-01-01".replace("1960", "1970").as_str())),
            0
        );
    }
}
