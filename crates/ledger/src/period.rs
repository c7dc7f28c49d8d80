//! From when to when.

use std::{fmt, str::FromStr};

use fracti_core::time::{Day, DayError, Timestamp, TimestampError};
use fracti_http::Problem;

/// An end of a period: a moment, or a whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Moment(Timestamp),
    Day(Day),
}

/// Why a text is no end of a period.
#[derive(Debug)]
pub(crate) struct BoundError;

impl fmt::Display for BoundError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{TimestampError}; {DayError}")
    }
}

impl FromStr for Bound {
    type Err = BoundError;

    fn from_str(text: &str) -> Result<Self, BoundError> {
        let day = text.parse().map(Self::Day);
        day.or_else(|_| text.parse().map(Self::Moment)).map_err(|_| BoundError)
    }
}

/// The first and the last moment of a period; the days of both ends are in it.
///
/// # Errors
///
/// A [`Problem`] where it ends before it begins.
pub(crate) fn between(
    from: Option<Bound>,
    to: Option<Bound>,
) -> Result<(Option<Timestamp>, Option<Timestamp>), Problem> {
    let from = from.map(|bound| match bound {
        Bound::Moment(moment) => moment,
        Bound::Day(day) => day.start(),
    });
    let to = to.map(|bound| match bound {
        Bound::Moment(moment) => moment,
        Bound::Day(day) => day.end(),
    });
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(Problem::invalid("from", "it is after `to`"));
    }
    Ok((from, to))
}
