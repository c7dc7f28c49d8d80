//! Endpoints of expenses.

mod breakdown;
mod create;
mod edit;
mod preview;
mod schedules;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    records::expense::{Expense, Filter, ListOrder},
    values::id::ExpenseId,
};
use fracti_http::{
    App, AsMember, Code, Credential, Data, EntryView, ExpenseView, Id, IfMatch, List, ListId, Once,
    Paging, Parameters, Problem, QueryReader, Routes, Sender, Tagged, Text, openapi,
    respond_tagged, respond_with, routes, schemas,
};
use fracti_store::Deleted;
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

use breakdown::BreakdownView;
use create::CreateExpense;
use edit::EditExpense;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([("expenses", "Expenses that members paid and share.")])
        .routes(routes!(list_expenses, create_expense))
        .routes_for(Sender::Reader, routes!(preview::preview_expense))
        .routes(routes!(get_expense, edit_expense, delete_expense))
        .routes_for(Sender::Reader, routes!(preview::preview_expense_edit))
        .routes(routes!(get_expense_breakdown))
        .routes(routes!(restore_expense))
        .routes(routes!(list_expense_history))
        .routes(routes!(schedules::list_schedules, schedules::create_schedule))
        .routes(routes!(
            schedules::get_schedule,
            schedules::edit_schedule,
            schedules::delete_schedule
        ))
}

/// An expense that was deleted.
#[derive(Debug, Serialize, ToSchema)]
struct DeletedExpense {
    /// Id of the expense.
    id: schemas::ResourceId,
}

/// An expense in a list.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ListedExpense {
    #[serde(flatten)]
    expense: ExpenseView,
    /// Time at which it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<schemas::Timestamp>,
    /// User who deleted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_by: Option<schemas::UserId>,
    /// Present name of the user who deleted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Alice Smith")]
    deleted_by_name: Option<String>,
}

/// Query parameters of the list of expenses.
struct ExpensesQuery {
    paging: Paging,
    filter: Filter,
    order: ListOrder,
    deleted: bool,
}

impl Parameters for ExpensesQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let payer = query.text("payerId", "Return only expenses that this member paid.");
        let filter = Filter { payer, ..Filter::read(query) };
        let order = query.text("order", "Order of the list, by default `recorded`.");
        let about = "Return the deleted expenses, newest deletion first.";
        let deleted = query.flag("deleted", about).unwrap_or_default();
        if deleted && (order.is_some() || !filter.is_empty()) {
            query.refuse(
                "deleted",
                rule!(
                    "{field} must not be sent with an order or filters",
                    "не отправляйте {field} вместе с сортировкой или фильтрами"
                ),
            );
        }
        Self { paging, filter, order: order.unwrap_or(ListOrder::Recorded), deleted }
    }
}

/// List the expenses of a group.
///
/// Newest first, in order of recording or of the day on which they happened. The order by day may
/// lag behind the last writes by milliseconds. Filters select expenses that fulfil all of them. One
/// request examines at most 1000 expenses, so a page may have fewer expenses than `limit` and still
/// have a next page. Deleted expenses are a list of their own, each as it was; those that the undo
/// of an import deleted are not in it.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses", tag = "expenses",
    responses((status = OK, body = List<ListedExpense>)),
    extensions(("x-errors" = json!([Code::NotIndexed]))))]
async fn list_expenses(
    State(app): State<App>,
    AsMember(member_key, query): AsMember<ExpensesQuery>,
) -> Result<List<ListedExpense>, Problem> {
    let ExpensesQuery { paging, filter, order, deleted } = query;
    if deleted {
        let list_id = ListId::new("deleted expenses", &member_key.group);
        let deleted = app.table.deleted_expenses(member_key, &paging.page(&list_id)?).await?;
        return Ok(paging.list(&list_id, deleted));
    }
    let name = match order {
        ListOrder::Recorded => "expenses",
        ListOrder::Date => "expenses by date",
    };
    let list_id = ListId::new(name, &member_key.group).filtered(&filter);
    let page = paging.page(&list_id)?;
    let expenses = app.table.expenses(member_key, &filter, order, &page).await?;
    Ok(paging.list(&list_id, expenses))
}

/// Create an expense.
///
/// The shares sum to the amount exactly: minor units left over by a split are distributed fairly
/// among the shares.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses", tag = "expenses",
    responses((status = CREATED, body = Data<ExpenseView>, headers(("ETag")))),
    extensions(("x-errors" = json!([Code::SpendingNotFound, Code::TooManySplits]))))]
async fn create_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    via: Credential,
    once: Once<CreateExpense>,
) -> Result<Response, Problem> {
    // Spendings are personal.
    if once.body.spending().is_some() {
        via.require_any_group()?;
    }
    let idempotency = once.key.idempotency::<_, ExpenseView>("create-expense");
    let expense = app.table.create_expense(member_key, &once.body, &idempotency).await?;
    respond_tagged(StatusCode::CREATED, &idempotency, expense)
}

/// Get an expense.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses((status = OK, body = Data<ExpenseView>, headers(("ETag")))))]
async fn get_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
) -> Result<Tagged<ExpenseView>, Problem> {
    Ok(Tagged(app.table.expense(member_key, expense).await?.into()))
}

/// Get the breakdown of an expense: how each share follows from the split.
///
/// Each share is the sum of its parts and a rounding.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}/breakdown", tag = "expenses",
    responses((status = OK, body = Data<BreakdownView>)))]
async fn get_expense_breakdown(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
) -> Result<Data<BreakdownView>, Problem> {
    let expense = app.table.expense(member_key, expense).await?;
    Ok(Data::new(BreakdownView::of(&expense)))
}

/// Edit an expense.
///
/// Allowed for its payers and for the member who recorded it. Fields that are left out stay as they
/// are, and the previous state is kept in the history. A new amount is split the same way as the
/// old one, except that an `exact` split needs new `splits`; if several members paid the expense, a
/// new amount needs `payers` or `payerId`. If neither the amount nor the split changes, all shares
/// stay the same.
#[utoipa::path(put, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses((status = OK, body = Data<ExpenseView>, headers(("ETag")))),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::TooManySplits]))))]
async fn edit_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
    if_match: IfMatch,
    once: Once<EditExpense>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ExpenseView>("edit-expense");
    let edit = &once.body;
    let expected = expected(&if_match);
    let edited = app.table.edit_expense(member_key, expense, edit, expected, &idempotency);
    respond_tagged(StatusCode::OK, &idempotency, edited.await?)
}

/// Delete an expense.
///
/// Allowed for its payers and for the member who recorded it. The balances become what they would
/// be without it; its history is kept.
#[utoipa::path(delete, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses((status = OK, body = Data<DeletedExpense>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::TooManySplits]))))]
async fn delete_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
    if_match: IfMatch,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, DeletedExpense>("delete-expense");
    let expected = expected(&if_match);
    let deleted = app.table.delete_expense(member_key, expense, expected, &idempotency);
    respond_with("Expense deleted", &idempotency, deleted.await?)
}

impl From<Expense> for ListedExpense {
    fn from(expense: Expense) -> Self {
        let expense = ExpenseView::from(expense).listed();
        Self { expense, deleted_at: None, deleted_by: None, deleted_by_name: None }
    }
}

impl From<Deleted> for ListedExpense {
    fn from(Deleted { expense, at, by, name }: Deleted) -> Self {
        Self {
            deleted_at: Some(Text(at)),
            deleted_by: Some(Text(by)),
            deleted_by_name: Some(name),
            ..expense.into()
        }
    }
}

impl From<ExpenseId> for DeletedExpense {
    fn from(id: ExpenseId) -> Self {
        Self { id: Text(id.into()) }
    }
}

/// Restore a deleted expense.
///
/// Allowed for its payers and for the member who recorded it. The expense keeps its id, its shares
/// and its place in the list. An expense that is not deleted is returned unchanged.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses/{expenseId}/restore", tag = "expenses",
    responses((status = OK, body = Data<ExpenseView>, headers(("ETag")))),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn restore_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, ExpenseView>("restore-expense");
    let expense = app.table.restore_expense(member_key, expense, &once.body, &idempotency).await?;
    respond_tagged(StatusCode::OK, &idempotency, expense)
}

/// List the history of an expense.
///
/// The applied ledger entry first, then earlier entries, newest first. It is available after
/// deletion too. A reverted entry includes the expense as it was before the edit or the deletion.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}/history", tag = "expenses",
    responses((status = OK, body = List<EntryView>)))]
async fn list_expense_history(
    State(app): State<App>,
    AsMember(member_key, paging): AsMember<Paging>,
    Id(expense): Id<ExpenseId>,
) -> Result<List<EntryView>, Problem> {
    let list_id = ListId::new("history", &format!("{}/{expense}", member_key.group));
    let history = app.table.expense_history(member_key, expense, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, history))
}

/// Whether the state of an expense matches `If-Match`.
fn expected(if_match: &IfMatch) -> impl Fn(&Expense) -> bool + '_ {
    |expense| if_match.accepts(&ExpenseView::from(expense.clone()))
}
