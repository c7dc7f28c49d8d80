//! The token of the bot.

use std::{fmt, str::FromStr, sync::Arc};

use aws_config::SdkConfig;

use crate::config_error::{ConfigError, TOKEN_FORM};

/// Token of a Telegram bot. Its `Debug` form does not show it.
#[derive(Clone)]
pub struct BotToken(Arc<str>);

/// Error returned for a text that is not a bot token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be {TOKEN_FORM}")]
pub struct InvalidToken;

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
    pub async fn from_secret(config: &SdkConfig, name: String) -> Result<Self, ConfigError> {
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
