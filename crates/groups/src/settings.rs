//! The endpoint that changes a group's settings.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::group::GroupUpdate;
use fracti_http::{App, AsMember, Data, GroupView, Once, Problem, body, respond};

body! {
    /// Changes to a group.
    #[example = { "title": "Alps 2027" }]
    pub(crate) UpdateGroup => GroupUpdate {
        /// New title.
        title: "title".text(),
        /// New currency of expenses that name none. Other expenses keep theirs.
        currency: "currency".text(),
        /// Whether the group is archived. An archived group can be read, and only un-archiving
        /// changes it.
        archived: "archived".flag(),
    }
}

/// Update a group.
///
/// Any member may change its title and default currency, and archive it. Fields that are left out
/// stay as they are.
#[utoipa::path(patch, path = "/api/groups/{groupId}", tag = "groups",
    responses((status = OK, body = Data<GroupView>)))]
pub(crate) async fn update_group(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    once: Once<UpdateGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("update-group");
    let group = app.table.update_group(member_key, &once.body, &idempotency).await?;
    respond(StatusCode::OK, &idempotency, group)
}
