//! The statement: a group's entries in order of sequence, over the days that had some.
//!
//! The closing rows say which sequences each day has. So a day without entries costs no query, a page is complete or
//! it is read again (an index lags), and a running balance begins at one that is known.

use std::{collections::BTreeMap, ops::Range as Sequences};

use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize, de::IgnoredAny};

use super::{
    MemberKey, Order, Page, Table,
    entries::{closings, lagging},
    range::{Placed, Range, Sort},
    write::Retry,
};
use crate::{
    Error,
    currency::Currency,
    group::MEMBER_RULE,
    id::{GroupId, UserId},
    keys::{self, prefix},
    ledger::{Entry, Ledger, Totals},
    time::{Day, Timestamp},
};

/// Entries read for a page of one member's statement, at least.
const MIN_SCANNED: usize = 100;

/// Which entries are asked for.
#[derive(Clone, Debug)]
pub struct Statement {
    /// In which order.
    pub order: Order,
    /// None before this moment.
    pub from: Option<Timestamp>,
    /// None after this moment.
    pub to: Option<Timestamp>,
    /// Only those that move this member's balances; each comes with what the balances were after it.
    pub user: Option<UserId>,
}

/// An entry of a statement.
#[derive(Clone, Debug)]
pub struct Line {
    /// The entry.
    pub entry: Entry,
    /// What the group owed the member after it in each currency, in minor units, where the statement is of one.
    pub balance: Option<BTreeMap<Currency, i128>>,
}

/// Where a statement goes on. It is of the moment when its first page was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    order: Order,
    /// Only this member's entries.
    pub user: Option<UserId>,
    /// Between which two entries it goes on; at the beginning where there is none.
    edge: Option<Edge>,
    /// The sequence at which it ends, the other end of what is asked for.
    end: Option<u64>,
}

/// A place between two entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Edge {
    /// A moment between those of the two, or that of one of them.
    at: Timestamp,
    /// The sequence of the later one.
    sequence: u64,
    /// The totals of the statement's member between the two.
    totals: BTreeMap<Currency, Totals>,
}

/// The sequences that a day has; an open statement's edge cuts them off.
type DaySequences = (Day, Sequences<u64>);

impl Default for Statement {
    fn default() -> Self {
        Self { order: Order::Desc, from: None, to: None, user: None }
    }
}

impl Statement {
    /// The beginning of all that there is.
    pub(super) const fn place(&self) -> Place {
        Place { order: self.order, user: self.user, edge: None, end: None }
    }
}

impl Table {
    /// A page of the statement that is asked for, and where it goes on.
    ///
    /// A member's statement looks through a bounded number of entries a page: it may be short of `limit` and go on.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] where `user` is not a member; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::Unavailable`] or [`Error::Table`].
    pub async fn statement(
        &self,
        member_key: MemberKey,
        statement: &Statement,
        limit: usize,
    ) -> Result<(Vec<Line>, Option<Place>), Error> {
        let group = member_key.group;
        let read = async {
            let place = async {
                let ledger = self.ledger(group).await?;
                Ok((self.place(group, &ledger, statement).await?, ledger))
            };
            let ((place, ledger), ()) =
                tokio::try_join!(place, self.member_named(group, statement.user))?;
            self.read_statement(group, Some(ledger), place, limit).await
        };
        self.checked(member_key, read).await
    }

    /// A page of a statement from where the page before it ended.
    ///
    /// # Errors
    ///
    /// As [`Table::statement`].
    pub async fn statement_from(
        &self,
        member_key: MemberKey,
        place: Place,
        limit: usize,
    ) -> Result<(Vec<Line>, Option<Place>), Error> {
        self.checked(member_key, self.read_statement(member_key.group, None, place, limit)).await
    }

    /// Refuses a `userId` that names no member.
    async fn member_named(&self, group: GroupId, user: Option<UserId>) -> Result<(), Error> {
        let Some(user) = user else { return Ok(()) };
        match self.get::<IgnoredAny>(keys::member(group, user)).await? {
            Some(_) => Ok(()),
            None => Err(Error::invalid("userId", MEMBER_RULE)),
        }
    }

    /// Where a statement begins, and where it ends: the moments that are asked for, as sequences.
    async fn place(
        &self,
        group: GroupId,
        ledger: &Ledger,
        statement: &Statement,
    ) -> Result<Place, Error> {
        let (first, last) = tokio::try_join!(
            self.bound(group, ledger, statement.from.map(Timestamp::previous)),
            self.bound(group, ledger, statement.to)
        )?;
        let (begin, end) = match statement.order {
            Order::Asc => (first, last),
            Order::Desc => (last, first),
        };
        Ok(Place {
            edge: begin.map(|(at, ledger)| Edge::of(at, &ledger, statement.user)),
            end: end.map(|(_, ledger)| ledger.sequence),
            ..statement.place()
        })
    }

    /// The ledger after the last event that was not later than `at`, and the moment of that event.
    async fn bound(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Option<Timestamp>,
    ) -> Result<Option<(Timestamp, Ledger)>, Error> {
        let Some(at) = at else { return Ok(None) };
        let ledger = self.ledger_before(group, ledger, at).await?;
        // The entries on the near side are those up to this event: `at` may be days after it.
        Ok(Some((ledger.last_event_at.unwrap_or_default(), ledger)))
    }

    /// A page from `place` on; `ledger` is the ledger where it was read already.
    pub(super) async fn read_statement(
        &self,
        group: GroupId,
        ledger: Option<Ledger>,
        place: Place,
        limit: usize,
    ) -> Result<(Vec<Line>, Option<Place>), Error> {
        let wanted = if place.user.is_some() { limit.max(MIN_SCANNED) } else { limit };
        let ledger = match ledger {
            Some(ledger) => ledger,
            None => self.ledger(group).await?,
        };
        // After the ledger, for the same reason as in `ledger_before`. A day has an entry at least, but for one on which
        // only a settlement was asked for.
        // One of them may be of the day of the edge, which is no way on.
        let page = Page { limit: limit.saturating_add(1), after: None };
        let Placed { rows, more } = self.placed::<Ledger>(&days(group, &place), &page).await?;
        let closings: Vec<Ledger> = rows.into_iter().map(|(_, closing)| closing).collect();
        let all_known = !more;

        let edge = match (place.edge.clone(), place.order) {
            (Some(edge), _) => edge,
            (None, Order::Asc) => Edge::of(Timestamp::default(), &Ledger::default(), place.user),
            (None, Order::Desc) => {
                Edge::of(ledger.last_event_at.unwrap_or_default(), &ledger, place.user)
            }
        };
        let end = place.end.unwrap_or(match place.order {
            Order::Asc => ledger.sequence,
            Order::Desc => 0,
        });
        let days = match place.order {
            Order::Asc => upwards(&edge, end, &closings, all_known.then_some(&ledger)),
            Order::Desc => downwards(&edge, end, &closings, all_known),
        };
        let entries = self.entries_over(group, place.order, &edge, &days, wanted).await?;

        let (lines, reached) = lines(place.order, place.user, edge, entries, limit);
        let known_end = days.last().map(|(_, sequences)| match place.order {
            Order::Asc => sequences.end,
            Order::Desc => sequences.start,
        });
        // Days without entries were all there was: it goes on behind them.
        let reached = match closings.last().and_then(|closing| closing.last_event_at) {
            Some(at) if !all_known && Some(reached.sequence) == known_end => Edge { at, ..reached },
            _ => reached,
        };
        let over = match place.order {
            Order::Asc => reached.sequence >= end,
            Order::Desc => reached.sequence <= end,
        };
        Ok((lines, (!over).then_some(Place { edge: Some(reached), end: Some(end), ..place })))
    }

    /// The next entries of these days, in order, up to so many: every one of them, or it is read again.
    async fn entries_over(
        &self,
        group: GroupId,
        order: Order,
        edge: &Edge,
        days: &[DaySequences],
        wanted: usize,
    ) -> Result<Vec<Entry>, Error> {
        let (mut left, mut ranges, mut sequences) = (wanted, Vec::new(), Vec::new());
        for (day, of_day) in days {
            let of_day: Vec<u64> = match order {
                Order::Asc => of_day.clone().take(left).collect(),
                Order::Desc => of_day.clone().rev().take(left).collect(),
            };
            if !of_day.is_empty() {
                left = left.saturating_sub(of_day.len());
                ranges.push((edge.on(group, *day, order), of_day.len()));
                sequences.extend(of_day);
            }
        }
        let mut retry = Retry::new();
        loop {
            let read = ranges.iter().map(|(range, limit)| {
                // One row more is read, for a page of these.
                let page = Page { limit: limit.saturating_sub(1), after: None };
                async move { self.rows::<Entry>(range, &page).await }
            });
            let entries = try_join_all(read).await?.into_iter().flatten();
            let mut entries: BTreeMap<u64, Entry> =
                entries.map(|(_, entry)| (entry.sequence, entry)).collect();
            let found = sequences.iter().map(|sequence| entries.remove(sequence));
            match found.collect::<Option<Vec<_>>>() {
                Some(entries) => return Ok(entries),
                None if retry.pause().await => {}
                None => return Err(lagging()),
            }
        }
    }
}

impl Edge {
    /// Behind all that `ledger` has.
    fn of(at: Timestamp, ledger: &Ledger, user: Option<UserId>) -> Self {
        let currencies = ledger.balances.currencies();
        let totals = user.map(|user| {
            currencies.map(|currency| (currency, ledger.balances.totals(currency, user))).collect()
        });
        Self { at, sequence: ledger.sequence, totals: totals.unwrap_or_default() }
    }

    /// The entries of a day that are on the other side.
    fn on(&self, group: GroupId, day: Day, order: Order) -> Range {
        let sort = if day != self.at.day() {
            Sort::Any
        } else if order == Order::Asc {
            Sort::Between(keys::entry_position(self.at, self.sequence), "~".to_owned())
        } else {
            let last = self.sequence.saturating_sub(1);
            Sort::Between("0".to_owned(), keys::entry_position(self.at, last))
        };
        Range { index: Some("GSI1"), partition: keys::entries_of(group, day), sort, order }
    }
}

/// The closing rows that a statement needs: in its order from its edge on.
fn days(group: GroupId, place: &Place) -> Range {
    let at = |edge: &Edge| keys::closing(group, edge.at.day()).sk;
    let edge = place.edge.as_ref().map(at);
    let sort = match (edge, place.order) {
        (None, _) => Sort::Prefix(prefix::CLOSING.to_owned()),
        (Some(day), Order::Asc) => Sort::Between(day, "DAY#~".to_owned()),
        (Some(day), Order::Desc) => Sort::Between(prefix::CLOSING.to_owned(), day),
    };
    closings(group, sort, place.order)
}

/// The days from the edge on, and the sequences between the edge and the end that each has.
fn upwards(edge: &Edge, end: u64, closings: &[Ledger], now: Option<&Ledger>) -> Vec<DaySequences> {
    let mut from = edge.sequence;
    let mut days = Vec::new();
    for closing in closings.iter().chain(now) {
        let Some(at) = closing.last_event_at else { continue };
        let to = closing.sequence.min(end).max(from);
        days.push((at.day(), from..to));
        from = to;
    }
    days
}

/// The days from the edge back, and the sequences between the edge and the end that each has.
fn downwards(edge: &Edge, end: u64, closings: &[Ledger], all_known: bool) -> Vec<DaySequences> {
    let mut to = edge.sequence;
    let mut day = edge.at.day();
    let mut days = Vec::new();
    for closing in closings {
        // A closing of the edge's own day is where the day ends, not where it begins.
        let Some(at) = closing.last_event_at.filter(|at| at.day() < edge.at.day()) else {
            continue;
        };
        let from = closing.sequence.max(end).min(to);
        days.push((day, from..to));
        (day, to) = (at.day(), from);
    }
    if all_known {
        days.push((day, end.min(to)..to));
    }
    days
}

/// The lines that the entries make, up to so many, and the edge behind the last entry that was looked at.
fn lines(
    order: Order,
    user: Option<UserId>,
    edge: Edge,
    entries: Vec<Entry>,
    limit: usize,
) -> (Vec<Line>, Edge) {
    let (mut edge, mut lines) = (edge, Vec::new());
    for entry in entries {
        if lines.len() >= limit {
            break;
        }
        let before = edge.totals.clone();
        edge.at = entry.created_at;
        edge.sequence = match order {
            Order::Asc => entry.sequence.saturating_add(1),
            Order::Desc => entry.sequence,
        };
        let Some(user) = user else {
            lines.push(Line { entry, balance: None });
            continue;
        };
        let mut concerns = false;
        for change in entry.changes_of(user) {
            concerns = true;
            let totals = edge.totals.entry(change.currency).or_default();
            let moved = match order {
                Order::Asc => totals.plus(change.totals),
                Order::Desc => totals.minus(change.totals),
            };
            // What the ledger took, its parts fit into too.
            *totals = moved.unwrap_or(*totals);
        }
        if concerns {
            let after = match order {
                Order::Asc => &edge.totals,
                Order::Desc => &before,
            };
            let balance = after.iter().map(|(currency, totals)| (*currency, totals.net()));
            lines.push(Line { entry, balance: Some(balance.collect()) });
        }
    }
    (lines, edge)
}
