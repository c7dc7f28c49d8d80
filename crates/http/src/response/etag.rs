//! Entity tags, with which a client changes only the state that it has seen, and does not load
//! again what it has.
//!
//! <https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests>

use std::convert::Infallible;

use axum::{
    body::Body,
    extract::FromRequestParts,
    http::{HeaderValue, StatusCode, header, request::Parts},
    response::{IntoResponse, Response},
};
use fracti_texts::{Message, Says, errors, rule};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::envelope::of_json;
use crate::response::{envelope::Data, problem::Problem};

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

/// A resource that is the same for all users until the next version of Fracti, in its envelope, for
/// any cache to keep for a day. A client that has this state already gets no body.
#[derive(Debug)]
pub struct Public<T>(pub T, pub IfNoneMatch);

/// Rights of a cache to a [`Public`] resource.
const FOR_A_DAY: HeaderValue = HeaderValue::from_static("public, max-age=86400");

impl<T: Serialize> IntoResponse for Public<T> {
    fn into_response(self) -> Response {
        let Self(view, known) = self;
        let mut response = Tagged(view).into_response();
        // An error has no tag.
        let Some(tag) = response.headers().get(header::ETAG) else { return response };
        if known.has(tag) {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            *response.body_mut() = Body::empty();
            response.headers_mut().remove(header::CONTENT_TYPE);
        }
        response.headers_mut().insert(header::CACHE_CONTROL, FOR_A_DAY);
        response
    }
}

/// The tags of `If-None-Match`. A value that is not a tag matches no state, so the client gets the
/// resource.
#[derive(Clone, Debug)]
pub struct IfNoneMatch(Vec<HeaderValue>);

impl<S: Sync> FromRequestParts<S> for IfNoneMatch {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(parts.headers.get_all(header::IF_NONE_MATCH).iter().cloned().collect()))
    }
}

impl IfNoneMatch {
    /// Whether one of them is this tag, also as a weak one, or `*`.
    fn has(&self, tag: &HeaderValue) -> bool {
        let texts = self.0.iter().filter_map(|value| value.to_str().ok());
        // Our tags have no comma.
        texts.flat_map(|text| text.split(',')).map(str::trim).any(|known| {
            known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == tag.as_bytes()
        })
    }
}

/// The tag of a resource, which [`Tagged`] sends and [`IfMatch`] takes; empty if it has no JSON.
#[must_use]
pub fn tag_of(view: &impl Serialize) -> String {
    let tag = serde_json::to_string(view).map(|json| tag(&json));
    tag.ok().and_then(|tag| tag.to_str().map(str::to_owned).ok()).unwrap_or_default()
}

/// The tag of this JSON, a hash of all its fields.
pub(crate) fn tag(json: &str) -> HeaderValue {
    let hash = Sha256::digest(json);
    let tag = format!("\"{}\"", hex::encode(hash.get(..LENGTH).unwrap_or_default()));
    HeaderValue::from_str(&tag).unwrap_or_else(|_| unreachable!("hexadecimal digits are visible"))
}

/// The tags of `If-Match`. Without the header, or with `*`, every state is accepted.
#[derive(Clone, Debug)]
pub struct IfMatch(Option<Vec<String>>);

/// Error returned for a header that could match no state: the client would read the state again and
/// again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum IfMatchError {
    Form,
    /// Fracti's tags are strong, but a proxy that changes the encoding of a body makes them weak.
    Weak,
}

impl Says for IfMatchError {
    fn says(&self) -> Message {
        match self {
            Self::Form => rule!(
                "{field} must be an ETag with its quotes, several with commas between them, or *",
                "{field} должно быть ETag в кавычках, несколькими через запятую или *"
            ),
            Self::Weak => rule!(
                "{field} must not have a weak tag, which matches no state: leave out its W/",
                "{field} не должно быть слабым тегом, он не совпадёт ни с чем: уберите W/"
            ),
        }
    }
}

errors!(IfMatchError);

impl<S: Sync> FromRequestParts<S> for IfMatch {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let values = parts.headers.get_all(header::IF_MATCH).iter();
        let values: Result<Vec<_>, _> = values.map(HeaderValue::to_str).collect();
        let tags = match values {
            Ok(values) if values.is_empty() => return Ok(Self(None)),
            Ok(values) => tags(&values.join(",")),
            Err(_) => Err(IfMatchError::Form),
        };
        tags.map(Self).map_err(|error| Problem::invalid("If-Match", error))
    }
}

/// Reads a list of strong tags; `None` is `*`.
fn tags(text: &str) -> Result<Option<Vec<String>>, IfMatchError> {
    const BLANKS: [char; 2] = [' ', '\t'];
    const SEPARATORS: [char; 3] = [',', ' ', '\t'];

    if text.trim_matches(BLANKS) == "*" {
        return Ok(None);
    }
    let mut tags = Vec::new();
    let mut rest = text.trim_start_matches(SEPARATORS);
    while !rest.is_empty() {
        if rest.starts_with("W/") {
            return Err(IfMatchError::Weak);
        }
        let quoted = rest.strip_prefix('"').and_then(|rest| rest.split_once('"'));
        let (tag, after) = quoted.ok_or(IfMatchError::Form)?;
        let after = after.trim_start_matches(BLANKS);
        let is_last = after.is_empty();
        if !tag.bytes().all(|byte| byte.is_ascii_graphic()) || !(is_last || after.starts_with(','))
        {
            return Err(IfMatchError::Form);
        }
        tags.push(format!("\"{tag}\""));
        rest = after.trim_start_matches(SEPARATORS);
    }
    if tags.is_empty() { Err(IfMatchError::Form) } else { Ok(Some(tags)) }
}

impl IfMatch {
    /// Whether the tag of `view` is one of them.
    pub fn accepts(&self, view: &impl Serialize) -> bool {
        let Some(tags) = &self.0 else { return true };
        let tag = serde_json::to_string(view).map(|json| tag(&json));
        tag.is_ok_and(|tag| tags.iter().any(|known| known.as_bytes() == tag.as_bytes()))
    }
}
