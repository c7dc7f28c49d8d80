//! The sums over all users, compared with the funds and transactions of all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{FundFinding, FundRows};
use crate::{
    funds::{fund::FundKind, fund_total::FundTotal},
    values::currency::Currency,
};

/// Sums over the funds and transactions of all users, by currency, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllFunds(BTreeMap<Currency, FundSums>);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct FundSums {
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

    /// Findings about the stored sums over all users: each must be that of the transactions, and
    /// both laws of [`FundTotal`] must hold.
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
