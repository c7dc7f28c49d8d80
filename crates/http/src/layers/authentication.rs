//! The layer that authenticates requests.
//!
//! The OpenAPI document decides which operations need authentication, so document and server cannot
//! disagree. Unknown paths and methods are refused without authentication.

use std::{collections::HashSet, str, sync::Arc};

use axum::{
    extract::{MatchedPath, Request, State},
    http::{HeaderMap, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};
use fracti_core::telegram::{self, InitData};
use utoipa::openapi::OpenApi;

use crate::{
    App, Context, Problem,
    context::{Credential, Principal},
    openapi,
};

/// Header in which the Mini App sends init data.
const MINI_APP: &str = "x-telegram-init-data";

/// State of the layer: the application, and the operations that need authentication.
#[derive(Clone, Debug)]
pub(crate) struct Authentication {
    app: App,
    operations: Arc<HashSet<(Method, String)>>,
}

impl Authentication {
    /// Requires authentication for the operations of `document` that do not opt out of it.
    pub(crate) fn new(app: App, document: OpenApi) -> Self {
        Self { app, operations: Arc::new(openapi::authenticated(document)) }
    }

    fn is_required(&self, request: &Request) -> bool {
        let Some(path) = request.extensions().get::<MatchedPath>() else { return false };
        // The router serves HEAD with the handler of GET.
        let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
        self.operations.contains(&(method.clone(), path.as_str().to_owned()))
    }
}

/// Adds the principal to the context, or refuses the request.
pub(crate) async fn authenticate(
    State(authentication): State<Authentication>,
    mut context: Context,
    mut request: Request,
    next: Next,
) -> Result<Response, Problem> {
    if authentication.is_required(&request) {
        let principal = principal(&authentication.app, &context, request.headers())?;
        context.principal = Some(principal);
        request.extensions_mut().insert(context);
    }
    Ok(next.run(request).await)
}

/// Authenticates a request by its init data.
///
/// Init data is sent as `Authorization: tma <init data>` (Telegram's convention) or
/// `X-Telegram-Init-Data: <init data>` (the Mini App's); each header also accepts the other's form.
/// <https://docs.telegram-mini-apps.com/platform/authorizing-user>
fn principal(app: &App, context: &Context, headers: &HeaderMap) -> Result<Principal, Problem> {
    let (init_data, token) = (init_data(headers)?, app.bot_token.expose());
    let verified = telegram::verify(init_data, token, app.init_data_max_age, context.now);
    let verified = verified.map_err(|refusal| Problem::unauthorized(refusal.to_string()))?;
    let InitData { user, chat } = verified;
    Ok(Principal { user: Arc::new(user), chat, via: Credential::InitData })
}

/// The init data of a request. Two different values are refused, because neither has precedence.
fn init_data(headers: &HeaderMap) -> Result<&str, Problem> {
    let authorization = headers.get_all(header::AUTHORIZATION).into_iter().filter_map(|value| {
        match pasted(value) {
            (true, init_data) => Some(init_data),
            // Credentials of another scheme may be sent in addition to init data.
            (false, other) => is_init_data(other).then_some(other),
        }
    });
    let mini_app = headers.get_all(MINI_APP).into_iter().map(|value| pasted(value).1);
    let mut all = authorization.chain(mini_app).filter(|init_data| !init_data.is_empty());
    let missing = "init data is missing; send it as `Authorization: tma <init data>` or \
         `X-Telegram-Init-Data: <init data>`";
    let first = all.next().ok_or_else(|| Problem::unauthorized(missing))?;
    if all.any(|other| other != first) {
        return Err(Problem::unauthorized(
            "the request must not have two different values of init data",
        ));
    }
    str::from_utf8(first).map_err(|_| Problem::unauthorized("the init data is not UTF-8"))
}

/// Whether the value has the scheme `tma`, and the rest of the value. A header name at the start is
/// ignored: users paste whole header lines into forms that ask for the value.
fn pasted(value: &HeaderValue) -> (bool, &[u8]) {
    let mut value = value.as_bytes().trim_ascii();
    for name in [header::AUTHORIZATION.as_str(), MINI_APP] {
        if let Some((found, rest)) = value.split_at_checked(name.len())
            && found.eq_ignore_ascii_case(name.as_bytes())
            && let Some(rest) = rest.strip_prefix(b":")
        {
            value = rest.trim_ascii();
        }
    }
    match value.split_at_checked(4) {
        Some((scheme, rest)) if scheme.eq_ignore_ascii_case(b"tma ") => (true, rest.trim_ascii()),
        _ => (false, value),
    }
}

/// Whether a value without a scheme looks like init data: URL-encoded fields including `hash`.
fn is_init_data(value: &[u8]) -> bool {
    !value.contains(&b' ') && value.split(|byte| *byte == b'&').any(|it| it.starts_with(b"hash="))
}
