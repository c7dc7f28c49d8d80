//! The scan of the segments of a table, and the migration of the groups that it finds.

use std::{
    io::{IsTerminal, Write},
    sync::{Mutex, PoisonError},
    time::Duration,
};

use fracti_core::{
    input::Error,
    upkeep::migration::{Migration, MigrationStep, TrialRun},
    values::id::GroupId,
};
use fracti_store::V0Page;
use indicatif::ProgressBar;

use super::{
    report::MigrationReport,
    state::{RunState, SegmentProgress},
};
use crate::{
    Admin, Failure, date_index::Indexed, progress, refusals::Refusals, verify::is_unmigrated,
};

/// Time between two lines that report the progress if there is no terminal.
const REPORTED_EVERY: Duration = Duration::from_secs(10);

/// A migration of the table, or the rest of one that was stopped.
pub(super) struct MigrationRun<'a, 'o, W> {
    admin: &'a Admin,
    trial: Option<TrialRun>,
    report: &'a MigrationReport<'o, W>,
    state: &'a RunState,
    bar: ProgressBar,
    lines: Lines,
    refusals: Mutex<Refusals>,
}

/// The progress as lines, if there is no terminal for a progress bar.
struct Lines(Mutex<tokio::time::Instant>);

impl<'a, 'o, W: Write> MigrationRun<'a, 'o, W> {
    pub(super) fn new(
        admin: &'a Admin,
        dry_run: bool,
        report: &'a MigrationReport<'o, W>,
        state: &'a RunState,
        rows: u64,
    ) -> Self {
        let bar = progress(usize::try_from(rows).unwrap_or(usize::MAX), "rows");
        let lines = Lines(Mutex::new(tokio::time::Instant::now()));
        let trial = dry_run.then(TrialRun::default);
        Self { admin, trial, report, state, bar, lines, refusals: Mutex::default() }
    }

    /// Removes the progress bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Scans a segment and migrates its groups.
    pub(super) async fn segment(&self, number: usize) -> Result<(), Failure> {
        let (segment, mut progress) = self.state.of(number);
        let Admin { table, pace, .. } = self.admin;
        // All rows of a group follow each other.
        let mut last = None;
        while !progress.done {
            let page = pace.patient(|| table.v0_groups(segment, progress.after.clone())).await?;
            let V0Page { groups, strays, examined, next } = page;
            self.report.findings(&strays)?;
            for group in groups {
                if last.replace(group) != Some(group) {
                    Box::pin(self.group(group)).await?;
                }
            }
            self.report.examined(examined);
            self.bar.inc(examined);
            self.lines.report(&self.bar);
            progress = SegmentProgress { done: next.is_none(), after: next };
            self.report.sync()?;
            self.state.note(number, progress.clone())?;
        }
        Ok(())
    }

    /// Migrates a group and verifies it. One that cannot be migrated is an anomaly.
    async fn group(&self, group: GroupId) -> Result<(), Failure> {
        self.report.group();
        let done = Box::pin(self.migrate(group)).await?;
        let Err(error) = done else {
            self.refusals(Refusals::reset);
            return Ok(());
        };
        if self.refusals(|refusals| refusals.is_of_table(&error)) {
            return Err(Failure::Group(group, error));
        }
        match error {
            Error::Unavailable(_) | Error::Contended => self.report.refused(group, &error),
            error => self.report.group_anomaly(group, &error),
        }
    }

    fn refusals<T>(&self, work: impl FnOnce(&mut Refusals) -> T) -> T {
        work(&mut self.refusals.lock().unwrap_or_else(PoisonError::into_inner))
    }

    async fn migrate(&self, group: GroupId) -> Result<Result<(), Error>, Failure> {
        let Admin { table, pace, clock } = self.admin;
        let mut migration = match &self.trial {
            Some(trial) => Migration::trial(group, trial),
            None => Migration::of(group),
        };
        loop {
            // Findings of a step are recorded nowhere else, so they are reported before the commit.
            let noted = Mutex::new(Vec::new());
            let note = |step: &MigrationStep| {
                let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
                let new = step.findings.iter().filter(|it| !noted.contains(*it)).cloned();
                let new: Vec<_> = new.collect();
                self.report.findings(&new).map_err(|failure| Error::Table(failure.into()))?;
                noted.extend(new);
                Ok(())
            };
            let step = || Box::pin(table.migrate_step(&migration, clock.now(), &note));
            match self.admin.on_group(group, step).await {
                Ok(step) => {
                    note(&step)?;
                    self.report.written(step.counts);
                    migration = step.next;
                    if step.done {
                        break;
                    }
                }
                Err(Error::NoGroup) => return self.orphans(group).await,
                Err(error) => return Ok(Err(error)),
            }
        }
        let mut after = None;
        loop {
            let read = || table.v0_participants(&migration, after.clone());
            let left = match pace.patient(read).await {
                Ok((left, next)) => {
                    after = next;
                    left
                }
                Err(error) => return Ok(Err(error)),
            };
            self.report.findings(&left)?;
            if after.is_none() {
                break;
            }
        }
        if self.trial.is_some() {
            return Ok(Ok(()));
        }
        if let Err(error) = self.admin.index_group(group, false, &mut Indexed::default()).await {
            return Ok(Err(error));
        }
        let audit = || Box::pin(table.audit(group, clock.now()));
        let findings = match pace.patient(audit).await {
            Ok(findings) => findings,
            Err(error) => return Ok(Err(error)),
        };
        // The rows that stay as they are, and why, are in the report already.
        let others = findings.iter().filter(|finding| !is_unmigrated(finding));
        let mut is_good = true;
        for finding in others {
            self.report.audited(finding)?;
            is_good = false;
        }
        if is_good {
            self.report.verified();
        }
        Ok(Ok(()))
    }

    /// Reports the v0 rows of a group that does not exist.
    async fn orphans(&self, group: GroupId) -> Result<Result<(), Error>, Failure> {
        let mut after = None;
        loop {
            let Admin { table, pace, .. } = self.admin;
            match pace.patient(|| table.v0_orphans(group, after.clone())).await {
                Ok((rows, next)) => {
                    self.report.findings(&rows)?;
                    after = next;
                }
                Err(error) => return Ok(Err(error)),
            }
            if after.is_none() {
                return Ok(Ok(()));
            }
        }
    }
}

impl Lines {
    /// Writes a line if there is no terminal and the last line was long ago.
    fn report(&self, bar: &ProgressBar) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < REPORTED_EVERY || std::io::stderr().is_terminal() {
            return;
        }
        *last = tokio::time::Instant::now();
        let rows = bar.position();
        let all = bar.length().unwrap_or_default();
        let _ = writeln!(std::io::stderr(), "{rows} rows of about {all} read");
    }
}
