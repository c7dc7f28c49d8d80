//! A fund: cash, credit, a bonus or held cash.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{
    storage::{
        keys::{self, Index, Keys},
        row::{Row, USER_ROWS_VERSION},
    },
    values::{
        currency::Currency,
        id::{FundTransactionId, SettlementId, UserId},
        text::FundNote,
        time::Timestamp,
    },
    words,
};

use crate::values::fund_key::FundKey;

/// Time after which a hold for a settlement, or a report, ends: seven days, in seconds.
pub const HOLD_S: u64 = 7 * 24 * 3_600;

/// Maximum number of transactions that are pending in a fund.
pub const MAX_PENDING: usize = 100;

/// Maximum number of rows of held cash of a user in a currency.
pub const MAX_HELD: usize = 100;

/// Maximum number of bonuses of a user in a currency that are not spent.
pub const MAX_BONUSES: usize = 50;

/// Maximum number of bonuses that pay one transaction. Each is an action of its write.
pub const MAX_BONUSES_USED: usize = 20;

/// Number of payments that a bonus names; those before them are only summed up.
pub(crate) const MAX_USAGE: usize = 100;

words! {
    /// Kind of a fund.
    pub enum FundKind as "FundKind" {
        /// Money that was topped up or received. It can be cashed out.
        Cash = "cash",
        /// Value that an operator gave, or that was received from credit. It can only be spent.
        Credit = "credit",
        /// Credit that lapses.
        Bonus = "bonus",
        /// Cash that can be used from a date on.
        Held = "held",
    }
}

words! {
    /// Direction of a transaction of funds.
    pub enum FundFlow as "FundFlow" {
        /// The user gets value.
        Credit = "credit",
        /// The user gives value.
        Debit = "debit",
    }
}

/// Value of one kind that a user has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fund {
    /// User whose value it is.
    pub owner: UserId,
    /// Its kind.
    #[serde(rename = "fund")]
    pub kind: FundKind,
    /// Transaction that gave the bonus or paid the held cash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<FundTransactionId>,
    /// Currency.
    pub currency: Currency,
    /// Value in minor units, never negative. What is withheld is part of it.
    pub balance: i64,
    /// Transactions that are authorised.
    #[serde(default)]
    pub pending: BTreeMap<FundTransactionId, Pending>,
    /// Whether the owner takes payments from funds in this currency without confirming each. Who
    /// has never said so, and has not had such a payment, has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accepts: Option<bool>,
    /// Terms of a bonus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bonus: Option<Bonus>,
    /// Payment of held cash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held: Option<Held>,
    /// Time from which a bonus has lapsed, or held cash can be used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<Timestamp>,
    /// Time of the keeper's next attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Number of the keeper's attempts that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_failures: Option<u32>,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
    /// Time of its first change.
    pub created_at: Timestamp,
    /// Time of its last change.
    pub updated_at: Timestamp,
}

/// The part of an authorised transaction in one fund.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pending {
    /// Amount in minor units.
    pub amount: i64,
    /// Whether it will be added or taken.
    pub flow: FundFlow,
}

/// The terms of a bonus, and what it has paid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bonus {
    /// Amount that was given, in minor units.
    pub awarded: i64,
    /// Operator who gave it.
    pub given_by: UserId,
    /// Note of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<FundNote>,
    /// Amounts that the last transactions took, in minor units.
    #[serde(default)]
    pub usage: BTreeMap<FundTransactionId, i64>,
    /// Sum of the amounts that those before them took, in minor units.
    #[serde(default)]
    pub used_earlier: i64,
}

/// The payment of held cash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Held {
    /// User who paid it.
    pub from_user_id: UserId,
    /// Settlement that it paid.
    pub settlement_id: SettlementId,
}

impl Row for Fund {
    const KIND: &'static str = "fund";
    // Version 5 may refuse payments, which an earlier Fracti would lose.
    const VERSION: u32 = USER_ROWS_VERSION + 1;

    fn keys(&self) -> Keys {
        let due = self.due_at.zip(self.id).map(|(at, id)| Index {
            pk: keys::due(keys::DueList::Money),
            sk: keys::due_position(at, id),
        });
        Keys { gsi3: due, ..keys::fund(self.owner, self.key()).into() }
    }
}

impl Fund {
    /// Key of the fund.
    #[must_use]
    pub fn key(&self) -> FundKey {
        match (self.kind, self.id) {
            (FundKind::Bonus, Some(id)) => FundKey::Bonus(id),
            (FundKind::Held, Some(id)) => FundKey::Held(id),
            (FundKind::Credit | FundKind::Bonus, _) => FundKey::Credit(self.currency),
            (FundKind::Cash | FundKind::Held, _) => FundKey::Cash(self.currency),
        }
    }

    pub(super) fn new(owner: UserId, key: FundKey, currency: Currency, now: Timestamp) -> Self {
        let (kind, id) = match key {
            FundKey::Cash(_) => (FundKind::Cash, None),
            FundKey::Credit(_) => (FundKind::Credit, None),
            FundKey::Bonus(id) => (FundKind::Bonus, Some(id)),
            FundKey::Held(id) => (FundKind::Held, Some(id)),
        };
        Self {
            owner,
            kind,
            id,
            currency,
            balance: 0,
            pending: BTreeMap::new(),
            accepts: None,
            bonus: None,
            held: None,
            until: None,
            due_at: None,
            due_failures: None,
            version: 0,
            created_at: now,
            updated_at: now,
        }
    }

    /// Whether its time is over: a bonus has lapsed, or held cash can be used.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Whether it is a bonus with nothing left and nothing withheld.
    #[must_use]
    pub fn is_spent(&self) -> bool {
        self.kind == FundKind::Bonus && self.balance == 0 && self.pending.is_empty()
    }

    /// Amount withheld for transactions, except those left behind.
    #[must_use]
    pub fn withheld(&self, orphans: &BTreeSet<FundTransactionId>) -> i64 {
        let debits = self
            .pending
            .iter()
            .filter(|(id, it)| it.flow == FundFlow::Debit && !orphans.contains(id));
        debits.map(|(_, it)| it.amount).fold(0, i64::saturating_add)
    }

    /// Usable amount: nothing of a bonus that has lapsed, nor of held cash.
    #[must_use]
    pub fn available(&self, orphans: &BTreeSet<FundTransactionId>, now: Timestamp) -> i64 {
        match self.kind {
            FundKind::Held => 0,
            FundKind::Bonus if self.is_over(now) => 0,
            _ => self.balance.saturating_sub(self.withheld(orphans)).max(0),
        }
    }
}

impl Bonus {
    pub(super) fn used(&mut self, by: FundTransactionId, amount: i64) {
        self.usage.insert(by, amount);
        while self.usage.len() > MAX_USAGE {
            let Some((_, earliest)) = self.usage.pop_first() else { return };
            self.used_earlier = self.used_earlier.saturating_add(earliest);
        }
    }
}

/// The parts of an amount, in minor units, by the kind of the fund.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// Part that is cash.
    pub cash: i64,
    /// Part that is credit, without bonuses.
    pub credit: i64,
    /// Parts that are bonuses, by the transaction that gave the bonus.
    pub bonuses: BTreeMap<FundTransactionId, i64>,
}

impl Parts {
    /// An amount of cash.
    #[must_use]
    pub fn cash(cash: i64) -> Self {
        Self { cash, ..Self::default() }
    }

    /// An amount of credit.
    #[must_use]
    pub fn credit(credit: i64) -> Self {
        Self { credit, ..Self::default() }
    }

    /// Sum of the bonuses.
    #[must_use]
    pub fn bonus(&self) -> i64 {
        self.bonuses.values().copied().fold(0, i64::saturating_add)
    }

    /// Sum of all parts.
    #[must_use]
    pub fn total(&self) -> i64 {
        self.cash.saturating_add(self.credit).saturating_add(self.bonus())
    }

    /// The parts as a recipient gets them: bonuses arrive as credit, so that no promise becomes
    /// money through a friend.
    #[must_use]
    pub fn received(&self) -> Self {
        let credit = self.credit.saturating_add(self.bonus());
        Self { cash: self.cash, credit, bonuses: BTreeMap::new() }
    }
}
