//! The end of transactions of funds that something else than Fracti left half-done, for the
//! operators' tool.

use fracti_core::{
    decisions::{
        decision::Decision,
        fund_void::{self as decide, By, EndedByForce, SeenPayment},
    },
    input::Error,
    storage::write::WriteError,
    values::{
        id::{FundTransactionId, GroupId, SettlementId, UserId},
        request_context::RequestContext,
        settlement_status::SettlementStatus,
        time::Timestamp,
    },
};

use crate::table::Table;

impl Table {
    /// Ends a transaction that something else than Fracti left half-done, in one transaction: what
    /// is pending is released, what the funds have already given or got is written as a
    /// transaction, and its settlement fails. A payment that the payer's funds have given and the
    /// recipient's have got is completed instead: only the group did not know of it. `None` if
    /// nothing is half-done: then it can be ended as usual.
    ///
    /// # Errors
    ///
    /// [`FundError::NoTransaction`](fracti_core::input::fund_error::FundError::NoTransaction);
    /// [`FundError::Final`](fracti_core::input::fund_error::FundError::Final) if it, or its
    /// settlement, is completed; [`Error::FundsMismatch`] if the funds differ from the transactions
    /// in another way, too.
    pub async fn void_half_done(
        &self,
        (owner, id): (UserId, FundTransactionId),
        operator: UserId,
        now: Timestamp,
    ) -> Result<Option<EndedByForce>, Error> {
        let of = self.fund_transaction(owner, id).await?;
        let payment = of.group_id.zip(of.settlement_id);
        let group = of.group_id.filter(|_| payment.is_some());
        self.work(group, "void-half-done", now, async |RequestContext { random, .. }| {
            let by = By { operator, at: now, random };
            match payment {
                Some(payment) => self.void_payment((owner, id), payment, by).await,
                None => decide::void(&self.fund_rows(owner).await?, id, by),
            }
        })
        .await
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
        let recipient = match decide::recipient(&rows, id, settlement.as_ref()) {
            Some(recipient) => Some(self.fund_rows(recipient).await?),
            None => None,
        };
        let pending = settlement.as_ref().filter(|it| it.status == SettlementStatus::Pending);
        let used = match pending {
            Some(pending) => self.used_hash(pending).await?,
            None => None,
        };
        let seen = SeenPayment { ledger, settlement, used, recipient };
        decide::void_payment(group, &rows, id, seen, by)
    }
}
