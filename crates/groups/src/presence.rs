//! Endpoints by which members leave, are removed and come back.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::values::id::MemberId;
use fracti_http::{
    App, AsMember, Code, Data, Id, MemberView, Once, Problem, respond, respond_with,
};

/// Leave a group.
///
/// All balances of the caller must be zero, and no settlement that they send or receive may be
/// pending. The caller may join again.
#[utoipa::path(post, path = "/api/groups/{groupId}/leave", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotSettled]))))]
pub(crate) async fn leave_group(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("leave-group");
    let member = app.table.leave(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, member)
}

/// Remove a member.
///
/// Users are removed by the creator of the group, and guests by any member. The balances of the
/// member must be zero, as for leaving. A removed user cannot join again until a member restores
/// them. A member who was removed before is returned unchanged.
#[utoipa::path(delete, path = "/api/groups/{groupId}/members/{memberId}", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::AlreadyLinked, Code::NotSettled]))))]
pub(crate) async fn remove_member(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(member): Id<MemberId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("remove-member");
    let member = app.table.remove_member(member_key, member, &idempotency).await?;
    respond_with("Member removed", &idempotency, member)
}

/// Restore a past member.
///
/// Any member may restore one who has left or was removed. A present member is returned unchanged.
#[utoipa::path(post, path = "/api/groups/{groupId}/members/{memberId}/restore", tag = "groups",
    responses((status = OK, body = Data<MemberView>)),
    extensions(("x-errors" = json!([
        Code::AlreadyLinked, Code::NameTaken, Code::TooManyMembers]))))]
pub(crate) async fn restore_member(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(member): Id<MemberId>,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, MemberView>("restore-member");
    let member = app.table.restore_member(member_key, member, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, member)
}
