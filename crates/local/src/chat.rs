//! A chat with the bot at a terminal: four friends, and a Bot API that stands in for Telegram.

use std::{io::Write, time::Duration};

use fracti_chat::Outcome;
use fracti_core::caller::telegram;
use fracti_http::App;
use fracti_local::fake_telegram::{FakeTelegram, USERNAME, User};
use serde_json::json;
use tokio::net::TcpListener;

/// The chat of the friends.
const CHAT: i64 = -1_001;

/// The friends of the demo.
const FRIENDS: [(u64, &str); 4] =
    [(123_456_789, "Alice"), (987_654_321, "Bob"), (456_789_123, "Carol"), (789_123_456, "Dave")];

/// Starts the Bot API, and prints how to write to the bot. `api` is the address of the server.
///
/// # Errors
///
/// If the webhook is refused, or `out` cannot be written.
pub(crate) async fn start(
    app: App,
    listener: TcpListener,
    api: &str,
    out: &mut impl Write,
) -> Result<App, Box<dyn std::error::Error>> {
    let token = app.bot_token.clone();
    let clock = app.clock.clone();
    let now = move || clock.now().millis();
    let telegram = FakeTelegram::start(listener, token.expose(), now);
    for (id, name) in FRIENDS {
        let username = Some(name.to_lowercase());
        let language_code = Some("en".to_owned());
        telegram.add_user(User { id, first_name: name.to_owned(), username, language_code });
    }
    telegram.add_group(CHAT, "Alps", "-3788475317572404878");
    let app = App { bot_username: Some(USERNAME.into()), ..app }.telling(telegram.url().into());
    let webhook = json!({
        "url": format!("{api}/api/telegram/webhook"),
        "secret_token": telegram::webhook_secret(token.expose()),
    });
    if let Some(bot) = &app.bot_api {
        let set = bot.call("setWebhook", &webhook, Duration::from_secs(5)).await;
        if set != Outcome::Done {
            return Err(format!("the webhook is not set: {set:?}").into());
        }
    }
    let url = telegram.url();
    writeln!(out, "telegram {url}")?;
    writeln!(
        out,
        "\n# write to the bot in the chat {CHAT} as Alice (123456789), and read the chat"
    )?;
    let say = |text: &str| {
        format!("curl -d chat={CHAT} -d from=123456789 --data-urlencode text='{text}' {url}/say")
    };
    let press = |from: u64, button: &str| {
        format!("curl -d chat={CHAT} -d message=2 -d from={from} -d button={button} {url}/press")
    };
    writeln!(out, "{}", say("/start"))?;
    writeln!(out, "{}", press(123_456_789, "EUR"))?;
    writeln!(out, "{}", press(987_654_321, "Join"))?;
    for text in ["/expense 30 dinner", "/balance", "/settle"] {
        writeln!(out, "{}", say(text))?;
    }
    writeln!(out, "curl {url}/chats/{CHAT}")?;
    Ok(app)
}
