//! `recount`: corrects the numbers and the links of members.

use std::io::Write;

use fracti_core::values::id::GroupId;

use crate::{Admin, Failure, Outcome, progress};

impl Admin {
    /// Counts the members of a group, or of all of them, again, and compares their links with the
    /// ledger. Corrects and reports what differs; `dry_run` only reports it. The outcome is bad if
    /// something remains that differs, such as a member without a row.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report cannot be written.
    pub async fn recount(
        &mut self,
        group: Option<GroupId>,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let mut differing = 0_u64;
        let mut outcome = Outcome::Good;
        for group in bar.wrap_iter(groups.into_iter()) {
            let mut is_first = true;
            loop {
                let correct = || self.table.correct_members(group, self.clock.now(), dry_run);
                let roll = self.pace.patient(correct).await?;
                let Err(found) = roll.check() else { break };
                bar.suspend(|| writeln!(out, "group {group}: {found}"))?;
                differing = differing.saturating_add(u64::from(is_first));
                is_first = false;
                if dry_run || roll.count.is_none() && roll.links.is_empty() {
                    outcome = Outcome::Bad;
                    break;
                }
            }
        }
        bar.finish_and_clear();
        let what = if dry_run { "differ" } else { "were different" };
        writeln!(out, "{} groups read, of which {differing} {what}", bar.position())?;
        Ok(outcome)
    }
}
