//! The endpoints of a user's spendings.

use std::collections::BTreeMap;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Field,
    personal::{
        spending::{CategoriesInput, MAX_CATEGORIES, NewSpending, Spending, SpendingEdit},
        targets::MAX_OWN_CATEGORIES,
    },
    values::{
        decimal::Decimal,
        spending_id::SpendingId,
        time::{Day, Timestamp},
    },
};
use fracti_http::{
    App, Caller, Data, Description, Id, IfMatch, JsonDecimal, List, ListId, Once, Paging,
    Parameters, Problem, QueryReader, Tagged, Text, Value, body, respond_created, respond_tagged,
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
    #[schema(example = "☕")]
    emoji: Option<String>,
    /// Amount.
    amount: JsonDecimal,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// Parts of the amount by category. The rest has none.
    categories: BTreeMap<String, JsonDecimal>,
    /// Notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "With oat milk")]
    notes: Option<String>,
    /// Day that it belongs to.
    user_date: schemas::CalendarDate,
    /// Time at which the money was spent.
    spent_at: schemas::Timestamp,
    /// Time at which the spending was recorded.
    created_at: schemas::Timestamp,
    /// Time of the last edit.
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_at: Option<schemas::Timestamp>,
}

/// A spending that was deleted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedSpending {
    /// Id of the spending.
    id: schemas::SpendingId,
}

body! {
    /// A spending to record.
    #[example = { "title": "Coffee", "amount": 3.5, "currency": "EUR", "category": "food" }]
    pub(crate) CreateSpending => NewSpending {
        /// What the money was spent on.
        title: "title".required().text(),
        /// Emoji shown with it.
        emoji: "emoji".text(),
        /// Amount.
        amount: "amount".required().number(schemas::AmountInput),
        /// Currency of the amounts. Default: the currency of the targets, if there is one.
        currency: "currency".text(),
        /// Category of the whole amount: one of the categories of expenses, or an active one of the
        /// caller's own.
        category: "category".text(),
        /// Parts of the amount by category, instead of `category`.
        categories: "categories".entries(MAX_CATEGORIES, part),
        /// Own categories that the client knows. Others are dropped without an error.
        snapshot: "registrySnapshot" | "registry_snapshot".texts(0..=MAX_OWN_CATEGORIES),
        /// Notes.
        notes: "notes".text(),
        /// Day that it belongs to, within one day of the UTC date of `spentAt`. Default: the day of
        /// `spentAt` in its offset, which begins at 04:00.
        user_date: "userDate" | "user_date".text(),
        /// Time at which the money was spent, at most a day ahead. Default: now, or noon in UTC of
        /// a `userDate` that is not today.
        spent_at: "spentAt" | "spent_at".text_of(Description::text::<Timestamp>),
    } => {
        let categories = CategoriesInput { category, categories, snapshot };
        NewSpending { title, emoji, amount, currency, categories, notes, user_date, spent_at }
    }
}

body! {
    /// Changes to a spending. A field that is left out stays as it is.
    #[example = { "amount": 4, "emoji": null }]
    pub(crate) EditSpending => SpendingEdit {
        /// New title.
        title: "title".text(),
        /// New emoji; `null` removes it.
        emoji: "emoji".nullable(Value::text),
        /// New amount. A category that is the whole amount stays the whole amount.
        amount: "amount".number(schemas::AmountInput),
        /// New currency.
        currency: "currency".text(),
        /// New category of the whole amount.
        category: "category".text(),
        /// New parts of the amount by category, instead of `category`.
        categories: "categories".entries(MAX_CATEGORIES, part),
        /// Own categories that the client knows. Others are dropped without an error.
        snapshot: "registrySnapshot" | "registry_snapshot".texts(0..=MAX_OWN_CATEGORIES),
        /// New notes; `null` removes them.
        notes: "notes".nullable(Value::text),
        /// New day. If it is not within one day of the UTC date of `spentAt`, `spentAt` becomes
        /// noon of that day in UTC, unless it is sent.
        user_date: "userDate" | "user_date".text(),
        /// New time at which the money was spent, at most a day ahead. `userDate` becomes its day,
        /// unless it is sent.
        spent_at: "spentAt" | "spent_at".text_of(Description::text::<Timestamp>),
    } => {
        let categories = CategoriesInput { category, categories, snapshot };
        SpendingEdit { title, emoji, amount, currency, categories, notes, user_date, spent_at }
    }
}

/// Reads the part of an amount in a category.
fn part(_: &str, value: Value<'_, '_>) -> Field<Decimal> {
    value.number(schemas::PartAmountInput)
}

/// Query parameters of the list of spendings.
pub(crate) struct SpendingsQuery {
    paging: Paging,
    days: (Option<Day>, Option<Day>),
}

impl Parameters for SpendingsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let days = query.period(
            ("from", "Return no spendings of earlier days."),
            ("to", "Return no spendings of later days."),
        );
        Self { paging, days }
    }
}

/// List the caller's spendings.
///
/// In order of `spentAt`, newest first. With `from` and `to`, only those of these days.
#[utoipa::path(get, path = "/api/users/me/spendings", tag = "spendings",
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
    responses((status = CREATED, body = Data<SpendingView>, headers(("ETag")))))]
pub(crate) async fn create_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    once: Once<CreateSpending>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, SpendingView>("create-spending");
    let made = app.table.create_spending(user.id, &once.body, &idempotency).await?;
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
    responses((status = OK, body = Data<SpendingView>, headers(("ETag")))))]
pub(crate) async fn edit_spending(
    State(app): State<App>,
    Caller(user, ()): Caller,
    Id(spending): Id<SpendingId>,
    if_match: IfMatch,
    once: Once<EditSpending>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, SpendingView>("edit-spending");
    let edit = &once.body;
    let expected = expected(&if_match);
    let edited = app.table.edit_spending(user.id, &spending, edit, expected, &idempotency);
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
    let expected = expected(&if_match);
    let deleted = app.table.delete_spending(user.id, &spending, expected, &idempotency);
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
