//! Endpoints of guests, who are members without a Telegram account.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Field,
    values::{
        id::{MemberId, UserId},
        text::GuestName,
    },
};
use fracti_http::{App, AsMember, Code, Data, Id, MemberView, Once, Problem, body, respond};

body! {
    /// A guest to create.
    pub(crate) CreateGuest => Field<GuestName> {
        /// Name of the guest. No other member of the group has it, in upper or lower case.
        name: "name".required().text(),
    } => name
}

body! {
    /// A new name of a guest.
    pub(crate) RenameGuest => Field<GuestName>, |guest| CreateGuest::fields(guest)
}

body! {
    /// The user who a guest turned out to be.
    pub(crate) LinkGuest => Field<UserId> {
        /// A user who is a member of the group.
        user: "userId".required().text(),
    } => user
}

/// Create a guest.
///
/// A guest is a member without a Telegram account: a friend without Telegram, a child. Guests pay,
/// share and settle like every member, and any member may act for them.
#[utoipa::path(post, path = "/api/groups/{groupId}/members", tag = "groups",
    responses((status = CREATED, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NameTaken, Code::TooManyMembers]))))]
pub(crate) async fn create_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<CreateGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("create-guest");
    let guest = app.table.add_guest(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, guest)
}

/// Rename a guest.
///
/// The name of a user comes from Telegram, and cannot be changed here.
#[utoipa::path(patch, path = "/api/groups/{groupId}/members/{memberId}", tag = "groups",
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
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::AlreadyLinked, Code::TooManyLinks]))))]
pub(crate) async fn link_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(guest): Id<MemberId>,
    once: Once<LinkGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("link-guest");
    let guest = app.table.link_guest(member_key, guest, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, guest)
}
