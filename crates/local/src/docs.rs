//! Swagger UI, a page to read the OpenAPI document and try the API.

use axum::{Router, response::Redirect, routing::get};
use utoipa_swagger_ui::{Config, SwaggerUi};

/// Serves Swagger UI at `/docs`, over the document at `/api/openapi.json`, and redirects `/` to it.
///
/// All its files are in the binary, so neither the build nor the page needs a network.
pub fn docs() -> Router {
    // The validator is an external service, which would receive the document. By default Swagger UI
    // forgets credentials on reload, which suits init data that is mistyped or expired.
    let config = Config::from("/api/openapi.json").validator_url("none");
    let docs: Router = SwaggerUi::new("/docs").config(config).into();
    docs.route("/", get(async || Redirect::temporary("/docs")))
}
