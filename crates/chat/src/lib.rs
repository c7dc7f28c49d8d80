//! The bot in Telegram: what it answers to commands and buttons, and what it tells of changes.
//!
//! [`Acting`] answers an update of the bot for the user who caused it, with the rights that the
//! user has in the API. Texts are rows of `texts!` with all languages.

mod acting;
mod api;
mod commands;
mod delivery;
mod message;
mod names;
mod notice;
mod pressed;
mod presses;
mod room;
mod settings;
mod text;
mod update;

pub use acting::Acting;
pub use api::{BotApi, Outcome};
pub use commands::{command_of, failed, first_contact, refuse_chat};
pub use delivery::{Delivered, Sending, Teller};
pub use message::{Alert, Buttons, Call, Edit, Message, Reply};
pub use pressed::Pressed;
pub use update::{Chat, Incoming, Membership, Person, Press, Update};
