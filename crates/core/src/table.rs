//! The table: typed reads and writes of its rows, named by what they are for.
//!
//! Whoever reads or changes what a group has does it by a [`MemberKey`], which is checked in the same round trip: there is no
//! function that leaves it out. Reads that decide something are strongly consistent. A write is one
//! transaction, all or nothing, and each failed condition becomes the reason that it stands for.
//! Nothing else writes an expression.

mod adjustments;
mod cost;
mod deadline;
mod entries;
mod events;
mod expenses;
mod groups;
mod idempotency;
mod locks;
mod range;
mod settlements;
mod statement;
mod users;
mod write;

use std::{collections::HashMap, pin::pin, sync::Arc};

use aws_sdk_dynamodb::{
    Client,
    error::{ProvideErrorMetadata, SdkError},
    types::{KeysAndAttributes, ReturnConsumedCapacity::Total},
};
use futures_util::future::{Either, select, try_join_all};
use serde::{Deserialize, de::DeserializeOwned};

use crate::{
    Error,
    id::{GroupId, UserId},
    keys::{self, Primary},
    ledger::Ledger,
    row::{self, Item},
    time::Timestamp,
};

pub use adjustments::{MAX_ENTRIES, NonApplied, Reason, Report};
pub use cost::{TableCost, metered};
pub use deadline::with_deadline;
pub use groups::NewGroup;
pub use idempotency::{Idempotency, IdempotentRequest, Outcome, StoredResponse};
use range::Range;
pub use range::{Order, OrderError, Page, Position, Slice};
pub use settlements::NewSettlement;
pub use statement::{Line, Place, Statement};
pub use users::{Activity, ActivityPosition, Membership};

/// How many keys one `BatchGetItem` takes.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_BatchGetItem.html>
const BATCH: usize = 100;

/// The one table, and the client that reaches it. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Table {
    client: Client,
    name: Arc<str>,
    locks: locks::GroupLocks,
}

/// Key of a membership that is still to be checked. Every access to a group's data takes one and
/// checks it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemberKey {
    /// The group.
    pub group: GroupId,
    /// User whose membership is checked.
    pub user: UserId,
}

/// Time of a request, and the random part of the ids that it creates.
#[derive(Clone, Copy, Debug)]
pub struct RequestContext {
    /// The time of day.
    pub now: Timestamp,
    /// Ten random bytes.
    pub random: [u8; 10],
}

impl Table {
    /// The table `name`, reached through `client`.
    #[must_use]
    pub fn new(client: Client, name: impl Into<Arc<str>>) -> Self {
        Self { client, name: name.into(), locks: locks::GroupLocks::default() }
    }

    /// Runs `read` and checks the membership at the same time. A refusal ends the read.
    async fn checked<T>(
        &self,
        member_key: MemberKey,
        read: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let member = async {
            let key = keys::member(member_key.group, member_key.user);
            match self.get::<serde::de::IgnoredAny>(key).await? {
                Some(_) => Ok(()),
                None => Err(self.refusal(member_key.group).await),
            }
        };
        let (member, read) = (pin!(member), pin!(read));
        match select(member, read).await {
            Either::Left((member, read)) => {
                member?;
                read.await
            }
            Either::Right((answer, member)) => {
                member.await?;
                answer
            }
        }
    }

    /// Why somebody who is not a member is refused: there may be no such group.
    async fn refusal(&self, group: GroupId) -> Error {
        match self.get::<serde::de::IgnoredAny>(keys::group(group)).await {
            Ok(Some(_)) => Error::NotMember,
            Ok(None) => Error::NoGroup,
            Err(error) => error,
        }
    }

    /// What was recorded in a group under some id, as it is now.
    ///
    /// An id of ours says when that was, and so where it is. One of the earlier system is found in `GSI2` as
    /// `partition`, and read again from the table, since an index lags.
    async fn find<T: DeserializeOwned>(
        &self,
        group: GroupId,
        created_at: Option<Timestamp>,
        partition: String,
        key: fn(GroupId, Timestamp) -> Primary,
    ) -> Result<Option<T>, Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Row {
            created_at: Timestamp,
        }

        if let Some(created_at) = created_at {
            return self.get(key(group, created_at)).await;
        }
        let range = Range::index("GSI2", partition, &group.to_string());
        match self.all::<Row>(&range).await?.first() {
            Some(row) => self.get(key(group, row.created_at)).await,
            None => Ok(None),
        }
    }

    /// The group's ledger; a new one where no event was yet.
    async fn ledger(&self, group: GroupId) -> Result<Ledger, Error> {
        Ok(self.get(keys::balance(group)).await?.unwrap_or_default())
    }

    /// What the row at `key` says, as it is now.
    async fn get<T: DeserializeOwned>(&self, key: Primary) -> Result<Option<T>, Error> {
        self.item(key.item()).await?.map(row::from_item).transpose()
    }

    /// The row at `key`, as it is now.
    async fn item(&self, key: Item) -> Result<Option<Item>, Error> {
        let request = self.client.get_item().table_name(&*self.name).consistent_read(true);
        let request = request.set_key(Some(key)).return_consumed_capacity(Total);
        let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
        cost::read(&output.consumed_capacity);
        Ok(output.item)
    }

    /// The rows at `keys`, as they are now, by partition key; a missing one is left out.
    async fn batch<T: DeserializeOwned>(
        &self,
        keys: Vec<Primary>,
    ) -> Result<HashMap<String, T>, Error> {
        let chunks = keys.chunks(BATCH).map(|chunk| {
            let keys = chunk.iter().cloned().map(Primary::item).collect();
            self.chunk(keys)
        });
        let mut rows = HashMap::new();
        for item in try_join_all(chunks).await?.into_iter().flatten() {
            if let Some(Ok(pk)) = item.get("PK").map(|pk| pk.as_s().cloned()) {
                rows.insert(pk, row::from_item(item)?);
            }
        }
        Ok(rows)
    }

    /// Up to [`BATCH`] rows. What the table leaves unprocessed is asked again, until the deadline.
    async fn chunk(&self, keys: Vec<Item>) -> Result<Vec<Item>, Error> {
        let wanted =
            |keys| KeysAndAttributes::builder().consistent_read(true).set_keys(Some(keys)).build();
        let mut wanted = wanted(keys).map_err(|error| Error::Table(error.into()))?;
        let mut retry = write::Retry::new();
        let mut items = Vec::new();
        loop {
            let request = self.client.batch_get_item().request_items(&*self.name, wanted);
            let request = request.return_consumed_capacity(Total);
            let output = cost::request(Box::pin(request.send())).await.map_err(failure)?;
            cost::read(output.consumed_capacity.iter().flatten());
            items.extend(output.responses.into_iter().flatten().flat_map(|(_, items)| items));
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

/// What a failed request means: whether it is worth trying again later.
fn failure<E>(error: SdkError<E>) -> Error
where
    E: ProvideErrorMetadata + std::error::Error + Send + Sync + 'static,
{
    let passing = match &error {
        SdkError::TimeoutError(_) | SdkError::DispatchFailure(_) | SdkError::ResponseError(_) => {
            true
        }
        SdkError::ServiceError(context) => {
            context.raw().status().as_u16() >= 500
                || context.err().code().is_some_and(|code| THROTTLED.contains(&code))
        }
        _ => false,
    };
    if passing { Error::Unavailable(error.into()) } else { Error::Table(error.into()) }
}

/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html>
const THROTTLED: [&str; 4] = [
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionInProgressException",
];
