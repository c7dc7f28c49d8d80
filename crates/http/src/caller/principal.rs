//! The principal of a request: who makes it, and by which credential.

use std::sync::Arc;

use axum::{extract::FromRequestParts, http::request::Parts};
use fracti_core::{
    caller::{
        telegram::User,
        token::{Scope, Token},
    },
    values::{
        chat_id::ChatId,
        id::{GroupId, TokenId},
        text::TokenName,
        time::Timestamp,
        token_hash::TokenHash,
    },
};
use fracti_texts::message;

use crate::response::problem::{Code, Problem};

/// The user who makes a request, and the credential that authenticates them. It is always a
/// Telegram user, never a guest.
#[derive(Clone, Debug)]
pub struct Principal {
    /// The user. For an API token, as they were when they created it.
    pub user: Arc<User>,
    /// Chat from which they opened the Mini App, if Telegram says so.
    pub chat: Option<ChatId>,
    /// Credential by which they are authenticated.
    pub via: Credential,
}

/// The credential that authenticates a principal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Credential {
    /// Init data, which Telegram signs. It allows everything that the user may do.
    InitData,
    /// An update of the bot, which Telegram sends. It allows what the user may do, but not in the
    /// app.
    Bot,
    /// An API token, which a program has. It allows what its scopes and its group say.
    Token {
        /// Its id.
        id: TokenId,
        /// Name by which the user knows it.
        name: TokenName,
        /// Its hash.
        hash: TokenHash,
        /// Requests that it may make.
        scopes: Vec<Scope>,
        /// Group to which it is restricted.
        group: Option<GroupId>,
        /// Time from which it is invalid.
        expires_at: Option<Timestamp>,
    },
}

/// Proof that the principal uses the app: they are authenticated by init data. An API token is
/// refused.
#[derive(Clone, Copy, Debug)]
pub struct AppPrincipal;

/// Proof that Telegram sent the request, to the webhook of the bot.
#[derive(Clone, Copy, Debug)]
pub struct Webhook(pub(crate) ());

impl Principal {
    /// The user for whom a token acts.
    pub(crate) fn of_token(token: Token) -> Self {
        let user = Arc::new(token.user());
        let Token { id, name, hash, scopes, group_id: group, expires_at, .. } = token;
        Self {
            user,
            chat: None,
            via: Credential::Token { id, name, hash, scopes, group, expires_at },
        }
    }
}

impl Credential {
    /// The id of the API token.
    #[must_use]
    pub const fn token(&self) -> Option<TokenId> {
        match self {
            Self::InitData | Self::Bot => None,
            Self::Token { id, .. } => Some(*id),
        }
    }

    /// The id and the name of the API token, by which a program acts for the user.
    #[must_use]
    pub const fn agent(&self) -> Option<(TokenId, &TokenName)> {
        match self {
            Self::InitData | Self::Bot => None,
            Self::Token { id, name, .. } => Some((*id, name)),
        }
    }

    /// Whether it is the token of a link that signs a browser in.
    #[must_use]
    pub fn is_link(&self) -> bool {
        matches!(self, Self::Token { scopes, .. } if scopes.contains(&Scope::Browser))
    }

    /// Whether it is an API token that is invalid from an earlier moment on.
    pub(crate) fn is_expired(&self, now: Timestamp) -> bool {
        match self {
            Self::InitData | Self::Bot => false,
            Self::Token { expires_at, .. } => expires_at.is_some_and(|at| at <= now),
        }
    }

    /// Checks that it is init data, by which the user acts in the app.
    ///
    /// # Errors
    ///
    /// `NOT_ALLOWED` for an API token.
    pub fn require_app(&self) -> Result<(), Problem> {
        match self {
            Self::InitData => Ok(()),
            Self::Bot | Self::Token { .. } => Err(Problem::new(
                Code::NotAllowed,
                message!(
                    "API tokens cannot do this; use the app",
                    "с токеном API этого сделать нельзя; воспользуйтесь приложением"
                ),
            )),
        }
    }

    /// Checks that it is not an API token that is limited to a group, which reaches nothing
    /// personal.
    ///
    /// # Errors
    ///
    /// `INSUFFICIENT_SCOPE` for such a token.
    pub fn require_any_group(&self) -> Result<(), Problem> {
        match self {
            Self::InitData | Self::Bot | Self::Token { group: None, .. } => Ok(()),
            Self::Token { group: Some(_), .. } => Err(Problem::other_group()),
        }
    }
}

impl<S: Sync> FromRequestParts<S> for Webhook {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        parts.extensions.get().copied().ok_or_else(Self::refused)
    }
}

impl Webhook {
    /// The refusal of a request without the secret, or with another one.
    pub(crate) fn refused() -> Problem {
        Problem::unauthorized(
            Code::NoCredentials,
            message!("the request is not authenticated", "запрос не прошёл проверку подлинности"),
        )
    }
}
