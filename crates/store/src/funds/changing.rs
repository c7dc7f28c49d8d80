//! Changes of funds: credits, bonuses, cash-outs, corrections, and what operators do about them.

use std::{collections::BTreeSet, future::Future, ops::ControlFlow};

use fracti_core::{
    caller::telegram::User,
    decisions::{
        decision::Decision,
        funds::{self as decide, Entered, SeenFunds},
    },
    funds::{
        fund_queue::FundQueue,
        fund_transaction::FundTransaction,
        new_fund::{DebitRight, NewBonus, NewFundCredit, NewFundDebit},
        user_funds::Funds,
    },
    input::{Draft, Error, Field, fund_error::FundError},
    storage::{
        keys,
        write::{Transaction, WriteError},
    },
    values::{
        currency::Currency,
        fund_key::FundWork,
        fund_status::FundStatus,
        id::{FundTransactionId, UserId},
        ref_id::RefId,
        time::Timestamp,
    },
};

use crate::{
    funds::reading::Unreadable,
    table::Table,
    write::idempotency::{Idempotency, Outcome},
};

impl Table {
    /// Adds cash or credit to a user's funds. With a reference, an operator records it; without
    /// one, the user reports that they have paid, which counts once an operator captures it.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`]; [`FundError::NoUser`];
    /// [`FundError::ReferenceUsed`]; [`FundError::TooMany`]; [`Error::KeyReused`].
    pub async fn credit_funds(
        &self,
        owner: UserId,
        actor: &User,
        new: &Draft<NewFundCredit>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        let is_report = actor.id == owner && !new.needs_operator();
        let work = is_report.then_some(FundWork::Topup);
        self.write(None, idempotency, || async {
            let (funds, queue) =
                tokio::join!(self.funds_of_member(owner), self.fund_queue(owner, work));
            let funds = funds?;
            let queue = queue?;
            let new = new.check(actor.id != owner)?;
            let is_short = decide::is_full(&funds, &new);
            let funds = self.unless_short(funds, is_short, now).await?;
            self.entered(decide::credit(funds, actor, new, idempotency.context())?, queue).await
        })
        .await
    }

    /// Gives a user a bonus.
    ///
    /// # Errors
    ///
    /// As [`Table::credit_funds`], without references.
    pub async fn give_bonus(
        &self,
        owner: UserId,
        actor: UserId,
        new: &Draft<NewBonus>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        self.write(None, idempotency, || async {
            let funds = self.funds_of_member(owner).await?;
            let new = new.check(now)?;
            decide::give_bonus(funds, actor, new, idempotency.context())
        })
        .await
    }

    /// Asks for the payment of a user's cash, or takes back what an operator gave by mistake.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`]; [`FundError::Insufficient`];
    /// [`FundError::ReferenceUsed`]; [`FundError::TooMany`]; [`Error::KeyReused`].
    pub async fn debit_funds(
        &self,
        owner: UserId,
        actor: &User,
        new: &Draft<NewFundDebit>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        let is_cashout = new.right() == Some(DebitRight::Owner);
        let work = is_cashout.then_some(FundWork::Cashout);
        self.write(None, idempotency, || async {
            let (funds, queue) = tokio::join!(self.funds(owner), self.fund_queue(owner, work));
            let funds = funds?;
            let queue = queue?;
            let new = new.check()?;
            let is_short = decide::is_short(&funds, &new, now);
            let funds = self.unless_short(funds, is_short, now).await?;
            self.entered(decide::debit(funds, actor, new, idempotency.context())?, queue).await
        })
        .await
    }

    /// Completes what waits for an operator, who says that money arrived, or was paid out, by this
    /// reference. One whose time is over is ended instead.
    ///
    /// # Errors
    ///
    /// [`FundError::NoTransaction`]; [`FundError::OfSettlement`]; [`FundError::Final`];
    /// [`FundError::Over`]; [`FundError::ReferenceUsed`]; [`Error::FundsMismatch`];
    /// [`Error::KeyReused`].
    pub async fn capture_funds(
        &self,
        (owner, id): (UserId, FundTransactionId),
        operator: UserId,
        ref_id: &Draft<Field<RefId>>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        let captured = |row: &_| decide::captured(row, ref_id, operator, now);
        self.end_waiting(owner, id, captured, idempotency).await
    }

    /// Takes back what waits for an operator: the money did not arrive, or was not paid out, or the
    /// owner calls it off.
    ///
    /// # Errors
    ///
    /// As [`Table::capture_funds`], without references.
    pub async fn void_funds(
        &self,
        (owner, id): (UserId, FundTransactionId),
        by: UserId,
        body: &Draft<()>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        let voided = |row: &_| decide::voided(row, by, body, now);
        self.end_waiting(owner, id, voided, idempotency).await
    }

    /// Sets whether a user takes payments from funds in a currency without confirming each.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] or [`Error::Unreadable`]; [`Error::KeyReused`].
    pub async fn accept_funds(
        &self,
        owner: UserId,
        accepts: &Draft<(Field<Currency>, Field<bool>)>,
        idempotency: &Idempotency<SeenFunds>,
    ) -> Result<Outcome<SeenFunds>, Error> {
        let now = idempotency.now();
        self.write(None, idempotency, || async {
            let funds = self.funds(owner).await?;
            decide::accept(funds, accepts, now)
        })
        .await
    }

    /// Ends what waits for an operator, as `ended` makes it of its row. One whose time is over is
    /// ended by that instead: a capture that was sent earlier may still be committed until then, so
    /// nothing is refused by time alone.
    async fn end_waiting(
        &self,
        owner: UserId,
        id: FundTransactionId,
        ended: impl Fn(&FundTransaction) -> Result<FundTransaction, Error>,
        idempotency: &Idempotency<FundTransaction>,
    ) -> Result<Outcome<FundTransaction>, Error> {
        let now = idempotency.now();
        let outcome = self
            .write(None, idempotency, || async {
                let (row, funds) =
                    tokio::join!(self.fund_transaction(owner, id), self.funds(owner));
                let row = row?;
                let asked = ended(&row);
                let ended = match decide::end_waiting(row, asked, now)? {
                    ControlFlow::Break(decision) => return Ok(decision),
                    ControlFlow::Continue(ended) => ended,
                };
                let writes = self.end_authorised(funds?, &ended, now).await?;
                Ok(Decision::Write(writes, ended))
            })
            .await;
        if matches!(outcome, Err(Error::Fund(FundError::Over(_))))
            && self.end_if_over(owner, id, now).await? != FundStatus::Expired
        {
            return Err(Error::Contended);
        }
        outcome
    }

    /// Ends a report whose time is over, and returns its status.
    ///
    /// # Errors
    ///
    /// [`FundError::NoTransaction`]; [`Error::FundsMismatch`].
    pub(crate) async fn end_if_over(
        &self,
        owner: UserId,
        id: FundTransactionId,
        now: Timestamp,
    ) -> Result<FundStatus, Error> {
        self.work(None, "end-fund-transaction", now, |_| async {
            let (row, funds) = tokio::join!(self.fund_transaction(owner, id), self.funds(owner));
            let row = row?;
            if !row.is_over(now) {
                return Ok(Decision::Done(row.status));
            }
            let expired = row.ended(FundStatus::Expired, now, None);
            let writes = self.end_authorised(funds?, &expired, now).await?;
            Ok(Decision::Write(writes, FundStatus::Expired))
        })
        .await
    }

    /// The writes that end a transaction that was authorised when its funds were read. Only a
    /// completed one changes balances.
    async fn end_authorised(
        &self,
        funds: Funds,
        ended: &FundTransaction,
        now: Timestamp,
    ) -> Result<Transaction, WriteError> {
        let has_ended = async {
            let after = self.fund_transaction(ended.owner, ended.id).await?;
            Ok(after.status != FundStatus::Authorised)
        };
        agreed(decide::ended(funds, ended, now), has_ended).await
    }

    /// The queue of a user's work for operators, for a request that adds `work` to it.
    async fn fund_queue(&self, owner: UserId, work: Option<FundWork>) -> Result<FundQueue, Error> {
        let queue = match work {
            Some(_) => self.db.get(keys::fund_queue(owner)).await?,
            None => None,
        };
        Ok(queue.unwrap_or_else(|| FundQueue::none(owner)))
    }

    /// The decision to enter a transaction, which may begin to wait for an operator.
    async fn entered(
        &self,
        entered: Entered,
        queue: FundQueue,
    ) -> Result<Decision<FundTransaction>, WriteError> {
        let (funds, entered) = match entered {
            ControlFlow::Break(decision) => return Ok(decision),
            ControlFlow::Continue(waiting) => waiting,
        };
        let mut unclear = BTreeSet::new();
        let ids = queue.unclear(&funds, entered.created_at);
        if !ids.is_empty() {
            let rows = self.fund_transactions_at(entered.owner, ids.into_iter()).await?;
            // One that cannot be read may still wait.
            let waits = |row: &Result<FundTransaction, Unreadable>| match row {
                Ok(row) => row.work().is_some(),
                Err(Unreadable) => true,
            };
            unclear.extend(rows.into_iter().filter(|(_, row)| waits(row)).map(|(id, _)| id));
        }
        decide::begin(funds, queue, &unclear, entered)
    }

    /// The funds of a user who is, or was, a member of a group, so that a mistyped id gets nothing.
    ///
    /// # Errors
    ///
    /// [`FundError::NoUser`].
    async fn funds_of_member(&self, owner: UserId) -> Result<Funds, Error> {
        let (funds, user) = tokio::join!(self.funds(owner), self.check_user(owner));
        user?;
        funds
    }
}

/// What follows from rows that were read one after the other. If they do not agree, that may be
/// because one of them `has_changed` in between: then they are read again.
pub(crate) async fn agreed<T>(
    outcome: Result<T, Error>,
    has_changed: impl Future<Output = Result<bool, Error>>,
) -> Result<T, WriteError> {
    if matches!(outcome, Err(Error::FundsMismatch(_))) && has_changed.await? {
        return Err(WriteError::Retry);
    }
    Ok(outcome?)
}
