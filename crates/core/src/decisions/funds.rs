//! Prepaid funds of users: what operators and owners change, and what is due.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::ControlFlow,
};

use fracti_texts::rule;

use crate::{
    caller::telegram::User,
    decisions::decision::Decision,
    funds::{
        fund::{Bonus, Fund, FundFlow, HOLD_S, Parts},
        fund_queue::FundQueue,
        fund_total::{FundReference, FundTotal},
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        new_fund::{FundCredit, FundDebit, GivenBonus, PlainFund, reference_in},
        user_funds::{FundChange, Funds, Payable},
    },
    input::{Draft, Error, Field, fund_error::FundError},
    storage::{
        condition::Condition,
        keys, row,
        write::{Transaction, Write, WriteError},
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        fund_key::FundKey,
        fund_status::FundStatus,
        id::{FundTransactionId, UserId},
        money::Money,
        ref_id::RefId,
        request_context::RequestContext,
        time::Timestamp,
    },
};

/// Seconds after which a lapsed bonus is looked at again, while it is withheld for a transaction.
const LAPSE_AGAIN_S: u64 = 3_600;

/// A user's funds as they are seen at a time.
#[derive(Clone, Debug)]
pub struct SeenFunds {
    /// The funds.
    pub funds: Funds,
    /// Number of pending entries that were left behind, and that a check has released.
    pub released: usize,
    /// The time.
    pub now: Timestamp,
}

/// What a change of funds comes to: it is made at once, or it begins to wait for an operator, for
/// which the queue is read.
pub type Entered = ControlFlow<Decision<FundTransaction>, (Funds, FundTransaction)>;

/// Whether the funds have no room for a credit that waits, unless entries in them were left behind.
#[must_use]
pub fn is_full(funds: &Funds, new: &FundCredit) -> bool {
    new.ref_id.is_none() && funds.is_full(FundKey::Cash(new.amount.currency))
}

/// Adds cash or credit: what an operator records counts at once, and what the user reports waits.
pub fn credit(
    funds: Funds,
    actor: &User,
    new: FundCredit,
    RequestContext { now, random }: RequestContext,
) -> Result<Entered, WriteError> {
    let FundCredit { fund, amount: Money { minor, currency }, ref_id, description } = new;
    let (kind, parts) = match fund {
        PlainFund::Cash => (FundTransactionType::Topup, Parts::cash(minor)),
        PlainFund::Credit => (FundTransactionType::Credit, Parts::credit(minor)),
    };
    let id = FundTransactionId::new(now, random);
    let flow = FundFlow::Credit;
    let entry = NewEntry { id, kind, flow, currency, parts, actor: actor.id, now };
    let entered = FundTransaction { ref_id, description, ..funds.enter(entry) };
    if entered.ref_id.is_some() {
        return at_once(funds, entered, now).map(ControlFlow::Break);
    }
    let entered = FundTransaction { owner_name: Some(actor.name.clone()), ..entered };
    Ok(ControlFlow::Continue((funds, entered.until(now.plus_seconds(HOLD_S)))))
}

/// Whether the funds are short for a debit, unless entries in them were left behind.
#[must_use]
pub fn is_short(funds: &Funds, new: &FundDebit, now: Timestamp) -> bool {
    match new {
        FundDebit::Cashout { amount, .. } => {
            funds.cover(*amount, Payable::Cash, now).is_err()
                || funds.is_full(FundKey::Cash(amount.currency))
        }
        FundDebit::Correction { fund, bonus_id, amount, .. } => {
            corrected(funds, *fund, *bonus_id, *amount, now).is_err()
        }
    }
}

/// Asks for the payment of cash, which waits, or takes back what was given by mistake.
pub fn debit(
    funds: Funds,
    actor: &User,
    new: FundDebit,
    RequestContext { now, random }: RequestContext,
) -> Result<Entered, WriteError> {
    let id = FundTransactionId::new(now, random);
    let flow = FundFlow::Debit;
    let entry = |kind, parts, currency| {
        funds.enter(NewEntry { id, kind, flow, currency, parts, actor: actor.id, now })
    };
    match new {
        FundDebit::Cashout { amount, to, description } => {
            let parts = funds.cover(amount, Payable::Cash, now).map_err(Error::from)?;
            let entered = entry(FundTransactionType::Cashout, parts, amount.currency);
            let to = Some(to);
            let owner_name = Some(actor.name.clone());
            let entered = FundTransaction { description, to, owner_name, ..entered };
            Ok(ControlFlow::Continue((funds, entered)))
        }
        FundDebit::Correction { fund, bonus_id, amount, ref_id, description } => {
            let parts = corrected(&funds, fund, bonus_id, amount, now)?;
            let done = entry(FundTransactionType::Correction, parts, amount.currency);
            let ref_id = Some(ref_id);
            let description = Some(description);
            let done = FundTransaction { ref_id, description, ..done };
            at_once(funds, done, now).map(ControlFlow::Break)
        }
    }
}

/// Gives a user a bonus.
pub fn give_bonus(
    mut funds: Funds,
    actor: UserId,
    new: GivenBonus,
    RequestContext { now, random }: RequestContext,
) -> Result<Decision<FundTransaction>, WriteError> {
    let Money { minor, currency } = new.amount;
    let id = FundTransactionId::new(now, random);
    let parts = Parts { bonuses: BTreeMap::from([(id, minor)]), ..Parts::default() };
    let kind = FundTransactionType::Bonus;
    let flow = FundFlow::Credit;
    let entry = NewEntry { id, kind, flow, currency, parts, actor, now };
    let given = funds.enter(entry);
    let description = new.note.clone();
    let expires_at = Some(new.expires_at);
    let given = FundTransaction { description, expires_at, ..given };
    let awarded = minor;
    let note = new.note;
    let usage = BTreeMap::new();
    let bonus = Bonus { awarded, given_by: actor, note, usage, used_earlier: 0 };
    funds.give(&given, bonus, new.expires_at);
    at_once(funds, given, now)
}

/// Sets whether a user takes payments from funds in a currency without confirming each.
pub fn accept(
    mut funds: Funds,
    accepts: &Draft<(Field<Currency>, Field<bool>)>,
    now: Timestamp,
) -> Result<Decision<SeenFunds>, WriteError> {
    let (currency, accepts) = accepts.checked()?;
    let (Some(currency), Some(accepts)) = (currency.value(), accepts.value()) else {
        return Err(Error::Internal("an invalid field was not reported").into());
    };
    funds.accept(*currency, *accepts, now);
    let writes = Transaction::from_iter(fund_writes(&funds)?);
    let funds = funds.written();
    Ok(Decision::Write(writes, SeenFunds { funds, released: 0, now }))
}

/// Begins a transaction that waits for an operator, of whose queue these are known to wait still.
pub fn begin(
    mut funds: Funds,
    queue: FundQueue,
    unclear: &BTreeSet<FundTransactionId>,
    entered: FundTransaction,
) -> Result<Decision<FundTransaction>, WriteError> {
    let read = Condition::at_version(queue.version);
    let (queue, before) = queue.with(entered.id, &funds, unclear).map_err(Error::from)?;
    let entered = FundTransaction { waits_behind: Some(before), ..entered };
    funds.authorise(&entered).map_err(Error::from)?;
    let mut writes = Transaction::from_iter(fund_writes(&funds)?);
    writes.add(Write::put_new(&entered)?);
    writes.add(Write::put(&queue)?.when(read));
    Ok(Decision::Write(writes, entered))
}

/// The transaction that an operator completes by this reference.
pub fn captured(
    row: &FundTransaction,
    ref_id: &Draft<Field<RefId>>,
    operator: UserId,
    now: Timestamp,
) -> Result<FundTransaction, Error> {
    let reference = reference_in(ref_id.required()?, PlainFund::Cash, row.currency);
    let ref_id = Some(reference.map_err(|error| Error::invalid("refId", error))?);
    let captured = FundTransaction { ref_id, ..row.clone() };
    Ok(captured.ended(FundStatus::Completed, now, Some(operator)))
}

/// The transaction that is taken back.
pub fn voided(
    row: &FundTransaction,
    by: UserId,
    body: &Draft<()>,
    now: Timestamp,
) -> Result<FundTransaction, Error> {
    body.checked()?;
    Ok(row.clone().ended(FundStatus::Voided, now, Some(by)))
}

/// Ends what waits for an operator, as it is `asked`: what is decided already, or the transaction
/// as it ends.
pub fn end_waiting(
    row: FundTransaction,
    asked: Result<FundTransaction, Error>,
    now: Timestamp,
) -> Result<ControlFlow<Decision<FundTransaction>, FundTransaction>, Error> {
    if row.kind == FundTransactionType::Settlement {
        return Err(FundError::OfSettlement.into());
    }
    if asked.as_ref().is_ok_and(|asked| is_repeated(&row, asked)) {
        return Ok(ControlFlow::Break(Decision::Done(row)));
    }
    check_authorised(&row, now)?;
    asked.map(ControlFlow::Continue)
}

/// The writes that end a transaction that was authorised when its funds were read. Only a completed
/// one changes balances.
pub fn ended(
    mut funds: Funds,
    ended: &FundTransaction,
    now: Timestamp,
) -> Result<Transaction, Error> {
    match ended.status {
        FundStatus::Completed => funds.capture(ended, now)?,
        _ => funds.release(ended, now)?,
    }
    let mut writes = Transaction::from_iter([put_changed(ended, FundStatus::Authorised)?]);
    writes.extend(completion(&funds, ended)?);
    Ok(writes)
}

/// Makes held cash usable.
pub fn use_held(
    mut funds: Funds,
    paid: FundTransaction,
    now: Timestamp,
) -> Result<Decision<()>, WriteError> {
    let done = paid.ended(FundStatus::Completed, now, None);
    funds.use_held(done.id, now)?;
    let mut writes = Transaction::from_iter(fund_writes(&funds)?);
    writes.add(put_changed(&done, FundStatus::Held)?);
    Ok(Decision::Write(writes, ()))
}

/// Releases pending entries that were left behind.
pub fn release_orphans(
    mut funds: Funds,
    now: Timestamp,
) -> Result<Decision<SeenFunds>, WriteError> {
    let released = funds.release_orphans(now);
    let writes = Transaction::from_iter(fund_writes(&funds)?);
    let funds = funds.written();
    Ok(Decision::Write(writes, SeenFunds { funds, released, now }))
}

/// Takes the rest of a bonus that has lapsed, as far as it is not withheld for transactions.
pub fn lapse(
    mut funds: Funds,
    bonus: &Fund,
    RequestContext { now, random }: RequestContext,
) -> Result<Decision<()>, WriteError> {
    let (Some(given), Some(terms)) = (bonus.id, &bonus.bonus) else {
        return Err(Error::funds_mismatch("a bonus has no terms").into());
    };
    let withheld = bonus.withheld(&funds.orphans);
    let rest = bonus.balance.saturating_sub(withheld).max(0);
    let mut writes = Transaction::default();
    if rest > 0 {
        let entry = NewEntry {
            id: FundTransactionId::new(now, random),
            kind: FundTransactionType::Lapse,
            flow: FundFlow::Debit,
            currency: bonus.currency,
            parts: Parts { bonuses: [(given, rest)].into(), ..Parts::default() },
            actor: terms.given_by,
            now,
        };
        let lapsed = funds.enter(entry).ended(FundStatus::Completed, now, None);
        funds.apply(&lapsed, now)?;
        writes.add(Write::put_new(&lapsed)?);
        writes.extend(add_total(&lapsed)?);
    }
    funds.end(bonus.key());
    funds.postpone(bonus.key(), now.plus_seconds(LAPSE_AGAIN_S));
    writes.extend(fund_writes(&funds)?);
    Ok(Decision::Write(writes, ()))
}

/// The decision to change the funds at once by a transaction.
fn at_once(
    mut funds: Funds,
    entered: FundTransaction,
    now: Timestamp,
) -> Result<Decision<FundTransaction>, WriteError> {
    let by = entered.actor_id;
    let done = entered.ended(FundStatus::Completed, now, Some(by));
    funds.apply(&done, now)?;
    let mut writes = Transaction::from_iter([Write::put_new(&done)?]);
    writes.extend(completion(&funds, &done)?);
    Ok(Decision::Write(writes, done))
}

/// Whether a transaction has ended as is asked for, by the same user. Earlier versions of Fracti
/// did not note the user.
fn is_repeated(row: &FundTransaction, asked: &FundTransaction) -> bool {
    let reference = |of: &FundTransaction| of.ref_id.as_ref().map(RefId::compared);
    row.status == asked.status
        && reference(row) == reference(asked)
        && (row.ended_by.is_none() || row.ended_by == asked.ended_by)
}

/// Refuses a transaction that has ended, or whose time is over.
fn check_authorised(row: &FundTransaction, now: Timestamp) -> Result<(), Error> {
    let over = row.expires_at.map(FundError::Over);
    match (row.status, over) {
        (FundStatus::Expired, Some(over)) => Err(over.into()),
        (FundStatus::Authorised, Some(over)) if row.is_over(now) => Err(over.into()),
        (FundStatus::Authorised, _) => Ok(()),
        (status, _) => Err(FundError::Final(status).into()),
    }
}

/// The parts of a correction.
fn corrected(
    funds: &Funds,
    fund: PlainFund,
    bonus_id: Option<FundTransactionId>,
    amount: Money,
    now: Timestamp,
) -> Result<Parts, Error> {
    let Money { minor, currency } = amount;
    let (key, parts) = match (fund, bonus_id) {
        (PlainFund::Cash, _) => (FundKey::Cash(currency), Parts::cash(minor)),
        (PlainFund::Credit, None) => (FundKey::Credit(currency), Parts::credit(minor)),
        (PlainFund::Credit, Some(id)) => {
            let parts = Parts { bonuses: BTreeMap::from([(id, minor)]), ..Parts::default() };
            (FundKey::Bonus(id), parts)
        }
    };
    let of_currency = funds.get(key).filter(|fund| fund.currency == currency);
    if of_currency.is_none() && bonus_id.is_some() {
        return Err(Error::invalid(
            "bonusId",
            rule!(
                "{field} must be a bonus of the user in this currency",
                "{field} должно быть id бонуса этого пользователя в этой валюте"
            ),
        ));
    }
    let available = of_currency.map_or(0, |fund| fund.available(&funds.orphans, now));
    if available < minor {
        let (available, cash_only) =
            (Money { minor: available, currency }, fund == PlainFund::Cash);
        return Err(FundError::Insufficient { needed: amount, available, cash_only }.into());
    }
    Ok(parts)
}

/// The writes of funds, sums and the reference with a transaction that ends. One that is not
/// completed adds nothing to the sums, and has no reference.
pub fn completion(funds: &Funds, done: &FundTransaction) -> Result<Vec<Write>, Error> {
    let mut writes = fund_writes(funds)?;
    writes.extend(add_total(done)?);
    if let Some(reference) = FundReference::of(done) {
        let used = || FundError::ReferenceUsed.into();
        writes.push(Write::put_new(&reference)?.or_fail(used));
    }
    Ok(writes)
}

/// The writes of the funds that have changed, each on condition that it is as it was read.
pub fn fund_writes(funds: &Funds) -> Result<Vec<Write>, Error> {
    let write = |change| match change {
        FundChange::Put { fund, read } => Ok(Write::put(&fund)?.when(Condition::at_version(read))),
        FundChange::Delete { read } => {
            let delete = Write::delete(keys::fund(read.owner, read.key()));
            Ok(delete.when(Condition::at_version(read.version)))
        }
    };
    funds.changes().map(write).collect()
}

/// The write of a transaction whose status changes, on condition that it still `was` that.
pub fn put_changed(of: &FundTransaction, was: FundStatus) -> Result<Write, Error> {
    Ok(Write::put(of)?.when(Condition::equal("status", row::to_value(&was)?)))
}

/// The write that adds a transaction to the sums over all users. It has no condition: additions do
/// not depend on each other.
pub fn add_total(done: &FundTransaction) -> Result<Option<Write>, Error> {
    let total = FundTotal::of(done);
    if total == FundTotal::none(done.currency) {
        return Ok(None);
    }
    // All of them, so that a new row has each.
    let counters =
        total.counters().map(|(name, number)| (name.to_owned(), Decimal::new(number, 0)));
    let currency = [("currency", row::to_value(&done.currency)?)];
    Ok(Some(Write::add::<FundTotal>(keys::fund_total(done.currency), counters, currency)))
}
