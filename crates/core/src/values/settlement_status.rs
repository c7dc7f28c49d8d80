//! The status of a settlement, and the errors of refused changes.

use crate::words;

words! {
    /// Status of a settlement. `pending` becomes `completed` or `failed`, both of which are final.
    /// Only a `completed` settlement changes balances.
    pub enum SettlementStatus as "SettlementStatus" {
        /// The recipient has not confirmed it yet.
        Pending = "pending",
        /// The recipient has confirmed the payment.
        Completed = "completed",
        /// The payment was not made.
        Failed = "failed",
    }
}

/// Error returned for a settlement, or a change of one, that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettlementError {
    /// The caller acts for neither the payer nor the recipient.
    #[error("only the payer and the recipient may record or change a settlement")]
    NotParty,
    /// The caller tried to complete the settlement for the side that has confirmed it, or for both.
    #[error(
        "only the other side may complete a settlement, and another member for a guest or a past \
         member; its payer may send a txHash instead"
    )]
    NotOtherSide,
    /// The recipient tried to set the hash of a transaction.
    #[error("only the payer may send the txHash of a settlement")]
    NotPayer,
    /// The caller tried to edit a settlement that another member recorded.
    #[error("only the member who recorded a settlement may edit it")]
    NotRecorder,
    /// The settlement already has another final status.
    #[error("the settlement is already {0}, which is final")]
    Final(SettlementStatus),
}
