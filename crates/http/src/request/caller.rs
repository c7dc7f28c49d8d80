//! Extractors of the authenticated caller.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::{chat_id::ChatId, telegram::User};
use fracti_store::MemberKey;

use crate::{
    App, Code, Id, Parameters, Principal, Problem, Query,
    request::{
        description::{Described, Description},
        query,
    },
};

/// The authenticated Telegram user, with the query parameters `Q`.
///
/// Every handler takes this or [`AsMember`], so every route refuses unknown query parameters.
///
/// For which of several errors an endpoint refuses a request: "Order of refusals" in `docs/api.md`.
#[derive(Clone, Debug)]
pub struct Caller<Q = ()>(pub Arc<User>, pub Q);

/// The caller as a member of the group in the path, with the query parameters `Q`.
///
/// The membership is not checked yet: each method of the table that takes it does so in the same
/// round trip as its own reads.
#[derive(Clone, Copy, Debug)]
pub struct AsMember<Q = ()>(pub MemberKey, pub Q);

/// The chat from which the caller opened the Mini App, which proves that they are in it.
#[derive(Clone, Debug)]
pub struct FromChat(pub ChatId);

impl FromRequestParts<App> for FromChat {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let message =
            "the init data must have a chat_instance: open the Mini App by a link in a chat";
        let missing = || Problem::new(Code::NoChat, message);
        Principal::of(parts)?.chat.clone().map(Self).ok_or_else(missing)
    }
}

impl<Q: Parameters> FromRequestParts<App> for Caller<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = Principal::of(parts)?.user.clone();
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(user, query))
    }
}

impl<Q: Parameters> FromRequestParts<App> for AsMember<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = Principal::of(parts)?.user.id;
        let Id(group) = Id::from_request_parts(parts, app).await?;
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(MemberKey { group, user }, query))
    }
}

impl<Q: Parameters> Described for Caller<Q> {
    fn describe(request: &mut Description) {
        query::describe::<Q>(request);
    }
}

impl<Q: Parameters> Described for AsMember<Q> {
    fn describe(request: &mut Description) {
        query::describe::<Q>(request);
    }
}
