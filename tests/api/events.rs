//! The sample events of `events/`: each goes through `lambda_http` into the function that serves
//! it.

use std::{
    collections::BTreeSet,
    fs,
    sync::atomic::{AtomicU8, Ordering},
};

use axum::{Router, body::Body, http::Request};
use fracti_http::{App, service};
use fracti_local::FUNCTIONS;
use fracti_runtime::Random;
use fracti_tests::{
    events::{self, SCENE, SIGNED_AT, TOKEN, directory, samples},
    operations::operations,
};
use serde_json::Value;

use crate::harness::{Api, Reply, assert_current};

fn function(name: &str, app: &App) -> Router {
    let function = FUNCTIONS.iter().find(|function| function.name == name).unwrap();
    service((function.routes)(), app.clone())
}

/// The group, expense and settlement of the samples, with their ids.
pub(crate) async fn scene() -> Api {
    // The ids of each request are made of a different byte.
    let next = AtomicU8::new(1);
    let api =
        Api::of(TOKEN, Random::of(move |bytes| bytes.fill(next.fetch_add(1, Ordering::SeqCst))))
            .await;
    assert_eq!(api.now().millis(), SIGNED_AT);
    assert_eq!(events::scene(&api.router, api.now()).await, SCENE);
    api
}

/// Sends an event, as Lambda does.
pub(crate) async fn send(api: &Api, to: &str, event: &str) -> Reply {
    let (parts, body) = lambda_http::request::from_str(event).unwrap().into_parts();
    let request = Request::from_parts(parts, Body::from(body.to_vec()));
    api.send_to(&function(to, &api.app), request).await
}

#[test]
fn every_operation_has_a_sample_event() {
    let sampled: BTreeSet<_> = samples().into_iter().map(|sample| sample.operation.id).collect();
    let missing: Vec<_> =
        operations().iter().map(|it| it.id).filter(|id| !sampled.contains(id)).collect();
    assert_eq!(missing, ["getOpenApiDocument"], "operations without a file in events/");
}

#[test]
fn the_files_are_generated_from_the_list_of_operations() {
    for sample in samples() {
        let file = sample.file();
        let how = "UPDATE_FILES=1 cargo test --workspace --test api events::the_files";
        assert_current(file.to_str().unwrap(), &sample.generated(), how);
    }
}

#[tokio::test]
async fn every_sample_event_is_answered_by_its_function() {
    let files = fs::read_dir(directory()).unwrap();
    assert_eq!(files.count(), samples().len(), "an event file without a sample");
    for sample in samples() {
        let api = scene().await.telling("http://127.0.0.1:1");
        let event = sample.event();
        let reply = send(&api, sample.function, &event).await;
        assert_eq!(reply.status, sample.status, "{}: {}", sample.name, reply.text);
        assert!(reply.text.contains(sample.says), "{}: {}", sample.name, reply.text);
        let sent: Value = serde_json::from_str(&event).unwrap();
        let id = sent["requestContext"]["requestId"].as_str();
        assert_eq!(reply.header("x-request-id"), id, "{}: the gateway's id", sample.name);
        for other in FUNCTIONS.iter().filter(|other| other.name != sample.function) {
            let reply = send(&api, other.name, &event).await;
            let nowhere = (404, "ROUTE_NOT_FOUND");
            assert_eq!(reply.code(), nowhere, "{}: not served by {}", sample.name, other.name);
        }
    }
}
