//! Endpoints of debts and of the settlements that reduce them.

mod debts;

use axum::{extract::State, response::Response};
use fracti_core::{
    Error,
    currency::Currency,
    decimal::Decimal,
    id::{SettlementId, UserId},
    settlement::{Ask, Settlement, Status, TxHash},
    table::NewSettlement,
};
use fracti_http::{
    App, Data, Id, IfMatch, Json, List, Member, Paging, Post, Problem, Query, Routes, Scalar,
    Scope, SettlementView, Tagged, Text, required, respond_tagged, schemas,
};
use serde::Deserialize;
use tokio::task::spawn_blocking;
use utoipa::ToSchema;
use utoipa_axum::routes;

use debts::GroupDebts;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(get_debts))
        .routes(routes!(list_settlements, create_settlement))
        .routes(routes!(get_settlement, update_settlement))
}

/// A settlement to record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({ "toId": "987654321", "amount": 25, "currency": "EUR" }))]
struct CreateSettlement {
    /// Member who is paid.
    #[schema(value_type = schemas::UserId)]
    to_id: Option<Text<UserId>>,
    /// Amount that is paid.
    #[schema(value_type = schemas::AmountInput)]
    amount: Option<Scalar<Decimal>>,
    /// Member who pays. Default: the caller. Either the payer or the recipient must be the caller.
    #[schema(value_type = Option<schemas::UserId>)]
    from_id: Option<Text<UserId>>,
    /// Currency of the amount. Default: the group's currency.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// Blockchain transaction that pays it.
    #[schema(value_type = Option<schemas::TxHash>)]
    tx_hash: Option<Text<TxHash>>,
}

/// Changes to a settlement: a status, a transaction or both.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({ "status": "completed" }))]
struct UpdateSettlement {
    /// New status.
    #[schema(value_type = Option<schemas::SettlementStatus>)]
    status: Option<Text<Status>>,
    /// Blockchain transaction that pays it.
    #[schema(value_type = Option<schemas::TxHash>)]
    tx_hash: Option<Text<TxHash>>,
}

/// Get the debts of a group and a plan that settles them.
///
/// Each currency is planned separately; amounts in different currencies are never added. `verify=true` also recomputes
/// the balances from all expenses, settlements and ledger entries, and fails if they differ from the ledger.
#[utoipa::path(get, path = "/api/groups/{groupId}/debts", tag = "settlements",
    params(("verify" = Option<bool>, Query, description = "Whether to recompute the balances from the full history. The cost grows with the history.")),
    responses(
        (status = OK, body = Data<GroupDebts>),
        (status = CONFLICT, description = "CONFLICT"),
        (status = UNPROCESSABLE_ENTITY, description = "TOO_MUCH_HISTORY")))]
async fn get_debts(
    State(app): State<App>,
    Member(claim): Member,
    query: Query,
) -> Result<Data<GroupDebts>, Problem> {
    let verify: Option<bool> = query.read("verify")?;
    let (group, members, book) = app.table.ledger(claim).await?;
    if verify == Some(true) {
        app.table.verify_book(claim.group).await?;
    }
    // The plan takes a while, in which this thread has others to serve, and the deadline to keep.
    let debts = spawn_blocking(move || GroupDebts::of(&group, &members, &book)).await;
    Ok(Data::new(debts.map_err(|error| Error::Table(error.into()))?))
}

/// List the settlements of a group.
///
/// Newest first.
#[utoipa::path(get, path = "/api/groups/{groupId}/settlements", tag = "settlements",
    responses((status = OK, body = List<SettlementView>)))]
async fn list_settlements(
    State(app): State<App>,
    Member(claim): Member,
    paging: Paging,
) -> Result<List<SettlementView>, Problem> {
    let scope = Scope::new("settlements", &claim.group);
    let settlements = app.table.settlements(claim, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, settlements))
}

/// Create a settlement.
///
/// A settlement recorded by its recipient is completed at once. One recorded by its payer is pending until the recipient
/// completes it.
#[utoipa::path(post, path = "/api/groups/{groupId}/settlements", tag = "settlements",
    request_body = CreateSettlement,
    responses(
        (status = CREATED, body = Data<SettlementView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED"),
        (status = CONFLICT, description = "TX_HASH_USED")))]
async fn create_settlement(
    State(app): State<App>,
    Member(claim): Member,
    post: Post<CreateSettlement>,
) -> Result<Response, Problem> {
    let body = post.body;
    let new = NewSettlement {
        from: body.from_id.map(|Text(user)| user),
        to: required("toId", body.to_id)?.0,
        amount: required("amount", body.amount)?.0,
        currency: body.currency.map(|Text(currency)| currency),
        tx_hash: body.tx_hash.map(|Text(hash)| hash),
    };
    let once = post.key.once::<_, SettlementView, 201>("create-settlement");
    let settlement = app.table.create_settlement(claim, &new, app.moment(), &once).await?;
    respond_tagged(&once, settlement)
}

/// Get a settlement.
#[utoipa::path(get, path = "/api/groups/{groupId}/settlements/{settlementId}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>)))]
async fn get_settlement(
    State(app): State<App>,
    Member(claim): Member,
    Id(settlement): Id<SettlementId>,
) -> Result<Tagged<SettlementView>, Problem> {
    Ok(Tagged(app.table.settlement(claim, settlement).await?.into()))
}

/// Update a settlement.
///
/// The recipient may complete it, the payer may attach the transaction that pays it, and both may fail it. If the payer
/// sends `completed` with a transaction, the transaction is stored and the settlement stays pending. Repeating a final
/// status has no effect.
#[utoipa::path(put, path = "/api/groups/{groupId}/settlements/{settlementId}", tag = "settlements",
    request_body = UpdateSettlement,
    responses(
        (status = OK, body = Data<SettlementView>),
        (status = FORBIDDEN, description = "NOT_ALLOWED"),
        (status = CONFLICT, description = "SETTLEMENT_FINAL, TX_HASH_USED")))]
async fn update_settlement(
    State(app): State<App>,
    Member(claim): Member,
    Id(settlement): Id<SettlementId>,
    if_match: IfMatch,
    Json(body): Json<UpdateSettlement>,
) -> Result<Tagged<SettlementView>, Problem> {
    let ask = Ask {
        status: body.status.map(|Text(status)| status),
        tx_hash: body.tx_hash.map(|Text(hash)| hash),
    };
    match ask {
        Ask { status: None, tx_hash: None } => {
            return Err(Problem::invalid("status", "a status or a txHash is required"));
        }
        Ask { status: Some(Status::Failed), tx_hash: Some(_) } => {
            return Err(Problem::invalid("txHash", "what failed has no transaction that paid it"));
        }
        _ => {}
    }
    let expected =
        |settlement: &Settlement| if_match.accepts(&SettlementView::from(settlement.clone()));
    let now = app.clock.now();
    let settlement = app.table.update_settlement(claim, settlement, &ask, expected, now).await?;
    Ok(Tagged(settlement.into()))
}
