//! The bot in a chat, through its webhook and a Bot API on loopback.

mod conversation;
mod delivery;
mod kinds;
mod limits;
mod notices;
mod random;
mod settings;
mod traps;

use std::sync::Arc;

use axum::Router;
use fracti_core::{caller::telegram, values::id::GroupId};
use fracti_local::fake_telegram::{FakeTelegram, Message, Pressed, Said, User};
use serde_json::json;
use tokio::net::TcpListener;

use crate::harness::{Api, TOKEN};

/// The chat of the group “Alps”.
pub(crate) const ALPS: i64 = -1_001;

/// The bot with a group's chat, behind a real webhook.
pub(crate) struct Bot {
    pub(crate) api: Api,
    pub(crate) telegram: FakeTelegram,
}

pub(crate) const ALICE: u64 = 1;
pub(crate) const BOB: u64 = 2;
pub(crate) const CAROL: u64 = 3;

impl Bot {
    /// The bot in a chat of three people whose devices are in a language.
    pub(crate) async fn new(language: &str) -> Self {
        Self::of(Api::new().await, language).await
    }

    /// The same with this API.
    async fn of(api: Api, language: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let api = api.named("fracti_fake_bot");
        let clock = api.clone();
        let telegram = FakeTelegram::start(listener, TOKEN, move || clock.now().millis());
        telegram.set_limits(false);
        let api = api.telling(telegram.url());
        for (id, name) in [(ALICE, "Alice"), (BOB, "Bob"), (CAROL, "Carol")] {
            let username = Some(name.to_lowercase());
            let language_code = Some(language.to_owned());
            telegram.add_user(User { id, first_name: name.to_owned(), username, language_code });
        }
        telegram.add_group(ALPS, "Alps", "-3788475317572404878");
        let bot = Self { api, telegram };
        bot.connect(&bot.api.router).await;
        bot
    }

    /// Serves a router on loopback, and sets the webhook to it.
    async fn connect(&self, router: &Router) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/api/telegram/webhook", listener.local_addr().unwrap());
        let router = router.clone();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let set = json!({
            "url": url, "secret_token": telegram::webhook_secret(TOKEN),
            "allowed_updates": ["message", "callback_query", "my_chat_member"],
        });
        let api = self.api.app.bot_api.clone().unwrap();
        let outcome = api.call("setWebhook", &set, std::time::Duration::from_secs(5)).await;
        assert_eq!(outcome, fracti_chat::Outcome::Done);
    }

    pub(crate) async fn say(&self, from: u64, text: &str) -> Said {
        let said = self.telegram.say(ALPS, from, text).await;
        assert_eq!(self.telegram.webhook_errors(), Vec::<String>::new(), "{text}");
        said
    }

    /// Presses a button of the last message of the bot.
    pub(crate) async fn press(&self, from: u64, button: &str) -> Pressed {
        let last = self.last();
        let button = last.buttons.iter().flatten().find(|it| plain(&it.text) == button);
        assert!(button.is_some(), "no such button: {last:?}");
        let button = button.unwrap().text.clone();
        let pressed = self.telegram.press(ALPS, last.id, &button, from).await;
        assert_eq!(pressed.status, 200);
        assert!(pressed.answered);
        pressed
    }

    /// The last message of the bot in the chat.
    pub(crate) fn last(&self) -> Message {
        let messages = self.telegram.messages(ALPS);
        messages.into_iter().rfind(|it| it.from_bot).unwrap()
    }

    /// The last message of the bot, with its buttons in brackets.
    pub(crate) fn shown(&self) -> String {
        shown(&self.last())
    }

    /// The id of the chat's group.
    pub(crate) async fn group(&self) -> GroupId {
        self.api.table.group_of_chat(ALPS).await.unwrap().unwrap()
    }
}

/// A text with ordinary blanks.
pub(crate) fn plain(text: &str) -> String {
    text.replace('\u{a0}', " ")
}

/// A message with its buttons in brackets.
pub(crate) fn shown(message: &Message) -> String {
    let rows = message.buttons.iter().map(|row| {
        let keys: Vec<String> = row.iter().map(|it| format!("[{}]", it.text)).collect();
        format!("\n{}", keys.join(" "))
    });
    plain(&(message.text.clone() + &rows.collect::<String>()))
}

#[tokio::test]
async fn command_of_operators_sets_the_webhook_and_the_commands() {
    let bot = Bot::new("en").await;
    let mut out = Vec::new();
    let token = fracti_runtime::BotToken::new(TOKEN);
    let url = "http://127.0.0.1:3000/";
    fracti_admin::set_webhook(bot.telegram.url(), &token, url, &mut out).await.unwrap();
    let webhook = bot.telegram.webhook().unwrap();
    assert_eq!(webhook.url, "http://127.0.0.1:3000/api/telegram/webhook");
    assert_eq!(webhook.secret_token, Some(telegram::webhook_secret(TOKEN)));
    assert_eq!(webhook.allowed_updates, ["message", "callback_query", "my_chat_member"]);
    for (language, text) in [("", "Who owes and who gets"), ("ru", "Кто кому должен")]
    {
        let commands = bot.telegram.commands(language);
        assert_eq!(commands.len(), 5, "{language}");
        assert!(commands.contains(&("balance".to_owned(), text.to_owned())), "{commands:?}");
    }
    let other = fracti_runtime::BotToken::new("43:other");
    let refused = fracti_admin::set_webhook(bot.telegram.url(), &other, url, &mut out).await;
    assert!(refused.is_err_and(|it| !format!("{it:?} {it}").contains("43:other")));
}

#[tokio::test]
async fn webhook_needs_the_secret_and_reads_nothing_without() {
    let bot = Bot::new("en").await;
    let update = json!({ "update_id": 1,
        "message": { "message_id": 1, "chat": { "id": ALPS, "type": "group" },
        "from": { "id": ALICE, "first_name": "Alice" }, "text": "/expense 30 dinner" } });
    let secret = telegram::webhook_secret(TOKEN);
    let before = bot.api.rows().await;
    for secrets in [vec![], vec!["x".to_owned()], vec![secret.clone(), secret.clone()]] {
        let mut request = axum::http::Request::post("/api/telegram/webhook");
        for secret in secrets {
            request = request.header("x-telegram-bot-api-secret-token", secret);
        }
        let request = request.body(update.to_string().into()).unwrap();
        let reply = bot.api.send(request).await;
        assert_eq!(reply.code(), (401, "NO_CREDENTIALS"));
        assert_eq!(reply.cost.requests, 0);
    }
    // What cannot be read is not sent again, and changes nothing.
    for body in ["", "{", "[]", "{\"update_id\":\"x\"}", "null", &"x".repeat(70 * 1024)] {
        let request = axum::http::Request::post("/api/telegram/webhook")
            .header("x-telegram-bot-api-secret-token", &secret);
        let reply = bot.api.send(request.body(body.to_owned().into()).unwrap()).await;
        assert_eq!((reply.status.as_u16(), &*reply.text), (200, ""), "{body}");
    }
    assert_eq!(before, bot.api.rows().await);
    drop(Arc::new(bot));
}
