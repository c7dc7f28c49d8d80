//! The configuration that a process reads from its environment.

use std::{env, fs, num::NonZeroU32, time::Duration};

use aws_config::SdkConfig;
use fracti_core::{caller::telegram, values::id::UserId};

use crate::{
    bot_token::{BotToken, InvalidToken},
    config_error::{ConfigError, TOKEN_FORM},
    dynamodb, tls,
};

/// Form of the sample, for error messages.
const SAMPLE_FORM: &str = "a number of requests from 1, of which one is counted";

/// Maximum number of operators.
const MAX_OPERATORS: usize = 20;

/// Form of the operators, for error messages.
const OPERATORS_FORM: &str = "up to 20 Telegram ids, separated by commas";

/// Address of the Bot API.
pub const TELEGRAM: &str = "https://api.telegram.org";

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
    /// `DAILY_READS`. `None`, the default, and 0 allow any number.
    pub daily_reads: Option<NonZeroU32>,
    /// `DAILY_WRITES`, likewise.
    pub daily_writes: Option<NonZeroU32>,
    /// `USAGE_SAMPLE`.
    pub usage_sample: Option<NonZeroU32>,
    /// `OPERATOR_IDS`: the users who hold the money of funds.
    pub operators: Vec<UserId>,
    /// `BOT_USERNAME`: username of the bot, without `@`, for links that open the Mini App.
    pub bot_username: Option<String>,
    /// `TELEGRAM_API_URL`, by default Telegram's, if `TELLING` is `on` or the URL is set: changes
    /// are told in Telegram.
    pub telegram: Option<String>,
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
        let limit = |name| match variable(name) {
            None => Ok(None),
            Some(text) => {
                let rule = "a number of requests, or 0 for any number";
                text.parse().map(NonZeroU32::new).map_err(|_| ConfigError::Invalid(name, rule))
            }
        };
        let sample = match variable("USAGE_SAMPLE") {
            None => None,
            Some(text) => {
                let invalid = ConfigError::Invalid("USAGE_SAMPLE", SAMPLE_FORM);
                Some(text.parse().map_err(|_| invalid)?)
            }
        };
        let operators = variable("OPERATOR_IDS").unwrap_or_default();
        let operators = operators.split(',').map(str::trim).filter(|id| !id.is_empty());
        let operators: Vec<UserId> = operators
            .map(str::parse)
            .collect::<Result<_, _>>()
            .ok()
            .filter(|all: &Vec<_>| all.len() <= MAX_OPERATORS)
            .ok_or(ConfigError::Invalid("OPERATOR_IDS", OPERATORS_FORM))?;
        let url = variable("TELEGRAM_API_URL");
        let telling = match variable("TELLING").as_deref() {
            None => url.is_some(),
            Some("on") => true,
            Some("off") => false,
            Some(_) => return Err(ConfigError::Invalid("TELLING", "on or off")),
        };
        let telegram = telling.then(|| url.unwrap_or_else(|| TELEGRAM.to_owned()));
        let bot_token = variable("TELEGRAM_BOT_TOKEN").map(|token| token.parse()).transpose();
        Ok(Self {
            table_name: variable("TABLE_NAME").unwrap_or_else(|| "FractiTable".to_owned()),
            bot_token: bot_token
                .map_err(|InvalidToken| ConfigError::Invalid("TELEGRAM_BOT_TOKEN", TOKEN_FORM))?,
            bot_token_secret: variable("TELEGRAM_BOT_TOKEN_SECRET"),
            init_data_max_age: max_age,
            operators,
            bot_username: variable("BOT_USERNAME"),
            telegram,
            daily_reads: limit("DAILY_READS")?,
            daily_writes: limit("DAILY_WRITES")?,
            usage_sample: sample,
        })
    }
}

/// Configuration for AWS from the environment, with the certificates of `AWS_CA_BUNDLE` if it is
/// set.
///
/// # Errors
///
/// [`ConfigError::Bundle`] if the file with the certificates cannot be read.
pub async fn aws_config() -> Result<SdkConfig, ConfigError> {
    // The SDK for Rust does not read this variable of other AWS SDKs.
    let http = match env::var("AWS_CA_BUNDLE").ok().filter(|path| !path.is_empty()) {
        None => tls::trusting_amazon(),
        Some(path) => match fs::read(&path) {
            Ok(pem) => tls::trusting_pem(&pem),
            Err(error) => return Err(ConfigError::Bundle(path, error)),
        },
    };
    Ok(dynamodb::config_for_aws(http).await)
}
