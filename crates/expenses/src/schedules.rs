//! Endpoints of schedules, whose expenses are recorded on their dates.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::limits::MAX_SHARES,
    records::{
        expense::{Edit, MAX_LINES, NewExpense},
        schedule::{MAX_SKIPS, NewSchedule, RepeatInput, Schedule, ScheduleEdit},
    },
    values::id::ScheduleId,
};
use fracti_http::{
    AcceptLanguage, App, AsMember, Code, CreateLine, CreatePayer, Credential, Data, Id, IfMatch,
    List, ListId, Once, Paging, Problem, ScheduleView, Tagged, Text, Value, body, respond_tagged,
    respond_with, schemas,
};
use fracti_texts::Language;
use serde::Serialize;
use utoipa::ToSchema;

use crate::create::{CreateSplit, SPLITS};

body! {
    /// A schedule to make.
    #[example = {
        "expense": { "amount": 900, "description": "Rent", "category": "rent" },
        "repeat": { "every": "month", "start": "2026-01-31", "timeZone": "Europe/Berlin" },
    }]
    pub(crate) CreateSchedule => NewSchedule {
        /// The expense that is recorded on each date.
        expense: "expense".of::<CreateScheduledExpense>(),
        /// The dates.
        repeat: "repeat".of::<SetRepeat>(),
        /// Who shares each expense, decided on its date; only without `splits` and `items`.
        /// Default: `everyone` with `"splitType":"equal"`, otherwise `default`.
        shared_by: "sharedBy".text(),
    }
}

body! {
    /// An expense to record on each date of a schedule.
    CreateScheduledExpense => NewExpense {
        /// Amount that is paid; negative if it is received. Default, for an `itemized` split in
        /// which no line takes the rest: the sum of the lines.
        amount: "amount".number(schemas::ExpenseAmountInput),
        /// What is paid for.
        description: "description".text(),
        /// Member who pays all of it. Default: the caller.
        payer: "payerId".text(),
        /// Members who pay it, each once, instead of `payerId`. Their amounts sum to the amount.
        payers: "payers".objects::<CreatePayer>(1..=MAX_SHARES),
        /// How to split it. Default: `equal`.
        split_type: "splitType".text(),
        /// Members who share it, each once. Default: as `sharedBy` says.
        splits: "splits".documented(1..=MAX_SHARES).objects::<CreateSplit>(SPLITS),
        /// Lines of the receipt, for an `itemized` split.
        items: "items".objects::<CreateLine>(1..=MAX_LINES),
        /// Currency of all amounts. Default: the group's currency now.
        currency: "currency".text(),
        /// Category.
        category: "category".text(),
        /// It must be left out: each expense has its own.
        date: "date".text(),
        /// Notes.
        notes: "notes".text(),
    } => NewExpense {
        amount, description, payer, payers, split_type, splits, items, currency, category, date,
            notes,
        ..NewExpense::default()
    }
}

body! {
    /// The dates of a schedule: `start`, and each time `interval` units more, counted from `start`.
    /// The 31st is the last day of a shorter month.
    #[example = { "every": "month", "start": "2026-01-31", "timeZone": "Europe/Berlin" }]
    SetRepeat => RepeatInput {
        /// Unit. Required.
        every: "every".text(),
        /// Number of units between two dates. Default: 1.
        interval: "interval".number(schemas::RepeatInterval),
        /// First date, from 35 days before today to 366 days after it. Default: today.
        start: "start".text(),
        /// Last day that may be a date. Default: no end.
        until: "until".text(),
        /// Number of dates, skipped ones among them, instead of `until`. Default: no end.
        count: "count".number(schemas::RepeatCount),
        /// Zone in which a date begins, at 04:00. Default: the caller's, or when it is changed, the
        /// present one.
        time_zone: "timeZone".text(),
    }
}

body! {
    /// Changes to a schedule, which later expenses follow. A field that is left out stays as it is.
    #[example = { "expense": { "amount": 950 }, "skips": [] }]
    pub(crate) EditSchedule => ScheduleEdit {
        /// Changes to the expense. New shares end `sharedBy`.
        expense: "expense".of::<EditScheduledExpense>(),
        /// New dates, which start after `lastDate`. They end `skips`.
        repeat: "repeat".of::<SetRepeat>(),
        /// Dates of the schedule after `lastDate` to leave out, in place of the present ones.
        skips: "skips".documented(0..=MAX_SKIPS).texts(0..=366),
        /// Whether it is paused. Once it goes on, the expense that was refused is recorded; dates
        /// that have passed while a member had paused it are not.
        paused: "paused".flag(),
        /// Who shares each expense from now on, decided on its date.
        shared_by: "sharedBy".text(),
    }
}

body! {
    /// Changes to the expense of a schedule. A field that is left out stays as it is.
    EditScheduledExpense => Edit {
        /// New amount.
        amount: "amount".number(schemas::ExpenseAmountInput),
        /// New description.
        description: "description".text(),
        /// New payer of all of it, a member of the group.
        payer: "payerId".text(),
        /// New payers, each once, instead of `payerId`.
        payers: "payers".objects::<CreatePayer>(1..=MAX_SHARES),
        /// How to split it. Without `splits`, it is split among the members who share it now.
        split_type: "splitType".text(),
        /// Members who share it, each once.
        splits: "splits".documented(1..=MAX_SHARES).objects::<CreateSplit>(SPLITS),
        /// Lines of the receipt.
        items: "items".objects::<CreateLine>(1..=MAX_LINES),
        /// New currency.
        currency: "currency".text(),
        /// New category; `null` removes it.
        category: "category".nullable(Value::text),
        /// It must be left out: each expense has its own.
        date: "date".text(),
        /// New notes; `null` removes them.
        notes: "notes".nullable(Value::text),
    }
}

/// A schedule that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedSchedule {
    /// Id of the schedule.
    id: schemas::ResourceId,
}

/// List the schedules of a group.
///
/// Newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/schedules", tag = "expenses",
    responses((status = OK, body = List<ScheduleView>)))]
pub(crate) async fn list_schedules(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
    AcceptLanguage(language): AcceptLanguage,
) -> Result<List<ScheduleView>, Problem> {
    let list_id = ListId::new("schedules", &member_key.group);
    let schedules = app.table.schedules(member_key, &paging.page(&list_id)?).await?;
    Ok(paging.list_of(&list_id, schedules, |schedule| ScheduleView::of(schedule, language)))
}

/// Create a schedule.
///
/// Its expense is recorded on each of its dates, soon after 04:00 in its zone, as an ordinary
/// expense with the rights of the member who made or last changed the schedule. Dates that were
/// missed are recorded later, each under its date, up to 35 days. An expense that is refused pauses
/// the schedule, which then has a `problem`.
#[utoipa::path(post, path = "/api/groups/{groupId}/schedules", tag = "expenses",
    responses((status = CREATED, body = Data<ScheduleView>, headers(("ETag")))),
    extensions(("x-errors" = json!([Code::TooManySchedules, Code::TooManySplits]))))]
pub(crate) async fn create_schedule(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    via: Credential,
    AcceptLanguage(language): AcceptLanguage,
    once: Once<CreateSchedule>,
) -> Result<Response, Problem> {
    let view = move |schedule| ScheduleView::of(schedule, language);
    let idempotency = once.key.viewed("create-schedule", view);
    let made = app.table.create_schedule(member_key, &once.body, via.agent(), &idempotency);
    respond_tagged(StatusCode::CREATED, &idempotency, made.await?)
}

/// Get a schedule.
#[utoipa::path(get, path = "/api/groups/{groupId}/schedules/{scheduleId}", tag = "expenses",
    responses((status = OK, body = Data<ScheduleView>, headers(("ETag")))))]
pub(crate) async fn get_schedule(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ScheduleId>,
    AcceptLanguage(language): AcceptLanguage,
) -> Result<Tagged<ScheduleView>, Problem> {
    Ok(Tagged(ScheduleView::of(app.table.schedule(member_key, id).await?, language)))
}

/// Edit a schedule.
///
/// Any member may. Only later expenses follow, with the rights of the caller from now on.
#[utoipa::path(put, path = "/api/groups/{groupId}/schedules/{scheduleId}", tag = "expenses",
    responses((status = OK, body = Data<ScheduleView>, headers(("ETag")))),
    extensions(("x-errors" = json!([Code::TooManySplits]))))]
pub(crate) async fn edit_schedule(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ScheduleId>,
    via: Credential,
    AcceptLanguage(language): AcceptLanguage,
    if_match: IfMatch,
    once: Once<EditSchedule>,
) -> Result<Response, Problem> {
    let view = move |schedule| ScheduleView::of(schedule, language);
    let idempotency = once.key.viewed("edit-schedule", view);
    let expected = expected(&if_match);
    let agent = via.agent();
    let edited = app.table.edit_schedule(member_key, id, &once.body, agent, expected, &idempotency);
    respond_tagged(StatusCode::OK, &idempotency, edited.await?)
}

/// Delete a schedule.
///
/// Any member may. The expenses that it has recorded stay.
#[utoipa::path(delete, path = "/api/groups/{groupId}/schedules/{scheduleId}", tag = "expenses",
    responses((status = OK, body = Data<DeletedSchedule>)))]
pub(crate) async fn delete_schedule(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(id): Id<ScheduleId>,
    if_match: IfMatch,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, DeletedSchedule>("delete-schedule");
    let deleted = app.table.delete_schedule(member_key, id, expected(&if_match), &idempotency);
    respond_with("Schedule deleted", &idempotency, deleted.await?)
}

impl From<ScheduleId> for DeletedSchedule {
    fn from(id: ScheduleId) -> Self {
        Self { id: Text(id.into()) }
    }
}

/// Whether the state of a schedule matches `If-Match`, in whatever language it was read.
fn expected(if_match: &IfMatch) -> impl Fn(&Schedule) -> bool + '_ {
    |schedule| {
        let read = |language| if_match.accepts(&ScheduleView::of(schedule.clone(), language));
        Language::ALL.into_iter().any(read)
    }
}
