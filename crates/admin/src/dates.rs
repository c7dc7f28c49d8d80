//! `date-expenses`: dates the expenses that were recorded without a date.

use std::{collections::BTreeMap, io::Write};

use fracti_core::{
    input::Error,
    records::expense::Expense,
    upkeep::dating::datable,
    values::{id::GroupId, tally_key::TallyKey},
};

use crate::{Admin, Failure, Outcome, progress, refusals::Refusals};

impl Admin {
    /// Gives each expense without a date the day of its recording, in UTC, and adds it to the tally
    /// of that day. `dry_run` only counts.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report cannot be written.
    pub async fn date_expenses(
        &mut self,
        group: Option<GroupId>,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let mut dated = 0_usize;
        let mut refusals = Refusals::default();
        for group in bar.wrap_iter(groups.into_iter()) {
            let done = self.date_group(group, dry_run, &mut dated).await;
            refusals.note(group, done.map_err(Failure::Table), &bar, out)?;
        }
        bar.finish_and_clear();
        let verb = if dry_run { "have no date" } else { "got a date" };
        let groups = bar.position().saturating_sub(refusals.groups);
        writeln!(out, "{dated} expenses {verb}, in {groups} groups")?;
        refusals.end(out)
    }

    async fn date_group(
        &self,
        group: GroupId,
        dry_run: bool,
        dated: &mut usize,
    ) -> Result<(), Error> {
        let mut after = None;
        loop {
            let read = || self.table.undated_expenses(group, after.clone());
            let page = self.pace.patient(read).await?;
            if dry_run {
                *dated = dated.saturating_add(page.items.len());
            } else {
                for expenses in by_tally(page.items).values().flat_map(|it| datable(it)) {
                    let write = || self.table.date_expenses(group, expenses, self.clock.now());
                    *dated = dated.saturating_add(self.on_group(group, write).await?);
                }
            }
            after = page.next;
            if after.is_none() {
                return Ok(());
            }
        }
    }
}

/// Expenses by the tally that they enter.
fn by_tally(expenses: Vec<Expense>) -> BTreeMap<TallyKey, Vec<Expense>> {
    let mut tallies: BTreeMap<TallyKey, Vec<Expense>> = BTreeMap::new();
    for expense in expenses {
        let of = TallyKey { date: expense.day(), category: expense.category };
        tallies.entry(of).or_default().push(expense);
    }
    tallies
}
