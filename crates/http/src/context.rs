//! The context of a request: its time, its id and its principal.
//!
//! Layers make the context before a handler runs, and extractors only read it. A further way to
//! authenticate therefore changes a layer, and no handler.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::{chat_id::ChatId, telegram::User, time::Timestamp};

use crate::{Code, Problem};

/// The context of a request.
#[derive(Clone, Debug)]
pub struct Context {
    /// Time of the request. The clock is read once, so everything that the request checks and
    /// writes has the same time.
    pub now: Timestamp,
    /// Id of the request, as in the log and in the header `x-request-id`.
    pub request_id: Arc<str>,
    /// `None` for an operation without authentication.
    pub(crate) principal: Option<Principal>,
}

/// The user who makes a request, and the credential that authenticates them.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The user.
    pub user: Arc<User>,
    /// Chat from which they opened the Mini App, if Telegram says so.
    pub chat: Option<ChatId>,
    /// How they are authenticated.
    pub via: Credential,
}

/// The kind of credential that authenticates a principal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Init data, which Telegram signs. It allows everything that the user may do.
    InitData,
}

impl Context {
    /// The context of a request, which the layers of [`service`](crate::service) have made.
    fn of(parts: &Parts) -> Result<&Self, Problem> {
        let missing = || Problem::new(Code::Internal, "the request has no context");
        parts.extensions.get().ok_or_else(missing)
    }
}

impl Principal {
    /// The principal of a request, which the layers of [`service`](crate::service) have
    /// authenticated.
    pub(crate) fn of(parts: &Parts) -> Result<&Self, Problem> {
        let missing = || Problem::unauthorized("the request is not authenticated");
        Context::of(parts)?.principal.as_ref().ok_or_else(missing)
    }
}

impl<S: Sync> FromRequestParts<S> for Context {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        Self::of(parts).cloned()
    }
}
