//! The audit of users' funds, for the operators' tool.

use std::collections::BTreeSet;

use fracti_core::{
    funds::{fund_total::FundReference, fund_transaction::FundTransaction},
    input::Error,
    records::settlement::Settlement,
    reports::fund_audit::{FundFinding, FundRows},
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
        row::{self, AttributeValue, Item, Row},
    },
    values::{fund_status::FundStatus, id::UserId, time::Timestamp},
};

use crate::{
    dynamo::{Position, Range, Retry},
    table::Table,
};

/// What a part of the table has of funds.
#[derive(Clone, Debug, Default)]
pub struct FundScan {
    /// Users who have rows of funds, or whose funds pay a settlement.
    pub owners: BTreeSet<UserId>,
    /// Rows of references, each with the user of its transaction.
    pub references: Vec<(UserId, Item)>,
    /// Position after it, unless the table ends there.
    pub next: Option<Position>,
}

impl Table {
    /// What the next part of the table has of funds. Who got their first funds in the last second
    /// may be missing.
    pub async fn scan_funds(&self, after: Option<Position>) -> Result<FundScan, Error> {
        let text = |text: &str| AttributeValue::S(text.to_owned());
        // Every row under a key of funds, even if its kind has been damaged.
        let of_funds = Condition::begins_with("SK", "F");
        let references = Condition::one_of(row::KIND, vec![text(FundReference::KIND)]);
        let paid = Condition::equal(row::KIND, text(Settlement::KIND));
        let paid = paid.and(Condition::with_attribute("funds"));
        let filter = of_funds.or(references).or(paid);
        let (rows, next) = self.db.scan_where(&filter, after).await?;
        let mut scan = FundScan { next, ..FundScan::default() };
        for row in rows {
            let is_of = |kind: &str| row.get(row::KIND) == Some(&text(kind));
            let user = |name: &str, prefix: &str| match row.get(name)? {
                AttributeValue::S(key) => key.strip_prefix(prefix)?.parse::<UserId>().ok(),
                _ => None,
            };
            if is_of(Settlement::KIND) {
                scan.owners.extend(user("fromUserId", ""));
            } else if is_of(FundReference::KIND) {
                let owner = user("owner", "");
                scan.owners.extend(owner);
                scan.references.extend(owner.map(|owner| (owner, row)));
            } else {
                scan.owners.extend(user("PK", prefix::MEMBER));
            }
        }
        Ok(scan)
    }

    /// All rows of a user's funds, the other sides of their payments, the references, and the
    /// settlements that they pay. They are of one moment only if nothing changes them meanwhile.
    pub async fn fund_rows(&self, owner: UserId) -> Result<FundRows, Error> {
        let mut rows = FundRows::none(owner);
        let range = |prefix| Range::table(keys::own_partition(owner), prefix);
        for item in self.every_row(&range(prefix::FUND)).await? {
            rows.add_fund(item);
        }
        for item in self.every_row(&range(prefix::FUND_TRANSACTION)).await? {
            rows.add_transaction(item);
        }
        if let Some(item) = self.db.item(keys::fund_queue(owner)).await? {
            rows.add_queue(item);
        }
        let paid = Range::index("GSI3", keys::own_partition(owner), prefix::SETTLEMENT);
        let from_funds = Condition::with_attribute("funds");
        let paid = self.every_row_where(&paid, &from_funds).await?;
        // They are read last: what one row names, the other ones have.
        let others = rows.transactions.iter().filter_map(|of| of.other_user_id.zip(of.other_id));
        let others = others.map(|(user, id)| keys::fund_transaction(user, id));
        let completed = rows.transactions.iter().filter(|of| of.status == FundStatus::Completed);
        let references = completed.filter_map(|of| Some(FundReference::of(of)?.keys().primary));
        let named = rows.transactions.iter().filter_map(|of| {
            let at = of.settlement_id?.created_at()?;
            Some(keys::settlement(of.group_id?, at))
        });
        let settlements = named.chain(paid.iter().filter_map(Primary::of));
        let (others, references, settlements) = tokio::try_join!(
            self.items_in_order(others),
            self.items_in_order(references),
            self.items_in_order(settlements),
        )?;
        for item in others {
            if let Ok(other) = row::from_item::<FundTransaction>(item) {
                rows.others.insert((other.owner, other.id), other);
            }
        }
        for item in references {
            rows.add_reference(item);
        }
        for item in settlements {
            rows.add_settlement(item);
        }
        let groups: BTreeSet<_> = rows.transactions.iter().filter_map(|of| of.group_id).collect();
        for group in groups {
            if self.db.item(keys::group(group)).await?.is_some() {
                rows.groups.insert(group);
            }
        }
        Ok(rows)
    }

    /// The rows at these keys, each once, in the order of their keys.
    async fn items_in_order(
        &self,
        keys: impl IntoIterator<Item = Primary>,
    ) -> Result<Vec<Item>, Error> {
        let keys: BTreeSet<_> = keys.into_iter().map(|key| (key.pk, key.sk)).collect();
        let keys = keys.into_iter().map(|(pk, sk)| Primary { pk, sk }).collect();
        let mut items = self.db.items_at(keys).await?;
        items.sort_by_cached_key(|item| Primary::of(item).map(|key| (key.pk, key.sk)));
        Ok(items)
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
