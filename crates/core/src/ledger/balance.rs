//! The rows with a group's ledger: the current one, the closing of each past day, and checkpoints.

use serde::{Deserialize, Serialize};

use crate::{
    ledger::Ledger,
    storage::{
        keys::{self, Keys},
        row::Row,
    },
    values::{
        id::GroupId,
        time::{Day, Timestamp},
    },
};

/// The balance row: the current ledger of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Balance {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_ledger")]
    pub group_id: GroupId,
    /// The ledger.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// The ledger of a group at the end of a day.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closing {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_ledger")]
    pub group_id: GroupId,
    /// Day that ended, in UTC.
    #[serde(rename = "SK", with = "keys::of_closing")]
    pub day: Day,
    /// The ledger.
    #[serde(flatten)]
    pub ledger: Ledger,
}

/// The ledger of a group after an event.
///
/// The first event that reaches a multiple of [`Checkpoint::EVERY`] entries writes a checkpoint.
/// The ledger at any moment therefore follows from a checkpoint and fewer entries than that.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_ledger")]
    pub group_id: GroupId,
    /// Time of the event.
    #[serde(rename = "SK", with = "keys::of_checkpoint")]
    pub at: Timestamp,
    /// The ledger.
    #[serde(flatten)]
    pub ledger: Ledger,
}

impl Checkpoint {
    /// Approximate number of entries from one checkpoint to the next. It may be larger, because a
    /// checkpoint is not written between the entries of one event.
    pub const EVERY: u64 = 64;

    /// The checkpoint of an event that changed the ledger `before` to `after`, if the event writes
    /// one.
    #[must_use]
    pub fn of(group_id: GroupId, before: &Ledger, after: &Ledger) -> Option<Self> {
        let reached =
            before.sequence.div_euclid(Self::EVERY) < after.sequence.div_euclid(Self::EVERY);
        let at = after.last_event_at.filter(|_| reached)?;
        Some(Self { group_id, at, ledger: after.clone() })
    }
}

impl Row for Balance {
    const KIND: &'static str = "balance";
    // Version 2 has the links of guests and `presence`. Version 1, which does not know them, would
    // lose them, and could include a member who has left. Version 3 counts the changes, so that no
    // two of them get the same number.
    const VERSION: u32 = 3;

    fn keys(&self) -> Keys {
        keys::balance(self.group_id).into()
    }
}

impl Row for Closing {
    const KIND: &'static str = "closing";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::closing(self.group_id, self.day).into()
    }
}

impl Row for Checkpoint {
    const KIND: &'static str = "checkpoint";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::checkpoint(self.group_id, self.at).into()
    }
}
