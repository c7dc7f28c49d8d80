//! Entity tags, with which a client changes only the state that it has seen.
//!
//! <https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests>

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::envelope::of_json;
use crate::Data;

/// Bytes of the hash in a tag.
const LENGTH: usize = 16;

/// A resource in its envelope, with the tag of its state.
#[derive(Debug)]
pub struct Tagged<T>(pub T);

impl<T: Serialize> IntoResponse for Tagged<T> {
    fn into_response(self) -> Response {
        match serde_json::value::to_raw_value(&self.0) {
            Ok(json) => {
                let tag = [(header::ETAG, tag(json.get()))];
                (tag, of_json(StatusCode::OK, &Data::new(&*json))).into_response()
            }
            // Serialized again, so that the response is the error of any other resource.
            Err(_) => Data::new(self.0).into_response(),
        }
    }
}

/// The tag of this JSON, a hash of all its fields.
pub(crate) fn tag(json: &str) -> HeaderValue {
    let hash = Sha256::digest(json);
    let tag = format!("\"{}\"", hex::encode(hash.get(..LENGTH).unwrap_or_default()));
    HeaderValue::from_str(&tag).unwrap_or_else(|_| unreachable!("hexadecimal digits are visible"))
}

/// The tags of `If-Match`. Without the header every state is accepted.
#[derive(Clone, Debug)]
pub struct IfMatch(Option<String>);

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let values = parts.headers.get_all(header::IF_MATCH).iter();
        let values: Vec<_> = values.map(|value| value.to_str().unwrap_or_default()).collect();
        Ok(Self((!values.is_empty()).then(|| values.join(","))))
    }
}

impl IfMatch {
    /// Whether the tag of `view` is one of them.
    pub fn accepts(&self, view: &impl Serialize) -> bool {
        let Some(tags) = &self.0 else { return true };
        let tag = serde_json::to_string(view).map(|json| tag(&json));
        // Our tags have no comma. A weak tag (`W/"…"`) never matches.
        tags.split(',').map(str::trim).any(|known| {
            known == "*" || tag.as_ref().is_ok_and(|tag| tag.as_bytes() == known.as_bytes())
        })
    }
}
