//! Endpoints of the ledger: balances at any moment, the entries that led to them, adjustments, and
//! statistics.

mod balances;
mod changes;
mod period;
mod push;
mod stats;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    group::not_a_member,
    input::Error,
    reports::tally::stats,
    values::{entry_id::EntryId, id::MemberId, time::Timestamp},
};
use fracti_http::{
    App, AsMember, Code, Context, Data, EntryView, Id, List, ListId, MAX_LIMIT, Once, Paging,
    Parameters, Problem, QueryReader, Routes, openapi, respond, routes,
};
use fracti_store::StatementPlace;

use balances::{BalanceView, LedgerDayView};
use changes::{ChangesQuery, GroupChangeView};
use period::{EntriesQuery, LedgerDaysQuery};
use push::{PushEntries, ReportView, RevertEntries};
use stats::{StatsQuery, StatsView};

/// Default number of days per page: the maximum, which suits a chart.
const DAYS: usize = MAX_LIMIT;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([(
        "ledger",
        "The ledger of a group: balances at any moment, the entries behind them, adjustments, and \
         statistics.",
    )])
    .routes(routes!(get_ledger_balance))
    .routes(routes!(list_ledger_entries, push_entries, revert_entries))
    .routes(routes!(revert_entries_by_post))
    .routes(routes!(list_ledger_entry_history))
    .routes(routes!(list_ledger_days))
    .routes(routes!(get_group_stats))
    .routes(routes!(list_changes))
}

/// Query parameters of the balances.
struct BalanceQuery {
    at: Option<Timestamp>,
    user: Option<MemberId>,
}

impl Parameters for BalanceQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self {
            at: query.text("at", "Moment of the balances. Default: now."),
            user: query.text("userId", "Return only the totals of this member."),
        }
    }
}

/// Get the balances of a group, now or at a past moment.
///
/// For each member and currency: what they paid, owed, sent and received, and the resulting
/// balance. It is exact for any past moment. Before the first entry all balances are zero; a moment
/// in the future is taken as now.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/balance", tag = "ledger",
    responses((status = OK, body = Data<BalanceView>)),
    extensions(("x-errors" = json!([Code::TooMuchHistory]))))]
async fn get_ledger_balance(
    State(app): State<App>,
    AsMember(member_key, BalanceQuery { at, user }): AsMember<BalanceQuery>,
    Context { now, .. }: Context,
) -> Result<Data<BalanceView>, Problem> {
    let at = at.filter(|at| *at < now);
    let (group, members, ledger) = app.table.group_and_ledger_at(member_key, at).await?;
    if user.is_some_and(|user| !members.iter().any(|member| member.id == user)) {
        return Err(Problem::invalid("userId", not_a_member()));
    }
    // After many simultaneous events the last one is slightly ahead of the clock.
    let as_of = at.unwrap_or_else(|| ledger.last_event_at.map_or(now, |last| last.max(now)));
    Ok(Data::new(BalanceView::of(&group, &members, user, &ledger, as_of)))
}

/// List the entries of a group's ledger.
///
/// In order of sequence. With `userId`, it is the member's statement: only entries that changed
/// their balances, each with the balance after it. A page of a statement may have fewer entries
/// than `limit` and still have a next page. All pages of a statement show the ledger as it was when
/// the first page was read.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    responses((status = OK, body = List<EntryView>)))]
async fn list_ledger_entries(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<EntriesQuery>,
) -> Result<List<EntryView>, Problem> {
    let EntriesQuery { paging, statement } = query;
    let list_id = ListId::new("entries", &member_key.group).filtered(&statement);
    let (lines, next) = match paging.after::<StatementPlace>(&list_id)? {
        Some(place) => app.table.statement_from(member_key, place, paging.limit()).await?,
        None => app.table.statement(member_key, &statement, paging.limit()).await?,
    };
    let next = next.map(|place| paging.cursor(&list_id, &place));
    Ok(List::new(lines.into_iter().map(EntryView::from), next))
}

/// Push adjustments to the ledger.
///
/// For opening balances from another app, or for corrections. The changes of an adjustment sum to
/// zero in each currency. All of a request are written at once. An adjustment that cannot be
/// applied is listed in `nonApplied` and does not stop the others; if one is invalid, none is
/// applied. At most one entry is applied under an `entryId`, however often it is sent.
#[utoipa::path(post, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    responses((status = OK, body = Data<ReportView>)))]
async fn push_entries(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<PushEntries>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ReportView>("push-entries");
    let report = app.table.push_entries(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, report)
}

/// Revert adjustments.
///
/// Allowed for the member who pushed an adjustment and for the members whose balances it changed. A
/// reverted adjustment can be pushed again with other values. Entries of expenses and settlements
/// cannot be reverted here; delete the expense instead.
#[utoipa::path(delete, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    responses((status = OK, body = Data<ReportView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn revert_entries(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<RevertEntries>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ReportView>("revert-entries");
    let report = app.table.revert_entries(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, report)
}

/// Revert adjustments with POST.
///
/// The same as `revertEntries`, for clients that cannot send a body with DELETE.
#[utoipa::path(post, path = "/api/groups/{groupId}/ledger/entries/revert", tag = "ledger",
    responses((status = OK, body = Data<ReportView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn revert_entries_by_post(
    app: State<App>,
    member: AsMember,
    once: Once<RevertEntries>,
) -> Result<Response, Problem> {
    revert_entries(app, member, once).await
}

/// List the history of a ledger entry.
///
/// The applied entry with this id first, then earlier entries with it, newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/entries/{entryId}", tag = "ledger",
    responses((status = OK, body = List<EntryView>)))]
async fn list_ledger_entry_history(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
    Id(name): Id<EntryId>,
) -> Result<List<EntryView>, Problem> {
    let list_id = ListId::new("entry", &format!("{}/{name}", member_key.group));
    let entries = app.table.entry(member_key, &name, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, entries))
}

/// List the balances at the end of each day.
///
/// Only days that have ledger entries, oldest first. The last day may still be in progress.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/days", tag = "ledger",
    responses((status = OK, body = List<LedgerDayView>)))]
async fn list_ledger_days(
    State(app): State<App>,
    AsMember(member_key, LedgerDaysQuery { paging, from, to }): AsMember<LedgerDaysQuery>,
) -> Result<List<LedgerDayView>, Problem> {
    let list_id = ListId::new("days", &member_key.group).filtered(&(from, to));
    let paging = paging.or_limit(DAYS);
    let page = paging.page(&list_id)?;
    let (group, members, days) = app.table.days(member_key, from, to, &page).await?;
    let next = days.next.map(|position| paging.cursor(&list_id, &position));
    let view = |ledger| LedgerDayView::of(&group, &members, ledger);
    Ok(List::new(days.items.iter().filter_map(view), next))
}

/// Get the statistics of a group.
///
/// What its members consumed and paid on a range of days: by category, by member, and by month or
/// day. An expense counts on its `date`. Refunds are subtracted, and settlements and adjustments do
/// not count. Expenses that were recorded before Fracti kept statistics count once they are edited,
/// or once an operator has counted them.
#[utoipa::path(get, path = "/api/groups/{groupId}/stats", tag = "ledger",
    responses((status = OK, body = Data<StatsView>)),
    extensions(("x-errors" = json!([Code::TooMuchHistory]))))]
async fn get_group_stats(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<StatsQuery>,
    Context { now, .. }: Context,
) -> Result<Data<StatsView>, Problem> {
    let (days, step) = query.at(now)?;
    let (members, tallies) = app.table.members_and_tallies(member_key, &days).await?;
    let stats = stats(&tallies, &members.iter().collect(), step);
    let stats = stats.map_err(|error| Error::Table(error.into()))?;
    Ok(Data::new(StatsView::of(&days, stats, &members)?))
}

/// List what has changed in a group.
///
/// Oldest first, after the place of an earlier response. The cursor is always there, also at the
/// end of the list, and does not expire: use it to look for what is new. The first request has
/// none, and gets the place from which to follow the group. An import is one change.
#[utoipa::path(get, path = "/api/groups/{groupId}/changes", tag = "ledger",
    responses((status = OK, body = List<GroupChangeView>)))]
async fn list_changes(
    State(app): State<App>,
    AsMember(member_key, ChangesQuery { paging }): AsMember<ChangesQuery>,
) -> Result<List<GroupChangeView>, Problem> {
    let list_id = ListId::new("changes", &member_key.group);
    let paging = paging.or_limit(MAX_LIMIT);
    let after = paging.after::<u64>(&list_id)?;
    let changes = app.table.changes(member_key, after, paging.limit()).await?;
    Ok(changes::list(&paging, &list_id, changes))
}
