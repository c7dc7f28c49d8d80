//! Writing: one transaction, and what each of its failed conditions means.

use std::{
    collections::BTreeSet,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
    time::Duration,
};

use aws_sdk_dynamodb::{
    config::{
        ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeTransmitInterceptorContextRef,
    },
    error::{BoxError, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::{
        AttributeValue, Delete, Put, ReturnConsumedCapacity::Total, TransactWriteItem, Update,
    },
};
use serde::Serialize;
use tokio::time::Instant;

use super::{THROTTLED, Table, cost, deadline::retry_until, failure};
use crate::{
    Error,
    keys::{self, Keys, Primary},
    ledger::LedgerError,
    row::{self, Item},
};

/// How long a pause is at the most.
const LONGEST_PAUSE: Duration = Duration::from_millis(640);

/// How many actions one transaction takes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
pub(super) const MAX_ACTIONS: usize = 100;

/// One action of a transaction, and what it means that its condition fails.
#[derive(Clone, Debug)]
pub(super) struct Write {
    action: Action,
    condition: Expression,
    on_conflict: OnConflict,
}

#[derive(Clone, Debug)]
enum Action {
    Put(Item),
    Delete(Item),
    Update(Item, Expression),
}

/// What a failed condition means.
#[derive(Clone, Copy, Debug)]
pub(super) enum OnConflict {
    /// Somebody else was first: look again.
    Lost,
    /// What the write was decided by is not so any more: decide again.
    Stale,
    /// A request with this idempotency key was first.
    Replay,
    /// The operation cannot be done.
    Fail(fn() -> Error),
}

/// Why a transaction changed nothing.
#[derive(Debug)]
pub(super) enum TransactionError {
    /// Somebody else was first: look again.
    Lost,
    /// What the write was decided by is not so any more: decide again.
    Stale,
    /// A request with this idempotency key was first.
    Replay,
    /// The operation cannot be done.
    Fail(Error),
}

impl From<Error> for TransactionError {
    fn from(error: Error) -> Self {
        Self::Fail(error)
    }
}

impl From<LedgerError> for TransactionError {
    fn from(error: LedgerError) -> Self {
        match error {
            LedgerError::Missing(_) => Self::Stale,
            error => Self::Fail(error.into()),
        }
    }
}

impl From<TransactionError> for Error {
    /// Where nobody tries again.
    fn from(rejected: TransactionError) -> Self {
        match rejected {
            TransactionError::Fail(error) => error,
            TransactionError::Lost | TransactionError::Stale | TransactionError::Replay => {
                Self::Contended
            }
        }
    }
}

/// A piece of DynamoDB's expression language, with the names and values that stand in it.
#[derive(Clone, Debug, Default)]
pub(super) struct Expression {
    text: String,
    names: BTreeSet<&'static str>,
    values: Vec<(String, AttributeValue)>,
}

impl Expression {
    /// There is no row yet.
    pub(super) fn absent() -> Self {
        Self::without("PK")
    }

    /// There is a row.
    pub(super) fn present() -> Self {
        Self::of("attribute_exists(#PK)", "PK")
    }

    /// The row has no attribute `name`.
    pub(super) fn without(name: &'static str) -> Self {
        Self::of(&format!("attribute_not_exists(#{name})"), name)
    }

    /// The row's attribute `name` has this value.
    pub(super) fn equal(name: &'static str, value: AttributeValue) -> Self {
        Self::of(&format!("#{name} = :is_{name}"), name).with(format!(":is_{name}"), value)
    }

    /// The row's attribute `name` is less than this value.
    pub(super) fn less(name: &'static str, value: AttributeValue) -> Self {
        Self::of(&format!("#{name} < :less_{name}"), name).with(format!(":less_{name}"), value)
    }

    /// The row's list `name` has so many elements.
    pub(super) fn count(name: &'static str, elements: usize) -> Self {
        let count = AttributeValue::N(elements.to_string());
        Self::of(&format!("size(#{name}) = :count_{name}"), name)
            .with(format!(":count_{name}"), count)
    }

    pub(super) fn and(self, other: Self) -> Self {
        self.joined(" AND ", other)
    }

    pub(super) fn or(self, other: Self) -> Self {
        self.joined(" OR ", other)
    }

    fn of(text: &str, name: &'static str) -> Self {
        Self { text: text.to_owned(), names: [name].into(), values: Vec::new() }
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

impl Write {
    /// Writes the row of `entity`, whatever is there.
    pub(super) fn put(keys: &Keys, entity: &impl Serialize) -> Result<Self, Error> {
        row::to_item(keys, entity).map(|item| Self::of(Action::Put(item)))
    }

    /// Deletes the row at `key`, if it is there.
    pub(super) fn delete(key: Primary) -> Self {
        Self::of(Action::Delete(key.item()))
    }

    /// Changes attributes of the row at `key`: each is set, or removed where there is no value for it.
    pub(super) fn update<const N: usize>(
        key: Primary,
        attributes: [(&'static str, Option<AttributeValue>); N],
    ) -> Self {
        let (mut set, mut remove) = (Expression::default(), Expression::default());
        for (name, value) in attributes {
            if let Some(value) = value {
                let placeholder = format!(":to_{name}");
                let part = Expression::of(&format!("#{name} = {placeholder}"), name);
                set = set.joined(", ", part.with(placeholder, value));
            } else {
                remove = remove.joined(", ", Expression::of(&format!("#{name}"), name));
            }
        }
        for (clause, verb) in [(&mut set, "SET "), (&mut remove, " REMOVE ")] {
            if !clause.text.is_empty() {
                clause.text.insert_str(0, verb);
            }
        }
        Self::of(Action::Update(key.item(), set.joined("", remove)))
    }

    /// Adds one to an attribute of the row at `key`.
    pub(super) fn increment(key: Primary, name: &'static str) -> Self {
        let one = AttributeValue::N("1".to_owned());
        let add = Expression::of(&format!("ADD #{name} :one"), name).with(":one".to_owned(), one);
        Self::of(Action::Update(key.item(), add))
    }

    /// The same only where `condition` holds.
    pub(super) fn when(mut self, condition: Expression, on_conflict: OnConflict) -> Self {
        (self.condition, self.on_conflict) = (condition, on_conflict);
        self
    }

    /// The row that it puts where there is none yet.
    pub(super) fn new_row(&self) -> Option<&Item> {
        match &self.action {
            Action::Put(row) if self.condition.text == Expression::absent().text => Some(row),
            _ => None,
        }
    }

    fn of(action: Action) -> Self {
        Self { action, condition: Expression::default(), on_conflict: OnConflict::Lost }
    }

    fn item(self, table: &str) -> Result<TransactWriteItem, Error> {
        let Self { action, condition, .. } = self;
        let mut names: BTreeSet<_> = condition.names;
        let mut values = condition.values;
        let condition = Some(condition.text).filter(|text| !text.is_empty());
        if let Action::Update(_, update) = &action {
            names.extend(&update.names);
            values.extend(update.values.iter().cloned());
        }
        let names = names.into_iter().map(|name| (format!("#{name}"), name.to_owned()));
        let names = Some(names.collect())
            .filter(|names: &std::collections::HashMap<_, _>| !names.is_empty());
        let values = Some(values.into_iter().collect()).filter(|values: &Item| !values.is_empty());
        let item = TransactWriteItem::builder();
        let item = match action {
            Action::Put(row) => Put::builder()
                .table_name(table)
                .set_item(Some(row))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|put| item.put(put)),
            Action::Delete(key) => Delete::builder()
                .table_name(table)
                .set_key(Some(key))
                .set_condition_expression(condition)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .build()
                .map(|delete| item.delete(delete)),
            Action::Update(key, update) => Update::builder()
                .table_name(table)
                .set_key(Some(key))
                .update_expression(update.text)
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

/// What became of a transaction that was sent.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) outcome: Result<(), TransactionError>,
    /// Whether an attempt at it was not answered: it may have been committed, or be committed yet.
    pub(super) unanswered: bool,
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

impl Table {
    /// Writes all or nothing.
    pub(super) async fn transact(&self, writes: Vec<Write>) -> Result<(), TransactionError> {
        self.send(writes).await.outcome
    }

    /// Writes all or nothing, and says whether that is certain.
    ///
    /// A repeated idempotency key counts before a reason, a reason before a lost race, and an earlier action's reason
    /// before a later one's: what was decided is not tried again.
    pub(super) async fn send(&self, writes: Vec<Write>) -> Sent {
        let refused =
            |error| Sent { outcome: Err(TransactionError::Fail(error)), unanswered: false };
        if writes.len() > MAX_ACTIONS {
            return refused(Error::TooManyActions(writes.len()));
        }
        let meanings: Vec<OnConflict> = writes.iter().map(|write| write.on_conflict).collect();
        let items = writes.into_iter().map(|write| write.item(&self.name));
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
        // The last attempt was answered, unless the table was not reached: those before it were given up.
        let unanswered = attempts.0.load(Relaxed) > 1
            || matches!(rejected, TransactionError::Fail(Error::Unavailable(_)));
        Sent { outcome: Err(rejected), unanswered }
    }

    /// Whether a row of this transaction, which has a new one, is in the table.
    ///
    /// The row of an entry is looked for in its history too. What may have changed since it was written is not compared.
    pub(super) async fn is_written(&self, row: &Item) -> Result<bool, Error> {
        let key = |sk: &AttributeValue| {
            let pk = row.get("PK").cloned()?;
            Some([("PK".to_owned(), pk), ("SK".to_owned(), sk.clone())].into())
        };
        let sk = row.get("SK").cloned();
        let past = match (&sk, row.get("sequence")) {
            (Some(AttributeValue::S(sk)), Some(AttributeValue::N(sequence)))
                if sk == keys::CURRENT =>
            {
                Some(AttributeValue::S(keys::history_position(sequence)))
            }
            _ => None,
        };
        for key in [sk, past].iter().flatten().filter_map(key) {
            if self.item(key).await?.is_some_and(|found| is_same(row, &found)) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether two rows are of one write: they agree in what is never changed.
fn is_same(row: &Item, found: &Item) -> bool {
    ["id", "sequence", "createdAt", "actorId", "joinedAt"]
        .iter()
        .all(|name| row.get(*name) == found.get(*name))
}

/// Why a transaction failed, given what each of its conditions means.
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
            (code, _) if passes(code) => lost = true,
            _ => return TransactionError::Fail(Error::Table(error.into())),
        }
    }
    match (reason, lost) {
        (Some(reason), _) => reason,
        (None, true) => TransactionError::Lost,
        (None, false) => TransactionError::Fail(Error::Table(error.into())),
    }
}

/// Whether an action was only in another's way.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
fn passes(code: &str) -> bool {
    let code = code.strip_suffix("Exception").unwrap_or(code);
    let throttled = |known: &&str| known.strip_suffix("Exception") == Some(code);
    matches!(code, "TransactionConflict" | "ThrottlingError") || THROTTLED.iter().any(throttled)
}

/// Tries again and again, until nobody else is first or the deadline is over. Each attempt looks and decides anew.
///
/// # Errors
///
/// What an attempt fails for; [`Error::Contended`] where others were first until the deadline.
pub(super) async fn with_retries<T, A>(attempt: impl Fn() -> A) -> Result<T, Error>
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

/// Trying again: with full jitter, until the deadline.
///
/// An attempt takes as long as all others let it, so its own duration says how long a pause gives way to them: on a slow table,
/// or among many writers, the pauses are longer by themselves.
///
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>
#[derive(Debug)]
pub(super) struct Retry {
    deadline: Instant,
    began: Instant,
    backoff_factor: u32,
}

impl Retry {
    pub(super) fn new() -> Self {
        Self { deadline: retry_until(), began: Instant::now(), backoff_factor: 1 }
    }

    /// What `work` comes to, if it does before the deadline.
    pub(super) async fn before_deadline<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout_at(self.deadline, work).await.ok()
    }

    /// Waits for a while; `false` where the deadline is over.
    pub(super) async fn pause(&mut self) -> bool {
        let longest = self.began.elapsed().saturating_mul(self.backoff_factor).min(LONGEST_PAUSE);
        let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        tokio::time::sleep(Duration::from_millis(fastrand::u64(0..=longest))).await;
        self.backoff_factor = self.backoff_factor.saturating_mul(2);
        self.began = Instant::now();
        self.began < self.deadline
    }
}
