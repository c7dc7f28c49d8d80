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

use debts::Debts;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(read_debts))
        .routes(routes!(list_settlements, create_settlement))
        .routes(routes!(read_settlement, update_settlement))
}

/// What a client sends to record a settlement.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({ "toId": "987654321", "amount": 25, "currency": "EUR" }))]
struct CreateSettlement {
    /// Who is paid, a member.
    #[schema(value_type = schemas::UserId)]
    to_id: Option<Text<UserId>>,
    /// How much is paid.
    #[schema(value_type = schemas::AmountToSend)]
    amount: Option<Scalar<Decimal>>,
    /// Who pays, a member; the caller where nobody is named. One of the two is the caller.
    #[schema(value_type = Option<schemas::UserId>)]
    from_id: Option<Text<UserId>>,
    /// In which currency; the group's where none is named.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// The chain transaction that pays it.
    #[schema(value_type = Option<schemas::TxHash>)]
    tx_hash: Option<Text<TxHash>>,
}

/// What a client asks of a settlement: a status, a transaction or both.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({ "status": "completed" }))]
struct UpdateSettlement {
    /// The state it should have.
    #[schema(value_type = Option<schemas::SettlementStatus>)]
    status: Option<Text<Status>>,
    /// The chain transaction that pays it.
    #[schema(value_type = Option<schemas::TxHash>)]
    tx_hash: Option<Text<TxHash>>,
}

/// Says who owes whom, and the fewest transfers that settle it.
///
/// Each currency by itself: two currencies are never added. `verify=true` computes the balances again from every expense,
/// settlement and entry that there is, and fails where the book says something else.
#[utoipa::path(get, path = "/api/groups/{groupId}/debts", tag = "settlements",
    params(("verify" = Option<bool>, Query, description = "Whether to compute the balances again. It costs as much as the group is old.")),
    responses(
        (status = OK, body = Data<Debts>),
        (status = CONFLICT, description = "CONFLICT")))]
async fn read_debts(
    State(app): State<App>,
    Member(claim): Member,
    query: Query,
) -> Result<Data<Debts>, Problem> {
    let verify: Option<bool> = query.read("verify")?;
    let (group, members, book) = app.table.ledger(claim).await?;
    if verify == Some(true) {
        app.table.verify_book(claim.group).await?;
    }
    // The plan takes a while, in which this thread has others to serve, and the deadline to keep.
    let debts = spawn_blocking(move || Debts::of(&group, &members, &book)).await;
    Ok(Data::new(debts.map_err(|error| Error::Table(error.into()))?))
}

/// Lists a group's settlements, newest first.
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

/// Records a settlement.
///
/// One that its recipient records is completed at once; its payer's waits for the recipient.
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

/// Reads a settlement.
#[utoipa::path(get, path = "/api/groups/{groupId}/settlements/{settlementId}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>)))]
async fn read_settlement(
    State(app): State<App>,
    Member(claim): Member,
    Id(settlement): Id<SettlementId>,
) -> Result<Tagged<SettlementView>, Problem> {
    Ok(Tagged(app.table.settlement(claim, settlement).await?.into()))
}

/// Brings a settlement further.
///
/// Its recipient completes it, its payer names the transaction that pays it, both may fail it. A payer who asks for
/// `completed` and names the transaction gets it stored, and the settlement waits on. To repeat a final status changes
/// nothing.
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
