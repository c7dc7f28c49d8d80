//! The endpoints of API tokens.

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use fracti_core::{
    caller::token::{NewToken, Token},
    input::Error,
    values::id::TokenId,
};
use fracti_http::{
    App, AppPrincipal, Caller, Code, Context, Credential, Data, Description, Id, List, ListId,
    Once, Paging, Problem, Text, body, respond, respond_with, schemas,
};
use fracti_store::Outcome;
use serde::Serialize;
use utoipa::ToSchema;

/// An API token. The token itself is shown only once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ApiToken)]
pub(crate) struct TokenView {
    /// Id of the token.
    id: schemas::ResourceId,
    /// Name by which the user knows it.
    name: schemas::TokenName,
    /// Requests that it may make.
    scopes: Vec<schemas::TokenScope>,
    /// Group to which it is limited.
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<schemas::ResourceId>,
    /// Time of creation.
    created_at: schemas::Timestamp,
    /// Time from which it is invalid.
    #[serde(skip_serializing_if = "Option::is_none")]
    expires_at: Option<schemas::Timestamp>,
    /// Last day on which it was used, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    last_used_at: Option<schemas::CalendarDate>,
}

/// A created API token.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CreatedToken {
    #[serde(flatten)]
    view: TokenView,
    /// The token itself, which is shown only here. The replay of a response does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^fracti_pat_[0-9a-f]{64}$")]
    token: Option<String>,
}

body! {
    /// An API token to create.
    pub(crate) CreateToken => NewToken {
        /// Name by which the user knows it.
        name: "name".required().text(),
        /// Requests that it may make: `read`, `write` or both; or `browser`, for a link that signs
        /// a browser in.
        scopes: "scopes".required().texts(1..=2),
        /// Group to which it is limited. The caller is a member of it. Default: all groups, and the
        /// caller's own data.
        group_id: "groupId".text_of(Description::reference::<schemas::ResourceId>),
        /// Time in the future, from which the token is invalid: with `browser`, within 10 minutes
        /// and by default then; by such a token, likewise 30 days. Default: it does not expire.
        expires_at: "expiresAt".text(),
    }
}

/// An API token that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedToken {
    /// Id of the token.
    id: schemas::ResourceId,
}

/// Create an API token.
///
/// With it, a program acts for the caller, within its scopes and its group. It is created in the
/// app, not by an API token; only one with the scope `browser` creates one, in exchange for itself
/// and for the one that it created before. The response is the only one that shows the token: the
/// replay of the response to an `Idempotency-Key` does not.
#[utoipa::path(post, path = "/api/users/me/tokens", tag = "tokens",
    responses((status = CREATED, body = Data<CreatedToken>)),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::GroupNotFound, Code::NotAMember, Code::Left, Code::Removed,
        Code::TooManyTokens,
    ]))))]
pub(crate) async fn create_token(
    State(app): State<App>,
    Caller(user, ()): Caller,
    via: Credential,
    once: Once<CreateToken>,
) -> Result<Response, Problem> {
    let link = via.token().filter(|_| via.is_link());
    if link.is_none() {
        via.require_app()?;
    }
    let secret = app.new_token();
    // The stored response does not have the token, which nothing stores.
    let idempotency = once.key.idempotency::<_, TokenView>("create-token");
    let new = &once.body;
    let hash = secret.hash();
    let outcome = app.table.create_token(new, hash, &user, link, &idempotency).await;
    // The link was used. An instance that knew its token has let the request pass.
    let used = |error| match error {
        Error::NoToken => Problem::revoked_token(),
        error => error.into(),
    };
    match outcome.map_err(used)? {
        Outcome::Done(made) => {
            let token = Some(secret.expose().to_owned());
            let created = CreatedToken { view: made.into(), token };
            Ok((StatusCode::CREATED, Data::new(created)).into_response())
        }
        replayed @ Outcome::Replayed(_) => respond(StatusCode::CREATED, &idempotency, replayed),
    }
}

/// List the caller's API tokens.
///
/// Newest first. An expired token is listed for 30 days. Only in the app, not by an API token.
#[utoipa::path(get, path = "/api/users/me/tokens", tag = "tokens",
    responses((status = OK, body = List<TokenView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn list_tokens(
    State(app): State<App>,
    _: AppPrincipal,
    Caller(user, paging): Caller<Paging>,
    Context { now, .. }: Context,
) -> Result<List<TokenView>, Problem> {
    let list_id = ListId::new("users/me/tokens", &user.id);
    let tokens = app.table.tokens_of(user.id, now, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, tokens))
}

/// Delete an API token.
///
/// It ends at once. A token may delete itself, whatever its scopes and its group, but no other
/// token.
#[utoipa::path(delete, path = "/api/users/me/tokens/{tokenId}", tag = "tokens",
    responses((status = OK, body = Data<DeletedToken>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn delete_token(
    State(app): State<App>,
    Caller(user, ()): Caller,
    via: Credential,
    Id(token): Id<TokenId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    if via.token() != Some(token) {
        via.require_app()?;
    }
    let idempotency = once.key.idempotency::<_, DeletedToken>("delete-token");
    let deleted = app.table.delete_token(user.id, token, &idempotency).await?;
    respond_with("API token deleted", &idempotency, deleted)
}

impl From<TokenId> for DeletedToken {
    fn from(id: TokenId) -> Self {
        Self { id: Text(id.into()) }
    }
}

impl From<Token> for TokenView {
    fn from(of: Token) -> Self {
        let Token { id, name, scopes, group_id, created_at, expires_at, last_used_at, .. } = of;
        Self {
            id: Text(id.into()),
            name: Text(name),
            scopes: scopes.into_iter().map(Text).collect(),
            group_id: group_id.map(|group| Text(group.into())),
            created_at: Text(created_at),
            expires_at: expires_at.map(Text),
            last_used_at: last_used_at.map(Text),
        }
    }
}
