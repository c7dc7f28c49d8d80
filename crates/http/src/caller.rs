//! Who is calling, and what the path names.

use std::{
    str::{self, FromStr},
    sync::Arc,
};

use axum::{
    extract::{FromRequestParts, Path, path::ErrorKind, rejection::PathRejection},
    http::{HeaderMap, HeaderValue, header, request::Parts},
};
use fracti_core::{
    entry_id::EntryId,
    id::{ExpenseId, GroupId, SettlementId},
    table::MemberKey,
    telegram::{self, User},
};

use crate::{App, Parameters, Problem, Query};

/// The Mini App's header.
const MINI_APP: &str = "x-telegram-init-data";

/// The Telegram user whom the request's init data was signed for, and the parameters of the query.
///
/// A handler takes this or [`AsMember`]. So no route answers a request whose query it does not know: `Q` names the
/// parameters, and without it there are none.
///
/// # Order of refusals
///
/// A request that is wrong in several ways is refused for the first of these reasons, on every endpoint:
///
/// 1. there is no such path (404) or method (405);
/// 2. the caller is not known (401);
/// 3. an id of the path, a query parameter, a cursor or the `Idempotency-Key` is invalid (400), or the body is too
///    large (413);
/// 4. there is no such group (404), or the caller is not a member of it (403); a repeated `Idempotency-Key` is answered
///    here, or refused (422);
/// 5. there is no such expense, settlement or entry (404);
/// 6. the caller has no right to it (403);
/// 7. its state does not allow it (409);
/// 8. it is not in the state that `If-Match` names (412);
/// 9. the body is not sent as JSON (415), is no JSON, or breaks rules (400), all of which are reported together; or an
///    expense has too many splits (422).
///
/// A check that needs a part of the body, like the right to record a settlement between two users, is made at its place
/// if that part is valid.
#[derive(Clone, Debug)]
pub struct Caller<Q = ()>(pub Arc<User>, pub Q);

/// The caller's claim to be a member of the group that the path names, and the parameters of the query.
///
/// It gives access to nothing by itself: whatever the table does with it checks it in the same round trip.
#[derive(Clone, Copy, Debug)]
pub struct AsMember<Q = ()>(pub MemberKey, pub Q);

/// An id that the path names.
#[derive(Clone, Copy, Debug)]
pub struct Id<T>(pub T);

/// What a path calls an id: in the route, in the document and to the client.
pub trait PathParam: FromStr {
    /// The name.
    const NAME: &str;
}

impl PathParam for GroupId {
    const NAME: &str = "groupId";
}

impl PathParam for ExpenseId {
    const NAME: &str = "expenseId";
}

impl PathParam for SettlementId {
    const NAME: &str = "settlementId";
}

impl PathParam for EntryId {
    const NAME: &str = "entryId";
}

impl<Q: Parameters> FromRequestParts<App> for Caller<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = identify(parts, app)?;
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(user, query))
    }
}

/// The user whom the request's init data was signed for.
///
/// It comes as `Authorization: tma <init data>`, Telegram's convention, or `X-Telegram-Init-Data: <init data>`, the
/// Mini App's; each header also takes the other's form. <https://docs.telegram-mini-apps.com/platform/authorizing-user>
pub(crate) fn identify(parts: &mut Parts, app: &App) -> Result<Arc<User>, Problem> {
    if let Some(user) = parts.extensions.get::<Arc<User>>() {
        return Ok(user.clone());
    }
    let init_data = init_data(&parts.headers)?;
    let token = app.bot_token.expose();
    let user = telegram::verify(init_data, token, app.init_data_max_age, app.clock.now());
    let user = Arc::new(user.map_err(|refusal| Problem::unauthorized(refusal.to_string()))?);
    parts.extensions.insert(user.clone());
    Ok(user)
}

/// The init data of a request. Two that differ are refused: neither counts more than the other.
fn init_data(headers: &HeaderMap) -> Result<&str, Problem> {
    let authorization = headers.get_all(header::AUTHORIZATION).into_iter().filter_map(|value| {
        match pasted(value) {
            (true, init_data) => Some(init_data),
            // Another scheme's credentials may stand beside it.
            (false, other) => is_init_data(other).then_some(other),
        }
    });
    let mini_app = headers.get_all(MINI_APP).into_iter().map(|value| pasted(value).1);
    let mut all = authorization.chain(mini_app).filter(|init_data| !init_data.is_empty());
    let missing = "send Telegram's init data as `Authorization: tma <init data>` or `X-Telegram-Init-Data: <init data>`";
    let first = all.next().ok_or_else(|| Problem::unauthorized(missing))?;
    if all.any(|other| other != first) {
        return Err(Problem::unauthorized("the request has two init data that differ"));
    }
    str::from_utf8(first).map_err(|_| Problem::unauthorized("the init data is no text"))
}

/// Whether the value names the scheme `tma`, and what follows it. Either header may come with it or without it, and with
/// its own name before, as it is when a whole line is pasted into a form that asks for the value.
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

/// Whether a value without a scheme looks like init data: URL-encoded fields, one of them the hash.
fn is_init_data(value: &[u8]) -> bool {
    !value.contains(&b' ') && value.split(|byte| *byte == b'&').any(|it| it.starts_with(b"hash="))
}

impl<Q: Parameters> FromRequestParts<App> for AsMember<Q> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let user = identify(parts, app)?.id;
        let Id(group) = Id::from_request_parts(parts, app).await?;
        let Query(query) = Query::from_request_parts(parts, app).await?;
        Ok(Self(MemberKey { group, user }, query))
    }
}

impl<T: PathParam> FromRequestParts<App> for Id<T>
where
    T::Err: ToString,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        identify(parts, app)?;
        let params = Path::<Vec<(String, String)>>::from_request_parts(parts, app).await;
        let Path(params) = params.map_err(|rejection| {
            let rejection = match rejection {
                PathRejection::FailedToDeserializePathParams(error) => error.into_kind(),
                other => ErrorKind::Message(other.body_text()),
            };
            match rejection {
                ErrorKind::InvalidUtf8InPathParam { key } => {
                    let rule = format!("{key} must be UTF-8");
                    Problem::invalid(key, rule)
                }
                other => Problem::invalid(T::NAME, other.to_string()),
            }
        })?;
        let text = params.iter().find(|(name, _)| *name == T::NAME).map(|(_, text)| text.as_str());
        let id = text.unwrap_or_default().parse();
        id.map(Self).map_err(|error: T::Err| Problem::invalid(T::NAME, error.to_string()))
    }
}
