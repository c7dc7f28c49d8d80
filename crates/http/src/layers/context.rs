//! The layer that creates the context of each request.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use lambda_http::request::RequestContext;

use crate::{app::App, caller::context::Context};

/// Adds the context of the request, without a principal.
pub(crate) async fn make(State(app): State<App>, mut request: Request, next: Next) -> Response {
    let request_id = request_id(&request).into();
    let context = Context { now: app.clock.now(), request_id, reads: false, principal: None };
    request.extensions_mut().insert(context);
    next.run(request).await
}

/// The request id of API Gateway, or a new one if the request did not come through it.
fn request_id(request: &Request) -> String {
    let gateway = match request.extensions().get::<RequestContext>() {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
        _ => None,
    };
    gateway.unwrap_or_else(|| uuid::Uuid::now_v7().to_string())
}
