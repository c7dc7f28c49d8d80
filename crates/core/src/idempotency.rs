//! The row of a request with an idempotency key.

use std::time::Duration;

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    keys::{Keys, Primary},
    row::Row,
    time::Timestamp,
};

/// Time for which a request with an idempotency key is known.
pub const RETENTION: Duration = Duration::from_hours(24);

/// A request with an idempotency key, and its result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct IdempotencyRow<R> {
    /// The key of the row, made from the user, the operation and the idempotency key.
    #[serde(flatten)]
    pub key: Primary,
    /// SHA-256 of the request, in hexadecimal.
    pub request_hash: String,
    /// The result of the request.
    #[serde(flatten)]
    pub result: R,
    /// Time of the request.
    pub created_at: Timestamp,
    /// Time when the row expires, in seconds since 1970.
    pub ttl: u64,
}

impl<R: Serialize + DeserializeOwned> Row for IdempotencyRow<R> {
    const KIND: &'static str = "idempotency";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        self.key.clone().into()
    }
}
