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

use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::{
    entry::Entry,
    entry_id::EntryId,
    expense::{Expense, Participant},
    id::{ExpenseId, GroupId, SettlementId, UserId},
    ledger::EntryStatus,
    settlement::{Settlement, TxHash},
    time::{Day, Timestamp},
};

/// A place in the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Primary {
    /// The partition key, `PK`.
    pub pk: String,
    /// The sort key, `SK`.
    pub sk: String,
}

/// A place in an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Index {
    /// The index's partition key.
    pub pk: String,
    /// The index's sort key.
    pub sk: String,
}

/// All keys of one row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Keys {
    /// Its place in the table.
    #[serde(flatten)]
    pub primary: Primary,
    /// Its place in the user index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gsi1: Option<Index>,
    /// Its place in the index of ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gsi2: Option<Index>,
    /// Its place in the index of a user's activity.
    #[serde(skip_serializing_if = "Option::is_none")]
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

/// All keys of a member's row.
#[must_use]
pub fn member_row(group: GroupId, user: UserId) -> Keys {
    let by_user = Index { pk: user_partition(user), sk: group_partition(group) };
    Keys { gsi1: Some(by_user), ..member(group, user).into() }
}

/// The expense that was recorded at `created_at`.
#[must_use]
pub fn expense(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::EXPENSE) }
}

/// All keys of an expense's row.
#[must_use]
pub fn expense_row(row: &Expense) -> Keys {
    let primary = expense(row.group_id, row.created_at);
    Keys {
        gsi2: Some(Index { pk: expense_partition(row.id), sk: row.group_id.to_string() }),
        gsi3: Some(Index { pk: user_partition(row.payer_id), sk: primary.sk.clone() }),
        ..primary.into()
    }
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

/// All keys of a participant's row.
#[must_use]
pub fn participant_row(row: &Participant) -> Keys {
    let sk = format!("{}{}", prefix::OWES, row.created_at);
    Keys {
        gsi1: Some(Index { pk: user_partition(row.user_id), sk }),
        ..participant(row.group_id, row.expense_id, row.user_id).into()
    }
}

/// The settlement that was recorded at `created_at`.
#[must_use]
pub fn settlement(group: GroupId, created_at: Timestamp) -> Primary {
    Primary { pk: group_partition(group), sk: format!("{}{created_at}", prefix::SETTLEMENT) }
}

/// All keys of a settlement's row.
#[must_use]
pub fn settlement_row(row: &Settlement) -> Keys {
    let primary = settlement(row.group_id, row.created_at);
    let received = format!("{}{}", prefix::RECEIVED, row.created_at);
    Keys {
        gsi1: Some(Index { pk: user_partition(row.to_user_id), sk: received }),
        gsi2: Some(Index { pk: settlement_partition(row.id), sk: row.group_id.to_string() }),
        gsi3: Some(Index { pk: user_partition(row.from_user_id), sk: primary.sk.clone() }),
        ..primary.into()
    }
}

/// A group's running balances.
#[must_use]
pub fn balance(group: GroupId) -> Primary {
    Primary { pk: ledger_partition(group), sk: "BALANCE".to_owned() }
}

/// A group's balances at the end of a day.
#[must_use]
pub fn closing(group: GroupId, day: Day) -> Primary {
    Primary { pk: ledger_partition(group), sk: format!("{}{day}", prefix::CLOSING) }
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

/// All keys of an entry's row: where it counts, or in the history of its name.
#[must_use]
pub fn entry_row(row: &Entry) -> Keys {
    let primary = match row.status {
        EntryStatus::Applied => entry(row.group_id, &row.entry_id),
        EntryStatus::Reverted | EntryStatus::Revert => {
            past_entry(row.group_id, &row.entry_id, row.sequence)
        }
    };
    let by_day = Index {
        pk: entries_of(row.group_id, row.created_at.day()),
        sk: entry_position(row.created_at, row.sequence),
    };
    Keys { gsi1: Some(by_day), ..primary.into() }
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
    format!("LEDGER#{group}")
}

#[cfg(test)]
mod tests;
