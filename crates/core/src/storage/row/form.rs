//! Forms of rows: the types of the values that hold attributes.
//!
//! The SDK has its own type of attribute, and this crate does not depend on the SDK. The store
//! implements [`Form`] for that type, so that rows are written and read without a copy in between,
//! which would take as long as writing or reading them.

use std::collections::HashMap;

use super::{AttributeValue, Item};

/// A form of rows.
pub trait Form: Sized {
    /// An attribute.
    type Value;

    /// A String.
    fn text(text: String) -> Self::Value;
    /// A Number with these digits.
    fn number(digits: String) -> Self::Value;
    /// A Boolean.
    fn boolean(value: bool) -> Self::Value;
    /// A Null.
    fn null() -> Self::Value;
    /// A List.
    fn list(elements: Vec<Self::Value>) -> Self::Value;
    /// A Map.
    fn map(entries: Attributes<Self>) -> Self::Value;

    /// What is in an attribute.
    fn view(value: &Self::Value) -> View<'_, Self>;

    /// The text of a String; `None` for any other attribute.
    fn into_text(value: Self::Value) -> Option<String>;

    /// The entries of a Map; `None` for any other attribute.
    fn into_map(value: Self::Value) -> Option<Attributes<Self>>;

    /// The attribute in the form of [`Item`].
    fn into_plain(value: Self::Value) -> AttributeValue;
}

/// Attributes by name: a row, or a Map in one.
pub type Attributes<F> = HashMap<String, <F as Form>::Value>;

/// What is in an attribute.
#[derive(Debug)]
pub enum View<'a, F: Form> {
    /// A String.
    Text(&'a str),
    /// A Number.
    Number(&'a str),
    /// A Boolean.
    Boolean(bool),
    /// A Null.
    Null,
    /// A List.
    List(&'a [F::Value]),
    /// A Map.
    Map(&'a Attributes<F>),
    /// A binary value or a set. No attribute of Fracti is one, but attributes that it does not know
    /// may be.
    Other,
}

/// The form of [`Item`].
#[derive(Clone, Copy, Debug)]
pub struct Plain;

impl Form for Plain {
    type Value = AttributeValue;

    fn text(text: String) -> AttributeValue {
        AttributeValue::S(text)
    }

    fn number(digits: String) -> AttributeValue {
        AttributeValue::N(digits)
    }

    fn boolean(value: bool) -> AttributeValue {
        AttributeValue::Bool(value)
    }

    fn null() -> AttributeValue {
        AttributeValue::Null(true)
    }

    fn list(elements: Vec<AttributeValue>) -> AttributeValue {
        AttributeValue::L(elements)
    }

    fn map(entries: Item) -> AttributeValue {
        AttributeValue::M(entries)
    }

    fn view(value: &AttributeValue) -> View<'_, Self> {
        match value {
            AttributeValue::S(text) => View::Text(text),
            AttributeValue::N(digits) => View::Number(digits),
            AttributeValue::Bool(value) => View::Boolean(*value),
            AttributeValue::Null(_) => View::Null,
            AttributeValue::L(elements) => View::List(elements),
            AttributeValue::M(entries) => View::Map(entries),
            AttributeValue::B(_)
            | AttributeValue::Bs(_)
            | AttributeValue::Ss(_)
            | AttributeValue::Ns(_) => View::Other,
        }
    }

    fn into_text(value: AttributeValue) -> Option<String> {
        if let AttributeValue::S(text) = value { Some(text) } else { None }
    }

    fn into_map(value: AttributeValue) -> Option<Item> {
        if let AttributeValue::M(entries) = value { Some(entries) } else { None }
    }

    fn into_plain(value: AttributeValue) -> AttributeValue {
        value
    }
}
