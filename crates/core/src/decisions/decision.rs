//! What an attempt at a request decides.

use crate::{
    decisions::balance::put_lock,
    input::Error,
    ledger::Ledger,
    storage::write::{Transaction, Write, WriteError},
    values::id::GroupId,
};

/// The outcome of an attempt, which has read rows but has not written any.
#[derive(Debug)]
pub enum Decision<T> {
    /// The result, without a write.
    Done(T),
    /// The result once a transaction is committed.
    Write(Transaction, T),
    /// The same, although a result is stored for the request: it does not hold any more.
    Renew(Transaction, T),
    /// The error, although a result may be stored for the request, unless it is this one.
    Refuse {
        /// The result of the request itself.
        unless: Option<T>,
        /// The error.
        error: Error,
    },
}

impl<T> Decision<T> {
    /// The result once a transaction is committed, which may be empty.
    pub fn of(transaction: Transaction, result: T) -> Self {
        if transaction.is_empty() { Self::Done(result) } else { Self::Write(transaction, result) }
    }

    /// The result once a transaction that is no event of the ledger is committed under the group's
    /// lock. An empty transaction needs none.
    pub fn locked(
        group: GroupId,
        read: &Ledger,
        mut transaction: Transaction,
        result: T,
    ) -> Result<Self, WriteError> {
        if transaction.is_empty() {
            return Ok(Self::Done(result));
        }
        transaction.add(put_lock(group, read)?);
        Ok(Self::Write(transaction, result))
    }

    /// The result, unless it is refused.
    pub const fn result(&self) -> Option<&T> {
        match self {
            Self::Done(result) | Self::Write(_, result) | Self::Renew(_, result) => Some(result),
            Self::Refuse { .. } => None,
        }
    }

    /// The decision with further writes, unless it is refused.
    #[must_use]
    pub fn with(self, writes: impl IntoIterator<Item = Write>) -> Self {
        let writes: Vec<Write> = writes.into_iter().collect();
        match self {
            Self::Done(result) => Self::of(Transaction::from_iter(writes), result),
            Self::Write(mut transaction, result) => {
                transaction.extend(writes);
                Self::Write(transaction, result)
            }
            Self::Renew(mut transaction, result) => {
                transaction.extend(writes);
                Self::Renew(transaction, result)
            }
            Self::Refuse { .. } => self,
        }
    }

    /// The transaction, which may be empty, and the result.
    ///
    /// # Errors
    ///
    /// [`WriteError::Fail`] of a refusal.
    pub fn into_write(self) -> Result<(Transaction, T), WriteError> {
        match self {
            Self::Done(result) => Ok((Transaction::default(), result)),
            Self::Write(transaction, result) | Self::Renew(transaction, result) => {
                Ok((transaction, result))
            }
            Self::Refuse { error, .. } => Err(error.into()),
        }
    }
}
