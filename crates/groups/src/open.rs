//! The endpoint that opens the group of a chat.

use axum::{extract::State, http::StatusCode, response::Response};
use fracti_core::{decisions::groups::Opened, group::OpenedGroup};
use fracti_http::{
    App, Caller, Code, Data, Description, FromChat, GroupView, Once, Problem, body, respond,
    schemas,
};
use fracti_store::Outcome;

body! {
    /// The group of a chat, if it has none yet.
    #[example = { "title": "Roommates", "currency": "EUR" }]
    #[empty = OpenedGroup::default()]
    pub(crate) OpenGroup => OpenedGroup {
        /// A group in which the caller is present, and which becomes the group of this chat. A chat
        /// that becomes a supergroup has a new `chat_instance`.
        group_id: "groupId".text_of(Description::reference::<schemas::ResourceId>),
        /// Title of the group. Default: `Group`.
        title: "title".text(),
        /// Currency of expenses that name none. Default: `TON`.
        currency: "currency".text(),
    }
}

/// Open the group of the chat from which the Mini App was opened.
///
/// The caller joins it. It is created at the first opening, with the title and the currency of the
/// request. The init data must have a `chat_instance`, as Telegram signs it for Mini Apps that are
/// opened by a direct link: it proves that the caller is in the chat. With `groupId`, the chat
/// moves to that group; a group that the chat had before must have the caller alone and nothing
/// recorded, and is deleted.
#[utoipa::path(post, path = "/api/groups/open", tag = "groups",
    responses(
        (status = OK, body = Data<GroupView>, description = "The chat had a group."),
        (status = CREATED, body = Data<GroupView>, description = "The group was created.")),
    extensions(("x-errors" = json!([
        Code::NoChat, Code::GroupNotFound, Code::NotAMember, Code::Left, Code::ChatTaken,
            Code::Removed, Code::GroupArchived, Code::TooManyMembers]))))]
pub(crate) async fn open_group(
    State(app): State<App>,
    Caller(user, ()): Caller,
    FromChat(chat): FromChat,
    once: Once<OpenGroup>,
) -> Result<Response, Problem> {
    let idempotency = once.key.idempotency::<_, GroupView>("open-group");
    let opened = app.table.open_group(&chat, &once.body, &user, &idempotency).await?;
    let created = matches!(opened, Outcome::Done(Opened { created: true, .. }));
    let status = if created { StatusCode::CREATED } else { StatusCode::OK };
    respond(status, &idempotency, opened)
}
