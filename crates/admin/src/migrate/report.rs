//! The report of a migration. Findings are written to the file at once, so the report takes no
//! memory.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    sync::{Mutex, PoisonError},
};

use fracti_core::{Error, id::GroupId, keys, keys::Primary, v0::Correction};
use fracti_store::{Counts, Finding, FindingKind, Step};
use serde::Serialize;
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
    file: Option<BufWriter<File>>,
    is_first: bool,
    numbers: Numbers,
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
    dry_run: bool,
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
        let mut file = options.report.as_ref().map(File::create).transpose()?.map(BufWriter::new);
        if let Some(file) = &mut file {
            write!(file, "{{\"findings\":[")?;
        }
        let inner = Inner { out, file, is_first: true, numbers: Numbers::default() };
        Ok(Self { began: Instant::now(), dry_run: options.dry_run, inner: Mutex::new(inner) })
    }

    /// Adds a step of a group.
    pub(super) fn step(&self, step: &Step) -> Result<(), Failure> {
        self.with(|inner| inner.numbers.written.add(step.counts));
        self.findings(&step.findings)
    }

    /// Adds findings.
    pub(super) fn findings(&self, findings: &[Finding]) -> Result<(), Failure> {
        findings.iter().try_for_each(|Finding { key, kind }| match kind {
            FindingKind::Correction(correction) => self.correction(key, correction),
            FindingKind::Anomaly(anomaly) => self.anomaly(key, &anomaly.to_string()),
        })
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

    /// Completes the report. The outcome is good if there are no anomalies.
    pub(super) fn finish(self, index_added: bool, consumed: Consumed) -> Result<Outcome, Failure> {
        let Self { began, dry_run, inner } = self;
        let Inner { out, file, numbers, .. } =
            inner.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Consumed { read_units, write_units } = consumed;
        let milliseconds = began.elapsed().as_millis();
        let summary =
            Summary { dry_run, index_added, numbers, milliseconds, read_units, write_units };
        if let Some(mut file) = file {
            let json = serde_json::to_string(&summary).map_err(io::Error::from)?;
            let fields = json.strip_prefix('{').unwrap_or(&json);
            writeln!(file, "\n],{fields}")?;
            file.flush()?;
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
        self.count(|numbers| &mut numbers.corrections, 1);
        let Primary { pk, sk } = key;
        self.list(&Listed { pk, sk, correction: Some(correction), anomaly: None })
    }

    fn anomaly(&self, key: &Primary, anomaly: &str) -> Result<(), Failure> {
        self.count(|numbers| &mut numbers.anomalies, 1);
        let Primary { pk, sk } = key;
        self.with(|inner| writeln!(inner.out, "row {pk} {sk}: {anomaly}"))?;
        self.list(&Listed { pk, sk, correction: None, anomaly: Some(anomaly) })
    }

    fn list(&self, listed: &Listed<'_>) -> Result<(), Failure> {
        self.with(|inner| {
            let Some(file) = &mut inner.file else { return Ok(()) };
            let separator = if std::mem::take(&mut inner.is_first) { "" } else { "," };
            let json = serde_json::to_string(listed).map_err(io::Error::from)?;
            Ok(write!(file, "{separator}\n{json}")?)
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
