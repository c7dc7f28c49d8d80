//! `standardise`: rewrites rows of users that are in an earlier format.

use std::io::Write;

use fracti_core::input::Error;
use fracti_runtime::with_causes;
use indicatif::ProgressBar;

use crate::{Admin, Failure, Outcome};

impl Admin {
    /// Writes the rows of users that are in an earlier format in the present one, and reports those
    /// that cannot be read. `dry_run` only counts.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or written, or the report cannot be written.
    pub async fn standardise(
        &mut self,
        dry_run: bool,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let bar = ProgressBar::new_spinner().with_message("rows rewritten");
        let mut rewritten = 0_u64;
        let mut unreadable = 0_u64;
        let mut after = None;
        loop {
            let (old, next) = self.pace.patient(|| self.table.old_rows(after.clone())).await?;
            for key in old {
                if dry_run {
                    rewritten = rewritten.saturating_add(1);
                    continue;
                }
                let write = || self.table.standardise(&key, self.clock.now());
                match self.pace.patient(write).await {
                    Ok(was_old) => rewritten = rewritten.saturating_add(was_old.into()),
                    Err(error @ Error::Table(_)) => {
                        unreadable = unreadable.saturating_add(1);
                        let pk = key.pk;
                        let sk = key.sk;
                        let cause = with_causes(&error);
                        bar.suspend(|| writeln!(out, "row {pk} {sk}: {cause}"))?;
                    }
                    Err(error) => return Err(error.into()),
                }
                bar.set_position(rewritten);
            }
            after = next;
            if after.is_none() {
                break;
            }
        }
        bar.finish_and_clear();
        let verb = if dry_run { "are in an earlier format" } else { "rewritten" };
        writeln!(out, "{rewritten} rows {verb}, {unreadable} rows unreadable")?;
        Ok(if unreadable == 0 { Outcome::Good } else { Outcome::Bad })
    }
}
