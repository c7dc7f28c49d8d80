//! The extractor of a JSON body.

use std::time::Duration;

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
    http::StatusCode,
};
use fracti_core::input::Draft;
use tokio::time::timeout;

use crate::{
    App, Code, Problem,
    request::body::{self, Body},
    response::limits::MAX_BODY_KIB,
};

/// A JSON body. Its errors are reported only after the table has checked the caller's right.
#[derive(Debug)]
pub struct Json<T: Body>(pub Draft<T::Fields>);

impl<T: Body> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let headers = request.headers().clone();
        let bytes = bytes(request, app).await?;
        Ok(Self(body::read::<T>(&headers, &bytes)))
    }
}

/// Time limit for receiving a body, below the deadline of the request. On Lambda the body arrives
/// with the event; elsewhere the limit closes stalled requests.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a body of limited size.
pub(crate) async fn bytes(request: Request, app: &App) -> Result<Bytes, Problem> {
    let bytes = timeout(BODY_TIMEOUT, Bytes::from_request(request, app)).await;
    let late = |_| {
        let message = format!("the body did not arrive within {} seconds", BODY_TIMEOUT.as_secs());
        Problem::new(Code::InvalidJson, message)
    };
    bytes.map_err(late)?.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => {
            let message = format!("the body must have at most {MAX_BODY_KIB} KiB");
            Problem::new(Code::PayloadTooLarge, message)
        }
        _ => Problem::new(Code::InvalidJson, rejection.body_text()),
    })
}
