//! The undo of an import: which rows each transaction deletes.

use std::collections::HashMap;

use super::{IMPORT_ROW, put_row};
use crate::{
    decisions::{
        decision::Decision,
        expenses::{self, member_rows},
        group_row::links_as_read,
        ledger_transaction::LedgerTransaction,
        members::{attributes, change_member},
        settlements,
    },
    group::{Group, Member, MemberKey},
    input::Error,
    ledger::Ledger,
    records::{
        entry::Entry,
        expense::Expense,
        group_change::{ChangeKind, Subject},
        import::{EntryPosition, ImportRow, ImportStatus, Record, was_pending},
        settlement::UsedHash,
    },
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row,
        write::{Write, WriteError},
    },
    values::settlement_status::SettlementStatus,
    values::{
        id::{GroupId, MemberId, SettlementId},
        time::Timestamp,
    },
};

/// Number of entries that are read for one transaction. Few may be adjustments of the import.
pub const EXAMINED_ENTRIES: u64 = 200;

/// Changes of balances at most in one transaction, unless a single entry has more.
///
/// A transaction has at most 4 MB, of which the balance, a closing and a checkpoint may take 400 KB
/// each, and a change about 90 bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const CHANGES_AT_ONCE: usize = 8_000;

/// How far the undo has come in this request. What it has passed is deleted, or not of the import.
#[derive(Clone, Debug, Default)]
pub struct UndoProgress {
    /// Version of the ledger after the last transaction.
    pub version: u64,
    /// How far it has come in the expenses.
    pub expenses: Reached,
    /// How far it has come in the settlements.
    pub settlements: Reached,
    /// How far it has come in the entries.
    pub adjustments: Adjustments,
}

/// How far the undo has come in the entries of the ledger.
#[derive(Clone, Copy, Debug, Default)]
pub enum Adjustments {
    /// It has read none.
    #[default]
    Unread,
    /// It continues here.
    From(EntryPosition),
    /// It has passed all entries.
    Ended,
}

/// How far the undo has come in one list.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Key of the last row that it has passed.
    pub after: Option<Primary>,
    /// Whether it has passed all rows.
    pub ended: bool,
}

/// The next rows of the period of an import, as far as they were read.
#[derive(Debug)]
pub struct SeenRows {
    /// The row of the import.
    pub row: ImportRow,
    /// The expenses and settlements of the import, in this order.
    pub records: Vec<Record>,
    /// Their entries by their keys.
    pub entries: HashMap<Primary, Entry>,
    /// The rows of the hashes of settlements that have one.
    pub hashes: HashMap<SettlementId, UsedHash>,
    /// How far the expenses and the settlements were read.
    pub read: [Reached; 2],
}

/// The undo after the rows that one transaction deletes.
#[derive(Debug)]
pub struct Undoing {
    transaction: LedgerTransaction,
    row: ImportRow,
    deleted: Vec<Expense>,
    progress: UndoProgress,
}

/// The entries of a ledger from the place that the undo has reached.
#[derive(Debug)]
pub struct SeenEntries {
    /// The place.
    pub next: EntryPosition,
    /// The entries.
    pub entries: Vec<Entry>,
    /// Those of them that are current by the table, by their keys.
    pub current: HashMap<Primary, Entry>,
    /// Sequence before which they end.
    pub last: u64,
}

/// The decision of a part of an undo.
pub type Undone = Decision<(ImportRow, UndoProgress)>;

/// Begins the undo of `import`, as the request has read it. From then on, the import adds no more
/// rows.
pub fn begin(
    member_key: MemberKey,
    import: &ImportRow,
    (ledger, row): (Ledger, ImportRow),
    now: Timestamp,
) -> Result<Undone, WriteError> {
    let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
    if let Some(undone) = row.of_earlier(import.run)? {
        return Ok(Decision::Done((undone, UndoProgress::default())));
    }
    match row.status {
        ImportStatus::Undoing | ImportStatus::Undone => {
            Ok(Decision::Done((row, UndoProgress::default())))
        }
        ImportStatus::Running | ImportStatus::Done => {
            let updated_at = transaction.at();
            let undoing = ImportRow {
                status: ImportStatus::Undoing,
                updated_at,
                recorded_until: Some(row.updated_at),
                ..row.clone()
            };
            transaction.add(put_row(&undoing, Some(&row))?);
            let progress =
                UndoProgress { version: transaction.version(), ..UndoProgress::default() };
            transaction.commit((undoing, progress))
        }
    }
}

/// The row of an import whose undo, of the run `known`, another request has ended.
///
/// # Errors
///
/// [`Error::Invalid`] if there was no such run.
pub fn ended(row: &ImportRow, known: u64) -> Result<Option<ImportRow>, Error> {
    // It may have been imported again since.
    let ended = if row.status == ImportStatus::Undoing { None } else { Some(row) };
    Ok(row.of_earlier(known)?.or_else(|| ended.cloned()))
}

impl Undoing {
    /// Deletes the rows that were read, as many as fit into one transaction.
    pub fn of(
        member_key: MemberKey,
        ledger: Ledger,
        seen: SeenRows,
        passed: &UndoProgress,
        now: Timestamp,
    ) -> Result<Self, WriteError> {
        let SeenRows { row, records, entries, hashes, read: [expenses, settlements] } = seen;
        let group = member_key.group;
        let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
        let of_pages = UndoProgress { expenses, settlements, ..passed.clone() };
        let mut deleted: Vec<Expense> = Vec::new();
        let mut progress = passed.clone();
        let mut first_left = None;
        for record in records {
            let entry = entries.get(&keys::entry(group, &record.entry_id()));
            // The rows were read at different moments: an entry exists as long as its expense.
            let entry = match record.event()? {
                Some(_) => Some(entry.ok_or(WriteError::Retry)?),
                None => None,
            };
            let hash = match &record {
                Record::Settlement(it) => hashes.get(&it.id),
                Record::Expense(_) | Record::Adjustment(_) => None,
            };
            let (writes, snapshot) = deletion(&record, hash)?;
            // The entry takes three actions, and the expense may have a tally of its own.
            let used = [deleted.len(), writes.len(), 4, IMPORT_ROW];
            if used.into_iter().fold(0, usize::saturating_add) > transaction.room() {
                first_left = Some(record);
                break;
            }
            transaction.add_all(writes);
            if let Some(entry) = entry {
                transaction.revert(entry, snapshot.as_ref())?;
            }
            if let Record::Settlement(settlement) = &record
                && settlement.status == SettlementStatus::Pending
            {
                transaction.state().ended(settlement.parties());
            }
            deleted.extend(snapshot);
            progress.pass(group, &record);
        }
        match first_left {
            None => progress = of_pages,
            Some(Record::Settlement(_)) => progress.expenses = of_pages.expenses,
            Some(Record::Expense(_) | Record::Adjustment(_)) => {}
        }
        Ok(Self { transaction, row, deleted, progress })
    }

    /// The place of the entries from which adjustments are to be reverted now, if there are any:
    /// [`Undoing::revert`] has to follow. They may have as many changes as a transaction takes, so
    /// they have their own.
    #[must_use]
    pub fn reverts(&mut self) -> Option<EntryPosition> {
        let Self { transaction, row, progress, .. } = self;
        let is_free = transaction.is_empty() || row.first_adjustment.is_none();
        if !progress.expenses.ended || !progress.settlements.ended || !is_free {
            return None;
        }
        let next = match progress.adjustments {
            Adjustments::Unread => row.first_adjustment,
            Adjustments::From(next) => Some(next),
            Adjustments::Ended => None,
        };
        if next.is_none() {
            progress.adjustments = Adjustments::Ended;
        }
        next
    }

    /// Reverts adjustments of the import among entries, as many as fit into the transaction, which
    /// is empty.
    ///
    /// The entries of an import are in an index by time. It may lag, so an adjustment may be
    /// reverted that looks as if it still counted.
    pub fn revert(&mut self, seen: SeenEntries) -> Result<(), WriteError> {
        self.progress.adjustments = self.reverted(seen)?;
        Ok(())
    }

    fn reverted(
        &mut self,
        SeenEntries { mut next, entries, current, last }: SeenEntries,
    ) -> Result<Adjustments, WriteError> {
        let Self { transaction, row, .. } = self;
        let mut changes = 0_usize;
        for entry in entries {
            if entry.created_at > row.recorded_until() {
                return Ok(Adjustments::Ended);
            }
            let current = current.get(&keys::entry(row.group_id, &entry.entry_id));
            let current = current.filter(|current| current.sequence == entry.sequence);
            if let Some(current) = current {
                let has_room = 3 + IMPORT_ROW <= transaction.room();
                // Once in the reverted entry, once in the revert.
                changes = changes.saturating_add(current.changes.len().saturating_mul(2));
                let is_first = transaction.is_empty();
                if !has_room || (!is_first && changes > CHANGES_AT_ONCE) {
                    return Ok(Adjustments::From(next));
                }
                transaction.revert(current, None)?;
            }
            next = EntryPosition {
                sequence: entry.sequence.saturating_add(1),
                created_at: entry.created_at,
            };
        }
        let is_end = last == transaction.before().sequence;
        Ok(if is_end { Adjustments::Ended } else { Adjustments::From(next) })
    }

    /// Whether the transaction ends the undo. Guests of the import are removed by an own
    /// transaction.
    fn is_last(&self) -> bool {
        matches!(self.progress.adjustments, Adjustments::Ended)
            && (self.row.members == 0 || self.transaction.is_empty())
    }

    /// Whether guests of the import may have to be removed: [`Undoing::remove_unused`] is to
    /// follow.
    #[must_use]
    pub fn removes_guests(&self) -> bool {
        self.is_last() && self.row.members > 0
    }

    /// The transaction, so that what its ledger lacks can be added.
    pub const fn transaction(&mut self) -> &mut LedgerTransaction {
        &mut self.transaction
    }

    /// Removes guests whom the import has added and who have no part in anything: as many as fit
    /// into the transaction, which is empty. They are present again if the file is imported again.
    pub fn remove_unused(&mut self, group: &Group, members: &[Member]) -> Result<(), WriteError> {
        let Self { transaction, row: import, .. } = self;
        let at = transaction.at();
        let is_unused = |it: &&Member| {
            it.import_id == Some(import.id)
                && (it.is_present() && it.linked_to.is_none())
                && transaction.ledger().is_unused_by(it.id)
                && group.proposed_links.iter().all(|link| MemberId::from(link.guest_id) != it.id)
        };
        // The rows of the group and of the import are in it, too.
        let room = transaction.room().saturating_sub(IMPORT_ROW + 1);
        let room = room.min(transaction.ledger().state.room(at));
        let unused: Vec<&Member> = members.iter().filter(is_unused).take(room).collect();
        if unused.is_empty() {
            return Ok(());
        }
        let number = u64::try_from(unused.len()).unwrap_or(u64::MAX);
        for guest in unused {
            let removed = Member { removed_at: Some(at), ..guest.clone() };
            transaction.state().change(&removed, at)?;
            transaction.add(change_member(group.id, guest, attributes(guest, &removed)?)?);
        }
        let counted = Write::decrement(keys::group(group.id), "memberCount", number);
        let as_read = Condition::present().and(links_as_read(group)?);
        transaction.add(counted.when(as_read));
        Ok(())
    }

    /// The decision. Guests were removed if `removed` is true: that is part of the end.
    pub fn finish(self, removed: bool) -> Result<Undone, WriteError> {
        let is_last = removed || self.is_last();
        let Self { mut transaction, row, deleted, mut progress } = self;
        if transaction.is_empty() && !is_last {
            return Ok(Decision::Done((row, progress)));
        }
        transaction.tally(&deleted, &[])?;
        let status = if is_last { ImportStatus::Undone } else { ImportStatus::Undoing };
        let undone = ImportRow { status, updated_at: transaction.at(), ..row.clone() };
        transaction.add(put_row(&undone, Some(&row))?);
        progress.version = transaction.version();
        if is_last {
            transaction.tell(Subject::import(ChangeKind::ImportUndone, &undone));
        }
        transaction.commit((undone, progress))
    }
}

/// The writes that delete the rows of an expense or a settlement, and the expense.
pub(super) fn deletion(
    record: &Record,
    used: Option<&UsedHash>,
) -> Result<(Vec<Write>, Option<Expense>), Error> {
    match record {
        Record::Expense(expense) => {
            let delete = Write::delete(keys::expense(expense.group_id, expense.created_at));
            let delete = delete.when(expenses::unchanged(expense)?);
            let rows = member_rows(Some(expense), None)?;
            let writes = [delete].into_iter().chain(rows).collect();
            Ok((writes, Some((**expense).clone())))
        }
        Record::Settlement(settlement) => {
            let group = settlement.group_id;
            let unchanged = match settlement.status {
                SettlementStatus::Pending => settlements::unchanged(settlement)?,
                // The others are final.
                SettlementStatus::Completed | SettlementStatus::Failed => {
                    Condition::equal("id", row::to_value(&settlement.id)?)
                }
            };
            let key = keys::settlement(group, settlement.created_at);
            let delete = Write::delete(key).when(unchanged);
            let mark = was_pending(settlement)
                .then(|| Write::delete(keys::imported_settlement(group, settlement.id)));
            let hash = settlements::release_hash(settlement, used)?;
            Ok(([Some(delete), mark, hash].into_iter().flatten().collect(), None))
        }
        Record::Adjustment(_) => Ok((Vec::new(), None)),
    }
}

impl UndoProgress {
    /// Passes the row of an expense or a settlement.
    fn pass(&mut self, group: GroupId, record: &Record) {
        let (list, key) = match record {
            Record::Expense(expense) => {
                (&mut self.expenses, keys::expense(group, expense.created_at))
            }
            Record::Settlement(settlement) => {
                (&mut self.settlements, keys::settlement(group, settlement.created_at))
            }
            Record::Adjustment(_) => return,
        };
        list.after = Some(key);
    }
}
