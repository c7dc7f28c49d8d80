//! Endpoints of the book: what the group owed whom at any moment, how it came to that, and adjustments by hand.

mod balances;
mod listed;
mod period;
mod push;

use axum::{extract::State, response::Response};
use fracti_core::{
    entry_id::EntryId,
    id::UserId,
    table::{Order, Page, Place, Position, Statement},
    time::{Day, Timestamp},
};
use fracti_http::{
    App, Code, Data, EntryView, Id, List, Member, Paging, Post, Problem, Query, Routes, Scope,
    respond, schemas,
};
use serde::{Deserialize, Serialize};
use utoipa_axum::routes;

use balances::{BalanceView, DayView};
use listed::{Listed, PushEntries, RevertEntries};
use period::{Bound, between};
use push::{PushEntry, ReportView, RevertEntry};

/// How many days a page has where nothing is said: as many as it may, for a chart.
const DAYS: usize = 100;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(read_balance))
        .routes(routes!(list_entries, push_entries, revert_entries))
        .routes(routes!(post_reverts))
        .routes(routes!(read_entry))
        .routes(routes!(list_days))
}

/// Says what the group owes each member, or owed at a moment.
///
/// Of every member in every currency: what they paid, owed, sent and received, and what that comes to. It is exact at any
/// past moment; before the first event everything is zero, and the future is now.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/balance", tag = "ledger",
    params(
        ("at" = Option<schemas::Timestamp>, Query, description = "At which moment; now where nothing is said."),
        ("userId" = Option<schemas::UserId>, Query, description = "Only this member.")),
    responses((status = OK, body = Data<BalanceView>)))]
async fn read_balance(
    State(app): State<App>,
    Member(claim): Member,
    query: Query,
) -> Result<Data<BalanceView>, Problem> {
    let now = app.clock.now();
    let at = query.read::<Timestamp>("at")?.filter(|at| *at < now);
    let user: Option<UserId> = query.read("userId")?;
    let (group, members, book) = app.table.ledger_at(claim, at).await?;
    if let Some(user) = user.filter(|user| !members.iter().any(|member| member.id == *user)) {
        return Err(Problem::invalid("userId", format!("{user} is not a member of the group")));
    }
    // The last of many events at once is a little ahead of the clock.
    let as_of = at.unwrap_or_else(|| book.last_event_at.map_or(now, |last| last.max(now)));
    Ok(Data::new(BalanceView::of(&group, &members, user, &book, as_of)))
}

/// Lists the entries of the book, in order of sequence.
///
/// With a member's id: only what moved their balances, each with what the group owed them after it. Such a page may be
/// short and go on. A statement is of the moment when its first page was read.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    params(
        ("from" = Option<schemas::Bound>, Query, description = "None before this moment or day."),
        ("to" = Option<schemas::Bound>, Query, description = "None after this moment or day."),
        ("order" = Option<schemas::Order>, Query, description = "Newest first where nothing is said."),
        ("userId" = Option<schemas::UserId>, Query, description = "Only what moved this member's balances.")),
    responses((status = OK, body = List<EntryView>)))]
async fn list_entries(
    State(app): State<App>,
    Member(claim): Member,
    paging: Paging,
    query: Query,
) -> Result<List<EntryView>, Problem> {
    let scope = Scope::new("entries", &claim.group);
    let user = query.read("userId")?;
    let (lines, next) = if let Some(place) = paging.after::<Place>(&scope)? {
        said_already(&query, &["from", "to", "order"])?;
        if user.is_some() && user != place.user {
            let message = "this cursor belongs to the statement of another member";
            return Err(Problem::new(Code::InvalidCursor, message));
        }
        app.table.statement_from(claim, place, paging.limit()).await?
    } else {
        let (from, to) = between(query.read::<Bound>("from")?, query.read::<Bound>("to")?)?;
        let order = query.read("order")?.unwrap_or(Order::Desc);
        let statement = Statement { order, from, to, user };
        app.table.statement(claim, &statement, paging.limit()).await?
    };
    let next = next.map(|place| paging.cursor(&scope, &place));
    Ok(List::new(lines.into_iter().map(EntryView::from), next))
}

/// Adjusts balances by hand: opening balances from another app, or corrections.
///
/// Each adjustment sums to zero in each currency. One that cannot count is named in `nonApplied`, and does not stop the
/// others; where one breaks a rule, none counts. Under one name one entry counts, however often it is sent.
#[utoipa::path(post, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    request_body = PushEntries,
    responses((status = OK, body = Data<ReportView>)))]
async fn push_entries(
    State(app): State<App>,
    Member(claim): Member,
    post: Post<Listed<PushEntry>>,
) -> Result<Response, Problem> {
    let (adjustments, list) = post.body.read()?;
    let once = post.key.once::<_, ReportView, 200>("push-entries");
    let now = app.clock.now();
    let report = app.table.push_entries(claim, &adjustments, list, now, &once).await?;
    respond(&once, report)
}

/// Takes adjustments back.
///
/// Whoever made one may, and those whose balances it moved. Each may be pushed again, with another value. The entry of an
/// expense or a settlement is not taken back here: delete the expense.
#[utoipa::path(delete, path = "/api/groups/{groupId}/ledger/entries", tag = "ledger",
    request_body = RevertEntries,
    responses(
        (status = OK, body = Data<ReportView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED")))]
async fn revert_entries(
    State(app): State<App>,
    Member(claim): Member,
    post: Post<Listed<RevertEntry>>,
) -> Result<Response, Problem> {
    let (names, list) = post.body.read()?;
    let once = post.key.once::<_, ReportView, 200>("revert-entries");
    let report = app.table.revert_entries(claim, &names, list, app.clock.now(), &once).await?;
    respond(&once, report)
}

/// Takes adjustments back, for clients that cannot send a body with DELETE.
#[utoipa::path(post, path = "/api/groups/{groupId}/ledger/entries/revert", tag = "ledger",
    request_body = RevertEntries,
    responses(
        (status = OK, body = Data<ReportView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED")))]
async fn post_reverts(
    app: State<App>,
    member: Member,
    post: Post<Listed<RevertEntry>>,
) -> Result<Response, Problem> {
    revert_entries(app, member, post).await
}

/// Reads what happened under a name: the entry that counts first, then its history, newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/entries/{entryId}", tag = "ledger",
    responses((status = OK, body = List<EntryView>)))]
async fn read_entry(
    State(app): State<App>,
    Member(claim): Member,
    Id(name): Id<EntryId>,
    paging: Paging,
) -> Result<List<EntryView>, Problem> {
    let scope = Scope::new("entry", &format!("{}/{name}", claim.group));
    let entries = app.table.entry(claim, &name, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, entries))
}

/// Lists the balances at the end of each day that had an event, the oldest first; the last day may not be over.
#[utoipa::path(get, path = "/api/groups/{groupId}/ledger/days", tag = "ledger",
    params(
        ("from" = Option<schemas::Day>, Query, description = "None before this day."),
        ("to" = Option<schemas::Day>, Query, description = "None after this day."),
        ("limit" = Option<schemas::DaysLimit>, Query, description = "How many at the most.")),
    responses((status = OK, body = List<DayView>)))]
async fn list_days(
    State(app): State<App>,
    Member(claim): Member,
    paging: Paging,
    query: Query,
) -> Result<List<DayView>, Problem> {
    let scope = Scope::new("days", &claim.group);
    let paging = paging.or_limit(DAYS);
    let (from, to, after) = if let Some(place) = paging.after::<DaysPlace>(&scope)? {
        said_already(&query, &["from", "to"])?;
        (None, place.to, Some(place.after))
    } else {
        let (from, to) = (query.read::<Day>("from")?, query.read::<Day>("to")?);
        if from.zip(to).is_some_and(|(from, to)| from > to) {
            return Err(Problem::invalid("from", "it is after `to`"));
        }
        (from, to, None)
    };
    let page = Page { limit: paging.limit(), after };
    let (group, members, days) = app.table.days(claim, from, to, &page).await?;
    let next = days.next.map(|after| paging.cursor(&scope, &DaysPlace { after, to }));
    let view = |book| DayView::of(&group, &members, book);
    Ok(List::new(days.items.iter().filter_map(view), next))
}

/// Where a list of days goes on, and where it ends.
#[derive(Serialize, Deserialize)]
struct DaysPlace {
    after: Position,
    to: Option<Day>,
}

/// Refuses parameters that a cursor has already: which of the two counts, nobody could say.
fn said_already(query: &Query, names: &[&str]) -> Result<(), Problem> {
    match names.iter().find(|name| query.has(name)) {
        None => Ok(()),
        Some(name) => Err(Problem::invalid(*name, "the cursor says it already: leave it out")),
    }
}
