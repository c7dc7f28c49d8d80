//! Endpoints of expenses.

mod create;
mod edit;

use axum::{extract::State, response::Response};
use fracti_core::{expense::Expense, id::ExpenseId};
use fracti_http::{
    App, Data, EntryView, ExpenseView, Id, IfMatch, Json, List, Member, Paging, Post, Problem,
    Routes, Scope, Tagged, respond_tagged, schemas,
};
use serde::{Serialize, de::IgnoredAny};
use utoipa::ToSchema;
use utoipa_axum::routes;

use create::CreateExpense;
use edit::EditExpense;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list_expenses, create_expense))
        .routes(routes!(read_expense, edit_expense, delete_expense))
        .routes(routes!(restore_expense))
        .routes(routes!(list_history))
}

/// The expense that is gone.
#[derive(Debug, Serialize, ToSchema)]
struct Deleted {
    /// Its id.
    #[schema(value_type = schemas::Id)]
    id: String,
}

/// Lists a group's expenses, newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses", tag = "expenses",
    responses((status = OK, body = List<ExpenseView>)))]
async fn list_expenses(
    State(app): State<App>,
    Member(claim): Member,
    paging: Paging,
) -> Result<List<ExpenseView>, Problem> {
    let scope = Scope::new("expenses", &claim.group);
    let expenses = app.table.expenses(claim, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, expenses))
}

/// Records an expense that a member paid.
///
/// The shares sum to the amount exactly: units left over go to the sharers in turn.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses", tag = "expenses",
    request_body = CreateExpense,
    responses(
        (status = CREATED, body = Data<ExpenseView>),
        (status = UNPROCESSABLE_ENTITY, description = "TOO_MANY_SPLITS")))]
async fn create_expense(
    State(app): State<App>,
    Member(claim): Member,
    post: Post<CreateExpense>,
) -> Result<Response, Problem> {
    let new = post.body.read()?;
    let once = post.key.once::<_, ExpenseView, 201>("create-expense");
    let expense = app.table.create_expense(claim, &new, app.moment(), &once).await?;
    respond_tagged(&once, expense)
}

/// Reads an expense.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses((status = OK, body = Data<ExpenseView>)))]
async fn read_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
) -> Result<Tagged<ExpenseView>, Problem> {
    Ok(Tagged(app.table.expense(claim, expense).await?.into()))
}

/// Edits an expense: what is left out stays.
///
/// Its payer may, and who recorded it. What it was stays in its history. A new amount is divided as the old one was; where
/// neither the amount nor the division changes, every share stays. Exact shares have to be sent with a new amount.
#[utoipa::path(put, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    request_body = EditExpense,
    responses(
        (status = OK, body = Data<ExpenseView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED"),
        (status = UNPROCESSABLE_ENTITY, description = "TOO_MANY_SPLITS")))]
async fn edit_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
    if_match: IfMatch,
    Json(body): Json<EditExpense>,
) -> Result<Tagged<ExpenseView>, Problem> {
    let (edit, now) = (body.read()?, app.clock.now());
    let expected = expected(&if_match);
    let expense = app.table.edit_expense(claim, expense, &edit, expected, now).await?;
    Ok(Tagged(expense.into()))
}

/// Deletes an expense.
///
/// Its payer may, and who recorded it. The balances are as if it had never been; its history stays.
#[utoipa::path(delete, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses(
        (status = OK, body = Data<Deleted>),
        (status = FORBIDDEN, description = "NOT_ALLOWED"),
        (status = UNPROCESSABLE_ENTITY, description = "TOO_MANY_SPLITS")))]
async fn delete_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
    if_match: IfMatch,
) -> Result<Data<Deleted>, Problem> {
    app.table.delete_expense(claim, expense, expected(&if_match), app.clock.now()).await?;
    Ok(Data::new(Deleted { id: expense.to_string() }).saying("Expense deleted"))
}

/// Brings a deleted expense back: the same id, the same shares, the same place in the list.
///
/// Its payer may, and who recorded it. One that is there is answered as it is.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses/{expenseId}/restore", tag = "expenses",
    responses(
        (status = OK, body = Data<ExpenseView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED")))]
async fn restore_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
    post: Post<Option<IgnoredAny>>,
) -> Result<Response, Problem> {
    let once = post.key.once::<_, ExpenseView, 200>("restore-expense");
    let expense = app.table.restore_expense(claim, expense, app.clock.now(), &once).await?;
    respond_tagged(&once, expense)
}

/// Lists what happened to an expense: the entry that counts first, then its history, newest first; also after its deletion.
///
/// What was edited or deleted comes with the expense as it was until then.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}/history", tag = "expenses",
    responses((status = OK, body = List<EntryView>)))]
async fn list_history(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
    paging: Paging,
) -> Result<List<EntryView>, Problem> {
    let scope = Scope::new("history", &format!("{}/{expense}", claim.group));
    let history = app.table.expense_history(claim, expense, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, history))
}

/// Whether an expense is in a state in which the request may be done.
fn expected(if_match: &IfMatch) -> impl Fn(&Expense) -> bool + '_ {
    |expense| if_match.accepts(&ExpenseView::from(expense.clone()))
}
