//! The layer that authenticates requests by the credentials that their route takes: for those of
//! users init data or an API token, for those of Telegram the secret of the webhook. It checks what
//! an API token allows.
//!
//! | the request of a user carries | result |
//! |---|---|
//! | init data only | it is verified |
//! | one API token only | it is verified, found in the cache or the table, and its scopes and group are checked |
//! | an API token and init data, or two API tokens | refused, because it is ambiguous which one counts |
//! | another `Bearer` credential | ignored next to init data, otherwise refused |
//!
//! Routes name the sender of each operation, here and in the OpenAPI document, so document and
//! server cannot disagree. Unknown paths and methods are refused without authentication.

use std::{str, sync::Arc};

use axum::{
    extract::{MatchedPath, RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fracti_core::{
    caller::{
        telegram::{self, InitData},
        token::{self, Scope},
    },
    values::{
        id::{GroupId, TokenId, UserId},
        time::Timestamp,
    },
};
use fracti_texts::message;

use crate::{
    app::App,
    caller::{
        context::Context,
        principal::{Credential, Principal, Webhook},
    },
    document::{routes::Operations, sender::Sender},
    request::path::group_in,
    response::problem::{Code, Problem},
};

/// Header in which the Mini App sends init data.
const MINI_APP: &str = "x-telegram-init-data";

/// Route by which a token may delete itself, whatever its scopes and group.
const ONE_TOKEN: (Method, &str) = (Method::DELETE, "/api/users/me/tokens/{tokenId}");

/// Route by which the token of a link creates that of a browser.
const EXCHANGE: (Method, &str) = (Method::POST, "/api/users/me/tokens");

/// Header in which Telegram sends the secret of the webhook.
///
/// <https://core.telegram.org/bots/api#setwebhook>
const WEBHOOK: &str = "x-telegram-bot-api-secret-token";

/// State of the layer: the application, and the operations with their senders.
#[derive(Clone, Debug)]
pub(crate) struct Authentication {
    app: App,
    operations: Arc<Operations>,
}

impl Authentication {
    /// Authenticates the requests of these operations.
    pub(crate) fn new(app: App, operations: Operations) -> Self {
        Self { app, operations: Arc::new(operations) }
    }

    /// The sender of the request; anyone for a path or a method that does not exist.
    fn sender(&self, request: &Request) -> Sender {
        let path = request.extensions().get::<MatchedPath>();
        let operations = path.and_then(|path| self.operations.get(path.as_str()));
        // The router serves HEAD with the handler of GET.
        let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
        operations.and_then(|it| it.get(method)).copied().unwrap_or(Sender::Anyone)
    }
}

/// Credentials of a request.
enum Sent<'a> {
    InitData(&'a [u8]),
    Token(&'a [u8]),
}

/// The caller of a request about funds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FundsCaller(pub(crate) UserId);

/// Adds the principal to the context, or refuses the request.
///
/// The response of a request by API token has its id as an extension, and that of a request about
/// funds has its caller, for the log.
pub(crate) async fn authenticate(
    State(authentication): State<Authentication>,
    mut context: Context,
    params: Result<RawPathParams, RawPathParamsRejection>,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let app = &authentication.app;
    let sender = authentication.sender(&request);
    let reads = sender == Sender::Reader || [Method::GET, Method::HEAD].contains(request.method());
    match sender {
        Sender::User | Sender::Reader => {}
        Sender::Telegram => {
            let webhook = by_secret(app, request.headers())?;
            request.extensions_mut().insert(webhook);
            return Ok(next.run(request).await);
        }
        Sender::Anyone => return Ok(next.run(request).await),
    }
    let principal = match sent(request.headers())? {
        Sent::InitData(init_data) => by_init_data(app, context.now, init_data)?,
        Sent::Token(token) => by_token(app, context.now, token).await?,
    };
    let route = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let group = params.as_ref().ok().and_then(group_in);
    let refused = check_scope(&principal.via, (request.method(), reads), route, group).err();
    let token = principal.via.token();
    let of_funds = route.is_some_and(|route| route.contains("/funds"));
    let caller = of_funds.then_some(FundsCaller(principal.user.id));
    context.principal = Some(principal);
    context.reads = reads;
    request.extensions_mut().insert(context);
    let mut response = match refused {
        None => next.run(request).await,
        Some(problem) => problem.into_response(),
    };
    if let Some(token) = token {
        response.extensions_mut().insert::<TokenId>(token);
    }
    if let Some(caller) = caller {
        response.extensions_mut().insert(caller);
    }
    Ok(response)
}

/// The proof that Telegram sent the request: the secret is there once, and is that of the bot.
fn by_secret(app: &App, headers: &HeaderMap) -> Result<Webhook, Problem> {
    let mut sent = headers.get_all(WEBHOOK).into_iter().map(HeaderValue::as_bytes);
    match (sent.next(), sent.next()) {
        (Some(secret), None) if telegram::is_webhook_secret(secret, app.bot_token.expose()) => {
            Ok(Webhook(()))
        }
        _ => Err(Webhook::refused()),
    }
}

/// The principal of verified init data.
fn by_init_data(app: &App, now: Timestamp, init_data: &[u8]) -> Result<Principal, Problem> {
    let init_data = str::from_utf8(init_data).map_err(|_| {
        Problem::unauthorized(
            Code::InvalidInitData,
            message!("the init data is not UTF-8", "init data не в кодировке UTF-8"),
        )
    })?;
    let verified = telegram::verify(init_data, app.bot_token.expose(), app.init_data_max_age, now);
    let InitData { user, chat } = verified.map_err(Problem::invalid_init_data)?;
    Ok(Principal { user: Arc::new(user), chat, via: Credential::InitData })
}

/// The principal of an API token. A token that this bot did not issue is refused without a read,
/// and so is one that is known to have expired.
async fn by_token(app: &App, now: Timestamp, token: &[u8]) -> Result<Principal, Problem> {
    let hash = token::verify(token, app.bot_token.expose()).ok_or_else(Problem::foreign_token)?;
    let principal = if let Some(known) = app.tokens.get(hash) {
        known
    } else {
        let token = app.table.token_by_hash(hash).await?.ok_or_else(Problem::revoked_token)?;
        let principal = Principal::of_token(token);
        app.tokens.insert(hash, principal.clone());
        principal
    };
    if principal.via.is_expired(now) { Err(Problem::revoked_token()) } else { Ok(principal) }
}

/// Checks that an API token has the scope of a request, and is not limited to another group than
/// that of the path.
fn check_scope(
    via: &Credential,
    (method, reads): (&Method, bool),
    route: Option<&str>,
    of: Option<GroupId>,
) -> Result<(), Problem> {
    let Credential::Token { scopes, group, .. } = via else { return Ok(()) };
    let (delete, one_token) = ONE_TOKEN;
    if *method == delete && route == Some(one_token) {
        return Ok(());
    }
    let (post, tokens) = EXCHANGE;
    if *method == post && route == Some(tokens) && via.is_link() {
        return Ok(());
    }
    let scope = if reads { Scope::Read } else { Scope::Write };
    if !scopes.contains(&scope) {
        return Err(Problem::missing_scope(scope));
    }
    match group {
        Some(_) if *group != of => Err(Problem::other_group()),
        _ => Ok(()),
    }
}

/// The init data or the API token of a request.
///
/// Init data is sent as `Authorization: tma <init data>` (Telegram's convention) or
/// `X-Telegram-Init-Data: <init data>` (the Mini App's); each header also accepts the other's form.
/// An API token is sent as `Authorization: Bearer <token>`.
/// <https://docs.telegram-mini-apps.com/platform/authorizing-user>
fn sent(headers: &HeaderMap) -> Result<Sent<'_>, Problem> {
    let mut init_data = Vec::new();
    let mut tokens = Vec::new();
    for value in headers.get_all(header::AUTHORIZATION) {
        let value = pasted(value);
        if let Some(token) = after(b"bearer ", value).filter(|it| is_api_token(it)) {
            tokens.push(token);
        } else if let Some(data) = after(b"tma ", value) {
            init_data.push(data);
        } else if is_init_data(value) {
            // Credentials of another scheme may be sent in addition to init data.
            init_data.push(value);
        }
    }
    for value in headers.get_all(MINI_APP) {
        let value = pasted(value);
        init_data.push(after(b"tma ", value).unwrap_or(value));
    }
    init_data.retain(|init_data| !init_data.is_empty());
    let ambiguous = |reason| Err(Problem::unauthorized(Code::AmbiguousCredentials, reason));
    match (&*init_data, &*tokens) {
        ([], []) => Err(Problem::unauthorized(
            Code::NoCredentials,
            message!("send init data or an API token", "отправьте init data или токен API"),
        )),
        ([], [token]) => Ok(Sent::Token(token)),
        // Neither of two different values has precedence.
        ([first, others @ ..], []) if others.iter().all(|other| other == first) => {
            Ok(Sent::InitData(first))
        }
        (_, []) => ambiguous(message!(
            "the request must not have two different values of init data",
            "в запросе не должно быть двух разных значений init data"
        )),
        _ => ambiguous(message!(
            "send either init data or one API token",
            "отправьте либо init data, либо один токен API"
        )),
    }
}

/// The value without a header name at the start: users paste whole header lines into forms that ask
/// for the value.
fn pasted(value: &HeaderValue) -> &[u8] {
    let mut value = value.as_bytes().trim_ascii();
    for name in [header::AUTHORIZATION.as_str(), MINI_APP] {
        if let Some((found, rest)) = value.split_at_checked(name.len())
            && found.eq_ignore_ascii_case(name.as_bytes())
            && let Some(rest) = rest.strip_prefix(b":")
        {
            value = rest.trim_ascii();
        }
    }
    value
}

/// The rest of a value that has this scheme, in capitals or not.
fn after<'a>(scheme: &[u8], value: &'a [u8]) -> Option<&'a [u8]> {
    let (start, rest) = value.split_at_checked(scheme.len())?;
    start.eq_ignore_ascii_case(scheme).then(|| rest.trim_ascii())
}

/// Whether a `Bearer` credential has the form of our API tokens.
fn is_api_token(credential: &[u8]) -> bool {
    credential.starts_with(token::PREFIX.as_bytes())
}

/// Whether a value without a scheme looks like init data: URL-encoded fields including `hash`.
fn is_init_data(value: &[u8]) -> bool {
    !value.contains(&b' ') && value.split(|byte| *byte == b'&').any(|it| it.starts_with(b"hash="))
}
