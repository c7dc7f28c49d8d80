//! Endpoints of expenses.

mod create;

use axum::{extract::State, response::Response};
use fracti_core::id::ExpenseId;
use fracti_http::{
    App, Data, ExpenseView, Id, List, Member, Paging, Post, Problem, Routes, Scope, respond,
    schemas,
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use create::CreateExpense;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list_expenses, create_expense))
        .routes(routes!(read_expense, delete_expense))
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
    respond(&once, expense)
}

/// Reads an expense.
#[utoipa::path(get, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses((status = OK, body = Data<ExpenseView>)))]
async fn read_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
) -> Result<Data<ExpenseView>, Problem> {
    Ok(Data::new(app.table.expense(claim, expense).await?.into()))
}

/// Deletes an expense.
///
/// Its payer may, and who recorded it. The balances are as if it had never been.
#[utoipa::path(delete, path = "/api/groups/{groupId}/expenses/{expenseId}", tag = "expenses",
    responses(
        (status = OK, body = Data<Deleted>),
        (status = FORBIDDEN, description = "NOT_ALLOWED")))]
async fn delete_expense(
    State(app): State<App>,
    Member(claim): Member,
    Id(expense): Id<ExpenseId>,
) -> Result<Data<Deleted>, Problem> {
    app.table.delete_expense(claim, expense, app.clock.now()).await?;
    Ok(Data::new(Deleted { id: expense.to_string() }).saying("Expense deleted"))
}
