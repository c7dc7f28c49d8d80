//! Settlements that funds pay, compared with the transactions of both sides.

use super::{FundFinding, FundRows, transactions::is_payment};
use crate::{
    funds::{
        fund::FundFlow,
        fund_transaction::{FundTransaction, FundTransactionType},
    },
    records::settlement::{PaidFromFunds, Settlement},
    values::{
        decimal::Decimal,
        fund_status::FundStatus,
        id::{MemberId, SettlementId},
        settlement_status::SettlementStatus,
    },
};

impl FundRows {
    /// Transactions whose settlement differs from them, and settlements whose transaction is lost.
    pub(super) fn wrong_settlements(&self) -> Vec<FundFinding> {
        let of_transactions = self.transactions.iter().filter(|of| is_payment(of)).flat_map(|of| {
            let named = of.group_id.zip(of.settlement_id);
            named.into_iter().flat_map(move |(group, id)| {
                let wrong = self.wrong_settlement(of, id).into_iter();
                wrong.map(move |what| FundFinding::Settlement { id, group, what })
            })
        });
        let of_settlements = self.settlements.values().filter_map(|settlement| {
            let what = self.wrong_payment(settlement)?;
            let Settlement { id, group_id: group, .. } = *settlement;
            Some(FundFinding::Settlement { id, group, what })
        });
        of_transactions.chain(of_settlements).collect()
    }

    fn wrong_settlement(&self, of: &FundTransaction, id: SettlementId) -> Vec<&'static str> {
        // Nothing is left to be done for one that changed nothing.
        let is_over = matches!(of.status, FundStatus::Voided | FundStatus::Expired);
        let Some(settlement) = self.settlements.get(&id) else {
            // The settlements of a group are deleted with it.
            let is_open = of.status == FundStatus::Authorised;
            let is_deleted = of.group_id.is_some_and(|group| !self.groups.contains(&group));
            let is_unread = id.created_at().is_some_and(|at| {
                let key = of.group_id.map(|group| crate::storage::keys::settlement(group, at));
                key.is_some_and(|key| self.misses(&key.sk))
            });
            let is_lost = (is_open || !is_deleted) && !is_unread && !is_over;
            return is_lost
                .then_some("it is missing, but a transaction pays it")
                .into_iter()
                .collect();
        };
        let Some(funds) = &settlement.funds else {
            let what = "it does not say that funds pay it, but a transaction does";
            return (!is_over).then_some(what).into_iter().collect();
        };
        let wrong = [
            (has_sides(settlement, of), "a transaction of funds has other sides than it"),
            (has_status(settlement, of), "a transaction of funds has another status than it"),
            (has_times(settlement, funds, of), "a transaction of funds has other times than it"),
            (
                has_amounts(settlement, funds, of),
                "a transaction of funds has another amount or currency than it",
            ),
            (
                !is_payers(of) || funds.transaction_id == of.id,
                "it names another transaction than the one that pays it",
            ),
        ];
        wrong.into_iter().filter(|(is_right, _)| !is_right).map(|(_, what)| what).collect()
    }

    /// Faults of a settlement that the user's funds pay.
    fn wrong_payment(&self, settlement: &Settlement) -> Option<&'static str> {
        let funds = settlement.funds.as_ref()?;
        if settlement.from_user_id != MemberId::from(self.owner) {
            return None;
        }
        if self.misses(&crate::storage::keys::fund_transaction(self.owner, funds.transaction_id).sk)
        {
            return None;
        }
        match self.transaction(funds.transaction_id) {
            // Nothing is left to be done for one that failed.
            None if settlement.status == SettlementStatus::Failed => None,
            None => Some("its transaction of funds is missing"),
            Some(of) if of.settlement_id != Some(settlement.id) => {
                Some("its transaction of funds pays another settlement")
            }
            Some(_) if settlement.reverted_at.is_some() && !self.is_returned(settlement) => {
                Some("it was given back, but no transaction of funds returns it")
            }
            Some(_) => None,
        }
    }

    fn is_returned(&self, settlement: &Settlement) -> bool {
        self.transactions.iter().any(|of| {
            of.kind == FundTransactionType::Return && of.settlement_id == Some(settlement.id)
        })
    }
}

/// Whether it is what the payer of the settlement paid.
fn is_payers(of: &FundTransaction) -> bool {
    of.kind == FundTransactionType::Settlement && of.flow == FundFlow::Debit
}

fn has_sides(settlement: &Settlement, of: &FundTransaction) -> bool {
    let [payer, recipient] = settlement.parties();
    // A return goes the other way.
    let is_return = of.kind == FundTransactionType::Return;
    let [owner, other] = match (of.flow, is_return) {
        (FundFlow::Debit, false) | (FundFlow::Credit, true) => [payer, recipient],
        (FundFlow::Credit, false) | (FundFlow::Debit, true) => [recipient, payer],
    };
    owner == MemberId::from(of.owner)
        && of.other_user_id.map(MemberId::from) == Some(other)
        && of.group_id == Some(settlement.group_id)
}

fn has_status(settlement: &Settlement, of: &FundTransaction) -> bool {
    let was_completed = settlement.is_completed() || settlement.reverted_at.is_some();
    if of.kind == FundTransactionType::Return {
        return settlement.reverted_at.is_some();
    }
    match (of.flow, settlement.status) {
        (FundFlow::Credit, _) => was_completed,
        (FundFlow::Debit, SettlementStatus::Pending) => of.status == FundStatus::Authorised,
        (FundFlow::Debit, _) if was_completed => of.status == FundStatus::Completed,
        (FundFlow::Debit, _) if settlement.expired => of.status == FundStatus::Expired,
        (FundFlow::Debit, _) => of.status == FundStatus::Voided,
    }
}

fn has_times(settlement: &Settlement, funds: &PaidFromFunds, of: &FundTransaction) -> bool {
    if of.kind == FundTransactionType::Return {
        return of.ended_at == settlement.reverted_at;
    }
    match of.flow {
        FundFlow::Debit => {
            let is_completed = of.status == FundStatus::Completed;
            funds.expires_at == of.expires_at
                && (!is_completed || of.ended_at == settlement.completed_at)
        }
        FundFlow::Credit => {
            let until = settlement.hold_until.filter(|until| *until > of.created_at);
            of.held_until == until
        }
    }
}

fn has_amounts(settlement: &Settlement, funds: &PaidFromFunds, of: &FundTransaction) -> bool {
    let major = |minor: i64| of.currency.to_major(minor);
    let received = of.amounts().received();
    let external = settlement.external.unwrap_or(Decimal::ZERO);
    let named = [funds.amount, funds.cash, funds.credit];
    named == [of.amount, received.cash, received.credit].map(major)
        && settlement.currency == of.currency
        && funds.amount.plus(external) == Some(settlement.amount)
}
