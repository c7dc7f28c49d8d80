//! Writes as values: what a decision changes in the table, on which conditions, and what a
//! condition that failed means. Nothing here reads or sends anything.

use std::borrow::Cow;

use crate::{
    input::{Error, question_error::QuestionError},
    storage::{
        condition::Condition,
        keys::Primary,
        row::{self, AttributeValue, FORMAT_VERSION, Item, KIND, Row},
    },
    values::decimal::Decimal,
};

/// Maximum number of rows that are written together.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub const MAX_ACTIONS: usize = 100;

/// A write to one row, and the meaning of its failure.
#[derive(Clone, Debug)]
pub struct Write {
    key: Primary,
    action: Action,
    condition: Condition,
    failures: Failures,
}

/// The meanings of the failures that a write may have.
#[derive(Clone, Copy, Debug)]
pub struct Failures {
    /// Its condition failed. Without a meaning, the rows on which the decision was based have
    /// changed: it is made again.
    pub conflict: Option<fn() -> Error>,
    /// Its row would exceed the table's limit, which is an error of ours unless it has a meaning.
    pub too_large: Option<fn() -> Error>,
}

/// Effect of a write on its row.
#[derive(Clone, Debug)]
pub enum Action {
    /// It becomes this row.
    Put(Item),
    /// It is deleted if it exists.
    Delete,
    /// Some of its attributes change. A row that does not exist is made.
    Update(Update),
    /// Nothing: it only has to meet the condition.
    Check,
}

/// Changes of attributes.
#[derive(Clone, Debug, Default)]
pub struct Update {
    /// Numbers that are added to counters, which start at zero.
    pub add: Vec<(String, Decimal)>,
    /// Attributes that are set, or removed if they have no value.
    pub set: Vec<(Cow<'static, str>, Option<AttributeValue>)>,
}

/// Error returned for a write that was not made.
#[derive(Debug)]
pub enum WriteError {
    /// The rows on which the decision was based have changed: read and decide again.
    Retry,
    /// The operation cannot be done.
    Fail(Error),
}

/// Writes to different rows that are made together or not at all.
#[derive(Clone, Debug, Default)]
pub struct Transaction {
    writes: Vec<Write>,
}

impl WriteError {
    /// The error of an operation that is not tried again.
    #[must_use]
    pub fn final_error(self) -> Error {
        match self {
            Self::Retry => Error::Contended,
            Self::Fail(error) => error,
        }
    }
}

impl From<Error> for WriteError {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

impl From<QuestionError> for WriteError {
    fn from(error: QuestionError) -> Self {
        Self::Fail(error.into())
    }
}

impl Write {
    /// Puts the row of `entity`, whether it exists or not.
    ///
    /// # Errors
    ///
    /// As [`row::to_item`].
    pub fn put(entity: &impl Row) -> Result<Self, Error> {
        Ok(Self::new(entity.keys().primary, Action::Put(row::to_item(entity)?)))
    }

    /// Puts the row of `entity`, which must not exist.
    ///
    /// # Errors
    ///
    /// As [`row::to_item`].
    pub fn put_new(entity: &impl Row) -> Result<Self, Error> {
        Ok(Self::put(entity)?.when(Condition::absent()))
    }

    /// Puts a row at `key`, which is that of the row, whether it exists or not.
    #[must_use]
    pub fn put_item(key: Primary, row: Item) -> Self {
        Self::new(key, Action::Put(row))
    }

    /// Deletes the row at `key` if it exists.
    #[must_use]
    pub fn delete(key: Primary) -> Self {
        Self::new(key, Action::Delete)
    }

    /// Writes nothing to the row at `key`, which has to meet the condition.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_ConditionCheck.html>
    #[must_use]
    pub fn check(key: Primary) -> Self {
        Self::new(key, Action::Check)
    }

    /// Sets attributes of the row at `key`; removes those without a value.
    pub fn update(
        key: Primary,
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        Self::new(key, Action::Update(Update::default())).setting(attributes)
    }

    /// Adds a number to an attribute of the row at `key`.
    #[must_use]
    pub fn increment(key: Primary, name: &'static str, number: u64) -> Self {
        Self::count(key, name, number.into())
    }

    /// Subtracts a number from an attribute of the row at `key`.
    #[must_use]
    pub fn decrement(key: Primary, name: &'static str, number: u64) -> Self {
        Self::count(key, name, i128::from(number).saturating_neg())
    }

    /// Adds numbers to counters of the row of kind `T` at `key`, and sets the other attributes. If
    /// there is no such row, it is made, with counters that start at zero.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Expressions.UpdateExpressions.html#Expressions.UpdateExpressions.ADD>
    pub fn add<T: Row>(
        key: Primary,
        counters: impl IntoIterator<Item = (String, Decimal)>,
        others: impl IntoIterator<Item = (&'static str, AttributeValue)>,
    ) -> Self {
        let kind = [
            (KIND, AttributeValue::S(T::KIND.to_owned())),
            (FORMAT_VERSION, AttributeValue::N(T::VERSION.to_string())),
        ];
        let set = kind.into_iter().chain(others).map(|(name, value)| (name, Some(value)));
        let update = Update { add: counters.into_iter().collect(), set: Vec::new() };
        Self::new(key, Action::Update(update)).setting(set)
    }

    /// The same write which, if it is an update, also sets these attributes, and removes those
    /// without a value.
    #[must_use]
    pub fn setting(
        mut self,
        attributes: impl IntoIterator<Item = (&'static str, Option<AttributeValue>)>,
    ) -> Self {
        if let Action::Update(update) = &mut self.action {
            update.set.extend(attributes.into_iter().map(|(name, value)| (name.into(), value)));
        }
        self
    }

    /// The same write on a condition. If it fails, the decision is made again.
    #[must_use]
    pub fn when(mut self, condition: Condition) -> Self {
        self.condition = condition;
        self
    }

    /// The same write, whose failed condition means this error.
    #[must_use]
    pub const fn or_fail(mut self, error: fn() -> Error) -> Self {
        self.failures.conflict = Some(error);
        self
    }

    /// The same write, which fails with this error if its row would exceed the table's limit.
    #[must_use]
    pub const fn or_too_large(mut self, error: fn() -> Error) -> Self {
        self.failures.too_large = Some(error);
        self
    }

    /// Size of the row that the write puts, in bytes; zero if it puts none.
    #[must_use]
    pub fn size(&self) -> usize {
        match &self.action {
            Action::Put(row) => row::size(row),
            Action::Delete | Action::Update(_) | Action::Check => 0,
        }
    }

    /// Key of the row.
    #[must_use]
    pub const fn key(&self) -> &Primary {
        &self.key
    }

    /// Effect on the row.
    #[must_use]
    pub const fn action(&self) -> &Action {
        &self.action
    }

    /// Condition that the row must meet.
    #[must_use]
    pub const fn condition(&self) -> &Condition {
        &self.condition
    }

    /// The meanings of its failures.
    #[must_use]
    pub const fn failures(&self) -> Failures {
        self.failures
    }

    /// The key, the action and the condition.
    #[must_use]
    pub fn into_parts(self) -> (Primary, Action, Condition) {
        (self.key, self.action, self.condition)
    }

    fn count(key: Primary, name: &'static str, number: i128) -> Self {
        let add = vec![(name.to_owned(), Decimal::new(number, 0))];
        Self::new(key, Action::Update(Update { add, set: Vec::new() }))
    }

    fn new(key: Primary, action: Action) -> Self {
        let failures = Failures { conflict: None, too_large: None };
        Self { key, action, condition: Condition::default(), failures }
    }
}

impl Transaction {
    /// Number of writes besides the row of the request, which is part of each transaction.
    pub const ROOM: usize = MAX_ACTIONS - 1;

    /// Adds a write.
    pub fn add(&mut self, write: Write) {
        self.writes.push(write);
    }

    /// Adds to the condition of the write of the row at `key`, if there is one.
    pub fn require(&mut self, key: &Primary, condition: Condition) {
        if let Some(write) = self.writes.iter_mut().find(|write| write.key() == key) {
            write.condition = std::mem::take(&mut write.condition).and(condition);
        }
    }

    /// Number of writes that still fit beside the row of the request.
    #[must_use]
    pub const fn room(&self) -> usize {
        Self::ROOM.saturating_sub(self.writes.len())
    }

    /// Whether there is nothing to write.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The keys of the rows.
    #[must_use]
    pub fn keys(&self) -> Vec<Primary> {
        self.writes.iter().map(|write| write.key.clone()).collect()
    }

    /// The rows that are put.
    pub fn puts_mut(&mut self) -> impl Iterator<Item = &mut Item> {
        self.writes.iter_mut().filter_map(|write| match &mut write.action {
            Action::Put(item) => Some(item),
            Action::Delete | Action::Update(_) | Action::Check => None,
        })
    }

    /// The writes.
    #[must_use]
    pub fn into_writes(self) -> Vec<Write> {
        self.writes
    }
}

impl Extend<Write> for Transaction {
    fn extend<I: IntoIterator<Item = Write>>(&mut self, writes: I) {
        self.writes.extend(writes);
    }
}

impl FromIterator<Write> for Transaction {
    fn from_iter<I: IntoIterator<Item = Write>>(writes: I) -> Self {
        Self { writes: writes.into_iter().collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requirement_is_added_to_the_write_of_its_row() {
        let [first, second] =
            [1, 2].map(|sk| Primary { pk: "GROUP".to_owned(), sk: format!("{sk}") });
        let mut transaction = Transaction::from_iter([
            Write::delete(first.clone()).when(Condition::present()),
            Write::delete(second),
        ]);
        transaction.require(&first, Condition::without("archived"));
        let conditions = transaction.into_writes().into_iter().map(|write| write.into_parts().2);
        let both = Condition::present().and(Condition::without("archived"));
        assert_eq!(conditions.collect::<Vec<_>>(), [both, Condition::default()]);
    }
}
