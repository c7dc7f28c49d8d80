//! Lambda's event loop, for events as clients make them.

use std::fmt::Write;

use axum::{Router, http::header};
use lambda_http::{
    Adapter, Error, LambdaEvent, Service, lambda_runtime, request::LambdaRequest, service_fn,
};

/// Answers the events of API Gateway by `router`, for as long as Lambda wants.
///
/// `lambda_http` makes a URL of each event, and panics where that is none: a quote in a query would end the function.
///
/// # Errors
///
/// Where Lambda cannot be asked for events.
pub async fn run(router: Router) -> Result<(), Error> {
    let adapter = Adapter::from(router);
    let answer = service_fn(move |event| adapter.clone().call(well_formed(event)));
    lambda_runtime::run(answer).await
}

/// The event without what cannot stand in a URL.
fn well_formed(mut event: LambdaEvent<LambdaRequest>) -> LambdaEvent<LambdaRequest> {
    if let LambdaRequest::ApiGatewayV2(request) = &mut event.payload {
        for part in [&mut request.raw_path, &mut request.raw_query_string].into_iter().flatten() {
            *part = encoded(part);
        }
        // No route asks for them; without them the gateway's own name stands in the URL.
        for name in [header::HOST.as_str(), "x-forwarded-proto"] {
            request.headers.remove(name);
        }
    }
    event
}

/// Percent-encodes what has no place in a path or a query, or another meaning there than the gateway saw.
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

    /// The path and the query that a router gets of the event with this field.
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
    fn every_event_is_a_request() {
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
