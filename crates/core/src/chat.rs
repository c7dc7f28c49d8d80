//! The bot in a chat: commands, buttons, links, and subscriptions to messages.

pub mod button;
pub mod command;
pub mod link;
pub mod subscription;
