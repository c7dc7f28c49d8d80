//! `index-dates`: adds the expenses of earlier groups to the index by day.

use std::io::Write;

use fracti_core::{input::Error, values::id::GroupId};

use crate::{Admin, Failure, Outcome, progress, refusals::Refusals};

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
        let mut done = Indexed::default();
        let mut refusals = Refusals::default();
        for group in bar.wrap_iter(groups.into_iter()) {
            let of_group = match self.index_group(group, dry_run, &mut done).await {
                // Only stray rows are left of it.
                Err(Error::NoGroup) => Ok(()),
                of_group => of_group,
            };
            refusals.note(group, of_group.map_err(Failure::Table), &bar, out)?;
        }
        bar.finish_and_clear();
        let groups = bar.position().saturating_sub(refusals.groups);
        let Indexed { expenses, groups: noted } = done;
        if dry_run {
            writeln!(out, "{expenses} expenses are not indexed, in {groups} groups")?;
        } else {
            writeln!(
                out,
                "{expenses} expenses were indexed; {noted} of {groups} groups are whole"
            )?;
        }
        refusals.end(out)
    }

    /// Adds the expenses of a group to the index by day.
    pub(crate) async fn index_group(
        &self,
        group: GroupId,
        dry_run: bool,
        done: &mut Indexed,
    ) -> Result<(), Error> {
        let mut after = None;
        loop {
            let read = || self.table.expenses_without_index(group, after.clone());
            let page = self.pace.patient(read).await?;
            let number = if dry_run || page.items.is_empty() {
                page.items.len()
            } else {
                let write = || self.table.index_dates(group, &page.items, self.clock.now());
                self.on_group(group, write).await?
            };
            done.expenses = done.expenses.saturating_add(number);
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        if !dry_run {
            let note = || self.table.note_dated(group, self.clock.now());
            let is_noted = self.on_group(group, note).await?;
            done.groups = done.groups.saturating_add(usize::from(is_noted));
        }
        Ok(())
    }
}

/// Progress of the indexing.
#[derive(Debug, Default)]
pub(crate) struct Indexed {
    expenses: usize,
    /// Groups all of whose expenses are in the index.
    groups: usize,
}
