//! Conversion between entities and rows, with serde and without floats.
//!
//! The attribute `kind` of a row names its entity, and `formatVersion` the version of its format. A
//! row of an earlier version is upgraded when it is read. A row of a later version, written by a
//! later Fracti, is refused: its content could be misread, and lost when the row is written again.
//!
//! `serde_dynamo` writes whole numbers exactly, but fractions only as `f64`. This module therefore
//! has a serializer and a deserializer of its own. A [`Decimal`] that is not an [`i64`] passes
//! through serde as text, and is a Number in the row.
//!
//! [`Decimal`]: crate::values::decimal::Decimal

mod deserializer;
mod serializer;

use std::collections::HashMap;

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    input::Error,
    storage::keys::{Index, Keys, Primary},
};
use deserializer::Map;
use serializer::Writer;

pub use serde_dynamo::AttributeValue;

/// Version of the format of the rows in a user's own partition. It continues the numbering of the
/// data model that they are taken from.
pub const USER_ROWS_VERSION: u32 = 4;

/// A row: its attributes by name.
pub type Item = HashMap<String, AttributeValue>;

/// Attribute that names the kind of a row. Rows written before it was introduced have none.
pub const KIND: &str = "kind";

/// Attribute with the version of a row's format. v0 rows, written by the TypeScript Fracti, have
/// none.
pub const FORMAT_VERSION: &str = "formatVersion";

/// Attributes of keys in the indexes.
pub(crate) const INDEXES: [&str; 6] = ["GSI1PK", "GSI1SK", "GSI2PK", "GSI2SK", "GSI3PK", "GSI3SK"];

/// The most attributes that a row has besides those of its entity: eight of keys, the kind and the
/// version.
const MAX_OTHER_ATTRIBUTES: usize = 10;

/// An entity that is stored as one row.
///
/// Every implementation is listed in [`ROWS`](crate::rows::ROWS).
pub trait Row: Serialize + DeserializeOwned {
    /// Name of the entity in the row.
    const KIND: &'static str;

    /// Version of the format in which the row is written.
    const VERSION: u32;

    /// Keys of the row in the table and its indexes.
    fn keys(&self) -> Keys;

    /// Converts a row of an earlier version to [`Row::VERSION`]. A v0 row has version 0.
    ///
    /// Version 1 reads v0 rows as they are: the attributes that they lack are optional.
    fn upgrade(from_version: u32, item: &mut Item) {
        let _ = (from_version, item);
    }
}

/// The row of `entity`, with its keys, kind and version.
///
/// # Errors
///
/// [`Error::Table`] if the entity is not a map of attributes, or has a value that cannot be an
/// attribute, like a float.
pub fn to_item<T: Row>(entity: &T) -> Result<Item, Error> {
    let written = entity.serialize(Writer { spare: MAX_OTHER_ATTRIBUTES });
    let AttributeValue::M(mut row) = written.map_err(|error| Error::Table(error.into()))? else {
        return Err(Error::Table(FormatError::NoMap(T::KIND).into()));
    };
    row.insert(KIND.to_owned(), AttributeValue::S(T::KIND.to_owned()));
    row.insert(FORMAT_VERSION.to_owned(), AttributeValue::N(T::VERSION.to_string()));
    let keys = entity.keys().attributes();
    row.extend(keys.map(|(name, key)| (name.to_owned(), AttributeValue::S(key))));
    Ok(row)
}

/// A value as an attribute of a row or an expression.
///
/// # Errors
///
/// [`Error::Table`] if the value cannot be an attribute.
pub fn to_value(value: &impl Serialize) -> Result<AttributeValue, Error> {
    value.serialize(Writer::default()).map_err(|error| Error::Table(error.into()))
}

/// Error returned for a row that cannot be converted to its entity.
///
/// It names the attribute but not its value, because it goes to the log. The message of serde would
/// quote the value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a row of kind {kind} cannot be read: {attribute}")]
struct UnreadableAttribute {
    kind: &'static str,
    attribute: String,
}

/// Error returned for a row whose kind or format cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
enum FormatError {
    #[error(
        "a row of kind {kind} has version {found} of its format, but this Fracti reads versions \
         up to {known}"
    )]
    Newer { kind: &'static str, found: u32, known: u32 },
    #[error("a row that should be of kind {0} is of another kind")]
    OtherKind(&'static str),
    #[error("the {FORMAT_VERSION} of a row of kind {0} is not a whole number")]
    Unreadable(&'static str),
    #[error("an entity of kind {0} is not a map of attributes")]
    NoMap(&'static str),
}

/// The version of a row's format.
///
/// # Errors
///
/// [`Error::Table`] if the row is of another kind, or its version is later or not a whole number.
fn version<T: Row>(row: &Item) -> Result<u32, Error> {
    let refused = |error: FormatError| Err(Error::Table(error.into()));
    match row.get(KIND) {
        None => {}
        Some(AttributeValue::S(kind)) if kind == T::KIND => {}
        Some(_) => return refused(FormatError::OtherKind(T::KIND)),
    }
    let found = match row.get(FORMAT_VERSION) {
        None => Some(0),
        Some(AttributeValue::N(version)) => version.parse().ok(),
        Some(_) => None,
    };
    match found {
        None => refused(FormatError::Unreadable(T::KIND)),
        Some(found) if found > T::VERSION => {
            refused(FormatError::Newer { kind: T::KIND, found, known: T::VERSION })
        }
        Some(found) => Ok(found),
    }
}

/// Checks that [`from_item`] would not refuse a row for its kind or its version.
///
/// # Errors
///
/// [`Error::Table`] if the row is of another kind, or its version is later or not a whole number.
pub fn check<T: Row>(row: &Item) -> Result<(), Error> {
    version::<T>(row).map(|_| ())
}

/// The entity of a row, which is upgraded first if it has an earlier version. Unknown attributes
/// are ignored.
///
/// # Errors
///
/// As [`check`]; [`Error::Table`] if an attribute of the entity is missing or cannot be read.
pub fn from_item<T: Row>(mut item: Item) -> Result<T, Error> {
    let found = version::<T>(&item)?;
    if found < T::VERSION {
        T::upgrade(found, &mut item);
    }
    T::deserialize(Map(&item)).map_err(|error| {
        let attribute = error.to_string();
        Error::Table(UnreadableAttribute { kind: T::KIND, attribute }.into())
    })
}

/// Names of the attributes of the indexes that do not follow from the entity of a stored row.
pub(crate) fn wrong_indexes<T: Row>(stored: &Item, entity: &T) -> Vec<&'static str> {
    let right: HashMap<_, _> = entity.keys().attributes().collect();
    let is_wrong = |name: &&str| {
        let stored = stored.get(*name);
        stored != right.get(name).map(|key| AttributeValue::S(key.clone())).as_ref()
    };
    INDEXES.into_iter().filter(is_wrong).collect()
}

/// Renames the attributes of a row, and the keys of its maps, from `PascalCase` to `camelCase`, but
/// not the attributes of its keys. If an attribute has both names, the value of the later,
/// `camelCase`, one stays.
pub fn rename_from_pascal_case(item: &mut Item) {
    let is_key = |name: &str| matches!(name, "PK" | "SK") || name.starts_with("GSI");
    let names: Vec<String> = item.keys().filter(|name| !is_key(name)).cloned().collect();
    for name in names {
        let Some(mut value) = item.remove(&name) else { continue };
        if let AttributeValue::M(map) = &mut value {
            rename_from_pascal_case(map);
        }
        let renamed = camel_case(&name);
        if renamed == name {
            item.insert(name, value);
        } else {
            item.entry(renamed).or_insert(value);
        }
    }
}

/// The name with a small first letter.
#[must_use]
pub fn camel_case(name: &str) -> String {
    let mut rest = name.chars();
    let first = rest.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(rest).collect()
}

/// Approximate size of a row in the table, in bytes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html>
#[must_use]
pub fn size(row: &Item) -> usize {
    let attribute = |(name, value): (&String, &AttributeValue)| {
        name.len().saturating_add(value_size(value)).saturating_add(1)
    };
    row.iter().map(attribute).fold(3, usize::saturating_add)
}

fn value_size(value: &AttributeValue) -> usize {
    match value {
        AttributeValue::S(text) => text.len(),
        // A byte for two digits, and one for the whole number.
        AttributeValue::N(digits) => digits.len().div_ceil(2).saturating_add(1),
        AttributeValue::M(entries) => size(entries),
        AttributeValue::L(list) => list
            .iter()
            .map(|value| value_size(value).saturating_add(1))
            .fold(3, usize::saturating_add),
        AttributeValue::Bool(_)
        | AttributeValue::Null(_)
        | AttributeValue::B(_)
        | AttributeValue::Bs(_)
        | AttributeValue::Ss(_)
        | AttributeValue::Ns(_) => 1,
    }
}

impl Keys {
    /// The attributes of the keys, by name.
    fn attributes(self) -> impl Iterator<Item = (&'static str, String)> {
        let Self { primary: Primary { pk, sk }, gsi1, gsi2, gsi3 } = self;
        let index = |names: [&'static str; 2], index: Option<Index>| {
            let Index { pk, sk } = index?;
            Some(names.into_iter().zip([pk, sk]))
        };
        let indexes = [
            index(["GSI1PK", "GSI1SK"], gsi1),
            index(["GSI2PK", "GSI2SK"], gsi2),
            index(["GSI3PK", "GSI3SK"], gsi3),
        ];
        let primary = [("PK", pk), ("SK", sk)].into_iter();
        primary.chain(indexes.into_iter().flatten().flatten())
    }
}

impl Primary {
    /// The key of a row; `None` if the row has none.
    #[must_use]
    pub fn of(row: &Item) -> Option<Self> {
        let text = |name| match row.get(name)? {
            AttributeValue::S(text) => Some(text.clone()),
            _ => None,
        };
        Some(Self { pk: text("PK")?, sk: text("SK")? })
    }

    /// The key as attributes.
    #[must_use]
    pub fn item(self) -> Item {
        let Self { pk, sk } = self;
        let text = AttributeValue::S;
        [("PK".to_owned(), text(pk)), ("SK".to_owned(), text(sk))].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::decimal::Decimal;
    use serde::Deserialize;

    /// A row whose `count` was named `number` in version 1, and was missing in version 0.
    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Sample {
        amount: Decimal,
        list: Vec<Decimal>,
        count: u64,
    }

    impl Row for Sample {
        const KIND: &'static str = "sample";
        const VERSION: u32 = 2;

        fn keys(&self) -> Keys {
            Primary { pk: "P".to_owned(), sk: "S".to_owned() }.into()
        }

        fn upgrade(from_version: u32, item: &mut Item) {
            let number = match from_version {
                0 => AttributeValue::N("0".to_owned()),
                _ => item.remove("number").unwrap(),
            };
            item.insert("count".to_owned(), number);
        }
    }

    fn sample() -> Sample {
        Sample { amount: Decimal::ZERO, list: Vec::new(), count: 3 }
    }

    fn number(number: &str) -> AttributeValue {
        AttributeValue::N(number.to_owned())
    }

    /// The log message for a row that is refused.
    fn refusal(item: Item) -> String {
        let Err(Error::Table(cause)) = from_item::<Sample>(item) else { panic!("it was read") };
        cause.to_string()
    }

    #[test]
    fn row_of_an_earlier_version_is_upgraded_when_it_is_read() {
        let mut first = to_item(&sample()).unwrap();
        let count = first.remove("count").unwrap();
        first.insert("number".to_owned(), count);
        first.insert(FORMAT_VERSION.to_owned(), number("1"));
        assert_eq!(from_item::<Sample>(first.clone()).unwrap(), sample());
        first.remove(KIND);
        assert_eq!(from_item::<Sample>(first.clone()).unwrap(), sample());
        first.remove("number");
        first.remove(FORMAT_VERSION);
        assert_eq!(from_item::<Sample>(first).unwrap(), Sample { count: 0, ..sample() });
    }

    #[test]
    fn row_of_a_later_version_is_refused_by_kind_and_version() {
        let mut later = to_item(&sample()).unwrap();
        later.insert(FORMAT_VERSION.to_owned(), number("3"));
        let expected = "a row of kind sample has version 3 of its format, but this Fracti reads \
                        versions up to 2";
        assert_eq!(refusal(later), expected);
    }

    #[test]
    fn row_of_another_kind_or_with_an_unreadable_version_is_refused() {
        let row = to_item(&sample()).unwrap();
        let text = AttributeValue::S("other".to_owned());
        for (name, value) in
            [(KIND, text.clone()), (FORMAT_VERSION, text), (FORMAT_VERSION, number("-1"))]
        {
            let mut row = row.clone();
            row.insert(name.to_owned(), value);
            let message = refusal(row);
            assert!(message.contains("kind sample") && !message.contains("other\""), "{message}");
        }
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
            let row = Sample { amount: number, list: vec![number], count: 3 };
            let item = to_item(&row).unwrap();
            assert_eq!(item["amount"], AttributeValue::N(text.to_owned()));
            assert_eq!(item["list"], AttributeValue::L(vec![AttributeValue::N(text.to_owned())]));
            assert_eq!(item["formatVersion"], AttributeValue::N("2".to_owned()));
            assert_eq!(item["kind"], AttributeValue::S("sample".to_owned()));
            assert_eq!(from_item::<Sample>(item).unwrap(), row);
        }
    }

    #[test]
    fn unknown_attributes_of_any_type_are_ignored() {
        let text = "1".to_owned();
        let bytes = vec![1];
        for value in [
            AttributeValue::B(bytes.clone()),
            AttributeValue::Bs(vec![bytes]),
            AttributeValue::Ns(vec![text.clone()]),
            AttributeValue::Ss(vec![text]),
            AttributeValue::Null(true),
        ] {
            let mut item = to_item(&sample()).unwrap();
            item.insert("unknown".to_owned(), value);
            assert_eq!(from_item::<Sample>(item).unwrap(), sample());
        }
    }

    #[test]
    fn error_of_a_row_without_an_attribute_names_it() {
        let mut item = to_item(&sample()).unwrap();
        item.remove("amount");
        assert_eq!(refusal(item), "a row of kind sample cannot be read: amount");
    }

    #[test]
    fn error_of_an_unreadable_row_names_the_attribute_but_not_its_value() {
        let count = AttributeValue::S("secret".to_owned());
        let number = AttributeValue::N("1".to_owned());
        let list = AttributeValue::L(vec![number.clone(), count.clone()]);
        for (name, value, attribute) in [("count", count, "count"), ("list", list, "list[1]")] {
            let mut item: Item = [("amount", number.clone()), ("count", number.clone())]
                .map(|(name, value)| (name.to_owned(), value))
                .into();
            item.insert("list".to_owned(), AttributeValue::L(Vec::new()));
            item.insert(name.to_owned(), value);
            item.insert(FORMAT_VERSION.to_owned(), AttributeValue::N("2".to_owned()));
            let Err(Error::Table(cause)) = from_item::<Sample>(item) else { panic!("{name}") };
            assert_eq!(
                cause.to_string(),
                format!("a row of kind sample cannot be read: {attribute}")
            );
            assert!(!format!("{cause:?}").contains("secret"), "{cause:?}");
        }
    }
}
