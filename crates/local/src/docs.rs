//! The page on which a person reads the OpenAPI document and tries the API.

use axum::{Router, response::Redirect, routing::get};
use utoipa_swagger_ui::{Config, SwaggerUi};

/// Swagger UI at `/docs`, over the document at `/api/openapi.json`; `/` leads to it.
///
/// All of it is in the binary: neither building nor reading it needs a network.
pub fn docs() -> Router {
    // The validator is a service that would be sent the document.
    // Init data that was mistyped or has aged is forgotten with a reload, as Swagger UI does by default.
    let config = Config::from("/api/openapi.json").validator_url("none");
    let docs: Router = SwaggerUi::new("/docs").config(config).into();
    docs.route("/", get(async || Redirect::temporary("/docs")))
}
