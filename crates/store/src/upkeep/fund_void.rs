//! The end of transactions of funds that something else than Fracti left half-done, for the
//! operators' tool.

use std::collections::BTreeSet;

use fracti_core::{
    decisions::{
        decision::Decision,
        funds::{completion, put_changed},
        ledger_transaction::LedgerTransaction,
        settlements::{UpdateRows, completed, failed},
    },
    funds::{
        fund::{FundError, FundFlow, FundStatus, Parts},
        fund_transaction::{FundTransaction, FundTransactionType, NewEntry},
        user_funds::Funds,
    },
    group::MemberKey,
    input::Error,
    records::settlement::{Settlement, SettlementStatus},
    reports::fund_audit::FundRows,
    storage::{
        condition::Condition,
        keys,
        write::{Transaction, Write, WriteError},
    },
    values::{
        id::{FundTransactionId, GroupId, SettlementId, UserId},
        ref_id::RefId,
        request_context::RequestContext,
        text::FundNote,
        time::Timestamp,
    },
};

use crate::{
    table::Table,
    write::idempotency::{Idempotency, Outcome},
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
#[derive(Clone, Copy)]
struct By {
    operator: UserId,
    at: Timestamp,
    random: [u8; 10],
}

impl Table {
    /// Ends a transaction that something else than Fracti left half-done, in one transaction: what is
    /// pending is released, what the funds have already given or got is written as a transaction, and
    /// its settlement fails. A payment that the payer's funds have given and the recipient's have got
    /// is completed instead: only the group did not know of it. `None` if nothing is half-done: then it can be ended as usual.
    ///
    /// # Errors
    ///
    /// [`FundError::NoTransaction`]; [`FundError::Final`] if it, or its settlement, is completed;
    /// [`Error::FundsMismatch`] if the funds differ from the transactions in another way, too.
    pub async fn void_half_done(
        &self,
        (owner, id): (UserId, FundTransactionId),
        operator: UserId,
        now: Timestamp,
    ) -> Result<Option<EndedByForce>, Error> {
        let of = self.fund_transaction(owner, id).await?;
        let work = Idempotency::own_work("void-half-done", now);
        let RequestContext { random, .. } = work.context();
        let by = By { operator, at: now, random };
        if let Some((group, settlement)) = of.group_id.zip(of.settlement_id) {
            let attempt = || self.void_payment((owner, id), (group, settlement), by);
            return self.work_on_group(group, "void-half-done", now, attempt).await;
        }
        let ended = self.write(&work, || async {
            let rows = self.fund_rows(owner).await?;
            match ending(&rows, id, None, by)? {
                Ending::Done(done) => Ok(Decision::Done(done.map(|it| *it))),
                Ending::Write(writes, ended) => {
                    Ok(Decision::Write(Transaction::from_iter(writes), Some(*ended)))
                }
            }
        });
        match ended.await? {
            Outcome::Done(ended) => Ok(ended),
            Outcome::Replayed(_) => Err(Error::KeyReused),
        }
    }

    /// Ends the payer's side of a payment, under the lock of the group.
    async fn void_payment(
        &self,
        (owner, id): (UserId, FundTransactionId),
        (group, settlement): (GroupId, SettlementId),
        by: By,
    ) -> Result<Decision<Option<EndedByForce>>, WriteError> {
        let read = tokio::try_join!(self.find_settlement(group, settlement), self.ledger(group));
        let (settlement, ledger) = read?;
        let rows = self.fund_rows(owner).await?;
        let by = By { at: ledger.next_moment(by.at), ..by };
        let is_pending = |it: &Settlement| it.status == SettlementStatus::Pending;
        let member_key = MemberKey { group, user: owner };
        if let Some((pending, of)) =
            settlement.as_ref().filter(|it| is_pending(it)).zip(rows.transaction(id))
            && self.has_moved(&rows, of).await?
        {
            let ended = Some(EndedByForce { ended: of.clone(), written: None });
            let transaction = LedgerTransaction::unchecked(member_key, ledger, by.at);
            let (transaction, _) = completed(transaction, pending.clone(), [])?;
            return transaction.commit(ended);
        }
        let (writes, ended) = match ending(&rows, id, settlement.as_ref(), by)? {
            Ending::Done(done) => return Ok(Decision::Done(done.map(|it| *it))),
            Ending::Write(writes, ended) => (writes, Some(*ended)),
        };
        let Some(pending) = settlement.filter(is_pending) else {
            return Ok(Decision::Write(Transaction::from_iter(writes), ended));
        };
        let transaction = LedgerTransaction::unchecked(member_key, ledger, by.at);
        let used = self.used_hash(&pending).await?;
        let rows = UpdateRows { entry: None, used, funds: writes };
        let (transaction, _) = failed(transaction, pending, false, rows)?;
        transaction.commit(ended)
    }

    /// Whether a payment is completed on both sides, and their funds have given and got all of it.
    async fn has_moved(&self, payer: &FundRows, paid: &FundTransaction) -> Result<bool, Error> {
        let other = paid.other_user_id.zip(paid.other_id);
        let Some((recipient, id)) = other.filter(|_| paid.status == FundStatus::Completed) else {
            return Ok(false);
        };
        let recipient = self.fund_rows(recipient).await?;
        let Some(received) = recipient.transaction(id) else { return Ok(false) };
        let all = |rows: &FundRows, of: &FundTransaction| {
            let moved = rows.half_done(of)?;
            Ok::<_, Error>(moved.is_some_and(|moved| moved == of.amounts()))
        };
        Ok(received.status == FundStatus::Completed
            && received.amounts() == paid.amounts().received()
            && all(payer, paid)?
            && all(&recipient, received)?)
    }
}

/// What an attempt does.
enum Ending {
    /// Nothing: it was ended before, or is not half-done.
    Done(Option<Box<EndedByForce>>),
    /// The writes that end it.
    Write(Vec<Write>, Box<EndedByForce>),
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
        let (ended, written) = (of.clone(), written.cloned());
        return Ok(Ending::Done(Some(Box::new(EndedByForce { ended, written }))));
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
        None if agrees => return Ok(Ending::Done(None)),
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
        let (flow, currency, actor, now) = (of.flow, of.currency, operator, at);
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
    Ok(Ending::Write(writes, Box::new(EndedByForce { ended: voided, written })))
}

/// A text of ours as a value with rules.
fn text<T: std::str::FromStr>(text: &str) -> Result<T, Error> {
    text.parse().map_err(|_| Error::Internal("a text of Fracti's own breaks its rule"))
}
