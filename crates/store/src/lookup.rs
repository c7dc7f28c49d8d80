//! A row of a group by the id of its entity.

use fracti_core::{Error, id::GroupId, keys::Primary, row::Row, time::Timestamp};

use crate::{dynamo::Range, table::Table};

impl Table {
    /// The row of a group that was recorded under some id.
    ///
    /// The time in an id gives the row's key. An id of a v0 row has no time: the row is found in
    /// `GSI2` as `partition` and read again from the table, since an index lags.
    pub(crate) async fn find<T: Row>(
        &self,
        group: GroupId,
        created_at: Option<Timestamp>,
        partition: String,
        key: fn(GroupId, Timestamp) -> Primary,
    ) -> Result<Option<T>, Error> {
        if let Some(created_at) = created_at {
            return self.db.get(key(group, created_at)).await;
        }
        let range = Range::index("GSI2", partition, &group.to_string());
        match self.db.all::<T>(&range).await?.first() {
            Some(row) => self.db.get(row.keys().primary).await,
            None => Ok(None),
        }
    }
}
