//! Endpoints of guests, who are members without a Telegram account.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{
    input::Field,
    values::{
        id::{MemberId, UserId},
        text::GuestName,
    },
};
use fracti_http::{App, AsMember, Code, Data, Id, InApp, MemberView, Once, Problem, body, respond};
use fracti_store::Outcome;

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
/// Both sides say who the guest is: the user, and any other member. The first request proposes the
/// link, and that of the other side confirms it, in the app and not by an API token. The user then
/// takes over the guest's balances, and from now on the guest's id means the user. A link is final.
#[utoipa::path(post, path = "/api/groups/{groupId}/members/{memberId}/link", tag = "groups",
    responses(
        (status = OK, body = Data<MemberView>, description = "The guest is linked."),
        (status = ACCEPTED, body = Data<MemberView>,
            description = "The other side has to confirm it.")),
    extensions(("x-errors" = json!([
        Code::NotAllowed, Code::AlreadyLinked, Code::LinkProposed, Code::TooManyLinks]))))]
pub(crate) async fn link_guest(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(guest): Id<MemberId>,
    InApp(reader): InApp,
    once: Once<LinkGuest>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("link-guest");
    let body = &once.body;
    let in_app = reader.is_some();
    let linked = app.table.link_guest(member_key, guest, body, in_app, &idempotency).await?;
    let is_linked = match &linked {
        Outcome::Done(it) => it.guest.linked_to.is_some(),
        // A name in the JSON cannot be taken for the field: its quotes are escaped.
        Outcome::Replayed(stored) => stored.data.contains("\"linkedTo\":"),
    };
    let status = if is_linked { StatusCode::OK } else { StatusCode::ACCEPTED };
    respond(status, &idempotency, linked)
}

/// Withdraw or decline a link.
///
/// Who proposed the link of the guest withdraws it, and the other side declines it.
#[utoipa::path(delete, path = "/api/groups/{groupId}/members/{memberId}/link", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::AlreadyLinked, Code::LinkNotFound]))))]
pub(crate) async fn withdraw_link(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(guest): Id<MemberId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("withdraw-link");
    let ended = app.table.withdraw_link(member_key, guest, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, ended)
}
