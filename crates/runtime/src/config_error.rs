//! Errors of the configuration.

use std::io;

use fracti_core::input::Cause;

/// Form of a bot token, for error messages.
pub(crate) const TOKEN_FORM: &str = "a bot token of the form 123456:ABC-def";

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
