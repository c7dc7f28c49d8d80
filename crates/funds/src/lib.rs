//! Endpoints of funds: a user's prepaid money, and what an operator does about it.

mod change;
mod view;

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    decisions::funds::SeenFunds,
    values::{currency::Currency, fund_key::FundWork, id::FundTransactionId},
};
use fracti_http::{
    App, Code, Context, Data, Description, Id, List, ListId, Once, Operator, Owner, Paging,
    Parameters, Problem, QueryReader, Routes, openapi, respond, routes, schemas,
};

use view::{FundTotalsView, FundWorkView, FundsView, TransactionView};

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([(
        "funds",
        "Prepaid money: cash that users top up and cash out, credit and bonuses that an operator \
         gives. The operator of the deployment holds the money; without one, funds are disabled.",
    )])
    .routes(routes!(get_funds, change::set_acceptance))
    .routes(routes!(list_fund_transactions))
    .routes(routes!(get_fund_transaction))
    .routes(routes!(change::create_fund_credit))
    .routes(routes!(change::create_bonus))
    .routes(routes!(change::create_fund_debit))
    .routes(routes!(change::capture_fund_transaction))
    .routes(routes!(change::void_fund_transaction))
    .routes(routes!(check_funds))
    .routes(routes!(list_fund_work))
    .routes(routes!(list_fund_totals))
}

/// Query parameters of a user's funds.
struct FundsQuery {
    currency: Option<Currency>,
    detail: bool,
}

impl Parameters for FundsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let currency = query.text("currency", "Return only funds in this currency.");
        let about = "Whether to list bonuses, held cash and pending transactions.";
        Self { currency, detail: query.flag("detail", about).unwrap_or_default() }
    }
}

/// Get a user's funds, by currency.
///
/// `me` is the caller; an operator may name any user. In the app only, not by an API token. Sums
/// are of one moment only if no payment is made while they are read; nothing is decided by them.
#[utoipa::path(get, path = "/api/users/{userId}/funds", tag = "funds",
    responses((status = OK, body = Data<FundsView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn get_funds(
    State(app): State<App>,
    Owner(of, query): Owner<FundsQuery>,
    Context { now, .. }: Context,
) -> Result<Data<FundsView>, Problem> {
    let funds = if query.detail {
        app.table.funds_in_detail(of.owner, now).await?
    } else {
        app.table.funds(of.owner).await?
    };
    let seen = SeenFunds { funds, released: 0, now };
    Ok(Data::new(FundsView::of(&seen, query.currency, query.detail)))
}

/// List the transactions of a user's funds.
///
/// Newest first.
#[utoipa::path(get, path = "/api/users/{userId}/funds/transactions", tag = "funds",
    responses((status = OK, body = List<TransactionView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn list_fund_transactions(
    State(app): State<App>,
    Owner(of, paging): Owner<Paging>,
) -> Result<List<TransactionView>, Problem> {
    let list_id = ListId::new("funds/transactions", &of.owner);
    let page = paging.page(&list_id)?;
    Ok(paging.list(&list_id, app.table.fund_transactions(of.owner, &page).await?))
}

/// Get a transaction of a user's funds.
#[utoipa::path(get, path = "/api/users/{userId}/funds/transactions/{transactionId}",
    tag = "funds", responses((status = OK, body = Data<TransactionView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn get_fund_transaction(
    State(app): State<App>,
    Owner(of, ()): Owner,
    Id(id): Id<FundTransactionId>,
) -> Result<Data<TransactionView>, Problem> {
    Ok(Data::new(app.table.fund_transaction(of.owner, id).await?.into()))
}

/// Check a user's funds: do now what is due.
///
/// Reports that are over expire, bonuses lapse, held cash becomes cash, and amounts that are
/// withheld for a transaction that does not exist are released. The keeper does the same once a
/// minute.
#[utoipa::path(post, path = "/api/users/{userId}/funds/check", tag = "funds",
    responses((status = OK, body = Data<FundsView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::FundsDisabled]))))]
async fn check_funds(
    State(app): State<App>,
    Owner(of, ()): Owner,
    once: Once<()>,
) -> Result<Response, Problem> {
    app.require_operators()?;
    once.body.checked()?;
    let idempotency = once.key.idempotency::<_, FundsView>("check-funds");
    let checked = app.table.check_funds(of.owner, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, checked)
}

/// Query parameters of the list of work.
struct WorkQuery {
    paging: Paging,
    kind: FundWork,
}

impl Parameters for WorkQuery {
    fn read(query: &mut QueryReader) -> Self {
        let paging = Paging::read(query);
        let about = "What to list. Default: `cashout`.";
        let schema = Description::reference::<schemas::FundWork>;
        let kind = query.read::<FundWork>("kind", about, schema).unwrap_or(FundWork::Cashout);
        Self { paging, kind }
    }
}

/// List what waits for an operator.
///
/// Reports of money that should have arrived, or cash-outs to pay: first those of users for whom
/// nothing else waited, oldest first, then those of users for whom one other waited, and so on.
/// Operators only. What was done a moment ago may still be listed.
#[utoipa::path(get, path = "/api/funds/work", tag = "funds",
    responses((status = OK, body = List<FundWorkView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn list_fund_work(
    State(app): State<App>,
    Operator(caller, WorkQuery { paging, kind }): Operator<WorkQuery>,
) -> Result<List<FundWorkView>, Problem> {
    let list_id = ListId::new("funds/work", &caller).filtered(&kind);
    let page = paging.page(&list_id)?;
    Ok(paging.list(&list_id, app.table.fund_work(kind, &page).await?))
}

/// List the sums over all users, by currency.
///
/// Operators only. `cash` is what the operator must have, and `credit` what was promised.
#[utoipa::path(get, path = "/api/funds/totals", tag = "funds",
    responses((status = OK, body = Data<FundTotalsView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn list_fund_totals(
    State(app): State<App>,
    Operator(_caller, ()): Operator,
) -> Result<Data<FundTotalsView>, Problem> {
    let totals = app.table.counted_fund_totals().await?;
    Ok(Data::new(totals.into()))
}
