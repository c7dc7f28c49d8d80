//! The endpoint that changes a group's settings.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{group::GroupUpdate, input::Field};
use fracti_http::{App, AsMember, Body, Data, GroupView, Once, Problem, Value, respond, schemas};
use utoipa::ToSchema;

/// Changes to a group.
#[derive(ToSchema)]
#[schema(example = json!({ "title": "Alps 2027" }))]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct UpdateGroup {
    /// New title.
    title: Option<schemas::GroupTitle>,
    /// New currency of expenses that name none. Other expenses keep theirs.
    currency: Option<schemas::Currency>,
    /// Whether the group is archived. An archived group can be read, and only un-archiving changes
    /// it.
    archived: Option<bool>,
}

impl Body for UpdateGroup {
    type Fields = GroupUpdate;

    fn read(value: Value<'_, '_>) -> Field<GroupUpdate> {
        value.object(|group| GroupUpdate {
            title: group.field("title").text(),
            currency: group.field("currency").text(),
            archived: group.field("archived").flag(),
        })
    }
}

/// Update a group.
///
/// Any member may change its title and default currency, and archive it. Fields that are left out
/// stay as they are.
#[utoipa::path(patch, path = "/api/groups/{groupId}", tag = "groups", request_body = UpdateGroup,
    responses((status = OK, body = Data<GroupView>)))]
pub(crate) async fn update_group(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<UpdateGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("update-group");
    let (update, now) = (&once.body, once.creation.now);
    let group = app.table.update_group(member_key, update, now, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, group)
}
