//! The layer that admits requests while their handler already reads.
//!
//! | check | if it refuses | if the table does not answer |
//! |---|---|---|
//! | the user's quota is not used up | 429 | admitted after 0.3 s, and logged |
//!
//! A request without a check makes no request to the table for its admission.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fracti_core::{Error, id::UserId, usage::Counter};
use fracti_store::with_admission;
use tokio::time::timeout;

use crate::{
    App, Context,
    layers::observe::chain,
    quotas::{Kind, QuotaState},
};

/// Runs the checks of a request together with its handler. Responds when both have ended: as the
/// handler does, or with the refusal. Until then, the handler's transactions wait.
pub(crate) async fn admit(
    State(app): State<App>,
    context: Context,
    request: Request,
    next: Next,
) -> Response {
    let quota = Quota::of(&app, &context, &request);
    let Some(quota) = quota else { return next.run(request).await };
    let check = async {
        let Some(state) = quota.count(&app, &context).await else { return Ok(None) };
        let headers = app.quotas.headers(&state);
        match state.refusal() {
            None => Ok(Some(headers)),
            Some(problem) => Err((headers, problem).into_response()),
        }
    };
    match with_admission(check, next.run(request)).await {
        Ok((headers, response)) => (headers.unwrap_or_default(), response).into_response(),
        Err(refusal) => refusal,
    }
}

/// The quota that applies to a request.
struct Quota {
    user: UserId,
    counter: Counter,
    /// The state before the request.
    state: QuotaState,
}

impl Quota {
    fn of(app: &App, context: &Context, request: &Request) -> Option<Self> {
        let principal = context.principal.as_ref()?;
        let kind = Kind::of(request.method());
        let limit = app.quotas.limit(kind)?;
        let state = QuotaState { kind, limit, used: None, now: context.now };
        Some(Self { user: principal.user.id, counter: kind.counter(principal.via), state })
    }

    /// Counts the request, or reads the counter if the request is not part of the sample. `None` if
    /// the table does not answer.
    async fn count(&self, app: &App, context: &Context) -> Option<QuotaState> {
        let (Self { user, counter, state }, day) = (self, context.now.day());
        let (sample, limit) = (app.quotas.sample.get(), state.limit.get());
        let count = async {
            if app.random.one_in(app.quotas.sample) {
                return app.table.count(*user, day, *counter, sample, limit).await;
            }
            let count = app.table.usage(*user, day).await?.count(*counter);
            Ok((count < limit.into()).then_some(count))
        };
        let late = |_| Error::Unavailable("the counter did not answer in time".into());
        match timeout(app.quotas.timeout, count).await.map_err(late).flatten() {
            Ok(used) => Some(QuotaState { used, ..*state }),
            Err(error) => {
                let (request_id, cause) = (&*context.request_id, chain(&error));
                tracing::warn!(request_id, cause, "request admitted without its quota");
                None
            }
        }
    }
}
