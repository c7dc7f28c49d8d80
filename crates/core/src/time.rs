//! A moment, as every row and response writes it.

use std::{fmt, str::FromStr};

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// A moment in UTC, to the millisecond: `2024-01-20T18:30:00.000Z`, whose texts sort as the moments do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Timestamp(DateTime<Utc>);

/// Why a text is not a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a moment is written as in RFC 3339, like 2024-01-20T18:30:00.000Z")]
pub struct TimestampError;

impl Timestamp {
    /// The moment `millis` milliseconds after the start of 1970, where it is in the years 1970 to 9999.
    #[must_use]
    pub fn from_millis(millis: u64) -> Option<Self> {
        // Beyond the year 9999 a text would have five digits of year, and not sort any more.
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

    /// The next moment.
    #[must_use]
    pub fn next(self) -> Self {
        Self(self.0.checked_add_signed(TimeDelta::milliseconds(1)).unwrap_or(self.0))
    }

    /// Its day in UTC: `2024-01-20`.
    #[must_use]
    pub fn day(self) -> String {
        self.0.format("%Y-%m-%d").to_string()
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

impl From<Timestamp> for String {
    fn from(moment: Timestamp) -> Self {
        moment.to_string()
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_has_three_digits_and_sorts_as_text() {
        for (text, printed) in [
            ("2024-01-20T18:30:00.000Z", "2024-01-20T18:30:00.000Z"),
            ("2024-01-20T18:30:00Z", "2024-01-20T18:30:00.000Z"),
            ("2024-01-20T20:30:00.1239+02:00", "2024-01-20T18:30:00.123Z"),
        ] {
            assert_eq!(text.parse::<Timestamp>().map(|it| it.to_string()), Ok(printed.to_owned()));
        }
        let moment: Timestamp = "2024-12-31T23:59:59.999Z".parse().unwrap();
        assert!(moment.to_string() < moment.next().to_string());
        assert_eq!(moment.next().day(), "2025-01-01");
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for text in
            ["", "2024-01-20", "yesterday", "1969-12-31T23:59:59Z", "+12024-01-20T18:30:00Z"]
        {
            assert_eq!(text.parse::<Timestamp>(), Err(TimestampError), "{text:?}");
        }
    }
}
