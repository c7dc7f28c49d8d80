//! The loop that commits all writes: read, decide, send, and start again if the rows that were read
//! have changed.
//!
//! A response may be lost after the commit, and a transaction may reach DynamoDB late. The row of
//! the request, see [`fracti_core::storage::idempotency`], is part of each transaction. So no two
//! attempts are both committed, the row names the one that was, and a refusal is answered only once
//! no attempt can be committed any more.

use std::{convert::Infallible, ops::ControlFlow};

use fracti_core::{
    decisions::{decision::Decision, telling::make_due},
    input::Error,
    storage::{
        idempotency::IdempotencyRow,
        write::{Transaction, WriteError},
    },
    values::{id::GroupId, request_context::RequestContext, time::Timestamp},
};

use crate::{
    dynamo::Retry,
    table::Table,
    write::idempotency::{Idempotency, IdempotentRequest, Known, Outcome, StoredResponse},
};

/// The decision of an attempt, or why there is none.
type Decided<T> = Result<Decision<T>, WriteError>;

/// An attempt whose outcome is not known.
struct Unanswered<T> {
    name: String,
    result: T,
    stored: Option<StoredResponse>,
}

impl Table {
    /// Runs `attempt` and commits its decision until a commit succeeds, the attempt fails or the
    /// deadline has passed. Each attempt reads and decides again. Of the writers of `group`, if the
    /// request changes one, this process has one at a time.
    ///
    /// If the result of the request is stored, it is returned instead of any decision but those
    /// that say otherwise, and of any error but those of membership.
    ///
    /// # Errors
    ///
    /// The error of an attempt or of a condition: no attempt of the request was committed or can
    /// still be. [`Error::KeyReused`]; [`Error::Contended`] if other writers were faster each time
    /// until the deadline; [`Error::Unavailable`] if the outcome is unknown.
    pub(crate) async fn write<T, A>(
        &self,
        group: Option<GroupId>,
        idempotency: &Idempotency<T>,
        attempt: impl Fn() -> A,
    ) -> Result<Outcome<T>, Error>
    where
        A: Future<Output = Result<Decision<T>, WriteError>>,
    {
        let render = |result: &T| Some((idempotency.render)(result));
        self.write_part(group, &mut Known::of(&idempotency.request), render, attempt).await
    }

    /// [`Table::write`] for work that no user requested. All attempts get the context of the request
    /// that it is.
    ///
    /// # Errors
    ///
    /// As [`Table::write`].
    pub(crate) async fn work<T, A>(
        &self,
        group: Option<GroupId>,
        operation: &'static str,
        now: Timestamp,
        attempt: impl Fn(RequestContext) -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<Decision<T>, WriteError>>,
    {
        let request = IdempotentRequest::own_work(operation, now);
        let attempt = || attempt(request.context);
        match self.write_part(group, &mut Known::of(&request), nothing_stored, attempt).await? {
            Outcome::Done(result) => Ok(result),
            Outcome::Replayed(_) => Err(Error::KeyReused),
        }
    }

    /// [`Table::write`] for one transaction of a request, which may have several. `render` makes
    /// what the request's row stores after it.
    ///
    /// The version of the balance row is the only lock that a group needs. In a process with many
    /// writers of one group, like the local server, however, most attempts would lose the race: so
    /// writers of `group` wait for each other. A Lambda instance handles one request at a time and
    /// never waits here.
    ///
    /// # Errors
    ///
    /// As [`Table::write`].
    pub(crate) async fn write_part<T, A>(
        &self,
        group: Option<GroupId>,
        known: &mut Known,
        render: impl Fn(&T) -> Option<StoredResponse>,
        attempt: impl Fn() -> A,
    ) -> Result<Outcome<T>, Error>
    where
        A: Future<Output = Result<Decision<T>, WriteError>>,
    {
        let Some(group) = group else { return self.commit(known, render, attempt).await };
        let lock = self.locks.of(group);
        let turn = Retry::new().before_deadline(lock.lock()).await;
        match turn {
            Some(_turn) => self.commit(known, render, attempt).await,
            None => Err(self.refused(known, Error::Contended).await),
        }
    }

    /// Commits writes that need no row of a request, because their own conditions say whether they
    /// were made. Returns whether these held.
    ///
    /// # Errors
    ///
    /// The error of a condition or of the table.
    pub(crate) async fn write_if(&self, transaction: Transaction) -> Result<bool, Error> {
        match self.db.send(transaction).await.outcome {
            Ok(()) => Ok(true),
            Err(WriteError::Retry) => Ok(false),
            Err(WriteError::Fail(error)) => Err(error),
        }
    }

    async fn commit<T, A>(
        &self,
        known: &mut Known,
        render: impl Fn(&T) -> Option<StoredResponse>,
        attempt: impl Fn() -> A,
    ) -> Result<Outcome<T>, Error>
    where
        A: Future<Output = Result<Decision<T>, WriteError>>,
    {
        let before = known.result.clone();
        let mut retry = Retry::new();
        let mut unanswered: Vec<Unanswered<T>> = Vec::new();
        loop {
            let mut decision = if known.has_key() || !unanswered.is_empty() {
                let (decision, row) = tokio::join!(attempt(), self.request_row(known.request()));
                if let Some(done) = note(known, row?, &mut unanswered) {
                    return Ok(Outcome::Done(done));
                }
                decision
            } else {
                attempt().await
            };
            if known.is_repeated(before.as_ref()) {
                match repeated(known, decision, &render) {
                    ControlFlow::Break(answer) => return answer,
                    ControlFlow::Continue(anew) => decision = anew,
                }
            }
            if known.is_overtaken {
                return Err(Error::Contended);
            }
            let failed = match decision.and_then(Decision::into_write) {
                Err(failed) => failed,
                Ok((mut transaction, result)) => {
                    let stored = if known.has_key() { render(&result) } else { None };
                    if transaction.is_empty() && stored.is_none() && unanswered.is_empty() {
                        return Ok(Outcome::Done(result));
                    }
                    let (name, put) = known.next_attempt(stored.clone())?;
                    transaction.add(put);
                    make_due(&mut transaction, self.telling)?;
                    let sent = self.db.send(transaction).await;
                    let failed = match sent.outcome {
                        Ok(()) => {
                            known.committed(name, stored);
                            return Ok(Outcome::Done(result));
                        }
                        Err(failed) => failed,
                    };
                    if sent.unanswered {
                        unanswered.push(Unanswered { name, result, stored });
                    }
                    failed
                }
            };
            let error = match failed {
                WriteError::Retry if retry.pause().await => continue,
                failed => failed.final_error(),
            };
            return self.end(known, before.as_ref(), unanswered, error).await;
        }
    }

    /// Ends a request with an error, unless one of its attempts was committed after all. A refusal
    /// is answered once a fence is committed, after which no attempt can be. Without a key, only
    /// unanswered attempts need one; with a key, earlier requests may have such attempts.
    async fn end<T>(
        &self,
        known: &mut Known,
        before: Option<&StoredResponse>,
        mut unanswered: Vec<Unanswered<T>>,
        error: Error,
    ) -> Result<Outcome<T>, Error> {
        let is_open = known.has_key() && !known.is_of_other || !unanswered.is_empty();
        if !is_open || matches!(error, Error::NotAdmitted) {
            return Err(error);
        }
        if !error.is_refusal() {
            if !unanswered.is_empty() {
                let row = self.request_row(known.request()).await?;
                if let Some(done) = note(known, row, &mut unanswered) {
                    return Ok(Outcome::Done(done));
                }
            }
            return Err(error);
        }
        let mut retry = Retry::new();
        loop {
            let (name, put) = known.next_fence()?;
            match self.db.send(Transaction::from_iter([put])).await.outcome {
                Ok(()) => {
                    known.fenced(name);
                    return Err(error);
                }
                Err(WriteError::Fail(error)) => return Err(error),
                Err(WriteError::Retry) => {}
            }
            // Either the row has changed, or the fence met another request.
            let row = self.request_row(known.request()).await?;
            if let Some(done) = note(known, row, &mut unanswered) {
                return Ok(Outcome::Done(done));
            }
            if known.is_repeated(before) && !error.is_of_access() {
                return known.replay();
            }
            if known.is_of_other || !known.has_key() && unanswered.is_empty() {
                return Err(error);
            }
            if !retry.pause().await {
                return Err(Error::Unavailable("an attempt may still be committed".into()));
            }
        }
    }

    /// The error of a request that its caller refuses, once no attempt of an earlier request with
    /// its key can be committed any more.
    pub async fn refuse<T>(&self, idempotency: &Idempotency<T>, error: Error) -> Error {
        self.refused(&mut Known::of(&idempotency.request), error).await
    }

    /// The error of a request that is refused before or after its transactions, once no attempt of
    /// it can be committed any more.
    pub(crate) async fn refused(&self, known: &mut Known, error: Error) -> Error {
        if known.is_fenced {
            return error;
        }
        let before = known.result.clone();
        match self.end::<Infallible>(known, before.as_ref(), Vec::new(), error).await {
            Err(error) => error,
            Ok(Outcome::Replayed(_)) => {
                Error::Unavailable("the same request was carried out at the same time".into())
            }
        }
    }
}

/// Notes the row of a request that was read, and returns the result of the attempt that it names,
/// if it is one of these. If it names another one than before, none of these can be committed any
/// more.
fn note<T>(
    known: &mut Known,
    row: Option<IdempotencyRow>,
    unanswered: &mut Vec<Unanswered<T>>,
) -> Option<T> {
    let named = row.as_ref().and_then(|row| row.attempt.as_ref());
    let own = named.and_then(|named| unanswered.iter().position(|it| it.name == *named));
    if let Some(index) = own {
        let Unanswered { name, result, stored } = unanswered.swap_remove(index);
        known.committed(name, stored);
        return Some(result);
    }
    if known.note(row) {
        unanswered.clear();
    }
    None
}

/// The answer to a request that was carried out before, or the decision if it is to be carried out
/// or has to be made again.
fn repeated<T>(
    known: &Known,
    decision: Decided<T>,
    render: impl Fn(&T) -> Option<StoredResponse>,
) -> ControlFlow<Result<Outcome<T>, Error>, Decided<T>> {
    match decision {
        Err(WriteError::Fail(error)) if error.is_of_access() => ControlFlow::Break(Err(error)),
        Err(WriteError::Fail(ref error)) if !error.is_refusal() => ControlFlow::Continue(decision),
        Ok(Decision::Renew(..)) if !known.is_of_other => ControlFlow::Continue(decision),
        Ok(Decision::Refuse { unless, error }) => {
            let own = unless.and_then(|result| render(&result));
            let is_own = own.is_some() && own == known.result;
            ControlFlow::Break(if is_own { known.replay() } else { Err(error) })
        }
        Ok(_) | Err(_) => ControlFlow::Break(known.replay()),
    }
}

/// Nothing, as the row of a request without a key stores.
const fn nothing_stored<T>(_: &T) -> Option<StoredResponse> {
    None
}
