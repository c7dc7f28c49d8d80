//! Endpoints of a group's invitation.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::group::Group;
use fracti_http::{
    App, AppPrincipal, AsMember, Code, Data, GroupView, Once, Problem, Text, respond, respond_with,
    schemas,
};
use serde::Serialize;
use utoipa::ToSchema;

/// The invitation of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Invitation)]
pub(crate) struct InvitationView {
    /// Group to which it invites.
    group_id: schemas::ResourceId,
    /// How the group is joined; without it, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    invitation: Option<schemas::InvitationState>,
    /// The code, if one is needed. An invitation from before Fracti kept codes has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::InvitationCode)]
    code: Option<String>,
}

/// Get the invitation.
///
/// The code with which the group is joined, so that a member can send it once more. Not for an API
/// token, so that a leaked one lets nobody in.
#[utoipa::path(get, path = "/api/groups/{groupId}/invitation", tag = "groups",
    responses((status = OK, body = Data<InvitationView>)),
    extensions(("x-errors" = json!([Code::NotAllowed]))))]
pub(crate) async fn get_invitation(
    State(app): State<App>,
    _: AppPrincipal,
    AsMember(member_key, ()): AsMember,
) -> Result<Data<InvitationView>, Problem> {
    Ok(Data::new(app.table.invitation(member_key).await?.into()))
}

/// Create an invitation.
///
/// From now on, the group is joined only with the code, and from its chat: no longer by its id
/// alone, and no longer with an earlier code. Not by an API token, so that a leaked one lets nobody
/// in.
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
    let set = app.table.set_invitation(member_key, Some(&code), &once.body, &idempotency).await?;
    respond(StatusCode::CREATED, &idempotency, set)
}

/// Delete the invitation.
///
/// The group is closed: no code opens it, but users who open it from its chat still join it. `POST`
/// invites again. Not by an API token.
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
    let group = app.table.set_invitation(member_key, None, &once.body, &idempotency).await?;
    respond_with("Invitation closed", &idempotency, group)
}

impl From<Group> for InvitationView {
    fn from(group: Group) -> Self {
        let code = group.known_code().map(|code| code.expose().to_owned());
        let invitation = group.invitation.map(|it| Text(it.into()));
        Self { group_id: Text(group.id.into()), invitation, code }
    }
}
