//! Conditions on a row, which a write expects of the row that it changes, or a list of those that
//! it shows.

use std::borrow::Cow;

use crate::storage::row::{AttributeValue, Item};

/// Number of values that an attribute can be compared with at once.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html>
pub const MAX_VALUES: usize = 100;

/// Condition on a row. A row that does not exist has no attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// The row has the attribute.
    Has(Cow<'static, str>),
    /// The row has no such attribute.
    Lacks(Cow<'static, str>),
    /// The attribute has this value.
    Equal(Cow<'static, str>, AttributeValue),
    /// The attribute is less than this value.
    Less(Cow<'static, str>, AttributeValue),
    /// The attribute is greater than this value.
    Greater(Cow<'static, str>, AttributeValue),
    /// The attribute is a text that begins with this one.
    BeginsWith(Cow<'static, str>, String),
    /// The attribute has one of these values, at most [`MAX_VALUES`].
    OneOf(Cow<'static, str>, Vec<AttributeValue>),
    /// All of these; without any, nothing is required.
    All(Vec<Self>),
    /// One of these.
    Any(Vec<Self>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Condition {
    /// The row does not exist.
    #[must_use]
    pub const fn absent() -> Self {
        Self::without("PK")
    }

    /// The row exists.
    #[must_use]
    pub const fn present() -> Self {
        Self::with_attribute("PK")
    }

    /// The row has no attribute `name`.
    #[must_use]
    pub const fn without(name: &'static str) -> Self {
        Self::Lacks(Cow::Borrowed(name))
    }

    /// The row has an attribute `name`.
    #[must_use]
    pub const fn with_attribute(name: &'static str) -> Self {
        Self::Has(Cow::Borrowed(name))
    }

    /// The attribute `name` has this value.
    #[must_use]
    pub const fn equal(name: &'static str, value: AttributeValue) -> Self {
        Self::Equal(Cow::Borrowed(name), value)
    }

    /// The row has this version; 0 if it does not exist.
    #[must_use]
    pub fn at_version(version: u64) -> Self {
        match version {
            0 => Self::absent(),
            version => Self::equal("version", AttributeValue::N(version.to_string())),
        }
    }

    /// The row has all attributes of `item` with the same values, and none of the attributes
    /// `none_of`.
    #[must_use]
    pub fn same_as(item: &Item, none_of: &[&'static str]) -> Self {
        let others = none_of.iter().filter(|name| !item.contains_key(**name));
        let others = others.map(|name| Self::without(name));
        let same = item.iter().map(|(name, value)| Self::Equal(name.clone().into(), value.clone()));
        Self::All(same.chain(others).collect())
    }

    /// The attribute `name` is a text that begins with `prefix`.
    #[must_use]
    pub fn begins_with(name: &'static str, prefix: &str) -> Self {
        Self::BeginsWith(name.into(), prefix.to_owned())
    }

    /// The attribute `name` has one of these values, at most [`MAX_VALUES`].
    #[must_use]
    pub const fn one_of(name: &'static str, values: Vec<AttributeValue>) -> Self {
        Self::OneOf(Cow::Borrowed(name), values)
    }

    /// The attribute `name` is less than this value.
    #[must_use]
    pub const fn less(name: &'static str, value: AttributeValue) -> Self {
        Self::Less(Cow::Borrowed(name), value)
    }

    /// The attribute `name` is greater than this value.
    #[must_use]
    pub const fn greater(name: &'static str, value: AttributeValue) -> Self {
        Self::Greater(Cow::Borrowed(name), value)
    }

    /// Both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let mut all = self.parts();
        all.extend(other.parts());
        if all.len() == 1 { all.remove(0) } else { Self::All(all) }
    }

    /// One of them.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            // A condition that requires nothing always holds.
            Self::All(all) if all.is_empty() => Self::default(),
            Self::Any(mut any) => {
                any.push(other);
                Self::Any(any)
            }
            first => Self::Any(vec![first, other]),
        }
    }

    /// Whether nothing is required.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::All(all) if all.is_empty())
    }

    fn parts(self) -> Vec<Self> {
        match self {
            Self::All(all) => all,
            other => vec![other],
        }
    }
}
