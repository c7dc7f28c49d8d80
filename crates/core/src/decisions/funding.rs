//! Settlements that the payer's funds pay.
//!
//! Funds change in the transaction of the settlement: they are withheld when it is recorded, paid
//! when it is completed, and released when it fails. So a settlement is paid once or not at all.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::{
    decisions::{
        funds::{fund_writes, put_changed},
        ledger_transaction::LedgerTransaction,
    },
    funds::{
        fund::{FundFlow, HOLD_S, Held, Parts},
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        user_funds::{Funds, Payable},
    },
    group::{Group, Member},
    input::{Draft, Error, fund_error::FundError},
    ledger::Ledger,
    records::{
        group_change::{ChangeKind, Subject},
        settlement::{FromFunds, NewSettlement, PaidFromFunds, Settlement},
    },
    storage::write::{Write, WriteError},
    values::{
        currency::Currency,
        fund_status::FundStatus,
        id::{FundTransactionId, MemberId, SettlementId, UserId},
        money::Money,
        request_context::RequestContext,
        settlement_status::SettlementStatus,
        time::{Timestamp, Zone},
    },
};

/// Conditions of a payment at once, besides the payer's funds.
#[derive(Debug)]
pub struct AtOnce {
    /// The recipient's funds.
    pub recipient: Funds,
    /// The pending settlements.
    pub pending: Vec<Settlement>,
}

/// Whether the payer's funds are read in detail: only once they are short for a decision, because
/// entries that were left behind may withhold what it needs.
#[derive(Debug, Default)]
pub struct Detail(AtomicBool);

impl Detail {
    /// Whether they are read in detail.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Begins the decision again if the funds are short and were not read in detail yet.
    fn need_if(&self, is_short: bool, funds: &Funds) -> Result<(), WriteError> {
        let is_new = is_short && !funds.pending().is_empty() && !self.is_needed();
        if is_new {
            self.0.store(true, Ordering::Relaxed);
            return Err(WriteError::Retry);
        }
        Ok(())
    }
}

/// Records a settlement that the payer's funds pay: they are withheld for seven days, or paid at
/// once.
///
/// # Errors
///
/// [`FundError::Insufficient`]; [`FundError::NotPayer`]; [`FundError::NotAccepted`];
/// [`FundError::TooMany`]; those of a new settlement.
pub fn record_from_funds(
    new: &Draft<NewSettlement>,
    (group, members): (&Group, &[Member]),
    mut transaction: LedgerTransaction,
    (payer, detail, at_once): (Funds, &Detail, Option<AtOnce>),
    (user, context, zone): (UserId, RequestContext, Zone),
) -> Result<(LedgerTransaction, Settlement), WriteError> {
    let how = new.from_funds();
    let new = new.resolved(transaction.links());
    let today = (context.now, zone);
    let settlement = new.check(group, members, transaction.ledger(), user, today)?;
    let how = how.ok_or_else(|| Error::Internal("an invalid field was not reported"))?;
    let at = transaction.at();
    let id = SettlementId::new(at, context.random);
    let settlement = Settlement { id, created_at: at, ..settlement };
    let settlement = if how.pay_now {
        let is_short = payer.cover(money(&settlement)?, Payable::Cash, at).is_err();
        detail.need_if(is_short, &payer)?;
        pay_at_once(&mut transaction, payer, at_once, settlement, context)?
    } else {
        withhold(&mut transaction, (payer, detail), settlement, how, context)?
    };
    transaction.tell(Subject::settlement(ChangeKind::SettlementRecorded, &settlement));
    Ok((transaction, settlement))
}

/// The writes that pay a settlement from what is withheld for it, when the recipient confirms it.
pub fn pay(
    settlement: &Settlement,
    held: &FundTransaction,
    (mut from, mut to): (Funds, Funds),
    by: UserId,
    (at, random): (Timestamp, [u8; 10]),
) -> Result<Vec<Write>, Error> {
    if let Some(end) = held.expires_at.filter(|_| held.is_over(at)) {
        return Err(FundError::Over(end).into());
    }
    if held.status != FundStatus::Authorised {
        return Err(Error::funds_mismatch("the transaction of a pending settlement has ended"));
    }
    from.capture(held, at)?;
    let received = receive(&mut to, held, settlement, by, (at, random))?;
    let paid = held.clone().ended(FundStatus::Completed, at, Some(by));
    let paid = FundTransaction { other_id: Some(received.id), ..paid };
    let mut writes = vec![put_changed(&paid, FundStatus::Authorised)?, Write::put_new(&received)?];
    writes.extend(fund_writes(&from)?);
    writes.extend(fund_writes(&to)?);
    Ok(writes)
}

/// The writes that release what is withheld for a settlement, which a user has failed or, without
/// one, has expired.
pub fn release(
    id: FundTransactionId,
    held: Option<FundTransaction>,
    mut funds: Funds,
    by: Option<UserId>,
    at: Timestamp,
) -> Result<Vec<Write>, Error> {
    let Some(held) = held else {
        // Something else than Fracti has deleted it, and nothing writes it again: it was new with
        // the settlement. Nothing is left to be paid.
        funds.forget(id, None, at);
        return fund_writes(&funds);
    };
    if held.status != FundStatus::Authorised {
        return Err(Error::funds_mismatch("the transaction of a pending settlement has ended"));
    }
    funds.release(&held, at)?;
    let status = if by.is_none() { FundStatus::Expired } else { FundStatus::Voided };
    let mut writes = vec![put_changed(&held.ended(status, at, by), FundStatus::Authorised)?];
    writes.extend(fund_writes(&funds)?);
    Ok(writes)
}

/// The writes by which the recipient gives back the cash that paid a settlement at once.
pub fn give_back(
    settlement: &Settlement,
    (mut recipient, mut payer): (Funds, Funds),
    at: Timestamp,
    random: [u8; 10],
) -> Result<Vec<Write>, Error> {
    let amount = money(settlement)?;
    let parts = recipient.cover(amount, Payable::Cash, at)?;
    let id = FundTransactionId::new(at, random);
    let other_id = FundTransaction::further_id(at, random, "returned");
    let by = recipient.owner;
    let given = entry(id, parts.clone(), settlement, by, at);
    let given = NewEntry { kind: FundTransactionType::Return, ..given };
    let taken = NewEntry { id: other_id, flow: FundFlow::Credit, ..given.clone() };
    let given = of_settlement(recipient.enter(given), settlement, payer.owner);
    let taken = of_settlement(payer.enter(taken), settlement, by);
    let ended = |of: FundTransaction, other: FundTransactionId| {
        let of = FundTransaction { other_id: Some(other), ..of };
        of.ended(FundStatus::Completed, at, Some(by))
    };
    let given = ended(given, other_id);
    let taken = ended(taken, id);
    recipient.apply(&given, at)?;
    payer.apply(&taken, at)?;
    let mut writes = vec![Write::put_new(&given)?, Write::put_new(&taken)?];
    writes.extend(fund_writes(&recipient)?);
    writes.extend(fund_writes(&payer)?);
    Ok(writes)
}

/// Withholds what funds pay of a settlement, which is pending.
fn withhold(
    transaction: &mut LedgerTransaction,
    (mut payer, detail): (Funds, &Detail),
    settlement: Settlement,
    how: FromFunds,
    context: RequestContext,
) -> Result<Settlement, WriteError> {
    let amount = money(&settlement)?;
    let from = if how.hold_until.is_some() { Payable::Cash } else { Payable::All };
    let at = transaction.at();
    let mut parts = payer.allocate(amount, from, at);
    detail.need_if(parts.total() < amount.minor, &payer)?;
    if parts.total() < amount.minor && !how.allow_external {
        parts = payer.cover(amount, from, at).map_err(Error::from)?;
    }
    if parts.total() == 0 {
        // All of it is paid outside of funds.
        let status = SettlementStatus::Pending;
        let external = Some(settlement.amount);
        let settlement = Settlement { status, external, ..settlement };
        transaction.add(Write::put_new(&settlement)?);
        transaction.state().began(settlement.parties());
        return Ok(settlement);
    }
    let id = FundTransactionId::new(at, context.random);
    let entered = payer.enter(entry(id, parts, &settlement, payer.owner, at));
    let expires_at = at.plus_seconds(HOLD_S);
    let entered = of_settlement(entered, &settlement, users(&settlement)?[1]).until(expires_at);
    let is_full = entered.parts().iter().any(|(key, _)| payer.is_full(*key));
    detail.need_if(is_full, &payer)?;
    payer.authorise(&entered).map_err(Error::from)?;
    let external = amount.minor.saturating_sub(entered.amount);
    let settlement = Settlement {
        status: SettlementStatus::Pending,
        funds: Some(paid_from(&entered)),
        external: (external > 0).then(|| amount.currency.to_major(external)),
        hold_until: how.hold_until,
        ..settlement
    };
    transaction.add(Write::put_new(&settlement)?);
    transaction.add(Write::put_new(&entered)?);
    transaction.add_all(fund_writes(&payer)?);
    transaction.state().began(settlement.parties());
    Ok(settlement)
}

/// Pays a settlement with cash at once, if its recipient takes such payments and is owed as much.
fn pay_at_once(
    transaction: &mut LedgerTransaction,
    mut payer: Funds,
    at_once: Option<AtOnce>,
    settlement: Settlement,
    context: RequestContext,
) -> Result<Settlement, WriteError> {
    let at_once = at_once.ok_or(Error::Internal("the recipient of a payment has no funds"))?;
    let AtOnce { recipient: mut to, pending } = at_once;
    let amount = money(&settlement)?;
    let at = transaction.at();
    let parts = payer.cover(amount, Payable::Cash, at).map_err(Error::from)?;
    let owed = owed(transaction.ledger(), &settlement);
    let is_owed = i128::from(amount.minor).saturating_add(pending_between(
        &pending,
        transaction.ledger(),
        &settlement,
    )) <= owed;
    if !to.accepts(amount.currency) || !is_owed {
        return Err(Error::from(FundError::NotAccepted).into());
    }
    let id = FundTransactionId::new(at, context.random);
    let entered = payer.enter(entry(id, parts, &settlement, payer.owner, at));
    let entered = of_settlement(entered, &settlement, to.owner);
    payer.apply(&entered, at)?;
    let received = receive(&mut to, &entered, &settlement, payer.owner, (at, context.random))?;
    let paid = entered.ended(FundStatus::Completed, at, Some(payer.owner));
    let paid = FundTransaction { other_id: Some(received.id), ..paid };
    let settlement = Settlement {
        status: SettlementStatus::Completed,
        completed_at: Some(at),
        funds: Some(paid_from(&paid)),
        ..settlement
    };
    for write in [Write::put_new(&settlement)?, Write::put_new(&paid)?] {
        transaction.add(write);
    }
    transaction.add(Write::put_new(&received)?);
    transaction.add_all(fund_writes(&payer)?);
    transaction.add_all(fund_writes(&to)?);
    transaction.record(settlement.event()?)?;
    Ok(settlement)
}

/// Adds to the recipient's funds what the payer's pay, and returns the recipient's transaction.
fn receive(
    to: &mut Funds,
    paid: &FundTransaction,
    settlement: &Settlement,
    by: UserId,
    (at, random): (Timestamp, [u8; 10]),
) -> Result<FundTransaction, Error> {
    let id = FundTransaction::further_id(at, random, "received");
    let new = entry(id, paid.amounts().received(), settlement, by, at);
    let received = to.enter(NewEntry { flow: FundFlow::Credit, ..new });
    let received = of_settlement(received, settlement, paid.owner);
    let received = FundTransaction { other_id: Some(paid.id), ..received };
    let received = match settlement.hold_until.filter(|until| *until > at) {
        None => received.ended(FundStatus::Completed, at, Some(by)),
        Some(until) => {
            let received = received.held(until);
            let held = Held { from_user_id: paid.owner, settlement_id: settlement.id };
            to.hold(&received, held, until, at);
            received
        }
    };
    to.apply(&received, at)?;
    Ok(received)
}

fn entry(
    id: FundTransactionId,
    parts: Parts,
    settlement: &Settlement,
    actor: UserId,
    now: Timestamp,
) -> NewEntry {
    let kind = FundTransactionType::Settlement;
    let flow = FundFlow::Debit;
    NewEntry { id, kind, flow, currency: settlement.currency, parts, actor, now }
}

/// The transaction as one side of a settlement.
fn of_settlement(of: FundTransaction, settlement: &Settlement, other: UserId) -> FundTransaction {
    FundTransaction {
        group_id: Some(settlement.group_id),
        settlement_id: Some(settlement.id),
        other_user_id: Some(other),
        ..of
    }
}

/// State of the payer's transaction, as the settlement has it.
fn paid_from(of: &FundTransaction) -> PaidFromFunds {
    let received = of.amounts().received();
    let [amount, cash, credit] =
        [of.amount, received.cash, received.credit].map(|minor| of.currency.to_major(minor));
    let expires_at = of.expires_at;
    PaidFromFunds { transaction_id: of.id, amount, cash, credit, expires_at }
}

/// The sides that are users. Guests have no funds.
pub fn users(settlement: &Settlement) -> Result<[UserId; 2], Error> {
    let [from, to] = settlement.parties().map(MemberId::user);
    from.zip(to)
        .map(|(from, to)| [from, to])
        .ok_or_else(|| Error::funds_mismatch("a guest is a side of a payment from funds"))
}

/// Amount of a settlement.
pub fn money(settlement: &Settlement) -> Result<Money, Error> {
    let whole = |_| Error::Internal("the amount of a new settlement is finer than a minor unit");
    Money::from_major(settlement.amount, settlement.currency).map_err(whole)
}

/// Debt of the payer and claim of the recipient, in minor units.
fn owed(ledger: &Ledger, settlement: &Settlement) -> i128 {
    let net = |member| ledger.balances.totals(settlement.currency, member).net();
    let [from, to] = settlement.parties();
    net(to).min(net(from).saturating_neg()).max(0)
}

/// Sum of pending payments from the payer to the recipient in this currency, in minor units.
fn pending_between(pending: &[Settlement], ledger: &Ledger, settlement: &Settlement) -> i128 {
    let currency: Currency = settlement.currency;
    let same = pending
        .iter()
        .map(|it| it.resolved(&ledger.links))
        .filter(|it| it.parties() == settlement.parties() && it.currency == currency);
    let minor = |it: Settlement| {
        let whole = it.amount.rounded(currency.exponent());
        currency.to_minor(whole).map_or(i128::from(i64::MAX), i128::from)
    };
    same.map(minor).fold(0, i128::saturating_add)
}
