//! Paging by `limit` and `cursor`.
//!
//! A cursor is the position of a row, signed together with the list that it belongs to. A cursor of
//! another list, group or user and a forged cursor are refused.

use std::str::FromStr;

use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use fracti_store::{Page, Position, Slice};
use fracti_texts::{Message, Says, errors, message, rule};
use hmac::{Hmac, KeyInit, Mac};
use serde::{Serialize, de::DeserializeOwned};
use sha2::Sha256;

use crate::{
    app::App,
    request::{
        description::Description,
        query::{Parameters, QueryReader},
    },
    response::{
        envelope::List,
        limits::{DEFAULT_LIMIT, MAX_LIMIT},
        problem::{Code, Problem},
    },
};

/// Bytes of the signature in a cursor.
const SIGNATURE: usize = 16;

/// The requested page of a list: `limit` (usually 1 to [`MAX_LIMIT`]) and `cursor`.
#[derive(Clone, Debug)]
pub struct Paging {
    limit: Option<usize>,
    cursor: Option<String>,
    /// `None` if the parameters are described; then there are no cursors.
    app: Option<App>,
}

/// The list that a cursor belongs to: its name and its owner.
#[derive(Clone, Debug)]
pub struct ListId(String);

impl ListId {
    /// The list `name` of the group or user `of`.
    pub fn new(name: &str, of: &impl ToString) -> Self {
        Self(format!("{name}/{}", of.to_string()))
    }

    /// The part of the list that a filter selects. A cursor continues only with the same filter.
    #[must_use]
    pub fn filtered(self, filter: &impl Serialize) -> Self {
        let filter = serde_json::to_string(filter).unwrap_or_default();
        Self(format!("{}?{filter}", self.0))
    }
}

impl Parameters for Paging {
    fn read(query: &mut QueryReader) -> Self {
        Self::up_to::<MAX_LIMIT>(query)
    }
}

/// Requested number of items of a page: 1 to `MAX`.
#[derive(Clone, Copy, Debug)]
pub struct Limit<const MAX: usize>(pub usize);

/// Error returned for an invalid limit. The value is the maximum.
#[derive(Clone, Copy, Debug)]
pub struct LimitError(usize);

impl Says for LimitError {
    fn says(&self) -> Message {
        let Self(most) = self;
        rule!(
            "{field} must be a whole number from 1 to {most}",
            "{field} должно быть целым числом от 1 до {most}"
        )
    }
}

errors!(LimitError);

impl<const MAX: usize> FromStr for Limit<MAX> {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, LimitError> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let limit = text.parse().ok().filter(|limit| digits && (1..=MAX).contains(limit));
        limit.map(Self).ok_or(LimitError(MAX))
    }
}

impl Paging {
    /// Reads the requested page of a list whose pages have up to `MAX` items.
    pub fn up_to<const MAX: usize>(query: &mut QueryReader) -> Self {
        let limit = query.parse("limit").map(|Limit::<MAX>(limit)| limit);
        Self { limit, cursor: query.parse("cursor"), app: query.app().cloned() }
    }

    /// Reads the requested page of a list that is followed by the parameter `after`, which is
    /// described by `about`.
    pub fn following(query: &mut QueryReader, about: &'static str) -> Self {
        let limit = query.parse("limit").map(|Limit::<MAX_LIMIT>(limit)| limit);
        Self {
            limit,
            cursor: query.read("after", about, Description::inline::<String>),
            app: query.app().cloned(),
        }
    }

    /// Requested number of items.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(DEFAULT_LIMIT)
    }

    /// Sets the default limit.
    #[must_use]
    pub fn or_limit(self, default: usize) -> Self {
        Self { limit: self.limit.or(Some(default)), ..self }
    }

    /// The position after which the page of the list `list_id` starts.
    ///
    /// # Errors
    ///
    /// `INVALID_CURSOR` for a forged cursor and for a cursor of another list.
    pub fn after<P: DeserializeOwned>(&self, list_id: &ListId) -> Result<Option<P>, Problem> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let read = || {
            let bytes = BASE64_URL_SAFE_NO_PAD.decode(cursor).ok()?;
            let (signature, json) = bytes.split_at_checked(SIGNATURE)?;
            self.signature(list_id, json).verify_truncated_left(signature).ok()?;
            serde_json::from_slice(json).ok()
        };
        let problem = || {
            Problem::new(
                Code::InvalidCursor,
                message!(
                    "cursor must be of this list, with the same filters",
                    "курсор должен быть от этого же списка с теми же фильтрами"
                ),
            )
        };
        read().map(Some).ok_or_else(problem)
    }

    /// The cursor of a position in the list `list_id`.
    pub fn cursor(&self, list_id: &ListId, position: &impl Serialize) -> String {
        let json = serde_json::to_vec(position).unwrap_or_default();
        let signature = self.signature(list_id, &json).finalize().into_bytes();
        let mut bytes = signature.get(..SIGNATURE).unwrap_or_default().to_vec();
        bytes.extend(json);
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The requested page of the list `list_id`.
    ///
    /// # Errors
    ///
    /// As [`Paging::after`].
    pub fn page(&self, list_id: &ListId) -> Result<Page, Problem> {
        Ok(Page { limit: self.limit(), after: self.after::<Position>(list_id)? })
    }

    /// The response with a slice of the list `list_id`.
    pub fn list<T, V: From<T>>(&self, list_id: &ListId, slice: Slice<T>) -> List<V> {
        self.list_of(list_id, slice, V::from)
    }

    /// [`Paging::list`], with this view of each item.
    pub fn list_of<T, V>(
        &self,
        list_id: &ListId,
        slice: Slice<T>,
        view: impl Fn(T) -> V,
    ) -> List<V> {
        let next = slice.next.map(|position| self.cursor(list_id, &position));
        List::new(slice.items.into_iter().map(view), next).leaving_out(slice.unreadable)
    }

    /// Uses a key derived for cursors, so that a signature of init data is never one of a cursor.
    fn signature(&self, list_id: &ListId, json: &[u8]) -> Hmac<Sha256> {
        let key = |bytes: &[u8]| {
            Hmac::<Sha256>::new_from_slice(bytes)
                .unwrap_or_else(|_| unreachable!("HMAC takes a key of any length"))
        };
        let Some(app) = &self.app else {
            unreachable!("a handler has the parameters of a request")
        };
        let secret = key(app.bot_token.expose().as_bytes());
        let secret = secret.chain_update("fracti cursor").finalize().into_bytes();
        key(&secret).chain_update(&list_id.0).chain_update([0]).chain_update(json)
    }
}
