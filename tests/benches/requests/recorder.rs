//! The requests of the API to DynamoDB, recorded to be sent again without the API.

use std::sync::{Arc, Mutex, PoisonError};

use aws_sdk_dynamodb::{
    Client,
    config::{
        ConfigBag, Intercept, RuntimeComponents,
        interceptors::BeforeSerializationInterceptorContextRef,
    },
    error::BoxError,
    operation::{
        batch_get_item::BatchGetItemInput, get_item::GetItemInput, query::QueryInput,
        transact_write_items::TransactWriteItemsInput,
    },
};
use futures_util::future::join_all;

/// A request to DynamoDB.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Get(GetItemInput),
    Batch(BatchGetItemInput),
    Query(Box<QueryInput>),
    Write(TransactWriteItemsInput),
}

/// Records the requests of a client.
#[derive(Clone, Debug, Default)]
pub(crate) struct Recorder(Arc<Mutex<Vec<Operation>>>);

impl Recorder {
    /// The requests since the last call.
    pub(crate) fn take(&self) -> Vec<Operation> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The writes since the last call.
    pub(crate) fn take_writes(&self) -> Vec<Operation> {
        self.take().into_iter().filter(Operation::is_write).collect()
    }
}

impl Intercept for Recorder {
    fn name(&self) -> &'static str {
        "Recorder"
    }

    fn read_before_serialization(
        &self,
        context: &BeforeSerializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let input = context.input();
        let get = || input.downcast_ref().cloned().map(Operation::Get);
        let batch = || input.downcast_ref().cloned().map(Operation::Batch);
        let query = || input.downcast_ref().cloned().map(Box::new).map(Operation::Query);
        let write = || input.downcast_ref().cloned().map(Operation::Write);
        let operation = get().or_else(batch).or_else(query).or_else(write);
        let operation = operation.ok_or("an operation that cannot be sent again")?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(operation);
        Ok(())
    }
}

/// Sends the requests of one request to the API: its reads at the same time, then its write.
pub(crate) async fn replay(client: &Client, operations: Vec<Operation>) {
    let (writes, reads): (Vec<_>, Vec<_>) = operations.into_iter().partition(Operation::is_write);
    join_all(reads.into_iter().map(|read| read.send(client))).await;
    for write in writes {
        write.send(client).await;
    }
}

impl Operation {
    const fn is_write(&self) -> bool {
        matches!(self, Self::Write(_))
    }

    /// Sends it, and reads the answer as the SDK does.
    async fn send(self, client: &Client) {
        match self {
            Self::Get(input) => {
                let request = client
                    .get_item()
                    .set_table_name(input.table_name)
                    .set_key(input.key)
                    .set_consistent_read(input.consistent_read)
                    .set_projection_expression(input.projection_expression)
                    .set_expression_attribute_names(input.expression_attribute_names)
                    .set_return_consumed_capacity(input.return_consumed_capacity);
                Box::pin(request.send()).await.unwrap();
            }
            Self::Batch(input) => {
                let request = client
                    .batch_get_item()
                    .set_request_items(input.request_items)
                    .set_return_consumed_capacity(input.return_consumed_capacity);
                Box::pin(request.send()).await.unwrap();
            }
            Self::Query(input) => {
                let request = client
                    .query()
                    .set_table_name(input.table_name)
                    .set_index_name(input.index_name)
                    .set_consistent_read(input.consistent_read)
                    .set_key_condition_expression(input.key_condition_expression)
                    .set_filter_expression(input.filter_expression)
                    .set_projection_expression(input.projection_expression)
                    .set_expression_attribute_names(input.expression_attribute_names)
                    .set_expression_attribute_values(input.expression_attribute_values)
                    .set_scan_index_forward(input.scan_index_forward)
                    .set_limit(input.limit)
                    .set_exclusive_start_key(input.exclusive_start_key)
                    .set_return_consumed_capacity(input.return_consumed_capacity);
                Box::pin(request.send()).await.unwrap();
            }
            Self::Write(input) => {
                let request = client
                    .transact_write_items()
                    .set_transact_items(input.transact_items)
                    .set_return_consumed_capacity(input.return_consumed_capacity);
                Box::pin(request.send()).await.unwrap();
            }
        }
    }
}
