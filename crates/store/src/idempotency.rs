//! Idempotent requests: sent twice, done once.
//!
//! The response to a request with an idempotency key is written in the same transaction as its
//! effect, so neither exists without the other. A repeated request finds the response. Of two
//! concurrent ones, one commits and the other finds its response.

use fracti_core::{
    Error,
    id::UserId,
    idempotency::{IdempotencyRow, RETENTION},
    keys::{self, Primary},
    row,
    time::Timestamp,
};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    dynamo::{Expression, OnConflict, Write},
    table::Table,
};

/// A request that carries an idempotency key.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// User who sent it.
    pub user: UserId,
    /// Its operation, like `create-expense`.
    pub operation: &'static str,
    /// SHA-256 of the key, in hexadecimal.
    pub key_hash: String,
    /// SHA-256 of the request, in hexadecimal.
    pub request_hash: String,
    /// Time when it was sent.
    pub now: Timestamp,
}

/// The response to a request, as it is stored for a replay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// JSON of the response's `data`.
    #[serde(rename = "response")]
    pub data: String,
}

/// A request that is done once for its key, and the rendering of its result.
#[derive(Clone, Debug)]
pub struct Idempotency<T> {
    /// The request, if it carries a key.
    pub request: Option<IdempotentRequest>,
    /// Renders the response to the result.
    pub render: fn(&T) -> StoredResponse,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// It was done.
    Done(T),
    /// It had been done before, with this response.
    Replayed(StoredResponse),
}

impl<T> Idempotency<T> {
    /// The write that stores the response to `value`.
    pub(crate) fn write(&self, value: &T) -> Result<Option<Write>, Error> {
        let Some(request) = &self.request else { return Ok(None) };
        let put = request.put((self.render)(value))?;
        Ok(Some(put.when(request.key_is_free()?, OnConflict::Retry)))
    }

    /// The write that stores the response to `value`, in place of one that was stored for the same
    /// request and does not hold any more.
    pub(crate) fn write_over(
        &self,
        stored: Option<&StoredResponse>,
        value: &T,
    ) -> Result<Option<Write>, Error> {
        match (&self.request, stored) {
            (Some(request), Some(_)) => {
                let put = request.put((self.render)(value))?;
                Ok(Some(put.when(request.is_same_request()?, OnConflict::Retry)))
            }
            (None | Some(_), _) => self.write(value),
        }
    }
}

impl IdempotentRequest {
    /// Puts the row of the request, in place of an earlier one.
    pub(crate) fn put<R: Serialize + DeserializeOwned>(&self, result: R) -> Result<Write, Error> {
        let row = IdempotencyRow {
            key: self.key(),
            request_hash: self.request_hash.clone(),
            result,
            created_at: self.now,
            ttl: self.now.seconds().saturating_add(RETENTION.as_secs()),
        };
        Write::put(&row)
    }

    /// No request with this key is stored.
    pub(crate) fn key_is_free(&self) -> Result<Expression, Error> {
        // DynamoDB deletes late: an expired row counts as deleted.
        let over = Expression::less("ttl", row::to_value(&self.now.seconds())?);
        Ok(Expression::absent().or(over))
    }

    /// The stored request is this one.
    pub(crate) fn is_same_request(&self) -> Result<Expression, Error> {
        Ok(Expression::equal("requestHash", row::to_value(&self.request_hash)?))
    }

    fn key(&self) -> Primary {
        keys::idempotency(self.user, self.operation, &self.key_hash)
    }
}

impl Table {
    /// The stored result of the request.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`] if another request with this key is stored.
    pub(crate) async fn stored_result<R: Serialize + DeserializeOwned>(
        &self,
        request: Option<&IdempotentRequest>,
    ) -> Result<Option<R>, Error> {
        let Some(request) = request else { return Ok(None) };
        let row: Option<IdempotencyRow<R>> = self.db.get(request.key()).await?;
        match row.filter(|row| request.now.seconds() <= row.ttl) {
            None => Ok(None),
            Some(row) if row.request_hash != request.request_hash => Err(Error::KeyReused),
            Some(row) => Ok(Some(row.result)),
        }
    }
}
