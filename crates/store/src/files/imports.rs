//! Imports: recording the rows of a file, as many in each transaction as fit.
//!
//! Which rows are recorded, edited and left out is decided before the first transaction, and again
//! whenever a transaction finds that this has become wrong: another file of the app was imported or
//! undone meanwhile, or a row that the first transaction would leave out is gone.

mod earlier;
mod undo;
mod update;

use std::{cmp::Reverse, collections::HashSet};

use fracti_core::{
    decisions::{
        decision::Decision,
        imports::{
            Begun, CANDIDATES, Imported, PlacedRecord, Recorded, RecordedRows, Run, SeenImport,
            begin, check_room, compare, others,
            replacing::{Replacement, replacements},
            taking_part,
        },
    },
    group::{Member, MemberKey},
    input::{Error, FieldErrors, PathStep},
    ledger::Ledger,
    records::{
        entry::Entry,
        import::{Comparison, Format, ImportRow, ImportStatus, NewImport, Record, RowPlace},
    },
    storage::{keys, write::WriteError},
    values::{
        entry_id::EntryId,
        id::{GroupId, ImportId},
    },
};
use fracti_texts::Says;

use crate::{
    dynamo::is_late,
    table::Table,
    write::idempotency::{Idempotency, Known, Outcome},
};

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
        let group = member_key.group;
        let now = known.now();
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
        let mut ledger = ledger;
        let mut imports = imports;
        let mut at_most = part.at_most;
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
            done.already_there =
                u64::try_from(left_out.len()).unwrap_or(u64::MAX).saturating_sub(own);
            let mut run = Run {
                member_key,
                new: &new,
                members: named.filter(|it| taking_part.contains(&it.id)).cloned().collect(),
                now,
                number,
                version: ledger.version,
                others,
                left_out: left_out
                    .into_iter()
                    .filter(|(_, it)| there.contains(&it.entry_id()))
                    .collect(),
                needs_guests,
            };
            let carried_out = self.carry_out(
                &mut run,
                &replaced,
                &missing,
                done,
                &mut at_most,
                idempotency,
                known,
            );
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

    /// Adds the guests of an import, and records and replaces its rows, until the deadline, until
    /// as many rows as `at_most` are handled, or until what was decided has become wrong.
    #[expect(clippy::too_many_arguments, reason = "it is one part of an import's request")]
    async fn carry_out(
        &self,
        run: &mut Run<'_>,
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
        let mut left = missing;
        let mut at_once = CANDIDATES;
        loop {
            let current = &*run;
            let attempt = || self.record_batch(current, left, at_once, &done);
            let render = |batch: &Option<RecordedRows>| {
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
            run.version = version;
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

    /// Whether what was decided still holds when a transaction on this ledger is committed. Only
    /// the first transaction of a request leaves rows out.
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

    /// Records the next rows of a file in one transaction, as many as fit but at most `at_once`,
    /// and returns the number of rows that are recorded then; `None` if what was decided has become
    /// wrong.
    async fn record_batch(
        &self,
        run: &Run<'_>,
        left: &[PlacedRecord<'_>],
        at_once: usize,
        done: &Imported,
    ) -> Result<Decision<Option<RecordedRows>>, WriteError> {
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
        run.record(SeenImport { ledger, row }, &recorded, (candidates, left.len()), done)
    }

    /// Adds guests whom the import needs, as many as one transaction can. Returns whether there may
    /// be more; `None` if what was decided has become wrong.
    async fn add_guests(
        &self,
        run: &mut Run<'_>,
        done: &mut Imported,
        known: &mut Known,
    ) -> Result<Option<bool>, Error> {
        if run.new.guests.is_empty() || !run.needs_guests {
            return Ok(Some(false));
        }
        let group = run.member_key.group;
        let has_begun = done.has_begun();
        let current = &*run;
        let attempt = async || {
            let run = current;
            let (ledger, group_row, members) = self.members_after_ledger(run.member_key).await?;
            if !self.holds(run, &ledger, has_begun).await? {
                return Ok(Decision::Done(None));
            }
            let row = self.db.get::<ImportRow>(keys::import(group, run.new.id)).await?;
            run.add_guests(SeenImport { ledger, row }, &group_row, &members)
        };
        let written = self.write_part(Some(group), known, |_| None, attempt).await?;
        // The same request was carried out meanwhile, and the next transaction finds its result.
        let Outcome::Done(written) = written else { return Ok(Some(false)) };
        let Some((added, import, more, version)) = written else { return Ok(None) };
        run.version = version;
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
        let [entries, pending] = Recorded::keys(group, format, lines);
        let (entries, pending) = tokio::try_join!(self.db.batch(entries), self.db.batch(pending))?;
        Ok(Recorded { group, entries, pending })
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
