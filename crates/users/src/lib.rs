//! Endpoints of what the caller has over all groups.

mod activity;
mod summary;

use std::collections::BTreeMap;

use axum::extract::State;
use fracti_core::{
    currency::Currency,
    expense::{Expense, Participant},
    settlement::Settlement,
    table::{Belonging, Slice},
};
use fracti_http::{
    App, Caller, Data, Exact, ExpenseView, GroupView, List, Paging, Problem, Routes, Scope,
    SettlementView, schemas,
};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::routes;

use activity::ActivityView;
use summary::{Summary, belongings};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(read_me))
        .routes(routes!(list_groups))
        .routes(routes!(list_expenses))
        .routes(routes!(list_debts))
        .routes(routes!(list_settlements))
        .routes(routes!(list_activity))
        .routes(routes!(read_summary))
}

/// The caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Me {
    /// The Telegram id, as text.
    #[schema(value_type = schemas::UserId)]
    id: String,
    /// The name that the others see.
    #[schema(example = "Alice Smith")]
    name: String,
    /// The Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    username: Option<String>,
    /// A picture of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "https://t.me/i/userpic/320/alice.svg")]
    avatar_url: Option<String>,
    /// How many groups the caller is in.
    group_count: usize,
    /// The caller's totals.
    summary: Summary,
}

/// A group, and how its money stands for the caller.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct GroupOfUser {
    #[serde(flatten)]
    group: GroupView,
    /// When the caller joined.
    #[schema(value_type = schemas::Timestamp)]
    joined_at: String,
    /// What the group owes the caller, in the group's currency; below zero where the caller owes.
    #[schema(value_type = schemas::Balance)]
    balance: Exact,
    /// The same in each currency of the group's book, by its code.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    balances: BTreeMap<&'static str, Exact>,
    /// How many expenses the group has.
    expense_count: u64,
}

/// An expense that the caller paid.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ExpenseOfUser {
    #[serde(flatten)]
    expense: ExpenseView,
    /// The group's title.
    #[schema(example = "Roommates")]
    group_title: String,
    /// What the caller owes of it.
    your_share: Exact,
}

/// What the caller owes of another's expense.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Debt {
    /// The expense.
    #[schema(value_type = schemas::Id)]
    expense_id: String,
    /// Its group.
    #[schema(value_type = schemas::Id)]
    group_id: String,
    /// The group's title.
    #[schema(example = "Roommates")]
    group_title: String,
    /// What the caller owes of it.
    amount: Exact,
    /// In which currency; empty where a row of the earlier system does not say.
    #[schema(example = "EUR")]
    currency: &'static str,
    /// Who paid.
    #[schema(value_type = schemas::UserId)]
    payer_id: String,
    /// The payer's name when it was recorded.
    #[schema(example = "Alice Smith")]
    payer_name: String,
    /// What for.
    #[schema(example = "Dinner at restaurant")]
    description: String,
    /// The whole expense.
    total_amount: Exact,
    /// When it was recorded.
    #[schema(value_type = schemas::Timestamp)]
    created_at: String,
}

/// A settlement that the caller made.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SettlementOfUser {
    #[serde(flatten)]
    settlement: SettlementView,
    /// The group's title.
    #[schema(example = "Roommates")]
    group_title: String,
}

/// Says who the caller is.
#[utoipa::path(get, path = "/api/users/me", tag = "users",
    responses((status = OK, body = Data<Me>)))]
async fn read_me(State(app): State<App>, Caller(user): Caller) -> Result<Data<Me>, Problem> {
    let belongings = belongings(&app, user.id).await?;
    Ok(Data::new(Me {
        id: user.id.to_string(),
        name: user.name.clone(),
        username: user.username.clone(),
        avatar_url: user.avatar_url.clone(),
        group_count: belongings.len(),
        summary: Summary::of(&belongings),
    }))
}

/// Lists the caller's groups and how they stand there.
#[utoipa::path(get, path = "/api/users/me/groups", tag = "users", operation_id = "list_my_groups",
    params(("limit" = Option<u8>, Query, minimum = 1, maximum = 100,
        description = "How many groups at the most; without it 500.")),
    responses((status = OK, body = List<GroupOfUser>)))]
async fn list_groups(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<GroupOfUser>, Problem> {
    let scope = Scope::new("users/me/groups", &user.id);
    let paging = paging.or_limit(summary::MANY);
    let Slice { items, next } = app.table.belongings_of(user.id, &paging.page(&scope)?).await?;
    let next = next.map(|position| paging.cursor(&scope, &position));
    Ok(List::new(items.into_iter().map(GroupOfUser::of), next))
}

/// Lists the expenses that the caller paid, newest first.
#[utoipa::path(get, path = "/api/users/me/expenses", tag = "users", operation_id = "list_my_expenses",
    responses((status = OK, body = List<ExpenseOfUser>)))]
async fn list_expenses(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<ExpenseOfUser>, Problem> {
    let scope = Scope::new("users/me/expenses", &user.id);
    let expenses = app.table.paid_by(user.id, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, expenses))
}

/// Lists what the caller owes of others' expenses, newest first.
#[utoipa::path(get, path = "/api/users/me/debts", tag = "users", operation_id = "list_my_debts",
    responses((status = OK, body = List<Debt>)))]
async fn list_debts(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<Debt>, Problem> {
    let scope = Scope::new("users/me/debts", &user.id);
    let debts = app.table.owed_by(user.id, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, debts))
}

/// Lists the settlements that the caller made, newest first.
#[utoipa::path(get, path = "/api/users/me/settlements", tag = "users", operation_id = "list_my_settlements",
    responses((status = OK, body = List<SettlementOfUser>)))]
async fn list_settlements(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<SettlementOfUser>, Problem> {
    let scope = Scope::new("users/me/settlements", &user.id);
    let settlements = app.table.sent_by(user.id, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, settlements))
}

/// Lists what happened to the caller's money, in one order of time, newest first.
#[utoipa::path(get, path = "/api/users/me/activity", tag = "users", operation_id = "list_my_activity",
    responses((status = OK, body = List<ActivityView>)))]
async fn list_activity(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<ActivityView>, Problem> {
    let scope = Scope::new("users/me/activity", &user.id);
    let after = paging.after(&scope)?.unwrap_or_default();
    let (feed, next) = app.table.activity_of(user.id, paging.limit(), after).await?;
    let next = next.map(|position| paging.cursor(&scope, &position));
    Ok(List::new(feed.into_iter().map(ActivityView::from), next))
}

/// Sums up what the caller paid, owes, sent and received.
#[utoipa::path(get, path = "/api/users/me/summary", tag = "users", operation_id = "read_my_summary",
    responses((status = OK, body = Data<Summary>)))]
async fn read_summary(
    State(app): State<App>,
    Caller(user): Caller,
) -> Result<Data<Summary>, Problem> {
    let belongings = belongings(&app, user.id).await?;
    Ok(Data::new(Summary::of(&belongings)))
}

impl GroupOfUser {
    fn of(belonging: Belonging) -> Self {
        let Belonging { group, joined_at, totals, expense_count, .. } = belonging;
        let own = group.currency;
        let net = |currency: Currency| {
            let totals = totals.get(&currency).copied().unwrap_or_default();
            Exact(currency.number(totals.net()))
        };
        let currencies = totals.keys().copied().chain([own]);
        Self {
            joined_at: joined_at.to_string(),
            balance: net(own),
            balances: currencies.map(|currency| (currency.code(), net(currency))).collect(),
            expense_count,
            group: group.into(),
        }
    }
}

impl From<Expense> for ExpenseOfUser {
    fn from(expense: Expense) -> Self {
        Self {
            group_title: expense.group_title.clone().unwrap_or_default(),
            your_share: Exact(expense.share_of(expense.payer_id)),
            expense: expense.into(),
        }
    }
}

impl From<Participant> for Debt {
    fn from(row: Participant) -> Self {
        Self {
            expense_id: row.expense_id.to_string(),
            group_id: row.group_id.to_string(),
            group_title: row.group_title.unwrap_or_default(),
            amount: Exact(row.amount),
            currency: row.currency.map(Currency::code).unwrap_or_default(),
            payer_id: row.payer_id.to_string(),
            payer_name: row.payer_name,
            description: row.description,
            total_amount: Exact(row.total_amount),
            created_at: row.created_at.to_string(),
        }
    }
}

impl From<Settlement> for SettlementOfUser {
    fn from(settlement: Settlement) -> Self {
        Self {
            group_title: settlement.group_title.clone().unwrap_or_default(),
            settlement: settlement.into(),
        }
    }
}
