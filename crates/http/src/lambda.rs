//! The Lambda event loop, which accepts every event that a client can cause.

use std::fmt::Write;

use axum::{Router, http::header};
use lambda_http::{
    Adapter, Error, LambdaEvent, Service, lambda_runtime, request::LambdaRequest, service_fn,
};

/// Serves API Gateway events with `router` until Lambda stops the process.
///
/// A function has one event at a time and less than one CPU, so its runtime needs no more than one
/// thread. Each further one would be started in a cold start.
///
/// `lambda_http` builds a URL from each event and panics if it is invalid. A quote in a query would
/// therefore end the function; this loop percent-encodes such characters first.
///
/// # Errors
///
/// An error of the Lambda runtime API.
pub async fn run(router: Router) -> Result<(), Error> {
    let adapter = Adapter::from(router);
    let answer = service_fn(move |event| adapter.clone().call(well_formed(event)));
    lambda_runtime::run(answer).await
}

/// Encodes or removes the parts of an event that are invalid in a URL.
fn well_formed(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV2(request) = &mut event.payload {
        for part in [&mut request.raw_path, &mut request.raw_query_string].into_iter().flatten() {
            *part = encoded(part);
        }
        // No handler reads these headers. Without them, `lambda_http` uses the gateway's host in
        // the URL.
        for name in [header::HOST.as_str(), "x-forwarded-proto"] {
            request.headers.remove(name);
        }
    }
    event
}

/// Percent-encodes characters that are invalid in a path or a query, or that would split it.
fn encoded(text: &str) -> String {
    text.bytes().fold(String::with_capacity(text.len()), |mut encoded, byte| {
        if byte.is_ascii_graphic() && !b"\"#<>?\\".contains(&byte) {
            encoded.push(byte.into());
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
        encoded
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambda_http::Context;
    use serde_json::{Value, json};

    const EVENT: &str = include_str!("../../../events/list-expenses.json");

    /// The path and query that the router gets for an event with `value` in `field`.
    fn routed(field: &str, value: &str) -> String {
        let mut event: Value = serde_json::from_str(EVENT).unwrap();
        event["rawPath"] = json!("/api/groups");
        *event.pointer_mut(field).unwrap() = json!(value);
        let request: LambdaRequest = serde_json::from_value(event).unwrap();
        let event = well_formed(LambdaEvent::new(request, Context::default()));
        let request: lambda_http::Request = event.payload.into();
        request.uri().path_and_query().unwrap().to_string()
    }

    #[test]
    fn characters_that_are_invalid_in_a_url_are_encoded() {
        for (field, value, path) in [
            ("/rawQueryString", "limit=5&cursor=a%2Bb", "/api/groups?limit=5&cursor=a%2Bb"),
            ("/rawQueryString", "limit=\"5\"", "/api/groups?limit=%225%22"),
            ("/rawQueryString", "<script> \\ #\n\0", "/api/groups?%3Cscript%3E%20%5C%20%23%0A%00"),
            ("/rawQueryString", "a?b=é", "/api/groups?a%3Fb=%C3%A9"),
            ("/rawQueryString", "", "/api/groups"),
            ("/rawPath", "/api/groups/a b", "/api/groups/a%20b?limit=5"),
            ("/rawPath", "/api/groups/G?limit=1#x", "/api/groups/G%3Flimit=1%23x?limit=5"),
            ("/rawPath", "/api\\groups", "/api%5Cgroups?limit=5"),
            ("/rawPath", "/api/groups/\0", "/api/groups/%00?limit=5"),
            ("/headers/host", "evil:99999", "/api/groups?limit=5"),
            ("/headers/host", "", "/api/groups?limit=5"),
            ("/headers/host", "a b", "/api/groups?limit=5"),
            ("/headers/x-forwarded-proto", "", "/api/groups?limit=5"),
            ("/headers/x-forwarded-proto", "a b", "/api/groups?limit=5"),
        ] {
            assert_eq!(routed(field, value), path, "{field} {value:?}");
        }
    }
}
