//! The rows of a group's ledger: the current one, and one for each day that is over.

use serde::{Deserialize, Serialize};

use crate::{
    id::GroupId,
    keys::{self, Keys},
    ledger::Ledger,
    row::Row,
    time::Day,
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
    /// The day.
    #[serde(rename = "SK", with = "keys::of_closing")]
    pub day: Day,
    /// The ledger.
    #[serde(flatten)]
    pub ledger: Ledger,
}

impl Row for Balance {
    const KIND: &'static str = "balance";
    const VERSION: u32 = 1;

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
