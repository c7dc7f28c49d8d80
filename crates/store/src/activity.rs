//! A user's activity over all groups: expenses, shares and settlements.
//!
//! The rows are found through the indexes, which lag behind the table by moments. Nothing is
//! decided by them.

use std::cmp::Reverse;

use fracti_core::{
    Error,
    currency::Currency,
    expense::{Expense, PaidExpense, Participant},
    id::{GroupId, MemberId},
    keys::{self, prefix},
    row::Row,
    settlement::Settlement,
    time::Timestamp,
};
use serde::{Deserialize, Serialize};

use crate::{
    dynamo::{Page, Placed, Position, Range, Slice},
    table::Table,
};

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

/// Position among the expenses that a user paid: that in each of the two lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PaidPosition {
    /// Among those of which the user is the main payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    main: Option<Position>,
    /// Among those of which the user is another payer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    further: Option<Position>,
}

/// Position in a feed: that in each of its lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ActivityPosition {
    #[serde(default)]
    paid: PaidPosition,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    owed: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sent: Option<Position>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    received: Option<Position>,
}

impl Table {
    /// Up to `limit` expenses of which a user is a payer, after a position, newest first; and the
    /// position after them, if there are more.
    ///
    /// # Errors
    ///
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn paid_by(
        &self,
        member: MemberId,
        limit: usize,
        after: PaidPosition,
    ) -> Result<(Vec<PaidExpense>, Option<PaidPosition>), Error> {
        let (main, further) = tokio::try_join!(
            self.list::<Expense>(paid(member), limit, after.main.clone()),
            self.list::<PaidExpense>(paid_too(member), limit, after.further.clone()),
        )?;
        let lists = [main.map(PaidExpense::by_main_payer), further];
        let Placed { rows, more } = merged(lists, limit, |row| row.expense.created_at);
        let mut next = after;
        let mut expenses = Vec::new();
        for (position, row) in rows {
            *next.of(&row) = Some(position);
            expenses.push(row);
        }
        self.fill(expenses.iter_mut().map(|row| row as _)).await?;
        Ok((expenses, more.then_some(next)))
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
        let (main, further, owed, sent, received) = tokio::try_join!(
            self.list::<Expense>(paid(member), limit, after.paid.main.clone()),
            self.list::<PaidExpense>(paid_too(member), limit, after.paid.further.clone()),
            self.list::<Participant>(owed(member), limit, after.owed.clone()),
            self.list::<Settlement>(sent(member), limit, after.sent.clone()),
            self.list::<Settlement>(received(member), limit, after.received.clone()),
        )?;
        let lists = [
            main.map(|row| Activity::Paid(PaidExpense::by_main_payer(row))),
            further.map(Activity::Paid),
            owed.map(Activity::Owed),
            sent.map(Activity::Sent),
            received.map(Activity::Received),
        ];
        let Placed { rows, more } = merged(lists, limit, Activity::created_at);
        let mut next = after;
        let mut feed = Vec::new();
        for (position, event) in rows {
            *next.of(&event) = Some(position);
            feed.push(event);
        }
        self.fill(feed.iter_mut().map(Activity::row)).await?;
        Ok((feed, more.then_some(next)))
    }

    /// A page of one of the lists that are merged.
    async fn list<T: Row>(
        &self,
        range: Range,
        limit: usize,
        after: Option<Position>,
    ) -> Result<Placed<T>, Error> {
        self.db.placed(&range, &Page { limit, after }).await
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

/// The first `limit` rows of several lists, all of which are newest first.
fn merged<T, const N: usize>(
    lists: [Placed<T>; N],
    limit: usize,
    created_at: impl Fn(&T) -> Timestamp,
) -> Placed<T> {
    // Of a list that continues, the rows before its last one are not known.
    let ends = lists.iter().filter(|list| list.more).filter_map(|list| list.rows.last());
    let known_since = ends.map(|(_, row)| created_at(row)).max();
    let mut more = known_since.is_some();
    let mut rows: Vec<_> = lists.into_iter().flat_map(|list| list.rows).collect();
    // The sort is stable: rows of one moment have the same order on every page.
    rows.sort_by_key(|(_, row)| Reverse(created_at(row)));
    let known = rows.iter().take_while(|(_, row)| Some(created_at(row)) >= known_since).count();
    let shown = known.min(limit);
    more |= rows.len() > shown;
    rows.truncate(shown);
    Placed { rows, more }
}

/// The expenses of which the user is the main payer.
fn paid(member: MemberId) -> Range {
    Range::index("GSI3", keys::user_partition(member), prefix::EXPENSE)
}

/// The expenses of which the user is another payer.
fn paid_too(member: MemberId) -> Range {
    Range::index("GSI1", keys::user_partition(member), prefix::PAID)
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
            Self::Paid(paid) => paid.expense.created_at,
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

impl PaidPosition {
    fn of(&mut self, paid: &PaidExpense) -> &mut Option<Position> {
        if paid.is_by_main_payer() { &mut self.main } else { &mut self.further }
    }
}

impl ActivityPosition {
    fn of(&mut self, event: &Activity) -> &mut Option<Position> {
        match event {
            Activity::Paid(paid) => self.paid.of(paid),
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

impl OfGroup for PaidExpense {
    fn group(&self) -> GroupId {
        self.expense.group_id
    }

    fn title(&mut self) -> &mut Option<String> {
        &mut self.expense.group_title
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
