//! The commands of the operators' tool. Those that work on a table do so while it is in use, can be
//! stopped at any moment, and can be run again.

mod date_index;
mod dates;
mod delete_group;
mod export;
mod file;
mod funds;
mod import;
mod migrate;
mod pace;
mod plan;
mod refusals;
mod repair;
mod set_aside;
mod standardise;
mod verify;
mod verify_funds;
mod webhook;

use std::{collections::BTreeSet, io, num::NonZeroU32, path::PathBuf, time::Duration};

use fracti_core::{
    input::{Cause, Error},
    storage::keys::Primary,
    values::id::{GroupId, UserId},
};
use fracti_files::export::FileError;
use fracti_runtime::{Clock, ConfigError};
use fracti_store::Table;
use indicatif::{ProgressBar, ProgressStyle};

use crate::pace::Pace;

pub use delete_group::DeleteOptions;
pub use export::ExportOptions;
pub use funds::{FundsCommand, Waiting};
pub use import::ImportInto;
pub use migrate::MigrateOptions;
pub use plan::Export;
pub use repair::RepairOptions;
pub use webhook::set_webhook;

/// The tool at work on a table.
#[derive(Debug)]
pub struct Admin {
    table: Table,
    clock: Clock,
    pace: Pace,
}

/// Outcome of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is as it should be.
    Good,
    /// The report names what is not.
    Bad,
    /// The report names what could not be looked at.
    Unfinished,
}

/// Error that stopped a command. What it has written already stays; if the reason is gone, running
/// it again continues.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Nothing names the table.
    #[error(
        "name the table: --table NAME, or the variable TABLE_NAME. A stack has it in its output \
         TableName, and a local server calls it FractiTable"
    )]
    NoTable,
    /// The table cannot be read or written.
    #[error("the command stopped before its end")]
    Table(#[from] Error),
    /// The command cannot do what it should with a group.
    #[error("group {0}")]
    Group(GroupId, #[source] Error),
    /// The report cannot be written.
    #[error("the report cannot be written")]
    Output(#[from] io::Error),
    /// A file cannot be written.
    #[error("{} cannot be written", .0.display())]
    File(PathBuf, #[source] io::Error),
    /// The export cannot be completed.
    #[error("the export is incomplete; run the command again")]
    Export(#[from] FileError),
    /// A file that was named cannot be read.
    #[error("{} cannot be read", .0.display())]
    Input(PathBuf, #[source] io::Error),
    /// A state file was not written by this command.
    #[error("{} is not a state file of a migration", .0.display())]
    State(PathBuf),
    /// A state file is of a migration of another table.
    #[error("{} is of a migration of the table {}", .0.display(), .1)]
    OtherTable(PathBuf, String),
    /// The creator of a group has not deleted it.
    #[error("the group {0} is not deleted; its creator deletes it in the app")]
    NotDeleted(GroupId),
    /// Another command writes the same report.
    #[error("another command is writing {}", .0.display())]
    Busy(PathBuf),
    /// The answers to questions are not in their form.
    #[error("{} must be JSON like {{\"currency\":\"EUR\"}}", .0.display())]
    Answers(PathBuf, #[source] serde_json::Error),
    /// The user in whose name funds would change is not an operator of the deployment.
    #[error("--as must be one of OPERATOR_IDS, and {0} is not")]
    NotOperator(UserId),
    /// Telegram does not do what it was told.
    #[error("Telegram does not do {0}: {1}")]
    Telegram(&'static str, String),
    /// The operators of the deployment cannot be read.
    #[error("the environment is invalid")]
    Environment(#[from] ConfigError),
    /// The file of members has the wrong form.
    #[error("{} must be JSON like {{\"Bob\":\"987654321\",\"Grandma\":\"new guest\"}}",
        .0.display())]
    Members(PathBuf, #[source] Cause),
}

impl Admin {
    /// The tool for `table`, which consumes at most `rate` capacity units per second on average.
    #[must_use]
    pub fn new(table: Table, rate: Option<NonZeroU32>) -> Self {
        Self { table, clock: Clock::system(), pace: Pace::new(rate) }
    }

    /// The same tool, with another clock.
    #[must_use]
    pub fn at(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// The same tool, which repeats a step for this time while a group is busy or the table
    /// throttles, instead of two minutes.
    #[must_use]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { pace: self.pace.with_patience(patience), ..self }
    }

    /// One group, which must exist, or all groups that have a row in the table.
    async fn groups(&self, only: Option<GroupId>) -> Result<BTreeSet<GroupId>, Failure> {
        match only {
            Some(group) => {
                let exists = self.pace.patient(|| self.table.require_group(group)).await;
                exists.map_err(|error| Failure::Group(group, error))?;
                Ok(BTreeSet::from([group]))
            }
            None => Ok(self.every_group().await?.0),
        }
    }

    /// The groups that have a row in the table, and the keys of rows of no group.
    async fn every_group(&self) -> Result<(BTreeSet<GroupId>, Vec<Primary>), Error> {
        let mut groups = BTreeSet::new();
        let mut strays = Vec::new();
        let mut after = None;
        loop {
            let page = self.pace.patient(|| self.table.all_groups(after.clone())).await?;
            groups.extend(page.groups);
            strays.extend(page.strays);
            after = page.next;
            if after.is_none() {
                return Ok((groups, strays));
            }
        }
    }

    /// Runs a step that writes to a group under its lock, again and again while others write to the
    /// group or the table does not answer, until it succeeds or the patience is over.
    ///
    /// # Errors
    ///
    /// [`Error::Table`] if the step is refused again and again although nothing else writes.
    async fn on_group<T, W>(&self, group: GroupId, work: impl Fn() -> W) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>>,
    {
        let mut waiting = self.pace.waiting();
        let mut seen = None;
        loop {
            match self.pace.while_unavailable(&work).await {
                Err(Error::Contended) if waiting.pause().await => {
                    let now = self.pace.patient(|| self.table.group_version(group)).await?;
                    if seen.replace(now.clone()) == Some(now) {
                        return Err(Error::Table(STUCK.into()));
                    }
                }
                done => return done,
            }
        }
    }
}

/// Error of a step that is refused although nothing else writes to its group.
const STUCK: &str = "a row is not as it was read, and nothing else writes to the group: \
                     fracti-admin verify says which rows are damaged";

/// A progress bar on standard error, if it is a terminal.
fn progress(count: usize, noun: &'static str) -> ProgressBar {
    let style =
        ProgressStyle::with_template("{wide_bar} {human_pos}/{human_len} {msg}, {eta} left");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(count as u64).with_style(style).with_message(noun)
}

/// A number of things, like `1 row` or `2 rows`.
fn count_of(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}
