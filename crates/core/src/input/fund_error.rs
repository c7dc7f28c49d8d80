//! The errors of refused changes of funds.

use crate::{
    input::Limit,
    values::{fund_status::FundStatus, money::Money, time::Timestamp},
};

/// Error returned for a change of funds that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FundError {
    /// Less is available than is needed.
    #[error(
        "{} {currency}{} are needed, {} {currency} are available",
        .needed.to_major(),
        if *.cash_only { " of cash" } else { "" },
        .available.to_major(),
        currency = .needed.currency
    )]
    Insufficient {
        /// Amount that the request needs.
        needed: Money,
        /// Available amount.
        available: Money,
        /// Whether only cash counts.
        cash_only: bool,
    },
    /// The caller named another user.
    #[error("these are another user's funds")]
    NotYours,
    /// The caller is not an operator.
    #[error("only an operator can do this")]
    NotOperator,
    /// The caller would spend the funds of another payer.
    #[error("only the payer can pay from their funds")]
    NotPayer,
    /// An API token would spend funds, or confirm what they pay.
    #[error("API tokens cannot do this; use the app")]
    NotInApp,
    /// The transaction belongs to a settlement, with which it ends.
    #[error("the transaction belongs to a settlement: complete or fail that")]
    OfSettlement,
    /// The user has no such transaction.
    #[error("the transaction does not exist")]
    NoTransaction,
    /// The user is in no group.
    #[error("no group has a member with this id")]
    NoUser,
    /// The deployment has no operator.
    #[error("funds are not enabled")]
    Disabled,
    /// The recipient has not agreed to be paid from funds, or is not owed as much.
    #[error("the recipient has to confirm this payment")]
    NotAccepted,
    /// Nothing of the settlement is left to be paid outside of funds.
    #[error("funds pay this settlement")]
    Funded,
    /// The transaction has ended in another way.
    #[error("the transaction is already {0}")]
    Final(FundStatus),
    /// The time of the transaction has run out.
    #[error("the hold expired on {} at {} UTC", .0.day(), .0.clock())]
    Over(Timestamp),
    /// An operator has given the reference before.
    #[error("refId was already used")]
    ReferenceUsed,
    /// A fund has as many of something as are allowed.
    #[error("at most {most} {}", of_funds(*.limit))]
    TooMany {
        /// The limit.
        limit: Limit,
        /// How many are allowed.
        most: usize,
    },
}

/// The things that a limit counts.
const fn of_funds(limit: Limit) -> &'static str {
    match limit {
        Limit::FundWork => "reports and cash-outs can wait for an operator",
        Limit::Bonuses => "bonuses per currency",
        Limit::HeldPayments => "payments can be held per currency",
        _ => "transactions can be pending per fund",
    }
}
