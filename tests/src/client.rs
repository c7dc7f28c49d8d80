//! The HTTP client of the tests: requests to a router of this process, or to a server.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Method, Request, StatusCode, Uri, header},
};
use fracti_core::{
    id::UserId,
    telegram::{self, User},
    time::Timestamp,
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
    /// The body.
    pub body: Value,
    /// Size of the body in bytes.
    pub bytes: usize,
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

/// A request with a JSON body, or without a body if it is null.
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
    let request = match body {
        Value::Null => request.body(Body::empty()),
        Value::Object(parts) if parts.contains_key("file") => {
            request.header(header::CONTENT_TYPE, FORM).body(Body::from(form(parts)))
        }
        body => request
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(body.to_string())),
    };
    request.unwrap()
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
    /// If a response is neither CSV nor JSON.
    pub async fn send(&self, mut request: Request<Body>) -> Option<Reply> {
        let (parts, body) = match self {
            Self::Router(router) => router.clone().oneshot(request).await.unwrap().into_parts(),
            Self::Server(client, address) => {
                let uri: Uri = format!("{address}{}", request.uri()).parse().unwrap();
                *request.uri_mut() = uri;
                let (parts, body) = client.request(request).await.ok()?.into_parts();
                (parts, Body::new(body))
            }
        };
        let body = body.collect().await.ok()?.to_bytes();
        let bytes = body.len();
        let is_csv = parts.headers[header::CONTENT_TYPE].as_bytes().starts_with(b"text/csv");
        let body = if is_csv { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        let cost = parts.extensions.get::<TableCost>().copied();
        Some(Reply { status: parts.status, headers: parts.headers, body, bytes, cost })
    }
}

impl Reply {
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
