//! Swagger UI, a page to read the OpenAPI document and try the API.

use axum::{
    Router,
    body::{Body, to_bytes},
    http::header,
    middleware::map_response,
    response::{Redirect, Response},
    routing::get,
};
use fracti_http::openapi::DOCUMENT;
use serde_json::Value;
use utoipa_swagger_ui::{Config, SwaggerUi};

/// The document as the page shows it.
const SHOWN: &str = "/docs/openapi.json";

/// Serves Swagger UI at `/docs`, and redirects `/` to the Mini App.
///
/// All its files are in the binary, so neither the build nor the page needs a network.
pub fn docs() -> Router {
    // The validator is an external service, which would receive the document. By default Swagger UI
    // forgets credentials on reload, which suits init data that is mistyped or expired.
    let config = Config::from(SHOWN).validator_url("none");
    let ui = SwaggerUi::new("/docs").config(config).external_url_unchecked(SHOWN, shown());
    let docs: Router = ui.into();
    docs.layer(map_response(titled)).route("/", get(async || Redirect::temporary("/app")))
}

/// The document at `/api/openapi.json` without the examples of optional parameters: Swagger UI
/// would send them, so that a filter finds nothing.
fn shown() -> Value {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap_or_default();
    let mut shown = document.clone();
    let paths = shown.get_mut("paths").and_then(Value::as_object_mut).into_iter().flatten();
    let operations = paths.filter_map(|(_, path)| path.as_object_mut()).flatten();
    let parameters = operations.filter_map(|(_, it)| it.get_mut("parameters")?.as_array_mut());
    for parameter in parameters.flatten() {
        let mut own = resolved(&document, parameter);
        if own.get("in").is_some_and(|place| place == "path") {
            continue;
        }
        if let Some(schema) = own.get_mut("schema") {
            *schema = resolved(&document, schema);
            schema.as_object_mut().and_then(|schema| schema.remove("example"));
        }
        own.as_object_mut().and_then(|own| own.remove("example"));
        *parameter = own;
    }
    shown
}

/// The part of the document to which a part refers.
fn resolved(document: &Value, part: &Value) -> Value {
    let reference = part.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
    reference.and_then(|it| document.pointer(it)).unwrap_or(part).clone()
}

/// Names the page after the API.
async fn titled(response: Response) -> Response {
    let (mut parts, body) = response.into_parts();
    if parts.headers.get(header::CONTENT_TYPE).is_none_or(|it| it != "text/html") {
        return Response::from_parts(parts, body);
    }
    let page = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let page = String::from_utf8_lossy(&page);
    let page = page.replace("<title>Swagger UI</title>", "<title>Fracti API</title>");
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::from(page))
}
