//! `verify-funds`: compares funds, and the sums over all users, with the transactions.

use std::{collections::BTreeSet, io::Write};

use fracti_core::{
    Error,
    fund_audit::{AllFunds, FundFinding},
    id::UserId,
};
use fracti_runtime::with_causes;

use crate::{Admin, Failure, Outcome, count_of, progress};

/// Number of times that the funds of all users are read if the sums over them differ, before others
/// count as writing all the time.
const READS_OF_ALL: u32 = 5;

impl Admin {
    /// Verifies the funds of a user, or those of all users and the sums over them, and reports what
    /// does not agree with the transactions, and what could not be verified because it was written
    /// to all the time.
    ///
    /// # Errors
    ///
    /// [`Failure`] if the table cannot be read, or the report cannot be written.
    pub async fn verify_funds(
        &mut self,
        only: Option<UserId>,
        out: &mut impl Write,
    ) -> Result<Outcome, Failure> {
        let owners = match only {
            Some(user) => BTreeSet::from([user]),
            None => self.fund_owners().await?,
        };
        let bar = progress(owners.len(), "users");
        let (mut all, mut differing, mut unverified) = (AllFunds::default(), 0_u64, 0_u64);
        // Whether the sums of what was read are those over all users.
        let mut is_whole = only.is_none();
        for owner in bar.wrap_iter(owners.into_iter()) {
            let audit = || Box::pin(self.table.audit_funds(owner, self.clock.now()));
            let findings = match self.pace.patient(audit).await {
                Ok((rows, findings)) => {
                    all.add(&rows);
                    findings.iter().map(ToString::to_string).collect()
                }
                Err(error @ Error::Unavailable(_)) => return Err(error.into()),
                Err(Error::Contended) => {
                    (is_whole, unverified) = (false, unverified.saturating_add(1));
                    let text = "could not be verified: it was written to all the time";
                    bar.suspend(|| writeln!(out, "user {owner}: {text}"))?;
                    continue;
                }
                // What the audit refuses to read is a finding, too.
                Err(error) => {
                    is_whole = false;
                    vec![with_causes(&error)]
                }
            };
            for finding in &findings {
                bar.suspend(|| writeln!(out, "user {owner}: {finding}"))?;
            }
            differing = differing.saturating_add(u64::from(!findings.is_empty()));
        }
        bar.finish_and_clear();
        let sums = if is_whole { self.check_sums(all).await? } else { None };
        for finding in sums.iter().flatten() {
            writeln!(out, "all users: {finding}")?;
        }
        let read = count_of(bar.position().saturating_sub(unverified), "user");
        write!(out, "{read} verified, {differing} of them with a finding")?;
        if unverified > 0 {
            write!(out, "; {unverified} could not be verified")?;
        }
        let is_checked = only.is_some() || sums.is_some();
        if !is_checked {
            write!(out, "; the sums over all users could not be verified")?;
        }
        writeln!(out)?;
        let is_good = differing == 0 && sums.is_none_or(|findings| findings.is_empty());
        Ok(match (is_good, unverified == 0 && is_checked) {
            (true, true) => Outcome::Good,
            (true, false) => Outcome::Unfinished,
            (false, _) => Outcome::Bad,
        })
    }

    async fn fund_owners(&self) -> Result<BTreeSet<UserId>, Error> {
        let (mut owners, mut after) = (BTreeSet::new(), None);
        loop {
            let (found, next) = self.pace.patient(|| self.table.fund_owners(after.clone())).await?;
            owners.extend(found);
            after = next;
            if after.is_none() {
                return Ok(owners);
            }
        }
    }

    /// What is wrong with the sums over all users, once they agree with the funds, or two reads of
    /// everything differ from them alike; `None` if funds were written to all the time.
    async fn check_sums(&self, mut all: AllFunds) -> Result<Option<Vec<FundFinding>>, Failure> {
        let mut before = None;
        for _ in 0..READS_OF_ALL {
            if before.is_some() {
                all = AllFunds::default();
                for owner in self.fund_owners().await? {
                    let read = || Box::pin(self.table.fund_rows(owner));
                    all.add(&self.pace.patient(read).await?);
                }
            }
            let totals = self.pace.patient(|| self.table.fund_totals()).await?;
            let findings = all.check(&totals);
            let read = Some((all.clone(), totals));
            if findings.is_empty() || before == read {
                return Ok(Some(findings));
            }
            before = read;
        }
        Ok(None)
    }
}
