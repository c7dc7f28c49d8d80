//! `date-expenses`: dates the expenses that were recorded without a date.

use std::{collections::BTreeMap, io::Write};

use fracti_core::{expense::Expense, id::GroupId, tally::TallyKey};
use fracti_store::datable;

use crate::{Admin, Failure, Outcome, progress};

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
        for group in bar.wrap_iter(groups.into_iter()) {
            let mut after = None;
            loop {
                let read = || self.table.undated_expenses(group, after.clone());
                let page = self.pace.patient(read).await?;
                if dry_run {
                    dated = dated.saturating_add(page.items.len());
                } else {
                    for expenses in by_tally(page.items).values().flat_map(|it| datable(it)) {
                        let now = self.clock.now();
                        let written = self.table.date_expenses(group, expenses, now);
                        dated = dated.saturating_add(self.pace.step(written).await?);
                    }
                }
                after = page.next;
                if after.is_none() {
                    break;
                }
            }
        }
        bar.finish_and_clear();
        let verb = if dry_run { "have no date" } else { "got a date" };
        writeln!(out, "{dated} expenses {verb}, in {} groups", bar.position())?;
        Ok(Outcome::Good)
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
