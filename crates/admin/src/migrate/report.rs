//! The report of a migration. Findings are written to the file at once, so the report takes no
//! memory.

use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fracti_core::{
    input::Error,
    reports::audit::Finding,
    storage::keys::{self, Primary},
    upkeep::migration::{Counts, FindingKind, MigrationFinding},
    v0::Correction,
    values::id::GroupId,
};
use fracti_runtime::with_causes;
use serde::{Serialize, de::IgnoredAny};
use tokio::time::Instant;

use super::MigrateOptions;
use crate::{
    Failure, Outcome, file::NewFile, pace::ConsumedUnits, refusals::refusal, verify::described,
};

/// The report so far.
pub(super) struct MigrationReport<'a, W> {
    began: Instant,
    dry_run: bool,
    output: Mutex<Output<'a, W>>,
}

struct Output<'a, W> {
    out: &'a mut W,
    file: Option<Unfinished>,
    totals: ReportTotals,
}

/// The file of a report that is not whole yet.
struct Unfinished {
    file: NewFile,
    /// The findings of a run that was stopped.
    known: HashSet<String>,
    is_first: bool,
}

/// The totals at the end of a report.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ReportTotals {
    rows_examined: u64,
    groups: u64,
    groups_verified: u64,
    groups_refused: u64,
    corrections: u64,
    anomalies: u64,
    written: Counts,
}

/// The end of a report.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Summary {
    index_added: bool,
    #[serde(flatten)]
    totals: ReportTotals,
    milliseconds: u128,
    read_units: f64,
    write_units: f64,
}

/// A finding in the report.
#[derive(Serialize)]
struct FindingJson<'a> {
    pk: &'a str,
    sk: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<&'a Correction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anomaly: Option<&'a str>,
}

impl<'a, W: Write> MigrationReport<'a, W> {
    pub(super) fn new(options: &MigrateOptions, out: &'a mut W) -> Result<Self, Failure> {
        let mut totals = ReportTotals::default();
        let open = |path: &PathBuf| Unfinished::open(path, options.dry_run, &mut totals);
        let file = options.report.as_ref().map(open).transpose()?;
        let output = Output { out, file, totals };
        Ok(Self { began: Instant::now(), dry_run: options.dry_run, output: Mutex::new(output) })
    }

    /// Counts what a step has written.
    pub(super) fn written(&self, counts: Counts) {
        self.with(|output| output.totals.written.add(counts));
    }

    /// Adds findings, and makes sure that they are on the disk.
    pub(super) fn findings(&self, findings: &[MigrationFinding]) -> Result<(), Failure> {
        findings.iter().try_for_each(|MigrationFinding { key, kind }| match kind {
            FindingKind::Correction(correction) => self.correction(key, correction),
            FindingKind::Anomaly(anomaly) => self.anomaly(key, &anomaly.to_string()),
        })?;
        if findings.is_empty() { Ok(()) } else { self.sync() }
    }

    /// Adds a group that could not be migrated, or whose ledger disagrees with its rows.
    pub(super) fn group_anomaly(&self, group: GroupId, error: &Error) -> Result<(), Failure> {
        self.anomaly(&keys::group(group), &with_causes(error))
    }

    /// Adds a group that is left as it is, because the table did not answer or others wrote to it
    /// all the time.
    pub(super) fn refused(&self, group: GroupId, error: &Error) -> Result<(), Failure> {
        self.count(|totals| &mut totals.groups_refused, 1);
        self.with(|output| writeln!(output.out, "group {group}: {}", refusal(error)))?;
        Ok(())
    }

    /// Adds what is wrong with a group after its migration.
    pub(super) fn audited(&self, finding: &Finding) -> Result<(), Failure> {
        let what = described(finding);
        let key = &finding.key;
        self.anomaly(
            key,
            what.strip_prefix(&format!("row {} {} ", key.pk, key.sk)).unwrap_or(&what),
        )
    }

    /// Counts rows that were read.
    pub(super) fn examined(&self, rows: u64) {
        self.count(|totals| &mut totals.rows_examined, rows);
    }

    /// Counts a group that had v0 rows.
    pub(super) fn group(&self) {
        self.count(|totals| &mut totals.groups, 1);
    }

    /// Counts a group whose ledger agrees with its rows.
    pub(super) fn verified(&self) {
        self.count(|totals| &mut totals.groups_verified, 1);
    }

    /// Makes sure that what the report has so far is on the disk.
    pub(super) fn sync(&self) -> Result<(), Failure> {
        self.with(|output| {
            let Some(Unfinished { file, .. }) = &mut output.file else { return Ok(()) };
            file.sync()
        })
    }

    /// Completes the report. The outcome is good if there are no anomalies.
    pub(super) fn finish(
        self,
        index_added: bool,
        consumed: ConsumedUnits,
    ) -> Result<Outcome, Failure> {
        let Self { began, dry_run, output } = self;
        let Output { out, file, totals, .. } =
            output.into_inner().unwrap_or_else(PoisonError::into_inner);
        let ConsumedUnits { read_units, write_units } = consumed;
        let milliseconds = began.elapsed().as_millis();
        let summary = Summary { index_added, totals, milliseconds, read_units, write_units };
        if let Some(unfinished) = file {
            let json = serde_json::to_string(&summary).map_err(io::Error::from)?;
            let fields = json.strip_prefix('{').unwrap_or(&json);
            let Unfinished { mut file, .. } = unfinished;
            writeln!(file, "\n],{fields}").map_err(|error| file.failed(error))?;
            file.finish()?;
        }
        let ReportTotals { groups, groups_refused, corrections, anomalies, written, .. } = totals;
        let verb = if dry_run { "would be migrated" } else { "migrated" };
        write!(
            out,
            "{groups} groups with v0 rows: {} expenses and {} settlements {verb}, {corrections} \
             corrections, {anomalies} anomalies",
            written.expenses, written.settlements
        )?;
        if groups_refused > 0 {
            write!(out, "; {groups_refused} groups left as they are: run the command again")?;
        }
        writeln!(out)?;
        Ok(match (anomalies, groups_refused) {
            (0, 0) => Outcome::Good,
            (_, 0) => Outcome::Bad,
            _ => Outcome::Unfinished,
        })
    }

    fn correction(&self, key: &Primary, correction: &Correction) -> Result<(), Failure> {
        let Primary { pk, sk } = key;
        self.list(&FindingJson { pk, sk, correction: Some(correction), anomaly: None })
    }

    fn anomaly(&self, key: &Primary, anomaly: &str) -> Result<(), Failure> {
        let Primary { pk, sk } = key;
        self.with(|output| writeln!(output.out, "row {pk} {sk}: {anomaly}"))?;
        self.list(&FindingJson { pk, sk, correction: None, anomaly: Some(anomaly) })
    }

    /// Counts a finding and adds it to the file, unless the file has it from a run that was
    /// stopped.
    fn list(&self, finding: &FindingJson<'_>) -> Result<(), Failure> {
        let json = serde_json::to_string(finding).map_err(io::Error::from)?;
        self.with(|output| {
            if output.file.as_ref().is_some_and(|file| file.known.contains(&json)) {
                return Ok(());
            }
            let ReportTotals { corrections, anomalies, .. } = &mut output.totals;
            let of_kind = if finding.anomaly.is_some() { anomalies } else { corrections };
            *of_kind = of_kind.saturating_add(1);
            output.file.as_mut().map_or(Ok(()), |file| file.list(&json))
        })
    }

    fn count(&self, number: impl FnOnce(&mut ReportTotals) -> &mut u64, by: u64) {
        self.with(|output| {
            let number = number(&mut output.totals);
            *number = number.saturating_add(by);
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Output<'a, W>) -> T) -> T {
        work(&mut self.output.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Unfinished {
    /// Begins a report, or goes on with that of a run that was stopped, whose findings are counted.
    /// The report of a trial run begins anew.
    fn open(path: &Path, dry_run: bool, totals: &mut ReportTotals) -> Result<Self, Failure> {
        let begin = format!("{{\"dryRun\":{dry_run},\"findings\":[");
        let mut known = HashSet::new();
        let mut end = 0;
        let mut file = NewFile::resume(path, |part| {
            if !dry_run {
                end = read(part, &begin, &mut known)?;
            }
            Ok(end)
        })?;
        if end == 0 {
            write!(file, "{begin}").map_err(|error| file.failed(error))?;
        }
        let is_first = known.is_empty();
        let unfinished = Self { file, known, is_first };
        for finding in &unfinished.known {
            let is_anomaly = finding.contains("\"anomaly\":");
            let of_kind = if is_anomaly { &mut totals.anomalies } else { &mut totals.corrections };
            *of_kind = of_kind.saturating_add(1);
        }
        Ok(unfinished)
    }

    fn list(&mut self, finding: &str) -> Result<(), Failure> {
        let separator = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.file, "{separator}\n{finding}").map_err(|error| self.file.failed(error))
    }
}

/// Reads the findings of a report that begins with `begin`, and returns where the last whole one
/// ends; 0 if the file has another beginning.
fn read(part: &File, begin: &str, known: &mut HashSet<String>) -> io::Result<u64> {
    let mut lines = BufReader::new(part).lines();
    if lines.next().transpose()?.is_none_or(|first| first != begin) {
        return Ok(0);
    }
    let mut end = begin.len();
    for line in lines {
        let line = line?;
        let finding = line.trim_end_matches(',');
        // The last line may be cut off.
        if serde_json::from_str::<IgnoredAny>(finding).is_err() {
            break;
        }
        // A comma is written before the next finding.
        end = end.saturating_add(usize::from(!known.is_empty()));
        end = end.saturating_add(1).saturating_add(finding.len());
        known.insert(finding.to_owned());
    }
    Ok(end as u64)
}
