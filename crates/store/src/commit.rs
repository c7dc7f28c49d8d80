//! The loop that commits all writes: read, decide, send, and start again if the rows that were read
//! have changed.
//!
//! A response may be lost after the commit, and a transaction may reach DynamoDB late. If a
//! transaction has no response, the loop therefore finds out whether it was committed, before it
//! sends one for another version of the ledger and before it returns an error.

use std::future::ready;

use fracti_core::{
    Error,
    id::{GroupId, MemberId},
    ledger::Ledger,
    time::Timestamp,
};

use crate::{
    balance::put_balance,
    dynamo::{Retry, SdkItem, Transaction, TransactionError},
    table::Table,
};

/// The outcome of an attempt, which has read rows but has not written any.
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

/// Rows that show whether a transaction was committed.
#[derive(Debug)]
pub(crate) struct Evidence {
    /// A new row that no other transaction writes.
    pub(crate) row: Option<SdkItem>,
    /// A member whose presence the transaction changes, and when.
    pub(crate) change: Option<(MemberId, Timestamp)>,
    /// The ledger that was read, if its version is a condition of the transaction.
    pub(crate) locked: Option<(GroupId, Box<Ledger>)>,
}

impl<T> Decision<T> {
    /// The decision to return `result` once the writes are committed, if there are any.
    pub(crate) fn write(transaction: Transaction, result: T) -> Self {
        if transaction.is_empty() {
            return Self::Done(result);
        }
        let row = transaction.new_rows().next().cloned();
        let evidence = Evidence { row, change: None, locked: None };
        Self::Write(Commit { transaction, result, evidence })
    }
}

impl Table {
    /// Runs [`Table::write`] for one writer of the group at a time in this process.
    ///
    /// The version of the balance row is the only lock that a group needs. In a process with many
    /// writers of one group, like the local server, however, most attempts would lose the race. A
    /// Lambda instance handles one request at a time and never waits here.
    ///
    /// # Errors
    ///
    /// As [`Table::write`].
    pub(crate) async fn write_to_group<T, A>(
        &self,
        group: GroupId,
        attempt: impl Fn() -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<Decision<T>, TransactionError>>,
    {
        self.write_to_group_prepared(group, ready(Ok(())), attempt).await
    }

    /// [`Table::write_to_group`], with `prepare` during the wait, if there is one. If `prepare`
    /// fails, the wait ends with its error.
    ///
    /// # Errors
    ///
    /// As [`Table::write`].
    pub(crate) async fn write_to_group_prepared<T, A>(
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
        self.write_migrated(group, attempt).await
    }

    /// Runs [`Table::write`]. If an attempt needs the group to be migrated, migrates it and runs
    /// the write again: the events of v0 rows must come before new ones in the ledger, and v0 rows
    /// may be unreadable.
    ///
    /// # Errors
    ///
    /// As [`Table::write`] and [`Table::migrate`].
    pub(crate) async fn write_migrated<T, A>(
        &self,
        group: GroupId,
        attempt: impl Fn() -> A,
    ) -> Result<T, Error>
    where
        A: Future<Output = Result<Decision<T>, TransactionError>>,
    {
        self.migrated(group, || self.write(&attempt)).await
    }

    /// Runs `work`. If `work` needs the group to be migrated, migrates it and runs `work` again.
    ///
    /// # Errors
    ///
    /// Those of `work`; as [`Table::migrate`].
    pub(crate) async fn migrated<T, W>(
        &self,
        group: GroupId,
        work: impl Fn() -> W,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>>,
    {
        let error = match work().await {
            Err(error @ (Error::Unmigrated | Error::Table(_))) => error,
            done => return done,
        };
        // Only groups of the TypeScript Fracti have v0 rows, so others cost no read.
        if group.created_at().is_some()
            || !self.ledger(group).await?.presence.needs_migration(group)
        {
            return Err(error);
        }
        // Boxed, because hardly any write needs it.
        Box::pin(self.migrate(group)).await?;
        Box::pin(work()).await
    }

    /// Runs `attempt` and commits its decision until a commit succeeds, the attempt fails or the
    /// deadline has passed. Each attempt reads and decides again.
    ///
    /// # Errors
    ///
    /// The error of an attempt or of a condition; [`Error::Contended`] if other writers were faster
    /// each time until the deadline.
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
                    let failed = match sent.outcome {
                        Ok(()) => return Ok(result),
                        // Nothing was sent, so there is nothing to confirm.
                        Err(TransactionError::Fail(Error::NotAdmitted)) => {
                            return Err(Error::NotAdmitted);
                        }
                        Err(failed) => failed,
                    };
                    // Without a lock, a delayed attempt may still be committed at any time.
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

    /// Whether a transaction without a response was committed. If the ledger still has the version
    /// that the transaction expects and `settle` is set, the version is changed first, so that the
    /// transaction cannot be committed later.
    async fn is_committed(&self, evidence: &Evidence, settle: bool) -> Result<bool, Error> {
        if let Some((group, read)) = &evidence.locked {
            let open = self.ledger(*group).await?.version == read.version;
            if open && !(settle && self.overtake(*group, read).await?) {
                return Ok(false);
            }
            if let Some((member, at)) = evidence.change {
                return Ok(self.ledger(*group).await?.presence.changed_at(at) == Some(member));
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
            // Either such an attempt or another writer was first. In both cases, the version has
            // changed.
            Ok(()) | Err(TransactionError::Retry) => Ok(true),
            Err(TransactionError::Fail(error)) => Err(error),
        }
    }
}

impl Evidence {
    /// Whether the outcome is not needed yet: nothing was decided, or the next transaction excludes
    /// this one, because both expect the same version of the ledger.
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
