//! The status of a settlement, and the errors of refused changes.

use fracti_texts::{Message, Says, errors, message};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SettlementError {
    /// The caller acts for neither the payer nor the recipient.
    NotParty,
    /// The caller tried to complete the settlement for the side that has confirmed it, or for both.
    NotOtherSide,
    /// The recipient tried to set the hash of a transaction.
    NotPayer,
    /// The caller tried to edit a settlement that another member recorded.
    NotRecorder,
    /// The settlement already has another final status.
    Final(SettlementStatus),
}

impl Says for SettlementError {
    fn says(&self) -> Message {
        match self {
            Self::NotParty => message!(
                "only the payer and the recipient may record or change a settlement",
                "записать или изменить расчёт могут только плательщик и получатель"
            ),
            Self::NotOtherSide => message!(
                "only the other side may complete a settlement, and another member for a guest or \
                 a past member; its payer may send a txHash instead",
                "завершить расчёт может только другая сторона, а за гостя или бывшего участника — \
                 другой участник; плательщик может вместо этого отправить txHash"
            ),
            Self::NotPayer => message!(
                "only the payer may send the txHash of a settlement",
                "отправить txHash расчёта может только плательщик"
            ),
            Self::NotRecorder => message!(
                "only the member who recorded a settlement may edit it",
                "исправить расчёт может только тот, кто его записал"
            ),
            Self::Final(status) => message!(
                "the settlement is already {status}, which is final",
                "у расчёта уже окончательный статус: {status}"
            ),
        }
    }
}

errors!(SettlementError);
