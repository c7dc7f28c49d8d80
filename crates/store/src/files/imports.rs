//! Imports: recording the rows of a file, as many in each transaction as fit.
//!
//! Each transaction holds the group's lock and writes the row of the import, on condition that it
//! has not changed since it was read. So the beginning of an undo stops an import that is still
//! running in another request. The id of a row is derived from the file, and the row is recorded
//! unless its ledger entry exists already; a pending settlement has a row of its own for this
//! purpose. A repeated request therefore continues where the first one stopped, and two requests at
//! once record each row once.
//!
//! Which rows are recorded, edited and left out is decided before the first transaction, and again
//! whenever a transaction finds that this has become wrong: another file of the app was imported or
//! undone meanwhile, or a row that the first transaction would leave out is gone.

mod batch;
mod earlier;
mod undo;
mod update;

use std::{
    cmp::Reverse,
    collections::{BTreeSet, HashMap, HashSet},
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};

use fracti_core::{
    decisions::{
        decision::Decision,
        ledger_transaction::LedgerTransaction,
        members::{attributes, change_member, count_in},
    },
    group::{Member, MemberKey, MemberRow},
    input::{Error, FieldErrors, PathStep},
    ledger::Ledger,
    records::{
        entry::Entry,
        group_change::{ChangeKind, Subject},
        import::{
            Comparison, Earlier, Format, ImportRow, ImportStatus, ImportedSettlement, NewImport,
            Record, RowPlace, of_no_run,
        },
    },
    storage::{
        condition::Condition,
        keys::{self, Primary},
        row,
        write::{MAX_ACTIONS, Write, WriteError},
    },
    values::{
        entry_id::EntryId,
        id::{GroupId, ImportId, MemberId},
        time::Timestamp,
    },
};
use fracti_texts::{Says, message};

use crate::{
    dynamo::is_late,
    table::Table,
    write::idempotency::{Idempotency, Known, Outcome},
};

use batch::Batch;
use update::{Replacement, replacements};

/// The row of the import, which is part of each of its transactions.
const IMPORT_ROW: usize = 1;

/// Maximum number of rows of the file that are read for one transaction. Each takes two actions or
/// more.
const CANDIDATES: usize = MAX_ACTIONS / 2;

/// Maximum number of guests that one transaction adds. It also writes the group's row.
const GUESTS: usize = LedgerTransaction::ROOM - IMPORT_ROW - 1;

/// An import, and what a request has done for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Imported {
    /// The import. It is `running` if the deadline has passed: a repeated request continues it.
    pub import: ImportRow,
    /// Number of expenses that the request has recorded.
    pub expenses: u64,
    /// Number of settlements that the request has recorded.
    pub settlements: u64,
    /// Number of adjustments that the request has recorded.
    pub adjustments: u64,
    /// Number of guests that the request has added.
    pub members: u64,
    /// Number of expenses, settlements and adjustments that were recorded before.
    pub already_there: u64,
    /// Number of those that the request has edited, because they have changed in the app.
    pub updated: u64,
    /// Number of those that the request has deleted, because they are gone.
    pub deleted: u64,
}

impl Imported {
    /// Nothing of an import.
    const fn none(import: ImportRow) -> Self {
        Self {
            import,
            expenses: 0,
            settlements: 0,
            adjustments: 0,
            members: 0,
            already_there: 0,
            updated: 0,
            deleted: 0,
        }
    }

    /// Whether the request has recorded anything.
    const fn has_begun(&self) -> bool {
        self.expenses > 0
            || self.settlements > 0
            || self.adjustments > 0
            || self.members > 0
            || self.updated > 0
            || self.deleted > 0
    }
}

/// A group before an import.
#[derive(Debug)]
pub struct BeforeImport {
    /// The ledger.
    pub ledger: Ledger,
    /// What the group does not have yet.
    pub missing: Vec<Record>,
    /// The file, compared with what earlier imports of the app have recorded.
    pub compared: Comparison,
}

/// The part of an import that a request is to do.
#[derive(Clone, Copy, Debug, Default)]
pub struct ImportPart {
    /// The run that it continues. By default, it begins an import that is undone again.
    pub run: Option<u64>,
    /// Number of rows after which it stops, and the import stays `running`. By default, it stops at
    /// the deadline.
    pub at_most: Option<usize>,
}

/// An import in progress.
struct Run<'a> {
    member_key: MemberKey,
    new: &'a NewImport,
    /// The members who take part in it.
    members: Vec<Member>,
    now: Timestamp,
    /// The run of the import whose rows the request counts.
    number: u64,
    /// Version of the ledger up to which what was decided is known to hold: before what it was
    /// decided from was read, or after the last transaction of the request.
    version: AtomicU64,
    /// The other imports of the app, with whose rows the file was compared.
    others: Vec<ImportRow>,
    /// Rows of the file that are not recorded because the group has them.
    left_out: Vec<PlacedRecord<'a>>,
    /// Whether a guest may be missing.
    needs_guests: bool,
}

/// What a request does with a file.
struct Decided {
    /// The rows of the file. What the group has under another id has that id.
    new: NewImport,
    replaced: Vec<Replacement>,
    /// Names of what the group does not have.
    missing: HashSet<EntryId>,
    /// Names of what it has.
    there: HashSet<EntryId>,
    /// The other imports of the app, with whose rows the file was compared.
    others: Vec<ImportRow>,
}

/// The end of a part of a request.
enum Ended {
    /// The next part follows.
    Complete,
    /// The request ends, and a repeated one continues.
    Stopped,
    /// What was decided has become wrong.
    Outdated,
}

/// A row of the file and its place.
type PlacedRecord<'a> = &'a (RowPlace, Record);

impl Table {
    /// Records the rows of a file that the group does not have yet, in the order of the file, and
    /// adds the guests that they need. `members` are all members of the group.
    ///
    /// Nothing is recorded if one of the rows cannot be. An import of a run that was undone is
    /// returned as it is, and nothing is recorded.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the ledger cannot take a row, or if there was no such run;
    /// [`Error::ImportDiffers`] if the file differs from what earlier imports of the app have
    /// recorded, and is not confirmed; [`Error::TooMuchHistory`]; [`Error::ImportUndoing`];
    /// [`Error::NotYourImport`] if it updates what another member has imported;
    /// [`Error::NotMember`]; [`Error::GroupArchived`]; [`Error::TooManyMembers`];
    /// [`Error::KeyReused`]; [`Error::Contended`], [`Error::Unavailable`] or [`Error::Table`],
    /// after which rows may be recorded: a repeated request continues.
    pub async fn import(
        &self,
        member_key: MemberKey,
        members: &[Member],
        new: &NewImport,
        part: ImportPart,
        idempotency: &Idempotency<Imported>,
    ) -> Result<Outcome<Imported>, Error> {
        let mut known = Known::of(&idempotency.request);
        let imported = self.import_parts(member_key, members, new, part, idempotency, &mut known);
        match imported.await {
            Err(error) => Err(self.refused(&mut known, error).await),
            imported => imported,
        }
    }

    async fn import_parts(
        &self,
        member_key: MemberKey,
        members: &[Member],
        new: &NewImport,
        part: ImportPart,
        idempotency: &Idempotency<Imported>,
        known: &mut Known,
    ) -> Result<Outcome<Imported>, Error> {
        let (group, now) = (member_key.group, known.now());
        let (ledger, imports, ()) =
            tokio::try_join!(self.ledger(group), self.imports_of(group), self.know(known))?;
        let before = imports.iter().find(|it| it.id == new.id).cloned();
        // A repeated update finds a part of the differences only.
        let is_running = |it: &ImportRow| it.status == ImportStatus::Running;
        let mut is_begun = before.as_ref().is_some_and(is_running) && new.updates();
        if known.is_repeated(None) {
            return known.replay();
        }
        ledger.state.check_writer(member_key.user)?;
        let mut done = Imported::none(new.row(group, member_key.user, now));
        let number = match begin(before, part.run, done.import.run)? {
            Begun::Run(number) => number,
            Begun::Undone(undone) => return Ok(Outcome::Done(Imported::none(undone))),
        };
        let (mut ledger, mut imports, mut at_most) = (ledger, imports, part.at_most);
        let is_there =
            |guest: &Member| members.iter().any(|it| it.id == guest.id && it.is_present());
        let mut needs_guests = !new.guests.iter().all(is_there);
        loop {
            let decided = self.decided(member_key, members, new, &ledger, imports, is_begun);
            let Decided { new, replaced, missing, there, others } = decided.await?;
            let (left_out, missing): (Vec<PlacedRecord<'_>>, Vec<PlacedRecord<'_>>) =
                new.records.iter().partition(|(_, it)| !missing.contains(&it.entry_id()));
            check_room(&ledger, &missing)?;
            let named = members.iter().chain(&new.guests);
            let taking_part = taking_part(&new.records);
            let own = [done.expenses, done.settlements, done.adjustments];
            let own = own.into_iter().fold(0, u64::saturating_add);
            done.already_there = count(left_out.len()).saturating_sub(own);
            let run = Run {
                member_key,
                new: &new,
                members: named.filter(|it| taking_part.contains(&it.id)).cloned().collect(),
                now,
                number,
                version: ledger.version.into(),
                others,
                left_out: left_out
                    .into_iter()
                    .filter(|(_, it)| there.contains(&it.entry_id()))
                    .collect(),
                needs_guests,
            };
            let carried_out =
                self.carry_out(&run, &replaced, &missing, done, &mut at_most, idempotency, known);
            done = match carried_out.await? {
                Outcome::Done((Ended::Outdated, progress)) => progress,
                Outcome::Done((Ended::Complete | Ended::Stopped, progress)) => {
                    return Ok(Outcome::Done(progress));
                }
                Outcome::Replayed(stored) => return Ok(Outcome::Replayed(stored)),
            };
            if is_late() {
                return if done.has_begun() {
                    Ok(Outcome::Done(done))
                } else {
                    Err(Error::Contended)
                };
            }
            is_begun |= done.has_begun() && new.updates();
            needs_guests = true;
            (ledger, imports) = tokio::try_join!(self.ledger(group), self.imports_of(group))?;
        }
    }

    /// What is to be done with a file, given the ledger and the imports of the group. The rest is
    /// read after them, because what an earlier run recorded may be deleted before.
    async fn decided(
        &self,
        member_key: MemberKey,
        members: &[Member],
        new: &NewImport,
        ledger: &Ledger,
        mut imports: Vec<ImportRow>,
        is_begun: bool,
    ) -> Result<Decided, Error> {
        let group = member_key.group;
        let all: Vec<PlacedRecord<'_>> = new.records.iter().collect();
        let (earlier, recorded) = loop {
            let (earlier, recorded, now) = tokio::try_join!(
                self.earlier(group, new.format, new.source.as_deref(), &imports),
                self.recorded(group, new.format, &all),
                self.imports_of(group),
            )?;
            // They may have been read before the ledger, and another import come between.
            if now == imports || is_late() {
                break (earlier, recorded);
            }
            imports = now;
        };
        let records = new.records.clone();
        let (compared, missing) = compare(new.format, records, earlier, ledger, &recorded);
        if !is_begun {
            compared.check(group, new.confirmed.as_ref())?;
        }
        let replaced = replacements(new, &compared, &imports, members, member_key)?;
        let has_other_ids = compared.records.iter().zip(&new.records).any(|(one, it)| one != it);
        let records: Vec<PlacedRecord<'_>> = compared.records.iter().collect();
        let recorded = if has_other_ids {
            self.recorded(group, new.format, &records).await?
        } else {
            recorded
        };
        let there = records.iter().filter(|(_, it)| recorded.has(it));
        let there = there.map(|(_, it)| it.entry_id()).collect();
        let others = others(imports, new);
        let new = NewImport { records: compared.records, ..new.clone() };
        Ok(Decided { new, replaced, missing, there, others })
    }

    /// Adds the guests of an import, and records and replaces its rows, until the deadline, until as
    /// many rows as `at_most` are handled, or until what was decided has become wrong.
    #[expect(clippy::too_many_arguments, reason = "it is one part of an import's request")]
    async fn carry_out(
        &self,
        run: &Run<'_>,
        replaced: &[Replacement],
        missing: &[PlacedRecord<'_>],
        mut done: Imported,
        at_most: &mut Option<usize>,
        idempotency: &Idempotency<Imported>,
        known: &mut Known,
    ) -> Result<Outcome<(Ended, Imported)>, Error> {
        let group = run.member_key.group;
        loop {
            match self.add_guests(run, &mut done, known).await? {
                Some(true) => {}
                Some(false) => break,
                None => return Ok(Outcome::Done((Ended::Outdated, done))),
            }
        }
        match self.replace_all(run, replaced, done, known).await? {
            Outcome::Done((Ended::Complete, progress)) => done = progress,
            ended => return Ok(ended),
        }
        let (mut left, mut at_once) = (missing, CANDIDATES);
        loop {
            let attempt = || self.record_batch(run, left, at_once, &done);
            let render = |batch: &Option<(usize, Imported, u64)>| {
                let last = batch.as_ref().filter(|(taken, ..)| *taken == left.len());
                last.map(|(_, done, _)| (idempotency.render)(done))
            };
            let written = self.write_part(Some(group), known, render, attempt).await;
            let (taken, progress, version) = match written {
                // A row of the group would be too large. Which line is to blame shows when the
                // lines are recorded one at a time.
                Err(Error::Invalid(rules)) if !is_of_request(&rules) => {
                    if std::mem::replace(&mut at_once, 1) > 1 {
                        continue;
                    }
                    let rules = rules.says();
                    let rules = left.first().map_or(rules.clone(), |(it, _)| it.before(&rules));
                    return Err(Error::invalid("file", rules));
                }
                // What is recorded already is reported, and a repeated request says what is wrong.
                Err(error) if error.is_refusal() && done.has_begun() => {
                    return Ok(Outcome::Done((Ended::Stopped, done)));
                }
                Err(error) => return Err(error),
                Ok(Outcome::Replayed(stored)) => return Ok(Outcome::Replayed(stored)),
                Ok(Outcome::Done(Some(written))) => written,
                Ok(Outcome::Done(None)) => return Ok(Outcome::Done((Ended::Outdated, done))),
            };
            run.version.store(version, Relaxed);
            left = left.get(taken..).unwrap_or_default();
            done = progress;
            *at_most = at_most.map(|most| most.saturating_sub(taken));
            if left.is_empty() {
                return Ok(Outcome::Done((Ended::Complete, done)));
            }
            if is_late() || *at_most == Some(0) {
                return Ok(Outcome::Done((Ended::Stopped, done)));
            }
        }
    }

    /// Whether what was decided still holds when a transaction on this ledger is committed. Only the
    /// first transaction of a request leaves rows out.
    async fn holds(&self, run: &Run<'_>, ledger: &Ledger, has_begun: bool) -> Result<bool, Error> {
        if run.is_current(ledger) {
            return Ok(true);
        }
        let group = run.member_key.group;
        if others(self.imports_of(group).await?, run.new) != run.others {
            return Ok(false);
        }
        if has_begun || run.left_out.is_empty() {
            return Ok(true);
        }
        let recorded = self.recorded(group, run.new.format, &run.left_out).await?;
        Ok(run.left_out.iter().all(|(_, it)| recorded.has(it)))
    }

    /// Those of the ids of expenses and settlements that the ledger of the group has.
    pub async fn known_ids(
        &self,
        group: GroupId,
        ids: HashSet<EntryId>,
    ) -> Result<HashSet<EntryId>, Error> {
        let keys = ids.iter().map(|id| keys::entry(group, id)).collect();
        let entries = self.db.batch::<Entry>(keys).await?;
        Ok(ids.into_iter().filter(|id| entries.contains_key(&keys::entry(group, id))).collect())
    }

    /// What the rows of a file change in a group, and its ledger. `source` says which group of the
    /// app the file is of.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`].
    pub async fn before_import(
        &self,
        group: GroupId,
        format: Format,
        source: Option<&str>,
        records: Vec<(RowPlace, Record)>,
    ) -> Result<BeforeImport, Error> {
        let all: Vec<PlacedRecord<'_>> = records.iter().collect();
        let (ledger, imports, recorded) = tokio::try_join!(
            self.ledger(group),
            self.imports_of(group),
            self.recorded(group, format, &all),
        )?;
        let earlier = self.earlier(group, format, source, &imports).await?;
        let (compared, missing) = compare(format, records, earlier, &ledger, &recorded);
        let records = compared.records.iter().map(|(_, it)| it);
        let missing = records.filter(|it| missing.contains(&it.entry_id())).cloned().collect();
        Ok(BeforeImport { ledger, missing, compared })
    }

    /// An import of a group.
    ///
    /// # Errors
    ///
    /// [`Error::NoImport`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn import_row(
        &self,
        member_key: MemberKey,
        id: ImportId,
    ) -> Result<ImportRow, Error> {
        let read = self.db.get(keys::import(member_key.group, id));
        self.checked(member_key, read).await?.ok_or(Error::NoImport)
    }

    /// All imports of a group, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::TooMuchHistory`]; [`Error::NoGroup`] or [`Error::NotMember`].
    pub async fn imports(&self, member_key: MemberKey) -> Result<Vec<ImportRow>, Error> {
        let mut imports = self.checked(member_key, self.imports_of(member_key.group)).await?;
        imports.sort_by_key(|import| Reverse((import.created_at, import.id)));
        Ok(imports)
    }

    /// Records the next rows of a file in one transaction, as many as fit but at most `at_once`, and
    /// returns the number of rows that are recorded then; `None` if what was decided has become
    /// wrong.
    async fn record_batch(
        &self,
        run: &Run<'_>,
        left: &[PlacedRecord<'_>],
        at_once: usize,
        done: &Imported,
    ) -> Result<Decision<Option<(usize, Imported, u64)>>, WriteError> {
        let group = run.member_key.group;
        let candidates = left.get(..at_once).unwrap_or(left);
        let read = || async {
            tokio::try_join!(
                self.db.get::<ImportRow>(keys::import(group, run.new.id)),
                self.recorded(group, run.new.format, candidates),
            )
        };
        let (ledger, mut rows) = tokio::try_join!(Box::pin(self.ledger(group)), read())?;
        if !run.is_current(&ledger) {
            // Another request wrote meanwhile, maybe between these reads. Those after the ledger
            // are of its version if the transaction is committed.
            if !self.holds(run, &ledger, done.has_begun()).await? {
                return Ok(Decision::Done(None));
            }
            rows = read().await?;
        }
        let (row, recorded) = rows;
        let transaction = LedgerTransaction::new(run.member_key, ledger, run.now)?;
        let import = run.continued(row.as_ref(), transaction.at())?;
        if !run.are_present(&transaction)? {
            return Ok(Decision::Done(None));
        }
        let mut batch = Batch::new(transaction, run.new.id);
        let (mut taken, mut there) = (0_usize, 0_u64);
        for (place, record) in candidates {
            if recorded.has(record) {
                there = there.saturating_add(1);
            } else if !batch.record(*place, record)? {
                break;
            }
            taken = taken.saturating_add(1);
        }
        let is_last = taken == left.len();
        let was_done = row.as_ref().is_some_and(|row| row.status == ImportStatus::Done);
        let batch = batch.with_tallies()?;
        let Batch { mut transaction, expenses, settlements, adjustments, .. } = batch;
        let done = Imported {
            expenses: done.expenses.saturating_add(expenses),
            settlements: done.settlements.saturating_add(settlements),
            adjustments: done.adjustments.saturating_add(adjustments),
            already_there: done.already_there.saturating_add(there),
            import: ImportRow {
                status: if is_last { ImportStatus::Done } else { ImportStatus::Running },
                expenses: import.expenses.saturating_add(expenses),
                settlements: import.settlements.saturating_add(settlements),
                adjustments: import.adjustments.saturating_add(adjustments),
                first_adjustment: import.first_adjustment.or(batch.first_adjustment),
                updated_at: transaction.at(),
                ..import
            },
            ..*done
        };
        let version = if transaction.is_empty() && (was_done || !is_last) {
            transaction.before().version
        } else {
            transaction.version()
        };
        if transaction.is_empty() && is_last && was_done {
            let done = Imported { import: row.unwrap_or(done.import), ..done };
            return Ok(Decision::Done(Some((taken, done, version))));
        }
        if transaction.is_empty() && !is_last {
            return Ok(Decision::Done(Some((taken, done, version))));
        }
        transaction.add(put_row(&done.import, row.as_ref())?);
        if is_last {
            transaction.tell(Subject::import(ChangeKind::ImportDone, &done.import));
        }
        transaction.commit(Some((taken, done, version)))
    }

    /// Adds guests whom the import needs, as many as one transaction can. Returns whether there may
    /// be more; `None` if what was decided has become wrong.
    async fn add_guests(
        &self,
        run: &Run<'_>,
        done: &mut Imported,
        known: &mut Known,
    ) -> Result<Option<bool>, Error> {
        if run.new.guests.is_empty() || !run.needs_guests {
            return Ok(Some(false));
        }
        let (group, has_begun) = (run.member_key.group, done.has_begun());
        let attempt = async || {
            let (ledger, group_row, members) = self.members_after_ledger(run.member_key).await?;
            if !self.holds(run, &ledger, has_begun).await? {
                return Ok(Decision::Done(None));
            }
            let row = self.db.get::<ImportRow>(keys::import(group, run.new.id)).await?;
            let known = |guest: &Member| members.iter().find(|it| it.id == guest.id);
            let is_missing = |guest: &&Member| known(guest).is_none_or(Member::comes_back);
            let missing: Vec<_> = run.new.guests.iter().filter(is_missing).collect();
            let mut transaction = LedgerTransaction::new(run.member_key, ledger, run.now)?;
            let import = run.continued(row.as_ref(), transaction.at())?;
            let adding = missing.get(..GUESTS).unwrap_or(&missing);
            if adding.is_empty() {
                let version = transaction.before().version;
                return Ok(Decision::Done(Some((0, import, false, version))));
            }
            let at = transaction.at();
            for guest in adding {
                if Member::is_taken(&guest.name, &members, None) {
                    return Err(Error::NameTaken.into());
                }
                let import_id = Some(run.new.id);
                let Some(past) = known(guest) else {
                    let member = Member { joined_at: at, import_id, ..(*guest).clone() };
                    transaction.add(Write::put_new(&MemberRow { group_id: group, member })?);
                    continue;
                };
                let present = past.clone().present();
                transaction.state().change(&present, at)?;
                let import = ("importId", import_id.as_ref().map(row::to_value).transpose()?);
                let changed = attributes(past, &present)?.into_iter().chain([import]);
                transaction.add(change_member(group, past, changed)?);
            }
            let number = count(adding.len());
            transaction.add(count_in(&group_row, number)?);
            let import = ImportRow {
                status: ImportStatus::Running,
                members: import.members.saturating_add(number),
                updated_at: at,
                ..import
            };
            transaction.add(put_row(&import, row.as_ref())?);
            let version = transaction.version();
            transaction.commit(Some((number, import, adding.len() < missing.len(), version)))
        };
        let written = self.write_part(Some(group), known, |_| None, attempt).await?;
        // The same request was carried out meanwhile, and the next transaction finds its result.
        let Outcome::Done(written) = written else { return Ok(Some(false)) };
        let Some((added, import, more, version)) = written else { return Ok(None) };
        run.version.store(version, Relaxed);
        done.members = done.members.saturating_add(added);
        done.import = import;
        Ok(Some(more))
    }

    /// The rows of a file that are recorded already.
    async fn recorded(
        &self,
        group: GroupId,
        format: Format,
        lines: &[PlacedRecord<'_>],
    ) -> Result<Recorded, Error> {
        let entries = lines.iter().map(|(_, it)| keys::entry(group, &it.entry_id())).collect();
        // A settlement that is completed in this file may have been pending in an earlier one.
        let may_be_pending = format == Format::FractiJson;
        let lines = lines.iter().filter(|_| may_be_pending);
        let pending = lines.filter_map(|(_, record)| pending_key(group, record)).collect();
        let (entries, pending) = tokio::try_join!(self.db.batch(entries), self.db.batch(pending))?;
        Ok(Recorded { group, entries, pending })
    }
}

/// What a group has already of a file.
struct Recorded {
    group: GroupId,
    /// Current entries by their keys.
    entries: HashMap<Primary, Entry>,
    /// Rows of settlements that were imported as pending, by their keys.
    pending: HashMap<Primary, ImportedSettlement>,
}

impl Recorded {
    fn has(&self, record: &Record) -> bool {
        self.entries.contains_key(&keys::entry(self.group, &record.entry_id()))
            || pending_key(self.group, record).is_some_and(|key| self.pending.contains_key(&key))
    }
}

/// Key of the row that a settlement has if it was imported as pending.
fn pending_key(group: GroupId, record: &Record) -> Option<Primary> {
    match record {
        Record::Settlement(settlement) => Some(keys::imported_settlement(group, settlement.id)),
        Record::Expense(_) | Record::Adjustment(_) => None,
    }
}

impl Run<'_> {
    /// Whether the group is unchanged since what was decided is known to hold.
    fn is_current(&self, ledger: &Ledger) -> bool {
        ledger.version == self.version.load(Relaxed)
    }

    /// Whether all members who take part in the import are still present. Guests of an import who are
    /// not can be added again.
    fn are_present(&self, transaction: &LedgerTransaction) -> Result<bool, Error> {
        let members = transaction.ledger().state.of(&self.members);
        match members.iter().find(|member| !member.is_present()) {
            None => Ok(true),
            Some(member) if member.comes_back() => Ok(false),
            Some(Member { id, .. }) => {
                let rule = message!(
                    "members must be present, but {id} has left the group",
                    "все участники должны состоять в группе, а {id} её покинул"
                );
                Err(Error::invalid("options.members", rule))
            }
        }
    }

    /// The row of the import for the next transaction.
    fn continued(&self, row: Option<&ImportRow>, at: Timestamp) -> Result<ImportRow, Error> {
        let MemberKey { group, user } = self.member_key;
        let Some(row) = row else { return Ok(self.new.row(group, user, at)) };
        match row.status {
            ImportStatus::Running | ImportStatus::Done if row.run == self.number => Ok(row.clone()),
            // Expenses from before the undo may have been restored, so the period must still
            // include them.
            ImportStatus::Undone if row.run < self.number => Ok(ImportRow {
                created_at: row.created_at,
                run: self.number,
                ..self.new.row(group, user, at)
            }),
            // Another request has undone the import since.
            ImportStatus::Running
            | ImportStatus::Done
            | ImportStatus::Undone
            | ImportStatus::Undoing => Err(Error::ImportUndoing),
        }
    }
}

/// The rows of a file, compared with what earlier imports of the app have recorded, and the names of
/// those that the group does not have.
fn compare(
    format: Format,
    records: Vec<(RowPlace, Record)>,
    earlier: Vec<Earlier>,
    ledger: &Ledger,
    recorded: &Recorded,
) -> (Comparison, HashSet<EntryId>) {
    let is_recorded = |record: &Record| recorded.has(record);
    let compared = Comparison::of(format, records, earlier, &ledger.links, is_recorded);
    let unrecorded = compared.records.iter().filter(|(_, it)| !recorded.has(it));
    let names = unrecorded.map(|(_, it)| it.entry_id());
    let missing = names.filter(|it| !compared.found.contains(it)).collect();
    (compared, missing)
}

/// The other imports of a group by the app of the file, with whose rows it is compared.
fn others(imports: Vec<ImportRow>, new: &NewImport) -> Vec<ImportRow> {
    let is_other = |it: &ImportRow| it.id != new.id && it.is_of(new.format, new.source.as_deref());
    imports.into_iter().filter(is_other).collect()
}

/// Checks that the ledger can record these rows of a file.
fn check_room(ledger: &Ledger, missing: &[PlacedRecord<'_>]) -> Result<(), Error> {
    let events = missing.iter();
    let events = events.filter_map(|(place, it)| Some((*place, it.event().transpose()?)));
    let (places, events): (Vec<RowPlace>, Vec<_>) = events.unzip();
    ledger.check_events(events).map_err(|(index, error)| match places.get(index) {
        Some(place) => Error::invalid("file", place.before(&error.says())),
        None => Error::Internal("an event of an import has no place"),
    })
}

/// How a request begins.
enum Begun {
    /// It counts rows of this run.
    Run(u64),
    /// It continues a run that was undone.
    Undone(ImportRow),
}

/// How a request begins that continues `run`, if it names one. `first` is the first run of an
/// import.
fn begin(before: Option<ImportRow>, run: Option<u64>, first: u64) -> Result<Begun, Error> {
    let Some(row) = before else {
        return if run.is_none() {
            Ok(Begun::Run(first))
        } else {
            Err(Error::invalid("run", of_no_run()))
        };
    };
    if let Some(undone) = run.map(|run| row.of_earlier(run)).transpose()?.flatten() {
        return Ok(Begun::Undone(undone));
    }
    match row.status {
        ImportStatus::Undone if run.is_some() => Ok(Begun::Undone(row)),
        ImportStatus::Running | ImportStatus::Done => Ok(Begun::Run(row.run)),
        ImportStatus::Undone => Ok(Begun::Run(row.run.saturating_add(1))),
        ImportStatus::Undoing => Err(Error::ImportUndoing),
    }
}

/// Whether the rules are about the file or its options, which are fields of the request.
fn is_of_request(rules: &FieldErrors) -> bool {
    let is_field = |step: &PathStep| match step {
        PathStep::Field(name) => name == "file" || name.starts_with("options"),
        PathStep::Index(_) | PathStep::Key(_) => false,
    };
    rules.as_slice().iter().all(|error| error.path.steps().first().is_some_and(is_field))
}

/// Puts the row of an import, on condition that it has not changed since it was read.
fn put_row(import: &ImportRow, read: Option<&ImportRow>) -> Result<Write, Error> {
    let unchanged = match read {
        None => Condition::absent(),
        Some(read) => Condition::equal("updatedAt", row::to_value(&read.updated_at)?),
    };
    Ok(Write::put(import)?.when(unchanged))
}

/// The members of what a file has.
fn taking_part(records: &[(RowPlace, Record)]) -> BTreeSet<MemberId> {
    let of_record = |(_, record): &(RowPlace, Record)| match record {
        Record::Expense(expense) => {
            let sharers = expense.splits.iter().map(|share| share.user_id);
            expense.payer_ids().chain(sharers).collect::<Vec<_>>()
        }
        Record::Settlement(settlement) => settlement.parties().into(),
        Record::Adjustment(event) => event.changes.iter().map(|change| change.user).collect(),
    };
    records.iter().flat_map(of_record).collect()
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}
