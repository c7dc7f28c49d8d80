//! Transactions of a user that wait for an operator, in all currencies.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::{
    funds::user_funds::Funds,
    input::{Limit, fund_error::FundError},
    storage::{
        keys::{self, Keys},
        row::Row,
    },
    values::{
        id::{FundTransactionId, UserId},
        time::Timestamp,
    },
};

/// Maximum number of reports and cash-outs of a user that wait for an operator, in all currencies.
pub const MAX_WAITING: usize = 5;

/// Seconds for which a transaction that is not pending in the funds may be one that has begun after
/// they were read.
const YOUNG_S: u64 = 60;

/// The reports and cash-outs of a user that wait for an operator, and some that waited. It is
/// written when another one begins, without those that have ended by then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FundQueue {
    /// User who waits.
    pub owner: UserId,
    /// The transactions.
    pub waiting: BTreeSet<FundTransactionId>,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
}

impl Row for FundQueue {
    const KIND: &'static str = "fundQueue";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        keys::fund_queue(self.owner).into()
    }
}

impl FundQueue {
    /// The queue of a user for whom nothing has waited.
    #[must_use]
    pub const fn none(owner: UserId) -> Self {
        Self { owner, waiting: BTreeSet::new(), version: 0 }
    }

    /// The young transactions that are not pending in funds that were read at the same time: each
    /// has ended, or has begun after the funds were read.
    #[must_use]
    pub fn unclear(&self, funds: &Funds, now: Timestamp) -> Vec<FundTransactionId> {
        let pending = funds.pending();
        let is_young = |id: &FundTransactionId| {
            id.created_at().is_some_and(|at| now < at.plus_seconds(YOUNG_S))
        };
        let others = self.waiting.iter().filter(|id| !pending.contains(id));
        others.filter(|id| is_young(id)).copied().collect()
    }

    /// The queue with another transaction, and the number of those before it. Of the others, those
    /// stay that are pending in the funds, and the `unclear` ones that still wait.
    ///
    /// # Errors
    ///
    /// [`FundError::TooMany`] if as many wait as are allowed.
    pub fn with(
        self,
        id: FundTransactionId,
        funds: &Funds,
        unclear: &BTreeSet<FundTransactionId>,
    ) -> Result<(Self, u8), FundError> {
        let pending = funds.pending();
        let mut waiting = self.waiting;
        waiting.retain(|id| pending.contains(id) || unclear.contains(id));
        let full = FundError::TooMany { limit: Limit::FundWork, most: MAX_WAITING };
        let before = u8::try_from(waiting.len()).map_err(|_| full.clone())?;
        if waiting.len() >= MAX_WAITING {
            return Err(full);
        }
        waiting.insert(id);
        let version = self.version.saturating_add(1);
        Ok((Self { waiting, version, ..self }, before))
    }
}
