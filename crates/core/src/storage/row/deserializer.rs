//! Reading rows with serde, in place.
//!
//! `serde_dynamo` takes a row apart to read it, and its errors quote values. Here an error has the
//! path of the attribute and nothing else, so that it may be logged.

use std::{
    collections::hash_map,
    fmt::{self, Display},
    slice,
};

use serde::{
    Deserializer,
    de::{
        DeserializeSeed, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::BorrowedStrDeserializer,
    },
    forward_to_deserialize_any,
};

use super::{AttributeValue, Item};
use crate::values::decimal::Decimal;

/// Path of an attribute that cannot be read, like `splits[2].amount`; a dot if serde does not tell
/// it. Below a flattened field, serde tells at most the last name.
#[derive(Debug)]
pub(super) struct UnreadableAt(String);

impl UnreadableAt {
    fn within(self, outer: &str) -> Self {
        let dot = if self.0.is_empty() || self.0.starts_with('[') { "" } else { "." };
        Self(format!("{outer}{dot}{}", self.0))
    }
}

impl Display for UnreadableAt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl std::error::Error for UnreadableAt {}

impl serde::de::Error for UnreadableAt {
    fn custom<T: Display>(_: T) -> Self {
        Self(String::new())
    }

    fn missing_field(field: &'static str) -> Self {
        Self(field.to_owned())
    }
}

/// A row, or a map in one.
pub(super) struct Map<'de>(pub(super) &'de Item);

/// A value. A number with a fraction, or beyond [`i64`], is read as text, unless an [`i128`] is
/// asked for.
struct Value<'de>(&'de AttributeValue);

impl<'de> Deserializer<'de> for Map<'de> {
    type Error = UnreadableAt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        visitor.visit_map(Entries { rest: self.0.iter(), entry: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl<'de> Deserializer<'de> for Value<'de> {
    type Error = UnreadableAt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        match self.0 {
            AttributeValue::S(text) => visitor.visit_borrowed_str(text),
            AttributeValue::N(number) => match number.parse() {
                Ok(whole) => visitor.visit_i64(whole),
                Err(_) => visitor.visit_borrowed_str(number),
            },
            AttributeValue::Bool(value) => visitor.visit_bool(*value),
            // No attribute of Fracti is a binary value or a set, but one that it does not know may
            // be.
            AttributeValue::Null(_)
            | AttributeValue::B(_)
            | AttributeValue::Bs(_)
            | AttributeValue::Ss(_)
            | AttributeValue::Ns(_) => visitor.visit_unit(),
            AttributeValue::M(entries) => Map(entries).deserialize_any(visitor),
            AttributeValue::L(list) => visitor.visit_seq(Elements { rest: list.iter(), index: 0 }),
        }
    }

    fn deserialize_i128<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        let whole = match self.0 {
            AttributeValue::N(number) => number.parse().ok().and_then(|it: Decimal| it.at_scale(0)),
            _ => None,
        };
        visitor.visit_i128(whole.ok_or_else(|| UnreadableAt(String::new()))?)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        if matches!(self.0, AttributeValue::Null(_)) {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, UnreadableAt> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, UnreadableAt> {
        // Fracti stores no enum with data.
        let AttributeValue::S(name) = self.0 else { return Err(UnreadableAt(String::new())) };
        visitor.visit_enum(name.as_str().into_deserializer())
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The entries of a map.
struct Entries<'de> {
    rest: hash_map::Iter<'de, String, AttributeValue>,
    /// The entry whose name was read last, and whose value is read next.
    entry: Option<(&'de str, &'de AttributeValue)>,
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = UnreadableAt;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, UnreadableAt> {
        self.entry = self.rest.next().map(|(name, value)| (name.as_str(), value));
        let read = |(name, _)| {
            // A key must be read from text: this deserializer has no numbers and no newtypes.
            let key = BorrowedStrDeserializer::new(name);
            seed.deserialize(key).map_err(|error: UnreadableAt| error.within(name))
        };
        self.entry.map(read).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(
        &mut self,
        seed: V,
    ) -> Result<V::Value, UnreadableAt> {
        let (name, value) = self.entry.take().ok_or_else(|| UnreadableAt(String::new()))?;
        seed.deserialize(Value(value)).map_err(|error| error.within(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The elements of a list.
struct Elements<'de> {
    rest: slice::Iter<'de, AttributeValue>,
    /// Index of the next element.
    index: usize,
}

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = UnreadableAt;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, UnreadableAt> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        let read = seed.deserialize(Value(value));
        read.map(Some).map_err(|error| error.within(&format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
