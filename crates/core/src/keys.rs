//! Where each row is kept: every key of the table is built here and nowhere else.
//!
//! The seed's rows (`000_…`, Fracti's data model), spelled as it spells them:
//!
//! | row         | `PK`              | `SK`                        | `GSI1PK` / `GSI1SK`                        | `GSI2PK` / `GSI2SK`               | `GSI3PK` / `GSI3SK`                          |
//! |-------------|-------------------|-----------------------------|--------------------------------------------|-----------------------------------|----------------------------------------------|
//! | group       | `GROUP#<groupId>` | `METADATA`                  |                                            |                                   |                                              |
//! | member      | `GROUP#<groupId>` | `USER#<userId>`             | `USER#<userId>` / `GROUP#<groupId>`        |                                   |                                              |
//! | expense     | `GROUP#<groupId>` | `TX#<createdAt>`            |                                            | `EXPENSE#<id>` / `<groupId>`      | `USER#<payerId>` / `TX#<createdAt>`          |
//! | participant | `GROUP#<groupId>` | `PART#<expenseId>#<userId>` | `USER#<userId>` / `OWES#<createdAt>`       |                                   |                                              |
//! | settlement  | `GROUP#<groupId>` | `SETTLE#<createdAt>`        | ours: `USER#<toUserId>` / `RECV#<createdAt>` | `SETTLEMENT#<id>` / `<groupId>` | `USER#<fromUserId>` / `SETTLE#<createdAt>`   |
//!
//! Ours:
//!
//! | row         | `PK`                            | `SK`                               | `GSI1PK` / `GSI1SK`                                    |
//! |-------------|---------------------------------|------------------------------------|--------------------------------------------------------|
//! | balance     | `LEDGER#<groupId>`                | `BALANCE`                          |                                                        |
//! | closing     | `LEDGER#<groupId>`                | `DAY#<YYYY-MM-DD>`                 |                                                        |
//! | entry       | `LEDGER#<groupId>#ENTRY#<entryId>`| `~`                                | `LEDGER#<groupId>#<YYYY-MM-DD>` / `<createdAt>#<sequence>` |
//! | past entry  | the same                        | `HISTORY#<sequence>`               | the same form                                          |
//! | used hash   | `TXHASH#<txHash>`               | `SETTLEMENT`                       |                                                        |
//! | idempotency | `IDEM#<userId>`                 | `<operation>#<sha256 of the key>`  |                                                        |
//!
//! A sequence has 20 digits, so that it sorts as text. What a client wrote never goes raw into a
//! key: ids are parsed, a key of idempotency and the name of an adjustment are hashed.
//! `PK=USER#<id>`, `PATHASH#`, `QUESTION#` and `FTX#` belong to later parts.
//!
//! A key's text is stored data: a change to it is a migration, and `keys_are_stable` fails first.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    entry_id::EntryId,
    id::{ExpenseId, GroupId, SettlementId, UserId},
    settlement::TxHash,
    time::{Day, Timestamp},
};

/// A place in the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Primary {
    /// The partition key, `PK`.
    #[serde(rename = "PK")]
    pub pk: String,
    /// The sort key, `SK`.
    #[serde(rename = "SK")]
    pub sk: String,
}

/// A place in an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Index {
    /// The index's partition key.
    pub pk: String,
    /// The index's sort key.
    pub sk: String,
}

/// All keys of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keys {
    /// Its place in the table.
    pub primary: Primary,
    /// Its place in the user index.
    pub gsi1: Option<Index>,
    /// Its place in the index of ids.
    pub gsi2: Option<Index>,
    /// Its place in the index of a user's activity.
    pub gsi3: Option<Index>,
}

impl From<Primary> for Keys {
    fn from(primary: Primary) -> Self {
        Self { primary, gsi1: None, gsi2: None, gsi3: None }
    }
}

/// What the sort keys of a kind of row begin with: the seed's, and `RECV#`, `DAY#` and `HISTORY#`
/// of ours.
pub mod prefix {
    /// A group's members, in the table.
    pub const MEMBER: &str = "USER#";
    /// A group's expenses, in the table; those a user paid, in `GSI3`.
    pub const EXPENSE: &str = "TX#";
    /// A group's settlements, in the table; those a user made, in `GSI3`.
    pub const SETTLEMENT: &str = "SETTLE#";
    /// A user's groups, in `GSI1`.
    pub const GROUP: &str = "GROUP#";
    /// What a user owes, in `GSI1`.
    pub const OWES: &str = "OWES#";
    /// The settlements that a user receives, in `GSI1`.
    pub const RECEIVED: &str = "RECV#";
    /// A group's balances by day, in the table.
    pub const CLOSING: &str = "DAY#";
    /// The partition of a group's balances.
    pub const LEDGER: &str = "LEDGER#";
}

/// The partition of all that a group has: pattern 1 to 6.
#[must_use]
pub fn group_partition(group: GroupId) -> String {
    format!("{}{group}", prefix::GROUP)
}

/// The partition, in `GSI1` and `GSI3`, of all that a user has: pattern 9 to 13.
#[must_use]
pub fn user_partition(user: UserId) -> String {
    format!("{}{user}", prefix::MEMBER)
}

/// The partition, in `GSI2`, of an expense: pattern 7.
#[must_use]
pub fn expense_partition(expense: ExpenseId) -> String {
    format!("EXPENSE#{expense}")
}

/// The partition, in `GSI2`, of a settlement: pattern 8.
#[must_use]
pub fn settlement_partition(settlement: SettlementId) -> String {
    format!("SETTLEMENT#{settlement}")
}

/// The group.
#[must_use]
pub fn group(group: GroupId) -> Primary {
    Primary { pk: group_partition(group), sk: "METADATA".to_owned() }
}

/// A user's place in a group.
#[must_use]
pub fn member(group: GroupId, user: UserId) -> Primary {
    Primary { pk: group_partition(group), sk: user_partition(user) }
}

/// The expense that was recorded at `created_at`.
#[must_use]
pub fn expense(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::EXPENSE) }
}

/// A member's part in an expense.
#[must_use]
pub fn participant(group: GroupId, expense: ExpenseId, user: UserId) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{user}", participants(expense)) }
}

/// What the sort keys of an expense's participants begin with: pattern 6.
#[must_use]
pub fn participants(expense: ExpenseId) -> String {
    format!("PART#{expense}#")
}

/// The settlement that was recorded at `created_at`.
#[must_use]
pub fn settlement(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::SETTLEMENT) }
}

/// A group's running balances.
#[must_use]
pub fn balance(group: GroupId) -> Primary {
    Primary { pk: ledger_partition(group), sk: "BALANCE".to_owned() }
}

/// A group's balances at the end of a day.
#[must_use]
pub fn closing(group: GroupId, day: Day) -> Primary {
    Primary { pk: ledger_partition(group), sk: closing_position(day) }
}

/// The sort key of the balances at the end of a day.
fn closing_position(day: Day) -> String {
    format!("{}{day}", prefix::CLOSING)
}

/// The sort key of the entry that counts now under a name. It sorts behind all history.
pub const CURRENT: &str = "~";

/// The entry that counts now under a name.
#[must_use]
pub fn entry(group: GroupId, entry: &EntryId) -> Primary {
    Primary { pk: entry_partition(group, entry), sk: CURRENT.to_owned() }
}

/// An entry that became history under its name.
#[must_use]
pub fn past_entry(group: GroupId, entry: &EntryId, sequence: u64) -> Primary {
    Primary { pk: entry_partition(group, entry), sk: history_position(&sequence.to_string()) }
}

/// The sort key of the entry with this sequence, once it is history.
#[must_use]
pub fn history_position(sequence: &str) -> String {
    format!("HISTORY#{sequence:0>20}")
}

/// The partition of the entry that counts now under a name, and of its history.
///
/// An expense's or a settlement's id is part of the key as it is. The name of an adjustment is
/// always hashed with SHA-256, so it never has the key of an expense or a settlement.
#[must_use]
pub fn entry_partition(group: GroupId, entry: &EntryId) -> String {
    let ledger = ledger_partition(group);
    match entry {
        EntryId::Record(id) => format!("{ledger}#ENTRY#{id}"),
        EntryId::Adjustment(name) => {
            format!("{ledger}#ENTRY#{}", hex::encode(Sha256::digest(name.as_str())))
        }
    }
}

/// The partition, in `GSI1`, of the entries of a day.
#[must_use]
pub fn entries_of(group: GroupId, day: Day) -> String {
    format!("{}#{day}", ledger_partition(group))
}

/// Where in `GSI1` an entry stands among those of its day.
#[must_use]
pub fn entry_position(created_at: Timestamp, sequence: u64) -> String {
    format!("{created_at}#{sequence:020}")
}

/// The settlement that a chain transaction pays.
#[must_use]
pub fn tx_hash(hash: &TxHash) -> Primary {
    Primary { pk: format!("TXHASH#{hash}"), sk: "SETTLEMENT".to_owned() }
}

/// What a user's request with an idempotency key led to; `key_hash` is the key's SHA-256 in
/// hexadecimal.
#[must_use]
pub fn idempotency(user: UserId, operation: &str, key_hash: &str) -> Primary {
    Primary { pk: format!("IDEM#{user}"), sk: format!("{operation}#{key_hash}") }
}

/// The partition of a group's balances.
#[must_use]
pub fn ledger_partition(group: GroupId) -> String {
    format!("{}{group}", prefix::LEDGER)
}

/// A module by which serde reads a value from a key that has nothing else behind its prefix.
macro_rules! within_key {
    ($(#[$doc:meta])* $module:ident, $value:ty, $key:path, $prefix:path) => {
        $(#[$doc])*
        pub(crate) mod $module {
            use serde::{Deserialize, Deserializer, Serializer, de::Error};

            pub(crate) fn serialize<S: Serializer>(
                value: &$value,
                to: S,
            ) -> Result<S::Ok, S::Error> {
                to.serialize_str(&$key(*value))
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
                from: D,
            ) -> Result<$value, D::Error> {
                let key = String::deserialize(from)?;
                let value = key.strip_prefix($prefix).and_then(|value| value.parse().ok());
                value.ok_or_else(|| D::Error::custom("the key has another form"))
            }
        }
    };
}

within_key!(
    /// The group whose partition it is.
    of_group,
    crate::id::GroupId,
    super::group_partition,
    super::prefix::GROUP
);

within_key!(
    /// The group whose ledger it is.
    of_ledger,
    crate::id::GroupId,
    super::ledger_partition,
    super::prefix::LEDGER
);

within_key!(
    /// The day whose closing it is.
    of_closing,
    crate::time::Day,
    super::closing_position,
    super::prefix::CLOSING
);
