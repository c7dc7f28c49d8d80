//! Reads of funds and their transactions.

use std::collections::BTreeSet;

use fracti_core::{
    Error,
    fund::{Fund, FundError, Funds},
    fund_total::FundTotal,
    fund_transaction::{FundTransaction, FundWork},
    group::MemberRow,
    id::{FundTransactionId, UserId},
    keys::{self, prefix},
    time::Timestamp,
};

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort},
    table::Table,
};

impl Table {
    /// All funds of a user, in one query. It is not isolated from a payment that is committed while
    /// it runs: what it reads of several rows may never have been there together.
    pub async fn funds(&self, owner: UserId) -> Result<Funds, Error> {
        let range = Range::table(keys::own_partition(owner), prefix::FUND);
        Ok(Funds::new(owner, self.db.all::<Fund>(&range).await?))
    }

    /// All funds of a user, in which pending entries that were left behind count nowhere.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if an entry of a completed transaction is still pending.
    pub async fn funds_in_detail(&self, owner: UserId, now: Timestamp) -> Result<Funds, Error> {
        Ok(self.funds_with_pending(owner, now).await?.0)
    }

    /// [`Table::funds_in_detail`], with the transactions that are pending in the funds.
    pub(crate) async fn funds_with_pending(
        &self,
        owner: UserId,
        now: Timestamp,
    ) -> Result<(Funds, Vec<FundTransaction>), Error> {
        let mut funds = self.funds(owner).await?;
        let pending = funds.pending();
        if pending.is_empty() {
            return Ok((funds, Vec::new()));
        }
        let key = |id| keys::fund_transaction(owner, id);
        let rows = pending.iter().map(|id| key(*id)).collect();
        let rows = self.db.batch::<FundTransaction>(rows).await?;
        let row = |id| rows.get(&key(id));
        let is_orphan = |id: &FundTransactionId| Funds::is_orphan(*id, row(*id), now);
        let is_ended = |id: &FundTransactionId| row(*id).is_some_and(|it| it.ended_at.is_some());
        if pending.iter().any(|id| is_ended(id) || is_orphan(id)) {
            // The rows are read after the funds: a transaction may have ended in between.
            funds = self.funds(owner).await?;
        }
        let still: BTreeSet<_> = pending.intersection(&funds.pending()).copied().collect();
        let (orphans, others): (BTreeSet<_>, BTreeSet<_>) =
            still.iter().partition(|id| is_orphan(id));
        if others.iter().any(is_ended) {
            let what = "an entry of a completed transaction is still pending";
            return Err(Error::funds_mismatch(what));
        }
        funds.orphans = orphans;
        Ok((funds, rows.into_values().collect()))
    }

    /// A page of the transactions of a user's funds, newest first.
    pub async fn fund_transactions(
        &self,
        owner: UserId,
        page: &Page,
    ) -> Result<Slice<FundTransaction>, Error> {
        let range = Range::table(keys::own_partition(owner), prefix::FUND_TRANSACTION);
        self.db.page(&range, page).await
    }

    /// A transaction of a user's funds.
    ///
    /// # Errors
    ///
    /// [`FundError::NoTransaction`].
    pub async fn fund_transaction(
        &self,
        owner: UserId,
        id: FundTransactionId,
    ) -> Result<FundTransaction, Error> {
        let row = self.db.get(keys::fund_transaction(owner, id)).await?;
        row.ok_or_else(|| FundError::NoTransaction.into())
    }

    /// A page of what waits for an operator, oldest first. What was done a moment ago may still be
    /// among it.
    pub async fn fund_work(
        &self,
        work: FundWork,
        page: &Page,
    ) -> Result<Slice<FundTransaction>, Error> {
        let range = Range {
            index: Some("GSI1"),
            partition: keys::fund_work(work),
            sort: Sort::Any,
            order: Order::Asc,
        };
        self.db.page(&range, page).await
    }

    /// The sums over all users, by currency.
    pub async fn fund_totals(&self) -> Result<Vec<FundTotal>, Error> {
        let range = Range::table(keys::FUNDS.to_owned(), prefix::FUND_TOTAL);
        let mut totals = self.db.all::<FundTotal>(&range).await?;
        totals.sort_by_key(|total| total.currency);
        Ok(totals)
    }

    /// Checks that a user is, or was, a member of a group, so that a mistyped id gets nothing.
    ///
    /// # Errors
    ///
    /// [`FundError::NoUser`].
    pub(crate) async fn check_user(&self, user: UserId) -> Result<(), Error> {
        let range = Range::index("GSI1", keys::own_partition(user), prefix::GROUP);
        let first = Page { limit: 1, after: None };
        let rows = self.db.rows::<MemberRow>(&range, &first).await?;
        if rows.is_empty() { Err(FundError::NoUser.into()) } else { Ok(()) }
    }
}
