//! `verify`: computes the rows of groups that follow from others again.

use std::{collections::BTreeSet, io::Write};

use fracti_core::{
    input::Error,
    reports::audit::Finding,
    storage::keys::Primary,
    upkeep::aside::BrokenRow,
    v0,
    values::{id::GroupId, time::Timestamp},
};

use crate::{Admin, Failure, Outcome, count_of, progress, refusals::Refusals};

/// Last line of the report: the rows that are not verified.
const NOT_VERIFIED: &str = "not verified: whether changes are missing; details of questions, answers \
                            to them, and points; transaction hashes that no settlement names; rows \
                            of chats and of users (verify-funds verifies funds)";

/// Result of the audit of a group.
enum Verified {
    /// Wrong rows.
    Findings(Vec<Finding>, Vec<BrokenRow>),
    /// The creator has deleted the group at this time, and its rows are being deleted.
    Deleted(Timestamp),
    /// All its rows are gone.
    Gone,
}

impl Admin {
    /// Verifies a group, or all of them, and reports each row that is missing or not as the other
    /// rows say, and each group that could not be verified because it was written to all the time
    /// or could not be read. The last line names what is not verified.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the one group does not exist, if the table cannot be read, three groups in a
    /// row, or the report cannot be written.
    pub async fn verify(
        &mut self,
        only: Option<GroupId>,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let (groups, strays) = match only {
            Some(group) => (BTreeSet::from([group]), Vec::new()),
            None => self.every_group().await?,
        };
        for Primary { pk, sk } in &strays {
            writeln!(out, "row {pk} {sk} is of no group: its key has no id of one")?;
        }
        let bar = progress(groups.len(), "groups");
        let mut refusals = Refusals::default();
        let mut verified = 0_u64;
        let mut differing = 0_u64;
        let mut deleted = 0_u64;
        for group in bar.wrap_iter(groups.into_iter()) {
            let found = self.verified(group).await.map_err(|error| Failure::Group(group, error));
            match refusals.note(group, found, &bar, out)? {
                Some(Verified::Findings(findings, broken)) => {
                    verified = verified.saturating_add(1);
                    let is_bad = !findings.is_empty() || !broken.is_empty();
                    differing = differing.saturating_add(u64::from(is_bad));
                    bar.suspend(|| report(group, &findings, &broken, out))?;
                }
                Some(Verified::Deleted(at)) => {
                    deleted = deleted.saturating_add(1);
                    let text = format!("is being deleted: its creator deleted it at {at}");
                    bar.suspend(|| writeln!(out, "group {group} {text}"))?;
                }
                Some(Verified::Gone) if only.is_some() => {
                    return Err(Failure::Group(group, Error::NoGroup));
                }
                Some(Verified::Gone) | None => {}
            }
        }
        bar.finish_and_clear();
        write!(
            out,
            "{} verified, {differing} of them with a finding",
            count_of(verified, "group")
        )?;
        let others = [(deleted, "being deleted"), (refusals.groups, "could not be verified")];
        for (number, what) in others.into_iter().filter(|(number, _)| *number > 0) {
            write!(out, "; {number} {what}")?;
        }
        if !strays.is_empty() {
            let strays = u64::try_from(strays.len()).unwrap_or(u64::MAX);
            write!(out, "; {} of no group", count_of(strays, "row"))?;
        }
        writeln!(out)?;
        writeln!(out, "{NOT_VERIFIED}")?;
        Ok(match (differing == 0 && strays.is_empty(), refusals.groups) {
            (true, 0) => Outcome::Good,
            (true, _) => Outcome::Unfinished,
            (false, _) => Outcome::Bad,
        })
    }

    async fn verified(&self, group: GroupId) -> Result<Verified, Error> {
        // Boxed, because the futures are large.
        let audit = || Box::pin(self.table.audit(group, self.clock.now()));
        let findings = match self.pace.patient(audit).await {
            Err(Error::NoGroup) => return Ok(Verified::Gone),
            audited => audited?,
        };
        if findings.is_empty() {
            return Ok(Verified::Findings(findings, Vec::new()));
        }
        if let Some(at) = self.deleted_at(group).await? {
            return Ok(Verified::Deleted(at));
        }
        // Only the broken rows tell why lists leave out some v0 rows.
        let broken = if findings.iter().any(is_unmigrated) {
            let broken = || Box::pin(self.table.broken_rows(group, &[]));
            match self.pace.patient(broken).await {
                // The balance row cannot be read, which the audit has found.
                Err(Error::Table(_)) => Vec::new(),
                broken => broken?,
            }
        } else {
            Vec::new()
        };
        // Each row is reported once.
        let is_left_out = |finding: &Finding| broken.iter().any(|row| row.key == finding.key);
        let findings = findings.into_iter().filter(|it| !is_left_out(it)).collect();
        Ok(Verified::Findings(findings, broken))
    }

    /// Time at which the creator of a group has deleted it; `None` if they have not, or the group's
    /// row is lost or cannot be read.
    pub(crate) async fn deleted_at(&self, group: GroupId) -> Result<Option<Timestamp>, Error> {
        match self.pace.patient(|| self.table.deletion_of(group)).await {
            Err(Error::NoGroup | Error::NotMigrated | Error::Table(_)) => Ok(None),
            deletion => deletion,
        }
    }
}

fn report(
    group: GroupId,
    findings: &[Finding],
    broken: &[BrokenRow],
    out: &mut impl Write,
) -> std::io::Result<()> {
    for finding in findings {
        writeln!(out, "group {group}: {}", described(finding))?;
    }
    for row in broken {
        writeln!(out, "group {group}: row {} is left out: {}", row.key.sk, row.reason)?;
    }
    Ok(())
}

/// A finding in one line.
pub(crate) fn described(finding: &Finding) -> String {
    let Finding { key, what, mend, .. } = finding;
    let is_lost = mend.is_none() && !is_unmigrated(finding);
    let mended = if is_lost { "; no other row tells how it was" } else { "" };
    format!("row {} {} {what}{mended}", key.pk, key.sk)
}

/// Whether a finding is a v0 row as it was written, which a migration may take over.
pub(crate) fn is_unmigrated(Finding { stored, mend, .. }: &Finding) -> bool {
    mend.is_none() && stored.as_ref().is_some_and(v0::is_v0)
}
