//! The row of a request that writes, see [`fracti_core::storage::idempotency`].
//!
//! The row is part of each transaction of the request, and a row without a transaction is the fence
//! before a refusal. A request with an idempotency key stores its result in the row, so a repeated
//! request finds it. Of two concurrent ones, one commits and the other finds its result.

use std::{fmt, sync::Arc};

use fracti_core::{
    input::Error,
    storage::{
        condition::Condition,
        idempotency::{FENCE_RETENTION, IdempotencyRow, RETENTION},
        keys::{self, Primary},
        row,
        write::Write,
    },
    values::{id::UserId, request_context::RequestContext, time::Timestamp},
};
use uuid::Uuid;

use crate::table::Table;

/// A request that writes.
#[derive(Clone, Debug)]
pub struct IdempotentRequest {
    /// Key of its row.
    key: Primary,
    /// SHA-256 of the request, in hexadecimal, if it has an idempotency key.
    request_hash: Option<String>,
    /// Time when it was sent, and random bytes that no other request has, by which its attempts are
    /// named.
    pub(crate) context: RequestContext,
}

/// SHA-256 of an idempotency key and of its request, in hexadecimal.
#[derive(Clone, Debug)]
pub struct KeyHashes {
    /// Hash of the key.
    pub key: String,
    /// Hash of the request.
    pub request: String,
}

/// The response to a request, as it is stored for a replay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredResponse {
    /// JSON of the response's `data`.
    pub data: String,
}

/// Renders the response to a result.
pub(crate) type Render<T> = Arc<dyn Fn(&T) -> StoredResponse + Send + Sync>;

/// A request that is carried out once, and the rendering of its result.
#[derive(Clone)]
pub struct Idempotency<T> {
    /// The request.
    pub request: IdempotentRequest,
    /// Renders the response to the result.
    pub render: Render<T>,
}

impl<T> fmt::Debug for Idempotency<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.request.fmt(f)
    }
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub enum Outcome<T> {
    /// It was done.
    Done(T),
    /// It had been done before, with this result.
    Replayed(StoredResponse),
}

impl<T> Idempotency<T> {
    /// Work that no user requested, whose result is not stored.
    #[must_use]
    pub fn own_work(operation: &'static str, now: Timestamp) -> Self {
        let render = |_: &T| StoredResponse { data: String::new() };
        Self { request: IdempotentRequest::own_work(operation, now), render: Arc::new(render) }
    }

    /// Time when the request was sent.
    #[must_use]
    pub const fn now(&self) -> Timestamp {
        self.context().now
    }

    /// Time when the request was sent, and the random part of the ids that it creates.
    pub(crate) const fn context(&self) -> RequestContext {
        self.request.context
    }
}

impl IdempotentRequest {
    /// A request of a user, with the hashes of its idempotency key if it has one. `operation` names
    /// the endpoint, like `create-expense`.
    #[must_use]
    pub fn new(
        user: UserId,
        operation: &'static str,
        hashes: Option<KeyHashes>,
        context: RequestContext,
    ) -> Self {
        let (key, request_hash) = match hashes {
            Some(KeyHashes { key, request }) => (key, Some(request)),
            None => (hex::encode(context.random), None),
        };
        let key = keys::idempotency(user, operation, &key);
        Self { key, request_hash, context }
    }

    /// Work that no user requested, by an operator or for the sake of another request.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "no request gives it random bytes")]
    pub fn own_work(operation: &'static str, now: Timestamp) -> Self {
        let [random @ .., _, _, _, _, _, _] = Uuid::new_v4().into_bytes();
        let key = keys::own_work(operation, &hex::encode(random));
        Self { key, request_hash: None, context: RequestContext { now, random } }
    }
}

/// What a request knows of its row.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is learnt on its own")]
pub(crate) struct Known {
    request: IdempotentRequest,
    /// Number of attempts so far.
    attempts: u32,
    last: Last,
    /// Whether the row is that of another request with the same key.
    pub(crate) is_of_other: bool,
    /// Whether no attempt so far can be committed any more.
    pub(crate) is_fenced: bool,
    /// Whether a later request with the same key was refused since this one began. Its refusal says
    /// that nothing of this one will be written, so this one decides no more.
    pub(crate) is_overtaken: bool,
    /// Whether the row has been read.
    is_read: bool,
    /// The result of the request so far.
    pub(crate) result: Option<StoredResponse>,
}

/// The attempt that the row names.
#[derive(Debug, PartialEq, Eq)]
enum Last {
    /// There is no row.
    None,
    /// It has no name, because the row is of version 1.
    Nameless {
        is_over: bool,
    },
    Named {
        attempt: String,
        is_over: bool,
    },
}

impl Known {
    /// The row of a request that has not read it.
    pub(crate) fn of(request: &IdempotentRequest) -> Self {
        Self {
            request: request.clone(),
            attempts: 0,
            last: Last::None,
            is_of_other: false,
            is_fenced: false,
            is_overtaken: false,
            is_read: false,
            result: None,
        }
    }

    /// Whether the request has an idempotency key.
    pub(crate) const fn has_key(&self) -> bool {
        self.request.request_hash.is_some()
    }

    /// The request.
    pub(crate) const fn request(&self) -> &IdempotentRequest {
        &self.request
    }

    /// Whether the request was carried out, or carried on, by another one since its result was
    /// `before`; or whether its key was used for another request.
    pub(crate) fn is_repeated(&self, before: Option<&StoredResponse>) -> bool {
        self.is_of_other || self.result.is_some() && self.result.as_ref() != before
    }

    /// The answer to a request that was carried out before.
    pub(crate) fn replay<T>(&self) -> Result<Outcome<T>, Error> {
        self.result.clone().map(Outcome::Replayed).ok_or(Error::KeyReused)
    }

    /// Time when the request was sent.
    pub(crate) const fn now(&self) -> Timestamp {
        self.request.context.now
    }

    /// The name of the next attempt and its put of the row, with `result`, or else with the result
    /// so far.
    pub(crate) fn next_attempt(
        &mut self,
        result: Option<StoredResponse>,
    ) -> Result<(String, Write), Error> {
        self.next_put(result, false)
    }

    /// The name of a fence and its put of the row, with the result so far.
    pub(crate) fn next_fence(&mut self) -> Result<(String, Write), Error> {
        self.next_put(None, true)
    }

    fn next_put(
        &mut self,
        result: Option<StoredResponse>,
        fence: bool,
    ) -> Result<(String, Write), Error> {
        self.is_fenced = false;
        self.attempts = self.attempts.saturating_add(1);
        let name = format!("{}-{}", hex::encode(self.request.context.random), self.attempts);
        let result = result.or_else(|| self.result.clone());
        let retention = if result.is_some() { RETENTION } else { FENCE_RETENTION };
        let now = self.request.context.now;
        let row = IdempotencyRow {
            key: self.request.key.clone(),
            attempt: Some(name.clone()),
            request_hash: result.as_ref().and(self.request.request_hash.clone()),
            response: result.map(|result| result.data),
            fence,
            created_at: now,
            ttl: now.seconds().saturating_add(retention.as_secs()),
        };
        let put = Write::put(&row)?.when(self.last.condition()?);
        Ok((name, put))
    }

    /// Notes that an attempt was committed.
    pub(crate) fn committed(&mut self, attempt: String, result: Option<StoredResponse>) {
        self.last = Last::Named { attempt, is_over: false };
        self.result = result.or_else(|| self.result.take());
    }

    /// Notes that a fence was committed.
    pub(crate) fn fenced(&mut self, attempt: String) {
        self.committed(attempt, None);
        self.is_fenced = true;
    }

    /// Notes the row that was read, and returns whether another attempt has put it since it was
    /// last known. No attempt before that one can be committed any more.
    pub(crate) fn note(&mut self, row: Option<IdempotencyRow>) -> bool {
        let last = match &row {
            None => Last::None,
            Some(row) => {
                // DynamoDB deletes late: a row whose time is over counts as deleted.
                let is_over = row.ttl < self.request.context.now.seconds();
                match &row.attempt {
                    Some(attempt) => Last::Named { attempt: attempt.clone(), is_over },
                    None => Last::Nameless { is_over },
                }
            }
        };
        let row = row.filter(|row| self.request.context.now.seconds() <= row.ttl);
        let is_changed = self.last != last;
        let is_fence = row.as_ref().is_some_and(|row| row.fence && row.response.is_none());
        let is_later = row.as_ref().is_some_and(|row| row.created_at > self.request.context.now);
        self.is_overtaken = is_fence && is_changed && (self.is_read || is_later);
        self.is_read = true;
        let (hash, response) = row.map_or((None, None), |row| (row.request_hash, row.response));
        // Earlier releases stored something else for some requests, which must not be done again.
        let is_readable = response.is_some() && hash == self.request.request_hash;
        self.is_of_other = hash.is_some() && !is_readable;
        self.result = response.filter(|_| !self.is_of_other).map(|data| StoredResponse { data });
        self.last = last;
        is_changed
    }
}

impl Last {
    /// The row still names this attempt.
    fn condition(&self) -> Result<Condition, Error> {
        let unnamed = || Condition::without("attempt");
        Ok(match self {
            Self::None => Condition::absent(),
            Self::Nameless { is_over: true } => unnamed(),
            Self::Nameless { is_over: false } => Condition::present().and(unnamed()),
            Self::Named { attempt, is_over } => {
                let same = Condition::equal("attempt", row::to_value(attempt)?);
                if *is_over { Condition::absent().or(same) } else { same }
            }
        })
    }
}

impl Table {
    /// Reads the row of a request.
    pub(crate) async fn request_row(
        &self,
        request: &IdempotentRequest,
    ) -> Result<Option<IdempotencyRow>, Error> {
        self.db.get(request.key.clone()).await
    }

    /// Reads and notes the row of a request, if it has an idempotency key.
    pub(crate) async fn know(&self, known: &mut Known) -> Result<(), Error> {
        if known.has_key() {
            let row = self.request_row(&known.request).await?;
            known.note(row);
        }
        Ok(())
    }
}
