//! The table, and what each request brings to it.

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use fracti_core::time::Timestamp;

use crate::{dynamo::Db, locks::GroupLocks};

/// Fracti's table. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Table {
    pub(crate) db: Db,
    pub(crate) locks: GroupLocks,
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
        Self { db: Db::new(client, name.into()), locks: GroupLocks::default() }
    }
}
