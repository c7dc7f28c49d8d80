//! Matters between two users: the groups in which both are present, their balances there, and the
//! payments between them that are pending.
//!
//! The groups are found through an index, which lags behind the table by moments. Nothing is
//! decided by them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fracti_core::{
    group::{Group, Member, MemberRow, links::Links},
    input::Error,
    ledger::{Ledger, balance::Balance},
    records::settlement::Settlement,
    storage::keys,
    values::{
        currency::Currency,
        id::{GroupId, MemberId, UserId},
        settlement_status::SettlementStatus,
    },
};

use crate::{
    dynamo::{BATCH, Page},
    records::activity::{Activity, ActivityPosition, Bounds, Kind, Own},
    table::Table,
};

/// Groups of a user that are examined at most.
const MAX_GROUPS: usize = 100;

/// Settlements that are examined for pending ones, sent and received, and shown of them at most.
const PENDING: Bounds = Bounds { limit: 100, examined: 1_000 };

/// Groups and payments that two users share.
#[derive(Clone, Debug)]
pub struct Shared {
    /// The other user, as a member of the newest of the groups.
    pub other: Member,
    /// The groups in which both are present, newest first.
    pub groups: Vec<SharedGroup>,
    /// The pending settlements between the two in these groups, newest first.
    pub pending: Vec<Settlement>,
    /// Whether there are more groups of the user, or more settlements, than are examined.
    pub has_more: bool,
}

/// A group in which two users are present.
#[derive(Clone, Debug)]
pub struct SharedGroup {
    /// The group.
    pub group: Group,
    /// The balances of the two in minor units, the user's first; without currencies in which both
    /// are zero.
    pub balances: BTreeMap<Currency, [i128; 2]>,
    /// The guests who are linked.
    pub links: Links,
}

impl Table {
    /// Groups and payments that two users share.
    ///
    /// # Errors
    ///
    /// [`Error::NoSharedGroup`].
    pub async fn shared_with(&self, user: UserId, other: UserId) -> Result<Shared, Error> {
        let page = Page { limit: MAX_GROUPS, after: None };
        let joined = self.joined_groups(user, &page).await?;
        let ids: Vec<GroupId> = joined.items.iter().map(|(group, _)| *group).collect();
        let keys = ids.iter().map(|group| keys::member(*group, other.into())).collect();
        let rows: HashMap<_, MemberRow> = self.db.batch(keys).await?;
        let present = rows.into_values().filter(|row| row.member.is_present());
        let mut members: HashMap<_, _> = present.map(|row| (row.group_id, row.member)).collect();
        let ids: Vec<GroupId> = ids.into_iter().filter(|id| members.contains_key(id)).collect();
        let others: BTreeSet<MemberId> = members
            .values()
            .flat_map(|member| member.guests.iter().copied())
            .chain([other.into()])
            .collect();
        let mut groups = Vec::new();
        let mut may_be_pending = false;
        // A ledger may have 400 KB, of which little is kept: only some are held at once.
        for ids in ids.chunks(BATCH) {
            let keys = ids.iter().map(|group| keys::balance(*group)).collect();
            let (mut rows, balances) =
                tokio::try_join!(self.groups_by_id(ids), self.db.batch::<Balance>(keys))?;
            for id in ids {
                let ledger = balances.get(&keys::balance(*id)).map(|balance| &balance.ledger);
                may_be_pending |= ledger.is_some_and(|it| it.state.may_have_pending());
                let balances = ledger.map(|it| of_both(it, user, other)).unwrap_or_default();
                let links = ledger.map(|it| it.links.clone()).unwrap_or_default();
                groups.extend(rows.remove(id).map(|group| SharedGroup { group, balances, links }));
            }
        }
        let newest = groups.first().and_then(|newest| members.remove(&newest.group.id));
        let other = newest.ok_or(Error::NoSharedGroup)?;
        let shared = ids.into_iter().collect();
        let (pending, more) = if may_be_pending {
            self.pending_between(user, &others, &shared).await?
        } else {
            (Vec::new(), false)
        };
        Ok(Shared { other, groups, pending, has_more: more || joined.next.is_some() })
    }

    /// The pending settlements between a user and one who has the ids `others`, in these groups,
    /// and whether there may be more.
    async fn pending_between(
        &self,
        user: UserId,
        others: &BTreeSet<MemberId>,
        groups: &BTreeSet<GroupId>,
    ) -> Result<(Vec<Settlement>, bool), Error> {
        let accepts = |event: &Activity, _: Own<'_>| {
            let (it, other) = match event {
                Activity::Sent(it) => (it, it.to_user_id),
                Activity::Received(it) => (it, it.from_user_id),
                Activity::Paid(_) | Activity::Owed(_) => return false,
            };
            let is_pending = it.status == SettlementStatus::Pending;
            is_pending && others.contains(&other) && groups.contains(&it.group_id)
        };
        let kinds = [Kind::Sent, Kind::Received];
        let feed = self.feed(user, &kinds, PENDING, ActivityPosition::default(), accepts).await?;
        let pending = feed.items.into_iter().filter_map(|event| match event {
            Activity::Sent(row) | Activity::Received(row) => Some(row),
            Activity::Paid(_) | Activity::Owed(_) => None,
        });
        Ok((pending.collect(), feed.next.is_some()))
    }
}

/// The balances of two users that are not both zero.
fn of_both(ledger: &Ledger, user: UserId, other: UserId) -> BTreeMap<Currency, [i128; 2]> {
    let nets = |currency: Currency| {
        [user, other].map(|it| ledger.balances.totals(currency, it.into()).net())
    };
    let balances = ledger.balances.currencies().map(|currency| (currency, nets(currency)));
    balances.filter(|(_, nets)| *nets != [0, 0]).collect()
}
