//! Comparison of a transaction with itself, its reference and its other side.

use super::{FundRows, is_applied};
use crate::{
    funds::{
        fund::{FundFlow, HOLD_S},
        fund_total::FundReference,
        fund_transaction::{FundTransaction, FundTransactionType},
    },
    storage::keys,
    values::{fund_status::FundStatus, time::Timestamp},
};

/// Seconds by which the keeper delays a row that it could not end, at most, and the length of its
/// run.
const LONGEST_DELAY_S: u64 = 62 * 60;

impl FundRows {
    /// Faults of a transaction.
    pub(super) fn wrong_transaction(
        &self,
        of: &FundTransaction,
        now: Timestamp,
    ) -> Vec<&'static str> {
        let mut wrong: Vec<_> = wrong_parts(of).into_iter().collect();
        wrong.extend(wrong_type(of));
        wrong.extend(wrong_times(of, now));
        wrong.extend(wrong_links(of));
        wrong.extend(self.wrong_reference(of));
        wrong.extend(self.wrong_queue(of));
        wrong.extend(self.wrong_other_side(of));
        wrong
    }

    fn wrong_reference(&self, of: &FundTransaction) -> Option<&'static str> {
        let needs = of.status == FundStatus::Completed
            && matches!(
                of.kind,
                FundTransactionType::Topup
                    | FundTransactionType::Credit
                    | FundTransactionType::Cashout
                    | FundTransactionType::Correction
            );
        match (FundReference::of(of), needs) {
            (None, true) => Some("its reference is missing"),
            (Some(_), false) => Some("it has a reference, but none was given for it"),
            (Some(right), true) if !self.references.contains(&right) => {
                Some("the row of its reference is missing, or names another transaction")
            }
            _ => None,
        }
    }

    /// Mistake if the transaction waits for an operator, but the queue does not count it. The queue
    /// does not count transactions in rows of earlier versions.
    fn wrong_queue(&self, of: &FundTransaction) -> Option<&'static str> {
        let counts = of.work().is_some() && of.waits_behind.is_some();
        let is_counted = self.queue.as_ref().is_some_and(|it| it.waiting.contains(&of.id));
        (counts && !is_counted && !self.misses(&keys::fund_queue(self.owner).sk))
            .then_some("it waits for an operator, but the row of what waits does not have it")
    }

    fn wrong_other_side(&self, of: &FundTransaction) -> Option<&'static str> {
        if !is_payment(of) || !is_applied(of) {
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

/// Whether a transaction is one side of a payment.
pub(super) const fn is_payment(of: &FundTransaction) -> bool {
    match of.kind {
        FundTransactionType::Settlement | FundTransactionType::Return => true,
        FundTransactionType::Topup
        | FundTransactionType::Credit
        | FundTransactionType::Bonus
        | FundTransactionType::Cashout
        | FundTransactionType::Correction
        | FundTransactionType::Lapse => false,
    }
}

/// Whether the time of the keeper's next attempt is that of an end, or a delay after it.
pub(super) fn is_due_at(due: Option<Timestamp>, end: Timestamp, now: Timestamp) -> bool {
    due.is_some_and(|due| end <= due && due <= end.max(now.plus_seconds(LONGEST_DELAY_S)))
}

fn wrong_parts(of: &FundTransaction) -> Option<&'static str> {
    let amounts = [of.cash_amount, of.credit_amount, of.bonus_amount];
    if amounts.iter().chain(of.bonus_usage.values()).any(|amount| *amount < 0) {
        return Some("an amount is negative");
    }
    let parts = of.amounts();
    if parts.total() != of.amount || parts.bonus() != of.bonus_amount {
        return Some("its parts do not sum up to its amount");
    }
    (of.amount == 0).then_some("its amount is zero")
}

/// Contradictions to the type: a direction, a status or a part that no transaction of the type has.
fn wrong_type(of: &FundTransaction) -> Vec<&'static str> {
    use FundFlow::{Credit, Debit};
    use FundStatus::{Authorised, Completed, Expired, Held, Voided};
    let [cash, credit] = [of.cash_amount, of.credit_amount].map(|amount| amount != 0);
    let bonuses: Vec<_> = of.bonus_usage.keys().collect();
    let (flow, statuses, has_its_parts): (_, &[FundStatus], bool) = match of.kind {
        FundTransactionType::Topup => {
            (Some(Credit), &[Authorised, Completed, Voided, Expired], !credit && bonuses.is_empty())
        }
        FundTransactionType::Credit => (Some(Credit), &[Completed], !cash && bonuses.is_empty()),
        FundTransactionType::Bonus => {
            (Some(Credit), &[Completed], !cash && !credit && bonuses == [&of.id])
        }
        FundTransactionType::Settlement => match of.flow {
            Debit => (None, &[Authorised, Completed, Voided, Expired], true),
            Credit => {
                let is_held = of.status == Held;
                (None, &[Completed, Held], bonuses.is_empty() && !(is_held && credit))
            }
        },
        FundTransactionType::Cashout => {
            (Some(Debit), &[Authorised, Completed, Voided], !credit && bonuses.is_empty())
        }
        FundTransactionType::Return => (None, &[Completed], !credit && bonuses.is_empty()),
        FundTransactionType::Correction => (Some(Debit), &[Completed], true),
        FundTransactionType::Lapse => {
            (Some(Debit), &[Completed], !cash && !credit && bonuses.len() == 1)
        }
    };
    let wrong = [
        (flow.is_some_and(|flow| flow != of.flow), "its type has another direction"),
        (!statuses.contains(&of.status), "its type has no such status"),
        (!has_its_parts, "its type has no such parts"),
    ];
    wrong.into_iter().filter(|(is_wrong, _)| *is_wrong).map(|(_, what)| what).collect()
}

/// Times that do not follow from the type, the status and the time of creation.
fn wrong_times(of: &FundTransaction, now: Timestamp) -> Vec<&'static str> {
    let hold = Some(of.created_at.plus_seconds(HOLD_S));
    let is_open = of.status == FundStatus::Authorised;
    let is_end = match of.kind {
        FundTransactionType::Settlement if of.flow == FundFlow::Credit => of.expires_at.is_none(),
        FundTransactionType::Topup | FundTransactionType::Settlement => match of.status {
            FundStatus::Authorised | FundStatus::Expired => of.expires_at == hold,
            FundStatus::Completed | FundStatus::Voided | FundStatus::Held => {
                of.expires_at.is_none() || of.expires_at == hold
            }
        },
        // Those of earlier versions do not have it.
        FundTransactionType::Bonus => of.expires_at.is_none_or(|end| end > of.created_at),
        FundTransactionType::Credit
        | FundTransactionType::Return
        | FundTransactionType::Cashout
        | FundTransactionType::Correction
        | FundTransactionType::Lapse => of.expires_at.is_none(),
    };
    let is_due = match of.expires_at.filter(|_| is_open) {
        Some(end) => is_due_at(of.due_at, end, now),
        None => of.due_at.is_none(),
    };
    let is_received = of.kind == FundTransactionType::Settlement && of.flow == FundFlow::Credit;
    let is_held = match (of.status, of.held_until) {
        (FundStatus::Held, until) => until.is_some(),
        (_, None) => true,
        (_, Some(until)) => is_received && of.ended_at.is_none_or(|ended| until <= ended),
    };
    let has_end = !matches!(of.status, FundStatus::Authorised | FundStatus::Held);
    let is_ended =
        of.ended_at.is_some() == has_end && of.ended_at.is_none_or(|ended| of.created_at <= ended);
    let wrong = [
        (of.id.created_at() == Some(of.created_at), "it was not created at the time in its id"),
        (is_end, "it expires at another time than its type and its creation say"),
        (is_due, "it is not due when it expires"),
        (is_held, "it is held, or was, until another time than its status says"),
        (is_ended, "its end does not agree with its status"),
    ];
    wrong.into_iter().filter(|(is_right, _)| !is_right).map(|(_, what)| what).collect()
}

/// Mistakes in the links, which a payment must have, and others must not.
fn wrong_links(of: &FundTransaction) -> Vec<&'static str> {
    let links = [of.group_id.is_some(), of.settlement_id.is_some(), of.other_user_id.is_some()];
    let is_linked = links.iter().all(|link| *link == is_payment(of));
    let is_paid = is_payment(of) && is_applied(of);
    let wrong = [
        (is_linked, "it does not name the settlement and the other user that its type has"),
        (of.other_user_id != Some(of.owner), "its other side is its own user"),
        (is_paid || of.other_id.is_none(), "it has another side, but is not completed"),
    ];
    wrong.into_iter().filter(|(is_right, _)| !is_right).map(|(_, what)| what).collect()
}
