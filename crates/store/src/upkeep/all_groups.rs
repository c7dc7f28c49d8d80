//! The groups of the whole table, for the operators' tool.

use std::collections::BTreeSet;

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
    },
    values::id::GroupId,
};

use crate::{
    dynamo::{Position, Scan, Segment},
    table::Table,
};

/// The groups in a part of the table.
#[derive(Debug, Default)]
pub struct GroupsPage {
    /// Groups with a row of any kind in the part.
    pub groups: BTreeSet<GroupId>,
    /// Keys of rows whose partition is that of no group, although it looks like one.
    pub strays: Vec<Primary>,
    /// Position after the part, unless the table ends there.
    pub next: Option<Position>,
}

impl Table {
    /// Checks that a group exists, whether its row can be read or not.
    ///
    /// # Errors
    ///
    /// [`Error::NoGroup`].
    pub async fn require_group(&self, group: GroupId) -> Result<(), Error> {
        self.db.item(keys::group(group)).await?.map(drop).ok_or(Error::NoGroup)
    }

    /// Groups with a row in the next part of the table. Groups that were created in the last second
    /// may be missing.
    pub async fn all_groups(&self, after: Option<Position>) -> Result<GroupsPage, Error> {
        let of_group = Condition::begins_with("PK", prefix::GROUP);
        let filter = of_group.or(Condition::begins_with("PK", prefix::LEDGER));
        let Scan { items, next, .. } = self.db.scan_keys(&filter, after, Segment::WHOLE).await?;
        let mut page = GroupsPage { next, ..GroupsPage::default() };
        for key in items.iter().filter_map(Primary::of) {
            match group_of(&key.pk) {
                Some(group) => drop(page.groups.insert(group)),
                None => page.strays.push(key),
            }
        }
        Ok(page)
    }
}

/// The group in the key of a partition.
fn group_of(partition: &str) -> Option<GroupId> {
    if let Some(id) = partition.strip_prefix(prefix::GROUP) {
        let group = id.parse().ok()?;
        return (keys::group_partition(group) == partition).then_some(group);
    }
    let id = partition.strip_prefix(prefix::LEDGER)?.split('#').next()?;
    let group = id.parse().ok()?;
    partition.starts_with(&keys::ledger_partition(group)).then_some(group)
}
