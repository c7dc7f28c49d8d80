//! The status of a settlement, and why a change of it is refused.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::text::parse_variant;

/// How far a settlement is: `pending -> completed` or `pending -> failed`, and both ends are final.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It waits for the recipient's word.
    Pending,
    /// The recipient has the money.
    Completed,
    /// It came to nothing.
    Failed,
}

/// Why a text is not a settlement's state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of pending, completed, failed")]
pub struct StatusError;

impl FromStr for Status {
    type Err = StatusError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_variant(text).ok_or(StatusError)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(f)
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
