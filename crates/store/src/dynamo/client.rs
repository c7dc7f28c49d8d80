//! The table's name, the client that reaches it, and reads by key.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use aws_sdk_dynamodb::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    types::{AttributeValue, KeysAndAttributes, ReturnConsumedCapacity::Total},
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
    cost,
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
    pub(super) client: Client,
    pub(crate) table: Arc<str>,
}

/// A row as the SDK carries it.
pub type SdkItem = HashMap<String, AttributeValue>;

/// The row that the SDK read.
#[must_use]
pub fn from_sdk(item: SdkItem) -> Item {
    item.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// The row for the SDK to write.
#[must_use]
pub fn to_sdk(item: Item) -> SdkItem {
    item.into_iter().map(|(name, value)| (name, value.into())).collect()
}

/// The group in whose partition a row is.
fn group_of(row: &Item) -> Option<GroupId> {
    Primary::of(row)?.pk.strip_prefix(prefix::GROUP)?.parse().ok()
}

impl Db {
    pub(crate) const fn new(client: Client, table: Arc<str>) -> Self {
        Self { client, table }
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
    /// [`Error::NotMigrated`], unless the row of the group itself cannot be read: nothing shows such
    /// a group.
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
        self.read(key, true).await
    }

    /// The entity at `key`, possibly without the latest writes, at half the cost of [`Db::get`].
    pub(crate) async fn get_eventually<T: Row>(&self, key: Primary) -> Result<Option<T>, Error> {
        self.entity_of(self.read(key, false).await?).await
    }

    async fn read(&self, key: Primary, consistently: bool) -> Result<Option<Item>, Error> {
        let request = self.client.get_item().table_name(&*self.table);
        let request = request.consistent_read(consistently);
        let request = request.set_key(Some(to_sdk(key.item()))).return_consumed_capacity(Total);
        let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
        cost::read(&output.consumed_capacity);
        Ok(output.item.map(from_sdk))
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
        let chunk = |chunk: &[Primary]| {
            let keys = chunk.iter().map(|key| to_sdk(key.clone().item())).collect();
            self.chunk(keys)
        };
        let chunks: Vec<_> = keys.chunks(BATCH).map(chunk).collect();
        let mut read = stream::iter(chunks).buffer_unordered(BATCHES_AT_ONCE);
        let mut rows = Vec::new();
        while let Some(items) = read.try_next().await? {
            rows.extend(items);
        }
        Ok(rows)
    }

    /// Up to [`BATCH`] rows. Keys that DynamoDB leaves unprocessed are read again until the
    /// deadline.
    async fn chunk(&self, keys: Vec<SdkItem>) -> Result<Vec<Item>, Error> {
        let wanted =
            |keys| KeysAndAttributes::builder().consistent_read(true).set_keys(Some(keys)).build();
        let mut wanted = wanted(keys).map_err(|error| Error::Table(error.into()))?;
        let mut retry = Retry::new();
        let mut items = Vec::new();
        loop {
            let request = self.client.batch_get_item().request_items(&*self.table, wanted);
            let request = request.return_consumed_capacity(Total);
            let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
            cost::read(output.consumed_capacity.iter().flatten());
            let read = output.responses.into_iter().flatten().flat_map(|(_, items)| items);
            items.extend(read.map(from_sdk));
            match output.unprocessed_keys.into_iter().flatten().next() {
                None => return Ok(items),
                Some((_, left)) => wanted = left,
            }
            if !retry.pause().await {
                return Err(Error::Unavailable("keys stayed unprocessed".into()));
            }
        }
    }
}

/// The error of a failed request: [`Error::Unavailable`] if a later attempt could succeed.
pub(super) fn failure<E>(error: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let transient = match &error {
        SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => {
            true
        }
        SdkError::ServiceError(context) => {
            context.raw().status().as_u16() >= 500
                || context.err().code().is_some_and(|code| THROTTLED.contains(&code))
        }
        _ => false,
    };
    if transient { Error::Unavailable(error.into()) } else { Error::Table(error.into()) }
}

/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>
pub(super) const THROTTLED: [&str; 4] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
];
