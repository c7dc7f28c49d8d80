//! The row of a deleted expense, by which it is listed. What it was is in its history.

use serde::{Deserialize, Serialize};

use crate::{
    ledger::Entry,
    storage::{
        keys::{self, Keys, Primary},
        row::Row,
    },
    values::{
        id::{ExpenseId, GroupId, UserId},
        time::Timestamp,
    },
};

/// A deleted expense. Restoring it deletes the row. The undo of an import puts none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeletedExpense {
    /// The group.
    #[serde(rename = "PK", with = "keys::of_group")]
    pub group_id: GroupId,
    /// Identifier of the expense.
    pub id: ExpenseId,
    /// Sequence of the reverted entry, which has the expense as it was.
    pub sequence: u64,
    /// User who deleted it.
    pub deleted_by: UserId,
    /// Time of the deletion, which no other event of the group has.
    pub deleted_at: Timestamp,
}

impl Row for DeletedExpense {
    const KIND: &'static str = "deletedExpense";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::deleted_expense(self.group_id, self.deleted_at, self.id).into()
    }
}

impl DeletedExpense {
    /// The row of an expense whose deletion made this entry.
    #[must_use]
    pub fn by<S>(revert: &Entry<S>, id: ExpenseId) -> Option<Self> {
        Some(Self {
            group_id: revert.group_id,
            id,
            sequence: revert.other_sequence?,
            deleted_by: revert.actor_id,
            deleted_at: revert.created_at,
        })
    }

    /// Key of the row of an expense whose deletion made this entry, if there is one.
    #[must_use]
    pub fn key<S>(revert: &Entry<S>, id: ExpenseId) -> Primary {
        keys::deleted_expense(revert.group_id, revert.created_at, id)
    }
}
