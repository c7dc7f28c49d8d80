//! `repair`: writes rows of a group that follow from others and are wrong.

use std::{
    collections::BTreeSet,
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use clap::Args;
use fracti_core::{
    input::Error,
    reports::audit::{Finding, Mend},
    storage::row::{AttributeValue, Item},
    values::{id::GroupId, time::Timestamp},
};
use indicatif::ProgressBar;
use serde::Serialize;
use serde_json::Value;

use crate::{
    Admin, Failure, Outcome, count_of, file::is_device, refusals::Refusals, verify::described,
};

/// Options of a repair.
#[derive(Clone, Debug, Args)]
pub struct RepairOptions {
    /// Only this group, instead of all.
    #[arg(long, value_name = "ID")]
    pub group: Option<GroupId>,
    /// Write. Without it, the command only shows what it would write.
    #[arg(long)]
    pub yes: bool,
    /// Append a line of JSON to this file for each row that is written, with the row before and
    /// after.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// The report of a repair, to which each one is appended.
#[derive(Debug)]
struct Report {
    file: File,
    path: PathBuf,
}

/// Result of a repair.
#[derive(Clone, Copy, Debug, Default)]
struct Repaired {
    /// Rows that were written.
    mended: u64,
    /// Rows that are still wrong and follow from others.
    mendable: u64,
    /// Findings that nothing tells how to mend.
    lost: u64,
    /// Groups that their creators have deleted.
    deleted: u64,
}

impl Repaired {
    fn add(&mut self, other: Self) {
        self.mended = self.mended.saturating_add(other.mended);
        self.mendable = self.mendable.saturating_add(other.mendable);
        self.lost = self.lost.saturating_add(other.lost);
        self.deleted = self.deleted.saturating_add(other.deleted);
    }
}

/// A row that was written, in the report.
#[derive(Serialize)]
struct Written<'a> {
    at: Timestamp,
    group: GroupId,
    pk: &'a str,
    sk: &'a str,
    finding: &'a str,
    before: Option<Value>,
    after: Option<Value>,
}

impl Admin {
    /// Reports each row of a group, or of all of them, that is missing or differs from what the
    /// other rows imply. With `yes`, writes those that follow from others. The outcome is bad if a
    /// row stays wrong.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the one group does not exist, if the table cannot be read or written, or the
    /// report cannot be written.
    pub async fn repair(
        &mut self,
        options: &RepairOptions,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = match options.group {
            Some(group) => BTreeSet::from([group]),
            None => self.every_group().await?.0,
        };
        let report = options.report.as_deref().filter(|_| options.yes);
        let mut report = report.map(Report::open).transpose()?;
        let mut all = Repaired::default();
        let mut refusals = Refusals::default();
        let hidden = ProgressBar::hidden();
        for group in groups {
            let repaired = self.repair_group(group, options.yes, report.as_mut(), out).await;
            let repaired = match repaired {
                Err(Failure::Group(_, Error::NoGroup)) if options.group.is_none() => continue,
                Err(failure) if options.group.is_some() => return Err(failure),
                other => refusals.note(group, other, &hidden, out)?,
            };
            all.add(repaired.unwrap_or_default());
        }
        let Repaired { mended, mendable, lost, deleted } = all;
        let lost_text = format!("{} cannot be mended", count_of(lost, "finding"));
        if options.yes {
            writeln!(out, "{} mended, {lost_text}", count_of(mended, "row"))?;
        } else {
            let would = count_of(mendable, "row");
            writeln!(out, "{would} would be mended, {lost_text}; --yes writes")?;
        }
        let is_deleted = options.group.is_some() && deleted > 0;
        let is_good = mendable == 0 && lost == 0 && !is_deleted;
        if is_good { refusals.end(out) } else { Ok(Outcome::Bad) }
    }

    async fn repair_group(
        &self,
        group: GroupId,
        yes: bool,
        report: Option<&mut Report>,
        out: &mut impl Write,
    ) -> Result<Repaired, Failure> {
        let failed = |error| Failure::Group(group, error);
        if let Some(at) = self.deleted_at(group).await.map_err(failed)? {
            writeln!(out, "group {group} is being deleted: its creator deleted it at {at}")?;
            return Ok(Repaired { deleted: 1, ..Repaired::default() });
        }
        let mended = if yes { self.mend(group, report, out).await? } else { 0 };
        let audit = || Box::pin(self.table.audit(group, self.clock.now()));
        let left = self.pace.patient(audit).await.map_err(failed)?;
        for finding in &left {
            writeln!(out, "group {group}: {}; {}", described(finding), would(finding))?;
        }
        let mendable = left.iter().filter(|finding| finding.mend.is_some()).count();
        let lost = left.len().saturating_sub(mendable);
        let [mendable, lost] = [mendable, lost].map(|it| u64::try_from(it).unwrap_or(u64::MAX));
        Ok(Repaired { mended, mendable, lost, deleted: 0 })
    }

    /// Mends what can be mended, and returns the number of rows that it has written.
    async fn mend(
        &self,
        group: GroupId,
        mut report: Option<&mut Report>,
        out: &mut impl Write,
    ) -> Result<u64, Failure> {
        let mut known = BTreeSet::new();
        let mut mended = 0_u64;
        loop {
            let now = self.clock.now();
            let findings = self.on_group(group, || self.table.mend(group, now)).await;
            let findings = findings.map_err(|error| Failure::Group(group, error))?;
            let is_new = |it: &Finding| {
                known.insert((it.key.pk.clone(), it.key.sk.clone(), it.what.clone()))
            };
            // Findings that come back after they were mended are reported by the caller.
            if findings.iter().map(is_new).filter(|is_new| *is_new).count() == 0 {
                return Ok(mended);
            }
            for finding in &findings {
                writeln!(out, "{now} group {group}: {}; {}", described(finding), done(finding))?;
                if let Some(report) = report.as_deref_mut() {
                    report.append(group, now, finding)?;
                }
                mended = mended.saturating_add(1);
            }
            if let Some(report) = report.as_deref_mut() {
                report.sync()?;
            }
        }
    }
}

/// Description of a written row.
fn done(finding: &Finding) -> String {
    match &finding.mend {
        None => "left".to_owned(),
        Some(Mend::Put(_) | Mend::Balance(_)) => "written".to_owned(),
        Some(Mend::Set(set)) => format!("set {}", names(set)),
        Some(Mend::Delete) => "deleted".to_owned(),
    }
}

/// Description of a row to write.
fn would(finding: &Finding) -> String {
    match &finding.mend {
        None => "stays".to_owned(),
        Some(Mend::Put(_) | Mend::Balance(_)) => "would be written".to_owned(),
        Some(Mend::Set(set)) => format!("would set {}", names(set)),
        Some(Mend::Delete) => "would be deleted".to_owned(),
    }
}

fn names(set: &[(&'static str, Option<AttributeValue>)]) -> String {
    set.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl Report {
    fn open(path: &Path) -> Result<Self, Failure> {
        let file = File::options().append(true).create(true).open(path);
        let file = file.map_err(|error| Failure::File(path.to_owned(), error))?;
        Ok(Self { file, path: path.to_owned() })
    }

    fn append(&mut self, group: GroupId, at: Timestamp, finding: &Finding) -> Result<(), Failure> {
        let line = line(group, at, finding)?;
        writeln!(self.file, "{line}").map_err(|error| Failure::File(self.path.clone(), error))
    }

    fn sync(&mut self) -> Result<(), Failure> {
        // A device or a pipe has nothing to synchronize.
        if is_device(&self.path) {
            return Ok(());
        }
        self.file.sync_data().map_err(|error| Failure::File(self.path.clone(), error))
    }
}

/// The line of a row that was written.
fn line(group: GroupId, at: Timestamp, finding: &Finding) -> Result<String, Failure> {
    let json = |item: &Item| serde_json::to_value(item).map_err(io::Error::from);
    let after = match &finding.mend {
        None | Some(Mend::Delete) => None,
        Some(Mend::Put(item)) => Some(json(item)?),
        Some(Mend::Set(set)) => {
            let mut item = finding.stored.clone().unwrap_or_default();
            for (name, value) in set {
                item.remove(*name);
                item.extend(value.clone().map(|value| ((*name).to_owned(), value)));
            }
            Some(json(&item)?)
        }
        Some(Mend::Balance(ledger)) => Some(serde_json::to_value(ledger).map_err(io::Error::from)?),
    };
    let Finding { key, what, stored, .. } = finding;
    let before = stored.as_ref().map(json).transpose()?;
    let pk = &*key.pk;
    let sk = &*key.sk;
    let written = Written { at, group, pk, sk, finding: what, before, after };
    Ok(serde_json::to_string(&written).map_err(io::Error::from)?)
}
