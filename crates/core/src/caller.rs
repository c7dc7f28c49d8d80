//! Who calls: init data of Telegram, API tokens, and how much a user has used.

pub mod telegram;
pub mod token;
pub mod usage;
