//! The extractor of a request that writes, with its idempotency key.

use std::{sync::Arc, time::Duration};

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    http::{HeaderMap, HeaderValue, StatusCode, Uri, header},
    response::Response,
};
use fracti_core::{
    input::{Draft, Error, Limit},
    values::{id::UserId, request_context::RequestContext},
};
use fracti_store::{Idempotency, IdempotentRequest, KeyHashes, Outcome, StoredResponse};
use fracti_texts::{Message, message};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};
use tokio::time::timeout;

use crate::{
    app::App,
    caller::context::Context,
    request::{
        body::{self, Body},
        description::{Described, Description},
    },
    response::{
        envelope::{self, Data},
        etag,
        limits::{MAX_BODY_KIB, MAX_KEY},
        problem::{Code, Problem},
    },
};

/// Header with the idempotency key.
///
/// <https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header>
const KEY: &str = "idempotency-key";

/// A request that writes: its body and its idempotency key.
#[derive(Debug)]
pub struct Once<T: Body> {
    /// The body. Its errors are reported only after the table has checked the caller's right.
    pub body: Draft<T::Fields>,
    /// The idempotency key, if there is one.
    pub key: IdempotencyKey,
}

/// The optional idempotency key of a request, its user, and its time with random bytes for new ids.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    user: UserId,
    context: RequestContext,
    hashes: Option<KeyHashes>,
}

/// A request without its body.
pub(super) struct Head {
    pub(super) headers: HeaderMap,
    context: RequestContext,
    uri: Uri,
    user: UserId,
    key: Option<HeaderValue>,
}

impl<T: Body> FromRequest<App> for Once<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (head, request) = Head::of(request, app).await?;
        let bytes = bytes(request, app).await?;
        let body = body::read::<T>(&head.headers, &bytes);
        Ok(Self { body, key: head.key(&bytes) })
    }
}

impl<T: Body> Described for Once<T> {
    fn describe(request: &mut Description) {
        if !T::NAME.is_empty() {
            let schema = body::describe::<T>(request);
            request.body("application/json", T::empty().is_none(), &schema);
        }
    }
}

/// Time limit for receiving a body, below the deadline of the request. On Lambda the body arrives
/// with the event; elsewhere the limit closes stalled requests.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a body of limited size.
async fn bytes(request: Request, app: &App) -> Result<Bytes, Problem> {
    let bytes = timeout(BODY_TIMEOUT, Bytes::from_request(request, app)).await;
    let late = |_| {
        let message = message!(
            "the body did not arrive within {seconds} seconds",
            "тело запроса не пришло за {seconds} с",
            seconds = BODY_TIMEOUT.as_secs()
        );
        Problem::new(Code::InvalidJson, message)
    };
    bytes.map_err(late)?.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let message = message!(
                "the body must have at most {MAX_BODY_KIB} KiB",
                "тело запроса должно быть не больше {MAX_BODY_KIB} КиБ"
            );
            Problem::new(Code::PayloadTooLarge, message).of_limit(Limit::BodySize)
        }
        _ => Problem::new(Code::InvalidJson, Message::same(rejection.body_text())),
    })
}

impl Head {
    /// The head of a request, and the request.
    ///
    /// # Errors
    ///
    /// A [`Problem`] if the request has no principal or an invalid idempotency key.
    pub(super) async fn of(request: Request, app: &App) -> Result<(Self, Request), Problem> {
        let (mut parts, body) = request.into_parts();
        let user = Context::principal(&parts)?.user.id;
        let context = Context::from_request_parts(&mut parts, app).await?;
        let head = Self {
            key: key(&parts.headers)?.cloned(),
            headers: parts.headers.clone(),
            context: app.request_context(&context),
            uri: parts.uri.clone(),
            user,
        };
        Ok((head, Request::from_parts(parts, body)))
    }

    /// The key of the request with this body.
    ///
    /// The path and the query are hashed too, so a key used in one group or for certain days is not
    /// replayed for others.
    pub(super) fn key(&self, body: &[u8]) -> IdempotencyKey {
        let query = decisive(self.uri.query().unwrap_or_default());
        let hashes = self.key.as_ref().map(|key| {
            let request = Sha256::new().chain_update(self.uri.path()).chain_update([0]);
            let request = request.chain_update(body).chain_update(query);
            KeyHashes {
                key: hex::encode(Sha256::digest(key)),
                request: hex::encode(request.finalize()),
            }
        });
        IdempotencyKey { user: self.user, context: self.context, hashes }
    }
}

/// The part of a query that decides what a request does, after a zero; empty if there is none.
fn decisive(query: &str) -> String {
    let parts = query.split('&').filter(|it| !it.is_empty() && !it.starts_with("amounts="));
    parts.fold(String::new(), |all, part| format!("{all}\0{part}"))
}

/// Reads the header: at most one key of visible ASCII characters.
fn key(headers: &HeaderMap) -> Result<Option<&HeaderValue>, Problem> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    let visible =
        (1..=MAX_KEY).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    if keys.next().is_some() || !visible {
        let rule = message!(
            "Idempotency-Key must be one key of 1 to {MAX_KEY} visible ASCII characters",
            "Idempotency-Key должен быть одним ключом из 1–{MAX_KEY} видимых символов ASCII"
        );
        return Err(Problem::invalid("Idempotency-Key", rule));
    }
    Ok(Some(key))
}

impl IdempotencyKey {
    /// The idempotency of a request whose response is the view `V` of its result.
    ///
    /// `operation` names the endpoint. The same key on another endpoint is a different key.
    #[must_use]
    pub fn idempotency<T, V>(self, operation: &'static str) -> Idempotency<T>
    where
        T: Clone + 'static,
        V: From<T> + Serialize + 'static,
    {
        self.viewed(operation, V::from)
    }

    /// [`IdempotencyKey::idempotency`], whose response is this view of the result.
    #[must_use]
    pub fn viewed<T, V>(
        self,
        operation: &'static str,
        view: impl Fn(T) -> V + Send + Sync + 'static,
    ) -> Idempotency<T>
    where
        T: Clone + 'static,
        V: Serialize,
    {
        let request = IdempotentRequest::new(self.user, operation, self.hashes, self.context);
        let render = move |made: &T| {
            let data = serde_json::to_string(&view(made.clone())).unwrap_or_default();
            StoredResponse { data }
        };
        Idempotency { request, render: Arc::new(render) }
    }
}

/// The response of an idempotent request: a new one or the replay of the stored one. Both have the
/// status of the endpoint.
///
/// # Errors
///
/// A [`Problem`] if the stored response is unreadable.
pub fn respond<T>(
    status: StatusCode,
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<Response, Problem> {
    response_of(status, idempotency, outcome).map(|(response, _)| response)
}

/// As [`respond`], with the tag of the returned state.
///
/// # Errors
///
/// As [`respond`].
pub fn respond_tagged<T>(
    status: StatusCode,
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<Response, Problem> {
    let (mut response, data) = response_of(status, idempotency, outcome)?;
    response.headers_mut().insert(header::ETAG, etag::tag(data.get()));
    Ok(response)
}

/// As [`respond`] with success, and with a message for the user.
///
/// # Errors
///
/// As [`respond`].
pub fn respond_with<T>(
    message: &'static str,
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<Response, Problem> {
    let (mut response, data) = response_of(StatusCode::OK, idempotency, outcome)?;
    say(message, &mut response, &data);
    Ok(response)
}

/// As [`respond_tagged`] to a creation, with a message for the user.
///
/// # Errors
///
/// As [`respond`].
pub fn respond_created<T>(
    message: &'static str,
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<Response, Problem> {
    let created = StatusCode::CREATED;
    let (mut response, data) = response_of(created, idempotency, outcome)?;
    say(message, &mut response, &data);
    response.headers_mut().insert(header::ETAG, etag::tag(data.get()));
    Ok(response)
}

/// Adds a message for the user to the response with `data`.
fn say(message: &'static str, response: &mut Response, data: &RawValue) {
    let body = envelope::of_json(response.status(), &Data::new(data).with_message(message));
    *response.body_mut() = body.into_body();
}

fn response_of<T>(
    status: StatusCode,
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<(Response, Box<RawValue>), Problem> {
    let (stored, replayed) = match outcome {
        Outcome::Done(made) => ((idempotency.render)(&made), false),
        Outcome::Replayed(stored) => (stored, true),
    };
    let unreadable = |error: serde_json::Error| Error::Table(error.into());
    let data = RawValue::from_string(stored.data).map_err(unreadable)?;
    let mut response = envelope::of_json(status, &Data::new(&*data));
    if replayed {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    Ok((response, data))
}
