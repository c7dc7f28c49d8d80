//! The endpoint of a user's usage of the API.

use std::num::NonZeroU32;

use axum::extract::State;
use fracti_core::caller::usage::UsageKind;
use fracti_http::{App, Caller, Context, Data, Problem, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// A user's requests of a day, and the quotas.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DailyUsage)]
pub(crate) struct UsageView {
    /// The current day, in UTC.
    date: schemas::CalendarDate,
    /// Time when the next day begins, and all counters with it.
    resets_at: schemas::Timestamp,
    /// One request in so many is counted, as so many requests; 1 if all are.
    #[schema(value_type = u64, minimum = 1, example = 10)]
    sample: NonZeroU32,
    /// Requests by API token, of all the user's tokens.
    tokens: UsageOfClients,
    /// Requests by init data.
    app: UsageOfClients,
}

/// Requests with one kind of credential.
#[derive(Debug, Serialize, ToSchema)]
struct UsageOfClients {
    /// GET and HEAD.
    reads: QuotaUsage,
    /// All other methods.
    writes: QuotaUsage,
}

/// Requests of one kind.
#[derive(Debug, Serialize, ToSchema)]
struct QuotaUsage {
    /// Number of requests so far, in which this one may be missing.
    #[schema(minimum = 0, example = 40)]
    used: u64,
    /// Number of requests allowed in a day. Without a limit, requests are not counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = u64, minimum = 1, example = 5000)]
    limit: Option<NonZeroU32>,
}

/// Get the caller's usage of today.
#[utoipa::path(get, path = "/api/users/me/usage", tag = "usage",
    responses((status = OK, body = Data<UsageView>)))]
pub(crate) async fn get_usage(
    State(app): State<App>,
    Caller(user, ()): Caller,
    context: Context,
) -> Result<Data<UsageView>, Problem> {
    let today = context.now.day();
    let usage = app.table.usage(user.id, today).await?;
    let quotas = app.quotas;
    let of = |kind, limit| QuotaUsage { used: usage.count(kind), limit };
    let clients = |reads, writes| UsageOfClients {
        reads: of(reads, quotas.reads),
        writes: of(writes, quotas.writes),
    };
    Ok(Data::new(UsageView {
        date: Text(today),
        resets_at: Text(today.end().next()),
        sample: quotas.sample,
        tokens: clients(UsageKind::Reads, UsageKind::Writes),
        app: clients(UsageKind::AppReads, UsageKind::AppWrites),
    }))
}
