//! `index-dates`: adds the expenses of earlier groups to the index by day.

use std::io::Write;

use fracti_core::id::GroupId;

use crate::{Admin, Failure, Outcome, progress};

impl Admin {
    /// Adds each expense that is not in the index by day to it, and notes in each group that all of
    /// them are, so that its list by day has no limit. `dry_run` only counts.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report cannot be written.
    pub async fn index_dates(
        &mut self,
        group: Option<GroupId>,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let (mut indexed, mut noted) = (0_usize, 0_usize);
        for group in bar.wrap_iter(groups.into_iter()) {
            let mut after = None;
            loop {
                let read = || self.table.expenses_without_index(group, after.clone());
                let page = self.pace.patient(read).await?;
                if dry_run {
                    indexed = indexed.saturating_add(page.items.len());
                } else if !page.items.is_empty() {
                    let written = self.table.index_dates(group, &page.items, self.clock.now());
                    indexed = indexed.saturating_add(self.pace.step(written).await?);
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
            if !dry_run {
                let is_noted = self.table.note_dated(group, self.clock.now());
                noted = noted.saturating_add(usize::from(self.pace.step(is_noted).await?));
            }
        }
        bar.finish_and_clear();
        let groups = bar.position();
        if dry_run {
            writeln!(out, "{indexed} expenses are not indexed, in {groups} groups")?;
        } else {
            writeln!(out, "{indexed} expenses were indexed; {noted} of {groups} groups are whole")?;
        }
        Ok(Outcome::Good)
    }
}
