//! The statement: a group's entries in order of sequence, page by page.

use std::collections::BTreeMap;

use fracti_core::{
    group::{MemberKey, MemberRow, not_a_member},
    input::Error,
    ledger::{Ledger, LedgerError, Totals},
    records::entry::Entry,
    storage::keys,
    values::{
        currency::Currency,
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};
use serde::{Deserialize, Serialize};

use super::entries::Until;
use crate::{dynamo::Order, table::Table};

/// Minimum number of entries read for a page of one member's statement.
const MIN_SCANNED: usize = 100;

/// Selection and order of entries.
#[derive(Clone, Debug, Serialize)]
pub struct Statement {
    /// Order by sequence.
    pub order: Order,
    /// No entries before this moment.
    pub from: Option<Timestamp>,
    /// No entries after this moment.
    pub to: Option<Timestamp>,
    /// Only entries that change this member's balances, each with the balances after it.
    pub user: Option<MemberId>,
}

/// An entry of a statement.
#[derive(Clone, Debug)]
pub struct StatementLine {
    /// The entry.
    pub entry: Entry,
    /// What the group owed the member after the entry in each currency, in minor units, if the
    /// statement is of one member.
    pub balance: Option<BTreeMap<Currency, i128>>,
}

/// Position at which a statement continues. The statement ends at the moment when its first page
/// was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StatementPlace {
    order: Order,
    /// Only entries that change this member's balances.
    user: Option<MemberId>,
    /// Place between two entries at which the statement continues.
    edge: Edge,
    /// Sequence at which the statement ends.
    end: u64,
}

/// A place between two entries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Edge {
    /// A moment between the two entries, or that of one of them.
    at: Timestamp,
    /// Sequence of the later entry.
    sequence: u64,
    /// Totals of the statement's member between the two.
    totals: BTreeMap<Currency, Totals>,
}

impl Default for Statement {
    fn default() -> Self {
        Self { order: Order::Desc, from: None, to: None, user: None }
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
    /// [`Error::Invalid`] if `user` is not a member; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn statement(
        &self,
        member_key: MemberKey,
        statement: &Statement,
        limit: usize,
    ) -> Result<(Vec<StatementLine>, Option<StatementPlace>), Error> {
        let group = member_key.group;
        let read = async {
            let place = async {
                let ledger = self.ledger(group).await?;
                self.place(group, &ledger, statement).await
            };
            let (place, named) = tokio::join!(place, self.member_named(group, statement.user));
            let place = place?;
            named?;
            self.read_statement(group, place, limit).await
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
        place: StatementPlace,
        limit: usize,
    ) -> Result<(Vec<StatementLine>, Option<StatementPlace>), Error> {
        self.checked(member_key, self.read_statement(member_key.group, place, limit)).await
    }

    /// Checks that the user of a statement is a member.
    async fn member_named(&self, group: GroupId, user: Option<MemberId>) -> Result<(), Error> {
        let Some(user) = user else { return Ok(()) };
        if self.db.exists::<MemberRow>(keys::member(group, user)).await? {
            Ok(())
        } else {
            Err(Error::invalid("userId", not_a_member()))
        }
    }

    /// The position of a statement's first page.
    async fn place(
        &self,
        group: GroupId,
        ledger: &Ledger,
        statement: &Statement,
    ) -> Result<StatementPlace, Error> {
        let Statement { order, from, to, user } = statement;
        let user = &user.map(|user| ledger.links.resolve(user));
        let from = from.map(Timestamp::previous);
        let to = *to;
        let (begin, end) = match order {
            Order::Asc => (from, to),
            Order::Desc => (to, from),
        };
        let (begin, end) = tokio::try_join!(
            self.edge(group, ledger, begin, *user),
            self.edge(group, ledger, end, None)
        )?;
        let first = Edge::default();
        let last = Edge::after(ledger, *user);
        let (begin, end) = match order {
            Order::Asc => (begin.unwrap_or(first), end.unwrap_or(last)),
            Order::Desc => (begin.unwrap_or(last), end.unwrap_or(first)),
        };
        Ok(StatementPlace { order: *order, user: *user, edge: begin, end: end.sequence })
    }

    /// The edge after the last event up to `at`, with the totals of `user`.
    async fn edge(
        &self,
        group: GroupId,
        ledger: &Ledger,
        at: Option<Timestamp>,
        user: Option<MemberId>,
    ) -> Result<Option<Edge>, Error> {
        let Some(at) = at else { return Ok(None) };
        if ledger.last_event_at.is_none_or(|last| last <= at) {
            return Ok(Some(Edge::after(ledger, user)));
        }
        if user.is_some() {
            let past = self.ledger_before(group, ledger, at).await?;
            return Ok(Some(Edge::after(&past, user)));
        }
        let Until { next, entries } = self.entries_until(group, ledger, at, 1).await?;
        let last = entries.last().map(|entry| entry.created_at);
        Ok(Some(Edge { at: last.unwrap_or_default(), sequence: next, ..Edge::default() }))
    }

    /// The page at `place`.
    async fn read_statement(
        &self,
        group: GroupId,
        place: StatementPlace,
        limit: usize,
    ) -> Result<(Vec<StatementLine>, Option<StatementPlace>), Error> {
        let StatementPlace { order, user, edge, end } = place;
        let wanted = if user.is_some() { limit.max(MIN_SCANNED) } else { limit };
        let wanted = u64::try_from(wanted).unwrap_or(u64::MAX);
        let sequences = match order {
            Order::Asc => edge.sequence..end.min(edge.sequence.saturating_add(wanted)),
            Order::Desc => end.max(edge.sequence.saturating_sub(wanted))..edge.sequence,
        };
        if sequences.is_empty() {
            return Ok((Vec::new(), None));
        }
        let position = match order {
            Order::Asc => keys::entry_position(edge.at, edge.sequence),
            Order::Desc => keys::entry_position(edge.at, edge.sequence.saturating_sub(1)),
        };
        let mut entries = self.entries_with(group, order, position, sequences).await?;
        if order == Order::Desc {
            entries.reverse();
        }
        let (lines, edge) = lines(order, user, edge, entries, limit)?;
        let more = edge.sequence != end;
        Ok((lines, more.then_some(StatementPlace { order, user, edge, end })))
    }
}

impl Edge {
    /// The edge after all entries of `ledger`, with the totals of `user`.
    fn after(ledger: &Ledger, user: Option<MemberId>) -> Self {
        let currencies = ledger.balances.currencies();
        let totals = user.map(|user| {
            currencies.map(|currency| (currency, ledger.balances.totals(currency, user))).collect()
        });
        Self {
            at: ledger.last_event_at.unwrap_or_default(),
            sequence: ledger.sequence,
            totals: totals.unwrap_or_default(),
        }
    }
}

/// Up to `limit` lines from the entries, and the edge after the last entry that was used.
///
/// # Errors
///
/// [`Error::Table`] if a total overflows, which does not happen in a valid ledger.
fn lines(
    order: Order,
    user: Option<MemberId>,
    edge: Edge,
    entries: Vec<Entry>,
    limit: usize,
) -> Result<(Vec<StatementLine>, Edge), Error> {
    let mut edge = edge;
    let mut lines = Vec::new();
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
            lines.push(StatementLine { entry, balance: None });
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
            lines.push(StatementLine { entry, balance: Some(balance.collect()) });
        }
    }
    Ok((lines, edge))
}
