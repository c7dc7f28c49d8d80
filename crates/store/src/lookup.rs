//! A row of a group by the id of its entity.

use fracti_core::{
    Error,
    entry::Entry,
    entry_id::EntryId,
    id::GroupId,
    keys::{self, Primary},
    row::Row,
    time::Timestamp,
};

use crate::{dynamo::Range, table::Table};

impl Table {
    /// The row of a group that was recorded under some id.
    ///
    /// The time in an id gives the row's key. If an id has none, because it is derived from the row
    /// of an import or was given by the TypeScript Fracti, the current ledger entry `entry` has the
    /// time. A row without an entry, like a v0 row or a pending settlement that was one, is found in
    /// `GSI2` as `partition` and read again from the table, since an index lags.
    pub(crate) async fn find<T: Row>(
        &self,
        group: GroupId,
        created_at: Option<Timestamp>,
        entry: &EntryId,
        partition: String,
        key: fn(GroupId, Timestamp) -> Primary,
    ) -> Result<Option<T>, Error> {
        if let Some(created_at) = created_at {
            return self.db.get(key(group, created_at)).await;
        }
        let range = Range::index("GSI2", partition, &group.to_string());
        let (entry, rows) = tokio::try_join!(
            self.db.get::<Entry>(keys::entry(group, entry)),
            self.db.all::<T>(&range)
        )?;
        if let Some(created_at) = entry.and_then(|entry| entry.ref_created_at) {
            return self.db.get(key(group, created_at)).await;
        }
        match rows.first() {
            Some(row) => self.db.get(row.keys().primary).await,
            None => Ok(None),
        }
    }
}
