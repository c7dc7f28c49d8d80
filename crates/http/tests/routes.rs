//! Routes whose requests are not sent by users, and pages that are not in the OpenAPI document.

#![expect(clippy::unwrap_used, reason = "a test stops where it fails")]
use std::time::Duration;

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, header},
    response::{Html, IntoResponse},
};
use fracti_core::{
    caller::telegram::{self, User},
    values::{id::UserId, time::Timestamp},
};
use fracti_http::{App, Caller, Data, Routes, Sender, Webhook, openapi, routes, service};
use fracti_runtime::{BotToken, Clock, local_dynamodb};
use fracti_store::Table;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

const TOKEN: &str = "1:test";
const SECRET: &str = "x-telegram-bot-api-secret-token";

/// Take an update.
#[utoipa::path(
    post, path = "/api/test/webhook", tag = "test",
    responses((status = OK, body = Data<bool>))
)]
async fn take_update(_: Webhook) -> Data<bool> {
    Data::new(true)
}

async fn shell() -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "public, max-age=60")], Html("<p>1e0</p>"))
}

async fn screen(Caller(user, ()): Caller) -> Html<String> {
    Html(format!("<p>{}</p>", user.name))
}

fn all() -> Routes {
    Routes::new()
        .routes_for(Sender::Telegram, routes!(take_update))
        .page(Sender::Anyone, "/app/{*path}", shell)
        .page(Sender::User, "/screens/groups", screen)
}

fn router() -> Router {
    // No request of these tests reaches the table.
    let table = Table::new(local_dynamodb("http://127.0.0.1:1"), "FractiTable");
    let app = App::new(table, BotToken::new(TOKEN), Duration::from_hours(1));
    service(all(), app)
}

async fn send(request: Request<Body>) -> (StatusCode, HeaderMap, String) {
    let (parts, body) = router().oneshot(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    (parts.status, parts.headers, String::from_utf8(body.to_vec()).unwrap())
}

fn get(path: &str) -> axum::http::request::Builder {
    Request::get(path)
}

/// Init data of a user, signed now.
fn signed_in() -> String {
    let user = User {
        id: UserId::new(1).unwrap(),
        name: "Alice".to_owned(),
        username: None,
        avatar_url: None,
    };
    let now: Timestamp = Clock::system().now();
    format!("tma {}", telegram::sign(&user, TOKEN, now))
}

#[tokio::test]
async fn webhook_takes_only_the_secret_of_the_bot() {
    let secret = telegram::webhook_secret(TOKEN);
    let other = telegram::webhook_secret("2:other");
    let upper = secret.to_uppercase();
    let user = signed_in();
    let cases: [(&[(&str, &str)], u16); 8] = [
        (&[(SECRET, &secret)], 200),
        (&[(SECRET, &upper)], 200),
        (&[(SECRET, &secret), (SECRET, &secret)], 401),
        (&[(SECRET, &other)], 401),
        (&[(SECRET, &secret[..62])], 401),
        (&[(SECRET, "")], 401),
        (&[], 401),
        (&[("authorization", &user)], 401),
    ];
    for (headers, status) in cases {
        let mut request = Request::post("/api/test/webhook");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (answered, _, body) = send(request.body(Body::empty()).unwrap()).await;
        assert_eq!(answered.as_u16(), status, "{headers:?}: {body}");
    }
}

#[tokio::test]
async fn secret_of_the_webhook_is_no_credential_of_a_user() {
    let secret = telegram::webhook_secret(TOKEN);
    let request = get("/screens/groups").header(SECRET, secret).body(Body::empty());
    assert_eq!(send(request.unwrap()).await.0, 401);
}

#[tokio::test]
async fn page_is_served_as_its_handler_answers() {
    let (status, headers, body) = send(get("/app/groups/1").body(Body::empty()).unwrap()).await;
    assert_eq!((status.as_u16(), &*body), (200, "<p>1e0</p>"));
    assert_eq!(headers[header::CACHE_CONTROL], "public, max-age=60");
    assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
    assert_eq!(headers[header::CONTENT_TYPE], "text/html; charset=utf-8");
}

#[tokio::test]
async fn page_of_a_user_needs_one_and_is_not_cached() {
    let refused = send(get("/screens/groups").body(Body::empty()).unwrap()).await;
    assert_eq!(refused.0, 401, "{}", refused.2);
    let request = get("/screens/groups").header(header::AUTHORIZATION, signed_in());
    let (status, headers, body) = send(request.body(Body::empty()).unwrap()).await;
    assert_eq!((status.as_u16(), &*body), (200, "<p>Alice</p>"));
    assert_eq!(headers[header::CACHE_CONTROL], "no-store");
}

#[test]
fn document_has_the_webhook_with_its_scheme_and_no_page() {
    let document = serde_json::to_value(openapi::document(all())).unwrap();
    let paths: Vec<_> = document["paths"].as_object().unwrap().keys().collect();
    assert_eq!(paths, ["/api/test/webhook"]);
    let operation = &document["paths"]["/api/test/webhook"]["post"];
    assert_eq!(operation["security"], json!([{ "webhook": [] }]));
    assert_eq!(operation["parameters"], json!([]));
    let statuses: Vec<_> = operation["responses"].as_object().unwrap().keys().collect();
    assert_eq!(statuses, ["200", "401", "429", "500", "503"]);
    let schemes = &document["components"]["securitySchemes"];
    assert_eq!(schemes["webhook"]["name"], "X-Telegram-Bot-Api-Secret-Token");
    let routes = all();
    let mut paths: Vec<_> = routes.paths().collect();
    paths.sort_unstable();
    assert_eq!(paths, ["/api/test/webhook", "/app/{*path}", "/screens/groups"]);

    let without = Routes::new().page(Sender::Anyone, "/app/{*path}", shell);
    let document = serde_json::to_value(openapi::document(without)).unwrap();
    assert_eq!(document["components"]["securitySchemes"]["webhook"], Value::Null);
}
