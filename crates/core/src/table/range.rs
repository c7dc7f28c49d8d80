//! Reading a range of rows: a page of it, or all of it.

use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity::Total};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Table, cost, failure};
use crate::{
    Error,
    row::{self, Item},
    text::parse_variant,
};

/// How much is read of a range that is wanted whole, in bytes. Beyond it the request is refused.
const MAX_WHOLE: usize = 32 * 1024 * 1024;

/// How much is read for one page, in bytes. A page that reaches it is shorter than its limit, and goes on.
const MAX_PAGE: usize = 4 * 1024 * 1024;

/// The rows of one partition, or those of them whose sort keys are wanted; newest first, where nothing else is said.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub(super) index: Option<&'static str>,
    pub(super) partition: String,
    pub(super) sort: Sort,
    pub(super) order: Order,
}

/// Which sort keys are wanted.
#[derive(Clone, Debug)]
pub(super) enum Sort {
    /// All.
    Any,
    /// Those that begin so.
    Prefix(String),
    /// Those from the first to the second, both of them too.
    Between(String, String),
}

/// In which order a list is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Oldest first.
    Asc,
    /// Newest first.
    Desc,
}

/// Why a text is no order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of asc, desc")]
pub struct OrderError;

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_variant(text).ok_or(OrderError)
    }
}

/// Which part of a list is asked for.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// How many rows, at the most.
    pub limit: usize,
    /// Behind which row; from the newest where none.
    pub after: Option<Position>,
}

impl Page {
    fn start(&self) -> Option<Item> {
        let Position(keys) = self.after.clone()?;
        Some(keys.into_iter().map(|(name, key)| (name, AttributeValue::S(key))).collect())
    }
}

/// The place of a row in a list: its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Position(BTreeMap<String, String>);

/// A part of a list.
#[derive(Clone, Debug)]
pub struct Slice<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Behind which row the list goes on; none where it ends.
    pub next: Option<Position>,
}

impl Range {
    pub(super) fn table(partition: String, prefix: &str) -> Self {
        let sort = Sort::Prefix(prefix.to_owned());
        Self { index: None, partition, sort, order: Order::Desc }
    }

    pub(super) fn index(index: &'static str, partition: String, prefix: &str) -> Self {
        Self { index: Some(index), ..Self::table(partition, prefix) }
    }

    /// The entities of rows, each with its place.
    fn placed<T: DeserializeOwned>(
        &self,
        items: impl IntoIterator<Item = Item>,
    ) -> Result<Vec<(Position, T)>, Error> {
        let placed = |item: Item| Ok((self.position(&item), row::from_item(item)?));
        items.into_iter().map(placed).collect()
    }

    fn position(&self, item: &Item) -> Position {
        let index = self.index.unwrap_or_default();
        let names = ["PK".to_owned(), "SK".to_owned(), format!("{index}PK"), format!("{index}SK")];
        let key = |name: String| Some((name.clone(), item.get(&name)?.as_s().ok()?.clone()));
        Position(names.into_iter().filter_map(key).collect())
    }
}

/// The rows of a page, each with its place.
pub(super) struct Placed<T> {
    pub(super) rows: Vec<(Position, T)>,
    /// Whether the range goes on behind them.
    pub(super) more: bool,
}

/// Rows of a range as they were read.
struct Scanned {
    items: Vec<Item>,
    /// Whether the range has no more rows than these.
    ended: bool,
}

impl Table {
    /// A page of a range.
    pub(super) async fn page<T: DeserializeOwned>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Slice<T>, Error> {
        let Placed { rows, more } = self.placed(range, page).await?;
        let next = rows.last().filter(|_| more).map(|(position, _)| position.clone());
        Ok(Slice { items: rows.into_iter().map(|(_, row)| row).collect(), next })
    }

    /// The rows of a page, each with its place; one row more is read, to know whether there is more.
    pub(super) async fn placed<T: DeserializeOwned>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Placed<T>, Error> {
        let limit = page.limit.saturating_add(1);
        let Scanned { items, ended } =
            self.scan(range, page.start(), Some(limit), MAX_PAGE).await?;
        let more = !ended || items.len() > page.limit;
        Ok(Placed { rows: range.placed(items.into_iter().take(page.limit))?, more })
    }

    /// Up to one row more than a page has, each with its place.
    pub(super) async fn rows<T: DeserializeOwned>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Vec<(Position, T)>, Error> {
        let limit = page.limit.saturating_add(1);
        let scanned = self.scan(range, page.start(), Some(limit), MAX_WHOLE).await?;
        range.placed(scanned.items)
    }

    /// All of a range.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`] where it has more than [`MAX_WHOLE`] bytes.
    pub(super) async fn all<T: DeserializeOwned>(&self, range: &Range) -> Result<Vec<T>, Error> {
        let Scanned { items, ended } = self.scan(range, None, None, MAX_WHOLE).await?;
        if !ended {
            return Err(Error::TooMuchHistory);
        }
        items.into_iter().map(row::from_item).collect()
    }

    /// The rows from `start` on: up to `limit` of them, and no further request once they have `bytes` bytes.
    async fn scan(
        &self,
        range: &Range,
        start: Option<Item>,
        limit: Option<usize>,
        bytes: usize,
    ) -> Result<Scanned, Error> {
        let index = range.index.unwrap_or_default();
        let (mut items, mut start, mut size) = (Vec::new(), start, 0_usize);
        let (condition, values) = match &range.sort {
            Sort::Any => ("#pk = :pk", vec![]),
            Sort::Prefix(prefix) => {
                ("#pk = :pk AND begins_with(#sk, :prefix)", vec![(":prefix", prefix)])
            }
            Sort::Between(first, last) => (
                "#pk = :pk AND #sk BETWEEN :first AND :last",
                vec![(":first", first), (":last", last)],
            ),
        };
        let values = values.into_iter().chain([(":pk", &range.partition)]);
        let values: Item = values
            .map(|(name, value)| (name.to_owned(), AttributeValue::S(value.clone())))
            .collect();
        let mut names = HashMap::from([("#pk".to_owned(), format!("{index}PK"))]);
        if !matches!(range.sort, Sort::Any) {
            names.insert("#sk".to_owned(), format!("{index}SK"));
        }
        loop {
            let left = limit.map(|limit| limit.saturating_sub(items.len()));
            let request = self
                .client
                .query()
                .table_name(&*self.name)
                .set_index_name(range.index.map(str::to_owned))
                // An index cannot be read consistently.
                .consistent_read(range.index.is_none())
                .key_condition_expression(condition)
                .set_expression_attribute_names(Some(names.clone()))
                .set_expression_attribute_values(Some(values.clone()))
                .scan_index_forward(range.order == Order::Asc)
                .set_limit(left.and_then(|left| i32::try_from(left).ok()))
                .set_exclusive_start_key(start)
                .return_consumed_capacity(Total);
            // A future of the SDK is large: on the heap it does not swell all those around it.
            let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
            cost::read(&output.consumed_capacity);
            let read = output.items.unwrap_or_default();
            size = read.iter().map(row::size).fold(size, usize::saturating_add);
            items.extend(read);
            start = output.last_evaluated_key.filter(|key| !key.is_empty());
            let ended = start.is_none();
            if ended || size >= bytes || limit.is_some_and(|limit| items.len() >= limit) {
                return Ok(Scanned { items, ended });
            }
        }
    }
}
