//! A request that is sent twice and done once.
//!
//! What a request with an idempotency key leads to is written in the same transaction as its effect. So there is no
//! time at which one is there without the other: a repeated request finds the response or nothing, and
//! of two at once one commits and the other finds its response.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{
    Table,
    write::{Expression, Otherwise, Rejected, Write},
};
use crate::{Error, id::UserId, keys, row, time::Timestamp};

/// For how long a response is kept, in seconds.
const KEPT_S: u64 = 24 * 60 * 60;

/// A request that carries an idempotency key.
#[derive(Clone, Debug)]
pub struct Request {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The HTTP status.
    pub status: u16,
    /// The JSON of the response's `data`.
    pub data: String,
}

/// What makes a request with a key happen once: the request, and how its result is told.
#[derive(Clone, Debug)]
pub struct Once<T> {
    /// The request; none where it carries no key, and so may happen again.
    pub request: Option<Request>,
    /// The response that tells the result.
    pub render: fn(&T) -> Recorded,
}

/// What became of a request.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// It was done now.
    Done(T),
    /// It was done before, and had this response.
    Replayed(Recorded),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    request_hash: String,
    status: u16,
    response: String,
    created_at: Timestamp,
    ttl: u64,
}

impl<T> Outcome<T> {
    /// What was done, where no request could have been repeated.
    pub(super) fn done(self) -> Result<T, Rejected> {
        match self {
            Self::Done(done) => Ok(done),
            Self::Replayed(_) => Err(Rejected::Replay),
        }
    }
}

impl<T> Once<T> {
    /// The write that records the response which tells `value`.
    pub(super) fn write(&self, value: &T) -> Result<Option<Write>, Error> {
        let Some(request) = &self.request else { return Ok(None) };
        let Recorded { status, data } = (self.render)(value);
        let row = Row {
            request_hash: request.request_hash.clone(),
            status,
            response: data,
            created_at: request.now,
            ttl: request.now.seconds().saturating_add(KEPT_S),
        };
        // The table deletes late: a row that is over counts as gone.
        let over = Expression::less("ttl", row::to_value(&request.now.seconds())?);
        let free = Expression::absent().or(over);
        Write::put(&request.key().into(), &row).map(|put| Some(put.only(free, Otherwise::Replay)))
    }
}

impl Request {
    /// What tells the request from all others, and is the same when it is repeated.
    pub(super) fn fingerprint(&self) -> String {
        let Self { user, operation, key_hash, request_hash, .. } = self;
        hex::encode(Sha256::digest(format!("{user}#{operation}#{key_hash}#{request_hash}")))
    }

    fn key(&self) -> keys::Primary {
        keys::idempotency(self.user, self.operation, &self.key_hash)
    }
}

impl Table {
    /// The response that a request with this key had.
    ///
    /// # Errors
    ///
    /// [`Error::KeyReused`] where that was another request.
    pub(super) async fn recorded(
        &self,
        request: Option<&Request>,
    ) -> Result<Option<Recorded>, Error> {
        let Some(request) = request else { return Ok(None) };
        let row: Option<Row> = self.get(request.key()).await?;
        match row.filter(|row| request.now.seconds() <= row.ttl) {
            None => Ok(None),
            Some(row) if row.request_hash != request.request_hash => Err(Error::KeyReused),
            Some(row) => Ok(Some(Recorded { status: row.status, data: row.response })),
        }
    }

    /// Keeps the response that tells `value`, where nothing else is to be written.
    pub(super) async fn respond<T>(
        &self,
        once: Option<&Once<T>>,
        value: T,
    ) -> Result<Outcome<T>, Rejected> {
        let Some(once) = once else { return Ok(Outcome::Done(value)) };
        let response = once.write(&value)?.into_iter().collect();
        self.write(response, once, value).await
    }

    /// Writes what `value` stands for, where there is anything to write.
    pub(super) async fn write<T>(
        &self,
        writes: Vec<Write>,
        once: &Once<T>,
        value: T,
    ) -> Result<Outcome<T>, Rejected> {
        if writes.is_empty() {
            return Ok(Outcome::Done(value));
        }
        let proof = writes.iter().find_map(Write::proof);
        match self.transact_proven(writes, proof).await {
            Ok(()) => Ok(Outcome::Done(value)),
            Err(Rejected::Replay) => {
                let recorded = self.recorded(once.request.as_ref()).await?;
                recorded.map(Outcome::Replayed).ok_or(Rejected::Replay)
            }
            Err(rejected) => Err(rejected),
        }
    }
}
