//! Endpoints of groups and their members, and the one that says that Fracti runs.

use axum::{
    extract::State,
    http::header,
    response::{IntoResponse, Response},
};
use fracti_core::{
    currency::Currency, group::ChatId, id::GroupId, table::NewGroup, text::Title, wallet::Wallet,
};
use fracti_http::{
    App, Caller, Data, GroupView, Id, Json, List, Member, MemberView, Paging, Post, Problem,
    Routes, Scope, Text, openapi, required, respond, schemas,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::routes;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    Routes::new()
        .routes(routes!(health))
        .routes(routes!(read_document))
        .routes(routes!(list_groups, create_group))
        .routes(routes!(read_group))
        .routes(routes!(join_group))
        .routes(routes!(set_wallet))
}

/// That Fracti runs, and which version.
#[derive(Debug, Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    #[schema(pattern = "^ok$", example = "ok")]
    status: &'static str,
    /// Of Fracti.
    #[schema(example = "0.1.0")]
    version: &'static str,
}

/// A group and everybody in it.
#[derive(Debug, Serialize, ToSchema)]
struct GroupWithMembers {
    #[serde(flatten)]
    group: GroupView,
    /// Everybody in it.
    members: Vec<MemberView>,
}

/// What a client sends to make a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct CreateGroup {
    /// What its members call it.
    #[schema(value_type = schemas::Title)]
    title: Option<Text<Title>>,
    /// The Telegram chat it belongs to, as text or a number.
    #[schema(value_type = schemas::ChatId)]
    chat_id: Option<SentChatId>,
    /// The currency of an expense that names none; TON where it is left out.
    #[schema(value_type = Option<schemas::Currency>, default = "TON")]
    currency: Option<Text<Currency>>,
}

/// A chat's id, as a client sends it.
#[derive(Debug, Deserialize)]
#[serde(
    untagged,
    expecting = "a chat id is a whole number, like -1001234567890, or 1 to 64 characters without blanks"
)]
enum SentChatId {
    Number(i64),
    Text(Text<ChatId>),
}

impl From<SentChatId> for ChatId {
    fn from(sent: SentChatId) -> Self {
        match sent {
            SentChatId::Number(number) => number.into(),
            SentChatId::Text(Text(id)) => id,
        }
    }
}

/// What a client may send to join a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct JoinGroup {
    /// The TON address to pay the new member at.
    #[schema(value_type = Option<schemas::Wallet>)]
    wallet: Option<Text<Wallet>>,
}

/// What a client sends to be paid elsewhere.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct SetWallet {
    /// The TON address to pay the caller at.
    #[schema(value_type = schemas::Wallet)]
    wallet: Option<Text<Wallet>>,
}

/// Where a member is paid.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemberWallet)]
struct WalletView {
    /// The address, as it was sent.
    #[schema(value_type = schemas::Wallet)]
    wallet: String,
}

/// Says that Fracti runs.
#[utoipa::path(get, path = "/api/health", tag = "service", security(()),
    responses((status = OK, body = Data<Health>)))]
async fn health() -> impl IntoResponse {
    Data::new(Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Reads this document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "service", security(()),
    responses((status = OK, body = schemas::OpenApi)))]
async fn read_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT)
}

/// Lists the caller's groups, newest first.
#[utoipa::path(get, path = "/api/groups", tag = "groups",
    responses((status = OK, body = List<GroupView>)))]
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
#[utoipa::path(post, path = "/api/groups", tag = "groups", request_body = CreateGroup,
    responses((status = CREATED, body = Data<GroupView>)))]
async fn create_group(
    State(app): State<App>,
    Caller(user): Caller,
    post: Post<CreateGroup>,
) -> Result<Response, Problem> {
    let Text(title) = required("title", post.body.title)?;
    let chat_id = required("chatId", post.body.chat_id)?.into();
    let currency = post.body.currency.map_or(Currency::TON, |Text(currency)| currency);
    let new = NewGroup { chat_id, title, currency };
    let once = post.key.once::<_, GroupView, 201>("create-group");
    let group = app.table.create_group(new, &user, app.moment(), &once).await?;
    respond(&once, group)
}

/// Reads a group with its members.
#[utoipa::path(get, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<GroupWithMembers>)))]
async fn read_group(
    State(app): State<App>,
    Member(claim): Member,
) -> Result<Data<GroupWithMembers>, Problem> {
    let (group, members) = app.table.group(claim).await?;
    let members = members.into_iter().map(MemberView::from).collect();
    Ok(Data::new(GroupWithMembers { group: group.into(), members }))
}

/// Makes the caller a member of a group.
///
/// Who knows a group's id is invited. Who is a member already stays one, with the name, username and picture of now.
#[utoipa::path(post, path = "/api/groups/{groupId}/join", tag = "groups", request_body = Option<JoinGroup>,
    responses((status = OK, body = Data<MemberView>)))]
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
#[utoipa::path(put, path = "/api/groups/{groupId}/wallet", tag = "groups", request_body = SetWallet,
    responses((status = OK, body = Data<WalletView>)))]
async fn set_wallet(
    State(app): State<App>,
    Member(claim): Member,
    Json(body): Json<SetWallet>,
) -> Result<Data<WalletView>, Problem> {
    let Text(wallet) = required("wallet", body.wallet)?;
    app.table.set_wallet(claim, &wallet).await?;
    Ok(Data::new(WalletView { wallet: wallet.to_string() }))
}
