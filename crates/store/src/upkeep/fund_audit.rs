//! The audit of users' funds, for the operators' tool.

use std::collections::BTreeSet;

use fracti_core::{
    Error,
    fund::Fund,
    fund_audit::{FundFinding, FundRows},
    fund_transaction::FundTransaction,
    id::UserId,
    keys::{self, prefix},
    row::{self, AttributeValue, Item, Row},
    time::Timestamp,
};

use crate::{
    dynamo::{Expression, Page, Position, Range, Retry},
    table::Table,
};

/// Transactions that are read with one request, at most.
const AT_ONCE: usize = 1_000;

impl Table {
    /// Users in the next part of the table who have funds or transactions of funds, and the position
    /// after it, unless the table ends there. Who got their first funds in the last second may be
    /// missing.
    pub async fn fund_owners(
        &self,
        after: Option<Position>,
    ) -> Result<(BTreeSet<UserId>, Option<Position>), Error> {
        let kinds = [Fund::KIND, FundTransaction::KIND];
        let kinds = kinds.map(|kind| AttributeValue::S(kind.to_owned()));
        let of_funds = Expression::one_of(row::KIND, kinds.into());
        let (rows, next) = self.db.scan_where(&of_funds, after).await?;
        let owner = |row: Item| match row.get("PK")? {
            AttributeValue::S(key) => key.strip_prefix(prefix::MEMBER)?.parse().ok(),
            _ => None,
        };
        Ok((rows.into_iter().filter_map(owner).collect(), next))
    }

    /// All rows of a user's funds, and the other sides of their payments. They are of one moment only
    /// if nothing changes them meanwhile.
    pub async fn fund_rows(&self, owner: UserId) -> Result<FundRows, Error> {
        let range = |prefix| Range::table(keys::own_partition(owner), prefix);
        let funds = self.db.all::<Fund>(&range(prefix::FUND)).await?;
        let mut transactions: Vec<FundTransaction> = Vec::new();
        let mut page = Page { limit: AT_ONCE, after: None };
        loop {
            let read = self.db.page(&range(prefix::FUND_TRANSACTION), &page).await?;
            transactions.extend(read.items);
            page.after = read.next;
            if page.after.is_none() {
                break;
            }
        }
        // They are read last: what one side names, the other one has.
        let others = transactions.iter().filter_map(|of| of.other_user_id.zip(of.other_id));
        let others: BTreeSet<_> = others.collect();
        let others = others.into_iter().map(|(user, id)| keys::fund_transaction(user, id));
        let others = self.db.batch::<FundTransaction>(others.collect()).await?;
        let others = others.into_values().map(|of| ((of.owner, of.id), of)).collect();
        Ok(FundRows { funds, transactions, others })
    }

    /// The rows of a user's funds, and what is wrong with them. Findings are of two reads that
    /// agree, so that no change meanwhile is taken for a mistake.
    ///
    /// # Errors
    ///
    /// [`Error::Contended`] if no two reads agreed.
    pub async fn audit_funds(
        &self,
        owner: UserId,
        now: Timestamp,
    ) -> Result<(FundRows, Vec<FundFinding>), Error> {
        let mut retry = Retry::new();
        let mut rows = self.fund_rows(owner).await?;
        loop {
            let findings = rows.audit(now);
            if findings.is_empty() {
                return Ok((rows, findings));
            }
            let again = self.fund_rows(owner).await?;
            if again == rows {
                return Ok((rows, findings));
            }
            rows = again;
            if !retry.pause().await {
                return Err(Error::Contended);
            }
        }
    }
}
