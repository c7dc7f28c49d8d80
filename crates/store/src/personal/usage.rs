//! The usage of a user on a day: counted by requests, outside of any transaction.
//!
//! A usage row is written by every request of its user, so a transaction with it would make the
//! requests of all the user's groups wait for each other.

use fracti_core::{
    caller::usage::{self, Usage, UsageKind},
    input::Error,
    storage::{
        condition::Condition,
        keys,
        row::{self, AttributeValue},
        write::Write,
    },
    values::{decimal::Decimal, id::UserId, time::Day},
};

use crate::table::Table;

impl Table {
    /// Adds `requests` to a counter of the user's day that is below `limit`, and returns its new
    /// value; `None` if the counter has reached the limit.
    ///
    /// A repeated attempt whose response was lost counts again.
    ///
    /// # Errors
    ///
    /// The errors of the table.
    pub async fn count(
        &self,
        user: UserId,
        day: Day,
        kind: UsageKind,
        requests: u32,
        limit: u32,
    ) -> Result<Option<u64>, Error> {
        let below = Condition::less(kind.name(), row::to_value(&limit)?);
        let below = Condition::without(kind.name()).or(below);
        let added = [(kind.name().to_owned(), Decimal::new(requests.into(), 0))];
        let expiry = [("ttl", row::to_value(&usage::expiry(day))?)];
        // An update alone answers the new value, which a transaction does not.
        let write = Write::add::<Usage>(keys::usage(user, day), added, expiry);
        let Some(updated) = self.db.update(write.when(below)).await? else { return Ok(None) };
        let count = match updated.get(kind.name()) {
            Some(AttributeValue::N(count)) => count.parse().ok(),
            _ => None,
        };
        let unreadable = || Error::Table("the updated counter is not a whole number".into());
        count.map(Some).ok_or_else(unreadable)
    }

    /// The usage of a user on a day; eventually consistent.
    ///
    /// # Errors
    ///
    /// The errors of the table.
    pub async fn usage(&self, user: UserId, day: Day) -> Result<Usage, Error> {
        let usage = self.db.get_eventually(keys::usage(user, day)).await?;
        Ok(usage.unwrap_or_else(|| Usage::none(user, day)))
    }
}
