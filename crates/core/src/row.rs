//! Between an entity and its row: serde does the work, and no number becomes a float on the way.
//!
//! `serde_dynamo` reads and writes whole numbers exactly, but a fraction only as `f64`. So a
//! [`Decimal`] with a fraction goes through serde as text, and this file makes a Number of it, and
//! text of a Number.
//!
//! [`Decimal`]: crate::decimal::Decimal

use std::{any::type_name, collections::HashMap};

use serde::{Serialize, de::DeserializeOwned};
use serde_dynamo::Deserializer;

use crate::{
    Error,
    decimal::EXACT,
    keys::{Index, Keys, Primary},
};

pub use serde_dynamo::AttributeValue;

/// A row: its attributes by name.
pub type Item = HashMap<String, AttributeValue>;

/// What the rows that we write look like inside; a row without one is the earlier system's.
const FORMAT_VERSION: &str = "1";

/// The row of `entity`, kept at `keys`.
///
/// # Errors
///
/// [`Error::Table`] where the entity is no map of attributes.
pub fn to_item(keys: &Keys, entity: &impl Serialize) -> Result<Item, Error> {
    let item: Item = serde_dynamo::to_item(entity).map_err(|error| Error::Table(error.into()))?;
    let mut item: Item = item.into_iter().map(|(name, value)| (name, numbers_of(value))).collect();
    item.insert("formatVersion".to_owned(), AttributeValue::N(FORMAT_VERSION.to_owned()));
    item.extend(keys.attributes());
    Ok(item)
}

/// One value, as a row or an expression carries it.
///
/// # Errors
///
/// [`Error::Table`] where there is no attribute for it.
pub fn to_value(value: &impl Serialize) -> Result<AttributeValue, Error> {
    let value =
        serde_dynamo::to_attribute_value(value).map_err(|error| Error::Table(error.into()))?;
    Ok(numbers_of(value))
}

/// Where a row is not one of the entity that it should be.
///
/// It says nothing of what stands there: serde would quote it, and a cause goes to the log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row is no {entity}: {attribute}")]
struct Unreadable {
    entity: &'static str,
    attribute: String,
}

/// The entity of a row. Attributes that it does not know, keys among them, are passed over.
///
/// # Errors
///
/// [`Error::Table`] where the row is not one of such an entity.
pub fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, Error> {
    let item = item.into_iter().map(|(name, value)| (name, text_of(value))).collect();
    let row = Deserializer::from_attribute_value(AttributeValue::M(item));
    serde_path_to_error::deserialize(row).map_err(|error| {
        let attribute = error.path().to_string();
        Error::Table(Unreadable { entity: type_name::<T>(), attribute }.into())
    })
}

/// About how many bytes a row takes in the table.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
#[must_use]
pub fn size(item: &Item) -> usize {
    let attribute = |(name, value): (&String, &AttributeValue)| {
        name.len().saturating_add(value_size(value)).saturating_add(1)
    };
    item.iter().map(attribute).fold(3, usize::saturating_add)
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) | AttributeValue::N(text) => text.len(),
        AttributeValue::M(map) => size(map),
        AttributeValue::L(list) => list
            .iter()
            .map(|value| value_size(value).saturating_add(1))
            .fold(3, usize::saturating_add),
        // Rows of ours have no binary values and no sets.
        _ => 1,
    }
}

fn numbers_of(value: AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::M(mut map) => match map.remove(EXACT) {
            Some(AttributeValue::S(number)) => AttributeValue::N(number),
            _ => AttributeValue::M(map.into_iter().map(|(k, v)| (k, numbers_of(v))).collect()),
        },
        AttributeValue::L(list) => AttributeValue::L(list.into_iter().map(numbers_of).collect()),
        other => other,
    }
}

fn text_of(value: AttributeValue) -> AttributeValue {
    match value {
        AttributeValue::N(number) if number.parse::<i64>().is_err() => AttributeValue::S(number),
        AttributeValue::M(map) => {
            AttributeValue::M(map.into_iter().map(|(k, v)| (k, text_of(v))).collect())
        }
        AttributeValue::L(list) => AttributeValue::L(list.into_iter().map(text_of).collect()),
        other => other,
    }
}

impl Keys {
    fn attributes(&self) -> impl Iterator<Item = (String, AttributeValue)> {
        let Primary { pk, sk } = self.primary.clone();
        let index = |name: &str, index: &Option<Index>| {
            let Index { pk, sk } = index.clone()?;
            Some([(format!("{name}PK"), pk), (format!("{name}SK"), sk)])
        };
        let primary = [("PK".to_owned(), pk), ("SK".to_owned(), sk)];
        let indexes =
            [index("GSI1", &self.gsi1), index("GSI2", &self.gsi2), index("GSI3", &self.gsi3)];
        let keys = primary.into_iter().chain(indexes.into_iter().flatten().flatten());
        keys.map(|(name, key)| (name, AttributeValue::S(key)))
    }
}

impl Primary {
    /// The key as attributes.
    #[must_use]
    pub fn item(self) -> Item {
        let Self { pk, sk } = self;
        [("PK".to_owned(), AttributeValue::S(pk)), ("SK".to_owned(), AttributeValue::S(sk))].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decimal::Decimal;
    use serde::Deserialize;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        amount: Decimal,
        list: Vec<Decimal>,
        count: u64,
    }

    #[test]
    fn a_number_keeps_all_its_digits() {
        for text in [
            "0",
            "25",
            "33.34",
            "0.000000001",
            "-0.01",
            "9007199254740993",
            "9007199254740993.5",
            "9223372036854775807",
            "92233720368547758.07",
            "184467440737095516150",
        ] {
            let number: Decimal = text.parse().unwrap();
            let row = Row { amount: number, list: vec![number], count: 3 };
            let keys = Primary { pk: "P".to_owned(), sk: "S".to_owned() }.into();
            let item = to_item(&keys, &row).unwrap();
            assert_eq!(item["amount"], AttributeValue::N(text.to_owned()));
            assert_eq!(item["list"], AttributeValue::L(vec![AttributeValue::N(text.to_owned())]));
            assert_eq!(item["formatVersion"], AttributeValue::N("1".to_owned()));
            assert_eq!(from_item::<Row>(item).unwrap(), row);
        }
    }
    #[test]
    fn a_row_that_cannot_be_read_is_named_by_its_attribute_alone() {
        let count = AttributeValue::S("secret".to_owned());
        let number = AttributeValue::N("1".to_owned());
        let list = AttributeValue::L(vec![number.clone(), count.clone()]);
        for (name, value, attribute) in [("count", count, "count"), ("list", list, "list[1]")] {
            let mut item: Item = [("amount", number.clone()), ("count", number.clone())]
                .map(|(name, value)| (name.to_owned(), value))
                .into();
            item.insert("list".to_owned(), AttributeValue::L(Vec::new()));
            item.insert(name.to_owned(), value);
            let Err(Error::Table(cause)) = from_item::<Row>(item) else { panic!("{name}") };
            let told = format!("{cause:?} {cause}");
            assert!(told.contains(attribute) && !told.contains("secret"), "{told}");
        }
    }
}
