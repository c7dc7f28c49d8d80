//! A group, and a Telegram user's place in it.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::{
    currency::Currency,
    id::{GroupId, UserId},
    telegram::User,
    text::Title,
    time::Timestamp,
    wallet::Wallet,
};

/// A Telegram chat whose members share expenses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Group {
    /// Its identifier; who knows it may join.
    pub id: GroupId,
    /// The Telegram chat it belongs to.
    pub chat_id: ChatId,
    /// What its members call it.
    pub title: Title,
    /// The currency of an expense that names none.
    pub currency: Currency,
    /// When it was made.
    pub created_at: Timestamp,
    /// How many members it has.
    pub member_count: u64,
}

/// A Telegram user's place in one group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Member {
    /// The Telegram id, as text.
    pub id: UserId,
    /// The Telegram id, as the number that it is.
    pub telegram_id: u64,
    /// The name that the others see.
    pub name: String,
    /// The Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Where the member wants to be paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wallet: Option<Wallet>,
    /// A picture of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub avatar_url: Option<String>,
    /// When the member joined.
    pub joined_at: Timestamp,
}

impl Member {
    /// `user`, joining at `joined_at`.
    #[must_use]
    pub fn new(user: &User, wallet: Option<Wallet>, joined_at: Timestamp) -> Self {
        Self {
            id: user.id,
            telegram_id: user.id.number(),
            name: user.name.clone(),
            username: user.username.clone(),
            wallet,
            avatar_url: user.avatar_url.clone(),
            joined_at,
        }
    }
}

/// A Telegram chat's id, as text: a whole number of 64 bits, below zero for groups.
///
/// A bot knows a chat's `id`, of at most 52 bits; a Mini App opened by a link is told only its `chat_instance`, which takes 64.
/// <https://core.telegram.org/bots/api#chat>, <https://core.telegram.org/bots/webapps#webappinitdata>
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ChatId(String);

/// Why a text is not a chat's id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a chat id is a whole number of at most 64 bits other than zero, like -1001234567890")]
pub struct ChatIdError;

impl FromStr for ChatId {
    type Err = ChatIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number: i64 = text.parse().map_err(|_| ChatIdError)?;
        // Its one canonical text: no plus sign, no leading zero, no minus zero.
        let accepted = number != 0 && number.to_string() == text;
        accepted.then(|| Self(text.to_owned())).ok_or(ChatIdError)
    }
}

impl fmt::Display for ChatId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_id_is_telegrams_number() {
        for (text, accepted) in [
            ("-1001234567890", true),
            ("1", true),
            ("-3788475317572404878", true),
            ("9223372036854775807", true),
            ("9223372036854775808", false),
            ("0", false),
            ("-0", false),
            ("+1", false),
            ("01", false),
            ("1.0", false),
            ("", false),
            ("chat", false),
            ("1#2", false),
        ] {
            assert_eq!(text.parse::<ChatId>().is_ok(), accepted, "{text:?}");
        }
    }
}
