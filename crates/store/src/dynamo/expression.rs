//! DynamoDB's expression language: conditions and updates. Nothing else writes an expression.

use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

use fracti_core::{
    storage::row::{AttributeValue, Item},
    values::decimal::Decimal,
};

/// Number of values that an attribute can be compared with at once.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.OperatorsAndFunctions.html>
pub(crate) const MAX_VALUES: usize = 100;

/// A part of an expression, with the names and values that it refers to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expression {
    text: String,
    /// Names of attributes by their placeholders.
    names: BTreeMap<String, String>,
    values: Vec<(String, AttributeValue)>,
}

impl Expression {
    /// The row does not exist.
    pub(crate) fn absent() -> Self {
        Self::without("PK")
    }

    /// The row exists.
    pub(crate) fn present() -> Self {
        Self::with_attribute("PK")
    }

    /// The row has no attribute `name`.
    pub(crate) fn without(name: &'static str) -> Self {
        Self::of(&format!("attribute_not_exists(#{name})"), name)
    }

    /// The row has an attribute `name`.
    pub(crate) fn with_attribute(name: &'static str) -> Self {
        Self::of(&format!("attribute_exists(#{name})"), name)
    }

    /// The attribute `name` has this value.
    pub(crate) fn equal(name: &'static str, value: AttributeValue) -> Self {
        Self::of(&format!("#{name} = :is_{name}"), name).with(format!(":is_{name}"), value)
    }

    /// The row has this version; 0 if it does not exist.
    pub(crate) fn at_version(version: u64) -> Self {
        match version {
            0 => Self::absent(),
            version => Self::equal("version", AttributeValue::N(version.to_string())),
        }
    }

    /// The row has all attributes of `item` with the same values, and none of the attributes
    /// `none_of`.
    pub(crate) fn same_as(item: &Item, none_of: &[&'static str]) -> Self {
        let others = none_of.iter().filter(|name| !item.contains_key(**name));
        let others = others.map(|name| Self::without(name));
        let same = item.iter().enumerate().map(|(index, (name, value))| Self {
            text: format!("#same_{index} = :same_{index}"),
            names: [(format!("#same_{index}"), name.clone())].into(),
            values: vec![(format!(":same_{index}"), value.clone())],
        });
        same.chain(others).fold(Self::default(), Self::and)
    }

    /// The attribute `name` is a text that begins with `prefix`.
    pub(crate) fn begins_with(name: &'static str, prefix: &str) -> Self {
        let placeholder = format!(":{name}_{}", prefix.trim_end_matches('#'));
        Self::of(&format!("begins_with(#{name}, {placeholder})"), name)
            .with(placeholder, AttributeValue::S(prefix.to_owned()))
    }

    /// The attribute `name` has one of these values, at most [`MAX_VALUES`].
    pub(crate) fn one_of(name: &'static str, values: Vec<AttributeValue>) -> Self {
        let placeholder = |(index, value)| (format!(":is_{name}_{index}"), value);
        let values: Vec<_> = values.into_iter().enumerate().map(placeholder).collect();
        let placeholders: Vec<_> = values.iter().map(|(it, _)| it.as_str()).collect();
        let text = format!("#{name} IN ({})", placeholders.join(", "));
        Self { values, ..Self::of(&text, name) }
    }

    /// The attribute `name` is less than this value.
    pub(crate) fn less(name: &'static str, value: AttributeValue) -> Self {
        Self::of(&format!("#{name} < :less_{name}"), name).with(format!(":less_{name}"), value)
    }

    /// The attribute `name` is greater than this value.
    pub(crate) fn greater(name: &'static str, value: AttributeValue) -> Self {
        Self::of(&format!("#{name} > :greater_{name}"), name)
            .with(format!(":greater_{name}"), value)
    }

    pub(crate) fn and(self, other: Self) -> Self {
        self.joined(" AND ", other)
    }

    pub(crate) fn or(self, other: Self) -> Self {
        self.joined(" OR ", other)
    }

    /// An update that sets each attribute, or removes it if there is no value for it.
    pub(super) fn update(
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        let (mut set, mut remove) = (Self::default(), Self::default());
        for (name, value) in attributes {
            if let Some(value) = value {
                let placeholder = format!(":to_{name}");
                let part = Self::of(&format!("#{name} = {placeholder}"), name);
                set = set.joined(", ", part.with(placeholder, value));
            } else {
                remove = remove.joined(", ", Self::of(&format!("#{name}"), name));
            }
        }
        set.clause("SET").joined(" ", remove.clause("REMOVE"))
    }

    /// An update that adds a number to each counter. A counter may have any name.
    pub(super) fn add(counters: impl IntoIterator<Item = (String, Decimal)>) -> Self {
        let mut add = Self::default();
        for (index, (name, number)) in counters.into_iter().enumerate() {
            let comma = if add.is_empty() { "" } else { ", " };
            let _ = write!(add.text, "{comma}#counter_{index} :add_{index}");
            add.names.insert(format!("#counter_{index}"), name);
            add.values.push((format!(":add_{index}"), AttributeValue::N(number.to_string())));
        }
        add.clause("ADD")
    }

    /// Both updates as one.
    pub(super) fn and_update(self, other: Self) -> Self {
        self.joined(" ", other)
    }

    /// Whether there are no conditions.
    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// The text, if there is any.
    pub(super) fn text(&self) -> Option<String> {
        Some(self.text.clone()).filter(|text| !text.is_empty())
    }

    /// The names and values of all `expressions`, as a request carries them.
    pub(super) fn parameters<'a>(
        expressions: impl IntoIterator<Item = &'a Self>,
    ) -> (Option<HashMap<String, String>>, Option<Item>) {
        let (mut names, mut values) = (HashMap::new(), Item::new());
        for expression in expressions {
            names.extend(expression.names.clone());
            values.extend(expression.values.iter().cloned());
        }
        (Some(names).filter(|it| !it.is_empty()), Some(values).filter(|it| !it.is_empty()))
    }

    fn of(text: &str, name: &'static str) -> Self {
        let names = [(format!("#{name}"), name.to_owned())].into();
        Self { text: text.to_owned(), names, values: Vec::new() }
    }

    /// The clause of an update expression, unless it is empty.
    fn clause(mut self, verb: &str) -> Self {
        if !self.is_empty() {
            self.text = format!("{verb} {}", self.text);
        }
        self
    }

    fn with(mut self, placeholder: String, value: AttributeValue) -> Self {
        self.values.push((placeholder, value));
        self
    }

    fn joined(mut self, operator: &str, other: Self) -> Self {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push_str(operator);
        }
        self.text.push_str(&other.text);
        self.names.extend(other.names);
        self.values.extend(other.values);
        self
    }
}
