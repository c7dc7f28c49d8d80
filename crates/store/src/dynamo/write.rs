//! One action of a transaction, with its condition and the meaning of its failure.

use aws_sdk_dynamodb::types::{ConditionCheck, Delete, Put, TransactWriteItem, Update};
use fracti_core::{
    input::Error,
    storage::{
        keys::Primary,
        row::{self, AttributeValue, FORMAT_VERSION, Item, KIND, Row},
    },
    values::decimal::Decimal,
};

use super::{client::to_sdk, expression::Expression};

/// One action of a transaction, and the meaning of its failed condition.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    key: Primary,
    action: Action,
    condition: Expression,
    failures: Failures,
}

/// The meanings of the failures that an action may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Failures {
    /// Its condition failed. Without a meaning, the rows on which the decision was based have
    /// changed: it is made again.
    pub(super) conflict: Option<fn() -> Error>,
    /// Its row would exceed DynamoDB's limit, which is an error of ours unless it has a meaning.
    pub(super) too_large: Option<fn() -> Error>,
}

#[derive(Clone, Debug)]
enum Action {
    Put(Item),
    Delete,
    Update(Expression),
    Check,
}

impl Write {
    /// Puts the row of `entity`, whether it exists or not.
    pub(crate) fn put(entity: &impl Row) -> Result<Self, Error> {
        Ok(Self::new(entity.keys().primary, Action::Put(row::to_item(entity)?)))
    }

    /// Puts the row of `entity`, which must not exist.
    pub(crate) fn put_new(entity: &impl Row) -> Result<Self, Error> {
        Ok(Self::put(entity)?.when(Expression::absent()))
    }

    /// Puts a row at `key`, which is that of the row, whether it exists or not.
    pub(crate) fn put_item(key: Primary, row: Item) -> Self {
        Self::new(key, Action::Put(row))
    }

    /// Deletes the row at `key` if it exists.
    pub(crate) fn delete(key: Primary) -> Self {
        Self::new(key, Action::Delete)
    }

    /// Writes nothing to the row at `key`, which has to meet the condition.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html>
    pub(crate) fn check(key: Primary) -> Self {
        Self::new(key, Action::Check)
    }

    /// Sets attributes of the row at `key`; removes those without a value.
    pub(crate) fn update(
        key: Primary,
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        Self::new(key, Action::Update(Expression::update(attributes)))
    }

    /// Adds a number to an attribute of the row at `key`.
    pub(crate) fn increment(key: Primary, name: &'static str, number: u64) -> Self {
        Self::count(key, name, number.into())
    }

    /// Subtracts a number from an attribute of the row at `key`.
    pub(crate) fn decrement(key: Primary, name: &'static str, number: u64) -> Self {
        Self::count(key, name, i128::from(number).saturating_neg())
    }

    /// Adds numbers to counters of the row of kind `T` at `key`, and sets the other attributes. If
    /// there is no such row, DynamoDB makes it, with counters that start at zero.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.ADD>
    pub(crate) fn add<T: Row>(
        key: Primary,
        counters: impl IntoIterator<Item = (String, Decimal)>,
        others: impl IntoIterator<Item = (&'static str, AttributeValue)>,
    ) -> Self {
        let kind = [
            (KIND, AttributeValue::S(T::KIND.to_owned())),
            (FORMAT_VERSION, AttributeValue::N(T::VERSION.to_string())),
        ];
        let set = kind.into_iter().chain(others).map(|(name, value)| (name, Some(value)));
        let update = Expression::add(counters).and_update(Expression::update(set));
        Self::new(key, Action::Update(update))
    }

    /// The same write which, if it is an update, also sets these attributes, and removes those without
    /// a value.
    pub(crate) fn setting(
        self,
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        let action = match self.action {
            Action::Update(update) => {
                Action::Update(update.and_update(Expression::update(attributes)))
            }
            other => other,
        };
        Self { action, ..self }
    }

    /// The same write on a condition. If it fails, the decision is made again.
    pub(crate) fn when(mut self, condition: Expression) -> Self {
        self.condition = condition;
        self
    }

    /// The same write, whose failed condition means this error.
    pub(crate) const fn or_fail(mut self, error: fn() -> Error) -> Self {
        self.failures.conflict = Some(error);
        self
    }

    /// Adds to the condition.
    pub(super) fn require(&mut self, condition: Expression) {
        self.condition = std::mem::take(&mut self.condition).and(condition);
    }

    /// The same write, which fails with this error if its row would exceed DynamoDB's limit.
    pub(crate) const fn or_too_large(mut self, error: fn() -> Error) -> Self {
        self.failures.too_large = Some(error);
        self
    }

    /// Size of the row that the write puts, in bytes; zero if it puts none.
    pub(crate) fn size(&self) -> usize {
        match &self.action {
            Action::Put(row) => row::size(row),
            Action::Delete | Action::Update(_) | Action::Check => 0,
        }
    }

    fn count(key: Primary, name: &'static str, number: i128) -> Self {
        let counter = (name.to_owned(), Decimal::new(number, 0));
        Self::new(key, Action::Update(Expression::add([counter])))
    }

    fn new(key: Primary, action: Action) -> Self {
        let failures = Failures { conflict: None, too_large: None };
        Self { key, action, condition: Expression::default(), failures }
    }

    /// Key of the row.
    pub(crate) const fn key(&self) -> &Primary {
        &self.key
    }

    /// The meanings of its failures.
    pub(super) const fn failures(&self) -> Failures {
        self.failures
    }

    /// The action as the SDK takes it.
    pub(super) fn into_action(self, table: &str) -> Result<TransactWriteItem, Error> {
        let Self { key, action, condition, .. } = self;
        let update = match &action {
            Action::Update(update) => Some(update),
            Action::Put(_) | Action::Delete | Action::Check => None,
        };
        let (names, values) = Expression::parameters([&condition].into_iter().chain(update));
        let (condition, values) = (condition.text(), values.map(to_sdk));
        let item = TransactWriteItem::builder();
        let item = match action {
            Action::Put(row) => Put::builder()
                .table_name(table)
                .set_item(Some(to_sdk(row)))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|put| item.put(put)),
            Action::Delete => Delete::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|delete| item.delete(delete)),
            Action::Update(update) => Update::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_update_expression(update.text())
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|update| item.update(update)),
            Action::Check => ConditionCheck::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|check| item.condition_check(check)),
        };
        item.map(aws_sdk_dynamodb::types::builders::TransactWriteItemBuilder::build)
            .map_err(|error| Error::Table(error.into()))
    }
}
