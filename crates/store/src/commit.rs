//! The one loop by which all writes are committed: read, decide, send, and begin again if what the
//! write was decided by has changed.
//!
//! An answer may be lost after the commit, and an attempt may arrive late. An attempt without an
//! answer is therefore looked up before another one is sent on another version of the ledger, and
//! before the request is refused.

use fracti_core::{Error, id::GroupId, ledger::Ledger, row::Item};

use crate::{
    balance::put_balance,
    dynamo::{Retry, Transaction, TransactionError},
    table::Table,
};

/// What an attempt decided, after it read.
#[derive(Debug)]
pub(crate) enum Decision<T> {
    /// The result, without a write.
    Done(T),
    /// The result once a write is committed.
    Write(Commit<T>),
}

/// A transaction and its result.
#[derive(Debug)]
pub(crate) struct Commit<T> {
    pub(crate) transaction: Transaction,
    pub(crate) result: T,
    pub(crate) evidence: Evidence,
}

/// What shows whether a transaction was committed.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// A new row of the transaction, which no other write puts.
    pub(crate) row: Option<Item>,
    /// The ledger that was read, if the transaction is committed on condition of its version.
    pub(crate) locked: Option<(GroupId, Ledger)>,
}

impl<T> Decision<T> {
    /// The result once the writes are committed, if there are any.
    pub(crate) fn write(transaction: Transaction, result: T) -> Self {
        if transaction.is_empty() {
            return Self::Done(result);
        }
        let evidence = Evidence { row: transaction.new_rows().next().cloned(), locked: None };
        Self::Write(Commit { transaction, result, evidence })
    }
}

impl Table {
    /// Runs [`Table::write`] while no other writer of the group does in this process.
    ///
    /// The group's lock is the version of its balance row; no other is needed. But if one process
    /// has many writers of a group, like the local server, most of their attempts would lose the
    /// race. A Lambda instance has one request at a time and never waits here.
    ///
    /// `prepare` runs during the wait, if there is one, and ends it with an error.
    ///
    /// # Errors
    ///
    /// As [`Table::write`].
    pub(crate) async fn write_to_group<T, A>(
        &self,
        group: GroupId,
        prepare: impl Future<Output = Result<(), Error>>,
        attempt: impl Fn() -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<Decision<T>, TransactionError>>,
    {
        let lock = self.locks.of(group);
        let _turn = if let Ok(turn) = lock.try_lock() {
            turn
        } else {
            let turn = async {
                let turn = Retry::new().before_deadline(lock.lock()).await;
                turn.ok_or(Error::Contended)
            };
            tokio::try_join!(turn, prepare)?.0
        };
        self.write(attempt).await
    }

    /// Runs `attempt` and commits what it decides, until that succeeds, the attempt fails or the
    /// deadline is over. Each attempt reads and decides anew.
    ///
    /// # Errors
    ///
    /// The error of an attempt or of a condition; [`Error::Contended`] if others wrote first until
    /// the deadline.
    pub(crate) async fn write<T, A>(&self, attempt: impl Fn() -> A) -> Result<T, Error>
    where
        A: Future<Output = Result<Decision<T>, TransactionError>>,
    {
        let mut retry = Retry::new();
        let mut unanswered: Option<(T, Evidence)> = None;
        loop {
            let decision = attempt().await;
            if let Some((result, evidence)) =
                unanswered.take_if(|(_, evidence)| !evidence.may_wait(&decision))
            {
                let settle =
                    !matches!(decision, Err(TransactionError::Fail(Error::Unavailable(_))));
                if self.is_committed(&evidence, settle).await? {
                    return Ok(result);
                }
            }
            let failed = match decision {
                Ok(Decision::Done(result)) => return Ok(result),
                Ok(Decision::Write(commit)) => {
                    let Commit { transaction, result, evidence } = commit;
                    let sent = self.db.send(transaction).await;
                    let Err(failed) = sent.outcome else { return Ok(result) };
                    // Without a lock, an attempt that DynamoDB delayed may be committed at any time.
                    if sent.unanswered || evidence.locked.is_none() {
                        unanswered = Some((result, evidence));
                    }
                    failed
                }
                Err(failed) => failed,
            };
            let error = match failed {
                TransactionError::Retry if retry.pause().await => continue,
                TransactionError::Retry => Error::Contended,
                TransactionError::Fail(error) => error,
            };
            if let Some((result, evidence)) = unanswered {
                let settle = !matches!(error, Error::Unavailable(_));
                if self.is_committed(&evidence, settle).await? {
                    return Ok(result);
                }
            }
            return Err(error);
        }
    }

    /// Whether a transaction that was not answered was committed. If the ledger still has its
    /// version and `settle` is set, the version is changed first, so that it cannot be committed
    /// later.
    async fn is_committed(&self, evidence: &Evidence, settle: bool) -> Result<bool, Error> {
        if let Some((group, read)) = &evidence.locked {
            let open = self.ledger(*group).await?.version == read.version;
            if open && !(settle && self.overtake(*group, read).await?) {
                return Ok(false);
            }
        }
        match &evidence.row {
            Some(row) => self.is_written(row).await,
            None => Ok(false),
        }
    }

    /// Changes the version of the ledger, so that no earlier attempt can still be committed.
    async fn overtake(&self, group: GroupId, read: &Ledger) -> Result<bool, Error> {
        let next = Ledger { version: read.version.saturating_add(1), ..read.clone() };
        let write = put_balance(group, read, &next)?;
        match self.db.send(Transaction::from_iter([write])).await.outcome {
            // Lost to such an attempt or to another writer: either way the version has changed.
            Ok(()) | Err(TransactionError::Retry) => Ok(true),
            Err(TransactionError::Fail(error)) => Err(error),
        }
    }
}

impl Evidence {
    /// Whether the outcome need not be known yet: nothing was decided, or a transaction that
    /// excludes this one, because both expect the same version of the ledger.
    fn may_wait<T>(&self, decision: &Result<Decision<T>, TransactionError>) -> bool {
        match decision {
            Err(TransactionError::Retry) => true,
            Ok(Decision::Write(next)) => {
                self.version().is_some() && self.version() == next.evidence.version()
            }
            Ok(Decision::Done(_)) | Err(TransactionError::Fail(_)) => false,
        }
    }

    fn version(&self) -> Option<u64> {
        self.locked.as_ref().map(|(_, read)| read.version)
    }
}
