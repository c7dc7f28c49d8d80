//! The undo of an import: deletes what it has recorded, as many rows in each transaction as fit.

use std::collections::{HashMap, HashSet};

use fracti_core::{
    decisions::{
        decision::Decision,
        imports::undoing::{
            self, EXAMINED_ENTRIES, Reached, SeenEntries, SeenRows, UndoProgress, Undoing, Undone,
        },
    },
    group::{MemberKey, MemberRow},
    input::Error,
    ledger::{EntryStatus, Ledger, RefType},
    records::{
        entry::Entry,
        expense::Expense,
        import::{EntryPosition, ImportRow, ImportStatus, Record, check_undo},
        settlement::Settlement,
    },
    storage::{
        keys::{self, Primary},
        row::Row,
        write::{MAX_ACTIONS, WriteError},
    },
    values::{id::ImportId, time::Timestamp},
};
use futures_util::future::try_join_all;

use crate::{
    dynamo::{Order, Page, Placed, Position, Range, Sort, is_late},
    table::Table,
    write::idempotency::{Idempotency, Known, Outcome},
};

/// Number of expenses, and of settlements, that are read for one transaction. Deleting one takes
/// four actions or more, and some may not be of the import.
const EXAMINED: usize = MAX_ACTIONS / 2;

impl Table {
    /// Deletes the expenses and settlements of an import that still exist, and reverts their
    /// entries and its adjustments. Removes the guests whom the import has added and who have no
    /// part in anything else: about 40 of them at most, the others stay.
    ///
    /// The import stays `undoing` if the deadline passes, and is `undone` at the end. An import
    /// that is already undone is returned unchanged, and so is one whose run is not `run`.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if there was no such run; [`Error::NoImport`]; [`Error::NotYourImport`];
    /// [`Error::NoGroup`] or [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::Contended`],
    /// [`Error::Unavailable`] or [`Error::Table`], after which the import may be partly undone: a
    /// repeated request continues.
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
        let group = member_key.group;
        let now = known.now();
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
    ) -> Result<Undone, WriteError> {
        let key = keys::import(member_key.group, import.id);
        let (ledger, row) =
            tokio::try_join!(self.ledger(member_key.group), self.db.get::<ImportRow>(key))?;
        undoing::begin(member_key, import, (ledger, row.ok_or(Error::NoImport)?), now)
    }

    /// Deletes expenses and settlements of an import in one transaction, as many as fit, after
    /// those that this request has passed. Once there are no more, it reverts adjustments, in
    /// transactions of their own. At the end, the import becomes `undone`.
    async fn undo_batch(
        &self,
        member_key: MemberKey,
        known: &ImportRow,
        passed: &UndoProgress,
        now: Timestamp,
    ) -> Result<Undone, WriteError> {
        let group = member_key.group;
        let from = known.created_at;
        let to = known.recorded_until();
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
            // Another request wrote meanwhile, maybe between these reads: a member may have
            // restored what was deleted. Those after the ledger are of its version if the
            // transaction is committed.
            rows = read().await?;
        }
        let (row, expenses, settlements) = rows;
        let row = row.ok_or(Error::NoImport)?;
        ledger.state.check_writer(member_key.user)?;
        if let Some(undone) = undoing::ended(&row, known.run)? {
            return Ok(Decision::Done((undone, UndoProgress::default())));
        }
        let seen = self.seen_rows(row, expenses, settlements).await?;
        let id = seen.row.id;
        let mut undoing = Undoing::of(member_key, ledger, seen, passed, now)?;
        if let Some(next) = undoing.reverts() {
            let ledger = undoing.transaction().before();
            let seen = self.seen_entries((member_key, id), ledger, next).await?;
            undoing.revert(seen)?;
        }
        let removes = undoing.removes_guests();
        if removes {
            let (group, members) = self.group_naming(member_key, None).await?;
            self.count_pending(undoing.transaction()).await?;
            undoing.remove_unused(&group, &members)?;
        }
        undoing.finish(removes)
    }

    /// The rows of an import on pages of expenses and settlements, and what is deleted with them.
    async fn seen_rows(
        &self,
        row: ImportRow,
        expenses: Placed<Expense>,
        settlements: Placed<Settlement>,
    ) -> Result<SeenRows, Error> {
        let group = row.group_id;
        let read = [
            reached(&expenses, |it| keys::expense(group, it.created_at)),
            reached(&settlements, |it| keys::settlement(group, it.created_at)),
        ];
        let expenses = expenses.rows.into_iter().map(|(_, it)| it);
        let expenses = expenses.filter(|it| it.import_id == Some(row.id));
        let settlements = settlements.rows.into_iter().map(|(_, it)| it);
        let settlements = settlements.filter(|it| it.import_id == Some(row.id));
        let expenses = expenses.map(|it| Record::Expense(Box::new(it)));
        let settlements = settlements.map(|it| Record::Settlement(Box::new(it)));
        let records: Vec<Record> = expenses.chain(settlements).collect();
        let hashes = records.iter().filter_map(|record| match record {
            Record::Settlement(it) if it.tx_hash.is_some() => Some(async {
                let used = self.used_hash(it).await?;
                Ok::<_, Error>(used.map(|used| (it.id, used)))
            }),
            Record::Expense(_) | Record::Settlement(_) | Record::Adjustment(_) => None,
        });
        let entries = records.iter().map(|it| keys::entry(group, &it.entry_id())).collect();
        let (entries, hashes) =
            tokio::try_join!(self.db.batch::<Entry>(entries), try_join_all(hashes))?;
        let hashes = hashes.into_iter().flatten().collect();
        Ok(SeenRows { row, records, entries, hashes, read })
    }

    /// The entries of the ledger from a place on, and which adjustments of an import are current.
    async fn seen_entries(
        &self,
        (MemberKey { group, .. }, import): (MemberKey, ImportId),
        ledger: &Ledger,
        next: EntryPosition,
    ) -> Result<SeenEntries, Error> {
        let last = next.sequence.saturating_add(EXAMINED_ENTRIES).min(ledger.sequence);
        let position = keys::entry_position(next.created_at, next.sequence);
        let entries = self.entries_with(group, Order::Asc, position, next.sequence..last).await?;
        let is_adjustment = |it: &Entry| {
            let is_of_import = it.import_id == Some(import);
            is_of_import && (it.ref_type, it.status) == (RefType::Adjustment, EntryStatus::Applied)
        };
        let current = entries.iter().filter(|it| is_adjustment(it));
        let current: HashSet<Primary> =
            current.map(|it| keys::entry(group, &it.entry_id)).collect();
        let current: HashMap<Primary, Entry> = self.db.batch(current.into_iter().collect()).await?;
        Ok(SeenEntries { next, entries, current, last })
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
        let page = Page {
            limit: EXAMINED,
            after: passed.after.clone().map(|key| Position::of(key.item())),
        };
        self.db.placed(range, &page).await
    }
}

/// The end of these rows.
fn reached<T>(page: &Placed<T>, key: impl Fn(&T) -> Primary) -> Reached {
    let after = page.rows.last().map(|(_, it)| key(it));
    Reached { after, ended: !page.more }
}
