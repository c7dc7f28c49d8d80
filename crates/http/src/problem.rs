//! The body of every response that is not a success.

use std::sync::Arc;

use axum::{
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use fracti_core::{Cause, Error, settlement::SettlementError};
use serde::Serialize;
use utoipa::ToSchema;

/// Why a request was not served: what the client is told, and what only the log is.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    message: String,
    details: Vec<Detail>,
    retry: bool,
    cause: Option<Cause>,
}

/// A field of the request, and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Detail {
    /// Where the field is, like `splits[1].amount`; a query parameter or a header by its name.
    #[schema(example = "splits[1].amount")]
    pub path: String,
    /// The rule.
    #[schema(example = "USD has at most 2 decimals")]
    pub message: String,
}

/// A problem as it is sent.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// Always `false`.
    success: bool,
    /// A word for programs; it never changes.
    #[schema(example = "VALIDATION_ERROR")]
    error: &'static str,
    /// A sentence for people.
    message: String,
    /// The fields that break a rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Detail>,
    /// What to name when asking about it.
    request_id: String,
}

impl Problem {
    /// A problem with a code for programs and a sentence for people.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let (message, details) = (message.into(), Vec::new());
        Self { status, code, message, details, retry: false, cause: None }
    }

    /// The field at `path` breaks a rule.
    pub fn invalid(path: impl Into<String>, rule: impl Into<String>) -> Self {
        let detail = Detail { path: path.into(), message: rule.into() };
        let message = format!("{}: {}", detail.path, detail.message);
        let problem = Self::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message);
        Self { details: vec![detail], ..problem }
    }

    /// Nobody knows who is calling.
    pub fn unauthorized(reason: impl Into<String>) -> Self {
        Self::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", reason)
    }

    pub(crate) fn cause(&self) -> Option<&(dyn std::error::Error + Send + Sync)> {
        self.cause.as_deref()
    }

    /// The response, which names the request.
    pub(crate) fn render(&self, request_id: &str) -> Response {
        let body = ProblemBody {
            success: false,
            error: self.code,
            message: sentence(&self.message),
            details: self.details.clone(),
            request_id: request_id.to_owned(),
        };
        let mut response = (self.status, axum::Json(body)).into_response();
        let headers = response.headers_mut();
        if self.retry {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("tma"));
        }
        response
    }
}

/// The message as a sentence. One that begins with a field's name keeps it as it is.
fn sentence(message: &str) -> String {
    let end = if message.ends_with('.') { "" } else { "." };
    let mut rest = message.chars();
    match rest.next() {
        Some(first) if !message.split(' ').next().is_some_and(|word| word.ends_with(':')) => {
            format!("{}{}{end}", first.to_uppercase(), rest.as_str())
        }
        _ => format!("{message}{end}"),
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let new = |status, code| Self::new(status, code, error.to_string());
        let later = |problem| Self { retry: true, ..problem };
        match &error {
            Error::NoGroup => new(StatusCode::NOT_FOUND, "GROUP_NOT_FOUND"),
            Error::NoExpense => new(StatusCode::NOT_FOUND, "EXPENSE_NOT_FOUND"),
            Error::NoSettlement => new(StatusCode::NOT_FOUND, "SETTLEMENT_NOT_FOUND"),
            Error::NotMember => new(StatusCode::FORBIDDEN, "NOT_A_MEMBER"),
            Error::Invalid { path, rule } => Self::invalid(path, rule.as_str()),
            Error::TooManyShares(_) => Self {
                details: vec![Detail { path: "splits".to_owned(), message: error.to_string() }],
                ..new(StatusCode::UNPROCESSABLE_ENTITY, "TOO_MANY_SPLITS")
            },
            Error::Settlement(SettlementError::Final(_)) => {
                new(StatusCode::CONFLICT, "SETTLEMENT_FINAL")
            }
            Error::NotYourExpense
            | Error::Settlement(
                SettlementError::NotParty
                | SettlementError::NotPayer
                | SettlementError::NotRecipient,
            ) => new(StatusCode::FORBIDDEN, "NOT_ALLOWED"),
            Error::TxHashUsed => new(StatusCode::CONFLICT, "TX_HASH_USED"),
            Error::KeyReused => new(StatusCode::UNPROCESSABLE_ENTITY, "IDEMPOTENCY_KEY_REUSED"),
            Error::Contended => later(new(StatusCode::CONFLICT, "CONFLICT")),
            Error::Unavailable(_) => Self {
                cause: Some(error.into()),
                ..later(Self::new(
                    StatusCode::SERVICE_UNAVAILABLE,
                    "UNAVAILABLE",
                    "Fracti is not available at this moment; try again",
                ))
            },
            Error::Table(_) => Self {
                cause: Some(error.into()),
                ..Self::new(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "INTERNAL",
                    "something went wrong inside of Fracti",
                )
            },
        }
    }
}

impl IntoResponse for Problem {
    /// Leaves the body to the layer around every route, which knows the request's id and logs the cause.
    fn into_response(self) -> Response {
        let mut response = self.status.into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
    }
}

pub(crate) async fn no_route() -> Problem {
    Problem::new(StatusCode::NOT_FOUND, "ROUTE_NOT_FOUND", "no such path")
}

pub(crate) async fn no_method() -> Problem {
    Problem::new(
        StatusCode::METHOD_NOT_ALLOWED,
        "METHOD_NOT_ALLOWED",
        "this path has no such method",
    )
}
