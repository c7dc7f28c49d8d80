//! Imports: which rows of a file each transaction records, edits or deletes.
//!
//! Each transaction holds the group's lock and writes the row of the import, on condition that it
//! has not changed since it was read. So the beginning of an undo stops an import that is still
//! running in another request. The id of a row is derived from the file, and the row is recorded
//! unless its ledger entry exists already; a pending settlement has a row of its own for this
//! purpose. A repeated request therefore continues where the first one stopped, and two requests at
//! once record each row once.

mod batch;
pub mod replacing;
pub mod undoing;

use std::collections::{BTreeSet, HashMap, HashSet};

use fracti_texts::{Says, message};

use crate::{
    decisions::{
        decision::Decision,
        ledger_transaction::LedgerTransaction,
        members::{attributes, change_member, count_in},
    },
    group::{Group, Member, MemberKey, MemberRow},
    input::Error,
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
        id::{GroupId, MemberId},
        time::Timestamp,
    },
};

use batch::Batch;

/// The row of the import, which is part of each of its transactions.
const IMPORT_ROW: usize = 1;

/// Maximum number of rows of the file that are read for one transaction. Each takes two actions or
/// more.
pub const CANDIDATES: usize = MAX_ACTIONS / 2;

/// Maximum number of guests that one transaction adds. It also writes the group's row.
const GUESTS: usize = LedgerTransaction::ROOM - IMPORT_ROW - 1;

/// The number of guests that were added, the row of the import, whether there may be more, and the
/// version of the ledger after it.
pub type AddedGuests = (u64, ImportRow, bool, u64);

/// The number of rows that are recorded, the import with them, and the version of the ledger after
/// it.
pub type RecordedRows = (usize, Imported, u64);

/// The ledger, and the row of the import, if there is one. They are of one moment if a write that
/// expects them succeeds.
#[derive(Debug)]
pub struct SeenImport {
    /// The ledger.
    pub ledger: Ledger,
    /// The row.
    pub row: Option<ImportRow>,
}

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
    #[must_use]
    pub const fn none(import: ImportRow) -> Self {
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
    #[must_use]
    pub const fn has_begun(&self) -> bool {
        self.expenses > 0
            || self.settlements > 0
            || self.adjustments > 0
            || self.members > 0
            || self.updated > 0
            || self.deleted > 0
    }
}

/// An import in progress.
#[derive(Debug)]
pub struct Run<'a> {
    /// The member whose request it is.
    pub member_key: MemberKey,
    /// The file.
    pub new: &'a NewImport,
    /// The members who take part in it.
    pub members: Vec<Member>,
    /// Time of the request.
    pub now: Timestamp,
    /// The run of the import whose rows the request counts.
    pub number: u64,
    /// Version of the ledger up to which what was decided is known to hold: before what it was
    /// decided from was read, or after the last transaction of the request.
    pub version: u64,
    /// The other imports of the app, with whose rows the file was compared.
    pub others: Vec<ImportRow>,
    /// Rows of the file that are not recorded because the group has them.
    pub left_out: Vec<PlacedRecord<'a>>,
    /// Whether a guest may be missing.
    pub needs_guests: bool,
}

/// A row of the file and its place.
pub type PlacedRecord<'a> = &'a (RowPlace, Record);

/// What a group has already of a file.
#[derive(Debug)]
pub struct Recorded {
    /// The group.
    pub group: GroupId,
    /// Current entries by their keys.
    pub entries: HashMap<Primary, Entry>,
    /// Rows of settlements that were imported as pending, by their keys.
    pub pending: HashMap<Primary, ImportedSettlement>,
}

impl Recorded {
    /// The keys of the entries and of the rows of pending settlements that rows of a file may have.
    #[must_use]
    pub fn keys(group: GroupId, format: Format, lines: &[PlacedRecord<'_>]) -> [Vec<Primary>; 2] {
        let entries = lines.iter().map(|(_, it)| keys::entry(group, &it.entry_id())).collect();
        // A settlement that is completed in this file may have been pending in an earlier one.
        let may_be_pending = format == Format::FractiJson;
        let lines = lines.iter().filter(|_| may_be_pending);
        let pending = lines.filter_map(|(_, record)| pending_key(group, record)).collect();
        [entries, pending]
    }

    /// Whether the group has it.
    #[must_use]
    pub fn has(&self, record: &Record) -> bool {
        self.entries.contains_key(&keys::entry(self.group, &record.entry_id()))
            || pending_key(self.group, record).is_some_and(|key| self.pending.contains_key(&key))
    }
}

/// The refusal of an import of which this member is a part, who is not present any more.
fn has_left(Member { name, .. }: &Member) -> Error {
    let rule = message!(
        "members must be present, but {name} has left the group",
        "все участники должны состоять в группе, но {name} в ней больше не состоит"
    );
    Error::invalid("options.members", rule)
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
    #[must_use]
    pub fn is_current(&self, ledger: &Ledger) -> bool {
        ledger.version == self.version
    }

    /// Whether all members who take part in the import are still present. Guests of an import who
    /// are not can be added again.
    fn are_present(&self, transaction: &LedgerTransaction) -> Result<bool, Error> {
        let members = transaction.ledger().state.of(&self.members);
        match members.iter().find(|member| !member.is_present()) {
            None => Ok(true),
            Some(member) if member.comes_back() => Ok(false),
            Some(member) => Err(has_left(member)),
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

    /// Records the next rows of a file in one transaction: as many of `candidates` as fit. Returns
    /// the number of rows that are recorded then, and the version of the ledger after it; `None` if
    /// what was decided has become wrong. `left` is the number of all rows that are left.
    pub fn record(
        &self,
        SeenImport { ledger, row }: SeenImport,
        recorded: &Recorded,
        (candidates, left): (&[PlacedRecord<'_>], usize),
        done: &Imported,
    ) -> Result<Decision<Option<RecordedRows>>, WriteError> {
        let transaction = LedgerTransaction::new(self.member_key, ledger, self.now)?;
        let import = self.continued(row.as_ref(), transaction.at())?;
        if !self.are_present(&transaction)? {
            return Ok(Decision::Done(None));
        }
        let mut batch = Batch::new(transaction, self.new.id);
        let mut taken = 0_usize;
        let mut there = 0_u64;
        for (place, record) in candidates {
            if recorded.has(record) {
                there = there.saturating_add(1);
            } else if !batch.record(*place, record)? {
                break;
            }
            taken = taken.saturating_add(1);
        }
        let is_last = taken == left;
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

    /// Adds guests whom the import needs, as many as one transaction can. Returns their number, the
    /// row of the import, whether there may be more, and the version of the ledger after it.
    pub fn add_guests(
        &self,
        SeenImport { ledger, row }: SeenImport,
        group_row: &Group,
        members: &[Member],
    ) -> Result<Decision<Option<AddedGuests>>, WriteError> {
        let group = self.member_key.group;
        let known = |guest: &Member| members.iter().find(|it| it.id == guest.id);
        let is_missing = |guest: &&Member| known(guest).is_none_or(Member::comes_back);
        let missing: Vec<_> = self.new.guests.iter().filter(is_missing).collect();
        let mut transaction = LedgerTransaction::new(self.member_key, ledger, self.now)?;
        let import = self.continued(row.as_ref(), transaction.at())?;
        let adding = missing.get(..GUESTS).unwrap_or(&missing);
        if adding.is_empty() {
            let version = transaction.before().version;
            return Ok(Decision::Done(Some((0, import, false, version))));
        }
        let at = transaction.at();
        for guest in adding {
            if Member::is_taken(&guest.name, members, None) {
                return Err(Error::NameTaken.into());
            }
            let import_id = Some(self.new.id);
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
        transaction.add(count_in(group_row, number)?);
        let import = ImportRow {
            status: ImportStatus::Running,
            members: import.members.saturating_add(number),
            updated_at: at,
            ..import
        };
        transaction.add(put_row(&import, row.as_ref())?);
        let version = transaction.version();
        transaction.commit(Some((number, import, adding.len() < missing.len(), version)))
    }
}

/// The rows of a file, compared with what earlier imports of the app have recorded, and the names
/// of those that the group does not have.
#[must_use]
pub fn compare(
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
#[must_use]
pub fn others(imports: Vec<ImportRow>, new: &NewImport) -> Vec<ImportRow> {
    let is_other = |it: &ImportRow| it.id != new.id && it.is_of(new.format, new.source.as_deref());
    imports.into_iter().filter(is_other).collect()
}

/// Checks that the ledger can record these rows of a file.
pub fn check_room(ledger: &Ledger, missing: &[PlacedRecord<'_>]) -> Result<(), Error> {
    let events = missing.iter();
    let events = events.filter_map(|(place, it)| Some((*place, it.event().transpose()?)));
    let (places, events): (Vec<RowPlace>, Vec<_>) = events.unzip();
    ledger.check_events(events).map_err(|(index, error)| match places.get(index) {
        Some(place) => Error::invalid("file", place.before(&error.says())),
        None => Error::Internal("an event of an import has no place"),
    })
}

/// How a request begins.
#[derive(Debug)]
pub enum Begun {
    /// It counts rows of this run.
    Run(u64),
    /// It continues a run that was undone.
    Undone(ImportRow),
}

/// How a request begins that continues `run`, if it names one. `first` is the first run of an
/// import.
pub fn begin(before: Option<ImportRow>, run: Option<u64>, first: u64) -> Result<Begun, Error> {
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

/// Puts the row of an import, on condition that it has not changed since it was read.
pub(super) fn put_row(import: &ImportRow, read: Option<&ImportRow>) -> Result<Write, Error> {
    let unchanged = match read {
        None => Condition::absent(),
        Some(read) => Condition::equal("updatedAt", row::to_value(&read.updated_at)?),
    };
    Ok(Write::put(import)?.when(unchanged))
}

/// The members of what a file has.
#[must_use]
pub fn taking_part(records: &[(RowPlace, Record)]) -> BTreeSet<MemberId> {
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

#[cfg(test)]
mod tests {
    use fracti_texts::Language;

    use super::*;
    use crate::{caller::telegram::User, values::id::UserId};

    #[test]
    fn who_has_left_is_named() {
        let id = UserId::new(4711).unwrap();
        let user = User { id, name: "Боб".to_owned(), username: None, avatar_url: None };
        let member = Member::new(&user, None, Timestamp::default());
        let Error::Invalid(errors) = has_left(&member) else { panic!("not invalid") };
        let [error] = errors.as_slice() else { panic!("{errors:?}") };
        for (language, says) in [
            (Language::English, "members must be present, but Боб has left the group"),
            (
                Language::Russian,
                "все участники должны состоять в группе, но Боб в ней больше не состоит",
            ),
        ] {
            assert_eq!(error.rule.text(language), says);
        }
    }
}
