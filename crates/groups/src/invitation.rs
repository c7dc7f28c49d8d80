//! Endpoints of a group's invitation.

use axum::{
    extract::State,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use fracti_core::group::{Group, Invitation};
use fracti_http::{
    App, AppPrincipal, AsMember, Code, Data, GroupView, Once, Problem, Text, respond, respond_with,
    schemas,
};
use fracti_store::Outcome;
use serde::Serialize;
use utoipa::ToSchema;

/// A new invitation. Its code is shown only once.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invitation)]
pub(crate) struct InvitationView {
    /// Group to which it invites.
    group_id: schemas::ResourceId,
    /// The code, which is shown only here. The replay of a response does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::InvitationCode)]
    code: Option<String>,
}

/// Create an invitation.
///
/// From now on, the group is joined only with the code, and from its chat: no longer by its id
/// alone, and no longer with an earlier code. Not by an API token, so that a leaked one lets nobody
/// in. The response is the only one that shows the code: the replay of the response to an
/// `Idempotency-Key` does not.
#[utoipa::path(post, path = "/api/groups/{groupId}/invitation", tag = "groups",
    responses((status = CREATED, body = Data<InvitationView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn create_invitation(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
    once: Once<()>,
) -> Result<Response, Problem> {
    let code = app.new_invitation();
    let idempotency = once.key.idempotency::<_, InvitationView>("create-invitation");
    let invitation = Invitation::Code(code.hash());
    let set = app.table.set_invitation(member_key, invitation, &once.body, &idempotency).await?;
    match set {
        Outcome::Done(group) => {
            let view = InvitationView { code: Some(code.expose().to_owned()), ..group.into() };
            Ok((StatusCode::CREATED, Data::new(view)).into_response())
        }
        replayed @ Outcome::Replayed(_) => respond(StatusCode::CREATED, &idempotency, replayed),
    }
}

/// Delete the invitation.
///
/// The group is closed: no code opens it, but users who open it from its chat still join it. `POST` invites
/// again. Not by an API token.
#[utoipa::path(delete, path = "/api/groups/{groupId}/invitation", tag = "groups",
    responses((status = OK, body = Data<GroupView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn delete_invitation(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
    once: Once<()>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("delete-invitation");
    let closed = Invitation::Closed;
    let group = app.table.set_invitation(member_key, closed, &once.body, &idempotency).await?;
    respond_with("Invitation closed", &idempotency, group)
}

impl From<Group> for InvitationView {
    fn from(group: Group) -> Self {
        Self { group_id: Text(group.id.into()), code: None }
    }
}
