//! `retally`: corrects tallies that differ from the expenses.

use std::io::Write;

use fracti_core::values::id::GroupId;

use crate::{Admin, Failure, Outcome, progress};

impl Admin {
    /// Adds up the tallies of a group, or of all of them, again from the expenses, and writes those
    /// that differ. Each of them is reported. `dry_run` only reports them.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report cannot be written.
    pub async fn retally(
        &mut self,
        group: Option<GroupId>,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let (one, all) = if dry_run { ("differs", "differ") } else { ("corrected", "corrected") };
        let mut differing = 0_usize;
        for group in bar.wrap_iter(groups.into_iter()) {
            loop {
                let correct = || self.table.correct_tallies(group, self.clock.now(), dry_run);
                let found = self.pace.patient(correct).await?;
                for of in &found {
                    bar.suspend(|| writeln!(out, "group {group}: tally {of} {one}"))?;
                }
                differing = differing.saturating_add(found.len());
                if dry_run || found.is_empty() {
                    break;
                }
            }
        }
        bar.finish_and_clear();
        writeln!(out, "{} groups read, {differing} tallies {all}", bar.position())?;
        Ok(if dry_run && differing > 0 { Outcome::Bad } else { Outcome::Good })
    }
}
