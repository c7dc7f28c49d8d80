//! The layer that writes the log of a request, renders problems, and adds the headers of every
//! response.

use std::sync::Arc;

use axum::{
    extract::{MatchedPath, RawPathParams, Request, rejection::RawPathParamsRejection},
    http::{HeaderName, HeaderValue, header},
    middleware::Next,
    response::Response,
};
use fracti_core::{input::FailureKind, values::id::TokenId};
use fracti_runtime::{Measured, measured, with_causes};
use fracti_store::TableCost;

use crate::{
    caller::{
        context::Context,
        quotas::{RATE_LIMIT, RATE_LIMIT_POLICY},
    },
    layers::authentication::FundsCaller,
    request::path::{funds_in, group_in},
    response::{language::AcceptLanguage, problem::Problem},
};

/// Serves a request and writes one log line about it, and one more for each unreadable row that it
/// left out, with `request_id`, `kind`, `cause` and the key of the row, `pk` and `sk`.
///
/// | field | value |
/// |---|---|
/// | `request_id` | also in the response |
/// | `method`, `route`, `status`, `duration_ms` | `route` is like `/api/groups/{groupId}` |
/// | `code`, `limit` | the error code of a refusal or a failure; the limit that was hit |
/// | `group_id` | the group in the path, if its id is valid |
/// | `token_id` | id of the API token, if the request was made by one |
/// | `user_id` | of a request about funds: who made it |
/// | `owner_id`, `transaction_id` | whose funds the path names, and which transaction |
/// | `requests`, `round_trips` | requests to DynamoDB; parallel ones are one round trip |
/// | `read_units`, `write_units` | consumed capacity |
/// | `kind`, `cause` | of a failure of the service: its kind and its chain of causes |
///
/// Init data, tokens, bodies and whole paths are never logged.
pub(crate) async fn observe(
    Context { request_id: id, .. }: Context,
    AcceptLanguage(language): AcceptLanguage,
    params: Result<RawPathParams, RawPathParamsRejection>,
    request: Request,
    next: Next,
) -> Response {
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    // A valid id only: anything else in the path may be private.
    let group_id = params.as_ref().ok().and_then(group_in).map(|group| group.to_string());

    let (mut response, measured) = measured(next.run(request)).await;
    let problem = response.extensions_mut().remove::<Arc<Problem>>();
    let token_id = response.extensions().get::<TokenId>().map(ToString::to_string);
    let caller = response.extensions().get::<FundsCaller>().map(|caller| caller.0);
    let named = caller.zip(params.as_ref().ok()).map(|(caller, params)| funds_in(params, caller));
    let (owner_id, transaction_id) = named.unwrap_or_default();
    let user_id = caller.map(|id| id.to_string());
    let owner_id = owner_id.map(|id| id.to_string());
    let transaction_id = transaction_id.map(|id| id.to_string());
    if let Some(problem) = &problem {
        let headers = response.headers().clone();
        response = problem.render(&id, language);
        let kept = headers.into_iter().filter(|(name, _)| name.as_ref().is_some_and(is_kept));
        response.headers_mut().extend(kept);
    }
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert("x-request-id", id);
    }
    // A shared cache would serve one user's response to another, unless the handler says otherwise.
    let caching = response.headers_mut().entry(header::CACHE_CONTROL);
    caching.or_insert(HeaderValue::from_static("no-store"));
    let name = header::X_CONTENT_TYPE_OPTIONS;
    let value = HeaderValue::from_static("nosniff");
    response.headers_mut().insert(name, value);

    measured.warn(&id);
    let Measured { duration_ms, cost, .. } = measured;
    response.extensions_mut().insert(cost);
    let TableCost { requests, round_trips, read_units, write_units, .. } = cost;
    let status = response.status().as_u16();
    let code = problem.as_ref().map(|problem| problem.code().word());
    let limit = problem.as_ref().and_then(|it| it.limit()).map(|limit| limit.to_string());
    if let Some(failure) = problem.as_ref().and_then(|problem| problem.failure()) {
        let kind = failure.failure().map(FailureKind::as_str);
        let cause = with_causes(failure);
        tracing::error!(
            request_id = &*id, %method, route, group_id, token_id, user_id, owner_id,
                transaction_id,
            status, code, limit, duration_ms, requests, round_trips, read_units, write_units, kind,
            cause, "request failed"
        );
    } else {
        tracing::info!(
            request_id = &*id, %method, route, group_id, token_id, user_id, owner_id,
                transaction_id,
            status, code, limit, duration_ms, requests, round_trips, read_units, write_units,
            "request served"
        );
    }
    response
}

/// Whether a problem's response has the header besides those of the problem: the router sets
/// `Allow`, and the layer of the quotas the others.
fn is_kept(name: &HeaderName) -> bool {
    [header::ALLOW, RATE_LIMIT, RATE_LIMIT_POLICY].contains(name)
}
