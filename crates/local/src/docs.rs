//! The page on which a person reads the OpenAPI document and tries the API.

use axum::Router;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// Serves Swagger UI at `/docs`, over the document at `/api/openapi.json`.
///
/// All of it is in the binary: neither building nor reading it needs a network.
pub fn docs() -> Router {
    // The validator is a service that would be sent the document.
    let config =
        Config::from("/api/openapi.json").validator_url("none").persist_authorization(true);
    SwaggerUi::new("/docs").config(config).into()
}
