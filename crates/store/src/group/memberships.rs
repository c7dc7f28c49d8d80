//! A user's memberships.
//!
//! They are found through an index, which lags behind the table by moments. Nothing is decided by
//! them.

use std::collections::{BTreeMap, HashMap};

use fracti_core::{
    group::{Group, GroupFilter, MemberRow},
    input::Error,
    ledger::{Totals, balance::Balance},
    storage::{
        condition::Condition,
        keys::{self, prefix},
    },
    values::{
        currency::Currency,
        id::{GroupId, UserId},
        time::Timestamp,
    },
};

use crate::{
    dynamo::{BATCH, Page, Range, Slice},
    table::Table,
};

/// At most this many pages of memberships are read for one page of a user's groups.
const MAX_PAGES: usize = 10;

/// A group of a user, and the user's totals in it.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The group.
    pub group: Group,
    /// Time when the user joined.
    pub joined_at: Timestamp,
    /// Totals in each currency of the group's ledger.
    pub totals: BTreeMap<Currency, Totals>,
    /// Number of expenses in the group.
    pub expense_count: u64,
    /// Number of completed settlements in the group.
    pub settlement_count: u64,
}

impl Table {
    /// A page of a user's groups that a filter accepts, newest first. It may be shorter than its
    /// limit although the list continues, because at most `MAX_PAGES` times as many groups are
    /// examined.
    pub async fn groups_of(
        &self,
        user: UserId,
        filter: &GroupFilter,
        page: &Page,
    ) -> Result<Slice<Group>, Error> {
        let mut found = Vec::new();
        let mut next = page.after.clone();
        let mut unreadable = 0_u64;
        for _ in 0..MAX_PAGES {
            // No more than are missing, so that none is found that does not fit.
            let limit = page.limit.saturating_sub(found.len());
            let rest = Page { limit, after: next };
            let joined = self.joined_groups(user, &rest).await?;
            let ids: Vec<_> = joined.items.iter().map(|(group, _)| *group).collect();
            let mut groups = self.groups_by_id(&ids).await?;
            let groups = ids.iter().filter_map(|group| groups.remove(group));
            found.extend(groups.filter(|group| filter.accepts(group)));
            next = joined.next;
            unreadable = unreadable.saturating_add(joined.unreadable);
            if next.is_none() || found.len() >= page.limit {
                break;
            }
        }
        Ok(Slice { items: found, next, unreadable })
    }

    /// A page of a user's memberships, newest group first.
    pub async fn memberships_of(
        &self,
        user: UserId,
        page: &Page,
    ) -> Result<Slice<Membership>, Error> {
        let Slice { items, next, unreadable } = self.joined_groups(user, page).await?;
        let mut memberships = Vec::new();
        // A ledger may have 400 KB, of which little is kept: only some are held at once.
        for chunk in items.chunks(BATCH) {
            let ids: Vec<_> = chunk.iter().map(|(group, _)| *group).collect();
            let balances = ids.iter().map(|group| keys::balance(*group)).collect();
            let (mut groups, mut balances) =
                tokio::try_join!(self.groups_by_id(&ids), self.db.batch::<Balance>(balances))?;
            memberships.extend(chunk.iter().filter_map(|(id, joined_at)| {
                let balance = balances.remove(&keys::balance(*id));
                let ledger = balance.map(|balance| balance.ledger).unwrap_or_default();
                let currencies = ledger.balances.currencies();
                Some(Membership {
                    group: groups.remove(id)?,
                    joined_at: *joined_at,
                    totals: currencies
                        .map(|it| (it, ledger.balances.totals(it, user.into())))
                        .collect(),
                    expense_count: ledger.expense_count,
                    settlement_count: ledger.settlement_count,
                })
            }));
        }
        Ok(Slice { items: memberships, next, unreadable })
    }

    /// Those of some groups in which a user is present, in the order of their ids.
    pub async fn groups_among(&self, user: UserId, ids: &[GroupId]) -> Result<Vec<Group>, Error> {
        let keys = ids.iter().map(|group| keys::member(*group, user.into())).collect();
        let rows = self.db.batch::<MemberRow>(keys).await?;
        let is_in = |id: &GroupId| {
            rows.get(&keys::member(*id, user.into())).is_some_and(|it| it.member.is_present())
        };
        let ids: Vec<GroupId> = ids.iter().copied().filter(is_in).collect();
        let mut groups = self.groups_by_id(&ids).await?;
        Ok(ids.iter().filter_map(|id| groups.remove(id)).collect())
    }

    /// Ids of the groups in which a user is present, and times of joining, newest group first.
    pub(crate) async fn joined_groups(
        &self,
        user: UserId,
        page: &Page,
    ) -> Result<Slice<(GroupId, Timestamp)>, Error> {
        let range = Range::index("GSI1", keys::user_partition(user.into()), prefix::GROUP);
        let present = Condition::without("leftAt").and(Condition::without("removedAt"));
        let Slice { items, next, unreadable } =
            self.db.page_where::<MemberRow>(&range, page, &present).await?;
        let joined = items.into_iter().map(|row| (row.group_id, row.member.joined_at));
        // A v0 group may have two rows of the user, which follow each other.
        let mut items: Vec<(GroupId, Timestamp)> = joined.collect();
        items.dedup_by_key(|(group, _)| *group);
        Ok(Slice { items, next, unreadable })
    }

    pub(crate) async fn groups_by_id(
        &self,
        ids: &[GroupId],
    ) -> Result<HashMap<GroupId, Group>, Error> {
        let keys = ids.iter().map(|group| keys::group(*group)).collect();
        let groups = self.db.batch::<Group>(keys).await?;
        Ok(groups.into_values().map(|group| (group.id, group)).collect())
    }
}
