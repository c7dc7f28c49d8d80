//! Why an operation could not be done.

use std::error;

use crate::{
    group::MAX_MEMBERS,
    input::{FieldError, FieldErrors, Unreadable},
    ledger::{Discrepancy, LedgerError},
    settlement::SettlementError,
    split::SplitError,
};

/// Why an operation could not be done, in words that name no transport.
///
/// Nothing was changed; only of what was [`Unavailable`](Self::Unavailable) nobody knows.
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
    /// The request cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Fields of the request break rules.
    #[error("{0}")]
    Invalid(FieldErrors),
    /// There are more shares than one transaction can write; how many there are.
    #[error("{}", SplitError::TooMany(*.0))]
    TooManyShares(usize),
    /// The caller is a member, but it is not theirs to do.
    #[error("only who paid or recorded an expense may change it")]
    NotYourExpense,
    /// There is no such entry in the group's ledger.
    #[error("no such entry in this group's ledger")]
    NoEntry,
    /// The entry stands for something else, which is to be taken back itself.
    #[error("the entry {0} belongs to {1}")]
    NotAnAdjustment(String, &'static str),
    /// The caller neither made the adjustment nor is one of those whose balances it moved.
    #[error("only who made the adjustment {0}, or whose balance it moved, may revert it")]
    NotYourAdjustment(String),
    /// It is not as the caller last saw it.
    #[error("it was changed meanwhile: read it again")]
    Changed,
    /// The write does not fit into one transaction; how many actions it takes.
    #[error("this takes {0} actions, and one transaction has at most 100")]
    TooManyActions(usize),
    /// More would have to be read than one request may.
    #[error("the group's history is too long to be read in one request")]
    TooMuchHistory,
    /// The group has as many members as it may.
    #[error("the group has {MAX_MEMBERS} members and takes no more")]
    TooManyMembers,
    /// The ledger is not what its rows say.
    #[error("the ledger and its rows differ")]
    Discrepancy(#[source] Discrepancy),
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
    /// The table did not answer, or asked for patience, until the deadline. What was sent to it may be done all the same.
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
        Self::Invalid(FieldError { path: path.into(), rule: rule.into() }.into())
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        match error {
            // Whatever the amount is, it is too much for this group.
            LedgerError::Overflow(_) => Self::invalid("amount", error.to_string()),
            LedgerError::Full => Self::invalid("currency", error.to_string()),
            LedgerError::Unbalanced(_) | LedgerError::Missing(_) => Self::Table(error.into()),
        }
    }
}
