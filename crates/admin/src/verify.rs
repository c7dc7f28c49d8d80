//! `verify`: compares groups with their rows.

use std::io::Write;

use fracti_core::{Error, id::GroupId};

use crate::{Admin, Failure, Outcome, progress, with_causes};

impl Admin {
    /// Verifies a group, or all of them, and reports each one that differs from its rows.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read or the report cannot be written.
    pub async fn verify(
        &mut self,
        group: Option<GroupId>,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let mut differing = 0_u64;
        for group in bar.wrap_iter(groups.into_iter()) {
            let ledger = self.pace.step(self.table.verify_ledger(group)).await;
            let members = self.pace.step(self.table.verify_members(group)).await;
            let mut is_good = true;
            for found in [ledger, members] {
                match found {
                    Ok(()) => {}
                    Err(error @ Error::Unavailable(_)) => return Err(error.into()),
                    // A row that cannot be read, or an entry that is missing, is a finding, too.
                    Err(error) => {
                        is_good = false;
                        bar.suspend(|| writeln!(out, "group {group}: {}", with_causes(&error)))?;
                    }
                }
            }
            differing = differing.saturating_add(u64::from(!is_good));
        }
        bar.finish_and_clear();
        writeln!(out, "{} groups verified, {differing} of them with a finding", bar.position())?;
        Ok(if differing == 0 { Outcome::Good } else { Outcome::Bad })
    }
}
