//! A screen as the response of its route.

use std::io::Write;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};
use maud::Markup;

use crate::shell;

/// The largest body that is compressed, in bytes. No screen has as many.
const MAX_BODY: usize = 4 << 20;

/// Characters that change the direction of what follows them. A name with one of them would turn the
/// digits of an amount in the same sentence around.
///
/// <https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters>
const DIRECTIONS: [char; 9] = [
    '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}',
    '\u{2069}',
];

/// The HTML of a screen.
pub(crate) struct Fragment(pub Markup);

impl IntoResponse for Fragment {
    fn into_response(self) -> Response {
        let headers = [
            (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
            (header::VARY, HeaderValue::from_static("Authorization, Accept-Language")),
            // The script loads the document again if its own version is another one.
            (header::HeaderName::from_static("x-page-version"), shell::version()),
        ];
        (headers, self.0.into_string().replace(DIRECTIONS, "")).into_response()
    }
}

/// `text` in the gzip format.
pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

/// Compresses screens for browsers that accept it, which an HTTP API of API Gateway does not do.
pub(crate) async fn compress(request: Request, next: Next) -> Response {
    let accepted = request.headers().get_all(header::ACCEPT_ENCODING).iter();
    let accepts = accepted.filter_map(|it| it.to_str().ok()).any(|it| it.contains("gzip"));
    let response = next.run(request).await;
    let is_encoded = response.headers().contains_key(header::CONTENT_ENCODING);
    if !accepts || is_encoded || response.status() != StatusCode::OK {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let Ok(body) = to_bytes(body, MAX_BODY).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    let body = gzip(&body);
    parts.headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    parts.headers.insert(header::CONTENT_LENGTH, body.len().into());
    Response::from_parts(parts, Body::from(body))
}
