//! Updates of the bot, as far as it reads them.
//!
//! <https://core.telegram.org/bots/api#update>

use fracti_core::{caller::telegram::User, values::id::UserId};
use fracti_texts::Language;
use serde::Deserialize;
use serde_json::Value;

use crate::message::Buttons;

/// An update.
#[derive(Clone, Debug, Deserialize)]
pub struct Update {
    /// Its number, which a repetition has again.
    pub update_id: i64,
    /// A message to the bot or in a chat.
    pub message: Option<Incoming>,
    /// A press of one of the bot's buttons.
    pub callback_query: Option<Press>,
    /// A change of the bot's own membership.
    pub my_chat_member: Option<Membership>,
}

/// A message.
#[derive(Clone, Debug, Deserialize)]
pub struct Incoming {
    /// Its number in the chat.
    pub message_id: i64,
    /// When it was sent, in seconds since 1970.
    #[serde(default)]
    pub date: i64,
    /// Who sent it.
    pub from: Option<Person>,
    /// The chat in whose name it was sent.
    pub sender_chat: Option<Value>,
    /// Where it was sent.
    pub chat: Chat,
    /// Its text.
    pub text: Option<String>,
    /// Where it was forwarded from.
    pub forward_origin: Option<Value>,
    /// The number that the chat has from now on.
    pub migrate_to_chat_id: Option<i64>,
    /// The message that it answers.
    pub reply_to_message: Option<Box<Self>>,
    /// Its buttons.
    pub reply_markup: Option<Buttons>,
}

/// A user or a bot.
///
/// <https://core.telegram.org/bots/api#user>
#[derive(Clone, Debug, Deserialize)]
pub struct Person {
    /// The Telegram id.
    pub id: u64,
    /// Whether it is a bot.
    #[serde(default)]
    pub is_bot: bool,
    #[serde(default)]
    first_name: String,
    #[serde(default)]
    last_name: String,
    username: Option<String>,
    language_code: Option<String>,
}

/// A chat.
#[derive(Clone, Debug, Deserialize)]
pub struct Chat {
    /// Its number.
    pub id: i64,
    /// Its type.
    #[serde(rename = "type")]
    kind: String,
    /// Title of a group.
    pub title: Option<String>,
}

/// A press of a button.
///
/// <https://core.telegram.org/bots/api#callbackquery>
#[derive(Clone, Debug, Deserialize)]
pub struct Press {
    /// Its id, by which it is answered.
    pub id: String,
    /// Who pressed.
    pub from: Person,
    /// The message with the button. A message that is too old is left out.
    pub message: Option<Incoming>,
    /// The chat, as in init data.
    pub chat_instance: Option<String>,
    /// What the button says.
    pub data: Option<String>,
}

/// A change of the bot's own membership.
///
/// <https://core.telegram.org/bots/api#chatmemberupdated>
#[derive(Clone, Debug, Deserialize)]
pub struct Membership {
    /// Where.
    pub chat: Chat,
    /// Who changed it.
    pub from: Person,
    old_chat_member: Status,
    new_chat_member: Status,
}

#[derive(Clone, Debug, Deserialize)]
struct Status {
    status: String,
}

impl Person {
    /// The user; `None` if it is a bot.
    #[must_use]
    pub fn user(&self) -> Option<User> {
        let id = UserId::new(self.id).ok().filter(|_| !self.is_bot)?;
        Some(User::named(id, &self.first_name, &self.last_name, self.username.clone()))
    }

    /// The language in which the user is answered.
    #[must_use]
    pub fn language(&self) -> Language {
        let code = self.language_code.as_deref().unwrap_or_default();
        let primary = code.split('-').next().unwrap_or_default();
        let is_meant = |it: &Language| it.code().eq_ignore_ascii_case(primary);
        Language::ALL.into_iter().find(is_meant).unwrap_or(Language::English)
    }
}

impl Chat {
    /// Whether it is a group.
    #[must_use]
    pub fn is_group(&self) -> bool {
        matches!(&*self.kind, "group" | "supergroup")
    }

    /// Whether it is the private chat of a user.
    #[must_use]
    pub fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

impl Membership {
    /// Whether the bot has come into the chat.
    #[must_use]
    pub fn has_come(&self) -> bool {
        !is_in(&self.old_chat_member) && is_in(&self.new_chat_member)
    }

    /// Whether the bot has left the chat.
    #[must_use]
    pub fn has_gone(&self) -> bool {
        !is_in(&self.new_chat_member)
    }
}

fn is_in(member: &Status) -> bool {
    matches!(&*member.status, "member" | "administrator" | "creator" | "restricted")
}
