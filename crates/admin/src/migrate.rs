//! `migrate`: converts the rows of the TypeScript Fracti, v0 rows, to the current format.
//!
//! Segments of the table are scanned at the same time for groups with v0 rows. Each group is
//! migrated step by step, and then verified. A run that was stopped continues from its state file.
//! Without the file it begins at the start again, and finds what is left.

mod index;
mod report;
mod segments;
mod state;

use std::{io::Write, num::NonZeroU16, path::PathBuf};

use clap::Args;
use futures_util::future::try_join_all;

use crate::{Admin, Failure, Outcome};
use report::MigrationReport;
use segments::MigrationRun;
use state::RunState;

/// How to migrate a table.
#[derive(Clone, Debug, Args)]
pub struct MigrateOptions {
    /// Write nothing, and report what would be written.
    #[arg(long)]
    pub dry_run: bool,
    /// Number of segments of the table that are scanned at the same time, at most 64.
    #[arg(long, value_name = "NUMBER", default_value = "4", value_parser = segments)]
    pub segments: NonZeroU16,
    /// File with the progress of the run. If it exists, the run continues from there; it is deleted
    /// at the end.
    #[arg(long, value_name = "FILE", conflicts_with = "dry_run")]
    pub state: Option<PathBuf>,
    /// File for the report, in JSON: corrections, anomalies and numbers. Until the run is complete,
    /// its name ends in `.part`; a run after one that was stopped adds to it.
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
}

/// Each segment that is scanned holds a page of rows in memory, and a connection.
fn segments(text: &str) -> Result<NonZeroU16, String> {
    let number = text.parse().ok().filter(|number: &NonZeroU16| number.get() <= 64);
    number.ok_or_else(|| "must be a number from 1 to 64".to_owned())
}

impl Admin {
    /// Migrates the table. Each anomaly is written to `out`, and the numbers at the end.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report or the state cannot be
    /// written.
    pub async fn migrate(
        &mut self,
        options: &MigrateOptions,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let state = RunState::open(options.state.clone(), self.table.name(), options.segments)?;
        let report = MigrationReport::new(options, out)?;
        let index = self.index(options.dry_run).await?;
        let run = MigrationRun::new(self, options.dry_run, &report, &state, index.rows);
        try_join_all((0..state.count()).map(|number| run.segment(number))).await?;
        run.finish();
        let outcome = report.finish(index.is_added, self.pace.consumed())?;
        state.delete()?;
        Ok(outcome)
    }
}
