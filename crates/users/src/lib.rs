//! Endpoints of the current user over all groups, and the lists that are the same for all users.

mod activity;
mod reference;
mod shared;
mod summary;

use std::collections::{BTreeMap, BTreeSet};

use axum::extract::State;
use fracti_core::{
    records::{
        expense::{Filter, PaidExpense, Participant},
        settlement::Settlement,
    },
    values::{
        currency::Currency,
        id::{MemberId, UserId},
    },
};
use fracti_http::{
    App, Caller, Code, Data, Description, ExpenseView, GroupView, InApp, JsonDecimal, List, ListId,
    Paging, Parameters, Problem, QueryReader, Routes, Sender, SettlementView, Text, openapi,
    routes, schemas,
};
use fracti_store::{Feed, Membership, SettlementFilter, Slice};
use fracti_texts::rule;
use serde::Serialize;
use utoipa::ToSchema;

use activity::ActivityView;
use summary::{MySummary, SUMMARY_PAGE, memberships};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([
        ("users", "The current user and their totals over all groups."),
        ("reference", "Currencies and categories, without authentication."),
    ])
    .routes(routes!(get_me))
    .routes(routes!(list_groups))
    .routes(routes!(list_expenses))
    .routes(routes!(list_debts))
    .routes(routes!(list_settlements))
    .routes(routes!(list_activity))
    .routes(routes!(get_summary))
    .routes(routes!(shared::get_shared))
    .routes_for(Sender::Anyone, routes!(reference::list_currencies))
    .routes_for(Sender::Anyone, routes!(reference::list_categories))
}

/// The current user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct CurrentUser {
    /// Telegram id of the user.
    id: schemas::UserId,
    /// Name of the user.
    #[schema(example = "Alice Smith")]
    name: String,
    /// Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "alice")]
    username: Option<String>,
    /// URL of the user's avatar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "https://t.me/i/userpic/320/alice.svg")]
    avatar_url: Option<String>,
    /// Number of groups that the user is a member of.
    group_count: usize,
    /// Totals over all groups of the user.
    summary: MySummary,
}

/// A group of the caller, with their balance in it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MyGroup {
    #[serde(flatten)]
    group: GroupView,
    /// Time at which the caller joined.
    joined_at: schemas::Timestamp,
    /// Balance in the group's currency: positive if the group owes the caller, negative if the
    /// caller owes.
    #[schema(value_type = schemas::Balance)]
    balance: JsonDecimal,
    /// Balance in each currency of the group's ledger, by currency code.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    balances: BTreeMap<&'static str, JsonDecimal>,
    /// Number of expenses of the group.
    expense_count: u64,
}

/// An expense that the caller paid, alone or with others.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MyExpense {
    #[serde(flatten)]
    expense: ExpenseView,
    /// Title of the group; empty, like all texts of the group, if the caller is a past member.
    #[schema(example = "Roommates")]
    group_title: String,
    /// The caller's own share of it.
    #[schema(value_type = schemas::ExpenseAmount)]
    your_share: JsonDecimal,
    /// Amount that the caller paid; negative if the caller received it.
    #[schema(value_type = schemas::ExpenseAmount)]
    your_payment: JsonDecimal,
}

/// An expense of which the caller owes more than they paid.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MyDebt {
    /// Id of the expense.
    expense_id: schemas::ResourceId,
    /// Group that it belongs to.
    group_id: schemas::ResourceId,
    /// Title of the group; empty, like all texts of the group, if the caller is a past member.
    #[schema(example = "Roommates")]
    group_title: String,
    /// Amount that the caller owes: their share minus what they paid; negative if it is owed to the
    /// caller, as of a refund.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// Currency of the amounts; empty for an expense recorded by the TypeScript Fracti, which
    /// stored none.
    #[schema(example = "EUR")]
    currency: &'static str,
    /// Member who paid most, apart from the caller.
    payer_id: schemas::MemberId,
    /// Name of this payer when the expense was recorded.
    #[schema(example = "Alice Smith")]
    payer_name: String,
    /// Number of payers apart from the caller, if they are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 2, example = 2)]
    payer_count: Option<usize>,
    /// Description of the expense.
    #[schema(example = "Dinner at restaurant")]
    description: String,
    /// Amount of the whole expense.
    #[schema(value_type = schemas::ExpenseAmount)]
    total_amount: JsonDecimal,
    /// Day on which the expense happened.
    date: schemas::CalendarDate,
    /// Time at which the expense was recorded.
    created_at: schemas::Timestamp,
}

/// A settlement that the caller pays.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MySettlement {
    #[serde(flatten)]
    settlement: SettlementView,
    /// Title of the group; empty, like all texts of the group, if the caller is a past member.
    #[schema(example = "Roommates")]
    group_title: String,
}

/// Get the current user.
#[utoipa::path(get, path = "/api/users/me", tag = "users",
    responses((status = OK, body = Data<CurrentUser>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn get_me(
    State(app): State<App>,
    Caller(user, ()): Caller,
) -> Result<Data<CurrentUser>, Problem> {
    let memberships = memberships(&app, user.id).await?;
    Ok(Data::new(CurrentUser {
        id: Text(user.id),
        name: user.name.clone(),
        username: user.username.clone(),
        avatar_url: user.avatar_url.clone(),
        group_count: memberships.len(),
        summary: MySummary::of(&memberships),
    }))
}

/// Query parameters of the list of groups.
struct GroupsQuery(Paging);

impl Parameters for GroupsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = format!("Maximum number of groups on the page. Default: {SUMMARY_PAGE}.");
        query.describe("limit", about, Description::inline::<schemas::PageLimit>);
        Self(Paging::read(query).or_limit(SUMMARY_PAGE))
    }
}

/// List the caller's groups with their balances.
#[utoipa::path(get, path = "/api/users/me/groups", tag = "users",
    operation_id = "list_my_groups",
    responses((status = OK, body = List<MyGroup>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_groups(
    State(app): State<App>,
    Caller(user, GroupsQuery(paging)): Caller<GroupsQuery>,
) -> Result<List<MyGroup>, Problem> {
    let list_id = ListId::new("users/me/groups", &user.id);
    let page = paging.page(&list_id)?;
    let memberships = app.table.memberships_of(user.id, &page).await?;
    let Slice { items, next, unreadable } = memberships;
    let next = next.map(|position| paging.cursor(&list_id, &position));
    Ok(List::new(items.into_iter().map(MyGroup::of), next).leaving_out(unreadable))
}

/// Query parameters of the list of expenses that the caller paid.
struct PaidExpensesQuery {
    paging: Paging,
    filter: Filter,
}

impl Parameters for PaidExpensesQuery {
    fn read(query: &mut QueryReader) -> Self {
        Self { paging: Paging::read(query), filter: Filter::read(query) }
    }
}

/// List the expenses that the caller paid, alone or with others.
///
/// In order of recording, newest first. Filters select expenses that fulfil all of them. One
/// request examines at most 250 expenses then, so a page may have fewer expenses than `limit` and
/// still have a next page.
#[utoipa::path(get, path = "/api/users/me/expenses", tag = "users",
    operation_id = "list_my_expenses",
    responses((status = OK, body = List<MyExpense>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_expenses(
    State(app): State<App>,
    Caller(user, PaidExpensesQuery { paging, filter }): Caller<PaidExpensesQuery>,
) -> Result<List<MyExpense>, Problem> {
    let list_id = ListId::new("users/me/expenses", &user.id).filtered(&filter);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let feed = app.table.paid_by(user.id, &filter, paging.limit(), after).await?;
    let Feed { items, next, ids, unreadable } = feed;
    let next = next.map(|position| paging.cursor(&list_id, &position));
    let items = items.into_iter().map(|paid| MyExpense::of(paid, &ids));
    Ok(List::new(items, next).leaving_out(unreadable))
}

/// List the expenses of which the caller owes more than they paid.
///
/// Newest first.
#[utoipa::path(get, path = "/api/users/me/debts", tag = "users",
    operation_id = "list_my_debts", responses((status = OK, body = List<MyDebt>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_debts(
    State(app): State<App>,
    Caller(user, paging): Caller<Paging>,
) -> Result<List<MyDebt>, Problem> {
    let list_id = ListId::new("users/me/debts", &user.id);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let feed = app.table.owed_by(user.id, paging.limit(), after).await?;
    let next = feed.next.map(|position| paging.cursor(&list_id, &position));
    Ok(List::new(feed.items.into_iter().map(MyDebt::from), next).leaving_out(feed.unreadable))
}

/// Query parameters of the list of settlements.
struct SettlementsQuery {
    paging: Paging,
    filter: SettlementFilter,
}

impl Parameters for SettlementsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let status = query.text("status", "Return only settlements with this status.");
        let about = "Return the pending settlements that wait for the caller, who pays or is paid.";
        let waiting = query.flag("waiting", about).unwrap_or_default();
        if waiting && status.is_some() {
            query.refuse(
                "status",
                rule!(
                    "{field} must not be sent with waiting",
                    "не отправляйте {field} вместе с waiting"
                ),
            );
        }
        Self { paging, filter: SettlementFilter { status, waiting } }
    }
}

/// List the settlements that the caller pays, or that wait for the caller.
///
/// Newest first. With `status` or `waiting`, a page may be shorter than its limit although the list
/// continues.
#[utoipa::path(get, path = "/api/users/me/settlements", tag = "users",
    operation_id = "list_my_settlements", responses((status = OK, body = List<MySettlement>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_settlements(
    State(app): State<App>,
    Caller(user, SettlementsQuery { paging, filter }): Caller<SettlementsQuery>,
    InApp(reader): InApp,
) -> Result<List<MySettlement>, Problem> {
    let list_id = ListId::new("users/me/settlements", &user.id).filtered(&filter);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let feed = app.table.settlements_of(user.id, &filter, paging.limit(), after).await?;
    let Feed { items, next, unreadable, .. } = feed;
    let next = next.map(|position| paging.cursor(&list_id, &position));
    let items = items.into_iter().map(|it| MySettlement::seen_by(reader, it));
    Ok(List::new(items, next).leaving_out(unreadable))
}

/// List the caller's activity over all groups.
///
/// Newest first: expenses paid, expenses owed, and settlements sent and received. An expense of
/// which the caller paid less than their share is listed twice.
#[utoipa::path(get, path = "/api/users/me/activity", tag = "users",
    operation_id = "list_my_activity", responses((status = OK, body = List<ActivityView>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_activity(
    State(app): State<App>,
    Caller(user, paging): Caller<Paging>,
) -> Result<List<ActivityView>, Problem> {
    let list_id = ListId::new("users/me/activity", &user.id);
    let after = paging.after(&list_id)?.unwrap_or_default();
    let feed = app.table.activity_of(user.id, paging.limit(), after).await?;
    let Feed { items, next, ids, unreadable } = feed;
    let next = next.map(|position| paging.cursor(&list_id, &position));
    let items = items.into_iter().map(|event| ActivityView::of(event, &ids));
    Ok(List::new(items, next).leaving_out(unreadable))
}

/// Get the caller's totals over all groups.
#[utoipa::path(get, path = "/api/users/me/summary", tag = "users",
    operation_id = "get_my_summary", responses((status = OK, body = Data<MySummary>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn get_summary(
    State(app): State<App>,
    Caller(user, ()): Caller,
) -> Result<Data<MySummary>, Problem> {
    let memberships = memberships(&app, user.id).await?;
    Ok(Data::new(MySummary::of(&memberships)))
}

impl MyGroup {
    fn of(membership: Membership) -> Self {
        let Membership { group, joined_at, totals, expense_count, .. } = membership;
        let own = group.currency;
        let net = |currency: Currency| {
            let totals = totals.get(&currency).copied().unwrap_or_default();
            JsonDecimal(currency.to_major(totals.net()))
        };
        let currencies = totals.keys().copied().chain([own]);
        Self {
            joined_at: Text(joined_at),
            balance: net(own),
            balances: currencies.map(|currency| (currency.code(), net(currency))).collect(),
            expense_count,
            group: group.into(),
        }
    }
}

impl MyExpense {
    /// An expense that the caller paid, who has these ids.
    fn of(PaidExpense { item_count, expense, .. }: PaidExpense, ids: &BTreeSet<MemberId>) -> Self {
        Self {
            group_title: expense.group_title.clone().unwrap_or_default(),
            your_share: JsonDecimal(expense.share_of_all(ids)),
            your_payment: JsonDecimal(expense.paid_by_all(ids)),
            expense: ExpenseView { item_count, ..expense.into() },
        }
    }
}

impl From<Participant> for MyDebt {
    fn from(row: Participant) -> Self {
        Self {
            expense_id: Text(row.expense_id.into()),
            group_id: Text(row.group_id.into()),
            group_title: row.group_title.unwrap_or_default(),
            amount: JsonDecimal(row.amount),
            currency: row.currency.map(Currency::code).unwrap_or_default(),
            payer_id: Text(row.payer_id),
            payer_name: row.payer_name,
            payer_count: row.payer_count,
            description: row.description,
            total_amount: JsonDecimal(row.total_amount),
            date: Text(row.date.unwrap_or_else(|| row.created_at.day())),
            created_at: Text(row.created_at),
        }
    }
}

impl MySettlement {
    fn seen_by(reader: Option<UserId>, settlement: Settlement) -> Self {
        Self {
            group_title: settlement.group_title.clone().unwrap_or_default(),
            settlement: SettlementView::seen_by(reader, settlement),
        }
    }
}
