//! Indexes of the table, which only the operators' tool adds.

use aws_sdk_dynamodb::types::{
    AttributeDefinition, CreateGlobalSecondaryIndexAction, GlobalSecondaryIndexUpdate, IndexStatus,
    KeySchemaElement, KeyType, Projection, ProjectionType, ScalarAttributeType,
};
use fracti_core::input::{Cause, Error};

use super::client::{Db, failure};

/// A table, as DynamoDB describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableState {
    /// Approximate number of rows, which DynamoDB counts about every six hours.
    pub rows: u64,
    /// Whether the requested index exists, and whether it can be used.
    pub index: IndexState,
}

/// Whether an index can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// There is none.
    Missing,
    /// DynamoDB is filling or deleting it.
    Changing,
    /// It can be used.
    Active,
}

impl Db {
    /// The state of the table and of its index `name`.
    pub(crate) async fn state(&self, name: &str) -> Result<TableState, Error> {
        let request = self.client.describe_table().table_name(&*self.table);
        let table = Box::pin(request.send()).await.map_err(failure)?.table;
        let rows = table.as_ref().and_then(|table| u64::try_from(table.item_count?).ok());
        let indexes =
            table.into_iter().flat_map(|table| table.global_secondary_indexes.unwrap_or_default());
        let index = indexes.into_iter().find(|index| index.index_name.as_deref() == Some(name));
        let index = index.map_or(IndexState::Missing, |index| match index.index_status {
            Some(IndexStatus::Active) | None => IndexState::Active,
            Some(_) => IndexState::Changing,
        });
        Ok(TableState { rows: rows.unwrap_or_default(), index })
    }

    /// Adds the index `name` of all attributes, with the keys `<name>PK` and `<name>SK`.
    ///
    /// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/GSI.OnlineOps.html>
    pub(crate) async fn add_index(&self, name: &str) -> Result<(), Error> {
        let refused = |error: aws_sdk_dynamodb::error::BuildError| Error::Table(Cause::from(error));
        let keys = [("PK", KeyType::Hash), ("SK", KeyType::Range)];
        let keys = keys.map(|(key, key_type)| (format!("{name}{key}"), key_type));
        let (mut schema, mut attributes) = (Vec::new(), Vec::new());
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
        Box::pin(request.send()).await.map_err(failure)?;
        Ok(())
    }
}
