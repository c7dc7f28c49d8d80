//! Endpoints of groups and their members, and of the service itself.

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
        .routes(routes!(get_health))
        .routes(routes!(get_open_api_document))
        .routes(routes!(list_groups, create_group))
        .routes(routes!(get_group))
        .routes(routes!(join_group))
        .routes(routes!(set_wallet))
}

/// Health of the service.
#[derive(Debug, Serialize, ToSchema)]
struct ServiceHealth {
    /// Always `ok`.
    #[schema(pattern = "^ok$", example = "ok")]
    status: &'static str,
    /// Version of Fracti.
    #[schema(example = "0.1.0")]
    version: &'static str,
}

/// A group with its members.
#[derive(Debug, Serialize, ToSchema)]
struct GroupWithMembers {
    #[serde(flatten)]
    group: GroupView,
    /// Members of the group.
    members: Vec<MemberView>,
}

/// A group to create.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
struct CreateGroup {
    /// Title of the group.
    #[schema(value_type = schemas::GroupTitle)]
    title: Option<Text<Title>>,
    /// Telegram chat that the group belongs to, as text or a number.
    #[schema(value_type = schemas::ChatId)]
    chat_id: Option<SentChatId>,
    /// Currency of expenses that name none. Default: `TON`.
    #[schema(value_type = Option<schemas::Currency>)]
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

/// Options for joining a group.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct JoinGroup {
    /// TON address at which the new member is paid.
    #[schema(value_type = Option<schemas::WalletAddress>)]
    wallet: Option<Text<Wallet>>,
}

/// A new wallet address of the caller.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(expecting = "an object")]
struct SetWallet {
    /// TON address at which the caller is paid.
    #[schema(value_type = schemas::WalletAddress)]
    wallet: Option<Text<Wallet>>,
}

/// Wallet address of a member.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemberWallet)]
struct WalletView {
    /// The address, as it was sent.
    #[schema(value_type = schemas::WalletAddress)]
    wallet: String,
}

/// Get the health of the service.
#[utoipa::path(get, path = "/api/health", tag = "service", security(()),
    responses((status = OK, body = Data<ServiceHealth>)))]
async fn get_health() -> impl IntoResponse {
    Data::new(ServiceHealth { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Get this OpenAPI document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "service", security(()),
    responses((status = OK, body = schemas::OpenApiDocument)))]
async fn get_open_api_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT)
}

/// List the groups of the caller.
///
/// Newest first.
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

/// Create a group.
///
/// The caller becomes its first member.
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

/// Get a group with its members.
#[utoipa::path(get, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<GroupWithMembers>)))]
async fn get_group(
    State(app): State<App>,
    Member(claim): Member,
) -> Result<Data<GroupWithMembers>, Problem> {
    let (group, members) = app.table.group(claim).await?;
    let members = members.into_iter().map(MemberView::from).collect();
    Ok(Data::new(GroupWithMembers { group: group.into(), members }))
}

/// Join a group.
///
/// The group's id is the invitation. For a caller who is already a member, only the name, username and avatar are updated.
#[utoipa::path(post, path = "/api/groups/{groupId}/join", tag = "groups", request_body = Option<JoinGroup>,
    responses(
        (status = OK, body = Data<MemberView>),
        (status = UNPROCESSABLE_ENTITY, description = "TOO_MANY_MEMBERS")))]
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

/// Set the caller's wallet address in a group.
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
