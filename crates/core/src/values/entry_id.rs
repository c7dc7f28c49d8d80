//! Ids of ledger entries, of three kinds that cannot be mistaken for each other.
//!
//! The entry of an expense or a settlement has the id of that expense or settlement, which is a
//! UUID that Fracti generates. The entry of an adjustment has a name that a client chooses, which
//! is never a UUID. The entry of a link has `link:` and the id of the guest. An adjustment can
//! therefore not take the id of an expense, a settlement or a link, whether that exists already or
//! not.

use std::{fmt, str::FromStr};

use fracti_texts::{Message, Says, errors, rule};
use serde::{Deserialize, Serialize, Serializer};
use uuid::Uuid;

use crate::values::{
    id::{ExpenseId, GuestId, MemberId, SettlementId},
    text::{self, is_bounded},
    text_form::{TextForm, TextRule},
};

/// Maximum length of the name of an adjustment, in characters.
pub const MAX_LENGTH: usize = 64;

/// Id of an entry of a group's ledger.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(from = "String")]
pub enum EntryId {
    /// Id of an expense or a settlement.
    Record(Uuid),
    /// Name that a client gave an adjustment.
    Adjustment(EntryName),
    /// A guest who was linked to a user.
    Link(GuestId),
}

/// Name of an adjustment: 1 to 64 characters, not all of them blank, none a control character, and
/// neither a UUID nor the id of a link.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryName(String);

/// Error returned for a text that cannot be the name of an adjustment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryNameError {
    /// The text is empty, too long or blank, or has a control character.
    Text,
    /// The text is a UUID, like the id of an expense or a settlement.
    Uuid,
    /// The text is the id of a link.
    Link,
}

impl Says for EntryNameError {
    fn says(&self) -> Message {
        match self {
            Self::Text => rule!(
                "{field} must have 1 to {MAX_LENGTH} characters, not all of them blank and none a \
                 control character",
                "{field} должно содержать от 1 до {MAX_LENGTH} символов: не только пробелы и без \
                 управляющих символов"
            ),
            Self::Uuid => rule!(
                "{field} must not be a UUID: UUIDs name the entries of expenses and settlements",
                "{field} не должно быть UUID: так называются записи расходов и расчётов"
            ),
            Self::Link => rule!(
                "{field} must not be {LINK} and the id of a guest: this is the entry by which one \
                 is linked",
                "{field} не должно быть {LINK} и id гостя: так называется запись о привязке гостя"
            ),
        }
    }
}

errors!(EntryNameError);

/// Number of hexadecimal digits of a hash in a name: 128 bits, so that no two names are equal.
const HASH_LENGTH: usize = 32;

/// Prefix of the id of a link.
const LINK: &str = "link:";

impl EntryName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The beginning of this name, followed by a hash, which replaces an earlier one.
    pub(crate) fn with_hash(&self, hash: &[u8; 32]) -> Self {
        let is_hash = |text: &str| {
            text.len() == HASH_LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit())
        };
        let start = self.0.rsplit_once(' ').filter(|(_, end)| is_hash(end));
        let start = start.map_or(&*self.0, |(start, _)| start);
        let room = MAX_LENGTH.saturating_sub(HASH_LENGTH).saturating_sub(1);
        let start: String = start.chars().take(room).collect();
        let hash: String = hex::encode(hash).chars().take(HASH_LENGTH).collect();
        Self(format!("{} {hash}", start.trim_end()))
    }
}

impl FromStr for EntryName {
    type Err = EntryNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !is_bounded(text, MAX_LENGTH) {
            return Err(EntryNameError::Text);
        }
        match reserved(text) {
            Some(EntryId::Record(_)) => Err(EntryNameError::Uuid),
            Some(EntryId::Link(_)) => Err(EntryNameError::Link),
            Some(EntryId::Adjustment(_)) | None => Ok(Self(text.to_owned())),
        }
    }
}

impl FromStr for EntryId {
    type Err = EntryNameError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        reserved(text).map_or_else(|| text.parse().map(Self::Adjustment), Ok)
    }
}

/// The id of a record or a link, whose form the name of an adjustment must not have.
fn reserved(text: &str) -> Option<EntryId> {
    let linked = |text: &str| text.strip_prefix(LINK)?.parse::<MemberId>().ok()?.guest();
    uuid(text).map(EntryId::Record).or_else(|| linked(text).map(EntryId::Link))
}

/// Parses a UUID with hyphens, in upper or lower case.
fn uuid(text: &str) -> Option<Uuid> {
    Uuid::try_parse(text).ok().filter(|_| text.len() == 36)
}

impl From<String> for EntryId {
    /// The id in a row, which is trusted and not checked.
    fn from(text: String) -> Self {
        match reserved(&text) {
            Some(id) => id,
            None => Self::Adjustment(EntryName(text)),
        }
    }
}

impl Serialize for EntryId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl From<ExpenseId> for EntryId {
    fn from(id: ExpenseId) -> Self {
        Self::Record(id.into())
    }
}

impl From<SettlementId> for EntryId {
    fn from(id: SettlementId) -> Self {
        Self::Record(id.into())
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for EntryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Record(id) => id.fmt(f),
            Self::Adjustment(name) => name.fmt(f),
            Self::Link(guest) => write!(f, "{LINK}{}", MemberId::from(*guest)),
        }
    }
}

impl TextForm for EntryId {
    const NAME: &'static str = "EntryId";
    const EXAMPLE: &'static str = "opening-balance";

    fn description() -> String {
        "Id of a ledger entry, not all blank, without control characters. The entry of an expense \
         or a settlement has the id of that expense or settlement; that of a link has `link:` and \
         the id of the guest."
            .to_owned()
    }

    fn rule() -> TextRule {
        TextRule::Length(MAX_LENGTH, text::PATTERN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_adjustments_are_never_uuids() {
        let id = "660e8400-e29b-41d4-a716-446655440001";
        let is_name = |text: &str| text.parse::<EntryName>();
        assert_eq!(is_name(id), Err(EntryNameError::Uuid));
        assert_eq!(is_name(&id.to_uppercase()), Err(EntryNameError::Uuid));
        assert_eq!(is_name(&"x".repeat(65)), Err(EntryNameError::Text));
        assert_eq!(is_name(" "), Err(EntryNameError::Text));
        let link = format!("link:guest-{id}");
        assert_eq!(is_name(&link), Err(EntryNameError::Link));
        let linked = EntryId::Link(id.parse().unwrap());
        assert_eq!((link.parse(), linked.to_string()), (Ok(linked.clone()), link.clone()));
        assert_eq!(EntryId::from(link), linked);
        assert!(is_name("link:Grandma").is_ok());
        for text in
            ["opening", "660e8400", &id.replace('-', ""), &format!("{id}#1"), &"x".repeat(64)]
        {
            let name = is_name(text).unwrap();
            assert_eq!(text.parse(), Ok(EntryId::Adjustment(name)), "{text}");
        }
        assert_eq!(id.to_uppercase().parse(), Ok(EntryId::Record(id.parse().unwrap())));
        assert_eq!(EntryId::from(id.to_owned()).to_string(), id);
    }

    #[test]
    fn names_with_hashes_are_names_that_begin_alike() {
        let [one, other] = [1, 2].map(|byte| [byte; 32]);
        for (name, start) in [
            ("opening", "opening"),
            (&"é".repeat(64), &*"é".repeat(31)),
            (&format!("{} x", "a".repeat(30)), &"a".repeat(30)),
        ] {
            let name: EntryName = name.parse().unwrap();
            let hashed = name.with_hash(&one);
            assert_eq!(hashed.as_str(), format!("{start} {}", "01".repeat(16)));
            assert_eq!(hashed.as_str().parse(), Ok(hashed.clone()));
            assert_eq!(hashed.with_hash(&other), name.with_hash(&other));
        }
    }
}
