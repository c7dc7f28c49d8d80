//! Writing rows with serde.
//!
//! Unlike `serde_dynamo`, it writes rows in any form, and a number with a fraction exactly.

use std::{collections::HashMap, fmt::Display, marker::PhantomData, mem};

use serde::{
    Serialize, Serializer,
    ser::{Impossible, SerializeMap, SerializeSeq, SerializeStruct},
};

use super::form::{Attributes, Form};
use crate::decimal::EXACT;

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
pub(super) struct Writer<F> {
    /// Entries that will be added to the map, if the value is one.
    spare: usize,
    form: PhantomData<F>,
}

impl<F: Form> Writer<F> {
    pub(super) const fn new() -> Self {
        Self::with_spare(0)
    }

    pub(super) const fn with_spare(spare: usize) -> Self {
        Self { spare, form: PhantomData }
    }
}

/// A list that is being written.
pub(super) struct List<F: Form>(Vec<F::Value>);

/// A map that is being written.
pub(super) struct Map<F: Form> {
    entries: Attributes<F>,
    /// Name of the next entry.
    name: String,
}

impl<F: Form> Serializer for Writer<F> {
    type Ok = F::Value;
    type Error = Unwritable;
    type SerializeSeq = List<F>;
    type SerializeTuple = Impossible<F::Value, Unwritable>;
    type SerializeTupleStruct = Impossible<F::Value, Unwritable>;
    type SerializeTupleVariant = Impossible<F::Value, Unwritable>;
    type SerializeMap = Map<F>;
    type SerializeStruct = Map<F>;
    type SerializeStructVariant = Impossible<F::Value, Unwritable>;

    fn serialize_bool(self, value: bool) -> Result<F::Value, Unwritable> {
        Ok(F::boolean(value))
    }

    fn serialize_i8(self, value: i8) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_i16(self, value: i16) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_i32(self, value: i32) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_i64(self, value: i64) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_i128(self, value: i128) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_u8(self, value: u8) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_u16(self, value: u16) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_u32(self, value: u32) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_u64(self, value: u64) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_u128(self, value: u128) -> Result<F::Value, Unwritable> {
        Ok(F::number(value.to_string()))
    }

    fn serialize_f32(self, _: f32) -> Result<F::Value, Unwritable> {
        Err(Unwritable::no("a float"))
    }

    fn serialize_f64(self, _: f64) -> Result<F::Value, Unwritable> {
        Err(Unwritable::no("a float"))
    }

    fn serialize_char(self, value: char) -> Result<F::Value, Unwritable> {
        Ok(F::text(value.into()))
    }

    fn serialize_str(self, value: &str) -> Result<F::Value, Unwritable> {
        Ok(F::text(value.to_owned()))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Result<F::Value, Unwritable> {
        Ok(F::text(value.to_string()))
    }

    fn serialize_bytes(self, _: &[u8]) -> Result<F::Value, Unwritable> {
        Err(Unwritable::no("a binary value"))
    }

    fn serialize_none(self) -> Result<F::Value, Unwritable> {
        Ok(F::null())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<F::Value, Unwritable> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<F::Value, Unwritable> {
        Ok(F::null())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<F::Value, Unwritable> {
        Ok(F::null())
    }

    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<F::Value, Unwritable> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<F::Value, Unwritable> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<F::Value, Unwritable> {
        let digits = F::into_text(value.serialize(self)?).filter(|_| variant == EXACT);
        digits.map(F::number).ok_or_else(|| Unwritable::no("an enum with data"))
    }

    fn serialize_seq(self, length: Option<usize>) -> Result<List<F>, Unwritable> {
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

    fn serialize_map(self, length: Option<usize>) -> Result<Map<F>, Unwritable> {
        let capacity = length.unwrap_or_default().saturating_add(self.spare);
        Ok(Map { entries: HashMap::with_capacity(capacity), name: String::new() })
    }

    fn serialize_struct(self, _: &'static str, length: usize) -> Result<Map<F>, Unwritable> {
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

impl<F: Form> SerializeSeq for List<F> {
    type Ok = F::Value;
    type Error = Unwritable;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        self.0.push(value.serialize(Writer::<F>::new())?);
        Ok(())
    }

    fn end(self) -> Result<F::Value, Unwritable> {
        Ok(F::list(self.0))
    }
}

impl<F: Form> SerializeMap for Map<F> {
    type Ok = F::Value;
    type Error = Unwritable;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Unwritable> {
        let name = F::into_text(key.serialize(Writer::<F>::new())?);
        self.name = name.ok_or_else(|| Unwritable::no("a map with keys other than text"))?;
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Unwritable> {
        let name = mem::take(&mut self.name);
        self.entries.insert(name, value.serialize(Writer::<F>::new())?);
        Ok(())
    }

    fn end(self) -> Result<F::Value, Unwritable> {
        Ok(F::map(self.entries))
    }
}

impl<F: Form> SerializeStruct for Map<F> {
    type Ok = F::Value;
    type Error = Unwritable;

    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Unwritable> {
        self.entries.insert(name.to_owned(), value.serialize(Writer::<F>::new())?);
        Ok(())
    }

    fn end(self) -> Result<F::Value, Unwritable> {
        Ok(F::map(self.entries))
    }
}
