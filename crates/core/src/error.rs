//! Why an operation could not be done.

use std::{error, fmt};

use crate::{
    discrepancy::Discrepancy,
    field::{FieldError, FieldErrors, Unreadable},
    ledger::LedgerError,
    limits::MAX_MEMBERS,
    split::SplitError,
    status::SettlementError,
};

/// Why an operation could not be done, in words that name no transport.
///
/// Nothing was changed, except that after [`Unavailable`](Self::Unavailable) the outcome is
/// unknown.
///
/// A new reason is a new variant only where some caller acts on it differently.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such group.
    #[error("the group does not exist")]
    NoGroup,
    /// The caller is not a member of the group.
    #[error("the caller is not a member of the group")]
    NotMember,
    /// There is no such expense in the group.
    #[error("the expense does not exist in this group")]
    NoExpense,
    /// There is no such settlement in the group.
    #[error("the settlement does not exist in this group")]
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
    #[error("only the payer of an expense and the member who recorded it may change it")]
    NotYourExpense,
    /// There is no such entry in the group's ledger.
    #[error("the entry does not exist in this group's ledger")]
    NoEntry,
    /// The entry stands for something else, which is to be taken back itself.
    #[error("entry {0} cannot be reverted: it belongs to {1}")]
    NotAnAdjustment(String, &'static str),
    /// The caller neither made the adjustment nor is one of those whose balances it moved.
    #[error(
        "adjustment {0} may be reverted only by the member who pushed it and by the members whose \
         balances it changed"
    )]
    NotYourAdjustment(String),
    /// It is not as the caller last saw it.
    #[error("the resource has changed since it was read; read it again")]
    Changed,
    /// The write does not fit into one transaction; how many actions it takes.
    #[error("the request takes {0} writes, but a transaction has at most 100")]
    TooManyActions(usize),
    /// More would have to be read than one request may.
    #[error("the group's history is too long to be read in one request")]
    TooMuchHistory,
    /// The group has as many members as it may.
    #[error("a group must have at most {MAX_MEMBERS} members")]
    TooManyMembers,
    /// The ledger is not what its rows say.
    #[error("the ledger does not match its rows")]
    Discrepancy(#[source] Discrepancy),
    /// The settlement is not the caller's to change so, or does not change any more.
    #[error(transparent)]
    Settlement(#[from] SettlementError),
    /// The chain transaction pays another settlement already.
    #[error("the txHash is already used by another settlement")]
    TxHashUsed,
    /// The idempotency key came before with another request.
    #[error("the idempotency key was already used for a different request")]
    KeyReused,
    /// Others wrote first until the deadline.
    #[error("the request lost to concurrent writes to the group; nothing was changed, try again")]
    Contended,
    /// The table did not answer, or asked for patience, until the deadline. What was sent to it may
    /// be done all the same.
    #[error("the table is not available")]
    Unavailable(#[source] Cause),
    /// The table refused a request, or holds a row that cannot be read: a mistake of ours or of the
    /// deployment.
    #[error("the table refused a request or holds an unreadable row")]
    Table(#[source] Cause),
}

/// What went wrong inside.
pub type Cause = Box<dyn error::Error + Send + Sync>;

impl Error {
    /// The field at `path` breaks `rule`.
    pub fn invalid(path: impl Into<String>, rule: impl fmt::Display) -> Self {
        Self::Invalid(FieldError::new(path, rule).into())
    }
}

impl From<LedgerError> for Error {
    fn from(error: LedgerError) -> Self {
        match error {
            // Whatever the amount is, it is too much for this group.
            LedgerError::Overflow(_) => Self::invalid("amount", error.to_string()),
            LedgerError::Full => Self::invalid("currency", error.to_string()),
            LedgerError::Unbalanced(_) | LedgerError::Uncounted | LedgerError::Missing(_) => {
                Self::Table(error.into())
            }
        }
    }
}
