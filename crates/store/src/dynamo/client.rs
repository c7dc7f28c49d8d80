//! The table, and reads by key.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use fracti_core::{
    group::{Group, group_state::GroupState},
    input::Error,
    ledger::balance::Balance,
    storage::{
        keys::{self, Primary, prefix},
        row::{self, FORMAT_VERSION, Item, Row},
    },
    values::id::GroupId,
};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};

use super::{
    requests::Requests,
    retry::Retry,
    unreadable::{entity, readable},
};

/// Number of keys that one `BatchGetItem` takes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html>
pub(crate) const BATCH: usize = 100;

/// Number of `BatchGetItem` requests of one [`Db::batch`] that run at once. It is enough for 2 500
/// rows in the time of one request, and bounds connections and memory: a response may have 16 MB.
const BATCHES_AT_ONCE: usize = 25;

/// A DynamoDB table. Every read by key is strongly consistent unless its name says
/// otherwise. A clone is cheap.
#[derive(Clone, Debug)]
pub(crate) struct Db {
    pub(super) requests: Arc<dyn Requests>,
    pub(crate) table: Arc<str>,
}

/// The group in whose partition a row is.
fn group_of(row: &Item) -> Option<GroupId> {
    Primary::of(row)?.pk.strip_prefix(prefix::GROUP)?.parse().ok()
}

impl Db {
    pub(crate) const fn new(requests: Arc<dyn Requests>, table: Arc<str>) -> Self {
        Self { requests, table }
    }

    /// The entity at `key`.
    pub(crate) async fn get<T: Row>(&self, key: Primary) -> Result<Option<T>, Error> {
        self.entity_of(self.item(key).await?).await
    }

    /// The entity of a row, of a migrated group.
    async fn entity_of<T: Row>(&self, item: Option<Item>) -> Result<Option<T>, Error> {
        self.check_migrated(item.as_slice()).await?;
        item.map(entity).transpose()
    }

    /// Whether there is a row at `key`.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if it is a row of another kind or a later version.
    pub(crate) async fn exists<T: Row>(&self, key: Primary) -> Result<bool, Error> {
        let row = self.item(key).await?;
        self.check_migrated(row.as_slice()).await?;
        row.as_ref().map(row::check::<T>).transpose()?;
        Ok(row.is_some())
    }

    /// Checks that the groups of the v0 rows among these are migrated, so that these are rows that
    /// could not be. Other rows cost no read.
    ///
    /// # Errors
    ///
    /// [`Error::NotMigrated`], unless the row of the group itself cannot be read: nothing shows
    /// such a group.
    pub(super) async fn check_migrated(&self, rows: &[Item]) -> Result<(), Error> {
        let old = rows.iter().filter(|row| !row.contains_key(FORMAT_VERSION));
        let groups: BTreeSet<GroupId> = old.filter_map(group_of).collect();
        for group in groups {
            let balance = self.item(keys::balance(group)).await?;
            let balance = balance.map(entity::<Balance>).transpose()?;
            let state = balance.map_or_else(|| GroupState::first(group), |row| row.ledger.state);
            if !state.needs_migration(group) {
                continue;
            }
            let row = self.item(keys::group(group)).await?;
            if row.is_some_and(|row| row::from_item::<Group>(row).is_ok()) {
                return Err(Error::NotMigrated);
            }
        }
        Ok(())
    }

    /// The row at `key`.
    pub(crate) async fn item(&self, key: Primary) -> Result<Option<Item>, Error> {
        self.requests.get(key, true).await
    }

    /// The entity at `key`, possibly without the latest writes, at half the cost of [`Db::get`].
    pub(crate) async fn get_eventually<T: Row>(&self, key: Primary) -> Result<Option<T>, Error> {
        self.entity_of(self.requests.get(key, false).await?).await
    }

    /// The entities at `keys` that exist, without v0 rows that cannot be read.
    pub(crate) async fn batch<T: Row>(
        &self,
        keys: Vec<Primary>,
    ) -> Result<HashMap<Primary, T>, Error> {
        let mut rows = HashMap::new();
        let items = self.items_at(keys).await?;
        self.check_migrated(&items).await?;
        for item in items {
            if let (Some(key), Some(row)) = (Primary::of(&item), readable(item)?) {
                rows.insert(key, row);
            }
        }
        Ok(rows)
    }

    /// The rows at `keys` that exist, each once and in any order.
    pub(crate) async fn items_at(&self, mut keys: Vec<Primary>) -> Result<Vec<Item>, Error> {
        // DynamoDB refuses a key that appears twice.
        let mut seen = HashSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        let chunks: Vec<_> = keys.chunks(BATCH).map(|chunk| self.chunk(chunk.to_vec())).collect();
        let mut read = stream::iter(chunks).buffer_unordered(BATCHES_AT_ONCE);
        let mut rows = Vec::new();
        while let Some(items) = read.try_next().await? {
            rows.extend(items);
        }
        Ok(rows)
    }

    /// Up to [`BATCH`] rows. Keys that DynamoDB leaves unprocessed are read again until the
    /// deadline.
    async fn chunk(&self, mut keys: Vec<Primary>) -> Result<Vec<Item>, Error> {
        let mut retry = Retry::new();
        let mut items = Vec::new();
        loop {
            let (read, left) = self.requests.batch(keys).await?;
            items.extend(read);
            if left.is_empty() {
                return Ok(items);
            }
            if !retry.pause().await {
                return Err(Error::Unavailable("keys stayed unprocessed".into()));
            }
            keys = left;
        }
    }
}
