//! Identifiers: one type for each kind of entity, so that their ids cannot be confused.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize, Serializer};
use uuid::{Builder, Uuid};

use crate::values::{
    text_form::{TextForm, TextRule},
    time::Timestamp,
};

/// Error returned for a text that is not an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdError {
    /// The text is not a UUID with hyphens.
    Uuid,
    /// The text is not the id of a Telegram user.
    User,
    /// The text is not the id of a member: neither that of a Telegram user nor that of a guest.
    Member,
}

impl Says for IdError {
    fn says(&self) -> Message {
        match self {
            Self::Uuid => rule!(
                "{field} must be a UUID, like 0190a1b2-0000-7000-8000-000000000001",
                "{field} должно быть UUID, например 0190a1b2-0000-7000-8000-000000000001"
            ),
            Self::User => rule!(
                "{field} must be a Telegram id as text: digits without leading zeros, below 2^52",
                "{field} должно быть id Telegram в виде строки: цифры без нулей в начале, меньше \
                 2^52"
            ),
            Self::Member => rule!(
                "{field} must be a member's id: a Telegram id as text (digits without leading \
                 zeros, below 2^52), or guest- and a UUID",
                "{field} должно быть id участника: id Telegram в виде строки (цифры без нулей в \
                 начале, меньше 2^52) или guest- и UUID"
            ),
        }
    }
}

errors!(IdError);

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(Uuid);

        impl $name {
            /// A UUID of version 7 for an entity created at `created_at`. 74 bits of `random`
            /// distinguish it from other ids of the same millisecond.
            ///
            /// <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-7>
            #[must_use]
            pub fn new(created_at: Timestamp, random: [u8; 10]) -> Self {
                Self(Builder::from_unix_timestamp_millis(created_at.millis(), &random).into_uuid())
            }

            /// A UUID of version 8 whose bits are those of a hash.
            ///
            /// <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8>
            #[must_use]
            pub fn derived(hash: &[u8; 32]) -> Self {
                let bytes = hash.first_chunk().copied().unwrap_or_default();
                Self(Builder::from_custom_bytes(bytes).into_uuid())
            }

            /// Whether this Fracti generated the id. The TypeScript Fracti generated ids of other
            /// UUID versions.
            #[must_use]
            pub fn is_ours(self) -> bool {
                matches!(self.0.get_version_num(), 7 | 8)
            }

            /// Time at which the entity was created, if the id is a UUID of version 7, which
            /// contains it.
            #[must_use]
            pub fn created_at(self) -> Option<Timestamp> {
                if self.0.get_version_num() != 7 {
                    return None;
                }
                let [a, b, c, d, e, f, ..] = self.0.into_bytes();
                Timestamp::from_millis(u64::from_be_bytes([0, 0, a, b, c, d, e, f]))
            }

            /// The id with these 16 bytes.
            #[must_use]
            pub const fn from_bytes(bytes: [u8; 16]) -> Self {
                Self(Uuid::from_bytes(bytes))
            }

            /// The 16 bytes of the UUID.
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; 16] {
                self.0.as_bytes()
            }
        }

        impl From<$name> for Uuid {
            fn from(id: $name) -> Self {
                id.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = IdError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                // `Uuid` also parses braces, a URN and bare digits, but an id has only one text.
                let id = Uuid::try_parse(text).ok().filter(|_| text.len() == 36);
                id.map(Self).ok_or(IdError::Uuid)
            }
        }
    )+};
}

id! {
    /// Identifies a group. Any user who knows it may join.
    GroupId,
    /// Identifies an expense.
    ExpenseId,
    /// Identifies a settlement.
    SettlementId,
    /// Identifies a guest, which is a member without a Telegram account.
    GuestId,
    /// Identifies an API token. It is not the token itself.
    TokenId,
    /// Identifies the import of a file.
    ImportId,
    /// Identifies a question.
    QuestionId,
    /// Identifies a schedule.
    ScheduleId,
    /// Identifies an anonymous answer.
    AnswerId,
    /// Identifies a transaction of funds, and the bonus that it gave.
    FundTransactionId,
}

impl TextForm for Uuid {
    const NAME: &'static str = "ResourceId";
    const EXAMPLE: &'static str = "0190a1b2-0000-7000-8000-000000000001";

    fn description() -> String {
        "Id of a group, an expense, a settlement, a question, a transaction of funds, an API token or \
         an import."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Format("uuid")
    }
}

/// Identifies a Telegram user: a number of at most 52 significant bits, serialized as text.
///
/// <https://core.telegram.org/bots/webapps#webappuser>
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct UserId(u64);

impl UserId {
    /// The id with this number, from 1 to 2^52 - 1.
    ///
    /// # Errors
    ///
    /// [`IdError::User`] if the number is out of that range.
    pub const fn new(number: u64) -> Result<Self, IdError> {
        if number == 0 || number >= 1 << 52 { Err(IdError::User) } else { Ok(Self(number)) }
    }

    /// The id as a number.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for UserId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for UserId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let canonical = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
        let number = text.parse().ok().filter(|_| canonical).ok_or(IdError::User)?;
        Self::new(number)
    }
}

impl TryFrom<String> for UserId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for UserId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl TextForm for UserId {
    const NAME: &'static str = "UserId";
    const EXAMPLE: &'static str = "123456789";

    fn description() -> String {
        "Telegram id of a user, as text.".to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern("^[1-9][0-9]{0,15}$".to_owned())
    }
}

/// Identifies a member of a group: a Telegram user by the user's id, or a guest by `guest-` and a
/// UUID. Users are ordered before guests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub enum MemberId {
    /// A Telegram user.
    User(UserId),
    /// A member without a Telegram account.
    Guest(GuestId),
}

impl MemberId {
    /// Prefix of the text of a guest's id.
    const GUEST: &str = "guest-";

    /// The Telegram user, unless the member is a guest.
    #[must_use]
    pub const fn user(self) -> Option<UserId> {
        match self {
            Self::User(user) => Some(user),
            Self::Guest(_) => None,
        }
    }

    /// The guest, unless the member is a user.
    #[must_use]
    pub const fn guest(self) -> Option<GuestId> {
        match self {
            Self::User(_) => None,
            Self::Guest(guest) => Some(guest),
        }
    }

    /// Whether a member of the group may act for this one: users for themselves, and any member for
    /// a guest.
    #[must_use]
    pub fn is_acted_for_by(self, caller: UserId) -> bool {
        match self {
            Self::User(user) => user == caller,
            Self::Guest(_) => true,
        }
    }
}

impl From<UserId> for MemberId {
    fn from(user: UserId) -> Self {
        Self::User(user)
    }
}

impl From<GuestId> for MemberId {
    fn from(guest: GuestId) -> Self {
        Self::Guest(guest)
    }
}

/// Recipient of the bot's messages: a user in their private chat, or a group in its chat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subscriber {
    /// A user.
    User(UserId),
    /// A group.
    Group(GroupId),
}

impl fmt::Display for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => user.fmt(f),
            Self::Group(group) => group.fmt(f),
        }
    }
}

impl FromStr for Subscriber {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::Group).or_else(|_| text.parse().map(Self::User))
    }
}

impl PartialEq<UserId> for MemberId {
    fn eq(&self, user: &UserId) -> bool {
        self.user() == Some(*user)
    }
}

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(user) => user.fmt(f),
            Self::Guest(guest) => write!(f, "{}{guest}", Self::GUEST),
        }
    }
}

impl FromStr for MemberId {
    type Err = IdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let id = match text.strip_prefix(Self::GUEST) {
            Some(guest) => guest.parse().map(Self::Guest),
            None => text.parse().map(Self::User),
        };
        id.map_err(|_| IdError::Member)
    }
}

impl TryFrom<String> for MemberId {
    type Error = IdError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl Serialize for MemberId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl TextForm for MemberId {
    const NAME: &'static str = "MemberId";
    const EXAMPLE: &'static str = "123456789";

    fn description() -> String {
        "Id of a member: the Telegram id of a user, as text, or `guest-` and a UUID for a member \
         without a Telegram account."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Pattern(
            "^([1-9][0-9]{0,15}|guest-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$".to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn id_contains_the_time_of_creation() {
        let at: Timestamp = "2024-01-20T18:30:00.123Z".parse().unwrap();
        let id = ExpenseId::new(at, [0xff; 10]);
        assert_eq!(id.created_at(), Some(at));
        assert_eq!(id.to_string().parse(), Ok(id));
        let old: ExpenseId = "660e8400-e29b-41d4-a716-446655440001".parse().unwrap();
        assert_eq!(old.created_at(), None);
    }

    #[test]
    fn later_ids_sort_after_earlier_ones() {
        let at: Timestamp = "2024-01-20T18:30:00.123Z".parse().unwrap();
        assert!(GroupId::new(at, [0xff; 10]) < GroupId::new(at.next(), [0; 10]));
    }

    #[test]
    fn invalid_ids_are_refused() {
        for text in [
            "",
            "abc",
            "{660e8400-e29b-41d4-a716-446655440001}",
            "660e8400e29b41d4a716446655440001",
            "urn:uuid:660e8400-e29b-41d4-a716-446655440001",
        ] {
            assert_eq!(text.parse::<GroupId>(), Err(IdError::Uuid), "{text:?}");
        }
        for text in ["", "0", "007", "-1", "+1", "1.0", "4503599627370496", "x", "\u{ff11}", "1 "] {
            assert_eq!(text.parse::<UserId>(), Err(IdError::User), "{text:?}");
        }
        assert!("4503599627370495".parse::<UserId>().is_ok());
    }

    #[test]
    fn a_member_is_a_user_or_a_guest() {
        let guest = "guest-0190a1b2-0000-7000-8000-000000000001";
        for (text, is_user) in [("7", true), (guest, false)] {
            let member: MemberId = text.parse().unwrap();
            assert_eq!(member.to_string(), text);
            assert_eq!(member.user().is_some(), is_user);
        }
        assert!("4503599627370495".parse::<MemberId>().unwrap() < guest.parse().unwrap());
        let upper = guest.to_uppercase();
        for text in ["", "guest-", "guest-7", "0190a1b2-0000-7000-8000-000000000001", &upper] {
            assert_eq!(text.parse::<MemberId>(), Err(IdError::Member), "{text:?}");
        }
    }
}
