//! The day and the category of a tally.

use std::{fmt, str::FromStr};

use crate::values::{
    category::{ExpenseCategory, NO_CATEGORY},
    time::Day,
};

/// The day and the category of a tally, written as `2024-01-20#food` or `2024-01-20#none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyKey {
    /// The day.
    pub date: Day,
    /// The category; `None` for expenses without one.
    pub category: Option<ExpenseCategory>,
}

/// Error returned for a text that is not the name of a
/// [`TallyPart`](crate::reports::tally::TallyPart) or not a [`TallyKey`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TallyError;

impl fmt::Display for TallyKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { date, category } = self;
        match category {
            Some(category) => write!(f, "{date}#{category}"),
            None => write!(f, "{date}#{NO_CATEGORY}"),
        }
    }
}

impl FromStr for TallyKey {
    type Err = TallyError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (date, category) = text.split_once('#').ok_or(TallyError)?;
        let category = match category {
            NO_CATEGORY => None,
            category => Some(category.parse().map_err(|_| TallyError)?),
        };
        Ok(Self { date: date.parse().map_err(|_| TallyError)?, category })
    }
}
