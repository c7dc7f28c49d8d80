//! Writes: one transaction, the meaning of each failed condition, and the loop that repeats it.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering::Relaxed},
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeTransmitInterceptorContextRef,
    },
    error::{BoxError, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::{Delete, Put, ReturnConsumedCapacity::Total, TransactWriteItem, Update},
};
use fracti_core::{
    Error,
    keys::Primary,
    row::{self, AttributeValue, Item, Row},
};

use super::{
    client::{Db, THROTTLED, failure, to_sdk},
    cost,
    expression::Expression,
    retry::Retry,
};

/// Number of actions that one transaction takes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub(crate) const MAX_ACTIONS: usize = 100;

/// One action of a transaction, and the meaning of its failed condition.
#[derive(Clone, Debug)]
pub(crate) struct Write {
    action: Action,
    condition: Expression,
    on_conflict: OnConflict,
}

#[derive(Clone, Debug)]
enum Action {
    Put(Item),
    Delete(Primary),
    Update(Primary, Expression),
}

/// The meaning of a failed condition.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OnConflict {
    /// Another writer was first: read the contended row again.
    Lost,
    /// The rows that the write was decided by have changed: decide again.
    Stale,
    /// A request with the same idempotency key was first.
    Replay,
    /// The operation cannot be done.
    Fail(fn() -> Error),
}

/// Why a transaction changed nothing.
#[derive(Debug)]
pub(crate) enum TransactionError {
    /// Another writer was first: read the contended row again.
    Lost,
    /// The rows that the write was decided by have changed: decide again.
    Stale,
    /// A request with the same idempotency key was first.
    Replay,
    /// The operation cannot be done.
    Fail(Error),
}

impl From<Error> for TransactionError {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

impl From<TransactionError> for Error {
    /// The error of a write that is not repeated.
    fn from(rejected: TransactionError) -> Self {
        match rejected {
            TransactionError::Fail(error) => error,
            TransactionError::Lost | TransactionError::Stale | TransactionError::Replay => {
                Self::Contended
            }
        }
    }
}

impl Write {
    /// Puts the row of `entity`, whether it exists or not.
    pub(crate) fn put(entity: &impl Row) -> Result<Self, Error> {
        row::to_item(entity).map(|item| Self::of(Action::Put(item)))
    }

    /// Deletes the row at `key` if it exists.
    pub(crate) fn delete(key: Primary) -> Self {
        Self::of(Action::Delete(key))
    }

    /// Sets attributes of the row at `key`; removes those without a value.
    pub(crate) fn update<const N: usize>(
        key: Primary,
        attributes: [(&'static str, Option<AttributeValue>); N],
    ) -> Self {
        Self::of(Action::Update(key, Expression::update(attributes)))
    }

    /// Adds one to an attribute of the row at `key`.
    pub(crate) fn increment(key: Primary, name: &'static str) -> Self {
        Self::of(Action::Update(key, Expression::increment(name)))
    }

    /// The same write on a condition.
    pub(crate) fn when(mut self, condition: Expression, on_conflict: OnConflict) -> Self {
        (self.condition, self.on_conflict) = (condition, on_conflict);
        self
    }

    /// The row, if the write puts it on condition that it does not exist.
    pub(crate) fn new_row(&self) -> Option<&Item> {
        match &self.action {
            Action::Put(row) if self.condition.is_absent() => Some(row),
            _ => None,
        }
    }

    fn of(action: Action) -> Self {
        Self { action, condition: Expression::default(), on_conflict: OnConflict::Lost }
    }

    fn item(self, table: &str) -> Result<TransactWriteItem, Error> {
        let Self { action, condition, .. } = self;
        let update = match &action {
            Action::Update(_, update) => Some(update),
            Action::Put(_) | Action::Delete(_) => None,
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
            Action::Delete(key) => Delete::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|delete| item.delete(delete)),
            Action::Update(key, update) => Update::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_update_expression(update.text())
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|update| item.update(update)),
        };
        item.map(aws_sdk_dynamodb::types::builders::TransactWriteItemBuilder::build)
            .map_err(|error| Error::Table(error.into()))
    }
}

/// The outcome of a transaction that was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) outcome: Result<(), TransactionError>,
    /// Whether an attempt was not answered: it may have been committed, or still be.
    pub(crate) unanswered: bool,
}

/// Counts the SDK's attempts at one operation.
#[derive(Clone, Debug, Default)]
struct Attempts(Arc<AtomicU32>);

impl Intercept for Attempts {
    fn name(&self) -> &'static str {
        "Attempts"
    }

    fn read_before_attempt(
        &self,
        _: &BeforeTransmitInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        self.0.fetch_add(1, Relaxed);
        Ok(())
    }
}

impl Db {
    /// Writes all or nothing.
    pub(crate) async fn transact(&self, writes: Vec<Write>) -> Result<(), TransactionError> {
        self.send(writes).await.outcome
    }

    /// Writes all or nothing, and reports whether the outcome is certain.
    ///
    /// If several conditions fail, a repeated idempotency key wins over an error, an error over a
    /// lost race, and the first error over later ones.
    pub(crate) async fn send(&self, writes: Vec<Write>) -> Sent {
        let refused =
            |error| Sent { outcome: Err(TransactionError::Fail(error)), unanswered: false };
        if writes.len() > MAX_ACTIONS {
            return refused(Error::TooManyActions(writes.len()));
        }
        let meanings: Vec<OnConflict> = writes.iter().map(|write| write.on_conflict).collect();
        let items = writes.into_iter().map(|write| write.item(&self.table));
        let items = match items.collect::<Result<_, _>>() {
            Ok(items) => items,
            Err(error) => return refused(error),
        };
        let request = self.client.transact_write_items().set_transact_items(Some(items));
        let request = request.return_consumed_capacity(Total);
        let attempts = Attempts::default();
        let request = request.customize().interceptor(attempts.clone());
        let error = match cost::request(Box::pin(request.send())).await {
            Ok(output) => {
                cost::written(output.consumed_capacity.iter().flatten());
                return Sent { outcome: Ok(()), unanswered: false };
            }
            Err(error) => error,
        };
        let rejected = transaction_error(error, &meanings);
        // The SDK gave up each attempt before the last one; the last one was answered unless the
        // table is unavailable.
        let unanswered = attempts.0.load(Relaxed) > 1
            || matches!(rejected, TransactionError::Fail(Error::Unavailable(_)));
        Sent { outcome: Err(rejected), unanswered }
    }
}

/// Runs `attempt` until it succeeds, fails with an error or the deadline is over. Each attempt
/// reads and decides anew.
///
/// # Errors
///
/// The error of an attempt; [`Error::Contended`] if others wrote first until the deadline.
pub(crate) async fn with_retries<T, A>(attempt: impl Fn() -> A) -> Result<T, Error>
where
    A: Future<Output = Result<T, TransactionError>>,
{
    let mut retry = Retry::new();
    loop {
        match attempt().await {
            Ok(done) => return Ok(done),
            Err(TransactionError::Fail(error)) => return Err(error),
            Err(TransactionError::Lost | TransactionError::Stale | TransactionError::Replay) => {}
        }
        if !retry.pause().await {
            return Err(Error::Contended);
        }
    }
}

/// Why a transaction failed, given the meaning of each of its conditions.
fn transaction_error(
    error: SdkError<TransactWriteItemsError>,
    meanings: &[OnConflict],
) -> TransactionError {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
    else {
        return TransactionError::Fail(failure(error));
    };
    let (mut reason, mut lost) = (None, false);
    for (why, meaning) in cancelled.cancellation_reasons().iter().zip(meanings) {
        match (why.code().unwrap_or("None"), meaning) {
            ("None", _) => {}
            ("ConditionalCheckFailed", OnConflict::Replay) => return TransactionError::Replay,
            ("ConditionalCheckFailed", OnConflict::Stale) => {
                reason = reason.or(Some(TransactionError::Stale));
            }
            ("ConditionalCheckFailed", OnConflict::Fail(fail)) => {
                reason = reason.or_else(|| Some(TransactionError::Fail(fail())));
            }
            ("ConditionalCheckFailed", OnConflict::Lost) => lost = true,
            (code, _) if is_transient(code) => lost = true,
            _ => return TransactionError::Fail(Error::Table(error.into())),
        }
    }
    match (reason, lost) {
        (Some(reason), _) => reason,
        (None, true) => TransactionError::Lost,
        (None, false) => TransactionError::Fail(Error::Table(error.into())),
    }
}

/// Whether an action only collided with another one, or was throttled.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
fn is_transient(code: &str) -> bool {
    let code = code.strip_suffix("Exception").unwrap_or(code);
    let throttled = |known: &&str| known.strip_suffix("Exception") == Some(code);
    matches!(code, "TransactionConflict" | "ThrottlingError") || THROTTLED.iter().any(throttled)
}
