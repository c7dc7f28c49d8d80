//! DynamoDB, reached through the SDK.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use aws_sdk_dynamodb::{
    Client,
    config::{
        ConfigBag, Intercept, RuntimeComponents, interceptors::BeforeTransmitInterceptorContextRef,
    },
    error::{BoxError, ProvideErrorMetadata, SdkError},
    operation::transact_write_items::TransactWriteItemsError,
    types::{
        AttributeDefinition, AttributeValue, ConditionCheck, CreateGlobalSecondaryIndexAction,
        Delete, GlobalSecondaryIndexUpdate, IndexStatus, KeySchemaElement, KeyType,
        KeysAndAttributes, Projection, ProjectionType, Put, ReturnConsumedCapacity::Total,
        ReturnValue, ScalarAttributeType, TransactWriteItem, Update,
        builders::TransactWriteItemBuilder,
    },
};
use fracti_core::{
    input::{Cause, Error},
    storage::{
        keys::Primary,
        row::Item,
        write::{Action, Failures, Write, WriteError},
    },
};
use futures_util::{FutureExt as _, future::BoxFuture};

use super::{
    cost,
    expression::Parameters,
    range::{Order, Position, Sort},
    requests::{Answer, Found, IndexState, Query, Requests, Sent, TableScan, TableState},
};

/// A row as the SDK carries it.
pub type SdkItem = HashMap<String, AttributeValue>;

/// The row that the SDK read.
#[must_use]
pub fn from_sdk(item: SdkItem) -> Item {
    item.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// The row for the SDK to write.
#[must_use]
pub fn to_sdk(item: Item) -> SdkItem {
    item.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// A table of DynamoDB.
#[derive(Debug)]
pub(crate) struct Sdk {
    client: Client,
    table: Arc<str>,
}

impl Sdk {
    pub(crate) const fn new(client: Client, table: Arc<str>) -> Self {
        Self { client, table }
    }

    /// A write as the SDK takes it.
    fn action(&self, write: Write) -> Result<TransactWriteItem, Error> {
        let (key, action, condition) = write.into_parts();
        let table = &*self.table;
        let mut parameters = Parameters::default();
        let condition = parameters.condition(&condition);
        let update = match &action {
            Action::Update(update) => Some(parameters.update(update)),
            Action::Put(_) | Action::Delete | Action::Check => None,
        };
        let (names, values) = parameters.into_parts();
        let values = values.map(to_sdk);
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
            Action::Update(_) => Update::builder()
                .table_name(table)
                .set_key(Some(to_sdk(key.item())))
                .set_update_expression(update)
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
        item.map(TransactWriteItemBuilder::build).map_err(|error| Error::Table(error.into()))
    }
}

impl Requests for Sdk {
    fn get(&self, key: Primary, consistently: bool) -> Answer<'_, Option<Item>> {
        async move {
            let request = self.client.get_item().table_name(&*self.table);
            let request = request.consistent_read(consistently);
            let request = request.set_key(Some(to_sdk(key.item()))).return_consumed_capacity(Total);
            let output = cost::request(request.send()).await.map_err(failure)?;
            cost::read(&output.consumed_capacity);
            Ok(output.item.map(from_sdk))
        }
        .boxed()
    }

    fn batch(&self, keys: Vec<Primary>) -> Answer<'_, (Vec<Item>, Vec<Primary>)> {
        async move {
            let keys = keys.into_iter().map(|key| to_sdk(key.item())).collect();
            let wanted = KeysAndAttributes::builder().consistent_read(true).set_keys(Some(keys));
            let wanted = wanted.build().map_err(|error| Error::Table(error.into()))?;
            let request = self.client.batch_get_item().request_items(&*self.table, wanted);
            let request = request.return_consumed_capacity(Total);
            let output = cost::request(request.send()).await.map_err(failure)?;
            cost::read(output.consumed_capacity.iter().flatten());
            let items = output.responses.into_iter().flatten().flat_map(|(_, items)| items);
            let left = output.unprocessed_keys.into_iter().flatten();
            let left = left.flat_map(|(_, wanted)| wanted.keys);
            let left = left.filter_map(|key| Primary::of(&from_sdk(key))).collect();
            Ok((items.map(from_sdk).collect(), left))
        }
        .boxed()
    }

    fn query<'a>(&'a self, query: Query<'a>) -> Answer<'a, Found> {
        async move {
            let Query { range, filter, limit, after } = query;
            let index = range.index.unwrap_or_default();
            let text = |text: &String| fracti_core::storage::row::AttributeValue::S(text.clone());
            let mut parameters = Parameters::default();
            let partition = parameters.name(&format!("{index}PK"));
            let mut condition =
                format!("{partition} = {}", parameters.value(text(&range.partition)));
            let key = |parameters: &mut Parameters| parameters.name(&format!("{index}SK"));
            match &range.sort {
                Sort::Any => {}
                Sort::Prefix(prefix) => {
                    let key = key(&mut parameters);
                    let prefix = parameters.value(text(prefix));
                    condition = format!("{condition} AND begins_with({key}, {prefix})");
                }
                Sort::Between(first, last) => {
                    let key = key(&mut parameters);
                    let [first, last] = [first, last].map(|it| parameters.value(text(it)));
                    condition = format!("{condition} AND {key} BETWEEN {first} AND {last}");
                }
            }
            let filter = parameters.condition(filter);
            let (names, values) = parameters.into_parts();
            let values = values.map(to_sdk);
            let request = self
                .client
                .query()
                .table_name(&*self.table)
                .set_index_name(range.index.map(str::to_owned))
                // An index cannot be read consistently.
                .consistent_read(range.index.is_none())
                .key_condition_expression(condition)
                .set_filter_expression(filter)
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .scan_index_forward(range.order == Order::Asc)
                .set_limit(limit.and_then(|limit| i32::try_from(limit).ok()))
                .set_exclusive_start_key(after.map(to_sdk))
                .return_consumed_capacity(Total);
            let output = cost::request(request.send()).await.map_err(failure)?;
            cost::read(&output.consumed_capacity);
            Ok(found(output.items, output.scanned_count, output.last_evaluated_key))
        }
        .boxed()
    }

    fn scan<'a>(&'a self, scan: TableScan<'a>) -> Answer<'a, Found> {
        async move {
            let TableScan { filter, only_keys, after, segment } = scan;
            let mut parameters = Parameters::default();
            let filter = parameters.condition(filter);
            let (names, values) = parameters.into_parts();
            let values = values.map(to_sdk);
            let request = self
                .client
                .scan()
                .table_name(&*self.table)
                .set_filter_expression(filter)
                .set_projection_expression(only_keys.then(|| "PK, SK".to_owned()))
                .set_expression_attribute_names(names)
                .set_expression_attribute_values(values)
                .set_segment(segment.of_several().then_some(segment.number))
                .set_total_segments(segment.of_several().then_some(segment.count))
                .set_exclusive_start_key(after.map(Position::item).map(to_sdk))
                .return_consumed_capacity(Total);
            let output = cost::request(request.send()).await.map_err(failure)?;
            cost::read(&output.consumed_capacity);
            Ok(found(output.items, output.scanned_count, output.last_evaluated_key))
        }
        .boxed()
    }

    fn update(&self, write: Write) -> Answer<'_, Option<Item>> {
        async move {
            let not_an_update = || Error::Internal("only an update is sent without a transaction");
            let update = self.action(write)?.update.ok_or_else(not_an_update)?;
            let request = self
                .client
                .update_item()
                .table_name(update.table_name)
                .set_key(Some(update.key))
                .update_expression(update.update_expression)
                .set_condition_expression(update.condition_expression)
                .set_expression_attribute_names(update.expression_attribute_names)
                .set_expression_attribute_values(update.expression_attribute_values)
                .return_values(ReturnValue::UpdatedNew)
                .return_consumed_capacity(Total);
            match cost::request(request.send()).await {
                Ok(output) => {
                    cost::written(&output.consumed_capacity);
                    Ok(Some(output.attributes.map(from_sdk).unwrap_or_default()))
                }
                Err(error) => match error.as_service_error() {
                    Some(refusal) if refusal.is_conditional_check_failed_exception() => Ok(None),
                    _ => Err(failure(error)),
                },
            }
        }
        .boxed()
    }

    fn write(&self, writes: Vec<Write>) -> BoxFuture<'_, Sent> {
        async move {
            let failures: Vec<Failures> = writes.iter().map(Write::failures).collect();
            let actions = writes.into_iter().map(|write| self.action(write)).collect();
            let actions = match actions {
                Ok(actions) => actions,
                Err(error) => {
                    return Sent { outcome: Err(WriteError::Fail(error)), unanswered: false };
                }
            };
            let request = self.client.transact_write_items().set_transact_items(Some(actions));
            let request = request.return_consumed_capacity(Total);
            let attempts = Attempts::default();
            let request = request.customize().interceptor(attempts.clone());
            let error = match cost::request(request.send()).await {
                Ok(output) => {
                    cost::written(output.consumed_capacity.iter().flatten());
                    return Sent { outcome: Ok(()), unanswered: false };
                }
                Err(error) => error,
            };
            let rejected = write_error(error, &failures);
            // The SDK gave up every attempt before the last one. The last one got a response,
            // unless the table is unavailable.
            let unanswered = attempts.0.load(Relaxed) > 1
                || matches!(rejected, WriteError::Fail(Error::Unavailable(_)));
            Sent { outcome: Err(rejected), unanswered }
        }
        .boxed()
    }

    fn state<'a>(&'a self, name: &'a str) -> Answer<'a, TableState> {
        async move {
            let request = self.client.describe_table().table_name(&*self.table);
            let table = request.send().await.map_err(failure)?.table;
            let rows = table.as_ref().and_then(|table| u64::try_from(table.item_count?).ok());
            let indexes = table
                .into_iter()
                .flat_map(|table| table.global_secondary_indexes.unwrap_or_default());
            let index = indexes.into_iter().find(|index| index.index_name.as_deref() == Some(name));
            let index = index.map_or(IndexState::Missing, |index| match index.index_status {
                Some(IndexStatus::Active) | None => IndexState::Active,
                Some(_) => IndexState::Changing,
            });
            Ok(TableState { rows: rows.unwrap_or_default(), index })
        }
        .boxed()
    }

    fn add_index<'a>(&'a self, name: &'a str) -> Answer<'a, ()> {
        async move {
            let refused =
                |error: aws_sdk_dynamodb::error::BuildError| Error::Table(Cause::from(error));
            let keys = [("PK", KeyType::Hash), ("SK", KeyType::Range)];
            let keys = keys.map(|(key, key_type)| (format!("{name}{key}"), key_type));
            let mut schema = Vec::new();
            let mut attributes = Vec::new();
            for (key, key_type) in keys {
                let element = KeySchemaElement::builder().attribute_name(&key).key_type(key_type);
                schema.push(element.build().map_err(refused)?);
                let attribute = AttributeDefinition::builder().attribute_name(key);
                let attribute = attribute.attribute_type(ScalarAttributeType::S);
                attributes.push(attribute.build().map_err(refused)?);
            }
            let create = CreateGlobalSecondaryIndexAction::builder()
                .index_name(name)
                .set_key_schema(Some(schema))
                .projection(Projection::builder().projection_type(ProjectionType::All).build())
                .build()
                .map_err(refused)?;
            let update = GlobalSecondaryIndexUpdate::builder().create(create).build();
            let request = self
                .client
                .update_table()
                .table_name(&*self.table)
                .set_attribute_definitions(Some(attributes))
                .global_secondary_index_updates(update);
            request.send().await.map_err(failure)?;
            Ok(())
        }
        .boxed()
    }
}

fn found(items: Option<Vec<SdkItem>>, examined: i32, next: Option<SdkItem>) -> Found {
    Found {
        items: items.into_iter().flatten().map(from_sdk).collect(),
        examined: u64::try_from(examined).unwrap_or_default(),
        next: next.filter(|key| !key.is_empty()).map(from_sdk),
    }
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

/// The error of a failed request: [`Error::Unavailable`] if a later attempt could succeed.
fn failure<E>(error: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let transient = match &error {
        SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => {
            true
        }
        SdkError::ServiceError(context) => {
            context.raw().status().as_u16() >= 500
                || context.err().code().is_some_and(|code| THROTTLED.contains(&code))
        }
        _ => false,
    };
    if transient { Error::Unavailable(error.into()) } else { Error::Table(error.into()) }
}

/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>
const THROTTLED: [&str; 4] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
];

/// The error of a failed transaction, given the meanings of the failures of each action. If rows on
/// which a decision was based have changed, the decision is made again, even if another condition
/// failed.
fn write_error(error: SdkError<TransactWriteItemsError>, failures: &[Failures]) -> WriteError {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) =
        error.as_service_error()
    else {
        return WriteError::Fail(failure(error));
    };
    let mut retry = false;
    let mut fail = None;
    for (reason, failures) in cancelled.cancellation_reasons().iter().zip(failures) {
        let Failures { conflict, too_large } = failures;
        let of_size = || reason.message().is_some_and(|message| message.starts_with("Item size"));
        match (reason.code().unwrap_or("None"), conflict, too_large) {
            ("None", ..) => {}
            ("ConditionalCheckFailed", None, _) => retry = true,
            ("ConditionalCheckFailed", Some(why), _) => fail = fail.or(Some(why)),
            ("ValidationError", _, Some(why)) if of_size() => fail = fail.or(Some(why)),
            (code, ..) if is_transient(code) => retry = true,
            _ => return WriteError::Fail(Error::Table(error.into())),
        }
    }
    match fail {
        _ if retry => WriteError::Retry,
        Some(why) => WriteError::Fail(why()),
        None => WriteError::Fail(Error::Table(error.into())),
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
