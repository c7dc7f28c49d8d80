//! Endpoints of guests, who are members without a Telegram account.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    id::{MemberId, UserId},
    input::Field,
    text::GuestName,
};
use fracti_http::{
    App, AsMember, Body, Code, Data, Id, MemberView, Once, Problem, Value, respond, schemas,
};
use utoipa::ToSchema;

/// A guest to create.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateGuest {
    /// Name of the guest. No other member of the group has it, in upper or lower case.
    name: schemas::GuestName,
}

impl Body for CreateGuest {
    type Fields = Field<GuestName>;

    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        value.object(|guest| guest.field("name").required().text())
    }
}

/// A new name of a guest.
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct RenameGuest {
    /// Name of the guest. No other member of the group has it, in upper or lower case.
    name: schemas::GuestName,
}

impl Body for RenameGuest {
    type Fields = Field<GuestName>;

    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        CreateGuest::read(value)
    }
}

/// The user who a guest turned out to be.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct LinkGuest {
    /// A user who is a member of the group.
    user_id: schemas::UserId,
}

impl Body for LinkGuest {
    type Fields = Field<UserId>;

    fn read(value: Value<'_, '_>) -> Field<Self::Fields> {
        value.object(|link| link.field("userId").required().text())
    }
}

/// Create a guest.
///
/// A guest is a member without a Telegram account: a friend without Telegram, a child. Guests pay,
/// share and settle like every member, and any member may act for them.
#[utoipa::path(post, path = "/api/groups/{groupId}/members", tag = "groups",
    request_body = CreateGuest,
    responses((status = CREATED, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NameTaken, Code::TooManyMembers]))))]
pub(crate) async fn create_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<CreateGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("create-guest");
    let guest = app.table.add_guest(member_key, &once.body, once.creation, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, guest)
}

/// Rename a guest.
///
/// The name of a user comes from Telegram, and cannot be changed here.
#[utoipa::path(patch, path = "/api/groups/{groupId}/members/{memberId}", tag = "groups",
    request_body = RenameGuest,
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::AlreadyLinked, Code::NameTaken]))))]
pub(crate) async fn rename_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(member): Id<MemberId>,
    once: Once<RenameGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("rename-guest");
    let guest = app.table.rename_guest(member_key, member, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, guest)
}

/// Link a guest to a user.
///
/// The user takes over the guest's balances, and from now on the guest's id means the user. A link
/// is final. Any member may link a guest to another user, but not to themselves.
#[utoipa::path(post, path = "/api/groups/{groupId}/members/{memberId}/link", tag = "groups",
    request_body = LinkGuest,
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::AlreadyLinked, Code::TooManyLinks]))))]
pub(crate) async fn link_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(guest): Id<MemberId>,
    once: Once<LinkGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("link-guest");
    let (user, context) = (&once.body, once.creation);
    let guest = app.table.link_guest(member_key, guest, user, context, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, guest)
}
