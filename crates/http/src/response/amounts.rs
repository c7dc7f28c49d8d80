//! Amounts in responses: JSON numbers, or JSON strings for clients whose numbers are floats.
//!
//! Views serialize amounts as [`JsonDecimal`], a number that ends in `e0`; no other number of a
//! response has an exponent. [`layer`] rewrites these numbers in the requested form once the
//! response is complete, so entity tags and stored responses do not depend on the form.

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, header},
    middleware::Next,
    response::Response,
};
use fracti_core::{values::decimal::Decimal, words};
use memchr::memchr2;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

/// Query parameter with the form.
pub(crate) const PARAMETER: &str = "amounts";

/// Suffix that marks the number of an amount.
const MARK: &str = "e0";

/// An exact amount or percentage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonDecimal(pub Decimal);

impl Serialize for JsonDecimal {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let number = format!("{}{MARK}", self.0);
        serde_json::from_str::<&RawValue>(&number).map_err(S::Error::custom)?.serialize(to)
    }
}

words! {
    /// AmountsAs of the amounts in a response.
    pub(crate) enum AmountsAs as "AmountsForm" {
        /// JSON numbers.
        Number = "number",
        /// JSON strings with the same digits.
        Text = "text",
    }
}

impl AmountsAs {
    /// The requested form: from the query, else from a parameter of the accepted media type. An
    /// invalid form in the query is reported with the other parameters.
    fn of(request: &Request) -> Self {
        let query = request.uri().query().unwrap_or_default();
        let asked = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == PARAMETER);
        match asked {
            Some((_, form)) => form.parse().unwrap_or(Self::Number),
            None => Self::accepted(request.headers()),
        }
    }

    /// The form from `Accept: application/json;amounts=text`.
    fn accepted(headers: &HeaderMap) -> Self {
        let accepted = headers.get_all(header::ACCEPT).into_iter();
        let mut ranges =
            accepted.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
        let form = |range: &str| {
            let mut parts = range.split(';').map(str::trim);
            parts.next().filter(|it| it.eq_ignore_ascii_case("application/json"))?;
            parts.find_map(|parameter| {
                let (name, form) = parameter.split_once('=')?;
                let ours = name.trim().eq_ignore_ascii_case(PARAMETER);
                form.trim().trim_matches('"').parse().ok().filter(|_| ours)
            })
        };
        ranges.find_map(form).unwrap_or(Self::Number)
    }
}

/// The JSON that a view was written as, with its amounts as numbers, as in a response.
#[must_use]
pub fn shown(json: &[u8]) -> Vec<u8> {
    written(json, AmountsAs::Number)
}

/// Rewrites the amounts of a JSON response in the requested form.
pub(crate) async fn layer(request: Request, next: Next) -> Response {
    let form = AmountsAs::of(&request);
    let response = next.run(request).await;
    let media_type = response.headers().get(header::CONTENT_TYPE);
    if media_type.is_some_and(|it| !it.as_bytes().starts_with(b"application/json")) {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    // All our bodies are in memory already.
    let json = to_bytes(body, usize::MAX).await.unwrap_or_default();
    Response::from_parts(parts, Body::from(written(&json, form)))
}

/// Rewrites the amounts of the JSON in this form.
fn written(json: &[u8], form: AmountsAs) -> Vec<u8> {
    let quote: &[u8] = if form == AmountsAs::Text { b"\"" } else { b"" };
    let mut written = Vec::with_capacity(json.len());
    // The part that is not copied yet, and the place in it up to which there is no mark.
    let mut rest = json;
    let mut seen = 0_usize;
    while let Some((before, after)) = split_at_first(rest, seen) {
        seen = before.len();
        let is_number = after.starts_with(b"e") && before.last().is_some_and(u8::is_ascii_digit);
        if let Some(after) = after.strip_prefix(MARK.as_bytes()) {
            debug_assert!(is_number, "a mark stands after a number");
            let number = before.iter().rev().take_while(|byte| is_in_number(**byte)).count();
            let (text, amount) = before.split_at(before.len().saturating_sub(number));
            for part in [text, quote, amount, quote] {
                written.extend_from_slice(part);
            }
            (rest, seen) = (after, 0);
        } else {
            debug_assert!(!is_number, "only amounts have an exponent");
            seen = seen.saturating_add(if after.starts_with(b"\"") { string(after) } else { 1 });
        }
    }
    written.extend_from_slice(rest);
    written
}

/// Splits JSON before the first `"` or `e` from an index on: the start of a string, or what may be
/// a mark.
fn split_at_first(json: &[u8], from: usize) -> Option<(&[u8], &[u8])> {
    let found = memchr2(b'"', b'e', json.get(from..)?)?;
    json.split_at_checked(from.saturating_add(found))
}

const fn is_in_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'.' | b'0'..=b'9')
}

/// Length of the JSON string at the start of `json`, including its quotes.
fn string(json: &[u8]) -> usize {
    let mut length = 1_usize;
    while let Some(found) = json.get(length..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        length = length.saturating_add(found);
        if json.get(length) == Some(&b'"') {
            return length.saturating_add(1);
        }
        // The escaped byte may be a quote.
        length = length.saturating_add(2);
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;
    use serde_json::json;

    #[test]
    fn amounts_have_the_form_that_is_asked_for() {
        let amount = |text: &str| JsonDecimal(text.parse().unwrap());
        let data = [
            (r#"1e0 "-2e0, \"#.to_owned(), amount("33.333333334"), json!(10)),
            (r#"\"\\"#.to_owned(), amount("-0.000000001"), json!(true)),
            ("3e0".to_owned(), amount("9007199254740993"), json!([false, 0])),
        ];
        let marked = serde_json::to_vec(&data).unwrap();
        let read = |form| String::from_utf8(written(&marked, form)).unwrap();
        assert_eq!(
            read(AmountsAs::Number),
            r#"[["1e0 \"-2e0, \\",33.333333334,10],["\\\"\\\\",-0.000000001,true],["3e0",9007199254740993,[false,0]]]"#
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&read(AmountsAs::Text)).unwrap(),
            json!([
                [data[0].0, "33.333333334", 10],
                [data[1].0, "-0.000000001", true],
                ["3e0", "9007199254740993", [false, 0]],
            ])
        );
    }

    #[test]
    fn a_media_type_asks_for_a_form() {
        for (accept, form) in [
            ("application/json", AmountsAs::Number),
            ("application/json;amounts=text", AmountsAs::Text),
            ("text/html, Application/JSON ; q=0.9; Amounts=\"text\"", AmountsAs::Text),
            ("application/json;amounts=number", AmountsAs::Number),
            ("application/json;amounts=words", AmountsAs::Number),
            ("text/plain;amounts=text", AmountsAs::Number),
        ] {
            let headers = [(header::ACCEPT, HeaderValue::from_static(accept))];
            assert_eq!(AmountsAs::accepted(&headers.into_iter().collect()), form, "{accept}");
        }
    }
}
