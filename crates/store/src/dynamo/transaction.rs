//! Writes of several rows at once: all are committed or none is.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeTransmitInterceptorContextRef,
    },
    error::{BoxError, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::{ReturnConsumedCapacity::Total, TransactWriteItem},
};
use fracti_core::{input::Error, storage::keys::Primary};

use super::{
    admission::admitted,
    client::{Db, THROTTLED, failure},
    cost,
    expression::Expression,
    write::{Failures, Write},
};

/// Maximum number of actions in a transaction.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub(crate) const MAX_ACTIONS: usize = 100;

/// Error returned for a transaction that was not committed.
#[derive(Debug)]
pub(crate) enum TransactionError {
    /// The rows on which the decision was based have changed: read and decide again.
    Retry,
    /// The operation cannot be done.
    Fail(Error),
}

impl From<Error> for TransactionError {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

/// Writes to different rows that are committed together or not at all.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transaction {
    writes: Vec<Write>,
    optional: Vec<Write>,
}

impl Transaction {
    /// Number of writes besides the row of the request, which is part of each transaction.
    pub(crate) const ROOM: usize = MAX_ACTIONS - 1;

    /// Adds a write.
    pub(crate) fn add(&mut self, write: Write) {
        self.writes.push(write);
    }

    /// Adds a new row that tells of the other writes. It is left out if the transaction has no room
    /// for it when it is sent, and does not count for [`Transaction::room`]: money is never refused
    /// for it. It must have no condition, which could fail.
    #[cfg_attr(not(test), expect(dead_code, reason = "nothing tells of changes yet"))]
    pub(crate) fn add_optional(&mut self, write: Write) {
        self.optional.push(write);
    }

    /// Adds to the condition of the write of the row at `key`, if there is one.
    pub(crate) fn require(&mut self, key: &Primary, condition: Expression) {
        if let Some(write) = self.writes.iter_mut().find(|write| write.key() == key) {
            write.require(condition);
        }
    }

    /// Number of writes that still fit beside the row of the request.
    pub(crate) const fn room(&self) -> usize {
        Self::ROOM.saturating_sub(self.writes.len())
    }

    /// Whether there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.writes.is_empty()
    }

    /// The writes with those optional ones that fit.
    fn complete(self) -> Vec<Write> {
        let room = MAX_ACTIONS.saturating_sub(self.writes.len());
        self.writes.into_iter().chain(self.optional.into_iter().take(room)).collect()
    }
}

impl Extend<Write> for Transaction {
    fn extend<I: IntoIterator<Item = Write>>(&mut self, writes: I) {
        self.writes.extend(writes);
    }
}

impl FromIterator<Write> for Transaction {
    fn from_iter<I: IntoIterator<Item = Write>>(writes: I) -> Self {
        Self { writes: writes.into_iter().collect(), optional: Vec::new() }
    }
}

/// Error returned for a transaction that writes one row twice, which DynamoDB refuses.
#[derive(Debug, thiserror::Error)]
#[error("two writes of a transaction are to the row {}, {}", .0.pk, .0.sk)]
struct TwoWrites(Primary);

/// The outcome of a transaction that was sent.
#[derive(Debug)]
pub(crate) struct Sent {
    pub(crate) outcome: Result<(), TransactionError>,
    /// Whether an attempt got no response, so that it may have been, or may still be, committed.
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
    /// Commits all writes or none, and reports whether the outcome is certain. Nothing is sent
    /// before the request is admitted.
    pub(crate) async fn send(&self, transaction: Transaction) -> Sent {
        let refused =
            |error| Sent { outcome: Err(TransactionError::Fail(error)), unanswered: false };
        let writes = transaction.complete();
        let failures: Vec<Failures> = writes.iter().map(Write::failures).collect();
        let actions = match actions(writes, &self.table) {
            Ok(actions) => actions,
            Err(error) => return refused(error),
        };
        if !admitted().await {
            return refused(Error::NotAdmitted);
        }
        let request = self.client.transact_write_items().set_transact_items(Some(actions));
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
        let rejected = transaction_error(error, &failures);
        // The SDK gave up every attempt before the last one. The last one got a response, unless
        // the table is unavailable.
        let unanswered = attempts.0.load(Relaxed) > 1
            || matches!(rejected, TransactionError::Fail(Error::Unavailable(_)));
        Sent { outcome: Err(rejected), unanswered }
    }
}

/// The actions as the SDK takes them.
///
/// # Errors
///
/// [`Error::TooManyActions`]; [`Error::Table`] if two actions write one row.
fn actions(writes: Vec<Write>, table: &str) -> Result<Vec<TransactWriteItem>, Error> {
    if writes.len() > MAX_ACTIONS {
        return Err(Error::TooManyActions(writes.len()));
    }
    let mut keys = HashSet::new();
    if let Some(twice) = writes.iter().map(Write::key).find(|key| !keys.insert(*key)) {
        return Err(Error::Table(TwoWrites(twice.clone()).into()));
    }
    writes.into_iter().map(|write| write.into_action(table)).collect()
}

/// The error of a failed transaction, given the meanings of the failures of each action. If rows on
/// which a decision was based have changed, the decision is made again, even if another condition
/// failed.
fn transaction_error(
    error: SdkError<TransactWriteItemsError>,
    failures: &[Failures],
) -> TransactionError {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
    else {
        return TransactionError::Fail(failure(error));
    };
    let (mut retry, mut fail) = (false, None);
    for (reason, failures) in cancelled.cancellation_reasons().iter().zip(failures) {
        let Failures { conflict, too_large } = failures;
        let of_size = || reason.message().is_some_and(|message| message.starts_with("Item size"));
        match (reason.code().unwrap_or("None"), conflict, too_large) {
            ("None", ..) => {}
            ("ConditionalCheckFailed", None, _) => retry = true,
            ("ConditionalCheckFailed", Some(why), _) => fail = fail.or(Some(why)),
            ("ValidationError", _, Some(why)) if of_size() => fail = fail.or(Some(why)),
            (code, ..) if is_transient(code) => retry = true,
            _ => return TransactionError::Fail(Error::Table(error.into())),
        }
    }
    match fail {
        _ if retry => TransactionError::Retry,
        Some(why) => TransactionError::Fail(why()),
        None => TransactionError::Fail(Error::Table(error.into())),
    }
}

/// Whether an action only conflicted with another request, or was throttled.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
fn is_transient(code: &str) -> bool {
    let code = code.strip_suffix("Exception").unwrap_or(code);
    let throttled = |known: &&str| known.strip_suffix("Exception") == Some(code);
    matches!(code, "TransactionConflict" | "ThrottlingError") || THROTTLED.iter().any(throttled)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delete(number: usize) -> Write {
        Write::delete(Primary { pk: "GROUP".to_owned(), sk: number.to_string() })
    }

    fn sent(numbers: impl IntoIterator<Item = usize>) -> Result<usize, Error> {
        sent_with(numbers, 0)
    }

    fn sent_with(
        numbers: impl IntoIterator<Item = usize>,
        optional: usize,
    ) -> Result<usize, Error> {
        let mut transaction: Transaction = numbers.into_iter().map(delete).collect();
        let room = transaction.room();
        for number in 0..optional {
            transaction.add_optional(delete(number.saturating_add(1000)));
        }
        assert_eq!(transaction.room(), room);
        actions(transaction.complete(), "table").map(|actions| actions.len())
    }

    #[test]
    fn transaction_has_at_most_100_actions() {
        assert_eq!(sent(0..100).ok(), Some(100));
        assert!(matches!(sent(0..101), Err(Error::TooManyActions(101))));
    }

    #[test]
    fn optional_writes_are_left_out_of_a_full_transaction() {
        assert_eq!(sent_with(0..98, 1).ok(), Some(99));
        assert_eq!(sent_with(0..99, 2).ok(), Some(100));
        assert_eq!(sent_with(0..100, 2).ok(), Some(100));
        assert!(matches!(sent_with(0..101, 2), Err(Error::TooManyActions(101))));
    }

    #[test]
    fn transaction_writes_each_row_once() {
        let twice = sent([1, 2, 1]).unwrap_err();
        let Error::Table(cause) = twice else { panic!("{twice}") };
        assert_eq!(cause.to_string(), "two writes of a transaction are to the row GROUP, 1");
    }
}
