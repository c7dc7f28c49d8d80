//! The endpoints of a user's spendings.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Field,
    spending::{CategoriesInput, MAX_CATEGORIES, NewSpending, Spending, SpendingEdit, SpendingId},
    targets::MAX_OWN_CATEGORIES,
    time::Day,
};
use fracti_http::{
    App, Body, Caller, Data, Id, IfMatch, JsonDecimal, List, ListId, Object, Once, Paging,
    Parameters, Problem, QueryReader, Tagged, Text, Value, respond_created, respond_tagged,
    respond_with, schemas,
};
use serde::Serialize;
use utoipa::ToSchema;

/// Money that the caller spent on themselves alone.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Spending)]
pub(crate) struct SpendingView {
    /// Id of the spending.
    id: schemas::SpendingId,
    /// What the money was spent on.
    #[schema(example = "Coffee")]
    title: String,
    /// Emoji shown with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "☕")]
    emoji: Option<String>,
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// Parts of the amount by category. The rest has none.
    categories: BTreeMap<String, JsonDecimal>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "With oat milk")]
    notes: Option<String>,
    /// Day that it belongs to.
    user_date: schemas::CalendarDate,
    /// Time at which the money was spent.
    spent_at: schemas::Timestamp,
    /// Time at which the spending was recorded.
    created_at: schemas::Timestamp,
    /// Time of the last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    updated_at: Option<schemas::Timestamp>,
}

/// A spending that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedSpending {
    /// Id of the spending.
    id: schemas::SpendingId,
}

/// A spending to record.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({ "title": "Coffee", "amount": 3.5, "currency": "EUR", "category": "food" })
)]
#[expect(dead_code, clippy::zero_sized_map_values, reason = "describes the body that is read")]
pub(crate) struct CreateSpending {
    /// What the money was spent on.
    title: schemas::SpendingTitle,
    /// Emoji shown with it.
    emoji: Option<schemas::SpendingEmoji>,
    /// Amount.
    amount: schemas::AmountInput,
    /// Currency of the amounts. Default: the currency of the targets, if there is one.
    currency: Option<schemas::Currency>,
    /// Category of the whole amount: one of the categories of expenses, or an active one of the
    /// caller's own.
    category: Option<schemas::CategoryKey>,
    /// Parts of the amount by category, instead of `category`.
    categories: Option<BTreeMap<String, schemas::PartAmountInput>>,
    /// Notes.
    notes: Option<schemas::SpendingNotes>,
    /// Day that it belongs to, within one day of the UTC date of `spentAt`. Default: the day of
    /// `spentAt` in its offset, which begins at 04:00.
    user_date: Option<schemas::CalendarDate>,
    /// Time at which the money was spent, at most a day ahead. Default: now, or noon in UTC of a
    /// `userDate` that is not today.
    spent_at: Option<schemas::Timestamp>,
    /// Own categories that the client knows. Others are dropped without an error.
    registry_snapshot: Option<Vec<schemas::CategoryKey>>,
}

impl Body for CreateSpending {
    type Fields = NewSpending;

    fn read(value: Value<'_, '_>) -> Field<NewSpending> {
        value.object(|spending| NewSpending {
            title: spending.field("title").required().text(),
            emoji: spending.field("emoji").text(),
            amount: spending.field("amount").required().scalar(),
            currency: spending.field("currency").text(),
            categories: categories(spending),
            notes: spending.field("notes").text(),
            user_date: spending.aliased("userDate", "user_date").text(),
            spent_at: spending.aliased("spentAt", "spent_at").text(),
        })
    }
}

/// Changes to a spending. A field that is left out stays as it is.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({ "amount": 4, "emoji": null }))]
#[expect(dead_code, clippy::zero_sized_map_values, reason = "describes the body that is read")]
pub(crate) struct EditSpending {
    /// New title.
    title: Option<schemas::SpendingTitle>,
    /// New emoji; `null` removes it.
    #[schema(schema_with = schemas::emoji_or_null, required = false)]
    emoji: Option<schemas::SpendingEmoji>,
    /// New amount. A category that is the whole amount stays the whole amount.
    amount: Option<schemas::AmountInput>,
    /// New currency.
    currency: Option<schemas::Currency>,
    /// New category of the whole amount.
    category: Option<schemas::CategoryKey>,
    /// New parts of the amount by category, instead of `category`.
    categories: Option<BTreeMap<String, schemas::PartAmountInput>>,
    /// New notes; `null` removes them.
    #[schema(schema_with = schemas::spending_notes_or_null, required = false)]
    notes: Option<schemas::SpendingNotes>,
    /// New day. If it is not within one day of the UTC date of `spentAt`, `spentAt` becomes noon of
    /// that day in UTC, unless it is sent.
    user_date: Option<schemas::CalendarDate>,
    /// New time at which the money was spent, at most a day ahead. `userDate` becomes its day,
    /// unless it is sent.
    spent_at: Option<schemas::Timestamp>,
    /// Own categories that the client knows. Others are dropped without an error.
    registry_snapshot: Option<Vec<schemas::CategoryKey>>,
}

impl Body for EditSpending {
    type Fields = SpendingEdit;

    fn read(value: Value<'_, '_>) -> Field<SpendingEdit> {
        value.object(|spending| SpendingEdit {
            title: spending.field("title").text(),
            emoji: spending.field("emoji").nullable(Value::text),
            amount: spending.field("amount").scalar(),
            currency: spending.field("currency").text(),
            categories: categories(spending),
            notes: spending.field("notes").nullable(Value::text),
            user_date: spending.aliased("userDate", "user_date").text(),
            spent_at: spending.aliased("spentAt", "spent_at").text(),
        })
    }
}

/// Reads `category`, `categories` and `registrySnapshot`.
fn categories(spending: &mut Object<'_, '_>) -> CategoriesInput {
    CategoriesInput {
        category: spending.field("category").text(),
        categories: spending.field("categories").entries(MAX_CATEGORIES, |_, part| part.scalar()),
        snapshot: spending
            .aliased("registrySnapshot", "registry_snapshot")
            .list(0..=MAX_OWN_CATEGORIES, |key| key.required().text()),
    }
}

/// Query parameters of the list of spendings.
pub(crate) struct SpendingsQuery {
    paging: Paging,
    days: (Option<Day>, Option<Day>),
}

impl Parameters for SpendingsQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self { paging: Paging::read(query), days: query.period("from", "to") }
    }
}

/// List the caller's spendings.
///
/// In order of `spentAt`, newest first. With `from` and `to`, only those of these days.
#[utoipa::path(get, path = "/api/users/me/spendings", tag = "spendings",
    params(
        ("from" = Option<schemas::CalendarDate>, Query, description = "Return no spendings of \
            earlier days."),
        ("to" = Option<schemas::CalendarDate>, Query, description = "Return no spendings of later \
            days.")),
    responses((status = OK, body = List<SpendingView>)))]
pub(crate) async fn list_spendings(
    State(app): State<App>,
    Caller(user, SpendingsQuery { paging, days }): Caller<SpendingsQuery>,
) -> Result<List<SpendingView>, Problem> {
    let list_id = ListId::new("users/me/spendings", &user.id).filtered(&days);
    let spendings = app.table.spendings(user.id, days, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, spendings))
}

/// Create a spending.
///
/// Other users never see it.
#[utoipa::path(post, path = "/api/users/me/spendings", tag = "spendings",
    request_body = CreateSpending,
    responses((status = CREATED, body = Data<SpendingView>, headers(("ETag")))))]
pub(crate) async fn create_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    once: Once<CreateSpending>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, SpendingView>("create-spending");
    let made = app.table.create_spending(user.id, &once.body, once.creation, &idempotency).await?;
    respond_created("Spending recorded", &idempotency, made)
}

/// Get a spending.
#[utoipa::path(get, path = "/api/users/me/spendings/{spendingId}", tag = "spendings",
    responses((status = OK, body = Data<SpendingView>, headers(("ETag")))))]
pub(crate) async fn get_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(spending): Id<SpendingId>,
) -> Result<Tagged<SpendingView>, Problem> {
    Ok(Tagged(app.table.spending(user.id, &spending).await?.into()))
}

/// Edit a spending.
///
/// Fields that are left out stay as they are. An id begins with `spentAt`: if that changes, the
/// spending has another id, which the response has.
#[utoipa::path(put, path = "/api/users/me/spendings/{spendingId}", tag = "spendings",
    request_body = EditSpending,
    responses((status = OK, body = Data<SpendingView>, headers(("ETag")))))]
pub(crate) async fn edit_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(spending): Id<SpendingId>,
    if_match: IfMatch,
    once: Once<EditSpending>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, SpendingView>("edit-spending");
    let (edit, expected, now) = (&once.body, expected(&if_match), once.creation.now);
    let edited = app.table.edit_spending(user.id, &spending, edit, expected, now, &idempotency);
    respond_tagged(StatusCode::OK, &idempotency, edited.await?)
}

/// Delete a spending.
#[utoipa::path(delete, path = "/api/users/me/spendings/{spendingId}", tag = "spendings",
    responses((status = OK, body = Data<DeletedSpending>)))]
pub(crate) async fn delete_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(spending): Id<SpendingId>,
    if_match: IfMatch,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, DeletedSpending>("delete-spending");
    let (expected, now) = (expected(&if_match), once.creation.now);
    let deleted = app.table.delete_spending(user.id, &spending, expected, now, &idempotency);
    respond_with("Spending deleted", &idempotency, deleted.await?)
}

impl From<SpendingId> for DeletedSpending {
    fn from(id: SpendingId) -> Self {
        Self { id: Text(id) }
    }
}

/// Whether the state of a spending matches `If-Match`.
fn expected(if_match: &IfMatch) -> impl Fn(&Spending) -> bool + '_ {
    |spending| if_match.accepts(&SpendingView::from(spending.clone()))
}

impl From<Spending> for SpendingView {
    fn from(of: Spending) -> Self {
        let part = |(key, part)| (String::from(key), JsonDecimal(part));
        Self {
            id: Text(of.id),
            title: of.title,
            emoji: of.emoji,
            amount: JsonDecimal(of.amount),
            currency: Text(of.currency),
            categories: of.categories.into_iter().map(part).collect(),
            notes: of.notes,
            user_date: Text(of.user_date),
            spent_at: Text(of.spent_at),
            created_at: Text(of.created_at),
            updated_at: of.updated_at.map(Text),
        }
    }
}
