//! The end of transactions of funds that something else than Fracti left half-done.

use std::{collections::BTreeSet, ops::ControlFlow, str::FromStr};

use crate::{
    decisions::{
        decision::Decision,
        funds::{completion, put_changed},
        ledger_transaction::LedgerTransaction,
        settlements::{UpdateRows, completed, failed},
    },
    funds::{
        fund::{FundFlow, Parts},
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        user_funds::Funds,
    },
    group::MemberKey,
    input::{Error, fund_error::FundError},
    ledger::Ledger,
    records::settlement::{Settlement, UsedHash},
    reports::fund_audit::FundRows,
    storage::{
        condition::Condition,
        keys,
        write::{Transaction, Write, WriteError},
    },
    values::{
        fund_status::FundStatus,
        id::{FundTransactionId, GroupId, UserId},
        ref_id::RefId,
        settlement_status::SettlementStatus,
        text::FundNote,
        time::Timestamp,
    },
};

/// A half-done transaction that was ended.
#[derive(Clone, Debug)]
pub struct EndedByForce {
    /// The transaction, which is voided, or completed if both sides of a payment had moved.
    pub ended: FundTransaction,
    /// The transaction of what the funds had already given or got for it, if that is anything.
    pub written: Option<FundTransaction>,
}

/// Who ends a transaction, and when.
#[derive(Clone, Copy, Debug)]
pub struct By {
    /// The operator.
    pub operator: UserId,
    /// The time.
    pub at: Timestamp,
    /// The random part of ids.
    pub random: [u8; 10],
}

/// The settlement of a payment, and what is read with it.
#[derive(Debug)]
pub struct SeenPayment {
    /// The ledger of its group.
    pub ledger: Ledger,
    /// The settlement.
    pub settlement: Option<Settlement>,
    /// The row that says which settlement its chain transaction pays, if it is pending.
    pub used: Option<UsedHash>,
    /// The rows of the [`recipient`].
    pub recipient: Option<FundRows>,
}

/// What an attempt does: nothing, because it was ended before or is not half-done, or the writes
/// that end it.
type Ending = ControlFlow<Option<EndedByForce>, (Vec<Write>, EndedByForce)>;

/// Ends a transaction that is no payment. `None` if it is not half-done.
pub fn void(
    rows: &FundRows,
    id: FundTransactionId,
    by: By,
) -> Result<Decision<Option<EndedByForce>>, WriteError> {
    Ok(match ending(rows, id, None, by)? {
        ControlFlow::Break(done) => Decision::Done(done),
        ControlFlow::Continue((writes, ended)) => {
            Decision::Write(Transaction::from_iter(writes), Some(ended))
        }
    })
}

/// The user who was paid by a completed transaction, while the settlement is pending.
#[must_use]
pub fn recipient(
    rows: &FundRows,
    id: FundTransactionId,
    settlement: Option<&Settlement>,
) -> Option<UserId> {
    let paid = settlement.filter(|it| is_pending(it)).and(rows.transaction(id));
    let paid = paid.filter(|it| it.status == FundStatus::Completed && it.other_id.is_some());
    paid.and_then(|it| it.other_user_id)
}

/// Ends the payer's side of a payment.
pub fn void_payment(
    group: GroupId,
    rows: &FundRows,
    id: FundTransactionId,
    SeenPayment { ledger, settlement, used, recipient }: SeenPayment,
    by: By,
) -> Result<Decision<Option<EndedByForce>>, WriteError> {
    let by = By { at: ledger.next_moment(by.at), ..by };
    let member_key = MemberKey { group, user: rows.owner };
    if let (Some(pending), Some(of), Some(recipient)) =
        (&settlement, rows.transaction(id), recipient)
        && has_moved(rows, of, &recipient)?
    {
        let ended = Some(EndedByForce { ended: of.clone(), written: None });
        let transaction = LedgerTransaction::unchecked(member_key, ledger, by.at);
        let (transaction, _) = completed(transaction, pending.clone(), [])?;
        return transaction.commit(ended);
    }
    let (writes, ended) = match ending(rows, id, settlement.as_ref(), by)? {
        ControlFlow::Break(done) => return Ok(Decision::Done(done)),
        ControlFlow::Continue((writes, ended)) => (writes, Some(ended)),
    };
    let Some(pending) = settlement.filter(is_pending) else {
        return Ok(Decision::Write(Transaction::from_iter(writes), ended));
    };
    let transaction = LedgerTransaction::unchecked(member_key, ledger, by.at);
    let rows = UpdateRows { entry: None, used, funds: writes };
    let (transaction, _) = failed(transaction, pending, false, rows)?;
    transaction.commit(ended)
}

fn is_pending(settlement: &Settlement) -> bool {
    settlement.status == SettlementStatus::Pending
}

/// Whether a payment is completed on both sides, and their funds have given and got all of it.
fn has_moved(
    payer: &FundRows,
    paid: &FundTransaction,
    recipient: &FundRows,
) -> Result<bool, Error> {
    let received = paid.other_id.and_then(|id| recipient.transaction(id));
    let Some(received) = received else { return Ok(false) };
    let all = |rows: &FundRows, of: &FundTransaction| {
        let moved = rows.half_done(of)?;
        Ok::<_, Error>(moved.is_some_and(|moved| moved == of.amounts()))
    };
    Ok(received.status == FundStatus::Completed
        && received.amounts() == paid.amounts().received()
        && all(payer, paid)?
        && all(recipient, received)?)
}

fn ending(
    rows: &FundRows,
    id: FundTransactionId,
    settlement: Option<&Settlement>,
    by: By,
) -> Result<Ending, Error> {
    let of = rows.transaction(id).ok_or(FundError::NoTransaction)?;
    let reference: RefId = text(&format!("void {id}"))?;
    if matches!(of.status, FundStatus::Voided | FundStatus::Expired) {
        let written = rows.transactions.iter().find(|it| it.ref_id.as_ref() == Some(&reference));
        let ended = of.clone();
        let written = written.cloned();
        return Ok(ControlFlow::Break(Some(EndedByForce { ended, written })));
    }
    let is_open = match of.kind {
        // A completed payment is half-done while its settlement is pending.
        FundTransactionType::Settlement => {
            let status = settlement.map(|it| it.status);
            let is_named = settlement.is_some_and(|it| it.funds.is_some());
            of.flow == FundFlow::Debit
                && match (of.status, status) {
                    (FundStatus::Authorised, Some(SettlementStatus::Completed)) => !is_named,
                    (FundStatus::Authorised, _) | (_, Some(SettlementStatus::Pending)) => true,
                    _ => false,
                }
        }
        _ => of.status == FundStatus::Authorised,
    };
    if !is_open {
        return Err(FundError::Final(FundStatus::Completed).into());
    }
    let moved = rows.half_done(of)?;
    let agrees = of.kind != FundTransactionType::Settlement
        || settlement.is_some_and(|it| {
            let names_it = it.funds.as_ref().is_some_and(|funds| funds.transaction_id == id);
            it.status == SettlementStatus::Pending && names_it
        });
    let moved = match moved {
        None if agrees => return Ok(ControlFlow::Break(None)),
        moved => moved.unwrap_or_default(),
    };
    let has_expired = settlement.is_some_and(|it| it.expired);
    let status = if has_expired { FundStatus::Expired } else { FundStatus::Voided };
    write_ending(rows, of, status, moved, reference, by)
}

/// The writes that end a half-done transaction.
fn write_ending(
    rows: &FundRows,
    of: &FundTransaction,
    status: FundStatus,
    moved: Parts,
    reference: RefId,
    by: By,
) -> Result<Ending, Error> {
    let By { operator, at, random } = by;
    let mut funds = Funds::new(rows.owner, rows.funds.iter().cloned());
    let written = (moved.total() > 0).then(|| {
        let id = FundTransaction::further_id(at, random, "moved");
        let kind = match of.flow {
            FundFlow::Debit => FundTransactionType::Correction,
            FundFlow::Credit => FundTransactionType::Topup,
        };
        let flow = of.flow;
        let currency = of.currency;
        let actor = operator;
        let now = at;
        let entry = NewEntry { id, kind, flow, currency, parts: moved, actor, now };
        funds.enter(entry).ended(FundStatus::Completed, at, Some(operator))
    });
    let written = match written {
        None => None,
        Some(written) => {
            let what = if of.flow == FundFlow::Debit { "Taken" } else { "Added" };
            let description =
                Some(text::<FundNote>(&format!("{what} for {}, which was called off", of.id))?);
            Some(FundTransaction { ref_id: Some(reference), description, ..written })
        }
    };
    funds.forget(of.id, written.as_ref(), at);
    let voided = FundTransaction { other_id: None, ..of.clone() };
    let voided = voided.ended(status, at, Some(operator));
    let mut writes = vec![put_changed(&voided, of.status)?];
    if let Some(written) = &written {
        writes.push(Write::put_new(written)?);
    }
    // The sums and the reference are those of what is written; the funds are changed once.
    writes.extend(completion(&funds, written.as_ref().unwrap_or(&voided))?);
    let changed: BTreeSet<_> = funds.changes().map(|change| change.key()).collect();
    for (key, _) in of.parts().into_iter().filter(|(key, _)| !changed.contains(key)) {
        let version = funds.get(key).map_or(0, |fund| fund.version);
        let unchanged = Write::check(keys::fund(rows.owner, key));
        writes.push(unchanged.when(Condition::at_version(version)));
    }
    Ok(ControlFlow::Continue((writes, EndedByForce { ended: voided, written })))
}

/// A text of ours as a value with rules.
fn text<T: FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::Internal("a text of Fracti's own breaks its rule"))
}
