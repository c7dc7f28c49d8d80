//! A request that makes something, and makes it once for its idempotency key.

use axum::{
    extract::{FromRequest, Request},
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::Response,
};
use fracti_core::{
    Error,
    id::UserId,
    input::Draft,
    table::{self, Idempotency, Outcome, StoredResponse},
};
use serde::Serialize;
use serde_json::value::RawValue;
use sha2::{Digest, Sha256};

use crate::{
    App, Problem,
    body::{self, Body},
    caller::identify,
    envelope, etag, json,
};

/// The header by which a client makes a request happen once.
///
/// <https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-idempotency-key-header>
const KEY: &str = "idempotency-key";

/// A request that makes something: its body, and the key under which it happens once.
#[derive(Debug)]
pub struct Post<T: Body> {
    /// What is to be made. No mistake of it is reported before the table has checked the caller's right.
    pub body: Draft<T::Fields>,
    /// The key, where there is one.
    pub key: Key,
}

/// The idempotency key of a request, or that it has none.
#[derive(Clone, Debug)]
pub struct Key {
    user: UserId,
    app: App,
    /// The hashes of the key and of the request.
    hashes: Option<(String, String)>,
}

impl<T: Body> FromRequest<App> for Post<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (mut parts, body) = request.into_parts();
        let user = identify(&mut parts, app)?.id;
        let (headers, path) = (parts.headers.clone(), parts.uri.path().to_owned());
        let key = key(&headers)?;
        let bytes = json::bytes(Request::from_parts(parts, body), app).await?;
        let body = body::read::<T>(&headers, &bytes);
        // The path belongs to what is asked: a key of one group does not answer for another.
        let hashes = key.map(|key| {
            let request = Sha256::new().chain_update(path).chain_update([0]).chain_update(&bytes);
            (hex::encode(Sha256::digest(key)), hex::encode(request.finalize()))
        });
        Ok(Self { body, key: Key { user, app: app.clone(), hashes } })
    }
}

/// 1 to 255 visible ASCII characters.
fn key(headers: &HeaderMap) -> Result<Option<&HeaderValue>, Problem> {
    let mut keys = headers.get_all(KEY).iter();
    let Some(key) = keys.next() else { return Ok(None) };
    let visible = (1..=255).contains(&key.len()) && key.as_bytes().iter().all(u8::is_ascii_graphic);
    if keys.next().is_some() || !visible {
        let rule = "Idempotency-Key must be one key of 1 to 255 visible ASCII characters";
        return Err(Problem::invalid("Idempotency-Key", rule));
    }
    Ok(Some(key))
}

impl Key {
    /// What makes the request happen once, and answers with `STATUS` and the view `V` of what it made.
    ///
    /// `operation` names the endpoint: a key of one endpoint says nothing about another.
    #[must_use]
    pub fn idempotency<T, V, const STATUS: u16>(self, operation: &'static str) -> Idempotency<T>
    where
        T: Clone,
        V: From<T> + Serialize,
    {
        let request = self.hashes.map(|(key_hash, request_hash)| table::IdempotentRequest {
            user: self.user,
            operation,
            key_hash,
            request_hash,
            now: self.app.clock.now(),
        });
        Idempotency { request, render: render::<T, V, STATUS> }
    }
}

fn render<T: Clone, V: From<T> + Serialize, const STATUS: u16>(made: &T) -> StoredResponse {
    let data = serde_json::to_string(&V::from(made.clone())).unwrap_or_default();
    StoredResponse { status: STATUS, data }
}

/// The response to a request that happens once: told now, or as it was told before.
///
/// # Errors
///
/// A [`Problem`] where what was recorded is no response.
pub fn respond<T>(idempotency: &Idempotency<T>, outcome: Outcome<T>) -> Result<Response, Problem> {
    response_of(idempotency, outcome).map(|(response, _)| response)
}

/// The same with the tag of the state that it shows.
///
/// # Errors
///
/// As [`respond`].
pub fn respond_tagged<T>(
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<Response, Problem> {
    let (mut response, data) = response_of(idempotency, outcome)?;
    response.headers_mut().insert(header::ETAG, etag::tag(data.get()));
    Ok(response)
}

fn response_of<T>(
    idempotency: &Idempotency<T>,
    outcome: Outcome<T>,
) -> Result<(Response, Box<RawValue>), Problem> {
    let (stored, replayed) = match outcome {
        Outcome::Done(made) => ((idempotency.render)(&made), false),
        Outcome::Replayed(stored) => (stored, true),
    };
    let broken = |error| Problem::from(Error::Table(error));
    let data = RawValue::from_string(stored.data).map_err(|error| broken(error.into()))?;
    let status = StatusCode::from_u16(stored.status).map_err(|error| broken(error.into()))?;
    let mut response = envelope::of_json(status, &data);
    if replayed {
        response.headers_mut().insert("idempotent-replayed", HeaderValue::from_static("true"));
    }
    Ok((response, data))
}
