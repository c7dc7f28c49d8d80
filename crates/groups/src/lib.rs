//! Endpoints of groups and their members, and of the service itself.

mod guests;
mod invitation;
mod open;
mod presence;
mod settings;

use axum::{
    extract::State,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use fracti_core::{
    decisions::links::LinkedGuest,
    group::{GroupFilter, JoiningUser, NewGroup},
    input::Field,
    values::{
        chat_id::{ChatId, ChatIdError},
        id::GroupId,
        ton::TonAddress,
    },
    words,
};
use fracti_http::{
    App, AppPrincipal, AsMember, Caller, Code, Credential, Data, Description, GroupView, Id,
    JsonScalar, List, ListId, MemberView, Once, Paging, Parameters, Problem, QueryReader, Routes,
    Sender, Text, body, openapi, respond, respond_with, routes, schemas,
};
use fracti_store::Profile;
use fracti_texts::{Message, Says};
use serde::Serialize;
use utoipa::ToSchema;

/// The routes of this endpoint group.
#[must_use]
pub fn routes() -> Routes {
    openapi::tagged([
        ("groups", "Groups and their members."),
        ("service", "Health and OpenAPI document, without authentication."),
    ])
    .routes_for(Sender::Anyone, routes!(get_health))
    .routes_for(Sender::Anyone, routes!(get_open_api_document))
    .routes(routes!(list_groups, create_group))
    .routes(routes!(open::open_group))
    .routes(routes!(get_group, settings::update_group, settings::delete_group))
    .routes(routes!(join_group))
    .routes(routes!(guests::create_guest))
    .routes(routes!(guests::rename_guest))
    .routes(routes!(guests::link_guest, guests::withdraw_link))
    .routes(routes!(set_wallet, delete_wallet))
    .routes(routes!(
        invitation::get_invitation,
        invitation::create_invitation,
        invitation::delete_invitation
    ))
    .routes(routes!(presence::leave_group))
    .routes(routes!(presence::remove_member))
    .routes(routes!(presence::restore_member))
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
    /// Members of the group, ordered by id.
    members: Vec<MemberView>,
}

body! {
    /// A group to create.
    CreateGroup => NewGroup {
        /// Title of the group.
        title: "title".required().text(),
        /// Telegram chat that the group belongs to, as text or a number.
        chat_id: "chatId".required().parse(Description::text::<ChatId>, chat_id),
        /// Currency of expenses that name none. Default: `TON`.
        currency: "currency".text(),
    }
}

/// Parses a chat id, which is a string or a whole number.
fn chat_id(sent: JsonScalar<'_>) -> Result<ChatId, Option<Message>> {
    let id = match sent {
        JsonScalar::Text(text) => text.parse(),
        JsonScalar::Other(number) => {
            number.parse::<i64>().map(ChatId::from).map_err(|_| ChatIdError)
        }
    };
    id.map_err(|rule| Some(rule.says()))
}

body! {
    /// Options for joining a group.
    #[empty = JoiningUser::default()]
    JoinGroup => JoiningUser {
        /// TON address at which the caller is paid. Default: the present one, if there is one.
        wallet: "wallet".text(),
        /// Code of the group's newest invitation, without which a group that has one is not joined.
        invitation: "invitation".text(),
    }
}

body! {
    /// A new wallet address of the caller.
    SetWallet => Field<TonAddress> {
        /// TON address at which the caller is paid.
        wallet: "wallet".required().text(),
    } => wallet
}

/// Wallet address of a member.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MemberWallet)]
struct WalletView {
    /// The address, as it was sent.
    wallet: schemas::WalletAddress,
}

/// Get the health of the service.
#[utoipa::path(get, path = "/api/health", tag = "service",
    responses((status = OK, body = Data<ServiceHealth>)))]
async fn get_health() -> impl IntoResponse {
    Data::new(ServiceHealth { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Get the OpenAPI document.
#[utoipa::path(get, path = "/api/openapi.json", tag = "service",
    responses((status = OK, body = schemas::OpenApiDocument)))]
async fn get_open_api_document() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], openapi::DOCUMENT)
}

/// Query parameters of the caller's groups.
struct GroupsQuery {
    paging: Paging,
    filter: GroupFilter,
}

impl Parameters for GroupsQuery {
    fn read(query: &mut QueryReader) -> Self {
        let archived = query.flag("archived", "Whether to include archived groups.");
        let chat = query.text("chatId", "Return only groups of this Telegram chat.");
        let filter = GroupFilter { archived: archived.unwrap_or_default(), chat };
        Self { paging: Paging::read(query), filter }
    }
}

/// List the groups of the caller.
///
/// Newest first. A page of a filtered list may have fewer groups than `limit` and still have a next
/// page.
#[utoipa::path(get, path = "/api/groups", tag = "groups",
    responses((status = OK, body = List<GroupView>)),
    extensions(("x-errors" = json!([Code::NotMigrated]))))]
async fn list_groups(
    State(app): State<App>,
    Caller(user, GroupsQuery { paging, filter }): Caller<GroupsQuery>,
) -> Result<List<GroupView>, Problem> {
    let list_id = ListId::new("groups", &user.id).filtered(&filter);
    let groups = app.table.groups_of(user.id, &filter, &paging.page(&list_id)?).await?;
    Ok(paging.list(&list_id, groups))
}

/// Create a group.
///
/// The caller becomes its first member.
#[utoipa::path(post, path = "/api/groups", tag = "groups",
    responses((status = CREATED, body = Data<GroupView>)))]
async fn create_group(
    State(app): State<App>,
    Caller(user, ()): Caller,
    once: Once<CreateGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("create-group");
    let group = app.table.create_group(&once.body, &user, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, group)
}

/// Query parameters of a group.
struct GroupQuery {
    /// Whether past members are included.
    past: bool,
}

impl Parameters for GroupQuery {
    fn read(query: &mut QueryReader) -> Self {
        let about = "`past`: include members who have left or were removed.";
        let schema = Description::inline::<schemas::GroupInclude>;
        Self { past: query.read::<Included>("include", about, schema).is_some() }
    }
}

words! {
    /// What a group includes in addition.
    enum Included as "GroupInclude" {
        /// Members who have left or were removed.
        Past = "past",
    }
}

/// Get a group with its members.
#[utoipa::path(get, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<GroupWithMembers>)))]
async fn get_group(
    State(app): State<App>,
    AsMember(member_key, GroupQuery { past }): AsMember<GroupQuery>,
) -> Result<Data<GroupWithMembers>, Problem> {
    let (group, members) = app.table.group(member_key).await?;
    let members = members.into_iter().filter(|member| past || member.is_present());
    let members = members.map(|guest| {
        let proposed = group.proposed_link(guest.id).cloned();
        MemberView::from(LinkedGuest { guest, proposed })
    });
    let members = members.collect();
    Ok(Data::new(GroupWithMembers { group: group.into(), members }))
}

/// Join a group.
///
/// The group's id is the invitation, until a member makes one with a code. A caller who has left is
/// a member again, with the earlier `joinedAt`; one who was removed is refused. For a caller who is
/// already a member, only the name, username and avatar are updated, and the wallet if it is sent.
/// An API token updates nothing and sets no wallet, and one that is limited to a group cannot join.
#[utoipa::path(post, path = "/api/groups/{groupId}/join", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([
        Code::Removed, Code::InvitationRequired, Code::NotAllowed, Code::TooManyMembers]))))]
async fn join_group(
    State(app): State<App>,
    Caller(user, ()): Caller,
    via: Credential,
    Id(group): Id<GroupId>,
    once: Once<JoinGroup>,
) -> Result<Response, Problem> {
    if once.body.fields().is_some_and(|body| !body.wallet.is_absent()) {
        via.require_app()?;
    }
    let profile = match via {
        Credential::InitData | Credential::Bot => Profile::Current,
        // Its user was a member when they created it: if they left, it must not take that back.
        Credential::Token { group: Some(_), .. } => {
            via.require_app()?;
            Profile::Earlier
        }
        Credential::Token { group: None, .. } => Profile::Earlier,
    };
    let idempotency = once.key.idempotency::<_, MemberView>("join-group");
    let member = app.table.join(group, &user, profile, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, member)
}

/// Set the caller's wallet address in a group.
///
/// Not by an API token, so that a leaked one cannot redirect payments.
#[utoipa::path(put, path = "/api/groups/{groupId}/wallet", tag = "groups",
    responses((status = OK, body = Data<WalletView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn set_wallet(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
    once: Once<SetWallet>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, WalletView>("set-wallet");
    let wallet = app.table.set_wallet(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, wallet)
}

/// Delete the caller's wallet address in a group.
///
/// Not by an API token.
#[utoipa::path(delete, path = "/api/groups/{groupId}/wallet", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
async fn delete_wallet(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("delete-wallet");
    let member = app.table.remove_wallet(member_key, &idempotency).await?;
    respond_with("Wallet deleted", &idempotency, member)
}

impl From<TonAddress> for WalletView {
    fn from(wallet: TonAddress) -> Self {
        Self { wallet: Text(wallet) }
    }
}
