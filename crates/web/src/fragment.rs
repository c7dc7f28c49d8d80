//! A screen as the response of its route.

use axum::{
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use maud::Markup;

use crate::shell;

/// Characters that change the direction of what follows them. A name with one of them would turn
/// the digits of an amount in the same sentence around.
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
            (header::VARY, HeaderValue::from_static("Authorization, Accept-Texts")),
            // The script loads the document again if its own version is another one.
            (header::HeaderName::from_static("x-page-version"), shell::version()),
        ];
        (headers, self.0.into_string().replace(DIRECTIONS, "")).into_response()
    }
}
