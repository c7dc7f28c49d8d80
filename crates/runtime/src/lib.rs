//! The surroundings of a process of Fracti, whether it serves HTTP or not: its settings,
//! the clock, random bytes, the bot's token, a client of DynamoDB, and the log of its work.

mod bot_token;
mod clock;
mod config_error;
mod dynamodb;
mod settings;
mod tls;
mod work;

pub use bot_token::{BotToken, InvalidToken};
pub use clock::{Clock, Random};
pub use config_error::ConfigError;
pub use dynamodb::{dynamodb, dynamodb_at, local_dynamodb};
pub use settings::{Settings, TELEGRAM, aws_config};
pub use work::{Measured, measured, with_causes, work};
