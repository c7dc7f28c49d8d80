//! The dependencies of a request, and the configuration.

use std::{env, fmt, fs, io, num::NonZeroU32, str::FromStr, sync::Arc, time::Duration};

use aws_config::SdkConfig;
use aws_sdk_dynamodb::Client;
use fracti_core::{Cause, telegram, time::Timestamp, token::ApiToken};
use fracti_store::{RequestContext, Table};

use crate::{Context, Quotas, TokenCache, dynamodb, tls};

/// Time limit of a request. It leaves 1.5 s of a function's 10 s for the response that the limit
/// was exceeded. Imports have three times as much, of a function's 29 s.
pub const DEADLINE: Duration = Duration::from_millis(8_500);

/// Form of a bot token, for error messages.
const TOKEN_FORM: &str = "a bot token of the form 123456:ABC-def";

/// Form of the sample, for error messages.
const SAMPLE_FORM: &str = "a number of requests from 1, of which one is counted";

/// Dependencies of a request. Cheap to clone.
#[derive(Clone, Debug)]
pub struct App {
    /// The DynamoDB table.
    pub table: Table,
    /// Source of the current time.
    pub clock: Clock,
    /// Source of the random bits of ids and API tokens.
    pub random: Random,
    /// Token that Telegram signs init data with.
    pub bot_token: BotToken,
    /// API tokens that were seen.
    pub tokens: TokenCache,
    /// Maximum age of init data.
    pub init_data_max_age: Duration,
    /// Time limit of a request.
    pub deadline: Duration,
    /// Daily quotas of each user.
    pub quotas: Quotas,
}

/// A clock that tests can replace.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

/// A source of random bytes that tests can replace.
#[derive(Clone)]
pub struct Random(Arc<Fill>);

/// Fills bytes.
type Fill = dyn Fn(&mut [u8]) + Send + Sync;

/// Token of a Telegram bot. Its `Debug` form does not show it.
#[derive(Clone)]
pub struct BotToken(Arc<str>);

/// Error returned for a text that is not a bot token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {TOKEN_FORM}")]
pub struct InvalidToken;

/// Error returned for an incomplete or invalid configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A variable without a default is missing.
    #[error("{0} is required")]
    Missing(&'static str),
    /// The secret with the bot token cannot be read.
    #[error("secret {0} cannot be read")]
    Secret(String, #[source] Cause),
    /// The secret is not a bot token.
    #[error("secret {0} must be {TOKEN_FORM}")]
    InvalidSecret(String),
    /// A variable has an invalid value.
    #[error("{0} must be {1}")]
    Invalid(&'static str, &'static str),
    /// The file with the trusted certificates cannot be read.
    #[error("AWS_CA_BUNDLE {0} cannot be read")]
    Bundle(String, #[source] io::Error),
}

/// Configuration read from the environment.
#[derive(Debug)]
pub struct Settings {
    /// `TABLE_NAME`. Default: `FractiTable`.
    pub table_name: String,
    /// `TELEGRAM_BOT_TOKEN`.
    pub bot_token: Option<BotToken>,
    /// `TELEGRAM_BOT_TOKEN_SECRET`: name or ARN of the AWS Secrets Manager secret with the token,
    /// used if `TELEGRAM_BOT_TOKEN` is not set.
    pub bot_token_secret: Option<String>,
    /// `INIT_DATA_MAX_AGE_SECONDS`. Default: 86400.
    pub init_data_max_age: Duration,
    /// `DAILY_READS` and `DAILY_WRITES`, of which 0, the default, allows any number, and
    /// `USAGE_SAMPLE`. Default: 10.
    pub quotas: Quotas,
}

impl Settings {
    /// Reads the environment. Further variables are those of the AWS SDKs.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Invalid`] with the name of the invalid variable.
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
        let number = |name, default: u32, rule| match variable(name) {
            None => Ok(default),
            Some(text) => text.parse().map_err(|_| ConfigError::Invalid(name, rule)),
        };
        let limit = |name| {
            let rule = "a number of requests, or 0 for any number";
            number(name, 0, rule).map(NonZeroU32::new)
        };
        let unlimited = Quotas::default();
        let sample = number("USAGE_SAMPLE", unlimited.sample.get(), SAMPLE_FORM)?;
        let sample = NonZeroU32::new(sample);
        let quotas = Quotas {
            reads: limit("DAILY_READS")?,
            writes: limit("DAILY_WRITES")?,
            sample: sample.ok_or(ConfigError::Invalid("USAGE_SAMPLE", SAMPLE_FORM))?,
            ..unlimited
        };
        let bot_token = variable("TELEGRAM_BOT_TOKEN").map(|token| token.parse()).transpose();
        Ok(Self {
            table_name: variable("TABLE_NAME").unwrap_or_else(|| "FractiTable".to_owned()),
            bot_token: bot_token
                .map_err(|InvalidToken| ConfigError::Invalid("TELEGRAM_BOT_TOKEN", TOKEN_FORM))?,
            bot_token_secret: variable("TELEGRAM_BOT_TOKEN_SECRET"),
            init_data_max_age: max_age,
            quotas,
        })
    }
}

impl App {
    /// Creates the application from [`Settings::from_env`] and the variables of the AWS SDKs, such
    /// as `AWS_ENDPOINT_URL_DYNAMODB` and `AWS_CA_BUNDLE`, and opens a connection to the table; several
    /// while it waits for the secret.
    ///
    /// # Errors
    ///
    /// [`ConfigError`] with the name of the missing or invalid variable.
    pub async fn from_env() -> Result<Self, ConfigError> {
        let settings = Settings::from_env()?;
        // The SDK for Rust does not read this variable of other AWS SDKs.
        let http = match env::var("AWS_CA_BUNDLE").ok().filter(|path| !path.is_empty()) {
            None => tls::trusting_amazon(),
            Some(path) => match fs::read(&path) {
                Ok(pem) => tls::trusting_pem(&pem),
                Err(error) => return Err(ConfigError::Bundle(path, error)),
            },
        };
        let config = dynamodb::config_for_aws(http).await;
        let table = Table::new(Client::new(&config), settings.table_name);
        let token = async {
            match (settings.bot_token, settings.bot_token_secret) {
                (Some(token), _) => Ok(token),
                (None, Some(secret)) => BotToken::from_secret(&config, secret).await,
                (None, None) => Err(ConfigError::Missing("TELEGRAM_BOT_TOKEN")),
            }
        };
        let token = {
            let (mut token, mut first) = (Box::pin(token), Box::pin(table.connect()));
            tokio::select! {
                token = &mut token => {
                    first.await;
                    token
                }
                () = &mut first => tokio::select! {
                    token = &mut token => token,
                    () = Box::pin(table.connect_more()) => token.await,
                },
            }
        };
        let app = Self::new(table, token?, settings.init_data_max_age);
        Ok(Self { quotas: settings.quotas, ..app })
    }

    /// Creates an application over `table` with the clock and the random bytes of the system.
    #[must_use]
    pub fn new(table: Table, bot_token: BotToken, init_data_max_age: Duration) -> Self {
        Self {
            table,
            clock: Clock::system(),
            random: Random::system(),
            bot_token,
            tokens: TokenCache::default(),
            init_data_max_age,
            deadline: DEADLINE,
            quotas: Quotas::default(),
        }
    }

    /// Time of a request, with random bytes for the ids that it creates.
    pub(crate) fn creation(&self, context: &Context) -> RequestContext {
        RequestContext { now: context.now, random: self.random.bytes() }
    }

    /// A new API token.
    #[must_use]
    pub fn new_token(&self) -> ApiToken {
        ApiToken::new(self.random.bytes(), self.bot_token.expose())
    }
}

impl Clock {
    /// The system clock.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            #[expect(clippy::disallowed_methods, reason = "only this clock reads the system time")]
            let now = chrono::Utc::now().timestamp_millis();
            u64::try_from(now)
                .ok()
                .and_then(Timestamp::from_millis)
                .unwrap_or_else(|| unreachable!("the time of day is in the years 1970 to 9999"))
        })
    }

    /// A clock that returns `now()`.
    pub fn of(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Random {
    /// The random bytes of the operating system.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|bytes| {
            // Without random bytes, ids could be guessed, so the process must stop.
            getrandom::fill(bytes).unwrap_or_else(|error| unreachable!("no random bytes: {error}"));
        })
    }

    /// Whether a request is one in `many`, chosen at random.
    pub(crate) fn one_in(&self, many: NonZeroU32) -> bool {
        u32::from_le_bytes(self.bytes()) % many == 0
    }

    /// A source that fills bytes with `fill`.
    pub fn of(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.0)(&mut bytes);
        bytes
    }
}

impl BotToken {
    /// Wraps a trusted token without validation. Parse tokens from configuration instead.
    #[must_use]
    pub fn new(token: &str) -> Self {
        Self(token.into())
    }

    /// Reads the token from the Secrets Manager secret with this name or ARN. The configuration of
    /// a function shows only the name, so reading it does not disclose the token.
    ///
    /// # Errors
    ///
    /// [`ConfigError::Secret`] if it cannot be read, [`ConfigError::InvalidSecret`] if it is not a
    /// token.
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

    /// The token.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// Parses Telegram's form: the id of the bot, a colon, and at least one of `A-Za-z0-9_-`.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bot_token_must_be_digits_a_colon_and_a_secret() {
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
