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

use super::form::{Attributes, Form, View};

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
pub(super) struct Map<'de, F: Form>(pub(super) &'de Attributes<F>);

/// A value. A number with a fraction, or beyond [`i64`], is read as text.
struct Value<'de, F: Form>(&'de F::Value);

impl<'de, F: Form> Deserializer<'de> for Map<'de, F> {
    type Error = UnreadableAt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        visitor.visit_map(Entries::<F> { rest: self.0.iter(), entry: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier
        ignored_any
    }
}

impl<'de, F: Form> Deserializer<'de> for Value<'de, F> {
    type Error = UnreadableAt;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        match F::view(self.0) {
            View::Text(text) => visitor.visit_borrowed_str(text),
            View::Number(number) => match number.parse() {
                Ok(whole) => visitor.visit_i64(whole),
                Err(_) => visitor.visit_borrowed_str(number),
            },
            View::Boolean(value) => visitor.visit_bool(value),
            View::Null | View::Other => visitor.visit_unit(),
            View::Map(entries) => Map::<F>(entries).deserialize_any(visitor),
            View::List(list) => visitor.visit_seq(Elements::<F> { rest: list.iter(), index: 0 }),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, UnreadableAt> {
        match F::view(self.0) {
            View::Null => visitor.visit_none(),
            View::Text(_)
            | View::Number(_)
            | View::Boolean(_)
            | View::List(_)
            | View::Map(_)
            | View::Other => visitor.visit_some(self),
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
        match F::view(self.0) {
            View::Text(name) => visitor.visit_enum(name.into_deserializer()),
            // Fracti stores no enum with data.
            View::Number(_)
            | View::Boolean(_)
            | View::Null
            | View::List(_)
            | View::Map(_)
            | View::Other => Err(UnreadableAt(String::new())),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// The entries of a map.
struct Entries<'de, F: Form> {
    rest: hash_map::Iter<'de, String, F::Value>,
    /// The entry whose name is read, but not its value.
    entry: Option<(&'de str, &'de F::Value)>,
}

impl<'de, F: Form> MapAccess<'de> for Entries<'de, F> {
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
        seed.deserialize(Value::<F>(value)).map_err(|error| error.within(name))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

/// The elements of a list.
struct Elements<'de, F: Form> {
    rest: slice::Iter<'de, F::Value>,
    /// Index of the next element.
    index: usize,
}

impl<'de, F: Form> SeqAccess<'de> for Elements<'de, F> {
    type Error = UnreadableAt;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, UnreadableAt> {
        let Some(value) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index = index.saturating_add(1);
        let read = seed.deserialize(Value::<F>(value));
        read.map(Some).map_err(|error| error.within(&format!("[{index}]")))
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}
