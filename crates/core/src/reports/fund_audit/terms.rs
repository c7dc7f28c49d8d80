//! The terms of bonuses and held cash, compared with the transactions that gave or paid them.

use std::collections::BTreeMap;

use super::{FundFinding, FundRows, is_applied, transactions::is_due_at};
use crate::{
    funds::{
        fund::{Bonus, Fund, FundFlow, FundKind, Held, MAX_USAGE},
        fund_transaction::{FundTransaction, FundTransactionType},
    },
    values::{id::FundTransactionId, time::Timestamp},
};

impl FundRows {
    /// Funds whose terms are not those of their transactions.
    pub(super) fn wrong_terms(&self, now: Timestamp) -> Vec<FundFinding> {
        let wrong = self.funds.iter().flat_map(|fund| {
            let wrong = self.wrong_terms_of(fund, now).into_iter();
            wrong.map(|what| FundFinding::Fund { key: fund.key(), what })
        });
        wrong.collect()
    }

    fn wrong_terms_of(&self, fund: &Fund, now: Timestamp) -> Vec<&'static str> {
        let mut wrong = Vec::new();
        if fund.version == 0 {
            wrong.push("its version is zero");
        }
        if fund.pending.values().any(|entry| entry.amount <= 0) {
            wrong.push("a pending entry is not positive");
        }
        let of = fund.id.and_then(|id| self.transaction(id));
        match (fund.kind, &fund.bonus, fund.held, fund.until) {
            (FundKind::Cash | FundKind::Credit, None, None, None) => {
                if fund.due_at.is_some() || fund.id.is_some() {
                    wrong.push("it is due, although nothing of it ends");
                }
            }
            (FundKind::Bonus, Some(bonus), None, Some(until)) => {
                wrong.extend(of.and_then(|of| wrong_bonus(bonus, until, of)));
                wrong.extend(fund.id.and_then(|id| self.wrong_usage(id, bonus)));
                if !is_due_at(fund.due_at, until, now) {
                    wrong.push("it is not due when it lapses");
                }
            }
            (FundKind::Held, None, Some(held), Some(until)) => {
                wrong.extend(of.and_then(|of| wrong_held(held, until, of)));
                if !is_due_at(fund.due_at, until, now) {
                    wrong.push("it is not due when it can be used");
                }
            }
            _ => wrong.push("its terms are not those of its kind"),
        }
        if fund.accepts.is_some() && fund.kind != FundKind::Cash {
            wrong.push("it accepts payments, which only cash does");
        }
        wrong
    }

    /// Checks that a bonus has paid what transactions took of it. It names the last ones.
    fn wrong_usage(&self, id: FundTransactionId, bonus: &Bonus) -> Option<&'static str> {
        if !self.is_whole() {
            return None;
        }
        let took = |of: &&FundTransaction| {
            of.flow == FundFlow::Debit && of.kind != FundTransactionType::Lapse && is_applied(of)
        };
        let took = self.transactions.iter().filter(took);
        let took = took.filter_map(|of| Some((of.id, *of.bonus_usage.get(&id)?)));
        let mut usage: BTreeMap<_, _> = took.collect();
        let mut earlier = 0_i64;
        while usage.len() > MAX_USAGE {
            let (_, first) = usage.pop_first()?;
            earlier = earlier.saturating_add(first);
        }
        let is_right = (&bonus.usage, bonus.used_earlier) == (&usage, earlier);
        (!is_right).then_some("its usage is not what transactions took of it")
    }
}

fn wrong_bonus(bonus: &Bonus, until: Timestamp, of: &FundTransaction) -> Option<&'static str> {
    let given = of.id;
    let is_same = of.flow == FundFlow::Credit
        && of.bonus_usage.get(&given) == Some(&bonus.awarded)
        && of.expires_at.is_none_or(|end| end == until)
        && bonus.given_by == of.actor_id
        && bonus.note == of.description;
    (!is_same).then_some("its terms are not those of the transaction that gave it")
}

fn wrong_held(held: Held, until: Timestamp, of: &FundTransaction) -> Option<&'static str> {
    let is_same = of.held_until == Some(until)
        && of.other_user_id == Some(held.from_user_id)
        && of.settlement_id == Some(held.settlement_id);
    (!is_same).then_some("its terms are not those of the transaction that paid it")
}
