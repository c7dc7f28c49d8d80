//! Query parameters of the ledger lists.

use std::str::FromStr;

use fracti_core::values::time::{Day, Timestamp};
use fracti_http::{Description, Paging, Parameters, QueryReader, schemas};
use fracti_store::{Order, Statement};
use fracti_texts::{Message, Says, rule};

/// A bound of a period: a moment or a whole day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Moment(Timestamp),
    Day(Day),
}

/// Error returned for a text that is not a bound of a period.
#[derive(Debug)]
pub(crate) struct PeriodBoundError;

impl Says for PeriodBoundError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be an RFC 3339 timestamp, like 2024-01-20T18:30:00.000Z, or a day, like \
             2024-01-20",
            "{field} должно быть временем по RFC 3339, например 2024-01-20T18:30:00.000Z, или \
             датой, например 2024-01-20"
        )
    }
}

impl FromStr for Bound {
    type Err = PeriodBoundError;

    fn from_str(text: &str) -> Result<Self, PeriodBoundError> {
        let day = text.parse().map(Self::Day);
        day.or_else(|_| text.parse().map(Self::Moment)).map_err(|_| PeriodBoundError)
    }
}

impl Bound {
    /// The first moment of a period that starts with this bound.
    pub(crate) fn first(self) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => day.start(),
        }
    }

    /// The last moment of a period that ends with this bound.
    pub(crate) fn last(self) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Day(day) => day.end(),
        }
    }
}

/// Query parameters of the list of entries.
pub(crate) struct EntriesQuery {
    pub(crate) paging: Paging,
    pub(crate) statement: Statement,
}

/// Query parameters of the list of days.
pub(crate) struct LedgerDaysQuery {
    pub(crate) paging: Paging,
    pub(crate) from: Option<Day>,
    pub(crate) to: Option<Day>,
}

impl Parameters for EntriesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let bound = Description::inline::<schemas::PeriodBound>;
        let about = "Return no entries before this moment or day.";
        let from = query.read("from", about, bound).map(Bound::first);
        let about = "Return no entries after this moment or day.";
        let to = query.read("to", about, bound).map(Bound::last);
        query.check_order(("from", from.as_ref()), ("to", to.as_ref()));
        let schema = Description::inline::<schemas::SortOrder>;
        let order = query.read("order", "Order of the entries.", schema).unwrap_or(Order::Desc);
        let user = query.text("userId", "Return only entries that changed this member's balances.");
        Self { paging, statement: Statement { order, from, to, user } }
    }
}

impl Parameters for LedgerDaysQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let (from, to) = query.period(
            ("from", "Return no days before this day."),
            ("to", "Return no days after this day."),
        );
        let schema = Description::inline::<schemas::DaysLimit>;
        query.describe("limit", "Maximum number of days on the page.", schema);
        Self { paging, from, to }
    }
}
