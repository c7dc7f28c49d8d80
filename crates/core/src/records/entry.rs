//! An entry of a group's ledger as it is stored: with the expense that it stood for.

use crate::{
    ledger::{self, EntryStatus},
    records::expense::Expense,
    storage::{
        keys::{self, Index, Keys},
        row::Row,
    },
};

/// An entry whose snapshot is the expense as it was until it was edited or deleted. Settlements and
/// adjustments have none.
pub type Entry = ledger::Entry<Expense>;

impl Row for Entry {
    const KIND: &'static str = "entry";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let primary = match self.status {
            EntryStatus::Applied => keys::entry(self.group_id, &self.entry_id),
            EntryStatus::Reverted | EntryStatus::Revert => {
                keys::past_entry(self.group_id, &self.entry_id, self.sequence)
            }
        };
        let by_time = Index {
            pk: keys::entries_of(self.group_id),
            sk: keys::entry_position(self.created_at, self.sequence),
        };
        Keys { gsi1: Some(by_time), ..primary.into() }
    }
}
