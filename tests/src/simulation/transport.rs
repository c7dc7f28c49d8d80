//! A transport for requests: a router of this process, or a server.

use axum::{
    Router,
    body::Body,
    http::{HeaderMap, Request, StatusCode, Uri},
};
use http_body_util::BodyExt;
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use serde_json::Value;
use tower::ServiceExt;

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
}

impl Transport {
    /// Sends a request; `None` if the connection broke.
    ///
    /// # Panics
    ///
    /// If a response is not JSON.
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
        let body = serde_json::from_slice(&body).unwrap();
        Some(Reply { status: parts.status, headers: parts.headers, body })
    }
}

impl Reply {
    /// The error code.
    #[must_use]
    pub fn code(&self) -> &str {
        self.body["error"].as_str().unwrap_or_default()
    }

    /// Whether the response has `Retry-After`.
    #[must_use]
    pub fn asks_to_retry(&self) -> bool {
        self.headers.contains_key("retry-after")
    }
}
