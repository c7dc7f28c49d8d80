//! The report of a migration. Findings are written to the file at once, so the report takes no
//! memory.

use std::{
    collections::HashSet,
    fs::{self, File},
    io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use fracti_core::{Error, id::GroupId, keys, keys::Primary, v0::Correction};
use fracti_store::{Counts, Finding, FindingKind};
use serde::{Serialize, de::IgnoredAny};
use tokio::time::Instant;

use super::MigrateOptions;
use crate::{Failure, Outcome, pace::Consumed, with_causes};

/// The report so far.
pub(super) struct Report<'a, W> {
    began: Instant,
    dry_run: bool,
    inner: Mutex<Inner<'a, W>>,
}

struct Inner<'a, W> {
    out: &'a mut W,
    file: Option<Unfinished>,
    numbers: Numbers,
}

/// The file of a report that is not whole yet.
struct Unfinished {
    file: BufWriter<File>,
    path: PathBuf,
    part: PathBuf,
    /// The findings of a run that was stopped.
    known: HashSet<String>,
    is_first: bool,
}

/// The numbers at the end of a report.
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Numbers {
    rows_examined: u64,
    groups: u64,
    groups_verified: u64,
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
    numbers: Numbers,
    milliseconds: u128,
    read_units: f64,
    write_units: f64,
}

/// A finding in the report.
#[derive(Serialize)]
struct Listed<'a> {
    pk: &'a str,
    sk: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    correction: Option<&'a Correction>,
    #[serde(skip_serializing_if = "Option::is_none")]
    anomaly: Option<&'a str>,
}

impl<'a, W: Write> Report<'a, W> {
    pub(super) fn new(options: &MigrateOptions, out: &'a mut W) -> Result<Self, Failure> {
        let mut numbers = Numbers::default();
        let open = |path: &PathBuf| Unfinished::open(path, options.dry_run, &mut numbers);
        let file = options.report.as_ref().map(open).transpose()?;
        let inner = Inner { out, file, numbers };
        Ok(Self { began: Instant::now(), dry_run: options.dry_run, inner: Mutex::new(inner) })
    }

    /// Counts what a step has written.
    pub(super) fn written(&self, counts: Counts) {
        self.with(|inner| inner.numbers.written.add(counts));
    }

    /// Adds findings, and makes sure that they are on the disk.
    pub(super) fn findings(&self, findings: &[Finding]) -> Result<(), Failure> {
        findings.iter().try_for_each(|Finding { key, kind }| match kind {
            FindingKind::Correction(correction) => self.correction(key, correction),
            FindingKind::Anomaly(anomaly) => self.anomaly(key, &anomaly.to_string()),
        })?;
        if findings.is_empty() { Ok(()) } else { self.sync() }
    }

    /// Adds a group that could not be migrated, or whose ledger disagrees with its rows.
    pub(super) fn group_anomaly(&self, group: GroupId, error: &Error) -> Result<(), Failure> {
        self.anomaly(&keys::group(group), &with_causes(error))
    }

    /// Counts rows that were read.
    pub(super) fn examined(&self, rows: u64) {
        self.count(|numbers| &mut numbers.rows_examined, rows);
    }

    /// Counts a group that had v0 rows.
    pub(super) fn group(&self) {
        self.count(|numbers| &mut numbers.groups, 1);
    }

    /// Counts a group whose ledger agrees with its rows.
    pub(super) fn verified(&self) {
        self.count(|numbers| &mut numbers.groups_verified, 1);
    }

    /// Makes sure that what the report has so far is on the disk.
    pub(super) fn sync(&self) -> Result<(), Failure> {
        self.with(|inner| {
            let Some(Unfinished { file, .. }) = &mut inner.file else { return Ok(()) };
            file.flush()?;
            Ok(file.get_ref().sync_data()?)
        })
    }

    /// Completes the report. The outcome is good if there are no anomalies.
    pub(super) fn finish(self, index_added: bool, consumed: Consumed) -> Result<Outcome, Failure> {
        let Self { began, dry_run, inner } = self;
        let Inner { out, file, numbers, .. } =
            inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Consumed { read_units, write_units } = consumed;
        let milliseconds = began.elapsed().as_millis();
        let summary = Summary { index_added, numbers, milliseconds, read_units, write_units };
        if let Some(mut unfinished) = file {
            let json = serde_json::to_string(&summary).map_err(io::Error::from)?;
            let fields = json.strip_prefix('{').unwrap_or(&json);
            writeln!(unfinished.file, "\n],{fields}")?;
            unfinished.file.flush()?;
            unfinished.file.get_ref().sync_all()?;
            fs::rename(unfinished.part, unfinished.path)?;
        }
        let Numbers { groups, corrections, anomalies, written, .. } = numbers;
        let verb = if dry_run { "would be migrated" } else { "migrated" };
        writeln!(
            out,
            "{groups} groups with v0 rows: {} expenses and {} settlements {verb}, {corrections} \
             corrections, {anomalies} anomalies",
            written.expenses, written.settlements
        )?;
        Ok(if anomalies == 0 { Outcome::Good } else { Outcome::Bad })
    }

    fn correction(&self, key: &Primary, correction: &Correction) -> Result<(), Failure> {
        let Primary { pk, sk } = key;
        self.list(&Listed { pk, sk, correction: Some(correction), anomaly: None })
    }

    fn anomaly(&self, key: &Primary, anomaly: &str) -> Result<(), Failure> {
        let Primary { pk, sk } = key;
        self.with(|inner| writeln!(inner.out, "row {pk} {sk}: {anomaly}"))?;
        self.list(&Listed { pk, sk, correction: None, anomaly: Some(anomaly) })
    }

    /// Counts a finding and adds it to the file, unless the file has it from a run that was stopped.
    fn list(&self, listed: &Listed<'_>) -> Result<(), Failure> {
        let json = serde_json::to_string(listed).map_err(io::Error::from)?;
        self.with(|inner| {
            if inner.file.as_ref().is_some_and(|file| file.known.contains(&json)) {
                return Ok(());
            }
            let Numbers { corrections, anomalies, .. } = &mut inner.numbers;
            let of_kind = if listed.anomaly.is_some() { anomalies } else { corrections };
            *of_kind = of_kind.saturating_add(1);
            Ok(inner.file.as_mut().map_or(Ok(()), |file| file.list(&json))?)
        })
    }

    fn count(&self, number: impl FnOnce(&mut Numbers) -> &mut u64, by: u64) {
        self.with(|inner| {
            let number = number(&mut inner.numbers);
            *number = number.saturating_add(by);
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Inner<'a, W>) -> T) -> T {
        work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Unfinished {
    /// Begins a report, or goes on with that of a run that was stopped, whose findings are counted.
    /// That of a trial run begins anew.
    fn open(path: &Path, dry_run: bool, numbers: &mut Numbers) -> Result<Self, Failure> {
        let mut part = path.to_owned().into_os_string();
        part.push(".part");
        let part = PathBuf::from(part);
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(false).open(&part)?;
        if file.try_lock().is_err() {
            return Err(Failure::Busy(part));
        }
        let begin = format!("{{\"dryRun\":{dry_run},\"findings\":[");
        let mut unfinished = Self {
            file: BufWriter::new(file),
            path: path.to_owned(),
            part,
            known: HashSet::new(),
            is_first: true,
        };
        let mut end = 0;
        if !dry_run {
            end = unfinished.read(&begin)?;
        }
        let file = unfinished.file.get_mut();
        file.set_len(end)?;
        file.seek(SeekFrom::End(0))?;
        if end == 0 {
            write!(unfinished.file, "{begin}")?;
        }
        for finding in &unfinished.known {
            let is_anomaly = finding.contains("\"anomaly\":");
            let of_kind =
                if is_anomaly { &mut numbers.anomalies } else { &mut numbers.corrections };
            *of_kind = of_kind.saturating_add(1);
        }
        Ok(unfinished)
    }

    /// Reads the findings, and returns where the last whole one ends; 0 if the file has another
    /// beginning.
    fn read(&mut self, begin: &str) -> io::Result<u64> {
        let mut lines = BufReader::new(self.file.get_ref()).lines();
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
            end = end.saturating_add(usize::from(!self.is_first));
            end = end.saturating_add(1).saturating_add(finding.len());
            self.known.insert(finding.to_owned());
            self.is_first = false;
        }
        Ok(end as u64)
    }

    fn list(&mut self, finding: &str) -> io::Result<()> {
        let separator = if self.is_first { "" } else { "," };
        self.is_first = false;
        write!(self.file, "{separator}\n{finding}")
    }
}
