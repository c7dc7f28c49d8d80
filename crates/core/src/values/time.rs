//! Moments, days and time zones, in the form that rows and responses have.

mod zone;

use std::{fmt, str::FromStr, time::Duration};

use chrono::{
    DateTime, Datelike, Days, Months, NaiveDate, NaiveTime, SecondsFormat, TimeDelta, Utc,
};
use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize, Serializer};

use crate::values::text_form::{TextForm, TextRule};

pub use zone::{
    DAY_STARTS_AT_HOUR, IanaZone, Zone, ZoneError, ZonedTime, day_of, hour_of, start_of,
};

/// A moment in UTC with millisecond precision, written as `2024-01-20T18:30:00.000Z`. Its texts
/// sort in order of time.
///
/// The default is the start of 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Timestamp(DateTime<Utc>);

/// Error returned for a text that is not a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimestampError;

impl Says for TimestampError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be an RFC 3339 timestamp, like 2024-01-20T18:30:00.000Z",
            "{field} должно быть временем по RFC 3339, например 2024-01-20T18:30:00.000Z"
        )
    }
}

errors!(TimestampError);

impl Timestamp {
    /// The moment `millis` milliseconds after the start of 1970, if it is in the years 1970 to
    /// 9999.
    #[must_use]
    pub fn from_millis(millis: u64) -> Option<Self> {
        // A year after 9999 has five digits, so its text would not sort.
        const END: i64 = 253_402_300_800_000;
        let millis = i64::try_from(millis).ok().filter(|millis| *millis < END)?;
        DateTime::from_timestamp_millis(millis).map(Self)
    }

    /// Milliseconds since the start of 1970; zero before it.
    #[must_use]
    pub fn millis(self) -> u64 {
        u64::try_from(self.0.timestamp_millis()).unwrap_or_default()
    }

    /// Seconds since the start of 1970; zero before it.
    #[must_use]
    pub fn seconds(self) -> u64 {
        u64::try_from(self.0.timestamp()).unwrap_or_default()
    }

    /// The next moment, one millisecond later.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add_signed(TimeDelta::milliseconds(1)).unwrap_or(self.0))
    }

    /// The moment `seconds` later; the same moment if that is after the year 9999.
    #[must_use]
    pub fn plus_seconds(self, seconds: u64) -> Self {
        let millis = seconds.saturating_mul(1_000).saturating_add(self.millis());
        Self::from_millis(millis).unwrap_or(self)
    }

    /// The previous moment, one millisecond earlier; the same moment at the start of 1970.
    #[must_use]
    pub fn previous(self) -> Self {
        Self::from_millis(self.millis().saturating_sub(1)).unwrap_or(self)
    }

    /// The time from `earlier` to this moment; zero if it is not earlier.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(self.millis().saturating_sub(earlier.millis()))
    }

    /// Hours and minutes of the moment, in UTC, like `18:30`.
    #[must_use]
    pub fn clock(self) -> String {
        self.0.format("%H:%M").to_string()
    }

    /// The day of the moment, in UTC.
    #[must_use]
    pub fn day(self) -> Day {
        Day(self.0.date_naive())
    }
}

/// A calendar date, written as `2024-01-20`. Its texts sort in order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Day(NaiveDate);

/// Error returned for a text that is not a day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DayError;

impl Says for DayError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be a day from 1970-01-01 to 9999-12-31, like 2024-01-20",
            "{field} должно быть датой от 1970-01-01 до 9999-12-31, например 2024-01-20"
        )
    }
}

errors!(DayError);

impl Day {
    /// First moment of the day, in UTC.
    #[must_use]
    pub fn start(self) -> Timestamp {
        Timestamp(self.0.and_time(NaiveTime::MIN).and_utc())
    }

    /// Noon of the day, in UTC.
    #[must_use]
    pub fn noon(self) -> Timestamp {
        self.start().0.checked_add_signed(TimeDelta::hours(12)).map_or(self.start(), Timestamp)
    }

    /// The day `days` later, or earlier if the number is negative; the first or the last one of the
    /// years 1970 to 9999 if it is beyond them.
    #[must_use]
    pub fn plus(self, days: i64) -> Self {
        let day = TimeDelta::try_days(days).and_then(|days| self.0.checked_add_signed(days));
        match day {
            Some(day) if (1970..=9999).contains(&day.year()) => Self(day),
            _ if days < 0 => Timestamp::default().day(),
            _ => Self(NaiveDate::from_ymd_opt(9999, 12, 31).unwrap_or(self.0)),
        }
    }

    /// The day `days` later, unless that is after the year 9999.
    #[must_use]
    pub fn later(self, days: u32) -> Option<Self> {
        let day = self.0.checked_add_days(Days::new(days.into()))?;
        (day.year() <= 9999).then_some(Self(day))
    }

    /// The same day of the month `months` later, or the last one of a shorter month, unless that is
    /// after the year 9999.
    #[must_use]
    pub fn months_later(self, months: u32) -> Option<Self> {
        let day = self.0.checked_add_months(Months::new(months))?;
        (day.year() <= 9999).then_some(Self(day))
    }

    /// First day of the month.
    #[must_use]
    pub fn first_of_month(self) -> Self {
        self.0.with_day(1).map_or(self, Self)
    }

    /// Last day of the month.
    #[must_use]
    pub fn last_of_month(self) -> Self {
        let next = self.first_of_month().0.checked_add_months(Months::new(1));
        next.and_then(|next| next.pred_opt()).map_or(self, Self)
    }

    /// Number of days from the first day to this one, both included; 0 if it is earlier.
    #[must_use]
    pub fn days_since(self, first: Self) -> u64 {
        let days = self.0.signed_duration_since(first.0).num_days();
        u64::try_from(days.saturating_add(1)).unwrap_or_default()
    }

    /// The same day of the next year; 28 February for 29 February.
    #[must_use]
    pub fn next_year(self) -> Self {
        self.0.checked_add_months(Months::new(12)).map_or(self, Self)
    }

    /// Last moment of the day, in UTC.
    #[must_use]
    pub fn end(self) -> Timestamp {
        let next = self.0.succ_opt().unwrap_or(self.0).and_time(NaiveTime::MIN).and_utc();
        Timestamp(next).previous()
    }
}

impl TryFrom<String> for Day {
    type Error = DayError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for Day {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl FromStr for Day {
    type Err = DayError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // Only the printed form is accepted, even if the parser of moments accepts others.
        let start: Timestamp = format!("{text}T00:00:00.000Z").parse().map_err(|_| DayError)?;
        let day = start.day();
        if day.to_string() == text { Ok(day) } else { Err(DayError) }
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // ISO 8601, because the years have four digits.
        self.0.fmt(f)
    }
}

impl FromStr for Timestamp {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        DateTime::parse_from_rfc3339(text)
            .ok()
            .and_then(|moment| u64::try_from(moment.timestamp_millis()).ok())
            .and_then(Self::from_millis)
            .ok_or(TimestampError)
    }
}

impl TryFrom<String> for Timestamp {
    type Error = TimestampError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl TextForm for Timestamp {
    const NAME: &'static str = "Timestamp";
    const EXAMPLE: &'static str = "2024-01-20T18:30:00.000Z";

    fn description() -> String {
        "A moment in UTC with millisecond precision. Timestamps in responses sort as text."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Format("date-time")
    }
}

impl TextForm for Day {
    const NAME: &'static str = "CalendarDate";
    const EXAMPLE: &'static str = "2024-01-20";

    fn description() -> String {
        "A calendar date.".to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Format("date")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamp_has_milliseconds_and_sorts_as_text() {
        for (text, printed) in [
            ("2024-01-20T18:30:00.000Z", "2024-01-20T18:30:00.000Z"),
            ("2024-01-20T18:30:00Z", "2024-01-20T18:30:00.000Z"),
            ("2024-01-20T20:30:00.1239+02:00", "2024-01-20T18:30:00.123Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().map(|it| it.to_string()), Ok(printed.to_owned()));
        }
        let moment: Timestamp = "2024-12-31T23:59:59.999Z".parse().unwrap();
        assert!(moment.to_string() < moment.next().to_string());
        assert_eq!(moment.next().day().to_string(), "2025-01-01");
        assert_eq!(moment.next().previous(), moment);
        assert_eq!(
            (moment.day().end(), moment.day().end().next()),
            (moment, moment.next().day().start())
        );
    }

    #[test]
    fn the_year_after_a_leap_day_has_none() {
        let leap: Day = "2024-02-29".parse().unwrap();
        assert_eq!(leap.next_year().to_string(), "2025-02-28");
    }

    #[test]
    fn months_end_on_their_last_day() {
        for (day, first, last, days) in [
            ("2024-02-29", "2024-02-01", "2024-02-29", 29),
            ("2026-12-31", "2026-12-01", "2026-12-31", 31),
            ("9999-12-01", "9999-12-01", "9999-12-31", 31),
        ] {
            let [day, first, last]: [Day; 3] = [day, first, last].map(|day| day.parse().unwrap());
            assert_eq!((day.first_of_month(), day.last_of_month()), (first, last));
            assert_eq!((last.days_since(first), first.days_since(last)), (days, 0));
        }
    }

    #[test]
    fn day_has_only_one_text_form() {
        for (text, accepted) in [
            ("2024-02-29", true),
            ("2023-02-29", false),
            ("1969-12-31", false),
            ("2024-2-29", false),
            ("2024-02-29T00:00:00Z", false),
            ("", false),
        ] {
            assert_eq!(
                text.parse::<Day>().map(|day| day.to_string()).ok().as_deref() == Some(text),
                accepted,
                "{text:?}"
            );
        }
    }

    #[test]
    fn invalid_timestamps_are_refused() {
        for text in
            ["", "2024-01-20", "yesterday", "1969-12-31T23:59:59Z", "+12024-01-20T18:30:00Z"]
        {
            assert_eq!(text.parse::<Timestamp>(), Err(TimestampError), "{text:?}");
        }
    }
}
