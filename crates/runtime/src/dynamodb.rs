//! DynamoDB clients and their timeouts.
//!
//! "Deadlines" in `docs/architecture.md` has all limits of time, with reasons.
//!
//! The retry mode is the SDK's standard mode, whose retry quota keeps a client from adding load to
//! a table that is down. The adaptive mode would delay requests of all groups when one group's
//! partition is throttled.

use std::time::Duration;

use aws_config::{
    BehaviorVersion, ConfigLoader, Region, SdkConfig,
    environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider},
    meta::{credentials::CredentialsProviderChain, region::RegionProviderChain},
    profile::{ProfileFileCredentialsProvider, ProfileFileRegionProvider},
    provider_config::ProviderConfig,
    retry::RetryConfig,
    timeout::TimeoutConfig,
};
use aws_sdk_dynamodb::{
    Client,
    config::{Credentials, ProvideCredentials, SharedHttpClient},
};

use crate::tls;

const LOCAL_REGION: Region = Region::from_static("eu-central-1");

/// Configuration for AWS, with credentials and region from the environment, the profile or the role
/// of the machine.
pub(crate) async fn config_for_aws(http: SharedHttpClient) -> SdkConfig {
    let mut config = config(http);
    let variables = EnvironmentVariableCredentialsProvider::new();
    // The default providers begin with the variables, which a function has. But they would also
    // make a client of STS, in each cold start.
    if variables.provide_credentials().await.is_ok() {
        config = config.credentials_provider(variables);
    }
    config.load().await
}

/// Configuration from the environment, with our timeouts and retries.
fn config(http: SharedHttpClient) -> ConfigLoader {
    aws_config::defaults(BehaviorVersion::latest())
        .http_client(http)
        .timeout_config(timeouts())
        .retry_config(retries())
}

/// A client of the DynamoDB of the AWS region, with credentials and region from the environment,
/// the profile or the role of the machine.
pub async fn dynamodb() -> Client {
    Client::new(&config_for_aws(tls::trusting_amazon()).await)
}

/// A client of the DynamoDB at `endpoint`, with credentials and region from the environment or the
/// profile.
///
/// If neither has any, the client uses placeholders, which a local engine accepts.
pub async fn dynamodb_at(endpoint: &str) -> Client {
    let http = tls::trusting_system();
    let of_profile = ProviderConfig::default().with_http_client(http.clone());
    let credentials = CredentialsProviderChain::first_try(
        "environment",
        EnvironmentVariableCredentialsProvider::new(),
    )
    .or_else("profile", ProfileFileCredentialsProvider::builder().configure(&of_profile).build())
    .or_else("local", local_credentials());
    let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
        .or_else(ProfileFileRegionProvider::new())
        .or_else(LOCAL_REGION);
    let config =
        config(http).credentials_provider(credentials).region(region).endpoint_url(endpoint);
    Client::new(&config.load().await)
}

/// A client of the local engine at `endpoint`.
#[must_use]
pub fn local_dynamodb(endpoint: &str) -> Client {
    Client::from_conf(
        aws_sdk_dynamodb::config::Builder::new()
            .behavior_version(BehaviorVersion::latest())
            .http_client(tls::trusting_amazon())
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
