//! The webhook of the bot: Telegram sends what users write to the bot and which buttons they press.
//!
//! A press is answered in the response. A message is sent or changed by a call of the Bot API,
//! because of a method in the response Telegram does not say what became of it. Telegram repeats an
//! update until it is answered with 200, so all that another attempt would not mend is answered
//! with 200. It is 503 while the table does not answer, and 429 while Telegram takes no more
//! messages.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request, State},
    response::{IntoResponse, Response},
};
use fracti_chat::{
    Acting, Alert, BotApi, Call, Edit, Incoming, Membership, Message, Outcome, Person, Press,
    Pressed, Reply, Update, command_of, failed, first_contact, refuse_chat,
};
use fracti_core::{
    chat::command::Command,
    input::{Error, FailureKind},
};
use fracti_http::{App, Code, Context, Problem, Routes, Sender, Webhook};
use fracti_runtime::with_causes;
use fracti_texts::{Language, message};
use tokio::time::timeout;

/// Maximum size of an update, in bytes.
const MAX_UPDATE: usize = 64 * 1024;

/// Seconds after which Telegram sends an update again that the table did not answer.
const REPEAT_S: u64 = 5;

/// The longest time in which Telegram is asked to send an update again because its chat takes no
/// more messages, in seconds. As long, no later update of the chat comes.
const MAX_REPEAT_S: u64 = 60;

/// Time limit for receiving an update.
const BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// The routes of this endpoint group. Telegram's documentation has the requests of the webhook, and
/// the methods in its responses.
///
/// <https://core.telegram.org/bots/api#making-requests-when-getting-updates>
#[must_use]
pub fn routes() -> Routes {
    Routes::new().hook(Sender::Telegram, "/api/telegram/webhook", receive_update)
}

/// Answers an update of the bot: with a method of the Bot API, or with nothing.
async fn receive_update(
    State(app): State<App>,
    _: Webhook,
    context: Context,
    Received(update): Received,
) -> Result<Response, Problem> {
    let (Some(update), Some(api)) = (update, app.bot_api.clone()) else { return Ok(nothing()) };
    match answer(&app, &api, &context, update).await {
        Ok(Some(call)) => respond(&api, &context, call).await,
        Ok(None) => Ok(nothing()),
        // Telegram repeats the update.
        Err(error) if is_for_now(&error) => {
            let error = match error {
                Error::Contended => Error::Unavailable("other writers were faster".into()),
                error => error,
            };
            Err(Problem::from(error).retry_after(REPEAT_S))
        }
        Err(error) => {
            log(&context, &error);
            Ok(nothing())
        }
    }
}

/// An update, if the body is one that can be read. A body that is refused would be sent again.
struct Received(Option<Update>);

impl FromRequest<App> for Received {
    type Rejection = Infallible;

    async fn from_request(request: Request, app: &App) -> Result<Self, Infallible> {
        let body = timeout(BODY_TIMEOUT, Bytes::from_request(request, app)).await;
        let body = body.ok().and_then(Result::ok).filter(|body| body.len() <= MAX_UPDATE);
        Ok(Self(body.and_then(|body| serde_json::from_slice(&body).ok())))
    }
}

/// The response to an update that asks for nothing.
fn nothing() -> Response {
    String::new().into_response()
}

/// Sends a message, or responds with another call. While its chat takes no more messages, Telegram
/// is asked to send the update again: what it did is not done again then, but it is said. A message
/// that may not have been sent is in the response: twice is better than never.
///
/// <https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>
async fn respond(api: &BotApi, context: &Context, call: Call) -> Result<Response, Problem> {
    if matches!(call, Call::Send(_)) {
        let outcome = api.answer(&call).await;
        match outcome {
            Outcome::Done => return Ok(nothing()),
            Outcome::RetryAfter(seconds @ ..=MAX_REPEAT_S) => {
                let message = message!(
                    "Telegram takes no more messages of this chat for now",
                    "Telegram пока не принимает сообщения этого чата"
                );
                return Err(Problem::new(Code::RateLimited, message).retry_after(seconds.max(1)));
            }
            _ => warn(context, &outcome, "message of the bot not sent"),
        }
    }
    Ok(axum::Json(call).into_response())
}

/// Notes what became of a call.
fn warn(context: &Context, outcome: &Outcome, what: &'static str) {
    let request_id = &*context.request_id;
    tracing::warn!(request_id, outcome = outcome.kind(), "{what}");
}

async fn answer(
    app: &App,
    api: &BotApi,
    context: &Context,
    update: Update,
) -> Result<Option<Call>, Error> {
    let number = update.update_id;
    if let Some(message) = update.message {
        return message_sent(app, context, number, &message).await;
    }
    if let Some(press) = update.callback_query {
        return pressed(app, api, context, number, &press).await.map(Some);
    }
    if let Some(membership) = update.my_chat_member {
        return bot_moved(app, context, &membership).await;
    }
    Ok(None)
}

/// Whether another attempt of Telegram may succeed.
fn is_for_now(error: &Error) -> bool {
    matches!(error, Error::Unavailable(_) | Error::Contended)
}

/// Notes a failure that another attempt would not mend.
fn log(context: &Context, error: &Error) {
    let request_id = &*context.request_id;
    let kind = error.failure().map(FailureKind::as_str);
    let cause = with_causes(error);
    tracing::error!(request_id, kind, cause, "update of the bot failed");
}

/// Runs what a user asks for, within their quota. A refusal is a text.
async fn act<T>(
    app: &App,
    context: &Context,
    number: i64,
    from: &Person,
    (reads, is_seen): (bool, bool),
    work: impl AsyncFnOnce(&Acting<'_>) -> Result<T, Error>,
) -> Result<Result<T, String>, Error> {
    let language = from.language();
    let Some(user) = from.user() else { return Ok(Err(String::new())) };
    // What is done in the group's chat is seen there.
    let table = if is_seen { app.table.shown() } else { app.table.clone() };
    let acting = Acting {
        table: &table,
        user: &user,
        language,
        context: app.request_context(context),
        update: format!("{}/{number}", app.bot_id()),
        bot: app.bot_username.as_deref(),
    };
    match app.act(context, &user, reads, work(&acting)).await {
        Err(problem) => Ok(Err(problem.message(language).to_owned())),
        Ok(Err(error)) if is_for_now(&error) => Err(error),
        Ok(Err(error)) => {
            if error.is_refusal() || error.is_of_access() {
                return Ok(Err(Problem::from(error).message(language).to_owned()));
            }
            log(context, &error);
            Ok(Err(failed(language)))
        }
        Ok(Ok(done)) => Ok(Ok(done)),
    }
}

async fn message_sent(
    app: &App,
    context: &Context,
    number: i64,
    message: &Incoming,
) -> Result<Option<Call>, Error> {
    if let Some(to) = message.migrate_to_chat_id {
        app.table.migrate_chat(message.chat.id, to, context.now).await?;
        return Ok(None);
    }
    let is_known = message.chat.is_group() || message.chat.is_private();
    let text = message.text.as_deref().filter(|_| is_known && message.forward_origin.is_none());
    let Some(command) = text.and_then(|text| command_of(text, app.bot_username.as_deref())) else {
        return Ok(None);
    };
    let reply = |reply: Reply| {
        Some(Call::Send(Message::reply(message.chat.id, Some(message.message_id), reply)))
    };
    if message.sender_chat.is_some() {
        let language = message.from.as_ref().map_or(Language::English, Person::language);
        return Ok(reply(refuse_chat(language)));
    }
    let Some(from) = message.from.as_ref().filter(|it| !it.is_bot) else { return Ok(None) };
    let reads = matches!(command, Command::Balance | Command::Settle | Command::Settings);
    let done = act(app, context, number, from, (reads, true), async |acting| {
        Box::pin(acting.command(command, message)).await
    });
    Ok(match done.await? {
        Ok(said) => reply(said),
        Err(text) if text.is_empty() => None,
        Err(text) => reply(Reply::text(text)),
    })
}

async fn pressed(
    app: &App,
    api: &BotApi,
    context: &Context,
    number: i64,
    press: &Press,
) -> Result<Call, Error> {
    let is_seen = press.message.as_ref().is_some_and(|it| it.chat.is_group());
    let done = act(app, context, number, &press.from, (false, is_seen), async |acting| {
        Box::pin(acting.press(press)).await
    });
    let Pressed { alert, refusal, edit, buttons } = match done.await? {
        Ok(pressed) => pressed,
        Err(text) => Pressed { alert: (!text.is_empty()).then_some(text), ..Pressed::default() },
    };
    let refusal = refusal.map(Problem::from);
    let language = press.from.language();
    let mut alert = alert.or_else(|| Some(refusal?.message(language).to_owned()));
    let change = press.message.as_ref().and_then(|message| {
        let chat = message.chat.id;
        let id = message.message_id;
        let edit = edit.map(|reply| Call::Edit(Edit::of(chat, id, reply)));
        edit.or_else(|| Some(Call::Buttons(Edit::buttons(chat, id, buttons?))))
    });
    if let Some(change) = change {
        let outcome = api.answer(&change).await;
        if outcome != Outcome::Done {
            warn(context, &outcome, "message of the bot not changed");
            // Who pressed sees at least what was done.
            alert = alert.or_else(|| change.text().map(str::to_owned));
        }
    }
    Ok(Call::Alert(Alert::of(&press.id, alert.as_deref())))
}

/// The first contact with a chat, or the end of its messages.
async fn bot_moved(
    app: &App,
    context: &Context,
    membership: &Membership,
) -> Result<Option<Call>, Error> {
    let chat = &membership.chat;
    if membership.has_gone() {
        app.table.end_chat(chat.id, chat.is_private(), context.now).await?;
    }
    if !membership.has_come() || !chat.is_group() {
        return Ok(None);
    }
    if app.table.group_of_chat(chat.id).await?.is_some() {
        app.table.resume_chat(chat.id, context.now).await?;
        return Ok(None);
    }
    let welcome = first_contact(membership.from.language());
    Ok(Some(Call::Send(Message::reply(chat.id, None, welcome))))
}
