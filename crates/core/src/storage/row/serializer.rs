//! Writing rows with serde.
//!
//! Unlike `serde_dynamo`, it writes a number with a fraction exactly.

use std::{collections::HashMap, fmt::Display, mem};

use serde::{
    Serialize, Serializer,
    ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct},
};

use super::{AttributeValue, Item};
use crate::values::decimal::EXACT;

/// A value that cannot be an attribute.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Unwritable(String);

impl Unwritable {
    /// No row has a value of this type.
    fn no(name: &str) -> Self {
        Self(format!("no row has {name}"))
    }
}

impl serde::ser::Error for Unwritable {
    fn custom<T: Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Writes a value as an attribute.
#[derive(Default)]
pub(super) struct Writer {
    /// Entries that will be added to the map, if the value is one.
    pub(super) spare: usize,
}

/// A list that is being written.
pub(super) struct List(Vec<AttributeValue>);

/// A map that is being written.
pub(super) struct Map {
    entries: Item,
    /// Name of the next entry.
    name: String,
}

impl Serializer for Writer {
    type Ok = AttributeValue;
    type Error = Unwritable;
    type SerializeSeq = List;
    type SerializeTuple = Impossible<AttributeValue, Unwritable>;
    type SerializeTupleStruct = Impossible<AttributeValue, Unwritable>;
    type SerializeTupleVariant = Impossible<AttributeValue, Unwritable>;
    type SerializeMap = Map;
    type SerializeStruct = Map;
    type SerializeStructVariant = Impossible<AttributeValue, Unwritable>;

    fn serialize_bool(self, value: bool) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::Bool(value))
    }

    fn serialize_i8(self, value: i8) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_i16(self, value: i16) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_i32(self, value: i32) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_i64(self, value: i64) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_i128(self, value: i128) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_u8(self, value: u8) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_u16(self, value: u16) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_u32(self, value: u32) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_u64(self, value: u64) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_u128(self, value: u128) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::N(value.to_string()))
    }

    fn serialize_f32(self, _: f32) -> Result<AttributeValue, Unwritable> {
        Err(Unwritable::no("a float"))
    }

    fn serialize_f64(self, _: f64) -> Result<AttributeValue, Unwritable> {
        Err(Unwritable::no("a float"))
    }

    fn serialize_char(self, value: char) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::S(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::S(value.to_owned()))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::S(value.to_string()))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<AttributeValue, Unwritable> {
        Err(Unwritable::no("a binary value"))
    }

    fn serialize_none(self) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::Null(true))
    }

    fn serialize_some<T: Serialize + ?Sized>(
        self,
        value: &T,
    ) -> Result<AttributeValue, Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::Null(true))
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::Null(true))
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<AttributeValue, Unwritable> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<AttributeValue, Unwritable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<AttributeValue, Unwritable> {
        // Only `Decimal` has a variant of this name.
        let digits = into_text(value.serialize(self)?).filter(|_| variant == EXACT);
        digits.map(AttributeValue::N).ok_or_else(|| Unwritable::no("an enum with data"))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List, Unwritable> {
        Ok(List(Vec::with_capacity(length.unwrap_or_default())))
    }

    fn serialize_tuple(self, _: usize) -> Result<Self::SerializeTuple, Unwritable> {
        Err(Unwritable::no("a tuple"))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, Unwritable> {
        Err(Unwritable::no("a tuple"))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Unwritable> {
        Err(Unwritable::no("an enum with data"))
    }

    fn serialize_map(self, length: Option<usize>) -> Result<Map, Unwritable> {
        let capacity = length.unwrap_or_default().saturating_add(self.spare);
        Ok(Map { entries: HashMap::with_capacity(capacity), name: String::new() })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Map, Unwritable> {
        self.serialize_map(Some(length))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Unwritable> {
        Err(Unwritable::no("an enum with data"))
    }
}

impl SerializeSeq for List {
    type Ok = AttributeValue;
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.0.push(value.serialize(Writer::default())?);
        Ok(())
    }

    fn end(self) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::L(self.0))
    }
}

impl SerializeMap for Map {
    type Ok = AttributeValue;
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        let name = into_text(key.serialize(Writer::default())?);
        self.name = name.ok_or_else(|| Unwritable::no("a map with keys other than text"))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        let name = mem::take(&mut self.name);
        self.entries.insert(name, value.serialize(Writer::default())?);
        Ok(())
    }

    fn end(self) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::M(self.entries))
    }
}

impl SerializeStruct for Map {
    type Ok = AttributeValue;
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.entries.insert(name.to_owned(), value.serialize(Writer::default())?);
        Ok(())
    }

    fn end(self) -> Result<AttributeValue, Unwritable> {
        Ok(AttributeValue::M(self.entries))
    }
}

/// The text of a String; `None` for any other attribute.
fn into_text(value: AttributeValue) -> Option<String> {
    if let AttributeValue::S(text) = value { Some(text) } else { None }
}
