//! What a request may use, where it comes from, and the layers around every route.

use std::{env, fmt, str::FromStr, sync::Arc, time::Duration};

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use axum::{
    Router,
    extract::{DefaultBodyLimit, Request},
    middleware::{self, Next},
};
use fracti_core::{
    Cause,
    table::{RequestContext, Table, with_deadline},
    telegram,
    time::Timestamp,
};
use utoipa_axum::router::OpenApiRouter;

use crate::{Problem, amounts, dynamodb, observe, problem};

/// How large a request's body may be, in bytes.
const MAX_BODY: usize = 64 * 1024;

/// How long a request may take: of a function's 10 s it leaves 1.5 s to answer that this was not enough.
const DEADLINE: Duration = Duration::from_millis(8_500);

/// What a bot's token looks like, in the words of an error message.
const TOKEN_FORM: &str = "a bot token of the form 123456:ABC-def";

/// The routes of one endpoint group, and their part of the OpenAPI document.
pub type Routes = OpenApiRouter<App>;

/// What a request may use. A clone is cheap.
#[derive(Clone, Debug)]
pub struct App {
    /// Where everything is kept.
    pub table: Table,
    /// What time it is.
    pub clock: Clock,
    /// Where ids get their random bits.
    pub random: Random,
    /// What Telegram signs init data with.
    pub bot_token: BotToken,
    /// How old init data may be.
    pub init_data_max_age: Duration,
    /// How long a request may take, all in all.
    pub deadline: Duration,
}

/// Tells the time; a test sets it.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

/// Makes ten random bytes; a test sets them.
#[derive(Clone)]
pub struct Random(Arc<dyn Fn() -> [u8; 10] + Send + Sync>);

/// The secret of a Telegram bot. It shows in no log.
#[derive(Clone)]
pub struct BotToken(Arc<str>);

/// Error returned when a text is not a bot's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text is not {TOKEN_FORM}")]
pub struct InvalidToken;

/// Why the environment describes no application.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A variable is missing that has no default.
    #[error("the environment variable {0} is missing")]
    Missing(&'static str),
    /// The secret that holds the bot's token cannot be read.
    #[error("the secret {0} cannot be read")]
    Secret(String, #[source] Cause),
    /// The secret holds something other than a bot's token.
    #[error("the secret {0} is not {TOKEN_FORM}")]
    InvalidSecret(String),
    /// A variable has a value that it cannot have.
    #[error("the environment variable {0} is not {1}")]
    Invalid(&'static str, &'static str),
}

/// What the environment says.
#[derive(Debug)]
pub struct Settings {
    /// `TABLE_NAME`, by default `FractiTable`.
    pub table_name: String,
    /// `TELEGRAM_BOT_TOKEN`.
    pub bot_token: Option<BotToken>,
    /// `TELEGRAM_BOT_TOKEN_SECRET`, the secret of AWS Secrets Manager that holds the token where it is not given itself.
    pub bot_token_secret: Option<String>,
    /// `INIT_DATA_MAX_AGE_SECONDS`, by default 86400.
    pub init_data_max_age: Duration,
}

impl Settings {
    /// Reads the environment. Nothing else does, but for the AWS SDK, which has variables of its own.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Invalid`] with the variable that is wrong.
    pub fn from_env() -> Result<Self, ConfigError> {
        let variable = |name| env::var(name).ok().filter(|text| !text.is_empty());
        let max_age = match variable("INIT_DATA_MAX_AGE_SECONDS") {
            None => telegram::MAX_AGE,
            Some(text) => {
                let invalid =
                    ConfigError::Invalid("INIT_DATA_MAX_AGE_SECONDS", "a number of seconds");
                Duration::from_secs(text.parse().map_err(|_| invalid)?)
            }
        };
        let bot_token = variable("TELEGRAM_BOT_TOKEN").map(|token| token.parse()).transpose();
        Ok(Self {
            table_name: variable("TABLE_NAME").unwrap_or_else(|| "FractiTable".to_owned()),
            bot_token: bot_token
                .map_err(|InvalidToken| ConfigError::Invalid("TELEGRAM_BOT_TOKEN", TOKEN_FORM))?,
            bot_token_secret: variable("TELEGRAM_BOT_TOKEN_SECRET"),
            init_data_max_age: max_age,
        })
    }
}

impl App {
    /// The application that the environment describes: [`Settings::from_env`], and the SDK's own variables,
    /// `AWS_ENDPOINT_URL_DYNAMODB` among them.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the variable that is missing or wrong.
    pub async fn from_env() -> Result<Self, ConfigError> {
        let settings = Settings::from_env()?;
        let config = dynamodb::config().load().await;
        let token = match (settings.bot_token, settings.bot_token_secret) {
            (Some(token), _) => token,
            (None, Some(secret)) => BotToken::from_secret(&config, secret).await?,
            (None, None) => return Err(ConfigError::Missing("TELEGRAM_BOT_TOKEN")),
        };
        let table = Table::new(Client::new(&config), settings.table_name);
        Ok(Self::new(table, token, settings.init_data_max_age))
    }

    /// The application over `table`, on the time of day and the system's random bytes.
    #[must_use]
    pub fn new(table: Table, bot_token: BotToken, init_data_max_age: Duration) -> Self {
        Self {
            table,
            clock: Clock::system(),
            random: Random::system(),
            bot_token,
            init_data_max_age,
            deadline: DEADLINE,
        }
    }

    /// Now, for one request.
    #[must_use]
    pub fn context(&self) -> RequestContext {
        RequestContext { now: self.clock.now(), random: (self.random.0)() }
    }
}

impl Clock {
    /// The time of day.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            #[expect(clippy::disallowed_methods, reason = "this is the clock that all others ask")]
            let now = chrono::Utc::now().timestamp_millis();
            u64::try_from(now)
                .ok()
                .and_then(Timestamp::from_millis)
                .unwrap_or_else(|| unreachable!("the time of day is in the years 1970 to 9999"))
        })
    }

    /// The time that `now` tells.
    pub fn of(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// What time it is.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Random {
    /// The operating system's random bytes.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            let mut bytes = [0; 10];
            // A system without random bytes gives no id that nobody guesses: it must not go on.
            getrandom::fill(&mut bytes)
                .unwrap_or_else(|error| unreachable!("no random bytes: {error}"));
            bytes
        })
    }

    /// The bytes that `bytes` makes.
    pub fn of(bytes: impl Fn() -> [u8; 10] + Send + Sync + 'static) -> Self {
        Self(Arc::new(bytes))
    }
}

impl BotToken {
    /// The secret `token`, taken as it is; one from outside is parsed instead.
    #[must_use]
    pub fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// The secret that Secrets Manager keeps under a name or an ARN. Whoever may read a function's configuration sees only
    /// the name.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Secret`] where it cannot be read, [`ConfigError::InvalidSecret`] where it is not a token.
    async fn from_secret(config: &SdkConfig, name: String) -> Result<Self, ConfigError> {
        let request =
            aws_sdk_secretsmanager::Client::new(config).get_secret_value().secret_id(&name);
        match request.send().await {
            Err(error) => Err(ConfigError::Secret(name, error.into())),
            Ok(secret) => {
                let token = secret.secret_string().unwrap_or_default().trim().parse();
                token.map_err(|InvalidToken| ConfigError::InvalidSecret(name))
            }
        }
    }

    /// The secret itself.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Telegram's form: the bot's id, a colon, and at least one of `A-Za-z0-9_-`.
impl FromStr for BotToken {
    type Err = InvalidToken;

    fn from_str(text: &str) -> Result<Self, InvalidToken> {
        let (id, secret) = text.split_once(':').ok_or(InvalidToken)?;
        let known = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        let id_is_valid = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        let secret_is_valid = !secret.is_empty() && secret.bytes().all(known);
        if id_is_valid && secret_is_valid { Ok(Self::new(text)) } else { Err(InvalidToken) }
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}

impl fmt::Debug for BotToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BotToken")
    }
}

/// The service of `routes`: what Lambda, the local server and the tests each run.
pub fn service(routes: Routes, app: App) -> Router {
    let limit = app.deadline;
    let in_time = move |request: Request, next: Next| async move {
        let served = with_deadline(limit, next.run(request)).await;
        served.map_err(Problem::from)
    };
    let (router, _document) = routes.with_state(app).split_for_parts();
    router
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::no_method)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(middleware::from_fn(in_time))
        .layer(middleware::from_fn(amounts::layer))
        .layer(middleware::from_fn(observe::observe))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bot_token_is_digits_a_colon_and_a_secret() {
        for (text, valid) in [
            ("123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11", true),
            ("0:fracti-local", true),
            ("42:a_b", true),
            ("hello", false),
            ("", false),
            (":", false),
            ("123456:", false),
            (":ABC", false),
            ("bot123456:ABC", false),
            ("123456:ABC:DEF", false),
            ("123456:ABC ", false),
            ("123456:ABC\n", false),
            ("123456:ÄBC", false),
        ] {
            assert_eq!(text.parse::<BotToken>().is_ok(), valid, "{text:?}");
        }
    }
}
