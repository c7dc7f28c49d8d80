//! Export of a group: the entries of its ledger with their expenses and settlements, page by page.
//!
//! An export shows one moment: the first page fixes the sequence at which it ends, and every later
//! page shows the entries before that sequence as they were then, even if expenses have been
//! edited, deleted or restored since. Settlements that are not completed have no entry. They follow
//! the entries, in their state when the page is read.

mod records;

use std::ops::Range as Sequences;

use fracti_core::{
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::{Ledger, LedgerError},
    records::{schedule::Schedule, settlement::Settlement},
    storage::{condition::Condition, keys},
    values::{id::GroupId, settlement_status::SettlementStatus, time::Timestamp},
};
use serde::{Deserialize, Serialize};

pub use records::ExportedRow;

use crate::{
    dynamo::{Order, Page, Placed, Range, Sort},
    table::Table,
};

/// Number of entries that are read at once. An entry and its expense may have 100 KB each.
const AT_ONCE: usize = 100;

/// Maximum number of settlements that are examined for one page.
const MAX_EXAMINED: usize = 1000;

/// Maximum size of the rows of a page, in bytes of the JSON string that Lambda makes of a response,
/// unless the page has only one row. With the group, its members and its balances, a page stays
/// below the 6 MB that a Lambda function may return.
///
/// <https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html>
const MAX_BYTES: usize = 3 * 1024 * 1024;

/// The rows that an export includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportRows {
    /// The entries of the ledger.
    Entries,
    /// The entries of the ledger, and the settlements that are not completed.
    All,
}

/// The group that is exported, at the moment of the export.
#[derive(Clone, Debug)]
pub struct Exported {
    /// The group, when the page is read.
    pub group: Group,
    /// Its present and past members when the page is read, in order of their ids. Every member that
    /// the ledger names is among them.
    pub members: Vec<Member>,
    /// The ledger after the last entry of the export.
    pub ledger: Ledger,
}

/// A page of an export.
#[derive(Clone, Debug)]
pub struct ExportPage {
    /// The group.
    pub exported: Exported,
    /// The texts of the entries, in order of sequence.
    pub entries: Vec<String>,
    /// The texts of the settlements that are not completed, oldest first.
    pub settlements: Vec<String>,
    /// The schedules when the page is read, newest first; only of the first page of all rows.
    pub schedules: Vec<Schedule>,
    /// Position of the next page, if the export continues.
    pub next: Option<ExportPlace>,
}

/// Position at which an export continues, and the moment that the export shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExportPlace {
    /// Sequence of the first entry that is not exported.
    end: u64,
    /// Time of the last write to the ledger before the export.
    at: Timestamp,
    next: Next,
}

/// The next row of an export.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Next {
    /// An entry.
    Entry {
        sequence: u64,
        /// Time of the entry before it.
        after: Timestamp,
    },
    /// A settlement that was recorded at this time or later.
    Settlement { from: Timestamp },
}

/// The rows of a page so far.
struct Rows<F> {
    text: F,
    entries: Vec<String>,
    settlements: Vec<String>,
    /// Number of rows that may still be added.
    room: usize,
    /// Number of bytes so far.
    bytes: usize,
}

impl Table {
    /// A page of the export of a group: the first one, or the one at `place`.
    ///
    /// `text` writes a row, or leaves it out. A page has at most `limit` rows, and may be shorter
    /// although the export continues.
    ///
    /// # Errors
    ///
    /// [`Error::NotMigrated`]; [`Error::NoGroup`] or [`Error::NotMember`]; any error of `text`.
    pub async fn export<F>(
        &self,
        member_key: MemberKey,
        rows: ExportRows,
        place: Option<ExportPlace>,
        limit: usize,
        text: F,
    ) -> Result<ExportPage, Error>
    where
        F: Fn(&Exported, ExportedRow) -> Result<Option<String>, Error> + Send + Sync,
    {
        // The future is large: boxed, it does not enlarge the futures around it.
        let read = Box::pin(self.export_of(member_key.group, rows, place, limit, text));
        self.checked(member_key, read).await
    }

    /// Like [`Table::export`], without checking a membership.
    ///
    /// # Errors
    ///
    /// As [`Table::export`].
    pub async fn export_of<F>(
        &self,
        group: GroupId,
        rows: ExportRows,
        place: Option<ExportPlace>,
        limit: usize,
        text: F,
    ) -> Result<ExportPage, Error>
    where
        F: Fn(&Exported, ExportedRow) -> Result<Option<String>, Error> + Send + Sync,
    {
        // The members are read after the ledger, so that they include everyone the ledger names.
        let now = self.ledger(group).await?;
        let schedules = async {
            let is_first = place.is_none() && rows == ExportRows::All;
            if is_first { self.all_schedules(group).await } else { Ok(Vec::new()) }
        };
        let exported = self.exported(group, &now, place.as_ref());
        let (exported, schedules) = tokio::try_join!(exported, schedules)?;
        let mut page =
            Rows { text, entries: Vec::new(), settlements: Vec::new(), room: limit, bytes: 0 };
        let mut next = place.or_else(|| first_place(&now));
        if let Some(place) = &mut next {
            self.add_entries(group, &exported, place, &mut page).await?;
        }
        let is_at_settlements =
            next.as_ref().is_some_and(|place| matches!(place.next, Next::Settlement { .. }));
        if is_at_settlements {
            next = match (rows, next) {
                (ExportRows::All, Some(place)) => {
                    self.add_settlements(group, &exported, place, &mut page).await?
                }
                (ExportRows::Entries, _) | (_, None) => None,
            };
        }
        let Rows { entries, settlements, .. } = page;
        Ok(ExportPage { exported, entries, settlements, schedules, next })
    }

    /// The group, its members, and its ledger at the moment of the export.
    async fn exported(
        &self,
        group: GroupId,
        now: &Ledger,
        place: Option<&ExportPlace>,
    ) -> Result<Exported, Error> {
        let all = Condition::default();
        let ledger = async {
            let Some(place) = place else { return Ok(now.clone()) };
            let ledger = self.ledger_before(group, now, place.at).await?;
            let is_same = ledger.sequence == place.end;
            if is_same { Ok(ledger) } else { Err(LedgerError::Missing(place.end).into()) }
        };
        let (group, members, ledger) = tokio::try_join!(
            self.db.get::<Group>(keys::group(group)),
            self.members(group, &all),
            ledger
        )?;
        let group = group.ok_or(Error::NoGroup)?;
        Ok(Exported { group, members, ledger })
    }

    /// Adds entries to a page until it is full or they end, and advances its place.
    async fn add_entries<F>(
        &self,
        group: GroupId,
        exported: &Exported,
        place: &mut ExportPlace,
        page: &mut Rows<F>,
    ) -> Result<(), Error>
    where
        F: Fn(&Exported, ExportedRow) -> Result<Option<String>, Error>,
    {
        while let Next::Entry { sequence, after } = place.next {
            if sequence >= place.end {
                place.next = Next::Settlement { from: Timestamp::default() };
                return Ok(());
            }
            let sequences = next_sequences(sequence, place.end, page.room);
            if sequences.is_empty() {
                return Ok(());
            }
            let position = keys::entry_position(after, sequence);
            let entries = self.entries_with(group, Order::Asc, position, sequences).await?;
            for row in self.records(exported, place.end, entries).await? {
                let ExportedRow::Entry { entry, .. } = &row else { continue };
                let after = entry.created_at;
                let sequence = entry.sequence.saturating_add(1);
                if !page.add(exported, row)? {
                    return Ok(());
                }
                place.next = Next::Entry { sequence, after };
            }
        }
        Ok(())
    }

    /// Adds settlements that are not completed to a page, and returns the position after them.
    async fn add_settlements<F>(
        &self,
        group: GroupId,
        exported: &Exported,
        place: ExportPlace,
        page: &mut Rows<F>,
    ) -> Result<Option<ExportPlace>, Error>
    where
        F: Fn(&Exported, ExportedRow) -> Result<Option<String>, Error>,
    {
        let Next::Settlement { from } = place.next else { return Ok(Some(place)) };
        if page.room == 0 {
            return Ok(Some(place));
        }
        let [first, last] = [from, place.at].map(|at| keys::settlement(group, at).sk);
        let partition = keys::group_partition(group);
        let sort = Sort::Between(first, last);
        let range = Range { index: None, partition, sort, order: Order::Asc };
        let examined = Page { limit: MAX_EXAMINED, after: None };
        let Placed { rows, more, .. } = self.db.placed::<Settlement>(&range, &examined).await?;
        let mut next = Some(from);
        for (_, settlement) in rows {
            let at = settlement.created_at;
            if let Some(settlement) = open_at(settlement, place.at)
                && !page.add(exported, ExportedRow::Settlement(Box::new(settlement)))?
            {
                let next = Next::Settlement { from: at };
                return Ok(Some(ExportPlace { next, ..place }));
            }
            next = Some(at.next());
        }
        Ok(next.filter(|_| more).map(|from| {
            let next = Next::Settlement { from };
            ExportPlace { next, ..place }
        }))
    }
}

impl<F> Rows<F>
where
    F: Fn(&Exported, ExportedRow) -> Result<Option<String>, Error>,
{
    /// Adds a row; `false` if there is no room for it.
    fn add(&mut self, exported: &Exported, row: ExportedRow) -> Result<bool, Error> {
        let Some(room) = self.room.checked_sub(1) else { return Ok(false) };
        let of_entry = matches!(row, ExportedRow::Entry { .. });
        if let Some(text) = (self.text)(exported, row)? {
            let bytes = self.bytes.saturating_add(escaped_len(&text));
            if self.bytes > 0 && bytes > MAX_BYTES {
                return Ok(false);
            }
            self.bytes = bytes;
            if of_entry {
                self.entries.push(text);
            } else {
                self.settlements.push(text);
            }
        }
        self.room = room;
        Ok(true)
    }
}

/// Length of a text in a JSON string, in bytes.
fn escaped_len(text: &str) -> usize {
    let escaped = text.bytes().filter(|byte| matches!(byte, b'"' | b'\\' | b'\n' | b'\r' | b'\t'));
    text.len().saturating_add(escaped.count())
}

/// The position of the first page; `None` if the ledger of the group was never written to.
fn first_place(now: &Ledger) -> Option<ExportPlace> {
    let next = Next::Entry { sequence: 0, after: Timestamp::default() };
    Some(ExportPlace { end: now.sequence, at: now.last_event_at?, next })
}

/// The next sequences to read, before `end`, for a page with this much room.
fn next_sequences(sequence: u64, end: u64, room: usize) -> Sequences<u64> {
    let count = u64::try_from(room.min(AT_ONCE)).unwrap_or_default();
    sequence..end.min(sequence.saturating_add(count))
}

/// The settlement, if it was not completed at the moment `at`. One that was completed later is
/// returned as pending.
fn open_at(settlement: Settlement, at: Timestamp) -> Option<Settlement> {
    let settlement = before_revert(settlement, at);
    match settlement.status {
        SettlementStatus::Pending | SettlementStatus::Failed => Some(settlement),
        SettlementStatus::Completed => {
            let is_open = settlement.completed_at.is_some_and(|completed| completed > at);
            let pending =
                Settlement { status: SettlementStatus::Pending, completed_at: None, ..settlement };
            is_open.then_some(pending)
        }
    }
}

/// The settlement as it was at the moment `at`, if it has been taken back since.
pub(super) fn before_revert(settlement: Settlement, at: Timestamp) -> Settlement {
    if settlement.reverted_at.is_none_or(|reverted| reverted <= at) {
        return settlement;
    }
    let status = SettlementStatus::Completed;
    Settlement { status, reverted_at: None, reverted_by: None, ..settlement }
}
