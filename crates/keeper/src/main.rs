//! The Lambda function of the keeper, which `EventBridge` starts every minute.

use aws_sdk_dynamodb::Client;
use fracti_chat::{BotApi, Teller};
use fracti_core::decisions::telling::Telling;
use fracti_runtime::{BotToken, Clock, ConfigError, Settings, aws_config};
use fracti_store::Table;
use lambda_http::{Error, LambdaEvent, lambda_runtime, service_fn, tracing};
use serde_json::Value;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    tracing::init_default_subscriber();
    let settings = Settings::from_env()?;
    let config = aws_config().await?;
    let table = Table::new(Client::new(&config), settings.table_name);
    table.connect().await;
    let clock = &Clock::system();
    let teller = match (&settings.telegram, settings.bot_token, settings.bot_token_secret) {
        (None, ..) => None,
        (Some(url), Some(token), _) => Some((url, token)),
        (Some(url), None, Some(name)) => Some((url, BotToken::from_secret(&config, name).await?)),
        (Some(_), None, None) => return Err(ConfigError::Missing("TELEGRAM_BOT_TOKEN").into()),
    };
    let bot = settings.bot_username.map(Into::into);
    let teller = teller.map(|(url, token)| Teller::new(BotApi::new(url, &token), bot));
    let telling = if teller.is_some() { Telling::On } else { Telling::Off };
    let table = &table.telling(telling);
    let teller = teller.as_ref();
    let run = service_fn(move |_: LambdaEvent<Value>| async move {
        fracti_keeper::keep(table, clock, teller).await.map(|_| ()).map_err(Error::from)
    });
    lambda_runtime::run(run).await
}
