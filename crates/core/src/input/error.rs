//! The error of all operations.

use std::{error, fmt};

use crate::{
    input::{
        field::{FieldError, FieldErrors, Path, Unreadable},
        fund_error::FundError,
        limits::{MAX_LINKS, MAX_LINKS_OF_USER, MAX_MEMBERS, MAX_SHARES, MAX_TOKENS},
        question_error::QuestionError,
    },
    values::{currency::Currency, id::SettlementId, settlement_status::SettlementError},
};

/// Kind of a failure of the service, as the field `kind` of a log line has it. Alarms filter on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// A group's ledger does not match its rows.
    LedgerMismatch,
    /// A user's funds do not match their transactions.
    FundsMismatch,
    /// The table refused a request or holds an unreadable row.
    Table,
    /// The table did not answer in time.
    Unavailable,
    /// An error in Fracti.
    Internal,
}

impl FailureKind {
    /// The text of the log line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LedgerMismatch => "LEDGER_MISMATCH",
            Self::FundsMismatch => "FUNDS_MISMATCH",
            Self::Table => "TABLE",
            Self::Unavailable => "UNAVAILABLE",
            Self::Internal => "INTERNAL",
        }
    }
}

/// Error returned by operations, independent of the transport.
///
/// A failed operation has changed nothing, except that the outcome is unknown after
/// [`Unavailable`](Self::Unavailable).
///
/// An error has a variant of its own only if some caller handles it differently.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no such group.
    #[error("the group does not exist")]
    NoGroup,
    /// The caller is not a member of the group; as documented of an operation, also
    /// [`Left`](Self::Left) and [`Removed`](Self::Removed).
    #[error("the caller is not a member of the group")]
    NotMember,
    /// The caller has left the group.
    #[error("the caller has left the group, and may join it again")]
    Left,
    /// The group has no such member.
    #[error("the group has no such member")]
    NoMember,
    /// The caller is in no group with the user.
    #[error("you are in no group with this user")]
    NoSharedGroup,
    /// The member is a user, whose name comes from Telegram.
    #[error("only guests can be renamed; a user's name comes from Telegram")]
    NotGuest,
    /// The member is a user, who cannot be linked.
    #[error("only guests can be linked to users")]
    NotLinkable,
    /// The caller would link the guest to themselves.
    #[error("another member must confirm that this guest is you: ask them to link the guest")]
    NotYourGuest,
    /// The guest is linked to a user, which is final.
    #[error("the guest is already linked to a user, which is final")]
    AlreadyLinked,
    /// The group, or the user, already has the maximum number of links.
    #[error(
        "a group must have at most {MAX_LINKS} linked guests, and at most {MAX_LINKS_OF_USER} for \
         each user"
    )]
    TooManyLinks,
    /// Another present member has the name.
    #[error("another member of the group has the name; send another name")]
    NameTaken,
    /// The caller was removed from the group.
    #[error("the caller was removed from the group; a member may restore them")]
    Removed,
    /// The group is joined with an invitation, and the caller has not its code.
    #[error("the group is joined with an invitation; ask a member for the newest one")]
    InvitationRequired,
    /// The member may not be removed by the caller.
    #[error(
        "only the creator of a group may remove a user, and the creator cannot be removed; guests \
         may be removed by any member"
    )]
    NotRemovable,
    /// The group is archived.
    #[error("the group is archived and cannot be changed; set archived to false first")]
    GroupArchived,
    /// The member has open balances or pending settlements.
    #[error("the member has open balances or pending settlements; settle them first")]
    NotSettled(Unsettled),
    /// Members of the group have open balances, as positive sums, or pending settlements.
    #[error("the group has open balances or pending settlements; settle them first")]
    OpenBalances(Unsettled),
    /// The creator is not the only user in the group.
    #[error("other users are in the group; delete it once they have left or you removed them")]
    NotAlone,
    /// The caller did not create the group.
    #[error("only the creator of a group may delete it")]
    NotCreator,
    /// There is no such expense in the group.
    #[error("the expense does not exist in this group")]
    NoExpense,
    /// There is no such settlement in the group.
    #[error("the settlement does not exist in this group")]
    NoSettlement,
    /// The user has no such spending.
    #[error("the spending does not exist")]
    NoSpending,
    /// The request cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Unreadable),
    /// Fields of the request break rules.
    #[error("{0}")]
    Invalid(FieldErrors),
    /// The expense has more shares than one transaction can write. The value is their number.
    #[error("an expense must have at most {MAX_SHARES} splits and further payers, not {0}")]
    TooManyShares(usize),
    /// The caller is a member, but neither paid nor recorded the expense.
    #[error("only the payer of an expense and the member who recorded it may change it")]
    NotYourExpense,
    /// There is no such import in the group.
    #[error("the import does not exist in this group")]
    NoImport,
    /// The caller did not import the file, and the member who did is still present.
    #[error("only the member who imported a file may undo the import, unless they have left")]
    NotYourImport,
    /// The import is being undone, and cannot record anything until it is `undone`.
    #[error("the import is being undone; repeat the undo until it has ended")]
    ImportUndoing,
    /// A file differs from what earlier imports of the app have recorded, which the request does
    /// not confirm.
    #[error(
        "the file is a later export: {changed} of its rows have changed since an earlier import, \
         and {gone} rows of earlier imports are not in it; see the differences in the plan, and \
         send its confirm"
    )]
    ImportDiffers {
        /// Number of rows that have changed.
        changed: usize,
        /// Number of rows that are gone.
        gone: usize,
    },
    /// There is no such entry in the group's ledger.
    #[error("the entry does not exist in this group's ledger")]
    NoEntry,
    /// The entry belongs to an expense or a settlement, and cannot be reverted by itself.
    #[error("entry {0} cannot be reverted: it belongs to {1}")]
    NotAnAdjustment(String, &'static str),
    /// The caller neither pushed the adjustment nor is a member whose balance it changed.
    #[error(
        "adjustment {0} may be reverted only by the member who pushed it and by the members whose \
         balances it changed"
    )]
    NotYourAdjustment(String),
    /// The resource has changed since the caller read it.
    #[error("the resource has changed since it was read; read it again")]
    Changed,
    /// The targets have another version than the client has read. The value is the current one.
    #[error("the targets have changed since they were read; read them again")]
    VersionConflict(u64),
    /// The write does not fit into one transaction. The value is the number of its actions.
    #[error(
        "the request changes {0} rows, but at most 100 can change at once; change the shares in two edits"
    )]
    TooManyActions(usize),
    /// The request would read more rows than one request may.
    #[error("the group's history is too long to be read in one request")]
    TooMuchHistory,
    /// The group has too many expenses without keys in the index by day.
    #[error("the group's expenses are not indexed by date yet")]
    NotIndexed,
    /// The group has rows of the TypeScript Fracti, which `fracti-admin migrate` has not converted
    /// yet, or the user is in such a group.
    #[error(
        "expenses that the TypeScript Fracti recorded are not in the ledger yet; an operator has to \
         run `fracti-admin migrate`"
    )]
    NotMigrated,
    /// The group already has the maximum number of members.
    #[error("a group must have at most {MAX_MEMBERS} members")]
    TooManyMembers,
    /// The ledger does not match its rows.
    #[error("the ledger does not match its rows")]
    Discrepancy(#[source] Cause),
    /// The caller may not change the settlement in this way, or it is final.
    #[error(transparent)]
    Settlement(#[from] SettlementError),
    /// There is no such question in the group.
    #[error("the question does not exist in this group")]
    NoQuestion,
    /// The question, or an answer to it, is refused.
    #[error(transparent)]
    Question(#[from] QuestionError),
    /// The change of funds is refused.
    #[error(transparent)]
    Fund(#[from] FundError),
    /// A user's funds do not match their transactions.
    #[error("the funds do not match their transactions")]
    FundsMismatch(#[source] Cause),
    /// An equal settlement, this one, is pending.
    #[error(
        "this payment is already recorded and waits to be confirmed; if it is another one, send \
         separate: true"
    )]
    PaymentPending(SettlementId),
    /// Another settlement already has the hash of this blockchain transaction.
    #[error("the txHash is already used by another settlement")]
    TxHashUsed,
    /// The user has no such API token.
    #[error("the API token does not exist")]
    NoToken,
    /// The user already has the maximum number of API tokens.
    #[error("a user must have at most {MAX_TOKENS} API tokens")]
    TooManyTokens,
    /// The idempotency key was already used for a different request.
    #[error("the idempotency key was already used for a different request, which was carried out")]
    KeyReused,
    /// The check of the request's credential or quota has refused it; nothing was sent.
    #[error("the request is not admitted")]
    NotAdmitted,
    /// Other writers were faster each time until the deadline.
    #[error("the request lost to concurrent writes; nothing was changed, try again")]
    Contended,
    /// The table did not respond, or throttled the requests, until the deadline. A write that was
    /// sent may still be committed.
    #[error("the table is not available")]
    Unavailable(#[source] Cause),
    /// Something that cannot happen has happened: an error in Fracti.
    #[error("{0}")]
    Internal(&'static str),
    /// The table refused a request, or holds a row that cannot be read, because of an error in
    /// Fracti or in its deployment.
    #[error("the table refused a request or holds an unreadable row")]
    Table(#[source] Cause),
}

/// Reasons that keep a member from leaving.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsettled {
    /// Balances that are not zero, in minor units; negative if the member owes.
    pub balances: Vec<(Currency, i128)>,
    /// Number of pending settlements.
    pub pending: u64,
}

impl Unsettled {
    /// Whether nothing is open.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.balances.is_empty() && self.pending == 0
    }
}

/// The underlying error, for the log.
pub type Cause = Box<dyn error::Error + Send + Sync>;

impl Error {
    /// The error of a request in which the field at `path` breaks `rule`.
    pub fn invalid(path: impl Into<Path>, rule: impl fmt::Display) -> Self {
        Self::Invalid(FieldError::new(path, rule).into())
    }

    /// The error of funds that do not match their transactions. `what` is for the log.
    #[must_use]
    pub fn funds_mismatch(what: &'static str) -> Self {
        Self::FundsMismatch(what.into())
    }

    /// Whether it says that the request changes nothing. Other errors leave the outcome open.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        self.failure().is_none() && !matches!(self, Self::NotAdmitted)
    }

    /// The kind of a failure of the service; `None` for a refusal.
    #[must_use]
    pub const fn failure(&self) -> Option<FailureKind> {
        match self {
            Self::Unavailable(_) => Some(FailureKind::Unavailable),
            Self::Table(_) => Some(FailureKind::Table),
            Self::Internal(_) => Some(FailureKind::Internal),
            Self::Discrepancy(_) => Some(FailureKind::LedgerMismatch),
            Self::FundsMismatch(_) => Some(FailureKind::FundsMismatch),
            _ => None,
        }
    }

    /// Whether it keeps the caller out of the group, so that they do not see the response to an
    /// earlier request either.
    #[must_use]
    pub const fn is_of_access(&self) -> bool {
        matches!(
            self,
            Self::NoGroup | Self::NotMember | Self::Left | Self::Removed | Self::InvitationRequired
        )
    }
}
