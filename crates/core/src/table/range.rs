//! Reading a range of rows: a page of it, or all of it.

use std::{
    collections::{BTreeMap, HashMap},
    str::FromStr,
};

use aws_sdk_dynamodb::types::{AttributeValue, ReturnConsumedCapacity::Total};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Table, failure, usage};
use crate::{
    Error,
    row::{self, Item},
    text::word,
};

/// How many requests reading one range takes at the most: a request returns up to 1 MiB.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Query.Pagination.html>
const MAX_REQUESTS: usize = 200;

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
#[error("an order is one of asc, desc")]
pub struct OrderError;

impl FromStr for Order {
    type Err = OrderError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        word(text).ok_or(OrderError)
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

    fn position(&self, item: &Item) -> Position {
        let index = self.index.unwrap_or_default();
        let names = ["PK".to_owned(), "SK".to_owned(), format!("{index}PK"), format!("{index}SK")];
        let key = |name: String| Some((name.clone(), item.get(&name)?.as_s().ok()?.clone()));
        Position(names.into_iter().filter_map(key).collect())
    }
}

impl Table {
    /// A page of a range; one row more is read, to know whether there is more.
    pub(super) async fn page<T: DeserializeOwned>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Slice<T>, Error> {
        let rows = self.rows(range, page).await?;
        let next = match rows.get(page.limit) {
            Some(_) => rows.get(page.limit.saturating_sub(1)).map(|(position, _)| position.clone()),
            None => None,
        };
        Ok(Slice { items: rows.into_iter().take(page.limit).map(|(_, row)| row).collect(), next })
    }

    /// Up to one row more than a page has, each with its place.
    pub(super) async fn rows<T: DeserializeOwned>(
        &self,
        range: &Range,
        page: &Page,
    ) -> Result<Vec<(Position, T)>, Error> {
        let start = page.after.clone().map(|Position(keys)| {
            keys.into_iter().map(|(name, key)| (name, AttributeValue::S(key))).collect()
        });
        let items = self.scan(range, start, Some(page.limit.saturating_add(1))).await?;
        items.into_iter().map(|item| Ok((range.position(&item), row::from_item(item)?))).collect()
    }

    /// All of a range.
    pub(super) async fn all<T: DeserializeOwned>(&self, range: &Range) -> Result<Vec<T>, Error> {
        self.scan(range, None, None).await?.into_iter().map(row::from_item).collect()
    }

    async fn scan(
        &self,
        range: &Range,
        start: Option<Item>,
        limit: Option<usize>,
    ) -> Result<Vec<Item>, Error> {
        let index = range.index.unwrap_or_default();
        let (mut items, mut start) = (Vec::new(), start);
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
        for _ in 0..MAX_REQUESTS {
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
            let output = usage::request(Box::pin(request.send())).await.map_err(failure)?;
            usage::read(&output.consumed_capacity);
            items.extend(output.items.unwrap_or_default());
            start = output.last_evaluated_key.filter(|key| !key.is_empty());
            if start.is_none() || limit.is_some_and(|limit| items.len() >= limit) {
                return Ok(items);
            }
        }
        Err(Error::Table("a range is too long to be read at once".into()))
    }
}
