//! The table, and the values that each request passes to it.

pub(crate) mod access;
pub(crate) mod balance;
mod locks;
mod lookup;
mod subscriptions;

use std::{sync::Arc, time::Duration};

use aws_sdk_dynamodb::Client;
use fracti_core::{decisions::telling::Telling, storage::keys};
use futures_util::future::join_all;

use crate::dynamo::{Db, Requests, Sdk, with_deadline};
use locks::GroupLocks;

/// Number of connections after [`Table::connect_more`]: the reads that most requests begin with,
/// and the counter of the quota.
const CONNECTIONS: usize = 4;

/// Time limit of [`Table::connect`] and [`Table::connect_more`].
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

/// Fracti's table. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) db: Db,
    pub(crate) locks: GroupLocks,
    pub(crate) telling: Telling,
}

impl Table {
    /// The table `name`, reached through `client`.
    #[must_use]
    pub fn new(client: Client, name: impl Into<Arc<str>>) -> Self {
        let name = name.into();
        Self::over(Arc::new(Sdk::new(client, name.clone())), name)
    }

    /// The table `name`, whose requests `requests` answers.
    #[must_use]
    pub fn over(requests: Arc<dyn Requests>, name: impl Into<Arc<str>>) -> Self {
        Self {
            db: Db::new(requests, name.into()),
            locks: GroupLocks::default(),
            telling: Telling::Off,
        }
    }

    /// The same table, whose writes tell their changes in Telegram, or do not.
    #[must_use]
    pub fn telling(self, telling: Telling) -> Self {
        Self { telling, ..self }
    }

    /// The same table for the bot, whose changes are seen in the group's chat.
    #[must_use]
    pub fn shown(&self) -> Self {
        let telling = if self.telling == Telling::Off { Telling::Off } else { Telling::Shown };
        self.clone().telling(telling)
    }

    /// Name of the table.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.db.table
    }

    /// Opens a connection to the table, so that later ones can resume its TLS session, and the
    /// first request does not wait for it.
    ///
    /// It reads no row, for one read unit. Failures are ignored: a request would report them, and
    /// the table may be reachable by then.
    pub async fn connect(&self) {
        self.connections(1).await;
    }

    /// Opens further connections, after [`Table::connect`]. It may be dropped at any time: requests
    /// open the connections that are missing.
    pub async fn connect_more(&self) {
        self.connections(CONNECTIONS).await;
    }

    async fn connections(&self, count: usize) {
        let reads = (0..count).map(|_| self.db.item(keys::nothing()));
        let _ = with_deadline(CONNECT_LIMIT, join_all(reads)).await;
    }
}
