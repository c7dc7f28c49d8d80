//! Endpoints of groups and their members, and the one that says that Fracti runs.

use axum::{
    extract::State,
    response::{IntoResponse, Response},
};
use fracti_core::{
    currency::Currency, group::ChatId, id::GroupId, table::NewGroup, text::Title, wallet::Wallet,
};
use fracti_http::{
    App, Caller, Data, GroupView, Id, Json, List, Member, MemberView, Paging, Post, Problem,
    ProblemBody, Routes, Scalar, Scope, Text, required, respond,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(health))
        .routes(routes!(list_groups, create_group))
        .routes(routes!(read_group))
        .routes(routes!(join_group))
        .routes(routes!(set_wallet))
}

/// That Fracti runs, and which version.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    #[schema(example = "ok")]
    status: &'static str,
    version: &'static str,
}

/// A group and everybody in it.
#[derive(Debug, Serialize, ToSchema)]
struct GroupWithMembers {
    #[serde(flatten)]
    group: GroupView,
    members: Vec<MemberView>,
}

/// What a client sends to make a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct CreateGroup {
    /// 1 to 100 characters, not all of them blank and none a control character.
    #[schema(value_type = String, min_length = 1, max_length = 100, example = "Roommates")]
    title: Option<Text<Title>>,
    /// The Telegram chat it belongs to, as text or a number.
    #[schema(value_type = String, example = "-1001234567890")]
    chat_id: Option<Scalar<ChatId>>,
    /// The currency of an expense that names none; TON where it is left out.
    #[schema(value_type = Option<String>, example = "EUR")]
    currency: Option<Text<Currency>>,
}

/// What a client may send to join a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct JoinGroup {
    /// The TON address to pay the new member at.
    #[schema(value_type = Option<String>)]
    wallet: Option<Text<Wallet>>,
}

/// What a client sends to be paid elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct SetWallet {
    /// A TON address of the main network, in its user-friendly or its raw form.
    #[schema(value_type = String, example = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF")]
    wallet: Option<Text<Wallet>>,
}

/// Where a member is paid.
#[derive(Debug, Serialize, ToSchema)]
struct WalletView {
    wallet: String,
}

/// Says that Fracti runs.
#[utoipa::path(get, path = "/api/health", tag = "health",
    responses((status = OK, body = Data<Health>)))]
async fn health() -> impl IntoResponse {
    Data::new(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Lists the caller's groups, newest first.
#[utoipa::path(get, path = "/api/groups", tag = "groups",
    responses((status = OK, body = List<GroupView>), (status = "4XX", body = ProblemBody)))]
async fn list_groups(
    State(app): State<App>,
    Caller(user): Caller,
    paging: Paging,
) -> Result<List<GroupView>, Problem> {
    let scope = Scope::new("groups", &user.id);
    let groups = app.table.groups_of(user.id, &paging.page(&scope)?).await?;
    Ok(paging.list(&scope, groups))
}

/// Makes a group; the caller is its first member.
#[utoipa::path(post, path = "/api/groups", tag = "groups",
    responses((status = CREATED, body = Data<GroupView>), (status = "4XX", body = ProblemBody)))]
async fn create_group(
    State(app): State<App>,
    Caller(user): Caller,
    post: Post<CreateGroup>,
) -> Result<Response, Problem> {
    let Text(title) = required("title", post.body.title)?;
    let Scalar(chat_id) = required("chatId", post.body.chat_id)?;
    let currency = post.body.currency.map_or(Currency::TON, |Text(currency)| currency);
    let new = NewGroup { chat_id, title, currency };
    let once = post.key.once::<_, GroupView, 201>("create-group");
    let group = app.table.create_group(new, &user, app.moment(), &once).await?;
    respond(&once, group)
}

/// Reads a group with its members.
#[utoipa::path(get, path = "/api/groups/{group_id}", tag = "groups",
    responses((status = OK, body = Data<GroupWithMembers>), (status = "4XX", body = ProblemBody)))]
async fn read_group(
    State(app): State<App>,
    Member(claim): Member,
) -> Result<Data<GroupWithMembers>, Problem> {
    let (group, members) = app.table.group(claim).await?;
    let members = members.into_iter().map(MemberView::from).collect();
    Ok(Data::new(GroupWithMembers { group: group.into(), members }))
}

/// Makes the caller a member: who knows a group's id is invited.
#[utoipa::path(post, path = "/api/groups/{group_id}/join", tag = "groups",
    responses((status = OK, body = Data<MemberView>), (status = "4XX", body = ProblemBody)))]
async fn join_group(
    State(app): State<App>,
    Caller(user): Caller,
    Id(group): Id<GroupId>,
    post: Post<Option<JoinGroup>>,
) -> Result<Response, Problem> {
    let wallet = post.body.and_then(|body| body.wallet).map(|Text(wallet)| wallet);
    let once = post.key.once::<_, MemberView, 200>("join-group");
    let member = app.table.join(group, &user, wallet, app.moment(), &once).await?;
    respond(&once, member)
}

/// Sets where the caller wants to be paid.
#[utoipa::path(put, path = "/api/groups/{group_id}/wallet", tag = "groups",
    responses((status = OK, body = Data<WalletView>), (status = "4XX", body = ProblemBody)))]
async fn set_wallet(
    State(app): State<App>,
    Member(claim): Member,
    Json(body): Json<SetWallet>,
) -> Result<Data<WalletView>, Problem> {
    let Text(wallet) = required("wallet", body.wallet)?;
    app.table.set_wallet(claim, &wallet).await?;
    Ok(Data::new(WalletView { wallet: wallet.to_string() }))
}
