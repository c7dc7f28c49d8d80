//! The history of one entry.

use fracti_core::{
    group::MemberKey,
    input::Error,
    records::entry::Entry,
    storage::keys,
    values::{entry_id::EntryId, id::GroupId},
};

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort},
    table::Table,
};

impl Table {
    /// A page of the entries of a name: the current one first, then its history, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::NoEntry`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn entry(
        &self,
        member_key: MemberKey,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let history = self.entry_history(member_key.group, entry_id, page);
        let slice = self.checked(member_key, history).await?;
        let is_unknown = slice.items.is_empty() && page.after.is_none();
        if is_unknown { Err(Error::NoEntry) } else { Ok(slice) }
    }

    /// As [`Table::entry`], without checks. The current row has the last sort key, so it comes
    /// first.
    pub(crate) async fn entry_history(
        &self,
        group: GroupId,
        entry_id: &EntryId,
        page: &Page,
    ) -> Result<Slice<Entry>, Error> {
        let partition = keys::entry_partition(group, entry_id);
        let range = Range { index: None, partition, sort: Sort::Any, order: Order::Desc };
        self.db.page(&range, page).await
    }
}
