//! Reads of funds and their transactions.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fracti_core::{
    funds::{
        fund::Fund, fund_total::FundTotal, fund_transaction::FundTransaction, user_funds::Funds,
    },
    group::MemberRow,
    input::{Error, fund_error::FundError},
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, Row},
    },
    values::{
        fund_key::FundWork,
        id::{FundTransactionId, UserId},
        time::Timestamp,
    },
};

use crate::{
    dynamo::{Order, Page, Range, Slice, Sort, note_mismatch},
    table::Table,
};

/// Said of a stored transaction that cannot be read: nobody knows whether it has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unreadable;

impl Table {
    /// All funds of a user, in one query. It is not isolated from a payment that is committed while
    /// it runs: what it reads of several rows may never have been there together.
    ///
    /// # Errors
    ///
    /// [`Error::FundsMismatch`] if a row has the attributes of another key: it would be written
    /// there.
    pub async fn funds(&self, owner: UserId) -> Result<Funds, Error> {
        let range = Range::table(keys::own_partition(owner), prefix::FUND);
        let rows = self.db.all_by_key::<Fund>(&range, &Condition::default()).await?;
        let of_row = |(key, fund): (Option<Primary>, Option<Fund>)| {
            let fund = fund.filter(|fund| key == Some(fund.keys().primary));
            fund.ok_or_else(|| Error::funds_mismatch("a fund has the attributes of another key"))
        };
        let funds: Vec<_> = rows.into_iter().map(of_row).collect::<Result<_, _>>()?;
        Ok(Funds::new(owner, funds))
    }

    /// All funds of a user, in which pending entries that were left behind count nowhere. An entry
    /// of a transaction that has ended, or that cannot be read, counts as withheld, and is named in
    /// the log.
    pub async fn funds_in_detail(&self, owner: UserId, now: Timestamp) -> Result<Funds, Error> {
        Ok(self.funds_with_pending(owner, now).await?.0)
    }

    /// The funds, read in detail if they are short for a decision: entries that were left behind
    /// may withhold what it needs.
    pub(crate) async fn unless_short(
        &self,
        funds: Funds,
        is_short: bool,
        now: Timestamp,
    ) -> Result<Funds, Error> {
        if is_short && !funds.pending().is_empty() {
            self.funds_in_detail(funds.owner, now).await
        } else {
            Ok(funds)
        }
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
        let rows = self.fund_transactions_at(owner, pending.iter().copied()).await?;
        let is_orphan = |id: &FundTransactionId| match rows.get(id) {
            Some(Err(Unreadable)) => false,
            Some(Ok(row)) => Funds::is_orphan(*id, Some(row), now),
            None => Funds::is_orphan(*id, None, now),
        };
        let is_ended = |id: &FundTransactionId| {
            rows.get(id).is_some_and(|row| row.as_ref().is_ok_and(|it| it.ended_at.is_some()))
        };
        if pending.iter().any(|id| is_ended(id) || is_orphan(id)) {
            // The rows are read after the funds: a transaction may have ended in between.
            funds = self.funds(owner).await?;
        }
        let still: BTreeSet<_> = pending.intersection(&funds.pending()).copied().collect();
        let (orphans, others): (BTreeSet<_>, BTreeSet<_>) =
            still.iter().partition(|id| is_orphan(id));
        for id in &others {
            let wrong = match rows.get(id) {
                Some(Err(Unreadable)) => "a pending transaction cannot be read",
                Some(Ok(row)) if row.ended_at.is_some() => {
                    "an entry of a completed transaction is still pending"
                }
                Some(Ok(_)) | None => continue,
            };
            note_mismatch(keys::fund_transaction(owner, *id), wrong);
        }
        funds.orphans = orphans;
        Ok((funds, rows.into_values().filter_map(Result::ok).collect()))
    }

    /// Those of a user's transactions that exist. A row that cannot be read hides no other.
    pub(crate) async fn fund_transactions_at(
        &self,
        owner: UserId,
        ids: impl Iterator<Item = FundTransactionId>,
    ) -> Result<BTreeMap<FundTransactionId, Result<FundTransaction, Unreadable>>, Error> {
        let ids: HashMap<_, _> = ids.map(|id| (keys::fund_transaction(owner, id), id)).collect();
        let items = self.db.items_at(ids.keys().cloned().collect()).await?;
        let of_item = |item| {
            let id = *ids.get(&Primary::of(&item)?)?;
            let row = row::from_item::<FundTransaction>(item).ok();
            let row = row.filter(|it| (it.owner, it.id) == (owner, id));
            Some((id, row.ok_or(Unreadable)))
        };
        Ok(items.into_iter().filter_map(of_item).collect())
    }

    /// A page of the transactions of a user's funds, newest first, without those that cannot be
    /// read.
    pub async fn fund_transactions(
        &self,
        owner: UserId,
        page: &Page,
    ) -> Result<Slice<FundTransaction>, Error> {
        let range = Range::table(keys::own_partition(owner), prefix::FUND_TRANSACTION);
        self.db.page_of_funds(&range, page).await
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
        let row: Option<FundTransaction> = self.db.get(keys::fund_transaction(owner, id)).await?;
        let row = row.ok_or(FundError::NoTransaction)?;
        if (row.owner, row.id) != (owner, id) {
            let what = "a transaction has the attributes of another key";
            return Err(Error::funds_mismatch(what));
        }
        Ok(row)
    }

    /// A page of what waits for an operator, oldest first, without what cannot be read: money of
    /// the others would have to wait, too. What was done a moment ago may still be among it.
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
        self.db.page_of_funds(&range, page).await
    }

    /// The sums over all users, by currency, without those that cannot be read.
    pub async fn fund_totals(&self) -> Result<Vec<FundTotal>, Error> {
        Ok(self.counted_fund_totals().await?.items)
    }

    /// The sums over all users, by currency, and the number of those that cannot be read.
    pub async fn counted_fund_totals(&self) -> Result<Slice<FundTotal>, Error> {
        let range = Range::table(keys::FUNDS.to_owned(), prefix::FUND_TOTAL);
        let mut totals = self.db.all_of_funds::<FundTotal>(&range).await?;
        totals.items.sort_by_key(|total| total.currency);
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
