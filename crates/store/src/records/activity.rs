//! A user's activity over all groups: expenses, shares and settlements.
//!
//! The rows are found through the indexes, which lag behind the table by moments. Nothing is
//! decided by them.
//!
//! Events of groups that the user has left have no texts: others may have written
//! them since.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
};

use fracti_core::{
    group::MemberRow,
    input::Error,
    records::{
        expense::{Expense, Filter, PaidExpense, Participant, Payer},
        settlement::Settlement,
    },
    storage::{
        condition::Condition,
        keys::{self, Primary, prefix},
    },
    values::{
        currency::Currency,
        id::{GroupId, MemberId, UserId},
        settlement_status::SettlementStatus,
        time::{Day, Timestamp},
    },
};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use crate::{
    dynamo::{Page, Placed, Position, Range, Sort},
    table::Table,
};

/// Expenses that are examined for a page of a filtered list at most.
const MAX_EXAMINED: usize = 250;

/// An event of a user's feed.
#[derive(Clone, Debug)]
pub enum Activity {
    /// The user paid an expense or a part of it.
    Paid(PaidExpense),
    /// The user owes a share of an expense.
    Owed(Participant),
    /// The user sent a settlement.
    Sent(Settlement),
    /// The user receives a settlement.
    Received(Settlement),
}

/// A list that a feed merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    /// The expenses whose main payer is the member.
    Paid,
    /// The expenses with the member as a further payer.
    Further,
    /// Shares of expenses.
    Owed,
    /// Settlements that the member sends.
    Sent,
    /// Settlements that the member receives.
    Received,
}

/// Position in a feed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ActivityPosition {
    /// Time of the last event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    /// Position in each list of the user and of the guests who are linked to the user.
    #[serde(default)]
    lists: BTreeMap<Kind, BTreeMap<MemberId, Position>>,
}

/// A page of a feed of a user: the user's own rows, and those of the guests who are linked to the
/// user.
#[derive(Clone, Debug)]
pub struct Feed<T> {
    /// The items, newest first.
    pub items: Vec<T>,
    /// Position after them, if there are more.
    pub next: Option<ActivityPosition>,
    /// Ids of the user: the user's own, and those of the guests.
    pub ids: BTreeSet<MemberId>,
    /// Number of v0 rows that cannot be read and are left out. Two pages may count the same row.
    pub unreadable: u64,
}

/// Numbers of events of a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Events that the page has at most.
    pub(crate) limit: usize,
    /// Events that are examined for it at most.
    pub(crate) examined: usize,
}

/// Which settlements of a user are listed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SettlementFilter {
    /// Only those with this status.
    pub status: Option<SettlementStatus>,
    /// Only pending ones that the user can complete, sent or received.
    pub waiting: bool,
}

/// The user's own ids and past groups, for a filter.
#[derive(Clone, Copy)]
pub(crate) struct Own<'a> {
    /// Ids of the user.
    ids: &'a BTreeSet<MemberId>,
    /// Groups in which the user is a past member.
    past: &'a BTreeSet<GroupId>,
}

impl From<usize> for Bounds {
    fn from(limit: usize) -> Self {
        Self { limit, examined: limit }
    }
}

/// An event of one of the lists of a feed.
struct Listed {
    kind: Kind,
    member: MemberId,
    event: Activity,
}

impl Table {
    /// Up to `limit` expenses that a user paid, alone or with others, and that a filter accepts,
    /// newest first. An expense is shown once, even if a guest who is linked to the user is a
    /// payer, too. If there is a filter, at most `MAX_EXAMINED` expenses are examined, so there may
    /// be fewer than `limit` although the list continues.
    pub async fn paid_by(
        &self,
        user: UserId,
        filter: &Filter,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<Feed<PaidExpense>, Error> {
        let own = MemberId::from(user);
        let linked = try_join_all(filter.named().map(|member| self.linked_guests(member)));
        let linked: HashMap<_, _> = linked.await?.into_iter().flatten().collect();
        let accepts = |event: &Activity, Own { ids, .. }: Own<'_>| match event {
            Activity::Paid(paid) => filter.accepts(&paid.expense, |id| {
                if ids.contains(&id) { own } else { linked.get(&id).copied().unwrap_or(id) }
            }),
            Activity::Owed(_) | Activity::Sent(_) | Activity::Received(_) => true,
        };
        let examined = if filter.is_empty() { limit } else { MAX_EXAMINED };
        let bounds = Bounds { limit, examined };
        let feed = self.feed(user, &[Kind::Paid, Kind::Further], bounds, after, accepts).await?;
        Ok(feed.of(|event| if let Activity::Paid(row) = event { Some(row) } else { None }))
    }

    /// Up to `limit` of a user's shares of others' expenses, newest first. A share includes those
    /// of the guests who are linked to the user.
    pub async fn owed_by(
        &self,
        user: UserId,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<Feed<Participant>, Error> {
        let feed = self.feed(user, &[Kind::Owed], limit.into(), after, |_, _| true).await?;
        Ok(feed.of(|event| if let Activity::Owed(row) = event { Some(row) } else { None }))
    }

    /// Up to `limit` settlements that a user sent and a filter accepts, newest first; if the filter
    /// asks for what waits for the user, also those that the user receives. At most `MAX_EXAMINED`
    /// are examined for a filter.
    pub async fn settlements_of(
        &self,
        user: UserId,
        filter: &SettlementFilter,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<Feed<Settlement>, Error> {
        let kinds: &[Kind] =
            if filter.waiting { &[Kind::Sent, Kind::Received] } else { &[Kind::Sent] };
        let accepts = |event: &Activity, Own { past, .. }: Own<'_>| match event {
            Activity::Sent(it) if filter.waiting => {
                it.waits_for_payer(user) && !past.contains(&it.group_id)
            }
            Activity::Received(it) => it.waits_for_recipient(user) && !past.contains(&it.group_id),
            Activity::Sent(it) => filter.status.is_none_or(|status| it.status == status),
            Activity::Paid(_) | Activity::Owed(_) => false,
        };
        let is_all = *filter == SettlementFilter::default();
        let examined = if is_all { limit } else { MAX_EXAMINED };
        let feed = self.feed(user, kinds, Bounds { limit, examined }, after, accepts).await?;
        Ok(feed.of(|event| match event {
            Activity::Sent(row) | Activity::Received(row) => Some(row),
            Activity::Paid(_) | Activity::Owed(_) => None,
        }))
    }

    /// Up to `limit` events of a user's feed, newest first. What a user and the guests who are
    /// linked to that user paid or owe of an expense is one event; a settlement between them is
    /// shown once, as sent.
    pub async fn activity_of(
        &self,
        user: UserId,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<Feed<Activity>, Error> {
        let kinds = [Kind::Paid, Kind::Further, Kind::Owed, Kind::Sent, Kind::Received];
        self.feed(user, &kinds, limit.into(), after, |_, _| true).await
    }

    /// The events of the lists of these kinds that `accepts` accepts, given the ids of the user,
    /// each once and with what all ids of the user paid or owe. Events of groups in which the user
    /// is a past member have no texts.
    ///
    /// The guests are read together with the user's own lists, so a user without guests does not
    /// wait for them.
    pub(crate) async fn feed(
        &self,
        user: UserId,
        kinds: &[Kind],
        Bounds { limit, examined }: Bounds,
        after: ActivityPosition,
        accepts: impl Fn(&Activity, Own<'_>) -> bool,
    ) -> Result<Feed<Activity>, Error> {
        let read = |member: MemberId| {
            let lists = kinds.iter().map(|kind| self.list(*kind, member, examined, &after));
            try_join_all(lists.collect::<Vec<_>>())
        };
        let own = MemberId::from(user);
        let ((guests, past), lists) = tokio::try_join!(self.guests_and_past(user), read(own))?;
        let others = try_join_all(guests.iter().map(|(_, guest)| read(*guest))).await?;
        let lists = lists.into_iter().chain(others.into_iter().flatten()).collect();
        let Placed { rows, mut more, unreadable } =
            merged(lists, examined, |listed: &Listed| listed.event.created_at());
        if rows.is_empty() && after == ActivityPosition::default() {
            // v0 rows of a user may be under another id, but those of memberships tell that they
            // are not migrated.
            self.joined_groups(user, &Page { limit: 1, after: None }).await?;
        }
        let groups: BTreeSet<GroupId> = guests.iter().map(|(group, _)| *group).collect();
        let ids = guests.into_iter().map(|(_, guest)| guest).chain([own]).collect();
        let mut next = after;
        let mut items = Vec::new();
        let hide = |event: &mut Activity| {
            let row = event.row();
            if past.contains(&row.group()) {
                row.clear_texts();
            }
        };
        let mut rows = rows.into_iter();
        for (position, Listed { kind, member, mut event }) in rows.by_ref() {
            hide(&mut event);
            next.at = Some(event.created_at());
            next.lists.entry(kind).or_default().insert(member, position);
            if accepts(&event, Own { ids: &ids, past: &past }) {
                items.push(event);
            }
            if items.len() == limit {
                break;
            }
        }
        more |= rows.len() > 0;
        let owed = items.iter().filter_map(|event| match event {
            Activity::Owed(row) if groups.contains(&row.group_id) => {
                Some(keys::expense(row.group_id, row.created_at))
            }
            Activity::Owed(_) | Activity::Paid(_) | Activity::Sent(_) | Activity::Received(_) => {
                None
            }
        });
        let owed: HashSet<_> = owed.collect();
        let expenses = self.db.batch::<Expense>(owed.into_iter().collect());
        let (expenses, ()) =
            tokio::try_join!(expenses, self.fill(items.iter_mut().map(Activity::row), &past))?;
        items.retain_mut(|event| event.is_of_one(&ids, &groups, &expenses));
        items.iter_mut().for_each(hide);
        Ok(Feed { items, next: more.then_some(next), ids, unreadable })
    }

    /// A page of one of the lists that are merged.
    async fn list(
        &self,
        kind: Kind,
        member: MemberId,
        limit: usize,
        after: &ActivityPosition,
    ) -> Result<Placed<Listed>, Error> {
        let position = after.lists.get(&kind).and_then(|lists| lists.get(&member)).cloned();
        let (index, prefix) = match kind {
            Kind::Paid => ("GSI3", prefix::EXPENSE),
            Kind::Further => ("GSI1", prefix::PAID),
            Kind::Owed => ("GSI1", prefix::OWES),
            Kind::Sent => ("GSI3", prefix::SETTLEMENT),
            Kind::Received => ("GSI1", prefix::RECEIVED),
        };
        let range = rest_of_list((index, prefix), member, position.as_ref(), after.at);
        let page = Page { limit, after: position };
        let events = match kind {
            Kind::Paid => {
                let rows = self.db.placed::<Expense>(&range, &page).await?;
                rows.map(|row| Activity::Paid(PaidExpense::by_main_payer(row)))
            }
            Kind::Further => self.db.placed(&range, &page).await?.map(Activity::Paid),
            Kind::Owed => self.db.placed(&range, &page).await?.map(Activity::Owed),
            Kind::Sent => self.db.placed(&range, &page).await?.map(Activity::Sent),
            Kind::Received => self.db.placed(&range, &page).await?.map(Activity::Received),
        };
        Ok(events.map(|event| Listed { kind, member, event }))
    }

    /// The guests who mean the same user as `member`, each with the user: those who are linked to
    /// the member, or to the user to whom the member is linked.
    async fn linked_guests(&self, member: MemberId) -> Result<Vec<(MemberId, MemberId)>, Error> {
        let user = match member {
            MemberId::User(user) => Some(user),
            MemberId::Guest(_) => {
                let range = Range::index("GSI1", keys::user_partition(member), prefix::GROUP);
                let linked = Condition::with_attribute("linkedTo");
                let rows = self.db.filtered_readable::<MemberRow>(&range, &linked).await?;
                rows.first().and_then(|row| row.member.linked_to)
            }
        };
        let Some(user) = user else { return Ok(Vec::new()) };
        let (guests, _) = self.guests_and_past(user).await?;
        Ok(guests.into_iter().map(|(_, guest)| (guest, user.into())).collect())
    }

    /// The guests of all groups who are linked to a user, each with the group, and the groups of
    /// which the user is a past member.
    pub(crate) async fn guests_and_past(
        &self,
        user: UserId,
    ) -> Result<(Vec<(GroupId, MemberId)>, BTreeSet<GroupId>), Error> {
        let range = Range::index("GSI1", keys::user_partition(user.into()), prefix::GROUP);
        let with = Condition::with_attribute;
        let either = with("guests").or(with("leftAt")).or(with("removedAt"));
        let rows = self.db.filtered_readable::<MemberRow>(&range, &either).await?;
        let past = rows.iter().filter(|row| !row.member.is_present()).map(|row| row.group_id);
        let past = past.collect();
        let guests = |row: MemberRow| {
            let MemberRow { group_id, member, .. } = row;
            member.guests.into_iter().map(move |guest| (group_id, guest))
        };
        Ok((rows.into_iter().flat_map(guests).collect(), past))
    }

    /// Sets the present titles of the rows' groups, except of those that are past, and the
    /// currencies that v0 rows lack.
    async fn fill<'a>(
        &self,
        rows: impl Iterator<Item = &'a mut GroupRow>,
        past: &BTreeSet<GroupId>,
    ) -> Result<(), Error> {
        let mut rows: Vec<&mut GroupRow> = rows.collect();
        let mut ids: Vec<GroupId> = rows.iter().map(|row| row.group()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(());
        }
        let groups = self.groups_by_id(&ids).await?;
        for row in &mut rows {
            if let Some(group) = groups.get(&row.group()) {
                if !past.contains(&group.id) {
                    *row.title() = Some(group.title.to_string());
                }
                if let Some(currency) = row.currency() {
                    currency.get_or_insert(group.currency);
                }
            }
        }
        Ok(())
    }
}

/// The range of a member's list of rows with a prefix in an index, for a page that begins at
/// `position`. Without one, and `at` the last row of the earlier pages, these have no row of this
/// list: it has only older ones, or the guest was linked meanwhile.
pub(crate) fn rest_of_list(
    (index, prefix): (&'static str, &str),
    member: MemberId,
    position: Option<&Position>,
    at: Option<Timestamp>,
) -> Range {
    let mut range = Range::index(index, keys::user_partition(member), prefix);
    if let (None, Some(at)) = (position, at) {
        range.sort = Sort::Between(prefix.to_owned(), format!("{prefix}{at}"));
    }
    range
}

/// The first `limit` rows of several lists that are newest first.
pub(crate) fn merged<T>(
    lists: Vec<Placed<T>>,
    limit: usize,
    created_at: impl Fn(&T) -> Timestamp,
) -> Placed<T> {
    // Of a list that continues, the rows before its last one are not known.
    let ends = lists.iter().filter(|list| list.more).filter_map(|list| list.rows.last());
    let known_since = ends.map(|(_, row)| created_at(row)).max();
    let mut more = known_since.is_some();
    let unreadable = lists.iter().map(|list| list.unreadable).fold(0, u64::saturating_add);
    let mut rows: Vec<_> = lists.into_iter().flat_map(|list| list.rows).collect();
    // The sort is stable: rows of one moment have the same order on every page.
    rows.sort_by_key(|(_, row)| Reverse(created_at(row)));
    let known = rows.iter().take_while(|(_, row)| Some(created_at(row)) >= known_since).count();
    let shown = known.min(limit);
    more |= rows.len() > shown;
    rows.truncate(shown);
    Placed { rows, more, unreadable }
}

impl Feed<Activity> {
    fn of<T>(self, row: impl Fn(Activity) -> Option<T>) -> Feed<T> {
        let Self { items, next, ids, unreadable } = self;
        Feed { items: items.into_iter().filter_map(row).collect(), next, ids, unreadable }
    }
}

impl Activity {
    /// Day of the expense or the payment.
    #[must_use]
    pub fn day(&self) -> Day {
        match self {
            Self::Paid(paid) => paid.expense.day(),
            Self::Owed(participant) => {
                participant.date.unwrap_or_else(|| participant.created_at.day())
            }
            Self::Sent(settlement) | Self::Received(settlement) => settlement.day(),
        }
    }

    /// Time of the event.
    #[must_use]
    pub fn created_at(&self) -> Timestamp {
        match self {
            Self::Paid(paid) => paid.expense.created_at,
            Self::Owed(participant) => participant.created_at,
            Self::Sent(settlement) | Self::Received(settlement) => settlement.created_at,
        }
    }
}

impl Activity {
    /// Whether the event is the one by which its expense or settlement is shown to a user who has
    /// all of these ids. What they owe of an expense of one of these `groups`, in which they have
    /// several, becomes that of all of them.
    fn is_of_one(
        &mut self,
        ids: &BTreeSet<MemberId>,
        groups: &BTreeSet<GroupId>,
        expenses: &HashMap<Primary, Expense>,
    ) -> bool {
        match self {
            Self::Paid(row) => {
                let own = |payer: &Payer| ids.contains(&payer.user_id);
                let first = row.expense.all_payers().into_iter().find(own);
                first.is_none_or(|first| first.user_id == row.paid_by)
            }
            Self::Owed(row) if groups.contains(&row.group_id) => {
                // The index may still have a row of an expense that was deleted.
                let expense = expenses.get(&keys::expense(row.group_id, row.created_at));
                let Some(expense) = expense.filter(|it| it.id == row.expense_id) else {
                    return false;
                };
                let first = expense.participants().into_iter().find(|it| ids.contains(&it.user_id));
                let owed = expense.owed_by_all(ids);
                match (first, owed) {
                    (Some(first), Some(owed)) if first.user_id == row.user_id => {
                        *row = Participant { group_title: row.group_title.take(), ..owed };
                        true
                    }
                    _ => false,
                }
            }
            Self::Received(settlement) => !ids.contains(&settlement.from_user_id),
            Self::Owed(_) | Self::Sent(_) => true,
        }
    }

    fn row(&mut self) -> &mut GroupRow {
        match self {
            Self::Paid(row) => row,
            Self::Owed(row) => row,
            Self::Sent(row) | Self::Received(row) => row,
        }
    }
}

/// A row that repeats attributes of its group's row.
trait OfGroup {
    fn group(&self) -> GroupId;

    fn title(&mut self) -> &mut Option<String>;

    /// Empties the title, and all texts and names that members wrote.
    fn clear_texts(&mut self);

    /// The currency, if a v0 row of this kind lacks it.
    fn currency(&mut self) -> Option<&mut Option<Currency>> {
        None
    }
}

type GroupRow = dyn OfGroup + Send;

impl OfGroup for PaidExpense {
    fn group(&self) -> GroupId {
        self.expense.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.expense.group_title
    }

    fn clear_texts(&mut self) {
        (self.expense.group_title, self.expense.notes) = (None, None);
        self.expense.description.clear();
        self.expense.payer_name.clear();
        self.expense.payers.iter_mut().for_each(|payer| payer.user_name.clear());
        self.expense.splits.iter_mut().for_each(|share| share.user_name.clear());
    }
}

impl OfGroup for Participant {
    fn group(&self) -> GroupId {
        self.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.group_title
    }

    fn clear_texts(&mut self) {
        self.group_title = None;
        self.description.clear();
        self.payer_name.clear();
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

    fn clear_texts(&mut self) {
        self.group_title = None;
        self.from_user_name.clear();
        self.to_user_name.clear();
    }
}
