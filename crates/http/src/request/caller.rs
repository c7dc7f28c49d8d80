//! Extractors of the authenticated caller.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::{
    caller::telegram::User,
    group::MemberKey,
    input::{Error, fund_error::FundError},
    values::{chat_id::ChatId, id::UserId},
};
use fracti_texts::message;

use crate::{
    app::App,
    caller::context::Context,
    request::{
        description::{Described, Description},
        path::{Id, PathUser},
        query::{self, Parameters, Query},
    },
    response::problem::{Code, Problem},
};

/// The authenticated Telegram user, with the query parameters `Q`.
///
/// Every handler takes this, [`AsMember`], [`Owner`] or [`Operator`], so every route refuses
/// unknown query parameters.
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

/// The user, if they use the app: an API token sees nothing of funds.
#[derive(Clone, Copy, Debug)]
pub struct InApp(pub Option<UserId>);

/// The user whose funds the path names, with the query parameters `Q`: the caller, or any user if
/// the caller is an operator. In the app only, not by an API token.
#[derive(Clone, Debug)]
pub struct Owner<Q = ()>(pub FundsAccess, pub Q);

/// An operator, who holds the money of funds, with the query parameters `Q`. In the app only.
#[derive(Clone, Copy, Debug)]
pub struct Operator<Q = ()>(pub UserId, pub Q);

/// Access of a caller to a user's funds.
#[derive(Clone, Debug)]
pub struct FundsAccess {
    /// User whose funds they are.
    pub owner: UserId,
    /// The caller.
    pub caller: Arc<User>,
    is_operator: bool,
}

impl FundsAccess {
    /// Checks that the caller owns the funds.
    ///
    /// # Errors
    ///
    /// `NOT_ALLOWED`.
    pub fn require_owner(&self) -> Result<(), Problem> {
        if self.owner == self.caller.id {
            Ok(())
        } else {
            Err(Error::from(FundError::NotYours).into())
        }
    }

    /// Checks that the caller is an operator.
    ///
    /// # Errors
    ///
    /// `NOT_ALLOWED`.
    pub fn require_operator(&self) -> Result<(), Problem> {
        if self.is_operator { Ok(()) } else { Err(Error::from(FundError::NotOperator).into()) }
    }
}

impl<Q: Parameters> FromRequestParts<App> for Owner<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let principal = Context::principal(parts)?;
        principal.via.require_app()?;
        let caller = principal.user.clone();
        let owner = match Id::from_request_parts(parts, app).await? {
            Id(PathUser::Me) => caller.id,
            Id(PathUser::Id(id)) => id,
        };
        let is_operator = app.operators.contains(&caller.id);
        let access = FundsAccess { owner, caller, is_operator };
        let Query(query) = Query::from_request_parts(parts, app).await?;
        if !access.is_operator {
            access.require_owner()?;
        }
        Ok(Self(access, query))
    }
}

impl<Q: Parameters> FromRequestParts<App> for Operator<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let principal = Context::principal(parts)?;
        principal.via.require_app()?;
        let caller = principal.user.id;
        let Query(query) = Query::from_request_parts(parts, app).await?;
        if !app.operators.contains(&caller) {
            return Err(Error::from(FundError::NotOperator).into());
        }
        Ok(Self(caller, query))
    }
}

impl Described for FromChat {}
impl Described for InApp {}

impl<Q: Parameters> Described for Owner<Q> {
    fn describe(request: &mut Description) {
        query::describe::<Q>(request);
    }
}

impl<Q: Parameters> Described for Operator<Q> {
    fn describe(request: &mut Description) {
        query::describe::<Q>(request);
    }
}

impl FromRequestParts<App> for InApp {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let principal = Context::principal(parts)?;
        Ok(Self(principal.via.require_app().is_ok().then_some(principal.user.id)))
    }
}

impl FromRequestParts<App> for FromChat {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, Problem> {
        let message = message!(
            "the init data must have a chat_instance: open the Mini App by a link in a chat",
            "в init data должен быть chat_instance: откройте мини-приложение по ссылке в чате"
        );
        let missing = || Problem::new(Code::NoChat, message);
        Context::principal(parts)?.chat.clone().map(Self).ok_or_else(missing)
    }
}

impl<Q: Parameters> FromRequestParts<App> for Caller<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = Context::principal(parts)?.user.clone();
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(user, query))
    }
}

impl<Q: Parameters> FromRequestParts<App> for AsMember<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = Context::principal(parts)?.user.id;
        let Id(group) = Id::from_request_parts(parts, app).await?;
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(MemberKey { group, user }, query))
    }
}

impl<Q: Parameters> Described for Query<Q> {
    fn describe(request: &mut Description) {
        query::describe::<Q>(request);
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
