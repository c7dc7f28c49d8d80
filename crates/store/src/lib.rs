//! Reads and writes of Fracti's DynamoDB table, named by their purpose.
//!
//! [`Table`] has one method for each access pattern, in one file for each aggregate. Reads that
//! decide something are strongly consistent. A write is one transaction, and each failed condition
//! has a meaning. `dynamo` names no entity; nothing here knows HTTP.

mod dynamo;

mod access;
mod confirmation;
mod idempotency;
mod lookup;

mod activity;
mod expenses;
mod groups;
mod ledger;
mod memberships;
mod settlements;

use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use fracti_core::time::Timestamp;

use dynamo::Db;

pub use access::MemberKey;
pub use activity::{Activity, ActivityPosition};
pub use dynamo::{
    Order, OrderError, Page, Position, SdkItem, Slice, TableCost, from_sdk, metered, to_sdk,
    with_deadline,
};
pub use idempotency::{Idempotency, IdempotentRequest, Outcome, StoredResponse};
pub use ledger::{Line, Place, Statement};
pub use memberships::Membership;

/// Fracti's table. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Table {
    db: Db,
    locks: ledger::GroupLocks,
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
        Self { db: Db::new(client, name.into()), locks: ledger::GroupLocks::default() }
    }
}
