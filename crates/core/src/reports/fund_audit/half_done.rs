//! Transactions that something else than Fracti left half-done, and what was taken for them.

use std::collections::{BTreeMap, BTreeSet};

use super::{FundRows, is_applied};
use crate::{
    funds::{
        fund::{Fund, FundFlow, Parts, Pending},
        fund_transaction::FundTransaction,
    },
    input::Error,
    values::{fund_key::FundKey, fund_status::FundStatus},
};

/// Maximum number of other half-done transactions of a fund that are told apart.
const MAX_OTHERS: usize = 12;

impl FundRows {
    /// The parts of a transaction that the funds have already given or got, although it is not
    /// completed; `None` if all of it is pending in the funds, as it should be.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if a row cannot be read, or a fund differs from the transactions by
    /// another amount than those of half-done ones.
    pub fn half_done(&self, of: &FundTransaction) -> Result<Option<Parts>, Error> {
        if !self.is_whole() {
            return Err(Error::funds_mismatch("a row of the user's funds cannot be read"));
        }
        let mut moved = Parts::default();
        let mut is_pending = !is_applied(of);
        for (key, amount) in of.parts() {
            let fund = self.funds.iter().find(|fund| fund.key() == key);
            let entry = fund.and_then(|fund| fund.pending.get(&of.id));
            let is_entered = entry == Some(&Pending { amount, flow: of.flow });
            is_pending &= is_entered;
            if self.has_moved(of, key, amount, fund, is_entered)? {
                match key {
                    FundKey::Cash(_) | FundKey::Held(_) => moved.cash = amount,
                    FundKey::Credit(_) => moved.credit = amount,
                    FundKey::Bonus(id) => drop(moved.bonuses.insert(id, amount)),
                }
            }
        }
        let parts: BTreeSet<_> = of.parts().into_iter().map(|(key, _)| key).collect();
        let is_elsewhere =
            |fund: &Fund| fund.pending.contains_key(&of.id) && !parts.contains(&fund.key());
        is_pending &= !self.funds.iter().any(is_elsewhere);
        Ok((!is_pending || moved.total() > 0).then_some(moved))
    }

    /// Whether a fund has already given or got the part of a transaction: whether its balance
    /// differs by that amount from what it would be without the transaction. Other half-done
    /// transactions may account for the rest.
    fn has_moved(
        &self,
        of: &FundTransaction,
        key: FundKey,
        amount: i64,
        fund: Option<&Fund>,
        is_entered: bool,
    ) -> Result<bool, Error> {
        let balances = self.expected_balances();
        let expected = balances.get(&(key, of.currency)).copied().unwrap_or_default();
        let own = if is_applied(of) { i128::from(amount) } else { 0 };
        let stored = fund.map_or(0, |fund| i128::from(fund.balance));
        // Difference from the balance without it: given for a debit, received for a credit.
        let more = match of.flow {
            FundFlow::Debit => expected.saturating_add(own).saturating_sub(stored),
            FundFlow::Credit => stored.saturating_sub(expected.saturating_sub(own)),
        };
        let others = self.transactions.iter().filter(|it| {
            let is_missing = fund.is_none_or(|fund| !fund.pending.contains_key(&it.id));
            it.status == FundStatus::Authorised && it.id != of.id && is_missing
        });
        let others = others.filter_map(|it| {
            let parts: BTreeMap<_, _> = it.parts().into_iter().collect();
            let amount = parts.get(&key).copied().filter(|_| it.currency == of.currency);
            amount.map(|amount| {
                i128::from(if it.flow == of.flow { amount } else { amount.saturating_neg() })
            })
        });
        let mut sums = BTreeSet::from([0_i128]);
        for other in others.take(MAX_OTHERS) {
            let with: Vec<_> = sums.iter().map(|sum| sum.saturating_add(other)).collect();
            sums.extend(with);
        }
        let is_moved = sums.contains(&more.saturating_sub(amount.into()));
        let is_untouched = sums.contains(&more);
        match (is_entered, is_moved, is_untouched) {
            (true, _, true) | (false, false, true) => Ok(false),
            (_, true, _) => Ok(true),
            (_, false, false) => {
                let what = "a fund differs from its transactions by another amount";
                Err(Error::funds_mismatch(what))
            }
        }
    }
}
