//! Transactions: the changes of one user's funds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    funds::fund::{FundFlow, Parts},
    storage::{
        keys::{self, Index, Keys},
        row::{Row, USER_ROWS_VERSION},
    },
    values::{
        currency::Currency,
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, GroupId, SettlementId, UserId},
        money::Money,
        ref_id::RefId,
        text::{FundNote, PayTo},
        time::Timestamp,
    },
    words,
};

use crate::values::fund_key::FundWork;

words! {
    /// Type of a transaction of funds.
    pub enum FundTransactionType as "FundTransactionType" {
        /// Money that the user has paid to the operator.
        Topup = "topup",
        /// Credit that an operator gave.
        Credit = "credit",
        /// Bonus that an operator gave.
        Bonus = "bonus",
        /// One side of a settlement.
        Settlement = "settlement",
        /// One side of a payment that its recipient gave back.
        Return = "return",
        /// Money that the operator pays to the user.
        Cashout = "cashout",
        /// Value that an operator took back, to put a mistake right.
        Correction = "correction",
        /// Rest of a bonus whose time ran out.
        Lapse = "lapse",
    }
}

/// A change of one user's funds. A payment between two users is two of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FundTransaction {
    /// Identifier, which contains the time of creation.
    pub id: FundTransactionId,
    /// User whose funds it changes.
    pub owner: UserId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: FundTransactionType,
    /// Its direction.
    #[serde(rename = "fundFlow")]
    pub flow: FundFlow,
    /// Its status.
    pub status: FundStatus,
    /// Reference of the payment outside of Fracti.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ref_id: Option<RefId>,
    /// Currency of the amounts.
    pub currency: Currency,
    /// Amount in minor units: the sum of the three parts.
    pub amount: i64,
    /// Part that is cash, in minor units.
    pub cash_amount: i64,
    /// Part that is credit without bonuses, in minor units.
    pub credit_amount: i64,
    /// Part that is bonuses, in minor units.
    pub bonus_amount: i64,
    /// The part of each bonus, in minor units.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub bonus_usage: BTreeMap<FundTransactionId, i64>,
    /// Cash that was available before it, in minor units, if it changes the cash. Each of these
    /// numbers is of the funds on whose versions its write depends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cash_available: Option<i64>,
    /// Credit that was available before it, in minor units, if it changes the credit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credit_available: Option<i64>,
    /// Sum available before it in the bonuses that it changes, in minor units, if it changes any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonus_available: Option<i128>,
    /// Note of its creator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<FundNote>,
    /// Account to which a cash-out is paid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<PayTo>,
    /// Group of the settlement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group_id: Option<GroupId>,
    /// Settlement that it is one side of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settlement_id: Option<SettlementId>,
    /// User of the other side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_user_id: Option<UserId>,
    /// Transaction of the other side, once it exists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub other_id: Option<FundTransactionId>,
    /// User who created it.
    pub actor_id: UserId,
    /// Name of the owner when they created it, if it waits or waited for an operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner_name: Option<String>,
    /// Number of the owner's others that waited for an operator before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits_behind: Option<u8>,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time from which it is no longer completed; of a bonus, time from which it has lapsed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    /// Time from which its cash can be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_until: Option<Timestamp>,
    /// Time of the keeper's next attempt to end it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Number of the keeper's attempts that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_failures: Option<u32>,
    /// Time at which it reached its final status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<Timestamp>,
    /// User who gave it its final status. One that its time has ended has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<UserId>,
}

impl Row for FundTransaction {
    const KIND: &'static str = "fundTransaction";
    // Version 5 may be a return, and says who ended it. Earlier rows say what was available of all
    // funds.
    const VERSION: u32 = USER_ROWS_VERSION + 1;

    fn keys(&self) -> Keys {
        let due = self.due_at.map(|at| Index {
            pk: keys::due(keys::DueList::Money),
            sk: keys::due_position(at, self.id),
        });
        let work = self.work().map(|work| Index {
            pk: keys::fund_work(work),
            sk: keys::work_position(self.waits_behind, self.created_at, self.id),
        });
        Keys { gsi1: work, gsi3: due, ..keys::fund_transaction(self.owner, self.id).into() }
    }
}

/// Contents of a new transaction.
#[derive(Clone, Debug)]
pub struct NewEntry {
    /// Identifier.
    pub id: FundTransactionId,
    /// Its type.
    pub kind: FundTransactionType,
    /// Its direction.
    pub flow: FundFlow,
    /// Currency.
    pub currency: Currency,
    /// Its parts, in minor units.
    pub parts: Parts,
    /// User who creates it.
    pub actor: UserId,
    /// Time of creation.
    pub now: Timestamp,
}

impl FundTransaction {
    /// The id of a further transaction of one request, whose random bits follow from those of the
    /// first, so that each attempt has the same ids.
    #[must_use]
    pub fn further_id(now: Timestamp, random: [u8; 10], label: &str) -> FundTransactionId {
        let hash = Sha256::new().chain_update(random).chain_update(label).finalize();
        let random = hash.first_chunk().copied().unwrap_or(random);
        FundTransactionId::new(now, random)
    }

    /// The amount.
    #[must_use]
    pub const fn money(&self) -> Money {
        Money { currency: self.currency, minor: self.amount }
    }

    /// The fund of each part, and the amount in minor units. No amount is zero.
    #[must_use]
    pub fn parts(&self) -> Vec<(FundKey, i64)> {
        let cash = match self.status {
            FundStatus::Held => FundKey::Held(self.id),
            _ => FundKey::Cash(self.currency),
        };
        let plain =
            [(cash, self.cash_amount), (FundKey::Credit(self.currency), self.credit_amount)];
        let bonuses = self.bonus_usage.iter().map(|(id, amount)| (FundKey::Bonus(*id), *amount));
        plain.into_iter().chain(bonuses).filter(|(_, amount)| *amount != 0).collect()
    }

    /// The parts as amounts.
    #[must_use]
    pub fn amounts(&self) -> Parts {
        let bonuses = self.bonus_usage.clone();
        Parts { cash: self.cash_amount, credit: self.credit_amount, bonuses }
    }

    /// Work that it makes for an operator.
    #[must_use]
    pub fn work(&self) -> Option<FundWork> {
        match (self.status, self.kind) {
            (FundStatus::Authorised, FundTransactionType::Topup) => Some(FundWork::Topup),
            (FundStatus::Authorised, FundTransactionType::Cashout) => Some(FundWork::Cashout),
            _ => None,
        }
    }

    /// The link that pays a cash-out in TON from a wallet, with the id as comment.
    #[must_use]
    pub fn payment_link(&self) -> Option<String> {
        let is_cashout = self.work() == Some(FundWork::Cashout);
        let to = self.to.as_ref().filter(|_| is_cashout && self.currency == Currency::TON)?;
        Some(format!("ton://transfer/{to}?amount={}&text=fracti%3A{}", self.amount, self.id))
    }

    /// Whether its time is over while it is authorised.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.status == FundStatus::Authorised && self.expires_at.is_some_and(|end| end <= now)
    }

    /// The same transaction with a time from which it is no longer completed.
    #[must_use]
    pub fn until(self, expires_at: Timestamp) -> Self {
        Self { expires_at: Some(expires_at), due_at: Some(expires_at), ..self }
    }

    /// The same transaction in a status that it keeps, which a user gave it or, without one, time.
    #[must_use]
    pub fn ended(self, status: FundStatus, now: Timestamp, by: Option<UserId>) -> Self {
        let ended_at = Some(now);
        Self { status, ended_at, ended_by: by, due_at: None, due_failures: None, ..self }
    }

    /// The same transaction whose cash is held until a time, so that it does not change the cash.
    #[must_use]
    pub fn held(self, until: Timestamp) -> Self {
        let status = FundStatus::Held;
        Self { status, held_until: Some(until), cash_available: None, ..self }
    }
}
