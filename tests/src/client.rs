//! The HTTP client of the tests: requests to a router of this process, or to a server.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, Response, StatusCode, Uri, header, request::Builder},
};
use fracti_core::{
    caller::telegram::{self, User},
    values::{id::UserId, time::Timestamp},
};
use fracti_store::TableCost;
use http_body_util::BodyExt;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use serde_json::{Map, Value};
use tower::ServiceExt;

use crate::faults::http;

/// A destination of requests.
#[derive(Clone, Debug)]
pub enum Transport {
    /// A router of this process.
    Router(Router),
    /// A server, by its address like `http://127.0.0.1:3000`.
    Server(Box<Client<HttpConnector, Body>>, String),
}

/// A response.
#[derive(Clone, Debug)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body as it was sent.
    pub text: String,
    /// The body; null if it is CSV or HTML.
    pub body: Value,
    /// The cost at the table, which a server does not tell.
    pub cost: Option<TableCost>,
}

/// A Telegram user without username and picture.
///
/// # Panics
///
/// If no user can have the id.
#[must_use]
pub fn user(id: u64, name: &str) -> User {
    let id = UserId::new(id).unwrap();
    User { id, name: name.to_owned(), username: None, avatar_url: None }
}

/// The value of the `Authorization` header for a user of the bot with `token`.
#[must_use]
pub fn authorization(user: &User, token: &str, now: Timestamp) -> String {
    format!("tma {}", telegram::sign(user, token, now))
}

/// Content type of a [`form`].
pub const FORM: &str = "multipart/form-data; boundary=between";

/// A form with these parts: texts as they are, and other values as JSON.
#[must_use]
pub fn form(parts: &Map<String, Value>) -> String {
    let part = |(name, value): (&String, &Value)| {
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("--between\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    parts.iter().map(part).chain(["--between--\r\n".to_owned()]).collect()
}

/// A request with a body.
///
/// # Panics
///
/// If the path or a header is malformed.
#[must_use]
pub fn request(
    method: &Method,
    path: &str,
    authorization: &str,
    idempotency_key: Option<&str>,
    body: &Value,
) -> Request<Body> {
    let request = Request::builder().method(method).uri(path);
    let request = request.header(header::AUTHORIZATION, authorization);
    let request =
        idempotency_key.into_iter().fold(request, |it, key| it.header("idempotency-key", key));
    with_body(request, body)
}

/// Adds the body, a form for an import and else JSON; none if it is null.
///
/// # Panics
///
/// If the path or a header is malformed.
#[must_use]
pub fn with_body(request: Builder, body: &Value) -> Request<Body> {
    let is_form = request.uri_ref().is_some_and(|uri| uri.path().ends_with("/import"));
    let (content_type, text) = match body {
        Value::Null => return request.body(Body::empty()).unwrap(),
        Value::Object(parts) if is_form => (FORM, form(parts)),
        body => ("application/json", body.to_string()),
    };
    request.header(header::CONTENT_TYPE, content_type).body(Body::from(text)).unwrap()
}

impl Transport {
    /// A server, by its address like `http://127.0.0.1:3000`.
    #[must_use]
    pub fn to_server(address: &str) -> Self {
        Self::Server(Box::new(http()), address.to_owned())
    }

    /// Sends a request; `None` if the connection broke.
    ///
    /// # Panics
    ///
    /// As [`Reply::read`].
    pub async fn send(&self, mut request: Request<Body>) -> Option<Reply> {
        let response = match self {
            Self::Router(router) => router.clone().oneshot(request).await.unwrap(),
            Self::Server(client, address) => {
                let uri: Uri = format!("{address}{}", request.uri()).parse().unwrap();
                *request.uri_mut() = uri;
                client.request(request).await.ok()?.map(Body::new)
            }
        };
        Reply::read(response).await
    }
}

impl Reply {
    /// Reads a response; `None` if the connection broke.
    ///
    /// # Panics
    ///
    /// If it is neither CSV nor JSON, or is an error with a message that cannot be translated.
    pub async fn read(response: Response<Body>) -> Option<Self> {
        let (parts, body) = response.into_parts();
        let body = body.collect().await.ok()?.to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        // A state that the client has already has no body.
        let is_json = parts.status != StatusCode::NOT_MODIFIED
            && !parts.headers[header::CONTENT_TYPE].as_bytes().starts_with(b"text/");
        let body = if is_json { serde_json::from_str(&text).unwrap() } else { Value::Null };
        let cost = parts.extensions.get::<TableCost>().copied();
        Some(Self { status: parts.status, headers: parts.headers, text, body, cost })
    }

    /// The error code.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }

    /// The id of the resource in the response.
    ///
    /// # Panics
    ///
    /// If there is none.
    #[must_use]
    pub fn id(&self) -> String {
        let id = self.body.pointer("/data/id").and_then(Value::as_str);
        id.unwrap_or_else(|| panic!("no id in {}", self.body)).to_owned()
    }

    /// Whether the response has `Retry-After`.
    #[must_use]
    pub fn asks_to_retry(&self) -> bool {
        self.headers.contains_key("retry-after")
    }
}
