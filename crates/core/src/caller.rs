//! Callers: Telegram's init data, API tokens, and daily usage.

pub mod telegram;
pub mod token;
pub mod usage;
