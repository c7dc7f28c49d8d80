//! `import`: records an export file of another app in a group.

use std::{collections::BTreeMap, fs, io::Write, path::PathBuf};

use clap::Args;
use fracti_core::decisions::imports::Imported;
use fracti_core::{
    group::{Member, MemberKey},
    records::import::{Confirmed, ImportStatus, NewImport, Record},
    values::{
        id::{GroupId, UserId},
        time::Timestamp,
    },
};
use fracti_files::recall;
use fracti_formats::{Destination, Target};
use fracti_store::{BeforeImport, Idempotency, ImportPart, Outcome as Stored};

use crate::{Admin, Export, Failure, Outcome, count_of, progress};

/// Rows that are recorded between two checks of the pace.
const ROWS_AT_ONCE: usize = 500;

/// The group into which a file is imported, and in whose name.
#[derive(Debug, Args)]
pub struct ImportInto {
    /// The group.
    #[arg(long, value_name = "ID")]
    group: GroupId,
    /// Telegram id of the member of the group in whose name the file is imported.
    #[arg(long = "as", value_name = "USER")]
    user: UserId,
    /// JSON file with the id of a member, or "new guest", for each name in the file.
    #[arg(long, value_name = "FILE")]
    members: Option<PathBuf>,
    /// Confirmation that the dry run prints if rows of earlier imports have changed or are gone.
    #[arg(long, value_name = "TEXT")]
    confirm: Option<String>,
    /// Edits rows that have changed, and deletes those that are gone. By default, they stay.
    #[arg(long, requires = "confirm")]
    update: bool,
}

impl ImportInto {
    fn confirmed(&self) -> Option<Confirmed> {
        self.confirm.clone().map(|text| Confirmed { text, updates: self.update })
    }
}

impl Admin {
    /// Imports a file of up to 64 MiB, like a member of the group over the API. The outcome is bad
    /// if the file cannot be imported. `dry_run` only checks it.
    ///
    /// # Errors
    ///
    /// [`Failure`] if a file cannot be read, the table cannot be read or written, or the report
    /// cannot be written.
    pub async fn import(
        &mut self,
        export: &Export,
        into: &ImportInto,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let now = self.clock.now();
        let mut import = export.read(now.day())?;
        let targets = into.targets()?;
        let member_key = MemberKey { group: into.group, user: into.user };
        let (group, members) = self.pace.patient(|| self.table.group(member_key)).await?;
        let mut waiting = self.pace.waiting();
        while let Err(error) = self.pace.step(recall(&self.table, group.id, &mut import)).await {
            if !waiting.passes(&error).await {
                return Err(Failure::Group(group.id, error));
            }
        }
        let to = Destination { group: &group, members: &members, user: into.user, now };
        let new = match import.recorded_in(&to, &targets) {
            Ok(new) => new.confirmed(group.id, into.confirmed()),
            Err(fracti_core::input::Error::Invalid(errors)) => {
                for error in errors.into_sorted() {
                    // The options are those of a request.
                    let rule = error.message().to_string();
                    writeln!(out, "{}", rule.strip_prefix("options.").unwrap_or(&rule))?;
                }
                return Ok(Outcome::Bad);
            }
            Err(error) => return Err(error.into()),
        };
        if dry_run {
            let mut expenses = 0_u64;
            let mut settlements = 0_u64;
            let mut adjustments = 0_u64;
            let NewImport { format, source, records, guests, .. } = new;
            let rows = records.len();
            let read = || {
                let records = records.clone();
                self.table.before_import(group.id, format, source.as_deref(), records)
            };
            let BeforeImport { missing, compared, .. } = self.pace.patient(read).await?;
            let there = rows.saturating_sub(missing.len());
            for record in &missing {
                let number = match record {
                    Record::Expense(_) => &mut expenses,
                    Record::Settlement(_) => &mut settlements,
                    Record::Adjustment(_) => &mut adjustments,
                };
                *number = number.saturating_add(1);
            }
            let is_new = |guest: &&Member| !members.iter().any(|it| it.id == guest.id);
            let guests = guests.iter().filter(is_new).count();
            let guests = u64::try_from(guests).unwrap_or(u64::MAX);
            let recorded = listed(expenses, settlements, adjustments, guests);
            writeln!(out, "{recorded} would be recorded; already there: {there}")?;
            let Some(confirm) = compared.confirmation(group.id) else {
                return Ok(Outcome::Good);
            };
            let changed = compared.changed();
            let gone = compared.gone.len();
            writeln!(
                out,
                "{changed} rows have changed since an earlier import, and {gone} rows of earlier \
                 imports are gone; they stay as they are with --confirm {confirm}, and are edited \
                 and deleted with --update, too"
            )?;
            return Ok(Outcome::Good);
        }
        let done = match Box::pin(self.record(member_key, &new, now)).await {
            Err(Failure::Table(error @ fracti_core::input::Error::ImportDiffers { .. })) => {
                writeln!(out, "{error}: run it with --dry-run and then with --confirm")?;
                return Ok(Outcome::Bad);
            }
            done => done?,
        };
        let Imported { expenses, settlements, adjustments, members, already_there, .. } = done;
        let Imported { updated, deleted, import, .. } = done;
        let recorded = listed(expenses, settlements, adjustments, members);
        writeln!(out, "import {} recorded {recorded}; already there: {already_there}", import.id)?;
        if updated > 0 || deleted > 0 {
            writeln!(out, "edited: {updated}; deleted: {deleted}")?;
        }
        if import.status == ImportStatus::Done {
            return Ok(Outcome::Good);
        }
        writeln!(out, "a member has undone the import meanwhile")?;
        Ok(Outcome::Bad)
    }

    async fn record(
        &mut self,
        member_key: MemberKey,
        new: &NewImport,
        now: Timestamp,
    ) -> Result<Imported, Failure> {
        let bar = progress(new.records.len(), "rows");
        let mut all: Option<Imported> = None;
        loop {
            // Members may leave during a long import.
            let (_, members) = self.pace.patient(|| self.table.group(member_key)).await?;
            let run = all.as_ref().map(|all| all.import.run);
            // A part that is repeated records what is left of it.
            let part = || async {
                let once = Idempotency::own_work("import-file", now);
                let part = ImportPart { run, at_most: Some(ROWS_AT_ONCE) };
                self.table.import(member_key, &members, new, part, &once).await
            };
            let Stored::Done(part) = self.pace.patient(|| Box::pin(part())).await? else {
                return Err(Failure::Table(fracti_core::input::Error::KeyReused));
            };
            let sum = match all.take() {
                None => part,
                Some(before) => Imported {
                    expenses: before.expenses.saturating_add(part.expenses),
                    settlements: before.settlements.saturating_add(part.settlements),
                    adjustments: before.adjustments.saturating_add(part.adjustments),
                    members: before.members.saturating_add(part.members),
                    already_there: before.already_there,
                    updated: before.updated.saturating_add(part.updated),
                    deleted: before.deleted.saturating_add(part.deleted),
                    import: part.import,
                },
            };
            let recorded = [sum.expenses, sum.settlements, sum.adjustments, sum.already_there];
            bar.set_position(recorded.into_iter().fold(0, u64::saturating_add));
            if sum.import.status != ImportStatus::Running {
                bar.finish_and_clear();
                return Ok(sum);
            }
            all = Some(sum);
        }
    }
}

/// Summary of an import, in words.
fn listed(expenses: u64, settlements: u64, adjustments: u64, guests: u64) -> String {
    let [expenses, settlements, adjustments, guests] = [
        (expenses, "expense"),
        (settlements, "settlement"),
        (adjustments, "adjustment"),
        (guests, "guest"),
    ]
    .map(|(number, noun)| count_of(number, noun));
    format!("{expenses}, {settlements}, {adjustments} and {guests}")
}

impl ImportInto {
    /// The member or new guest for each person in the file.
    fn targets(&self) -> Result<BTreeMap<String, Target>, Failure> {
        let Some(path) = &self.members else { return Ok(BTreeMap::new()) };
        let json = fs::read(path).map_err(|error| Failure::Input(path.clone(), error))?;
        let named: BTreeMap<String, String> = serde_json::from_slice(&json)
            .map_err(|error| Failure::Members(path.clone(), error.into()))?;
        let target = |(name, text): (String, String)| match text.parse() {
            Ok(target) => Ok((name, target)),
            Err(error) => Err(Failure::Members(path.clone(), format!("{name}: {error}").into())),
        };
        named.into_iter().map(target).collect()
    }
}
