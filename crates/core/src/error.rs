//! Why an operation could not be done.

use std::error;

use crate::{book::BookError, settlement::SettlementError, split::SplitError};

/// Why an operation could not be done, in words that name no transport. Nothing was changed.
///
/// A new reason is a new variant only where some caller acts on it differently.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such group.
    #[error("no such group")]
    NoGroup,
    /// The caller is not a member of the group.
    #[error("only a member of the group may do that")]
    NotMember,
    /// There is no such expense in the group.
    #[error("no such expense in this group")]
    NoExpense,
    /// There is no such settlement in the group.
    #[error("no such settlement in this group")]
    NoSettlement,
    /// A field breaks a rule that depends on the group: its members, its currency, its totals.
    #[error("{path}: {rule}")]
    Invalid {
        /// The field, like `splits[1].userId`.
        path: String,
        /// The rule.
        rule: String,
    },
    /// There are more shares than one transaction can write; how many there are.
    #[error("{}", SplitError::TooMany(*.0))]
    TooManyShares(usize),
    /// The caller is a member, but it is not theirs to do.
    #[error("only who paid or recorded an expense may delete it")]
    NotYourExpense,
    /// The settlement is not the caller's to change so, or does not change any more.
    #[error(transparent)]
    Settlement(#[from] SettlementError),
    /// The chain transaction pays another settlement already.
    #[error("this transaction pays another settlement already")]
    TxHashUsed,
    /// The idempotency key came before with another request.
    #[error("this idempotency key was used for another request")]
    KeyReused,
    /// Others wrote first until the deadline.
    #[error("others were writing to this group at the same time; nothing was changed, try again")]
    Contended,
    /// The table did not answer, or asked for patience, until the deadline.
    #[error("the table is not available")]
    Unavailable(#[source] Cause),
    /// The table refused a request, or holds a row that cannot be read: a mistake of ours or of the deployment.
    #[error("the table could not be used")]
    Table(#[source] Cause),
}

/// What went wrong inside.
pub type Cause = Box<dyn error::Error + Send + Sync>;

impl Error {
    /// The field at `path` breaks `rule`.
    pub fn invalid(path: impl Into<String>, rule: impl Into<String>) -> Self {
        Self::Invalid { path: path.into(), rule: rule.into() }
    }
}

impl From<BookError> for Error {
    fn from(error: BookError) -> Self {
        match error {
            // Whatever the amount is, it is too much for this group.
            BookError::Overflow(_) => Self::invalid("amount", error.to_string()),
            BookError::Unbalanced(_) => Self::Table(error.into()),
        }
    }
}
