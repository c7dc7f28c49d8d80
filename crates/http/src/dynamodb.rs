//! Clients of DynamoDB, and how patient they are.
//!
//! DynamoDB answers within milliseconds or not at all, so an attempt is given up early and made again soon. An attempt
//! that is made again carries the same `ClientRequestToken`, which the SDK makes once an operation: a write
//! whose answer was lost is not done twice.
//! <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html>
//!
//! | what                  | at the most | why |
//! |-----------------------|-------------|-----|
//! | a function            | 10 s        | `TimeoutSeconds` of the template |
//! | a request             | 8.5 s       | leaves time to answer 503; see [`App::deadline`](crate::App::deadline) |
//! | an operation          | 5 s         | one that hangs leaves a request time for another one |
//! | an attempt            | 1.5 s       | three that hang are an operation |
//! | connecting            | 1 s         | a part of the attempt |
//! | attempts              | 5           | refused at once, all are made within 0.75 s |
//! | pause between them    | 0.4 s       | 50, 100, 200, 400 ms, each with full jitter |
//!
//! The retry mode is the SDK's standard one, whose quota keeps a client from adding load to a table that answers nobody. Not
//! the adaptive one: it would delay the requests of all groups where one group's partition is throttled.

use std::time::Duration;

use aws_config::{
    BehaviorVersion, ConfigLoader, Region,
    environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider},
    meta::{credentials::CredentialsProviderChain, region::RegionProviderChain},
    profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider},
    retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_sdk_dynamodb::{Client, config::Credentials};

const LOCAL_REGION: Region = Region::from_static("eu-central-1");

/// What the environment says, and our patience.
pub(crate) fn config() -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .timeout_config(timeouts())
        .retry_config(retries())
}

/// A client of the DynamoDB at `endpoint`, with the credentials and the region of the environment or the profile.
///
/// Where there are none it takes made-up ones, which an engine on this machine accepts.
pub async fn dynamodb_at(endpoint: &str) -> Client {
    let credentials = CredentialsProviderChain::first_try(
        "environment",
        EnvironmentVariableCredentialsProvider::new(),
    )
    .or_else("profile", ProfileFileCredentialsProvider::builder().build())
    .or_else("local", local_credentials());
    let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
        .or_else(ProfileFileRegionProvider::new())
        .or_else(LOCAL_REGION);
    let config = config().credentials_provider(credentials).region(region).endpoint_url(endpoint);
    Client::new(&config.load().await)
}

/// A client of the engine at `endpoint` on this machine.
#[must_use]
pub fn local_dynamodb(endpoint: &str) -> Client {
    Client::from_conf(
        aws_sdk_dynamodb::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .credentials_provider(local_credentials())
            .region(LOCAL_REGION)
            .endpoint_url(endpoint)
            .timeout_config(timeouts())
            .retry_config(retries())
            .build(),
    )
}

fn local_credentials() -> Credentials {
    Credentials::new("local", "local", None, None, "local")
}

fn timeouts() -> TimeoutConfig {
    TimeoutConfig::builder()
        .connect_timeout(Duration::from_secs(1))
        .operation_attempt_timeout(Duration::from_millis(1_500))
        .operation_timeout(Duration::from_secs(5))
        .build()
}

fn retries() -> RetryConfig {
    RetryConfig::standard()
        .with_max_attempts(5)
        .with_initial_backoff(Duration::from_millis(50))
        .with_max_backoff(Duration::from_millis(400))
}
