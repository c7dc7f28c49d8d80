//! Ranges of rows, and positions in them.

use std::{collections::BTreeMap, str::FromStr};

use fracti_core::{
    input::Error,
    storage::row::{AttributeValue, Item, Row},
};
use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize};

use super::unreadable::entity;

/// Rows of one partition, selected by their sort keys.
#[derive(Clone, Debug)]
pub struct Range {
    /// Name of the index; `None` for the table.
    pub index: Option<&'static str>,
    /// Partition key.
    pub partition: String,
    /// Sort keys.
    pub sort: Sort,
    /// Order of the rows.
    pub order: Order,
}

/// Selection of sort keys.
#[derive(Clone, Debug)]
pub enum Sort {
    /// All of them.
    Any,
    /// Those with this prefix.
    Prefix(String),
    /// Those between two keys, both included.
    Between(String, String),
}

/// Order of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Oldest first.
    Asc,
    /// Newest first.
    Desc,
}

/// Error returned when a text is not an [`Order`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderError;

impl Says for OrderError {
    fn says(&self) -> Message {
        rule!(
            "{field} must be one of asc, desc",
            "{field} должно быть одним из следующих: asc, desc"
        )
    }
}

errors!(OrderError);

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "asc" => Ok(Self::Asc),
            "desc" => Ok(Self::Desc),
            _ => Err(OrderError),
        }
    }
}

/// A part of a list that is requested.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Number of rows at most.
    pub limit: usize,
    /// Row after which the page begins; the first page has none.
    pub after: Option<Position>,
}

impl Page {
    /// The keys of the row after which the page begins.
    pub(super) fn start(&self) -> Option<Item> {
        self.after.clone().map(Position::item)
    }
}

/// Position of a row in a list: its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(BTreeMap<String, String>);

impl Position {
    /// The position of the row with this key.
    #[must_use]
    pub fn of(key: Item) -> Self {
        let text = |(name, key)| match key {
            AttributeValue::S(key) => Some((name, key)),
            _ => None,
        };
        Self(key.into_iter().filter_map(text).collect())
    }

    /// The sort key in an index.
    pub(crate) fn sort_key_in(&self, index: &str) -> Option<&str> {
        self.0.get(&format!("{index}SK")).map(String::as_str)
    }

    /// The keys as attributes.
    #[must_use]
    pub fn item(self) -> Item {
        self.0.into_iter().map(|(name, key)| (name, AttributeValue::S(key))).collect()
    }
}

impl Range {
    pub(crate) fn table(partition: String, prefix: &str) -> Self {
        let sort = Sort::Prefix(prefix.to_owned());
        Self { index: None, partition, sort, order: Order::Desc }
    }

    pub(crate) fn index(index: &'static str, partition: String, prefix: &str) -> Self {
        Self { index: Some(index), ..Self::table(partition, prefix) }
    }

    /// All rows of a partition of the table or of an index, in ascending order.
    pub(crate) const fn whole(index: Option<&'static str>, partition: String) -> Self {
        Self { index, partition, sort: Sort::Any, order: Order::Asc }
    }

    /// The entities of rows, with their positions.
    pub(super) fn placed<T: Row>(
        &self,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<Vec<(Position, T)>, Error> {
        let placed = |item: Item| Ok((self.position_of(&item), entity(item)?));
        items.into_iter().map(placed).collect()
    }

    /// The position of a row of the range.
    pub(crate) fn position_of(&self, item: &Item) -> Position {
        let keys = self.names().into_iter();
        Position::of(keys.filter_map(|name| item.get_key_value(&name)).map(own).collect())
    }

    /// Names of the attributes of a position.
    fn names(&self) -> [String; 4] {
        let index = self.index.unwrap_or_default();
        ["PK".to_owned(), "SK".to_owned(), format!("{index}PK"), format!("{index}SK")]
    }
}

fn own((name, value): (&String, &AttributeValue)) -> (String, AttributeValue) {
    (name.clone(), value.clone())
}
