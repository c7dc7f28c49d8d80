//! Targets of a user: limits of spending, and own categories.

mod update;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{
    storage::{
        keys::{self, Keys},
        row::{self, Item, Row, USER_ROWS_VERSION},
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::UserId,
        text::CategoryLabel,
        time::{Timestamp, Zone},
    },
    words,
};

use crate::values::category::CategoryKey;
use crate::values::category::is_reserved;
pub use update::{OwnCategoryUpdate, TargetsUpdate};

/// Maximum number of a user's own categories.
pub const MAX_OWN_CATEGORIES: usize = 50;

words! {
    /// Period of the targets.
    pub enum Period as "TargetPeriod" {
        /// A calendar month.
        Month = "month",
        /// A day.
        Day = "day",
    }
}

words! {
    /// Status of a user's own category: an `ARCHIVED` one keeps its spendings but gets no new ones.
    pub enum CategoryStatus as "CategoryStatus" {
        /// New spendings may have the category.
        Active = "ACTIVE",
        /// No new spending may have the category.
        Archived = "ARCHIVED",
    }
}

/// Limits that a user sets for spending in a period, and the user's own categories.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Targets {
    /// The user.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user_id: UserId,
    /// Version, which grows with each change.
    #[serde(default = "first_version")]
    pub version: u64,
    /// Period of the targets.
    #[serde(default = "each_month")]
    pub period: Period,
    /// Currency of the targets, and of spendings that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
    /// Zone of the user's days. Default: UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<Zone>,
    /// Targets in this currency, by category or [`TOTAL`](crate::values::category::TOTAL).
    #[serde(default)]
    pub targets: BTreeMap<String, Decimal>,
    /// The user's own categories.
    #[serde(default)]
    pub registry: BTreeMap<CategoryKey, OwnCategory>,
    /// Time of the last change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// A category of a user's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OwnCategory {
    /// Currency of the target, which never changes.
    pub unit: Currency,
    /// Name for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<CategoryLabel>,
    /// Most that the user wants to spend in a period.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Decimal>,
    /// Whether new spendings may have the category.
    pub status: CategoryStatus,
}

const fn first_version() -> u64 {
    1
}

const fn each_month() -> Period {
    Period::Month
}

impl Targets {
    /// The targets of a user who has set none.
    #[must_use]
    pub const fn none(user_id: UserId) -> Self {
        Self {
            user_id,
            version: 1,
            period: Period::Month,
            currency: None,
            time_zone: None,
            targets: BTreeMap::new(),
            registry: BTreeMap::new(),
            updated_at: None,
        }
    }

    /// Zone of the user's days.
    #[must_use]
    pub fn zone(&self) -> Zone {
        self.time_zone.unwrap_or_default()
    }
}

impl Row for Targets {
    const KIND: &'static str = "targets";
    const VERSION: u32 = USER_ROWS_VERSION;

    fn keys(&self) -> Keys {
        keys::targets(self.user_id).into()
    }

    fn upgrade(_: u32, item: &mut Item) {
        row::rename_from_pascal_case(item);
    }
}
