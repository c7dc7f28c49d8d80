//! The database under a test: the embedded engine, or the DynamoDB that [`ENDPOINT`] names.
//!
//! Amazon publishes a DynamoDB of its own for tests, DynamoDB Local. Unless it runs with
//! `-sharedDb` it keeps the tables of each access key id apart, so each [`Database`] has an access
//! key id of its own and starts empty. Tests run in parallel over it as they do over embedded
//! engines.
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/DynamoDBLocal.UsageNotes.html>

use std::{
    collections::VecDeque,
    env,
    sync::{LazyLock, Mutex, PoisonError},
    time::Duration,
};

use aws_sdk_dynamodb::client::Waiters;
use aws_sdk_dynamodb::{
    Client,
    config::{Credentials, retry::RetryPartition, timeout::TimeoutConfig},
};
use axum::{
    body::Body,
    http::{Request, header},
};
use fracti_local::{Engine, schema::Schema};
use fracti_runtime::local_dynamodb;
use http_body_util::BodyExt;
use hyper_util::client::legacy::{self, connect::HttpConnector};
use serde_json::Value;
use tokio::net::TcpListener;

use crate::faults::http;

/// The environment variable with the URL of the DynamoDB that tests use instead of the embedded
/// engine.
pub const ENDPOINT: &str = "FRACTI_TEST_DYNAMODB";

/// The access key id of embedded engines. Each engine has one table for all access keys.
const EMBEDDED: &str = "local";

/// The name of the table.
pub const TABLE: &str = "FractiTable";

/// Access key ids of tests that ended. DynamoDB Local keeps several threads for each one it has
/// seen, so a few ids serve all tests.
static ENDED: Mutex<VecDeque<String>> = Mutex::new(VecDeque::new());

/// Access key ids that wait before one is used again: a late request of its last test has arrived
/// by then.
const WAITING: usize = 8;

/// The schema of the table, which all tests share because the template takes some time to read.
static SCHEMA: LazyLock<Schema> = LazyLock::new(|| Schema::from_template().unwrap());

/// Maximum time that DynamoDB Local may take to delete a table.
const DELETION: Duration = Duration::from_mins(1);

/// A DynamoDB with the table of the template. The table is empty and belongs to one test.
#[derive(Debug)]
pub struct Database {
    /// A client with the timeouts and retries of production.
    pub client: Client,
    endpoint: String,
    access_key_id: String,
    engine: Option<Engine>,
    http: legacy::Client<HttpConnector, Body>,
}

/// The URL of the DynamoDB that tests use instead of the embedded engine, if there is one.
#[must_use]
pub fn external() -> Option<String> {
    env::var(ENDPOINT).ok().filter(|url| !url.is_empty())
}

impl Database {
    /// Starts an embedded engine, or uses the DynamoDB of [`ENDPOINT`].
    ///
    /// # Panics
    ///
    /// If the engine or its table cannot be created.
    pub async fn start() -> Self {
        match external() {
            Some(endpoint) => Self::at(endpoint).await,
            None => Self::embedded().await,
        }
    }

    /// Starts an embedded engine: for tests of capacity units, which DynamoDB Local counts
    /// differently.
    ///
    /// # Panics
    ///
    /// If the engine or its table cannot be created.
    pub async fn embedded() -> Self {
        let engine = Engine::start(TcpListener::bind("127.0.0.1:0").await.unwrap(), None).unwrap();
        Self::with_table(engine.endpoint().to_owned(), EMBEDDED.to_owned(), Some(engine)).await
    }

    /// Uses the DynamoDB at a URL, with an access key id of its own.
    ///
    /// # Panics
    ///
    /// If there is no DynamoDB at the URL.
    pub async fn at(endpoint: String) -> Self {
        let ended = {
            let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
            if ended.len() < WAITING { None } else { ended.pop_front() }
        };
        if let Some(access_key_id) = ended {
            let client = patient(&client(&endpoint, &access_key_id));
            client.delete_table().table_name(TABLE).send().await.unwrap();
            let deleted = client.wait_until_table_not_exists().table_name(TABLE);
            deleted.wait(DELETION).await.unwrap();
            return Self::with_table(endpoint, access_key_id, None).await;
        }
        // DynamoDB Local allows letters and digits only.
        let random = std::iter::repeat_with(fastrand::alphanumeric).take(20).collect();
        Self::with_table(endpoint, random, None).await
    }

    async fn with_table(endpoint: String, access_key_id: String, engine: Option<Engine>) -> Self {
        let client = client(&endpoint, &access_key_id);
        let database = Self { client, endpoint, access_key_id, engine, http: http() };
        // Many tests create their tables at the same time.
        let client = database.patient_client();
        // Tests set the time themselves, so their rows may have expired by the server's clock.
        SCHEMA.create_without_ttl(&client, TABLE).await.unwrap();
        database
    }

    /// The URL.
    #[must_use]
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Creates another table, like that of the template.
    ///
    /// # Panics
    ///
    /// If it cannot be created.
    pub async fn create_table(&self, name: &str) {
        SCHEMA.create(&self.client, name).await.unwrap();
    }

    /// The access key id that sees the table.
    #[must_use]
    pub fn access_key_id(&self) -> &str {
        &self.access_key_id
    }

    /// Returns a client of the same table that reaches it through another URL.
    #[must_use]
    pub fn client_at(&self, endpoint: &str) -> Client {
        client(endpoint, &self.access_key_id)
    }

    /// Returns a client that waits for its answer however busy the machine is.
    #[must_use]
    pub fn patient_client(&self) -> Client {
        patient(&self.client)
    }

    /// Sends a request as it is, and returns the HTTP status and the body of the answer.
    ///
    /// # Panics
    ///
    /// If there is no answer, or it is not JSON.
    pub async fn ask(&self, operation: &str, body: &Value) -> (u16, Value) {
        // Neither engine checks the signature; DynamoDB Local needs the access key id.
        let authorization = format!(
            "AWS4-HMAC-SHA256 Credential={}/20260115/eu-central-1/dynamodb/aws4_request, \
             SignedHeaders=host;x-amz-date;x-amz-target, Signature=0",
            self.access_key_id
        );
        let request = Request::post(&self.endpoint)
            .header("x-amz-target", format!("DynamoDB_20120810.{operation}"))
            .header("x-amz-date", "20260115T120000Z")
            .header(header::AUTHORIZATION, authorization)
            .header(header::CONTENT_TYPE, "application/x-amz-json-1.0")
            .body(Body::from(body.to_string()));
        let (parts, body) = self.http.request(request.unwrap()).await.unwrap().into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        (parts.status.as_u16(), serde_json::from_slice(&body).unwrap())
    }

    /// Finishes the requests in progress and stops the embedded engine.
    pub async fn stop(mut self) {
        if let Some(engine) = self.engine.take() {
            engine.stop().await;
        }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.access_key_id != EMBEDDED {
            let mut ended = ENDED.lock().unwrap_or_else(PoisonError::into_inner);
            ended.push_back(self.access_key_id.clone());
        }
    }
}

/// Returns the same client without timeouts and with a retry quota of its own.
#[must_use]
pub fn patient(client: &Client) -> Client {
    let config = client.config().to_builder().timeout_config(TimeoutConfig::disabled());
    let partition = RetryPartition::new(format!("patient-{}", fastrand::u64(..)));
    Client::from_conf(config.retry_partition(partition).build())
}

fn client(endpoint: &str, access_key_id: &str) -> Client {
    let credentials = Credentials::new(access_key_id, "local", None, None, "test");
    let config = local_dynamodb(endpoint).config().to_builder();
    Client::from_conf(config.credentials_provider(credentials).build())
}
