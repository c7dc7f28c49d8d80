//! Writes of several rows at once: all are committed or none is.

use std::collections::HashSet;

use fracti_core::{
    input::Error,
    storage::{
        keys::Primary,
        row::Item,
        write::{MAX_ACTIONS, Transaction, Write, WriteError},
    },
};

use super::{admission::admitted, client::Db, requests::Sent};

/// Error returned for a transaction that writes one row twice, which DynamoDB refuses.
#[derive(Debug, thiserror::Error)]
#[error("two writes of a transaction are to the row {}, {}", .0.pk, .0.sk)]
struct TwoWrites(Primary);

impl Db {
    /// Commits all writes or none, and reports whether the outcome is certain. Nothing is sent
    /// before the request is admitted.
    pub(crate) async fn send(&self, transaction: Transaction) -> Sent {
        let refused = |error| Sent { outcome: Err(WriteError::Fail(error)), unanswered: false };
        let writes = transaction.into_writes();
        if let Err(error) = check(&writes) {
            return refused(error);
        }
        if !admitted().await {
            return refused(Error::NotAdmitted);
        }
        self.requests.write(writes).await
    }

    /// Updates one row and returns the new values of the updated attributes; `None` if it does not
    /// meet its condition.
    ///
    /// It does not wait for the admission of the request, because the admission itself updates
    /// rows. Unlike a transaction, a repeated attempt whose response was lost applies it again.
    ///
    /// # Errors
    ///
    /// [`Error::Internal`] if the write is not an update; the errors of the table.
    pub(crate) async fn update(&self, write: Write) -> Result<Option<Item>, Error> {
        self.requests.update(write).await
    }
}

/// Checks that DynamoDB takes the writes as one transaction.
///
/// # Errors
///
/// [`Error::TooManyActions`]; [`Error::Table`] if two writes are to one row.
fn check(writes: &[Write]) -> Result<(), Error> {
    if writes.len() > MAX_ACTIONS {
        return Err(Error::TooManyActions(writes.len()));
    }
    let mut keys = HashSet::new();
    match writes.iter().map(Write::key).find(|key| !keys.insert(*key)) {
        Some(twice) => Err(Error::Table(TwoWrites(twice.clone()).into())),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(numbers: impl IntoIterator<Item = usize>) -> Result<(), Error> {
        let delete =
            |it: usize| Write::delete(Primary { pk: "GROUP".to_owned(), sk: it.to_string() });
        check(&numbers.into_iter().map(delete).collect::<Vec<_>>())
    }

    #[test]
    fn transaction_has_at_most_100_actions() {
        checked(0..100).unwrap();
        assert!(matches!(checked(0..101), Err(Error::TooManyActions(101))));
    }

    #[test]
    fn transaction_writes_each_row_once() {
        let twice = checked([1, 2, 1]).unwrap_err();
        let Error::Table(cause) = twice else { panic!("{twice}") };
        assert_eq!(cause.to_string(), "two writes of a transaction are to the row GROUP, 1");
    }
}
