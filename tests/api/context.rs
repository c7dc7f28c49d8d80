//! The context of a request: its time, id and principal are determined once.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use axum::{
    body::Body,
    http::{Method, Request},
};
use fracti_http::{Routes, service};
use fracti_local::{FUNCTIONS, Function, routes};
use fracti_runtime::Clock;
use fracti_store::TableCost;
use fracti_tests::events::samples;
use serde_json::Value;
use tower::ServiceExt;

use crate::{events, harness::Api};

#[tokio::test]
async fn every_request_reads_the_clock_once() {
    for sample in samples() {
        let mut api = events::scene().await;
        let now = api.now();
        let reads = Arc::new(AtomicUsize::new(0));
        let counter = reads.clone();
        api.app.clock = Clock::of(move || {
            counter.fetch_add(1, Ordering::SeqCst);
            now
        });
        let reply = events::send(&api, sample.function, &sample.event()).await;
        assert_eq!(reply.status, sample.status, "{}: {}", sample.name, reply.text);
        assert_eq!(reads.load(Ordering::SeqCst), 1, "{}", sample.name);
    }
}

/// Every operation of the document, as method, path and whether it needs authentication.
fn operations() -> Vec<(Method, String, bool)> {
    let item = |(path, item): (&String, &Value)| {
        let operations = item.as_object().unwrap().iter();
        let operation = |(method, operation): (&String, &Value)| {
            let method: Method = method.to_uppercase().parse().unwrap();
            (method, path.clone(), operation["security"].is_null())
        };
        operations.map(operation).collect::<Vec<_>>()
    };
    let document = serde_json::to_value(routes().into_openapi()).unwrap();
    document["paths"].as_object().unwrap().iter().flat_map(item).collect()
}

#[tokio::test]
async fn authentication_is_required_exactly_where_the_document_says_so() {
    let api = Api::new().await;
    assert_eq!(operations().iter().filter(|(.., needed)| !needed).count(), 4);
    for (method, path, needed) in operations() {
        // The router serves HEAD with the handler of GET.
        let head = (method == Method::GET).then_some(Method::HEAD);
        for method in [method].into_iter().chain(head) {
            let request = Request::builder().method(&method).uri(&path).body(Body::empty());
            let response = api.router.clone().oneshot(request.unwrap()).await.unwrap();
            assert_eq!(response.status(), if needed { 401 } else { 200 }, "{method} {path}");
            let cost = response.extensions().get::<TableCost>().unwrap();
            assert_eq!(cost.requests, 0, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn a_route_outside_of_the_document_has_no_principal() {
    let api = Api::new().await;
    let undocumented = |function: &Function| {
        let mut routes = Routes::new();
        routes.router = (function.routes)().router;
        service(routes, api.app.clone())
    };
    let router = undocumented(&FUNCTIONS[0]);
    let alice = api.user(1, "Alice").request(Method::GET, "/api/groups");
    let reply = api.send_to(&router, alice.body(Body::empty()).unwrap()).await;
    assert_eq!(reply.code(), (401, "NO_CREDENTIALS"), "{}", reply.text);
}
