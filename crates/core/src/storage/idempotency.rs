//! The row of a request that writes: the evidence of what it did, and the fence of its attempts.
//!
//! Each transaction of a request puts this row with a new attempt, on condition that the row names
//! the attempt that the request knew. So at most one of all attempts that know the same one is ever
//! committed, however late the others arrive, and the row says which. A put of the same row alone
//! is a fence: no attempt before it can be committed any more.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    storage::{
        keys::{Keys, Primary},
        row::Row,
    },
    values::time::Timestamp,
};

/// Time for which the result of a request with an idempotency key is known.
pub const RETENTION: Duration = Duration::from_hours(24);

/// Time for which a row without a result is kept. DynamoDB refuses an attempt long before: its
/// signature is valid for minutes.
///
/// <https://docs.aws.amazon.com/general/latest/gr/sigv4_elements.html>
pub const FENCE_RETENTION: Duration = Duration::from_hours(1);

/// A request that writes, the last of its attempts, and its response if it has an idempotency key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdempotencyRow {
    /// The key of the row, made from the user, the operation and the idempotency key, or from
    /// random bytes if there is none.
    #[serde(flatten)]
    pub key: Primary,
    /// Name of the attempt that put the row, which no other attempt has. Rows of version 1 have
    /// none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<String>,
    /// SHA-256 of the request, in hexadecimal, if there is a response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_hash: Option<String>,
    /// JSON of the response's `data`, if the request has a key and was carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<String>,
    /// Whether it is the fence before a refusal.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fence: bool,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time when the row expires, in seconds since 1970.
    pub ttl: u64,
}

impl Row for IdempotencyRow {
    const KIND: &'static str = "idempotency";
    const VERSION: u32 = 2;

    fn keys(&self) -> Keys {
        self.key.clone().into()
    }
}
