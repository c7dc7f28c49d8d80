//! The audit of funds: what follows from transactions and settlements is computed again, and
//! compared with what is stored.
//!
//! Transactions and settlements are what happened. Balances, pending entries, the terms of bonuses
//! and held cash, references, sums over all users and the attributes of the indexes follow from
//! them. A row that cannot be read is reported, and what would follow from it is not.

mod half_done;
mod settlements;
mod sums;
mod terms;
mod transactions;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    funds::{
        fund::{Fund, FundFlow, Pending},
        fund_queue::FundQueue,
        fund_total::FundReference,
        fund_transaction::FundTransaction,
        user_funds::Funds,
    },
    records::settlement::Settlement,
    storage::{
        keys::{self, Primary},
        row::{self, FORMAT_VERSION, Item, KIND, Row},
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, GroupId, SettlementId, UserId},
        ref_id::RefId,
        time::Timestamp,
    },
};

pub use sums::AllFunds;

/// All rows of a user's funds, as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundRows {
    /// The user.
    pub owner: UserId,
    /// The funds.
    pub funds: Vec<Fund>,
    /// The transactions.
    pub transactions: Vec<FundTransaction>,
    /// The other sides of payments, as far as they exist.
    pub others: BTreeMap<(UserId, FundTransactionId), FundTransaction>,
    /// The rows at the keys of the references of transactions, as far as they exist.
    pub references: Vec<FundReference>,
    /// The settlements that transactions name, or that the user's funds pay.
    pub settlements: BTreeMap<SettlementId, Settlement>,
    /// Work of the user that waits for an operator.
    pub queue: Option<FundQueue>,
    /// The groups of transactions that exist.
    pub groups: BTreeSet<GroupId>,
    /// Faults of single rows.
    broken: Vec<FundFinding>,
    /// The rows that cannot be read, or have the attributes of another key.
    unread: BTreeSet<String>,
}

/// A fault of funds. Amounts are in major units.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FundFinding {
    /// A balance is not the sum of the transactions.
    #[error("fund {key} has {stored} {currency}, but its transactions sum up to {expected}")]
    Balance {
        /// The fund.
        key: FundKey,
        /// Its currency.
        currency: Currency,
        /// Its balance; 0 if it has no row.
        stored: Decimal,
        /// Sum of its transactions.
        expected: Decimal,
    },
    /// A balance is negative.
    #[error("fund {0} is negative")]
    Negative(FundKey),
    /// A pending entry and its transaction differ.
    #[error("fund {key}: the pending entry of transaction {id} {what}")]
    Pending {
        /// The fund.
        key: FundKey,
        /// The transaction.
        id: FundTransactionId,
        /// Difference between them.
        what: &'static str,
    },
    /// A pending entry was left behind: it counts nowhere, and a check of the user's funds releases
    /// it.
    #[error("fund {key}: the pending entry of transaction {id} was left behind")]
    LeftBehind {
        /// The fund.
        key: FundKey,
        /// The transaction.
        id: FundTransactionId,
    },
    /// A transaction contradicts itself or its other side.
    #[error("transaction {id} of {amount} {currency}: {what}")]
    Transaction {
        /// The transaction.
        id: FundTransactionId,
        /// Its amount.
        amount: Decimal,
        /// Its currency.
        currency: Currency,
        /// Description of the fault.
        what: &'static str,
    },
    /// A row cannot be read, or has attributes that do not follow from it.
    #[error("row {} {}: {what}", .key.pk, .key.sk)]
    Row {
        /// Key of the row.
        key: Primary,
        /// Description of the fault.
        what: String,
    },
    /// The terms of a fund are not those of its transaction.
    #[error("fund {key}: {what}")]
    Fund {
        /// The fund.
        key: FundKey,
        /// Description of the fault.
        what: &'static str,
    },
    /// A settlement and the transactions that pay it differ.
    #[error("settlement {id} of the group {group}: {what}")]
    Settlement {
        /// The settlement.
        id: SettlementId,
        /// Its group.
        group: GroupId,
        /// Description of the fault.
        what: &'static str,
    },
    /// A reference is used for a transaction that does not have it.
    #[error("reference \"{ref_id}\" of transaction {id}: the transaction does not have it")]
    Reference {
        /// The reference.
        ref_id: RefId,
        /// The transaction.
        id: FundTransactionId,
    },
    /// A sum over all users is not that of the transactions, or of the funds.
    #[error("{what} in {currency}: {stored} by the sums, but {expected} by {by}")]
    Total {
        /// Name of the sum.
        what: &'static str,
        /// Its currency.
        currency: Currency,
        /// The sum as it is stored.
        stored: Decimal,
        /// The sum as it should be.
        expected: Decimal,
        /// Source of the expected sum: the transactions, or the funds.
        by: &'static str,
    },
}

impl FundRows {
    /// The rows of a user, before any of them is read.
    #[must_use]
    pub const fn none(owner: UserId) -> Self {
        Self {
            owner,
            funds: Vec::new(),
            transactions: Vec::new(),
            others: BTreeMap::new(),
            references: Vec::new(),
            settlements: BTreeMap::new(),
            queue: None,
            groups: BTreeSet::new(),
            broken: Vec::new(),
            unread: BTreeSet::new(),
        }
    }

    /// Adds a fund as it is stored.
    pub fn add_fund(&mut self, item: Item) {
        let fund = self.read(item);
        self.funds.extend(fund);
    }

    /// Adds a transaction as it is stored.
    pub fn add_transaction(&mut self, item: Item) {
        let transaction = self.read(item);
        self.transactions.extend(transaction);
    }

    /// Adds the row of what waits as it is stored.
    pub fn add_queue(&mut self, item: Item) {
        self.queue = self.read(item);
    }

    /// Adds the row of a reference as it is stored.
    pub fn add_reference(&mut self, item: Item) {
        let reference = self.read(item);
        self.references.extend(reference);
    }

    /// Adds a settlement as it is stored.
    pub fn add_settlement(&mut self, item: Item) {
        if let Some(settlement) = self.read::<Settlement>(item) {
            self.settlements.insert(settlement.id, settlement);
        }
    }

    /// Whether every row of the user's funds could be read, so that sums over all users are known.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.misses(keys::prefix::FUND) && !self.misses(keys::prefix::FUND_TRANSACTION)
    }

    /// Faults of the funds of one user.
    #[must_use]
    pub fn audit(&self, now: Timestamp) -> Vec<FundFinding> {
        let mut findings = self.broken.clone();
        findings.extend(self.wrong_balances());
        findings.extend(self.wrong_pending(now));
        findings.extend(self.wrong_terms(now));
        for of in &self.transactions {
            let wrong = self.wrong_transaction(of, now).into_iter();
            let amount = of.currency.to_major(of.amount);
            let currency = of.currency;
            findings.extend(wrong.map(|what| FundFinding::Transaction {
                id: of.id,
                amount,
                currency,
                what,
            }));
        }
        findings.extend(self.wrong_settlements());
        findings
    }

    /// Findings about rows of references that name transactions of the user.
    #[must_use]
    pub fn audit_references(&self, items: Vec<Item>) -> Vec<FundFinding> {
        let mut read = Self::none(self.owner);
        for item in items {
            read.add_reference(item);
        }
        let of = |reference: &FundReference| {
            let id = reference.transaction_id;
            let is_unread = self.misses(&keys::fund_transaction(self.owner, id).sk);
            let has_it = self.transaction(id).is_some_and(|of| {
                of.status == FundStatus::Completed
                    && FundReference::of(of).as_ref() == Some(reference)
            });
            let ref_id = reference.ref_id.clone();
            (!has_it && !is_unread).then_some(FundFinding::Reference { ref_id, id })
        };
        let strays: Vec<_> = read.references.iter().filter_map(of).collect();
        read.broken.into_iter().chain(strays).collect()
    }

    /// The transaction with this id.
    #[must_use]
    pub fn transaction(&self, id: FundTransactionId) -> Option<&FundTransaction> {
        self.transactions.iter().find(|of| of.id == id)
    }

    /// Reads a row. If it cannot be read, or is at the key of another one, it is reported.
    #[expect(clippy::needless_pass_by_value, reason = "the row is no longer needed")]
    fn read<T: Row>(&mut self, item: Item) -> Option<T> {
        let key = Primary::of(&item)?;
        let read = row::from_item::<T>(item.clone());
        let what = match &read {
            Err(error) => Some(with_cause(error)),
            Ok(row) if row.keys().primary != key => {
                let own = row.keys().primary;
                Some(format!("has the attributes of the row {} {}", own.pk, own.sk))
            }
            Ok(_) => None,
        };
        if let Some(what) = what {
            self.unread.insert(key.sk.clone());
            self.broken.push(FundFinding::Row { key, what });
            return None;
        }
        let row = read.ok()?;
        let mut wrong = row::wrong_indexes(&item, &row);
        wrong.extend([KIND, FORMAT_VERSION].into_iter().filter(|name| !item.contains_key(*name)));
        if !wrong.is_empty() {
            let what = format!("its {} should follow from the row", wrong.join(", "));
            self.broken.push(FundFinding::Row { key, what });
        }
        Some(row)
    }

    /// Whether a row whose sort key begins like this could not be read.
    fn misses(&self, sort_key: &str) -> bool {
        self.unread.iter().any(|unread| unread.starts_with(sort_key))
    }

    /// Value of each fund by the transactions, in minor units.
    fn expected_balances(&self) -> BTreeMap<(FundKey, Currency), i128> {
        let mut sums = BTreeMap::<_, i128>::new();
        for of in self.transactions.iter().filter(|of| is_applied(of)) {
            for (key, amount) in of.parts() {
                let expected = sums.entry((key, of.currency)).or_default();
                *expected = match of.flow {
                    FundFlow::Credit => expected.saturating_add(amount.into()),
                    FundFlow::Debit => expected.saturating_sub(amount.into()),
                };
            }
        }
        sums
    }

    fn wrong_balances(&self) -> Vec<FundFinding> {
        let mut sums = BTreeMap::<(FundKey, Currency), (i128, i128)>::new();
        for fund in &self.funds {
            let (stored, _) = sums.entry((fund.key(), fund.currency)).or_default();
            *stored = fund.balance.into();
        }
        for (key, expected) in self.expected_balances() {
            sums.entry(key).or_default().1 = expected;
        }
        let has_all = !self.misses(keys::prefix::FUND_TRANSACTION);
        let mut findings = Vec::new();
        for ((key, currency), (stored, expected)) in sums {
            if stored < 0 {
                findings.push(FundFinding::Negative(key));
            }
            let is_known = has_all && !self.misses(&keys::fund(self.owner, key).sk);
            if is_known && stored != expected {
                let [stored, expected] = [stored, expected].map(|minor| currency.to_major(minor));
                findings.push(FundFinding::Balance { key, currency, stored, expected });
            }
        }
        findings
    }

    fn wrong_pending(&self, now: Timestamp) -> Vec<FundFinding> {
        let rows: BTreeMap<_, _> = self.transactions.iter().map(|of| (of.id, of)).collect();
        let mut stored = BTreeMap::<(FundKey, FundTransactionId), Pending>::new();
        for fund in &self.funds {
            stored.extend(fund.pending.iter().map(|(id, entry)| ((fund.key(), *id), *entry)));
        }
        let mut expected = BTreeMap::new();
        for of in self.transactions.iter().filter(|of| of.status == FundStatus::Authorised) {
            let entry = |(key, amount)| ((key, of.id), Pending { amount, flow: of.flow });
            expected.extend(of.parts().into_iter().map(entry));
        }
        let all: BTreeSet<_> = stored.keys().chain(expected.keys()).copied().collect();
        let finding = |(key, id)| {
            let row = rows.get(&id).copied();
            let of_row = keys::fund_transaction(self.owner, id).sk;
            if self.misses(&of_row) || self.misses(&keys::fund(self.owner, key).sk) {
                return None;
            }
            let what = match (stored.get(&(key, id)), expected.get(&(key, id))) {
                (Some(stored), Some(expected)) if stored == expected => return None,
                (Some(_), Some(_)) => "has another amount or direction than it",
                (None, _) => "is missing",
                (Some(_), None) if Funds::is_orphan(id, row, now) => {
                    return Some(FundFinding::LeftBehind { key, id });
                }
                // Its transaction may still be written.
                (Some(_), None) if row.is_none() => return None,
                (Some(_), None) => "is none of it",
            };
            Some(FundFinding::Pending { key, id, what })
        };
        all.into_iter().filter_map(finding).collect()
    }
}

/// Whether a transaction has changed balances.
fn is_applied(of: &FundTransaction) -> bool {
    matches!(of.status, FundStatus::Completed | FundStatus::Held)
}

/// An error with its cause, which names an attribute but not its value.
fn with_cause(error: &crate::input::Error) -> String {
    match error {
        crate::input::Error::Table(cause) => cause.to_string(),
        other => other.to_string(),
    }
}
