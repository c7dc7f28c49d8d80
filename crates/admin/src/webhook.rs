//! `webhook`: where Telegram sends the updates of the bot, and what its menu of commands says.

use std::{io::Write, time::Duration};

use fracti_chat::{BotApi, Outcome as Sent};
use fracti_core::caller::telegram;
use fracti_runtime::BotToken;
use fracti_texts::{Language, Message, message};
use serde_json::{Value, json};

use crate::{Failure, Outcome};

/// Time limit of a request to Telegram.
const LIMIT: Duration = Duration::from_secs(10);

/// The commands with what they do.
fn commands() -> [(&'static str, Message); 5] {
    [
        (
            "expense",
            message!(
                "Record what you paid: /expense 12.50 dinner",
                "Записать расход: /expense 12,50 ужин"
            ),
        ),
        ("balance", message!("Who owes and who gets", "Кто кому должен")),
        ("settle", message!("Pay each other back", "Рассчитаться")),
        ("settings", message!("Messages on or off", "Включить или выключить сообщения")),
        ("start", message!("Who is in the group", "Кто в группе")),
    ]
}

/// Tells Telegram to send the updates of a bot to the API at `url`, with the secret of its token,
/// and sets its commands in both languages. It may be run again at any time.
///
/// # Errors
///
/// [`Failure::Telegram`] if Telegram does not do it.
pub async fn set_webhook(
    bot_api: &str,
    token: &BotToken,
    url: &str,
    out: &mut impl Write,
) -> Result<Outcome, Failure> {
    let api = BotApi::new(bot_api, token);
    let hook = format!("{}/api/telegram/webhook", url.trim_end_matches('/'));
    let webhook = json!({
        "url": hook,
        "secret_token": telegram::webhook_secret(token.expose()),
        "allowed_updates": ["message", "callback_query", "my_chat_member"],
    });
    call(&api, "setWebhook", &webhook).await?;
    writeln!(out, "Telegram sends updates of the bot to {hook}")?;
    let commands = commands();
    for language in Language::ALL {
        let described = commands
            .iter()
            .map(|(name, text)| json!({ "command": name, "description": text.text(language) }));
        let mut body = json!({ "commands": described.collect::<Vec<_>>() });
        // English is for all other languages, too.
        if let (Some(body), Language::Russian) = (body.as_object_mut(), language) {
            body.insert("language_code".to_owned(), language.code().into());
        }
        call(&api, "setMyCommands", &body).await?;
    }
    writeln!(out, "the bot has {} commands in English and Russian", commands.len())?;
    Ok(Outcome::Good)
}

async fn call(api: &BotApi, method: &'static str, body: &Value) -> Result<(), Failure> {
    match api.call(method, body, LIMIT).await {
        Sent::Done => Ok(()),
        refused => Err(Failure::Telegram(method, format!("{refused:?}"))),
    }
}
