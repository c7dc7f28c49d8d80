//! Groups with which a command could not do what it should. One of them stops no other.

use std::io::Write;

use fracti_core::{input::Error, values::id::GroupId};
use fracti_runtime::with_causes;
use indicatif::ProgressBar;

use crate::{Failure, Outcome, count_of};

/// Groups in a row that cannot be read, after which the table, and not its groups, is the reason.
const MAX_UNAVAILABLE: u32 = 3;

/// The groups so far with which a command could not do what it should.
#[derive(Debug, Default)]
pub(crate) struct Refusals {
    /// Number of groups.
    pub(crate) groups: u64,
    unavailable: u32,
}

impl Refusals {
    /// Notes whether a command has done what it should with a group. If it has not, reports why.
    ///
    /// # Errors
    ///
    /// [`Failure::Group`] for the third group in a row for which the table did not answer; any
    /// other failure than that of the group.
    pub(crate) fn note<T>(
        &mut self,
        group: GroupId,
        done: Result<T, Failure>,
        bar: &ProgressBar,
        out: &mut impl Write,
    ) -> Result<Option<T>, Failure> {
        let error = match done {
            Ok(done) => {
                self.reset();
                return Ok(Some(done));
            }
            Err(Failure::Table(error) | Failure::Group(_, error)) => error,
            Err(failure) => return Err(failure),
        };
        if self.is_of_table(&error) {
            return Err(Failure::Group(group, error));
        }
        self.groups = self.groups.saturating_add(1);
        bar.suspend(|| writeln!(out, "group {group}: {}", refusal(&error)))?;
        Ok(None)
    }

    /// Reports how many groups there are, and returns the outcome of a command that has no other
    /// findings.
    pub(crate) fn end(&self, out: &mut impl Write) -> Result<Outcome, Failure> {
        if self.groups == 0 {
            return Ok(Outcome::Good);
        }
        writeln!(out, "{} left as they are", count_of(self.groups, "group"))?;
        Ok(Outcome::Unfinished)
    }

    /// Notes that the table answers.
    pub(crate) const fn reset(&mut self) {
        self.unavailable = 0;
    }

    /// Whether the table, and not its groups, is the reason of an error.
    pub(crate) fn is_of_table(&mut self, error: &Error) -> bool {
        let is_unavailable = matches!(error, Error::Unavailable(_));
        self.unavailable = if is_unavailable { self.unavailable.saturating_add(1) } else { 0 };
        self.unavailable >= MAX_UNAVAILABLE
    }
}

/// Why a command could not do what it should with a group.
pub(crate) fn refusal(error: &Error) -> String {
    match error {
        Error::Contended => "left as it is: it was written to all the time".to_owned(),
        error => format!("left as it is: {}", with_causes(error)),
    }
}
