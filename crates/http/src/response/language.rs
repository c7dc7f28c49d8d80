//! The language of messages.

use std::convert::Infallible;

use axum::{
    extract::FromRequestParts,
    http::{HeaderMap, HeaderName, HeaderValue, header, request::Parts},
};
use fracti_texts::Language;

/// The language that a request asks for: the best match of `Accept-Language`, or English.
#[derive(Clone, Copy, Debug)]
pub struct AcceptLanguage(pub Language);

impl<S: Sync> FromRequestParts<S> for AcceptLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self(asked(&parts.headers)))
    }
}

/// The headers of a response with texts in the language.
#[must_use]
pub const fn headers(language: Language) -> [(HeaderName, HeaderValue); 2] {
    [
        (header::CONTENT_LANGUAGE, HeaderValue::from_static(language.code())),
        (header::VARY, HeaderValue::from_static("accept-language")),
    ]
}

/// The language that the headers of a request ask for. Of several with the same weight it is the
/// first one, and `*` stands for English. What cannot be read is skipped.
fn asked(headers: &HeaderMap) -> Language {
    let values = headers.get_all(header::ACCEPT_LANGUAGE).iter();
    let ranges = values.filter_map(|value| value.to_str().ok()).flat_map(|it| it.split(','));
    let mut best = Language::English;
    let mut most = 0;
    for (language, weight) in ranges.filter_map(weighted) {
        if weight > most {
            (best, most) = (language, weight);
        }
    }
    best
}

/// The language of a range like `ru-RU;q=0.8` and its weight in thousandths; `None` if it is
/// another one or cannot be read.
fn weighted(range: &str) -> Option<(Language, u16)> {
    let (tag, parameter) = range.split_once(';').unwrap_or((range, "q=1"));
    let primary = tag.split('-').next()?.trim();
    let is_meant = |it: &Language| it.code().eq_ignore_ascii_case(primary);
    let any = (primary == "*").then_some(Language::English);
    let language = any.or_else(|| Language::ALL.into_iter().find(is_meant))?;
    let (name, weight) = parameter.split_once('=')?;
    name.trim().eq_ignore_ascii_case("q").then_some(())?;
    Some((language, thousandths(weight.trim())?))
}

/// A weight from 0 to 1 with at most three decimals, in thousandths.
fn thousandths(weight: &str) -> Option<u16> {
    let (whole, decimals) = weight.split_once('.').unwrap_or((weight, ""));
    let is_valid = decimals.len() <= 3 && decimals.bytes().all(|byte| byte.is_ascii_digit());
    let decimals: u16 = format!("{decimals:0<3}").parse().ok().filter(|_| is_valid)?;
    match (whole, decimals) {
        ("0", decimals) => Some(decimals),
        ("1", 0) => Some(1000),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_match_is_chosen() {
        for (values, language) in [
            (&[][..], "en"),
            (&["ru"], "ru"),
            (&["RU-ru"], "ru"),
            (&["ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7"], "ru"),
            (&["en-US,en;q=0.9,ru;q=0.8"], "en"),
            (&["en;q=0.3, ru;q=0.31"], "ru"),
            (&["en;q=0.5,ru;q=0.5"], "en"),
            (&["ru;q=0.5,en;q=0.5"], "ru"),
            (&["uk, ru ; Q=0.5"], "ru"),
            (&["en;q=0.1", "ru;q=0.2"], "ru"),
            (&["ru;q=0"], "en"),
            (&["ru;q=0.000, de"], "en"),
            (&["*"], "en"),
            (&["ru, *;q=0.5"], "ru"),
            (&["*, ru;q=0.5"], "en"),
            (&["ru;q=0, *"], "en"),
            (&["de-DE,de;q=0.9"], "en"),
            (&["rus", "run-RU"], "en"),
            (&["ru;q=2"], "en"),
            (&["ru;q=-1,ru;q=,ru;q=0.1234,ru;q=0.x,ru;level=1,ru;"], "en"),
            (&[",;;=,ru;q=1.0"], "ru"),
            (&["русский"], "en"),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(header::ACCEPT_LANGUAGE, value.parse().unwrap());
            }
            assert_eq!(asked(&headers).code(), language, "{values:?}");
        }
    }
}
