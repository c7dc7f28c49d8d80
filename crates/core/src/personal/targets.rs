//! What a user wants to spend at most, and the user's own categories.

mod update;

use std::{borrow::Borrow, collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    category::{Category, NO_CATEGORY},
    currency::Currency,
    decimal::Decimal,
    id::UserId,
    keys::{self, Keys},
    row::{self, Item, Row, USER_ROWS_VERSION},
    text::CategoryLabel,
    text_form::{TextForm, TextRule},
    time::{Timestamp, Zone},
    words,
};

pub use update::{OwnCategoryUpdate, TargetsUpdate};

/// Key of the target for all spendings together.
pub const TOTAL: &str = "total";

/// Maximum number of a user's own categories.
pub const MAX_OWN_CATEGORIES: usize = 50;

/// Fields beside the targets in views and requests.
const FIELDS: [&str; 4] = ["version", "period", "currency", "registry"];

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

/// Key of a category of spendings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CategoryKey(String);

/// Error returned for a text that is not the key of a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be 1 to {} lower-case letters, digits and underscores that begin with a letter",
    CategoryKey::MAX_LENGTH
)]
pub struct CategoryKeyError;

/// What a user wants to spend at most in a period, and the user's own categories.
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
    /// Targets in this currency, by category or [`TOTAL`].
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

/// Whether no own category may have this key.
pub(crate) fn is_reserved(key: &str) -> bool {
    [TOTAL, NO_CATEGORY].contains(&key) || FIELDS.contains(&key) || Category::WORDS.contains(&key)
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

impl CategoryKey {
    /// Maximum length, in characters.
    pub const MAX_LENGTH: usize = 32;

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for CategoryKey {
    type Err = CategoryKeyError;

    fn from_str(text: &str) -> Result<Self, CategoryKeyError> {
        let known = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
        let is_valid = text.len() <= Self::MAX_LENGTH
            && text.starts_with(|first: char| first.is_ascii_lowercase())
            && text.bytes().all(known);
        if is_valid { Ok(Self(text.to_owned())) } else { Err(CategoryKeyError) }
    }
}

impl TryFrom<String> for CategoryKey {
    type Error = CategoryKeyError;

    fn try_from(text: String) -> Result<Self, CategoryKeyError> {
        text.parse()
    }
}

impl From<CategoryKey> for String {
    fn from(key: CategoryKey) -> Self {
        key.0
    }
}

impl Borrow<str> for CategoryKey {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for CategoryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TextForm for CategoryKey {
    const NAME: &'static str = "CategoryKey";
    const EXAMPLE: &'static str = "pets";

    fn description() -> String {
        "Key of a category of spendings: one of the categories of expenses, or one of the user's \
         own."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern("^[a-z][a-z0-9_]{0,31}$".to_owned())
    }
}
