//! CORS with the configuration of the deployed API.

use std::time::Duration;

use axum::http::{HeaderName, Method};
use serde::{Deserialize, Deserializer, de::Error};
use tower_http::cors::{Any, CorsLayer};

use crate::template::{Resource, TemplateError, resources};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Resources {
    http_api: Resource<HttpApi>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct HttpApi {
    cors_configuration: Cors,
}

/// The template's `CorsConfiguration`, without its origins.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Cors {
    #[serde(deserialize_with = "parsed")]
    allow_methods: Vec<Method>,
    #[serde(deserialize_with = "parsed")]
    allow_headers: Vec<HeaderName>,
    #[serde(deserialize_with = "parsed")]
    expose_headers: Vec<HeaderName>,
    /// Seconds for which a browser caches a preflight response.
    max_age: u64,
}

/// The CORS layer of the local server: the methods, headers and `max-age` of `template.yaml`, and
/// any origin, because a Mini App under development is served from another port.
///
/// # Errors
///
/// [`TemplateError`] if the template has no such configuration.
pub fn cors() -> Result<CorsLayer, TemplateError> {
    let cors = resources::<Resources>()?.http_api.properties.cors_configuration;
    Ok(CorsLayer::new()
        .allow_origin(Any)
        .allow_methods(cors.allow_methods)
        .allow_headers(cors.allow_headers)
        .expose_headers(cors.expose_headers)
        .max_age(Duration::from_secs(cors.max_age)))
}

fn parsed<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: std::str::FromStr<Err: std::fmt::Display>,
{
    let names = Vec::<String>::deserialize(deserializer)?;
    names.iter().map(|name| name.parse().map_err(Error::custom)).collect()
}
