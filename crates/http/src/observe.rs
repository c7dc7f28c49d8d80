//! What happens around every request: it gets an id, a line in the log, and where it fails a body that names it.

use std::{error::Error, sync::Arc, time::Instant};

use axum::{
    extract::{MatchedPath, RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderValue, header},
    middleware::Next,
    response::Response,
};
use fracti_core::{
    id::GroupId,
    table::{TableCost, metered},
};
use lambda_http::request::RequestContext;

use crate::{Problem, caller::PathParam};

/// Serves one request, and tells the log about it: one line, with the whole chain of causes where it failed inside.
///
/// The line says what the request asked of DynamoDB: requests, round trips (requests that ran at once count once), and
/// capacity units. It has no init data, no token and no body.
pub(crate) async fn observe(
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = request_id(&request);
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    // Only what is an id: the path is a client's text, and may be anything.
    let group = params.as_ref().ok().and_then(|params| {
        let (_, group) = params.iter().find(|(name, _)| *name == GroupId::NAME)?;
        group.parse::<GroupId>().ok().map(|group| group.to_string())
    });

    let (mut response, cost) = metered(next.run(request)).await;
    let problem = response.extensions_mut().remove::<Arc<Problem>>();
    if let Some(problem) = &problem {
        let headers = response.headers().clone();
        response = problem.render(&id);
        // An inner layer's word, like which methods a path has.
        response
            .headers_mut()
            .extend(headers.into_iter().filter(|(name, _)| *name == Some(header::ALLOW)));
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    // A cache that knows a response by its path would show it to others.
    for (name, value) in [
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
        (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    ] {
        response.headers_mut().insert(name, value);
    }

    response.extensions_mut().insert(cost);

    let TableCost { requests, round_trips, read_units, write_units, .. } = cost;
    let cause = problem.as_ref().and_then(|problem| problem.cause()).map(chain);
    let status = response.status().as_u16();
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    if let Some(cause) = cause {
        tracing::error!(
            request_id = id, %method, route, group, status, duration_ms, requests, round_trips, read_units,
            write_units, cause,
            "request failed"
        );
    } else {
        tracing::info!(
            request_id = id, %method, route, group, status, duration_ms, requests, round_trips, read_units,
            write_units, "request"
        );
    }
    response
}

/// API Gateway's id of the request; on another server a new one.
fn request_id(request: &Request) -> String {
    let gateway = match request.extensions().get::<RequestContext>() {
        Some(RequestContext::ApiGatewayV2(context)) => context.request_id.clone(),
        _ => None,
    };
    gateway.unwrap_or_else(|| uuid::Uuid::now_v7().to_string())
}

/// An error and all that it came from, in one line.
fn chain(error: &(dyn Error + Send + Sync)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
