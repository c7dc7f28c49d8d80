//! A Bot API on loopback for the local server and tests: Telegram's limits, lengths, HTML rules and
//! outcomes, and people who write to the bot and press its buttons.
//!
//! It never reaches Telegram, and whoever reaches its port can play everybody: it must listen on
//! loopback only. People at a terminal use `POST /say` and `/press`, and read `GET /chats/<chat>`.
//! It is stricter than Telegram in HTML: named entities that Telegram would show as they are sent
//! are refused, since they show that a text was not escaped.

mod html;
mod keyboard;
mod methods;
mod refusal;
mod server;
mod state;
#[cfg(test)]
mod tests;
mod webhook;

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::body::Bytes;
use http_body_util::Full;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::Serialize;
use tokio::net::TcpListener;

use self::state::State;

/// Username of the bot, as `getMe` returns it.
pub const USERNAME: &str = "fracti_fake_bot";

/// A person who can write to the bot.
#[derive(Clone, Debug)]
pub struct User {
    /// Telegram id, also the number of the private chat with the bot.
    pub id: u64,
    /// First name.
    pub first_name: String,
    /// Username, without `@`.
    pub username: Option<String>,
    /// Language of the person's app, like `ru`.
    pub language_code: Option<String>,
}

/// A message as its chat shows it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Number of the message in its chat.
    pub id: i64,
    /// Plain text, after entities are parsed.
    pub text: String,
    /// Text as it was sent, if that was HTML.
    pub html: Option<String>,
    /// Rows of buttons.
    pub buttons: Vec<Vec<Button>>,
    /// Whether it was sent without a notification.
    pub silent: bool,
    /// Message that it replies to.
    pub reply_to: Option<i64>,
    /// Number of edits.
    pub edits: u32,
    /// Whether the bot sent it, and not a person.
    pub from_bot: bool,
    /// Time at which it was sent, in milliseconds since 1970.
    pub sent_at: u64,
}

/// A button under a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Button {
    /// Label.
    pub text: String,
    /// Data of a button that can be pressed.
    pub data: Option<String>,
    /// Link, or address of a Mini App.
    pub url: Option<String>,
}

/// A call of a method, by a request or in the answer of the webhook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Method as it was called.
    pub method: String,
    /// Chat of the call.
    pub chat: Option<i64>,
    /// Time of the call, in milliseconds since 1970.
    pub at: u64,
    /// Status of the answer, 0 if the connection was cut.
    pub status: u16,
}

/// The settings of `setWebhook`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    /// Address that updates are posted to.
    pub url: String,
    /// Value of `X-Telegram-Bot-Api-Secret-Token`.
    pub secret_token: Option<String>,
    /// Kinds of updates that are posted, all if empty.
    pub allowed_updates: Vec<String>,
}

/// Outcome of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Said {
    /// Last status of the webhook, 0 if it was not asked or did not answer.
    pub status: u16,
    /// Number of times that the update was posted.
    pub attempts: u32,
    /// Number of the person's message, 0 for other updates.
    pub message_id: i64,
}

/// Outcome of a press.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pressed {
    /// Last status of the webhook, 0 if there is no such button or the webhook did not answer.
    pub status: u16,
    /// Whether the bot answered the press, which stops the button's spinner.
    pub answered: bool,
    /// Text that the answer shows.
    pub alert: Option<String>,
}

/// The planned outcome of a `sendMessage` or an edit.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// 429 with `retry_after` in seconds.
    RetryAfter(u64),
    /// 403: the user blocked the bot.
    Blocked,
    /// 400: chat not found.
    ChatNotFound,
    /// 400: the group is a supergroup of this number now. It stays so.
    Migrate(i64),
    /// 400 with this whole description, like `Bad Request: TOPIC_CLOSED`.
    Refused(&'static str),
    /// 401.
    Unauthorized,
    /// 404.
    NotFound,
    /// 502, not delivered.
    ServerError,
    /// 502, delivered.
    DeliveredThenServerError,
    /// 200 with a page that is not JSON, delivered.
    Unreadable,
    /// 302, not delivered.
    Redirect,
    /// The connection is cut after this time, not delivered.
    Hang(Duration),
    /// The connection is cut, delivered.
    Cut,
}

/// A running Bot API. Clones are the same one, which serves until its runtime ends.
#[derive(Clone)]
pub struct FakeTelegram(Arc<Inner>);

struct Inner {
    url: String,
    token: String,
    now: Box<dyn Fn() -> u64 + Send + Sync>,
    state: Mutex<State>,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl fmt::Debug for FakeTelegram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FakeTelegram").field("url", &self.0.url).finish_non_exhaustive()
    }
}

impl FakeTelegram {
    /// Serves the bot of `token` on `listener`, at the time of `now` in milliseconds.
    #[must_use]
    pub fn start(
        listener: TcpListener,
        token: &str,
        now: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Self {
        let port = listener.local_addr().map_or(0, |address| address.port());
        let bot = token.split(':').next().and_then(|id| id.parse().ok()).unwrap_or(0);
        let fake = Self(Arc::new(Inner {
            url: format!("http://127.0.0.1:{port}"),
            token: token.to_owned(),
            now: Box::new(now),
            state: Mutex::new(State::new(bot)),
            client: Client::builder(TokioExecutor::new()).build_http(),
        }));
        tokio::spawn(server::serve(listener, fake.clone()));
        fake
    }

    /// Address of the Bot API, like `http://127.0.0.1:8081`.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.0.url
    }

    /// Adds a person. The bot cannot write to them until they write to it or [`Self::unblock`] it.
    pub fn add_user(&self, user: User) {
        self.state().add_user(user);
    }

    /// Adds a group that the bot is in. It is a supergroup if `id` begins with `-100`.
    ///
    /// `instance` is the `chat_instance` of presses.
    pub fn add_group(&self, id: i64, title: &str, instance: &str) {
        self.state().add_group(id, title, instance);
    }

    /// Lets a person block the bot.
    pub fn block(&self, user: u64) {
        self.state().set_out(state::private(user), true);
    }

    /// Lets the bot write to a person, as pressing START or `requestWriteAccess` does.
    pub fn unblock(&self, user: u64) {
        self.state().set_out(state::private(user), false);
    }

    /// Removes the bot from a group, without an update. [`Self::leave_bot`] sends one.
    pub fn kick(&self, chat: i64) {
        self.state().set_out(chat, true);
    }

    /// Makes a group the supergroup `to`, without an update. Its messages stay in the old chat, and
    /// the new one has another `chat_instance`.
    pub fn migrate(&self, chat: i64, to: i64) {
        self.state().migrate(chat, to);
    }

    /// Plans the outcome of the next `sendMessage` or edit of `chat`, or of any chat. Several plans
    /// are taken in their order.
    pub fn plan(&self, chat: Option<i64>, outcome: Outcome) {
        self.state().plans.push_back((chat, outcome));
    }

    /// Cuts the connection of every call, without carrying it out, while `away`.
    pub fn away(&self, away: bool) {
        self.state().away = away;
    }

    /// Turns the rate limits on, as at the start, or off.
    pub fn set_limits(&self, limits: bool) {
        self.state().limits = limits;
    }

    /// The messages of a chat, as they are shown now.
    #[must_use]
    pub fn messages(&self, chat: i64) -> Vec<Message> {
        let state = self.state();
        let messages = state.chats.get(&chat).map(|chat| &chat.messages);
        messages.into_iter().flatten().map(|stored| stored.message.clone()).collect()
    }

    /// All calls with the right token.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }

    /// The commands of a language, without the `/`, and their descriptions. `""` is the default.
    #[must_use]
    pub fn commands(&self, language: &str) -> Vec<(String, String)> {
        self.state().commands.get(language).cloned().unwrap_or_default()
    }

    /// The webhook, if one is set.
    #[must_use]
    pub fn webhook(&self) -> Option<Webhook> {
        self.state().webhook.clone()
    }

    /// Why methods in answers of the webhook were refused.
    #[must_use]
    pub fn webhook_errors(&self) -> Vec<String> {
        self.state().webhook_errors.clone()
    }

    /// The chat as lines of text: who, what, and buttons in brackets.
    #[must_use]
    pub fn transcript(&self, chat: i64) -> String {
        self.state().transcript(chat)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> u64 {
        (self.0.now)()
    }
}
