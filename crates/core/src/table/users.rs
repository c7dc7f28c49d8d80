//! What a user has over all groups: patterns 9 to 13 of the seed.
//!
//! A user's own rows are found through the indexes, which lag behind the table by moments; nothing is decided by them.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::{BATCH, Page, Position, Slice, Table, range::Range};
use crate::{
    Error,
    currency::Currency,
    expense::{Expense, Participant},
    group::Group,
    id::{GroupId, UserId},
    keys::{self, prefix},
    ledger::{Ledger, Totals},
    settlement::Settlement,
    time::Timestamp,
};

/// A group that a user belongs to, since when, and how the user stands there.
#[derive(Clone, Debug)]
pub struct Membership {
    /// The group.
    pub group: Group,
    /// When the user joined.
    pub joined_at: Timestamp,
    /// The user's totals in each currency of the group's ledger.
    pub totals: BTreeMap<Currency, Totals>,
    /// How many expenses the group has.
    pub expense_count: u64,
    /// How many settlements were completed in the group.
    pub settlement_count: u64,
}

/// One event of a user's feed.
#[derive(Clone, Debug)]
pub enum Activity {
    /// The user paid an expense.
    Paid(Expense),
    /// The user owes a part of an expense.
    Owed(Participant),
    /// The user made a settlement.
    Sent(Settlement),
    /// The user receives a settlement.
    Received(Settlement),
}

/// The place of an event in a feed: how far each of its four lists was read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityPosition {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    paid: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    received: Option<Position>,
}

/// What a member's row says of its group, as `GSI1` has it.
#[derive(Deserialize)]
struct JoinedGroup {
    #[serde(rename = "GSI1SK")]
    group: String,
    #[serde(rename = "joinedAt")]
    joined_at: Timestamp,
}

impl Table {
    /// A page of the groups that a user belongs to, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn groups_of(&self, user: UserId, page: &Page) -> Result<Slice<Group>, Error> {
        let Slice { items, next } = self.joined_groups(user, page).await?;
        let ids: Vec<_> = items.iter().map(|(group, _)| *group).collect();
        let mut groups = self.by_id(&ids).await?;
        let items = items.iter().filter_map(|(group, _)| groups.remove(group)).collect();
        Ok(Slice { items, next })
    }

    /// A page of the groups that a user belongs to, each with the user's totals there.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn memberships_of(
        &self,
        user: UserId,
        page: &Page,
    ) -> Result<Slice<Membership>, Error> {
        let Slice { items, next } = self.joined_groups(user, page).await?;
        let mut memberships = Vec::new();
        // A ledger may have 400 KB, of which little is wanted: only some are held at once.
        for chunk in items.chunks(BATCH) {
            let ids: Vec<_> = chunk.iter().map(|(group, _)| *group).collect();
            let balances = ids.iter().map(|group| keys::balance(*group)).collect();
            let (mut groups, mut ledgers) =
                tokio::try_join!(self.by_id(&ids), self.batch::<Ledger>(balances))?;
            memberships.extend(chunk.iter().filter_map(|(id, joined_at)| {
                let ledger = ledgers.remove(&keys::balance(*id).pk).unwrap_or_default();
                let currencies = ledger.balances.currencies();
                Some(Membership {
                    group: groups.remove(id)?,
                    joined_at: *joined_at,
                    totals: currencies.map(|it| (it, ledger.balances.totals(it, user))).collect(),
                    expense_count: ledger.expense_count,
                    settlement_count: ledger.settlement_count,
                })
            }));
        }
        Ok(Slice { items: memberships, next })
    }

    /// A page of the expenses that a user paid.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn paid_by(&self, user: UserId, page: &Page) -> Result<Slice<Expense>, Error> {
        let mut slice = self.page::<Expense>(&paid(user), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// A page of what a user owes of others' expenses.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn owed_by(&self, user: UserId, page: &Page) -> Result<Slice<Participant>, Error> {
        let mut slice = self.page::<Participant>(&owed(user), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// A page of the settlements that a user made.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn sent_by(&self, user: UserId, page: &Page) -> Result<Slice<Settlement>, Error> {
        let mut slice = self.page::<Settlement>(&sent(user), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// A part of a user's feed: the four kinds of event in one order of time, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn activity_of(
        &self,
        user: UserId,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<(Vec<Activity>, Option<ActivityPosition>), Error> {
        let page = |after: &Option<Position>| Page { limit, after: after.clone() };
        let (pages, ranges) = (
            [&after.paid, &after.owed, &after.sent, &after.received].map(page),
            [paid(user), owed(user), sent(user), received(user)],
        );
        let ([p, o, s, r], [paid, owed, sent, received]) = (&pages, &ranges);
        let (paid, owed, sent, received) = tokio::try_join!(
            self.rows::<Expense>(paid, p),
            self.rows::<Participant>(owed, o),
            self.rows::<Settlement>(sent, s),
            self.rows::<Settlement>(received, r),
        )?;
        let mut events: Vec<(Position, Activity)> = Vec::new();
        events.extend(paid.into_iter().map(|(at, row)| (at, Activity::Paid(row))));
        events.extend(owed.into_iter().map(|(at, row)| (at, Activity::Owed(row))));
        events.extend(sent.into_iter().map(|(at, row)| (at, Activity::Sent(row))));
        events.extend(received.into_iter().map(|(at, row)| (at, Activity::Received(row))));
        // Stable: what the four lists have of one moment stays in their order, on every page.
        events.sort_by_key(|(_, event)| std::cmp::Reverse(event.created_at()));

        let more = events.len() > limit;
        let mut next = after;
        let mut feed = Vec::new();
        for (position, event) in events.into_iter().take(limit) {
            *next.of(&event) = Some(position);
            feed.push(event);
        }
        self.fill(feed.iter_mut().map(Activity::row)).await?;
        Ok((feed, more.then_some(next)))
    }

    /// The ids of a user's groups and when they joined, newest group first.
    async fn joined_groups(
        &self,
        user: UserId,
        page: &Page,
    ) -> Result<Slice<(GroupId, Timestamp)>, Error> {
        let range = Range::index("GSI1", keys::user_partition(user), prefix::GROUP);
        let Slice { items, next } = self.page::<JoinedGroup>(&range, page).await?;
        let id = |membership: JoinedGroup| {
            let id = membership.group.strip_prefix(prefix::GROUP)?.parse().ok()?;
            Some((id, membership.joined_at))
        };
        Ok(Slice { items: items.into_iter().filter_map(id).collect(), next })
    }

    async fn by_id(&self, ids: &[GroupId]) -> Result<HashMap<GroupId, Group>, Error> {
        let keys = ids.iter().map(|group| keys::group(*group)).collect();
        let groups = self.batch::<Group>(keys).await?;
        Ok(groups.into_values().map(|group| (group.id, group)).collect())
    }

    /// Adds what rows of the earlier system leave to their group. Rows of ours have all of it: no request.
    async fn fill<'a>(&self, rows: impl Iterator<Item = &'a mut Row>) -> Result<(), Error> {
        let mut lacking: Vec<&mut Row> = rows.filter_map(Row::lacking).collect();
        let mut ids: Vec<GroupId> = lacking.iter().map(|row| row.group()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(());
        }
        let groups = self.by_id(&ids).await?;
        for row in &mut lacking {
            if let Some(group) = groups.get(&row.group()) {
                row.title().get_or_insert_with(|| group.title.to_string());
                if let Some(currency) = row.currency() {
                    currency.get_or_insert(group.currency);
                }
            }
        }
        Ok(())
    }
}

fn paid(user: UserId) -> Range {
    Range::index("GSI3", keys::user_partition(user), prefix::EXPENSE)
}

fn owed(user: UserId) -> Range {
    Range::index("GSI1", keys::user_partition(user), prefix::OWES)
}

fn sent(user: UserId) -> Range {
    Range::index("GSI3", keys::user_partition(user), prefix::SETTLEMENT)
}

fn received(user: UserId) -> Range {
    Range::index("GSI1", keys::user_partition(user), prefix::RECEIVED)
}

impl Activity {
    /// When it happened.
    #[must_use]
    pub fn created_at(&self) -> Timestamp {
        match self {
            Self::Paid(expense) => expense.created_at,
            Self::Owed(participant) => participant.created_at,
            Self::Sent(settlement) | Self::Received(settlement) => settlement.created_at,
        }
    }
}

impl Activity {
    fn row(&mut self) -> &mut Row {
        match self {
            Self::Paid(row) => row,
            Self::Owed(row) => row,
            Self::Sent(row) | Self::Received(row) => row,
        }
    }
}

impl ActivityPosition {
    fn of(&mut self, event: &Activity) -> &mut Option<Position> {
        match event {
            Activity::Paid(_) => &mut self.paid,
            Activity::Owed(_) => &mut self.owed,
            Activity::Sent(_) => &mut self.sent,
            Activity::Received(_) => &mut self.received,
        }
    }
}

/// A row that repeats some of what its group's own row says.
trait OfGroup {
    fn group(&self) -> GroupId;

    fn title(&mut self) -> &mut Option<String>;

    /// The currency, where a row of this kind may lack it.
    fn currency(&mut self) -> Option<&mut Option<Currency>> {
        None
    }
}

type Row = dyn OfGroup + Send;

impl Row {
    /// The row, where it leaves something to its group.
    fn lacking(&mut self) -> Option<&mut Self> {
        let lacks = self.title().is_none() || self.currency().is_some_and(|it| it.is_none());
        lacks.then_some(self)
    }
}

impl OfGroup for Expense {
    fn group(&self) -> GroupId {
        self.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.group_title
    }
}

impl OfGroup for Participant {
    fn group(&self) -> GroupId {
        self.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.group_title
    }

    fn currency(&mut self) -> Option<&mut Option<Currency>> {
        Some(&mut self.currency)
    }
}

impl OfGroup for Settlement {
    fn group(&self) -> GroupId {
        self.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.group_title
    }
}
