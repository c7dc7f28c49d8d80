//! `delete-group`: deletes the rows of a group that its creator has deleted.

use std::io::Write;

use clap::Args;
use fracti_core::values::id::GroupId;

use crate::{Admin, Failure, Outcome, count_of, progress};

/// Options of `delete-group`.
#[derive(Clone, Copy, Debug, Args)]
pub struct DeleteOptions {
    /// The group.
    #[arg(long, value_name = "ID")]
    pub group: GroupId,
    /// Delete the rows. Only a restore of the table brings them back.
    #[arg(long)]
    pub yes: bool,
}

impl Admin {
    /// Deletes all rows of a group that its creator has deleted: first those that others name, last
    /// the group itself, so that the command can be stopped and run again. Without `yes`, it only
    /// says when the group was deleted, and the outcome is bad.
    ///
    /// # Errors
    ///
    /// [`Failure::NotDeleted`]; [`Failure`] if the group does not exist, the table cannot be read
    /// or written, or the report cannot be written.
    pub async fn delete_group(
        &mut self,
        DeleteOptions { group, yes }: DeleteOptions,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let failed = |error| Failure::Group(group, error);
        let deleted_at = self.pace.patient(|| self.table.deletion_of(group)).await;
        let deleted_at = deleted_at.map_err(failed)?;
        let deleted_at = deleted_at.ok_or(Failure::NotDeleted(group))?;
        writeln!(out, "group {group}: deleted by its creator at {deleted_at}")?;
        if !yes {
            writeln!(out, "group {group}: run the command with --yes to delete its rows")?;
            return Ok(Outcome::Bad);
        }
        let bar = progress(0, "rows deleted");
        let mut deleted = 0_u64;
        loop {
            let part = self.pace.patient(|| self.table.delete_rows(group)).await;
            let (rows, is_last) = part.map_err(failed)?;
            deleted = deleted.saturating_add(rows);
            bar.set_position(deleted);
            if is_last {
                break;
            }
        }
        bar.finish_and_clear();
        writeln!(out, "group {group}: {} deleted", count_of(deleted, "row"))?;
        Ok(Outcome::Good)
    }
}
