//! The commands of the operators' tool. Those that work on a table do so while it is in use, can be
//! stopped at any moment, and can be run again.

mod pace;
mod plan;
mod verify;

use std::{io, num::NonZeroU32, path::PathBuf};

use fracti_core::Error;
use fracti_store::Table;
use indicatif::{ProgressBar, ProgressStyle};

use crate::pace::Pace;

pub use plan::Export;

/// The tool at work on a table.
#[derive(Debug)]
pub struct Admin {
    table: Table,
    pace: Pace,
}

/// What a command found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All is as it should be.
    Good,
    /// The report names what is not.
    Bad,
}

/// Error that stopped a command. What it has written already stays; run it again to continue.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The table cannot be read or written.
    #[error("the command stopped; run it again to continue")]
    Table(#[from] Error),
    /// The report cannot be written.
    #[error("the report cannot be written")]
    Output(#[from] io::Error),
    /// A file that was named cannot be read.
    #[error("{} cannot be read", .0.display())]
    Input(PathBuf, #[source] io::Error),
    /// The answers to questions are not in their form.
    #[error("{} must be JSON like {{\"currency\":\"EUR\"}}", .0.display())]
    Answers(PathBuf, #[source] serde_json::Error),
}

impl Admin {
    /// The tool for `table`, which consumes at most `rate` capacity units per second on average.
    #[must_use]
    pub fn new(table: Table, rate: Option<NonZeroU32>) -> Self {
        Self { table, pace: Pace::new(rate) }
    }
}

/// A count on standard error, if it is a terminal.
fn progress(noun: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{spinner} {human_pos} {msg}, {elapsed}");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style).with_message(noun)
}

/// An error and what caused it, in one line.
#[must_use]
pub fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
