//! The layer that admits requests while their handler already reads.
//!
//! | check | if it refuses | if the table does not answer |
//! |---|---|---|
//! | the API token is neither deleted nor expired | 401 | 503 |
//! | the user's quota is not used up | 429 | admitted after 0.3 s, and logged |
//!
//! If both refuse, the response is 401.
//!
//! A request without a check makes no request to the table for its admission.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use fracti_core::{
    caller::{telegram::User, token::Token, usage::UsageKind},
    input::Error,
    values::{id::UserId, time::Timestamp},
};
use fracti_runtime::with_causes;
use fracti_store::with_admission;
use tokio::{join, time::timeout};

use crate::{
    app::App,
    caller::{
        context::Context,
        principal::{Credential, Principal},
        quotas::{QuotaKind, QuotaState},
    },
    response::problem::Problem,
};

/// Runs the checks of a request together with its handler. Responds when both have ended: as the
/// handler does, or with the refusal. Until then, the handler's transactions wait.
pub(crate) async fn admit(
    State(app): State<App>,
    context: Context,
    request: Request,
    next: Next,
) -> Response {
    let Some(principal) = &context.principal else { return next.run(request).await };
    let quota = Quota::of(&app, principal, context.now, context.reads);
    if quota.is_none() && principal.via.token().is_none() {
        return next.run(request).await;
    }
    let check = async {
        let counted = async {
            match &quota {
                Some(quota) => quota.count(&app, &context).await,
                None => None,
            }
        };
        let (token, state) = join!(current_token(&app, principal, context.now), counted);
        let token = token.map_err(Problem::into_response)?;
        let headers = state.map(|state| app.quotas.headers(&state)).unwrap_or_default();
        match state.and_then(|state| state.refusal()) {
            None => Ok((token, headers)),
            Some(problem) => Err((headers, problem).into_response()),
        }
    };
    match with_admission(check, next.run(request)).await {
        Ok(((token, headers), response)) => {
            if let Some(token) = token {
                note_use(&app, &token, &context).await;
            }
            (headers, response).into_response()
        }
        Err(refusal) => refusal,
    }
}

impl App {
    /// Runs `work` of an update of the bot for a user whom Telegram names, and who has the quota of
    /// the app. The error of the work is part of the result.
    ///
    /// # Errors
    ///
    /// `RATE_LIMITED`; nothing of the work is written then.
    pub async fn act<T>(
        &self,
        context: &Context,
        user: &User,
        reads: bool,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<Result<T, Error>, Problem> {
        let user = Arc::new(user.clone());
        let principal = Principal { user, chat: None, via: Credential::Bot };
        let Some(quota) = Quota::of(self, &principal, context.now, reads) else {
            return Ok(work.await);
        };
        let check = async {
            match quota.count(self, context).await.and_then(|state| state.refusal()) {
                None => Ok(()),
                Some(problem) => Err(problem),
            }
        };
        with_admission(check, work).await.map(|((), done)| done)
    }
}

/// The API token of the principal as it is stored now; `None` for init data. A token that was
/// deleted or has expired is refused and leaves the cache.
async fn current_token(
    app: &App,
    principal: &Principal,
    now: Timestamp,
) -> Result<Option<Token>, Problem> {
    let Credential::Token { id, hash, .. } = principal.via else { return Ok(None) };
    let token = app.table.token(principal.user.id, id).await?;
    let token = token.filter(|token| !token.is_expired(now)).ok_or_else(|| {
        app.tokens.remove(hash);
        Problem::revoked_token()
    })?;
    Ok(Some(token))
}

/// Notes the day of the use of a token, unless it is known. A failure is only logged.
async fn note_use(app: &App, token: &Token, context: &Context) {
    let day = context.now.day();
    if token.last_used_at >= Some(day) {
        return;
    }
    // The writes of the request are committed, so its response must not wait for long.
    let noted = timeout(app.quotas.timeout, app.table.note_use(token.user_id, token.id, day));
    let late = |_| Error::Unavailable("the token row did not answer in time".into());
    if let Err(error) = noted.await.map_err(late).flatten() {
        let request_id = &*context.request_id;
        let cause = with_causes(&error);
        tracing::warn!(request_id, cause, "use of an API token not noted");
    }
}

/// The quota that applies to a request.
struct Quota {
    user: UserId,
    usage_kind: UsageKind,
    /// The state before the request.
    state: QuotaState,
}

impl Quota {
    fn of(app: &App, principal: &Principal, now: Timestamp, reads: bool) -> Option<Self> {
        let kind = if reads { QuotaKind::Reads } else { QuotaKind::Writes };
        let limit = app.quotas.limit(kind)?;
        let state = QuotaState { kind, limit, used: None, now };
        Some(Self { user: principal.user.id, usage_kind: kind.usage_kind(&principal.via), state })
    }

    /// Counts the request, or reads the counter if the request is not part of the sample. `None` if
    /// the table does not answer.
    async fn count(&self, app: &App, context: &Context) -> Option<QuotaState> {
        let (Self { user, usage_kind, state }, day) = (self, context.now.day());
        let sample = app.quotas.sample.get();
        let limit = state.limit.get();
        let count = async {
            if app.random.one_in(app.quotas.sample) {
                return app.table.count(*user, day, *usage_kind, sample, limit).await;
            }
            let count = app.table.usage(*user, day).await?.count(*usage_kind);
            Ok((count < limit.into()).then_some(count))
        };
        let late = |_| Error::Unavailable("the counter did not answer in time".into());
        match timeout(app.quotas.timeout, count).await.map_err(late).flatten() {
            Ok(used) => Some(QuotaState { used, ..*state }),
            Err(error) => {
                let request_id = &*context.request_id;
                let cause = with_causes(&error);
                tracing::warn!(request_id, cause, "request admitted without its quota");
                None
            }
        }
    }
}
