//! `set-aside`: moves v0 rows that cannot be read out of their group.

use std::io::Write;

use fracti_core::{upkeep::migration::Migration, values::id::GroupId};

use crate::{Admin, Failure, Outcome, count_of};

impl Admin {
    /// Sets the rows aside that [`verify`](Admin::verify) reports as left out: all of the group, or
    /// those with one of the sort keys `only`, which may also be of an expense or a settlement that
    /// can be read but not be migrated. The group is migrated first. Each row is reported;
    /// `dry_run` only reports them, and the outcome is bad if there are any.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the group does not exist, the table cannot be read or written, or the report
    /// cannot be written.
    pub async fn set_aside(
        &mut self,
        group: GroupId,
        only: &[String],
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let failed = |error| Failure::Group(group, error);
        self.groups(Some(group)).await?;
        let mut migration = Migration::of(group);
        let mut is_migrated = dry_run;
        while !is_migrated {
            let step =
                || Box::pin(self.table.migrate_step(&migration, self.clock.now(), |_| Ok(())));
            let step = self.on_group(group, step).await.map_err(failed)?;
            (migration, is_migrated) = (step.next, step.done);
        }
        let broken = self.pace.patient(|| self.table.broken_rows(group, only)).await;
        let broken = broken.map_err(failed)?;
        let asked = |key: &String| only.is_empty() || only.contains(key);
        let mut moved = 0_u64;
        let done = if dry_run { "would be set aside" } else { "set aside" };
        for row in broken.iter().filter(|row| asked(&row.key.sk)) {
            let now = self.clock.now();
            let moving = || self.table.set_aside(group, row, now);
            let is_moved = dry_run || self.on_group(group, moving).await.map_err(failed)?;
            if is_moved {
                writeln!(out, "group {group}: row {} {done}: {}", row.key.sk, row.reason)?;
                moved = moved.saturating_add(1);
            }
        }
        writeln!(out, "group {group}: {} {done}", count_of(moved, "row"))?;
        Ok(if dry_run && moved > 0 { Outcome::Bad } else { Outcome::Good })
    }
}
