//! What a client sends: a JSON body whose first mistake is named by its place and its rule.

use std::{fmt, str::FromStr, time::Duration};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::{HeaderMap, StatusCode, header},
};
use fracti_core::{Error, decimal::Decimal};
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error as _},
    ser::Error as _,
};
use serde_json::{error::Category, value::RawValue};
use tokio::time::timeout;

use crate::{App, Code, Problem};

/// A JSON body.
#[derive(Clone, Copy, Debug)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let headers = request.headers().clone();
        let body = bytes(request, app).await?;
        parse(&headers, &body).map(Self)
    }
}

/// For how long a body may be on its way, well before the deadline of its request. To Lambda it comes whole; elsewhere nobody keeps a
/// request open for ever.
const PATIENCE: Duration = Duration::from_secs(5);

/// The bytes of a body that is not too large.
pub(crate) async fn bytes(request: Request, app: &App) -> Result<Bytes, Problem> {
    let bytes = timeout(PATIENCE, Bytes::from_request(request, app)).await;
    let late = |_| {
        let message = format!("the body did not arrive within {} seconds", PATIENCE.as_secs());
        Problem::new(Code::InvalidJson, message)
    };
    bytes.map_err(late)?.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            Problem::new(Code::PayloadTooLarge, "a request's body has at most 64 KiB")
        }
        _ => Problem::new(Code::InvalidJson, rejection.body_text()),
    })
}

/// What a body says.
pub(crate) fn parse<T: DeserializeOwned>(headers: &HeaderMap, body: &[u8]) -> Result<T, Problem> {
    if !is_json(headers) {
        let message = "send the body as `Content-Type: application/json`";
        return Err(Problem::new(Code::UnsupportedMediaType, message));
    }
    let invalid = |error: &serde_json::Error| {
        Problem::new(Code::InvalidJson, format!("the body is not JSON: {error}"))
    };
    let mut json = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let path = error.path().to_string();
        let error = error.into_inner();
        match error.classify() {
            Category::Data => {
                let path = if path == "." { "body".to_owned() } else { path };
                let rule = error.to_string();
                // Serde ends with where in the text it stood; the path says it better.
                Problem::invalid(
                    path,
                    rule.rsplit_once(" at line ").map_or(&*rule, |(rule, _)| rule),
                )
            }
            _ => invalid(&error),
        }
    })?;
    json.end().map_err(|error| invalid(&error))?;
    Ok(value)
}

/// `application/json`, whatever its parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let media_type = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let media_type = media_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
    media_type.eq_ignore_ascii_case("application/json")
}

/// The field `path`, which a client may not leave out.
///
/// # Errors
///
/// A [`Problem`] that names it.
pub fn required<T>(path: &str, field: Option<T>) -> Result<T, Problem> {
    field.ok_or_else(|| Error::missing(path).into())
}

/// Text that a client sends, as the value that it stands for: the one place where it is checked.
#[derive(Clone, Debug)]
pub struct Text<T>(pub T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Text<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// What a client may send as a JSON text or as a JSON number, by its digits.
#[derive(Clone, Debug)]
pub struct Scalar<T>(pub T);

impl<'de, T: FromStr<Err: fmt::Display>> Deserialize<'de> for Scalar<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(from)?;
        let json = raw.get();
        let text = if json.starts_with('"') {
            serde_json::from_str::<String>(json).map_err(D::Error::custom)?
        } else {
            json.to_owned()
        };
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// What a client says about a field that it may take away: nothing, `null`, or a value.
#[derive(Clone, Debug)]
pub struct Stated<T>(pub Option<Option<T>>);

impl<T> Default for Stated<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Stated<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Option::deserialize(from).map(|value| Self(Some(value)))
    }
}

/// A number with all its digits, as a JSON number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exact(pub Decimal);

impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let number = RawValue::from_string(self.0.to_string()).map_err(S::Error::custom)?;
        number.serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, Deserialize)]
    struct Body {
        amount: Option<Scalar<Decimal>>,
    }

    fn parsed(json: &str) -> Result<Option<String>, Problem> {
        let headers = [(header::CONTENT_TYPE, "application/json".parse().unwrap())];
        let body: Body = parse(&headers.into_iter().collect(), json.as_bytes())?;
        Ok(body.amount.map(|Scalar(number)| number.to_string()))
    }

    #[test]
    fn a_number_keeps_all_its_digits() {
        for (json, printed) in [
            (r#"{"amount":0.000000001}"#, Some("0.000000001")),
            (r#"{"amount":1e-9}"#, Some("0.000000001")),
            (r#"{"amount":9007199254740993}"#, Some("9007199254740993")),
            (r#"{"amount":"33.33"}"#, Some("33.33")),
            (r#"{"amount":"\u0033"}"#, Some("3")),
            (r#"{"amount": 33.330 }"#, Some("33.33")),
            (r#"{"amount":null}"#, None),
            (r"{}", None),
        ] {
            assert_eq!(parsed(json).unwrap().as_deref(), printed, "{json}");
        }
        let number: Decimal = "33.333333334".parse().unwrap();
        assert_eq!(serde_json::to_string(&[Exact(number)]).unwrap(), "[33.333333334]");
    }

    #[test]
    fn a_mistake_is_named_by_its_place() {
        for json in
            [r#"{"amount":1e400}"#, r#"{"amount":true}"#, r#"{"amount":""}"#, r#"{"amount":[1]}"#]
        {
            let problem = format!("{:?}", parsed(json).unwrap_err());
            assert!(
                problem.contains("ValidationError") && problem.contains(r#"path: "amount""#),
                "{problem}"
            );
        }
        for json in ["", "{", "{}}", r#"{"amount":NaN}"#, r#"{"amount":1.}"#, r#"{"amount":01}"#] {
            let problem = format!("{:?}", parsed(json).unwrap_err());
            assert!(problem.contains("InvalidJson"), "{json}: {problem}");
        }
    }
}
