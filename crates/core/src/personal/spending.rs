//! Spendings: money that a user spent on themselves alone.

mod categories;
mod edit;

use std::collections::BTreeMap;

use fracti_texts::{Message, message, rule};
use serde::{Deserialize, Serialize};

use crate::{
    input::{Draft, Error, Field, FieldErrors, numbers::positive},
    personal::{summary::counters_of, targets::Targets},
    storage::{
        counters::Counters,
        keys::{self, Keys},
        row::{self, AttributeValue, Item, Row, USER_ROWS_VERSION},
    },
    values::{
        category::CategoryKey,
        currency::Currency,
        decimal::Decimal,
        id::UserId,
        text::{Emoji, SpendingNotes, SpendingTitle},
        time::{Day, Timestamp, ZonedTime, day_of},
    },
};

use crate::values::spending_id::SpendingId;
pub use categories::{CategoriesInput, MAX_CATEGORIES};
pub use edit::SpendingEdit;

/// Money that a user spent on themselves alone. Other users never see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Spending {
    /// The user.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user_id: UserId,
    /// Identifier.
    #[serde(rename = "SK", with = "keys::of_spending")]
    pub id: SpendingId,
    /// What the money was spent on.
    pub title: String,
    /// Emoji shown with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emoji: Option<String>,
    /// Amount, in major units.
    pub amount: Decimal,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Parts of the amount by category. The rest has none.
    #[serde(default)]
    pub categories: BTreeMap<CategoryKey, Decimal>,
    /// Notes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Day that it belongs to.
    pub user_date: Day,
    /// Time at which the money was spent.
    pub spent_at: Timestamp,
    /// Time of recording.
    pub created_at: Timestamp,
    /// Time of the last edit. No two states of the spending have the same time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

impl Spending {
    /// Counters that the spending adds to the summary of its day.
    ///
    /// # Errors
    ///
    /// As [`Counters::add`].
    pub fn counters(&self) -> Result<Counters, Error> {
        let categories = self.categories.iter().map(|(key, amount)| (key.as_str(), *amount));
        counters_of(self.amount, self.currency, categories)
    }
}

impl Row for Spending {
    const KIND: &'static str = "spending";
    const VERSION: u32 = USER_ROWS_VERSION;

    fn keys(&self) -> Keys {
        keys::spending(self.user_id, &self.id).into()
    }

    fn upgrade(_: u32, item: &mut Item) {
        row::rename_from_pascal_case(item);
        // Rows of earlier versions have their time only in the key.
        let spent_at = match item.get("SK") {
            Some(AttributeValue::S(key)) => keys::spending_of(key).map(|id| id.spent_at()),
            _ => None,
        };
        if let Some(spent_at) = spent_at {
            for name in ["spentAt", "createdAt"] {
                let value = || AttributeValue::S(spent_at.to_string());
                item.entry(name.to_owned()).or_insert_with(value);
            }
        }
    }
}

/// A request to record a spending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSpending {
    /// What the money was spent on.
    pub title: Field<SpendingTitle>,
    /// Emoji shown with it.
    pub emoji: Field<Emoji>,
    /// Amount, in major units.
    pub amount: Field<Decimal>,
    /// Currency. Default: that of the targets.
    pub currency: Field<Currency>,
    /// Parts of the amount by category.
    pub categories: CategoriesInput,
    /// Notes.
    pub notes: Field<SpendingNotes>,
    /// Day that it belongs to. Default: that of the time at which the money was spent.
    pub user_date: Field<Day>,
    /// Time at which the money was spent. Default: now, or noon of another day.
    pub spent_at: Field<ZonedTime>,
}

impl Draft<NewSpending> {
    /// Whether [`Draft::check`] needs the user's targets.
    #[must_use]
    pub fn needs_targets(&self) -> bool {
        self.fields().is_some_and(|new| {
            new.currency.is_absent() || new.spent_at.is_absent() || new.categories.need_registry()
        })
    }

    /// The spending of `user`, if it breaks no rule.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`].
    pub fn check(
        &self,
        user: UserId,
        targets: &Targets,
        now: Timestamp,
        random: [u8; 10],
    ) -> Result<Spending, Error> {
        let (new, mut errors) = self.open()?;
        let currency = match new.currency {
            Field::Absent if targets.currency.is_none() => {
                errors.push(
                    "currency",
                    message!(
                        "currency is required, because the targets have none",
                        "укажите currency: в целях валюта не задана"
                    ),
                );
                None
            }
            Field::Absent => targets.currency,
            currency => currency.value().copied(),
        };
        let amount = new.amount.value().copied();
        let amount = amount.and_then(|amount| positive("amount", amount, currency, &mut errors));
        let categories = new.categories.read(amount, targets, &mut errors);
        let times = new.times(day_of(now, targets.zone()), now, &mut errors);
        let spending = || {
            let (amount, (spent_at, user_date)) = (amount?, times?);
            Some(Spending {
                user_id: user,
                id: SpendingId::new(spent_at, random),
                title: new.title.value()?.to_string(),
                emoji: new.emoji.value().map(ToString::to_string),
                amount: amount.to_major(),
                currency: amount.currency,
                categories: categories.or(BTreeMap::new())?,
                notes: new.notes.value().map(ToString::to_string),
                user_date,
                spent_at,
                created_at: now,
                updated_at: None,
            })
        };
        let spending = spending();
        errors.finish(spending)
    }
}

impl NewSpending {
    /// The time at which the money was spent, and the day. `today` is the user's current day.
    fn times(
        &self,
        today: Day,
        now: Timestamp,
        errors: &mut FieldErrors,
    ) -> Option<(Timestamp, Day)> {
        if self.spent_at.is_invalid() || self.user_date.is_invalid() {
            return None;
        }
        let sent = self.user_date.value().copied();
        match (self.spent_at.value(), sent) {
            (Some(spent), _) => timed(*spent, sent, now, errors),
            (None, None) => Some((now, today)),
            (None, Some(date)) if date == today => Some((now, date)),
            (None, Some(date)) => dated(date, now, errors),
        }
    }
}

/// Rule of a time or a day in the future.
fn too_far_ahead() -> Message {
    rule!(
        "{field} must be at most one day ahead",
        "{field} может опережать сегодняшний день не больше чем на один день"
    )
}

/// A time that was sent, and its day if no other one was.
fn timed(
    spent: ZonedTime,
    date: Option<Day>,
    now: Timestamp,
    errors: &mut FieldErrors,
) -> Option<(Timestamp, Day)> {
    if spent.at.since(now) > ONE_DAY {
        errors.push("spentAt", too_far_ahead());
        return None;
    }
    let date = date.unwrap_or_else(|| day_of(spent.at, spent.zone));
    check_date(date, spent.at, errors).then_some((spent.at, date))
}

/// Noon of a day that was sent, and the day.
fn dated(date: Day, now: Timestamp, errors: &mut FieldErrors) -> Option<(Timestamp, Day)> {
    if date > now.day().plus(1) {
        errors.push("userDate", too_far_ahead());
        return None;
    }
    Some((date.noon(), date))
}

/// Time that a spending may lie in the future, because a client's clock may be ahead.
const ONE_DAY: std::time::Duration = std::time::Duration::from_hours(24);

/// Checks that a day is within one day of the UTC date of a time. So the spendings of some days are
/// found in a range of times that is one day wider at both ends.
fn check_date(date: Day, spent_at: Timestamp, errors: &mut FieldErrors) -> bool {
    let is_near = is_near(date, spent_at);
    if !is_near {
        errors.push(
            "userDate",
            rule!(
                "{field} must be within one day of the UTC date of spentAt",
                "{field} может отличаться от даты spentAt по UTC не больше чем на один день"
            ),
        );
    }
    is_near
}

/// Whether a day is within one day of the UTC date of a time.
fn is_near(date: Day, spent_at: Timestamp) -> bool {
    let utc = spent_at.day();
    (utc.plus(-1)..=utc.plus(1)).contains(&date)
}

#[cfg(test)]
mod tests;
