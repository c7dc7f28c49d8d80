//! Compression of what a browser gets.

use std::io::Write;

use axum::{
    body::{Body, to_bytes},
    extract::Request,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use flate2::{Compression, write::GzEncoder};

/// The largest body that is compressed, in bytes. No screen has as many.
const MAX_BODY: usize = 4 << 20;

/// Whether a browser takes the gzip format. Shell and script are compressed once, which a layer
/// cannot know.
///
/// <https://www.rfc-editor.org/rfc/rfc9110#name-accept-encoding>
pub(crate) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT_ENCODING).iter();
    let codings = accepted.filter_map(|it| it.to_str().ok()).flat_map(|it| it.split(','));
    let codings: Vec<_> = codings.collect();
    let weight_of = |name: &str| {
        codings.iter().find_map(|coding| {
            let (coding, weight) = coding.split_once(';').unwrap_or((coding, "q=1"));
            let is_meant = coding.trim().eq_ignore_ascii_case(name);
            is_meant.then(|| weight.trim_start().trim_start_matches(['q', 'Q', '=']).trim())
        })
    };
    let weight = weight_of("gzip").or_else(|| weight_of("*"));
    weight.is_some_and(|weight| weight.contains(|digit: char| matches!(digit, '1'..='9')))
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
    let accepts = accepts_gzip(request.headers());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_that_refuses_gzip_gets_none() {
        let cases = [
            ("gzip, deflate, br", true),
            ("br;q=1.0, gzip;q=0.8", true),
            ("*", true),
            ("GZIP", true),
            ("gzip;q=0", false),
            ("gzip; q=0.000, *", false),
            ("*;q=0", false),
            ("br", false),
            ("", false),
        ];
        for (sent, accepts) in cases {
            let header = (header::ACCEPT_ENCODING, HeaderValue::from_static(sent));
            assert_eq!(accepts_gzip(&[header].into_iter().collect()), accepts, "{sent}");
        }
    }
}
