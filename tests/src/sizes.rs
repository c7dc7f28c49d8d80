//! The largest requests that a client sent to DynamoDB, to be compared with DynamoDB's limits.
//!
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html>

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents,
        interceptors::BeforeSerializationInterceptorContextRef,
    },
    error::BoxError,
    operation::{query::QueryInput, transact_write_items::TransactWriteItemsInput},
    types::AttributeValue,
};
use fracti_core::storage::row;
use fracti_store::from_sdk;

/// Records the largest of everything that DynamoDB limits.
#[derive(Clone, Debug, Default)]
pub struct Sizes(Arc<Mutex<Largest>>);

/// The largest of everything, in bytes unless it says otherwise.
#[derive(Clone, Copy, Debug, Default)]
pub struct Largest {
    /// Actions of a transaction.
    pub actions: usize,
    /// All rows and keys of a transaction.
    pub transaction: usize,
    /// A row.
    pub row: usize,
    /// A partition key, of the table or an index.
    pub partition_key: usize,
    /// A sort key, of the table or an index.
    pub sort_key: usize,
    /// An expression.
    pub expression: usize,
    /// Digits of a number.
    pub digits: usize,
}

impl Sizes {
    /// The largest so far.
    #[must_use]
    pub fn largest(&self) -> Largest {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn transaction(&self, transaction: &TransactWriteItemsInput) {
        let mut largest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = 0;
        let actions = transaction.transact_items();
        for action in actions {
            let put = action.put().map(|put| (put.item(), [put.condition_expression(), None]));
            let delete =
                action.delete().map(|delete| (delete.key(), [delete.condition_expression(), None]));
            let update = action.update().map(|update| {
                let expressions = [update.condition_expression(), Some(update.update_expression())];
                (update.key(), expressions)
            });
            let check = action
                .condition_check()
                .map(|check| (check.key(), [Some(check.condition_expression()), None]));
            let (row, expressions) = put.or(delete).or(update).or(check).unwrap();
            bytes += row::size(&from_sdk(row.clone()));
            largest.row(row);
            for expression in expressions.into_iter().flatten() {
                largest.expression = largest.expression.max(expression.len());
            }
        }
        largest.actions = largest.actions.max(actions.len());
        largest.transaction = largest.transaction.max(bytes);
    }
}

impl Largest {
    fn row(&mut self, row: &HashMap<String, AttributeValue>) {
        self.row = self.row.max(row::size(&from_sdk(row.clone())));
        for (name, value) in row {
            if let AttributeValue::S(key) = value {
                if name.ends_with("PK") {
                    self.partition_key = self.partition_key.max(key.len());
                } else if name.ends_with("SK") {
                    self.sort_key = self.sort_key.max(key.len());
                }
            }
            self.value(value);
        }
    }

    fn value(&mut self, value: &AttributeValue) {
        match value {
            AttributeValue::N(number) => {
                let digits = number.chars().filter(char::is_ascii_digit).count();
                self.digits = self.digits.max(digits);
            }
            AttributeValue::L(values) => values.iter().for_each(|value| self.value(value)),
            AttributeValue::M(fields) => fields.values().for_each(|value| self.value(value)),
            _ => {}
        }
    }
}

impl Intercept for Sizes {
    fn name(&self) -> &'static str {
        "Sizes"
    }

    fn read_before_serialization(
        &self,
        context: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        if let Some(transaction) = context.input().downcast_ref::<TransactWriteItemsInput>() {
            self.transaction(transaction);
        } else if let Some(query) = context.input().downcast_ref::<QueryInput>() {
            let mut largest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let expression = query.key_condition_expression().unwrap_or_default();
            largest.expression = largest.expression.max(expression.len());
        }
        Ok(())
    }
}
