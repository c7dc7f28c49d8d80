//! The context of a request: its time, its id and its principal.
//!
//! Layers make the context before a handler runs, and extractors only read it. A further way to
//! authenticate therefore changes a layer, and no handler.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::values::time::Timestamp;
use fracti_texts::message;

use crate::{
    caller::principal::{AppPrincipal, Credential, Principal},
    response::problem::{Code, Problem},
};

/// The context of a request.
#[derive(Clone, Debug)]
pub struct Context {
    /// Time of the request. The clock is read once, so everything that the request checks and
    /// writes has the same time.
    pub now: Timestamp,
    /// Id of the request, as in the log and in the header `x-request-id`.
    pub request_id: Arc<str>,
    /// Whether the request only reads.
    pub(crate) reads: bool,
    /// `None` for an operation without authentication.
    pub(crate) principal: Option<Principal>,
}

impl Context {
    /// The context of a request, which the layers of [`service`](crate::service) have made.
    pub(crate) fn of(parts: &Parts) -> Result<&Self, Problem> {
        let missing = || {
            Problem::new(
                Code::Internal,
                message!("the request has no context", "у запроса нет контекста"),
            )
        };
        parts.extensions.get().ok_or_else(missing)
    }

    /// The principal of a request, which the layers of [`service`](crate::service) have
    /// authenticated.
    pub(crate) fn principal(parts: &Parts) -> Result<&Principal, Problem> {
        let missing = || {
            Problem::unauthorized(
                Code::NoCredentials,
                message!(
                    "the request is not authenticated",
                    "запрос не прошёл проверку подлинности"
                ),
            )
        };
        Self::of(parts)?.principal.as_ref().ok_or_else(missing)
    }
}

impl<S: Sync> FromRequestParts<S> for Context {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(parts).cloned()
    }
}

impl<S: Sync> FromRequestParts<S> for AppPrincipal {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Context::principal(parts)?.via.require_app().map(|()| Self)
    }
}

impl<S: Sync> FromRequestParts<S> for Credential {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Ok(Context::principal(parts)?.via.clone())
    }
}
