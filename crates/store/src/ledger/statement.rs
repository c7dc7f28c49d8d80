//! The statement: a group's entries in order of sequence, over the days that have some.
//!
//! The closing rows tell which sequences each day has. So a day without entries costs no query, an
//! incomplete page is noticed and read again (an index lags), and a running balance begins at a
//! known one.

use std::{collections::BTreeMap, ops::Range as Sequences};

use fracti_core::{
    Error,
    balance::Closing,
    currency::Currency,
    entry::Entry,
    group::{MEMBER_RULE, MemberRow},
    id::{GroupId, UserId},
    keys::{self, prefix},
    ledger::{Ledger, LedgerError, Totals},
    time::{Day, Timestamp},
};
use futures_util::future::try_join_all;
use serde::{Deserialize, Serialize};

use super::past::{closings, lagging};
use crate::{
    access::MemberKey,
    dynamo::{Order, Page, Placed, Range, Retry, Sort},
    table::Table,
};

/// Entries read for a page of one member's statement, at least.
const MIN_SCANNED: usize = 100;

/// Selection and order of entries.
#[derive(Clone, Debug)]
pub struct Statement {
    /// Order by sequence.
    pub order: Order,
    /// No entries before this moment.
    pub from: Option<Timestamp>,
    /// No entries after this moment.
    pub to: Option<Timestamp>,
    /// Only entries that change this member's balances, each with the balances after it.
    pub user: Option<UserId>,
}

/// An entry of a statement.
#[derive(Clone, Debug)]
pub struct Line {
    /// The entry.
    pub entry: Entry,
    /// What the group owed the member after the entry in each currency, in minor units, if the
    /// statement is of one member.
    pub balance: Option<BTreeMap<Currency, i128>>,
}

/// Position at which a statement continues. It ends at the moment when its first page was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Place {
    order: Order,
    /// Only entries of this member.
    pub user: Option<UserId>,
    /// Place between two entries at which it continues, unless it begins.
    edge: Option<Edge>,
    /// Sequence at which it ends.
    end: Option<u64>,
}

/// A place between two entries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Edge {
    /// A moment from that of the earlier one to that of the later one.
    at: Timestamp,
    /// Sequence of the later one.
    sequence: u64,
    /// Totals of the statement's member between the two.
    totals: BTreeMap<Currency, Totals>,
}

/// A day and its sequences within a statement.
type DaySequences = (Day, Sequences<u64>);

impl Default for Statement {
    fn default() -> Self {
        Self { order: Order::Desc, from: None, to: None, user: None }
    }
}

impl Statement {
    /// The beginning of the whole ledger.
    pub(crate) const fn place(&self) -> Place {
        Place { order: self.order, user: self.user, edge: None, end: None }
    }
}

impl Table {
    /// The first page of a statement, and the position after it, if it continues.
    ///
    /// A page of one member's statement reads a bounded number of entries, so it may be shorter
    /// than `limit`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if `user` is not a member; [`Error::NoGroup`] or [`Error::NotMember`];
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

    /// The page of a statement at `place`, and the position after it, if it continues.
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

    /// Checks that the user of a statement is a member.
    async fn member_named(&self, group: GroupId, user: Option<UserId>) -> Result<(), Error> {
        let Some(user) = user else { return Ok(()) };
        if self.db.exists::<MemberRow>(keys::member(group, user)).await? {
            Ok(())
        } else {
            Err(Error::invalid("userId", MEMBER_RULE))
        }
    }

    /// The beginning and the end of a statement, as sequences.
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

    /// The ledger after the last event not later than `at`, and the moment of that event.
    async fn bound(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Option<Timestamp>,
    ) -> Result<Option<(Timestamp, Ledger)>, Error> {
        let Some(at) = at else { return Ok(None) };
        let ledger = self.ledger_before(group, ledger, at).await?;
        // Not `at`, which may be days after the event.
        Ok(Some((ledger.last_event_at.unwrap_or_default(), ledger)))
    }

    /// The page at `place`. `ledger` is the current one, if it was read already.
    pub(crate) async fn read_statement(
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
        // After the ledger, for the same reason as in `ledger_before`. A day has an entry at least,
        // unless only pending settlements were recorded on it. One of the closings may be that of
        // the edge's own day.
        let page = Page { limit: limit.saturating_add(1), after: None };
        let Placed { rows, more } = self.db.placed::<Closing>(&days(group, &place), &page).await?;
        let closings: Vec<Ledger> = rows.into_iter().map(|(_, closing)| closing.ledger).collect();
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

        let (lines, reached) = lines(place.order, place.user, edge, entries, limit)?;
        let known_end = days.last().map(|(_, sequences)| match place.order {
            Order::Asc => sequences.end,
            Order::Desc => sequences.start,
        });
        // If only days without entries were read, the statement continues after them.
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

    /// The next `wanted` entries of these days, in order. An incomplete read is repeated.
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
                // One more row is read than the page has.
                let page = Page { limit: limit.saturating_sub(1), after: None };
                async move { self.db.rows::<Entry>(range, &page).await }
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
    /// After all entries of `ledger`.
    fn of(at: Timestamp, ledger: &Ledger, user: Option<UserId>) -> Self {
        let currencies = ledger.balances.currencies();
        let totals = user.map(|user| {
            currencies.map(|currency| (currency, ledger.balances.totals(currency, user))).collect()
        });
        Self { at, sequence: ledger.sequence, totals: totals.unwrap_or_default() }
    }

    /// The entries of a day beyond the edge, in this order.
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

/// The closings that a statement needs, in its order from its edge on.
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

/// The days after the edge, and their sequences up to the end.
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

/// The days before the edge, and their sequences down to the end.
fn downwards(edge: &Edge, end: u64, closings: &[Ledger], all_known: bool) -> Vec<DaySequences> {
    let mut to = edge.sequence;
    let mut day = edge.at.day();
    let mut days = Vec::new();
    for closing in closings {
        // The closing of the edge's own day is its end, not its beginning.
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

/// Up to `limit` lines from the entries, and the edge after the last entry that was used.
///
/// # Errors
///
/// [`Error::Table`] if a total overflows, as no total of a ledger does.
fn lines(
    order: Order,
    user: Option<UserId>,
    edge: Edge,
    entries: Vec<Entry>,
    limit: usize,
) -> Result<(Vec<Line>, Edge), Error> {
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
            let overflow = || Error::Table(LedgerError::Overflow(change.currency).into());
            *totals = moved.ok_or_else(overflow)?;
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
    Ok((lines, edge))
}
