//! Who is calling, and what the path names.

use std::{
    str::{self, FromStr},
    sync::Arc,
};

use axum::{
    extract::{FromRequestParts, RawPathParams},
    http::{HeaderMap, HeaderValue, header, request::Parts},
};
use fracti_core::{
    entry_id::EntryId,
    id::{ExpenseId, GroupId, SettlementId},
    table::Claim,
    telegram::{self, User},
};

use crate::{App, Problem};

/// The Mini App's header.
const MINI_APP: &str = "x-telegram-init-data";

/// The Telegram user whom the request's init data was signed for.
///
/// It comes as `Authorization: tma <init data>`, Telegram's convention, or `X-Telegram-Init-Data: <init data>`, the
/// Mini App's; each header also takes the other's form. <https://docs.telegram-mini-apps.com/platform/authorizing-user>
#[derive(Clone, Debug)]
pub struct Caller(pub Arc<User>);

/// The caller's claim to be a member of the group that the path names.
///
/// It gives access to nothing by itself: whatever the table does with it checks it in the same trip.
#[derive(Clone, Copy, Debug)]
pub struct Member(pub Claim);

/// An id that the path names.
#[derive(Clone, Copy, Debug)]
pub struct Id<T>(pub T);

/// What a path calls an id: in the route, in the document and to the client.
pub trait Named: FromStr {
    /// The name.
    const NAME: &str;
}

impl Named for GroupId {
    const NAME: &str = "groupId";
}

impl Named for ExpenseId {
    const NAME: &str = "expenseId";
}

impl Named for SettlementId {
    const NAME: &str = "settlementId";
}

impl Named for EntryId {
    const NAME: &str = "entryId";
}

impl FromRequestParts<App> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        if let Some(caller) = parts.extensions.get::<Self>() {
            return Ok(caller.clone());
        }
        let init_data = init_data(&parts.headers)?;
        let token = app.bot_token.expose();
        let user = telegram::verify(init_data, token, app.init_data_max_age, app.clock.now());
        let caller =
            Self(Arc::new(user.map_err(|refusal| Problem::unauthorized(refusal.to_string()))?));
        parts.extensions.insert(caller.clone());
        Ok(caller)
    }
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

impl FromRequestParts<App> for Member {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let Caller(user) = Caller::from_request_parts(parts, app).await?;
        let Id(group) = Id::from_request_parts(parts, app).await?;
        Ok(Self(Claim { group, user: user.id }))
    }
}

impl<T: Named> FromRequestParts<App> for Id<T>
where
    T::Err: ToString,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let params = params.map_err(|error| Problem::invalid(T::NAME, error.body_text()))?;
        let text = params.iter().find(|(name, _)| *name == T::NAME).map(|(_, text)| text);
        let id = text.unwrap_or_default().parse();
        id.map(Self).map_err(|error: T::Err| Problem::invalid(T::NAME, error.to_string()))
    }
}
