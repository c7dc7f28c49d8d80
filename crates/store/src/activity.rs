//! A user's activity over all groups: expenses, shares and settlements.
//!
//! The rows are found through the indexes, which lag behind the table by moments. Nothing is
//! decided by them.

use fracti_core::{
    Error,
    currency::Currency,
    expense::{Expense, Participant},
    id::{GroupId, MemberId},
    keys::{self, prefix},
    settlement::Settlement,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    dynamo::{Page, Position, Range, Slice},
    table::Table,
};

/// An event of a user's feed.
#[derive(Clone, Debug)]
pub enum Activity {
    /// The user paid an expense.
    Paid(Expense),
    /// The user owes a share of an expense.
    Owed(Participant),
    /// The user sent a settlement.
    Sent(Settlement),
    /// The user receives a settlement.
    Received(Settlement),
}

/// Position in a feed: that in each of its four lists.
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

impl Table {
    /// A page of the expenses that a user paid.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn paid_by(&self, member: MemberId, page: &Page) -> Result<Slice<Expense>, Error> {
        let mut slice = self.db.page::<Expense>(&paid(member), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// A page of a user's shares of others' expenses.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn owed_by(
        &self,
        member: MemberId,
        page: &Page,
    ) -> Result<Slice<Participant>, Error> {
        let mut slice = self.db.page::<Participant>(&owed(member), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// A page of the settlements that a user sent.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn sent_by(&self, member: MemberId, page: &Page) -> Result<Slice<Settlement>, Error> {
        let mut slice = self.db.page::<Settlement>(&sent(member), page).await?;
        self.fill(slice.items.iter_mut().map(|row| row as _)).await?;
        Ok(slice)
    }

    /// Up to `limit` events of a user's feed after a position, newest first; and the position after
    /// them, if there are more.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn activity_of(
        &self,
        member: MemberId,
        limit: usize,
        after: ActivityPosition,
    ) -> Result<(Vec<Activity>, Option<ActivityPosition>), Error> {
        let page = |after: &Option<Position>| Page { limit, after: after.clone() };
        let (pages, ranges) = (
            [&after.paid, &after.owed, &after.sent, &after.received].map(page),
            [paid(member), owed(member), sent(member), received(member)],
        );
        let ([p, o, s, r], [paid, owed, sent, received]) = (&pages, &ranges);
        let (paid, owed, sent, received) = tokio::try_join!(
            self.db.rows::<Expense>(paid, p),
            self.db.rows::<Participant>(owed, o),
            self.db.rows::<Settlement>(sent, s),
            self.db.rows::<Settlement>(received, r),
        )?;
        let mut events: Vec<(Position, Activity)> = Vec::new();
        events.extend(paid.into_iter().map(|(at, row)| (at, Activity::Paid(row))));
        events.extend(owed.into_iter().map(|(at, row)| (at, Activity::Owed(row))));
        events.extend(sent.into_iter().map(|(at, row)| (at, Activity::Sent(row))));
        events.extend(received.into_iter().map(|(at, row)| (at, Activity::Received(row))));
        // The sort is stable: events of one moment have the same order on every page.
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

    /// Adds the attributes that v0 rows lack from their groups. Later rows need no request.
    async fn fill<'a>(&self, rows: impl Iterator<Item = &'a mut GroupRow>) -> Result<(), Error> {
        let mut lacking: Vec<&mut GroupRow> = rows.filter_map(GroupRow::lacking).collect();
        let mut ids: Vec<GroupId> = lacking.iter().map(|row| row.group()).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.is_empty() {
            return Ok(());
        }
        let groups = self.groups_by_id(&ids).await?;
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

fn paid(member: MemberId) -> Range {
    Range::index("GSI3", keys::user_partition(member), prefix::EXPENSE)
}

fn owed(member: MemberId) -> Range {
    Range::index("GSI1", keys::user_partition(member), prefix::OWES)
}

fn sent(member: MemberId) -> Range {
    Range::index("GSI3", keys::user_partition(member), prefix::SETTLEMENT)
}

fn received(member: MemberId) -> Range {
    Range::index("GSI1", keys::user_partition(member), prefix::RECEIVED)
}

impl Activity {
    /// Time of the event.
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
    fn row(&mut self) -> &mut GroupRow {
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

/// A row that repeats attributes of its group's row.
trait OfGroup {
    fn group(&self) -> GroupId;

    fn title(&mut self) -> &mut Option<String>;

    /// The currency, if a v0 row of this kind lacks it.
    fn currency(&mut self) -> Option<&mut Option<Currency>> {
        None
    }
}

type GroupRow = dyn OfGroup + Send;

impl GroupRow {
    /// The row, if it lacks an attribute.
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
