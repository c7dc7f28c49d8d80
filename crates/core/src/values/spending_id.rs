//! Ids of spendings.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use crate::values::{
    text_form::{TextForm, TextRule},
    time::Timestamp,
};

/// Maximum length of the part of an id after the time.
const MAX_SUFFIX: usize = 64;

/// Maximum length of the time: nanoseconds and an offset.
const MAX_TIME: usize = 35;

/// Identifies a spending of a user: the time at which the money was spent, and a suffix that
/// distinguishes spendings of one time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SpendingId {
    /// The time as text. Rows of earlier versions may have another form of it.
    time: String,
    suffix: String,
}

/// Error returned for a text that is not the id of a spending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpendingIdError;

impl Says for SpendingIdError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be the id of a spending, like {example}",
            "{field} должно быть id траты, например {example}",
            example = SpendingId::EXAMPLE
        )
    }
}

errors!(SpendingIdError);

impl SpendingId {
    /// The id of a spending at `spent_at`.
    #[must_use]
    pub fn new(spent_at: Timestamp, random: [u8; 10]) -> Self {
        Self { time: spent_at.to_string(), suffix: hex::encode(random) }
    }

    /// The id of the same spending at another time.
    pub(crate) fn moved_to(&self, spent_at: Timestamp) -> Self {
        Self { time: spent_at.to_string(), suffix: self.suffix.clone() }
    }

    /// Time at which the money was spent.
    #[must_use]
    pub fn spent_at(&self) -> Timestamp {
        self.time.parse().unwrap_or_default()
    }

    /// The id with another separator between its parts.
    pub(crate) fn separated_by(&self, separator: char) -> String {
        format!("{}{separator}{}", self.time, self.suffix)
    }

    /// The id whose parts have a `separator` between them.
    pub(crate) fn parse(text: &str, separator: char) -> Result<Self, SpendingIdError> {
        let (time, suffix) = text.split_once(separator).ok_or(SpendingIdError)?;
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        // The parser skips any number of digits after the seconds.
        let is_valid = time.len() <= MAX_TIME
            && time.parse::<Timestamp>().is_ok()
            && (1..=MAX_SUFFIX).contains(&suffix.len())
            && suffix.bytes().all(known);
        let id = || Self { time: time.to_owned(), suffix: suffix.to_owned() };
        is_valid.then(id).ok_or(SpendingIdError)
    }
}

impl FromStr for SpendingId {
    type Err = SpendingIdError;

    fn from_str(text: &str) -> Result<Self, SpendingIdError> {
        Self::parse(text, '~')
    }
}

impl TryFrom<String> for SpendingId {
    type Error = SpendingIdError;

    fn try_from(text: String) -> Result<Self, SpendingIdError> {
        text.parse()
    }
}

impl From<SpendingId> for String {
    fn from(id: SpendingId) -> Self {
        id.to_string()
    }
}

impl fmt::Display for SpendingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.separated_by('~'))
    }
}

impl TextForm for SpendingId {
    const NAME: &'static str = "SpendingId";
    const EXAMPLE: &'static str = "2026-11-20T08:15:00.000Z~00112233445566778899";

    fn description() -> String {
        "Id of a spending: the time at which the money was spent, `~`, and a suffix.".to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern(format!("^[0-9]{{4}}-[^~/]*~[0-9A-Za-z_-]{{1,{MAX_SUFFIX}}}$"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_is_bounded_in_both_parts() {
        let id = |digits: usize, suffix: usize| {
            let digits = "0".repeat(digits);
            let suffix = "a".repeat(suffix);
            format!("2026-11-20T08:15:00.{digits}+00:00~{suffix}").parse::<SpendingId>()
        };
        assert!(id(9, MAX_SUFFIX).is_ok());
        assert!(id(10, 1).is_err(), "the parser of times would take any number of digits");
        assert!(id(3, 0).is_err() && id(3, MAX_SUFFIX + 1).is_err());
    }
}
