//! Endpoints of debts and of the settlements that reduce them.

mod debts;

use axum::{extract::State, response::Response};
use fracti_core::{
    currency::Currency,
    decimal::Decimal,
    id::{SettlementId, UserId},
    settlement::{Ask, Status, TxHash},
    table::NewSettlement,
};
use fracti_http::{
    App, Data, Id, Json, List, Member, Paging, Post, Problem, ProblemBody, Routes, Scalar, Scope,
    SettlementView, Text, required, respond,
};
use serde::Deserialize;
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
struct CreateSettlement {
    /// Who is paid, a member.
    #[schema(value_type = String, example = "123456789")]
    to_id: Option<Text<UserId>>,
    /// How much, above zero, as a number or the text of one, with at most the decimals of the currency.
    #[schema(value_type = f64, example = 25)]
    amount: Option<Scalar<Decimal>>,
    /// Who pays, a member; the caller where nobody is named. One of the two is the caller.
    #[schema(value_type = Option<String>, example = "987654321")]
    from_id: Option<Text<UserId>>,
    /// In which currency; the group's where none is named.
    #[schema(value_type = Option<String>, example = "TON")]
    currency: Option<Text<Currency>>,
    /// The chain transaction that pays it: 64 hexadecimal digits, or the base64 form of 32 bytes.
    #[schema(value_type = Option<String>)]
    tx_hash: Option<Text<TxHash>>,
}

/// What a client asks of a settlement.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct UpdateSettlement {
    /// The state it should have: `pending`, `completed` or `failed`.
    #[schema(value_type = Option<String>, example = "completed")]
    status: Option<Text<Status>>,
    /// The chain transaction that pays it.
    #[schema(value_type = Option<String>)]
    tx_hash: Option<Text<TxHash>>,
}

/// Says who owes whom, and the fewest transfers that settle it.
#[utoipa::path(get, path = "/api/groups/{group_id}/debts", tag = "settlements",
    responses((status = OK, body = Data<Debts>), (status = "4XX", body = ProblemBody)))]
async fn read_debts(State(app): State<App>, Member(claim): Member) -> Result<Data<Debts>, Problem> {
    let (group, members, book) = app.table.ledger(claim).await?;
    Ok(Data::new(Debts::of(&group, &members, &book)))
}

/// Lists a group's settlements, newest first.
#[utoipa::path(get, path = "/api/groups/{group_id}/settlements", tag = "settlements",
    responses((status = OK, body = List<SettlementView>), (status = "4XX", body = ProblemBody)))]
async fn list_settlements(
    State(app): State<App>,
    Member(claim): Member,
    paging: Paging,
) -> Result<List<SettlementView>, Problem> {
    let scope = Scope::new("settlements", &claim.group);
    let settlements = app.table.settlements(claim, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, settlements))
}

/// Records a settlement. One that its recipient records is completed at once; its payer's waits.
#[utoipa::path(post, path = "/api/groups/{group_id}/settlements", tag = "settlements",
    responses((status = CREATED, body = Data<SettlementView>), (status = "4XX", body = ProblemBody)))]
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
    respond(&once, settlement)
}

/// Reads a settlement.
#[utoipa::path(get, path = "/api/groups/{group_id}/settlements/{settlement_id}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>), (status = "4XX", body = ProblemBody)))]
async fn read_settlement(
    State(app): State<App>,
    Member(claim): Member,
    Id(settlement): Id<SettlementId>,
) -> Result<Data<SettlementView>, Problem> {
    Ok(Data::new(app.table.settlement(claim, settlement).await?.into()))
}

/// Brings a settlement further: its recipient completes it, its payer names the transaction, both may fail it.
#[utoipa::path(put, path = "/api/groups/{group_id}/settlements/{settlement_id}", tag = "settlements",
    responses((status = OK, body = Data<SettlementView>), (status = "4XX", body = ProblemBody)))]
async fn update_settlement(
    State(app): State<App>,
    Member(claim): Member,
    Id(settlement): Id<SettlementId>,
    Json(body): Json<UpdateSettlement>,
) -> Result<Data<SettlementView>, Problem> {
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
    let settlement = app.table.update_settlement(claim, settlement, &ask, app.clock.now()).await?;
    Ok(Data::new(settlement.into()))
}
