//! `verify`: computes the rows of groups that follow from others again.

use std::io::Write;

use fracti_core::{Error, audit::Finding, id::GroupId};
use fracti_runtime::with_causes;

use crate::{Admin, Failure, Outcome, progress};

/// Groups in a row that cannot be read, after which the table, and not its groups, is the reason.
const MAX_UNREADABLE: u32 = 3;

impl Admin {
    /// Verifies a group, or all of them, and reports each row that is missing or not as the other rows
    /// say, and each group that could not be verified because it was written to all the time or could
    /// not be read.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read, three groups in a row, or the report cannot be
    /// written.
    pub async fn verify(
        &mut self,
        group: Option<GroupId>,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let groups = self.groups(group).await?;
        let bar = progress(groups.len(), "groups");
        let (mut differing, mut unverified, mut unreadable) = (0_u64, 0_u64, 0_u32);
        for group in bar.wrap_iter(groups.into_iter()) {
            // Boxed, because the futures are large.
            let audit = || Box::pin(self.table.audit(group, self.clock.now()));
            let audited = self.pace.patient(audit).await;
            let (mut is_good, mut is_verified, mut failure) = (true, true, None);
            for finding in audited.iter().flatten() {
                is_good = false;
                bar.suspend(|| writeln!(out, "group {group}: {}", described(finding)))?;
            }
            if let Err(error) = audited {
                let text = with_causes(&error);
                let text = match error {
                    Error::Contended => {
                        is_verified = false;
                        "could not be verified: it was written to all the time".to_owned()
                    }
                    Error::Unavailable(_) => {
                        is_verified = false;
                        failure = Some(error);
                        format!("could not be verified: {text}")
                    }
                    // What the audit refuses to read is a finding, too.
                    _ => {
                        is_good = false;
                        text
                    }
                };
                bar.suspend(|| writeln!(out, "group {group}: {text}"))?;
            }
            match self.pace.patient(|| Box::pin(self.table.broken_rows(group))).await {
                Ok(broken) => {
                    for row in broken {
                        is_good = false;
                        let text = format!("row {} is left out: {}", row.key.sk, row.reason);
                        bar.suspend(|| writeln!(out, "group {group}: {text}"))?;
                    }
                }
                // The ledger could not be read either.
                Err(error) => failure = failure.or(Some(error)),
            }
            unreadable = if failure.is_some() { unreadable.saturating_add(1) } else { 0 };
            if let Some(failure) = failure.filter(|_| unreadable >= MAX_UNREADABLE) {
                return Err(failure.into());
            }
            differing = differing.saturating_add(u64::from(!is_good));
            unverified = unverified.saturating_add(u64::from(!is_verified));
        }
        bar.finish_and_clear();
        let verified = bar.position().saturating_sub(unverified);
        write!(out, "{verified} groups verified, {differing} of them with a finding")?;
        if unverified > 0 {
            write!(out, "; {unverified} could not be verified")?;
        }
        writeln!(out)?;
        Ok(match (differing, unverified) {
            (0, 0) => Outcome::Good,
            (0, _) => Outcome::Unfinished,
            _ => Outcome::Bad,
        })
    }
}

/// A finding in one line.
pub(crate) fn described(Finding { key, what, mend, .. }: &Finding) -> String {
    let mended = if mend.is_some() { "" } else { "; no other row tells how it was" };
    format!("row {} {} {what}{mended}", key.pk, key.sk)
}
