//! The undo of an import: deletes what it has recorded, as many rows in each transaction as fit.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    decisions::{
        decision::Decision,
        expenses::{self, member_rows},
        group_row::links_as_read,
        ledger_transaction::LedgerTransaction,
        members::{attributes, change_member},
        settlements,
    },
    group::{Member, MemberKey, MemberRow},
    input::Error,
    ledger::{EntryStatus, RefType},
    records::{
        entry::Entry,
        expense::Expense,
        group_change::{ChangeKind, Subject},
        import::{EntryPosition, ImportRow, ImportStatus, Record, check_undo, was_pending},
        settlement::{self, Settlement},
    },
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row::{self, Row},
        write::{MAX_ACTIONS, Write, WriteError},
    },
    values::{
        id::{GroupId, ImportId, MemberId},
        time::Timestamp,
    },
};

use super::{IMPORT_ROW, put_row};
use crate::{
    dynamo::{Order, Page, Placed, Position, Range, Sort, is_late},
    table::Table,
    write::idempotency::{Idempotency, Known, Outcome},
};

/// Number of expenses, and of settlements, that are read for one transaction. Deleting one takes
/// four actions or more, and some may not be of the import.
const EXAMINED: usize = MAX_ACTIONS / 2;

/// Number of entries that are read for one transaction. Few may be adjustments of the import.
const EXAMINED_ENTRIES: u64 = 200;

/// Changes of balances at most in one transaction, unless a single entry has more.
///
/// A transaction has at most 4 MB, of which the balance, a closing and a checkpoint may take 400 KB
/// each, and a change about 90 bytes.
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html>
const CHANGES_AT_ONCE: usize = 8_000;

/// How far the undo has come in this request. What it has passed is deleted, or not of the import.
#[derive(Clone, Debug, Default)]
struct UndoProgress {
    /// Version of the ledger after the last transaction.
    version: u64,
    expenses: Reached,
    settlements: Reached,
    adjustments: Adjustments,
}

/// How far the undo has come in the entries of the ledger.
#[derive(Clone, Copy, Debug, Default)]
enum Adjustments {
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
struct Reached {
    /// The last row that it has passed.
    after: Option<Position>,
    /// Whether it has passed all rows.
    ended: bool,
}

impl Table {
    /// Deletes the expenses and settlements of an import that still exist, and reverts their
    /// entries and its adjustments. Removes the guests whom the import has added and who have no part in
    /// anything else: about 40 of them at most, the others stay.
    ///
    /// The import stays `undoing` if the deadline passes, and is `undone` at the end. An import
    /// that is already undone is returned unchanged, and so is one whose run is not `run`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if there was no such run; [`Error::NoImport`]; [`Error::NotYourImport`]; [`Error::NoGroup`] or [`Error::NotMember`];
    /// [`Error::GroupArchived`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`],
    /// after which the import may be partly undone: a repeated request continues.
    pub async fn undo_import(
        &self,
        member_key: MemberKey,
        id: ImportId,
        run: Option<u64>,
        idempotency: &Idempotency<ImportRow>,
    ) -> Result<Outcome<ImportRow>, Error> {
        let mut known = Known::of(&idempotency.request);
        match self.undo_parts(member_key, id, run, idempotency, &mut known).await {
            Err(error) => Err(self.refused(&mut known, error).await),
            undone => undone,
        }
    }

    async fn undo_parts(
        &self,
        member_key: MemberKey,
        id: ImportId,
        run: Option<u64>,
        idempotency: &Idempotency<ImportRow>,
        known: &mut Known,
    ) -> Result<Outcome<ImportRow>, Error> {
        let (group, now) = (member_key.group, known.now());
        let import = self.import_row(member_key, id).await?;
        if let Some(undone) = import.of_earlier(run.unwrap_or(import.run))? {
            return Ok(Outcome::Done(undone));
        }
        let importer = keys::member(group, import.created_by.into());
        let importer = self.db.get::<MemberRow>(importer).await?.map(|row| row.member);
        check_undo(&import, importer.as_ref(), member_key.user)?;
        // After this write, the import adds no more rows.
        let render = |(import, _): &(ImportRow, UndoProgress)| {
            (import.status == ImportStatus::Undone).then(|| (idempotency.render)(import))
        };
        let begin = || self.begin_undo(member_key, &import, now);
        let began = self.write_part(Some(group), known, render, begin).await?;
        let (mut undone, mut progress) = match began {
            Outcome::Done(began) => began,
            Outcome::Replayed(stored) => return Ok(Outcome::Replayed(stored)),
        };
        while undone.status == ImportStatus::Undoing && !is_late() {
            let attempt = || self.undo_batch(member_key, &undone, &progress, now);
            let written = self.write_part(Some(group), known, render, attempt).await;
            match written {
                Ok(Outcome::Done(written)) => (undone, progress) = written,
                Ok(Outcome::Replayed(stored)) => return Ok(Outcome::Replayed(stored)),
                // It has begun, and a repeated request says what is wrong.
                Err(error) if error.is_refusal() => break,
                Err(error) => return Err(error),
            }
        }
        Ok(Outcome::Done(undone))
    }

    async fn begin_undo(
        &self,
        member_key: MemberKey,
        import: &ImportRow,
        now: Timestamp,
    ) -> Result<Decision<(ImportRow, UndoProgress)>, WriteError> {
        let key = keys::import(member_key.group, import.id);
        let (ledger, row) =
            tokio::try_join!(self.ledger(member_key.group), self.db.get::<ImportRow>(key))?;
        let row = row.ok_or(Error::NoImport)?;
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

    /// Deletes expenses and settlements of an import in one transaction, as many as fit, after those
    /// that this request has passed. Once there are no more, it reverts adjustments, in transactions
    /// of their own. At the end, the import becomes `undone`.
    async fn undo_batch(
        &self,
        member_key: MemberKey,
        known: &ImportRow,
        passed: &UndoProgress,
        now: Timestamp,
    ) -> Result<Decision<(ImportRow, UndoProgress)>, WriteError> {
        let group = member_key.group;
        let (from, to) = (known.created_at, known.recorded_until());
        let range = |[first, last]: [String; 2]| {
            let sort = Sort::Between(first, last);
            Range { index: None, partition: keys::group_partition(group), sort, order: Order::Asc }
        };
        let (expenses, settlements) =
            (range(keys::expenses_between(from, to)), range(keys::settlements_between(from, to)));
        let read = || async {
            tokio::try_join!(
                self.db.get::<ImportRow>(keys::import(group, known.id)),
                self.rows_after::<Expense>(&expenses, &passed.expenses),
                self.rows_after::<Settlement>(&settlements, &passed.settlements),
            )
        };
        let (ledger, mut rows) = tokio::try_join!(Box::pin(self.ledger(group)), read())?;
        if ledger.version != passed.version {
            // Another request wrote meanwhile, maybe between these reads: a member may have restored
            // what was deleted. Those after the ledger are of its version if the transaction is
            // committed.
            rows = read().await?;
        }
        let (row, expenses, settlements) = rows;
        let row = row.ok_or(Error::NoImport)?;
        let mut transaction = LedgerTransaction::new(member_key, ledger, now)?;
        // Another request may have undone the import, after which it was imported again.
        let ended = if row.status == ImportStatus::Undoing { None } else { Some(&row) };
        if let Some(undone) = row.of_earlier(known.run)?.or_else(|| ended.cloned()) {
            return Ok(Decision::Done((undone, UndoProgress::default())));
        }
        let of_pages = UndoProgress {
            expenses: Reached::of(&expenses),
            settlements: Reached::of(&settlements),
            ..passed.clone()
        };
        let expenses = expenses.rows.into_iter().map(|(_, it)| it);
        let expenses = expenses.filter(|it| it.import_id == Some(row.id));
        let settlements = settlements.rows.into_iter().map(|(_, it)| it);
        let settlements = settlements.filter(|it| it.import_id == Some(row.id));
        let expenses = expenses.map(|it| Record::Expense(Box::new(it)));
        let settlements = settlements.map(|it| Record::Settlement(Box::new(it)));
        let records: Vec<Record> = expenses.chain(settlements).collect();
        let entries = records.iter().map(|it| keys::entry(group, &it.entry_id())).collect();
        let entries: HashMap<Primary, Entry> = self.db.batch(entries).await?;
        let mut deleted: Vec<Expense> = Vec::new();
        let (mut progress, mut first_left) = (passed.clone(), None);
        for record in records {
            let entry = entries.get(&keys::entry(group, &record.entry_id()));
            // The rows were read at different moments: an entry exists as long as its expense.
            let entry = match record.event()? {
                Some(_) => Some(entry.ok_or(WriteError::Retry)?),
                None => None,
            };
            let (writes, snapshot) = self.deletion(&record).await?;
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
                && settlement.status == settlement::SettlementStatus::Pending
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
        // Adjustments may have as many changes as a transaction takes, so they have their own.
        let is_free = transaction.is_empty() || row.first_adjustment.is_none();
        if progress.expenses.ended && progress.settlements.ended && is_free {
            progress.adjustments =
                self.revert_adjustments(&row, &mut transaction, progress.adjustments).await?;
        }
        let is_last = matches!(progress.adjustments, Adjustments::Ended)
            && (row.members == 0 || transaction.is_empty());
        if is_last && row.members > 0 {
            self.remove_unused(member_key, &row, &mut transaction).await?;
        }
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

    /// Removes guests whom an import has added and who have no part in anything: as many as fit into
    /// the transaction, which is empty. They are present again if the file is imported again.
    async fn remove_unused(
        &self,
        member_key: MemberKey,
        import: &ImportRow,
        transaction: &mut LedgerTransaction,
    ) -> Result<(), WriteError> {
        let (group, members) = self.group_naming(member_key, None).await?;
        self.count_pending(transaction).await?;
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
        let as_read = Condition::present().and(links_as_read(&group)?);
        transaction.add(counted.when(as_read));
        Ok(())
    }

    /// Reverts the next adjustments of an import, as many as fit into the transaction, which is
    /// empty, and returns the place after them.
    ///
    /// The entries of an import are in an index by time. It may lag, so an adjustment may be
    /// reverted that looks as if it still counted.
    async fn revert_adjustments(
        &self,
        import: &ImportRow,
        transaction: &mut LedgerTransaction,
        place: Adjustments,
    ) -> Result<Adjustments, WriteError> {
        let next = match place {
            Adjustments::Unread => import.first_adjustment,
            Adjustments::From(next) => Some(next),
            Adjustments::Ended => None,
        };
        let Some(mut next) = next else { return Ok(Adjustments::Ended) };
        let group = import.group_id;
        let end = transaction.before().sequence;
        let last = next.sequence.saturating_add(EXAMINED_ENTRIES).min(end);
        let position = keys::entry_position(next.created_at, next.sequence);
        let entries = self.entries_with(group, Order::Asc, position, next.sequence..last).await?;
        let is_adjustment = |it: &Entry| {
            let is_of_import = it.import_id == Some(import.id);
            is_of_import && (it.ref_type, it.status) == (RefType::Adjustment, EntryStatus::Applied)
        };
        let current = entries.iter().filter(|it| is_adjustment(it));
        let current: HashSet<Primary> =
            current.map(|it| keys::entry(group, &it.entry_id)).collect();
        let current: HashMap<Primary, Entry> = self.db.batch(current.into_iter().collect()).await?;
        let mut changes = 0_usize;
        for entry in entries {
            if entry.created_at > import.recorded_until() {
                return Ok(Adjustments::Ended);
            }
            let current = current.get(&keys::entry(group, &entry.entry_id));
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
        Ok(if last == end { Adjustments::Ended } else { Adjustments::From(next) })
    }

    /// The writes that delete the rows of an expense or a settlement, and the expense.
    pub(super) async fn deletion(
        &self,
        record: &Record,
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
                    settlement::SettlementStatus::Pending => settlements::unchanged(settlement)?,
                    // The others are final.
                    settlement::SettlementStatus::Completed
                    | settlement::SettlementStatus::Failed => {
                        Condition::equal("id", row::to_value(&settlement.id)?)
                    }
                };
                let key = keys::settlement(group, settlement.created_at);
                let delete = Write::delete(key).when(unchanged);
                let mark = was_pending(settlement)
                    .then(|| Write::delete(keys::imported_settlement(group, settlement.id)));
                let used = self.used_hash(settlement).await?;
                let hash = settlements::release_hash(settlement, used.as_ref())?;
                Ok(([Some(delete), mark, hash].into_iter().flatten().collect(), None))
            }
            Record::Adjustment(_) => Ok((Vec::new(), None)),
        }
    }

    /// The next rows of a range.
    async fn rows_after<T: Row>(
        &self,
        range: &Range,
        passed: &Reached,
    ) -> Result<Placed<T>, Error> {
        if passed.ended {
            return Ok(Placed { rows: Vec::new(), more: false, unreadable: 0 });
        }
        let page = Page { limit: EXAMINED, after: passed.after.clone() };
        self.db.placed(range, &page).await
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
        list.after = Some(Position::of(key.item()));
    }
}

impl Reached {
    /// The end of these rows.
    fn of<T>(page: &Placed<T>) -> Self {
        let after = page.rows.last().map(|(position, _)| position.clone());
        Self { after, ended: !page.more }
    }
}
