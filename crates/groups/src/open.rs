//! The endpoint that opens the group of a chat.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{group::OpenedGroup, input::Field};
use fracti_http::{
    App, Body, Caller, Code, Data, FromChat, GroupView, Once, Problem, Value, respond, schemas,
};
use fracti_store::{Opened, Outcome};
use utoipa::ToSchema;

/// The group of a chat, if it has none yet.
#[derive(ToSchema)]
#[schema(example = json!({ "title": "Roommates", "currency": "EUR" }))]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct OpenGroup {
    /// Title of the group. Default: `Group`.
    title: Option<schemas::GroupTitle>,
    /// Currency of expenses that name none. Default: `TON`.
    currency: Option<schemas::Currency>,
}

impl Body for OpenGroup {
    type Fields = OpenedGroup;

    fn empty() -> Option<OpenedGroup> {
        Some(OpenedGroup::default())
    }

    fn read(value: Value<'_, '_>) -> Field<OpenedGroup> {
        value.object(|group| OpenedGroup {
            title: group.field("title").text(),
            currency: group.field("currency").text(),
        })
    }
}

/// Open the group of the chat from which the Mini App was opened.
///
/// The caller joins it. It is created at the first opening, with the title and the currency of the
/// request. The init data must have a `chat_instance`, as Telegram signs it for Mini Apps that are
/// opened by a direct link: it proves that the caller is in the chat.
#[utoipa::path(post, path = "/api/groups/open", tag = "groups", request_body = Option<OpenGroup>,
    responses(
        (status = OK, body = Data<GroupView>, description = "The chat had a group."),
        (status = CREATED, body = Data<GroupView>, description = "The group was created.")),
    extensions(("x-errors" = json!([
        Code::NoChat, Code::Removed, Code::GroupArchived, Code::TooManyMembers]))))]
pub(crate) async fn open_group(
    State(app): State<App>,
    Caller(user, ()): Caller,
    FromChat(chat): FromChat,
    once: Once<OpenGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("open-group");
    let (new, context) = (&once.body, once.creation);
    let opened = app.table.open_group(&chat, new, &user, context, &idempotency).await?;
    let created = matches!(opened, Outcome::Done(Opened { created: true, .. }));
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    respond(status, &idempotency, opened)
}
