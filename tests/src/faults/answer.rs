//! Responses as DynamoDB words them, and one that is never sent.
//!
//! <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
};

use axum::{
    body::{Body, Bytes, HttpBody},
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

use super::{Call, Fault};

/// A response to a client.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: StatusCode,
    body: Option<Bytes>,
}

impl Answer {
    pub(super) fn new(status: StatusCode, body: Bytes) -> Self {
        Self { status, body: Some(body) }
    }

    /// A closed connection instead of a response.
    pub(super) fn cut() -> Self {
        Self { status: StatusCode::OK, body: None }
    }

    /// The error response for a fault.
    pub(super) fn of(fault: Fault, call: &Call) -> Self {
        let (status, namespace, name) = match fault {
            Fault::Throttle => (400, "com.amazon.coral.availability", "ThrottlingException"),
            Fault::Exceed => (400, DYNAMODB, "ProvisionedThroughputExceededException"),
            Fault::Fail | Fault::FailAfter => (500, DYNAMODB, "InternalServerError"),
            Fault::InProgress => (400, DYNAMODB, "TransactionInProgressException"),
            Fault::Mismatch => (400, DYNAMODB, "IdempotentParameterMismatchException"),
            Fault::Conflict => return Self::conflict(call.actions()),
            _ => return Self::cut(),
        };
        let body = json!({ "__type": format!("{namespace}#{name}"), "message": "Injected." });
        Self::new(StatusCode::from_u16(status).unwrap(), body.to_string().into())
    }

    /// Cancellation reasons with a conflict of the last action, and in a large transaction of the
    /// first.
    fn conflict(actions: usize) -> Self {
        let code = |index: usize| {
            let conflict = index + 1 == actions || (index == 0 && actions > 4);
            if conflict { "TransactionConflict" } else { "None" }
        };
        let reason = |code: &str| match code {
            "None" => json!({ "Code": code }),
            _ => json!({ "Code": code, "Message": "Transaction is ongoing for the item" }),
        };
        let codes: Vec<&str> = (0..actions).map(code).collect();
        let body = json!({
            "__type": format!("{DYNAMODB}#TransactionCanceledException"),
            "Message": format!(
                "Transaction cancelled, please refer cancellation reasons for specific reasons [{}]",
                codes.join(", ")
            ),
            "CancellationReasons": codes.into_iter().map(reason).collect::<Vec<_>>(),
        });
        Self::new(StatusCode::BAD_REQUEST, body.to_string().into())
    }

    /// The response for the first part of the keys; the others are unprocessed.
    pub(super) fn unprocessed(answer: Option<Self>, later: &Value) -> Self {
        let answer = match answer {
            Some(answer) if answer.status != StatusCode::OK => return answer,
            Some(answer) => serde_json::from_slice(&answer.body.unwrap_or_default()).unwrap(),
            None => json!({ "Responses": {} }),
        };
        let mut body: Value = answer;
        body["UnprocessedKeys"] = later.clone();
        Self::new(StatusCode::OK, body.to_string().into())
    }
}

const DYNAMODB: &str = "com.amazonaws.dynamodb.v20120810";

impl From<Answer> for Response {
    fn from(Answer { status, body }: Answer) -> Self {
        let headers = [(header::CONTENT_TYPE, "application/x-amz-json-1.0")];
        (status, headers, body.map_or_else(|| Body::new(Cut), Body::from)).into_response()
    }
}

/// A body that cannot be sent, so that the server closes the connection before it has sent a byte.
struct Cut;

impl HttpBody for Cut {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into())))
    }
}
