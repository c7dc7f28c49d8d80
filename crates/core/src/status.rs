//! The status of a settlement, and why a change of it is refused.

use crate::words;

words! {
    /// Status of a settlement. `pending` becomes `completed` or `failed`, both of which are final.
    /// Only a `completed` settlement changes balances.
    pub enum Status as "SettlementStatus" {
        /// The recipient has not confirmed it yet.
        Pending = "pending",
        /// The recipient has confirmed the payment.
        Completed = "completed",
        /// The payment was not made.
        Failed = "failed",
    }
}

/// Why a settlement, or a change of it, is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettlementError {
    /// The caller neither pays nor is paid.
    #[error("only the payer and the recipient may record or change a settlement")]
    NotParty,
    /// The payer says that the recipient has the money.
    #[error("only the recipient may complete a settlement; its payer may send a txHash instead")]
    NotRecipient,
    /// The recipient names a transaction.
    #[error("only the payer may send the txHash of a settlement")]
    NotPayer,
    /// It is in another final state.
    #[error("the settlement is already {0}, which is final")]
    Final(Status),
}
