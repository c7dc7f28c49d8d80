//! A request that is sent twice and done once.
//!
//! What a request with an idempotency key leads to is written in the same transaction as its effect. So there is no
//! time at which one is there without the other: a repeated request finds the response or nothing, and
//! of two at once one commits and the other finds its response.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{
    Table,
    write::{Expression, OnConflict, TransactionError, Write},
};
use crate::{Error, id::UserId, keys, row, time::Timestamp};

/// For how long a response is kept, in seconds.
const RETENTION_S: u64 = 24 * 60 * 60;

/// A request that carries an idempotency key.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// Who sent it.
    pub user: UserId,
    /// What it is for, like `create-expense`.
    pub operation: &'static str,
    /// The SHA-256 of the key, in hexadecimal.
    pub key_hash: String,
    /// The SHA-256 of what was asked, in hexadecimal.
    pub request_hash: String,
    /// When it was sent.
    pub now: Timestamp,
}

/// The response to a request, as it is sent again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredResponse {
    /// The HTTP status.
    pub status: u16,
    /// The JSON of the response's `data`.
    #[serde(rename = "response")]
    pub data: String,
}

/// What makes a request with a key happen once: the request, and how its result is told.
#[derive(Clone, Debug)]
pub struct Idempotency<T> {
    /// The request; none where it carries no key, and so may happen again.
    pub request: Option<IdempotentRequest>,
    /// The response that tells the result.
    pub render: fn(&T) -> StoredResponse,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// It was done now.
    Done(T),
    /// It was done before, and had this response.
    Replayed(StoredResponse),
}

/// The row of a request, with what is known of it.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row<R> {
    request_hash: String,
    #[serde(flatten)]
    result: R,
    created_at: Timestamp,
    ttl: u64,
}

impl<T> Idempotency<T> {
    /// The write that records the response which tells `value`.
    pub(super) fn write(&self, value: &T) -> Result<Option<Write>, Error> {
        let Some(request) = &self.request else { return Ok(None) };
        let put = request.put(&(self.render)(value))?;
        Ok(Some(put.when(request.key_is_free()?, OnConflict::Replay)))
    }
}

impl IdempotentRequest {
    /// Writes the row of the request, and replaces an earlier one.
    pub(super) fn put(&self, result: &impl Serialize) -> Result<Write, Error> {
        let row = Row {
            request_hash: self.request_hash.clone(),
            result,
            created_at: self.now,
            ttl: self.now.seconds().saturating_add(RETENTION_S),
        };
        Write::put(&self.key().into(), &row)
    }

    /// Nothing is known of a request with this key.
    pub(super) fn key_is_free(&self) -> Result<Expression, Error> {
        // The table deletes late: a row that is over counts as gone.
        let over = Expression::less("ttl", row::to_value(&self.now.seconds())?);
        Ok(Expression::absent().or(over))
    }

    /// What is known is known of this very request.
    pub(super) fn is_same_request(&self) -> Result<Expression, Error> {
        Ok(Expression::equal("requestHash", row::to_value(&self.request_hash)?))
    }

    fn key(&self) -> keys::Primary {
        keys::idempotency(self.user, self.operation, &self.key_hash)
    }
}

impl Table {
    /// What is known of a request with this key.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`] where that was another request.
    pub(super) async fn stored_result<R: DeserializeOwned>(
        &self,
        request: Option<&IdempotentRequest>,
    ) -> Result<Option<R>, Error> {
        let Some(request) = request else { return Ok(None) };
        let row: Option<Row<R>> = self.get(request.key()).await?;
        match row.filter(|row| request.now.seconds() <= row.ttl) {
            None => Ok(None),
            Some(row) if row.request_hash != request.request_hash => Err(Error::KeyReused),
            Some(row) => Ok(Some(row.result)),
        }
    }

    /// Keeps the response that tells `value`, where nothing else is to be written.
    pub(super) async fn respond<T>(
        &self,
        idempotency: &Idempotency<T>,
        value: T,
    ) -> Result<Outcome<T>, TransactionError> {
        let response = idempotency.write(&value)?.into_iter().collect();
        self.write(response, idempotency, value).await
    }

    /// Writes what `value` stands for, where there is anything to write.
    pub(super) async fn write<T>(
        &self,
        writes: Vec<Write>,
        idempotency: &Idempotency<T>,
        value: T,
    ) -> Result<Outcome<T>, TransactionError> {
        if writes.is_empty() {
            return Ok(Outcome::Done(value));
        }
        let confirmation_row = writes.iter().find_map(Write::new_row).cloned();
        match self.send(writes).await.outcome {
            Ok(()) => Ok(Outcome::Done(value)),
            Err(TransactionError::Replay) => self.replayed(idempotency).await,
            // It may be an earlier attempt of ours that was first, or whose answer was lost.
            Err(
                rejected @ (TransactionError::Lost | TransactionError::Fail(Error::Unavailable(_))),
            ) => match &confirmation_row {
                Some(row) if self.is_written(row).await? => Ok(Outcome::Done(value)),
                _ => Err(rejected),
            },
            Err(rejected) => Err(rejected),
        }
    }

    /// The response that a request with the same key had.
    pub(super) async fn replayed<T>(
        &self,
        idempotency: &Idempotency<T>,
    ) -> Result<Outcome<T>, TransactionError> {
        let stored = self.stored_result(idempotency.request.as_ref()).await?;
        stored.map(Outcome::Replayed).ok_or(TransactionError::Replay)
    }
}
