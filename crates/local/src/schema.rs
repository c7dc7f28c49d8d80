//! The table of `template.yaml`, so that the local table and the one on AWS cannot differ.

use std::time::Duration;

use aws_sdk_dynamodb::{
    Client,
    error::BuildError,
    operation::{create_table::CreateTableError, describe_table::DescribeTableError},
    types::{
        AttributeDefinition, BillingMode, GlobalSecondaryIndex, KeySchemaElement, Projection,
        TableDescription, TableStatus, TimeToLiveSpecification,
    },
};
use serde::Deserialize;

use crate::template::{Resource, TemplateError, resources};

/// Maximum number of checks, one second apart, whether a new table is active.
const CHECKS: u32 = 60;

/// Error returned when the table cannot be created.
#[derive(Debug, thiserror::Error)]
pub enum SchemaError {
    /// The template has no table.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// DynamoDB refused a request.
    #[error("table {0} cannot be created: {1}")]
    Table(String, String),
    /// The table is another one than Fracti's.
    #[error("table {0} exists, but has not the {1} of template.yaml; it is of another program")]
    Other(String, String),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resources {
    fracti_table: Resource<Schema>,
}

/// Properties of a table, with the names of the template.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Schema {
    /// Attributes of all keys.
    pub attribute_definitions: Vec<Attribute>,
    /// The primary key.
    pub key_schema: Vec<Key>,
    /// The indexes.
    pub global_secondary_indexes: Vec<Index>,
    /// Time to live of rows.
    pub time_to_live_specification: TimeToLive,
}

/// An attribute that is part of a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Attribute {
    /// Its name.
    pub attribute_name: String,
    /// Its type, `S` for text.
    pub attribute_type: String,
}

/// A part of a key.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Key {
    /// The attribute.
    pub attribute_name: String,
    /// `HASH` or `RANGE`.
    pub key_type: String,
}

/// An index.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct Index {
    /// Its name.
    pub index_name: String,
    /// Its key.
    pub key_schema: Vec<Key>,
    /// Projected attributes.
    pub projection: IndexProjection,
}

/// Attributes that an index projects.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct IndexProjection {
    /// `ALL` for all attributes.
    pub projection_type: String,
}

/// Time to live of rows.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub struct TimeToLive {
    /// Attribute with the time at which a row expires.
    pub attribute_name: String,
}

impl Schema {
    /// The schema of `FractiTable` in `template.yaml`.
    ///
    /// # Errors
    ///
    /// [`SchemaError::Template`] if the template has no such table.
    pub fn from_template() -> Result<Self, SchemaError> {
        Ok(resources::<Resources>()?.fracti_table.properties)
    }

    /// Creates the table `name` if it does not exist, and waits until it is active. A table that
    /// exists gets the time to live of its rows if it has none.
    ///
    /// # Errors
    ///
    /// [`SchemaError::Table`] if DynamoDB cannot be reached or refuses a request;
    /// [`SchemaError::Other`] if the table has not the keys or the indexes of the template.
    pub async fn create(&self, client: &Client, name: &str) -> Result<(), SchemaError> {
        let is_new = self.create_without_ttl(client, name).await?;
        let expires = async {
            if is_new || !self.expires(client, name).await? {
                self.expire(client, name).await?;
            }
            Ok(())
        };
        expires.await.map_err(|error| SchemaError::Table(name.to_owned(), error))
    }

    /// Creates the table `name` if there is none, without the time to live of its rows, and waits
    /// until it is ready. Returns whether it was created.
    ///
    /// For tests with a clock of their own: a DynamoDB that deletes expired rows goes by the time
    /// of day.
    ///
    /// # Errors
    ///
    /// As [`Schema::create`].
    pub async fn create_without_ttl(
        &self,
        client: &Client,
        name: &str,
    ) -> Result<bool, SchemaError> {
        let refused = |error: String| SchemaError::Table(name.to_owned(), error);
        let described = client.describe_table().table_name(name).send().await;
        match described {
            Ok(described) => {
                self.check(name, described.table.as_ref())?;
                return Ok(false);
            }
            Err(error)
                if error
                    .as_service_error()
                    .is_some_and(DescribeTableError::is_resource_not_found_exception) => {}
            Err(error) => return Err(refused(display(&error))),
        }
        let (attributes, keys, indexes) =
            self.parts().map_err(|error| refused(error.to_string()))?;
        let created = client
            .create_table()
            .table_name(name)
            .billing_mode(BillingMode::PayPerRequest)
            .set_attribute_definitions(Some(attributes))
            .set_key_schema(Some(keys))
            .set_global_secondary_indexes(Some(indexes))
            .send()
            .await;
        // The table is in use if an attempt that seemed to fail has created it.
        if let Err(error) = created
            && !error.as_service_error().is_some_and(CreateTableError::is_resource_in_use_exception)
        {
            return Err(refused(display(&error)));
        }
        for _ in 0..CHECKS {
            let described = client.describe_table().table_name(name).send().await;
            let table = described.map_err(|error| refused(display(&error)))?.table;
            if table.and_then(|table| table.table_status) == Some(TableStatus::Active) {
                return Ok(true);
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
        Err(refused("the table is not active after 60 s".to_owned()))
    }

    /// Checks the keys of a table and of its indexes.
    fn check(&self, name: &str, table: Option<&TableDescription>) -> Result<(), SchemaError> {
        let differs = |part: &str| SchemaError::Other(name.to_owned(), part.to_owned());
        let has = |keys: &[Key], found: &[KeySchemaElement]| {
            let found = found.iter().map(|key| (key.attribute_name(), key.key_type().as_str()));
            keys.iter().map(|key| (key.attribute_name.as_str(), key.key_type.as_str())).eq(found)
        };
        if !has(&self.key_schema, table.map_or(&[], TableDescription::key_schema)) {
            return Err(differs("key"));
        }
        let indexes = table.map_or(&[][..], TableDescription::global_secondary_indexes);
        for index in &self.global_secondary_indexes {
            let found = indexes.iter().find(|it| it.index_name() == Some(&index.index_name));
            if !found.is_some_and(|found| has(&index.key_schema, found.key_schema())) {
                return Err(differs(&format!("index {}", index.index_name)));
            }
        }
        Ok(())
    }

    /// Whether the rows of a table have the time to live.
    async fn expires(&self, client: &Client, name: &str) -> Result<bool, String> {
        let described = client.describe_time_to_live().table_name(name).send().await;
        let described = described.map_err(|error| display(&error))?.time_to_live_description;
        let attribute = described.and_then(|described| described.attribute_name);
        Ok(attribute.as_ref() == Some(&self.time_to_live_specification.attribute_name))
    }

    async fn expire(&self, client: &Client, name: &str) -> Result<(), String> {
        let specification = TimeToLiveSpecification::builder()
            .attribute_name(&self.time_to_live_specification.attribute_name)
            .enabled(true)
            .build()
            .map_err(|error| error.to_string())?;
        let request = client.update_time_to_live().table_name(name);
        let sent = request.time_to_live_specification(specification).send().await;
        sent.map(|_| ()).map_err(|error| display(&error))
    }

    #[expect(clippy::type_complexity, reason = "the three parts of one request")]
    fn parts(
        &self,
    ) -> Result<
        (Vec<AttributeDefinition>, Vec<KeySchemaElement>, Vec<GlobalSecondaryIndex>),
        BuildError,
    > {
        let attribute = |attribute: &Attribute| {
            AttributeDefinition::builder()
                .attribute_name(&attribute.attribute_name)
                .attribute_type(attribute.attribute_type.as_str().into())
                .build()
        };
        let index = |index: &Index| {
            let projection = index.projection.projection_type.as_str().into();
            GlobalSecondaryIndex::builder()
                .index_name(&index.index_name)
                .set_key_schema(Some(keys(&index.key_schema)?))
                .projection(Projection::builder().projection_type(projection).build())
                .build()
        };
        Ok((
            self.attribute_definitions.iter().map(attribute).collect::<Result<_, _>>()?,
            keys(&self.key_schema)?,
            self.global_secondary_indexes.iter().map(index).collect::<Result<_, _>>()?,
        ))
    }
}

fn keys(keys: &[Key]) -> Result<Vec<KeySchemaElement>, BuildError> {
    let key = |key: &Key| {
        KeySchemaElement::builder()
            .attribute_name(&key.attribute_name)
            .key_type(key.key_type.as_str().into())
            .build()
    };
    keys.iter().map(key).collect()
}

fn display(error: &(dyn std::error::Error + 'static)) -> String {
    aws_sdk_dynamodb::error::DisplayErrorContext(error).to_string()
}
