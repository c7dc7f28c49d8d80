//! The audit of funds: what balances, pending entries and sums over all users are by the
//! transactions.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    currency::Currency,
    decimal::Decimal,
    fund::{Fund, FundFlow, FundKey, FundKind, FundStatus, Funds, Pending},
    fund_total::FundTotal,
    fund_transaction::{FundTransaction, FundTransactionType},
    id::{FundTransactionId, UserId},
    time::Timestamp,
};

/// All rows of a user's funds, as of one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FundRows {
    /// The funds.
    pub funds: Vec<Fund>,
    /// The transactions.
    pub transactions: Vec<FundTransaction>,
    /// The other sides of payments, as far as they exist.
    pub others: BTreeMap<(UserId, FundTransactionId), FundTransaction>,
}

/// What is wrong with funds. Amounts are in major units.
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
        /// The sum.
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
        /// How they differ.
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
        /// What is wrong.
        what: &'static str,
    },
    /// A sum over all users is not that of the transactions, or of the funds.
    #[error("{what} in {currency}: {stored} by the sums, but {expected} by {by}")]
    Total {
        /// What the sum is of.
        what: &'static str,
        /// Its currency.
        currency: Currency,
        /// The sum as it is stored.
        stored: Decimal,
        /// The sum as it should be.
        expected: Decimal,
        /// What it is the sum of.
        by: &'static str,
    },
}

impl FundRows {
    /// What is wrong with the funds of one user.
    #[must_use]
    pub fn audit(&self, now: Timestamp) -> Vec<FundFinding> {
        let mut findings = self.wrong_balances();
        findings.extend(self.wrong_pending(now));
        findings.extend(self.transactions.iter().filter_map(|of| {
            let what = wrong_parts(of).or_else(|| self.wrong_other_side(of))?;
            let (amount, currency) = (of.currency.to_major(of.amount), of.currency);
            Some(FundFinding::Transaction { id: of.id, amount, currency, what })
        }));
        findings
    }

    fn wrong_balances(&self) -> Vec<FundFinding> {
        let mut sums = BTreeMap::<(FundKey, Currency), (i128, i128)>::new();
        for fund in &self.funds {
            let (stored, _) = sums.entry((fund.key(), fund.currency)).or_default();
            *stored = fund.balance.into();
        }
        for of in self.transactions.iter().filter(|of| is_applied(of)) {
            for (key, amount) in of.parts() {
                let (_, expected) = sums.entry((key, of.currency)).or_default();
                *expected = match of.flow {
                    FundFlow::Credit => expected.saturating_add(amount.into()),
                    FundFlow::Debit => expected.saturating_sub(amount.into()),
                };
            }
        }
        let mut findings = Vec::new();
        for ((key, currency), (stored, expected)) in sums {
            if stored < 0 {
                findings.push(FundFinding::Negative(key));
            }
            if stored != expected {
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

    fn wrong_other_side(&self, of: &FundTransaction) -> Option<&'static str> {
        let sides = [FundTransactionType::Settlement, FundTransactionType::Return];
        if !sides.contains(&of.kind) || !is_applied(of) {
            return None;
        }
        let other = of.other_user_id.zip(of.other_id).and_then(|key| self.others.get(&key));
        let Some(other) = other else { return Some("its other side is missing") };
        let (paid, received) = match of.flow {
            FundFlow::Debit => (of, other),
            FundFlow::Credit => (other, of),
        };
        let belongs = (paid.flow, received.flow) == (FundFlow::Debit, FundFlow::Credit)
            && other.kind == of.kind
            && other.settlement_id == of.settlement_id
            && (other.other_user_id, other.other_id) == (Some(of.owner), Some(of.id));
        if !belongs {
            return Some("its other side is of another payment");
        }
        if !is_applied(other) {
            return Some("its other side is not completed");
        }
        let is_same =
            other.currency == of.currency && received.amounts() == paid.amounts().received();
        (!is_same).then_some("its other side has another amount, currency or kind")
    }
}

/// Whether a transaction has changed balances.
fn is_applied(of: &FundTransaction) -> bool {
    matches!(of.status, FundStatus::Completed | FundStatus::Held)
}

fn wrong_parts(of: &FundTransaction) -> Option<&'static str> {
    let amounts = [of.amount, of.cash_amount, of.credit_amount, of.bonus_amount];
    if amounts.iter().chain(of.bonus_usage.values()).any(|amount| *amount < 0) {
        return Some("an amount is negative");
    }
    let parts = of.amounts();
    (parts.total() != of.amount || parts.bonus() != of.bonus_amount)
        .then_some("its parts do not sum up to its amount")
}

/// Sums over the funds and transactions of all users, by currency, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllFunds(BTreeMap<Currency, Sums>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sums {
    /// Cash and held cash.
    cash: i128,
    /// Credit and bonuses.
    credit: i128,
    /// The counters of [`FundTotal`], by the transactions.
    counters: [i128; 4],
}

impl AllFunds {
    /// Adds the funds of a user.
    pub fn add(&mut self, rows: &FundRows) {
        for fund in &rows.funds {
            let sums = self.0.entry(fund.currency).or_default();
            let sum = match fund.kind {
                FundKind::Cash | FundKind::Held => &mut sums.cash,
                FundKind::Credit | FundKind::Bonus => &mut sums.credit,
            };
            *sum = sum.saturating_add(fund.balance.into());
        }
        for of in &rows.transactions {
            let sums = self.0.entry(of.currency).or_default();
            let counted = FundTotal::of(of).counters();
            for (sum, (_, counted)) in sums.counters.iter_mut().zip(counted) {
                *sum = sum.saturating_add(counted);
            }
        }
    }

    /// What is wrong with the stored sums over all users: each of them is that of the transactions,
    /// and both laws of [`FundTotal`] hold.
    #[must_use]
    pub fn check(&self, totals: &[FundTotal]) -> Vec<FundFinding> {
        let stored: BTreeMap<_, _> = totals.iter().map(|total| (total.currency, total)).collect();
        let currencies: BTreeSet<_> = stored.keys().chain(self.0.keys()).copied().collect();
        let mut findings = Vec::new();
        for currency in currencies {
            let none = FundTotal::none(currency);
            let total = stored.get(&currency).copied().unwrap_or(&none);
            let sums = self.0.get(&currency).copied().unwrap_or_default();
            let counters = total.counters().into_iter().zip(sums.counters);
            let counters = counters
                .map(|((what, stored), expected)| (what, stored, expected, "the transactions"));
            let laws = [
                ("cash and held cash", total.cash(), sums.cash, "the funds"),
                ("credit and bonuses", total.credit(), sums.credit, "the funds"),
            ];
            for (what, stored, expected, by) in counters.chain(laws) {
                if stored != expected {
                    let [stored, expected] = [stored, expected].map(|it| currency.to_major(it));
                    findings.push(FundFinding::Total { what, currency, stored, expected, by });
                }
            }
        }
        findings
    }
}
