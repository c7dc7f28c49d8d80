//! `verify-funds`: compares funds, and the sums over all users, with the transactions.

use std::{
    collections::{BTreeMap, BTreeSet},
    io::Write,
};

use fracti_core::{input::Error, reports::fund_audit::AllFunds, values::id::UserId};
use fracti_runtime::with_causes;
use fracti_store::{FundScan, noting_unreadable};

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
        let mut references = BTreeMap::<UserId, Vec<_>>::new();
        let owners = if let Some(user) = only {
            BTreeSet::from([user])
        } else {
            let scanned = self.scan_funds().await?;
            for (owner, reference) in scanned.references {
                references.entry(owner).or_default().push(reference);
            }
            scanned.owners
        };
        let bar = progress(owners.len(), "users");
        let mut all = AllFunds::default();
        let mut differing = 0_u64;
        let mut unverified = 0_u64;
        // Whether the sums of what was read are those over all users.
        let mut is_whole = only.is_none();
        for owner in bar.wrap_iter(owners.into_iter()) {
            let audit = || Box::pin(self.table.audit_funds(owner, self.clock.now()));
            let findings = match self.pace.patient(audit).await {
                Ok((rows, mut findings)) => {
                    all.add(&rows);
                    is_whole &= rows.is_whole();
                    let references = references.remove(&owner).unwrap_or_default();
                    findings.extend(rows.audit_references(references));
                    findings.iter().map(ToString::to_string).collect()
                }
                Err(error @ Error::Unavailable(_)) => return Err(error.into()),
                Err(Error::Contended) => {
                    (is_whole, unverified) = (false, unverified.saturating_add(1));
                    let text = "could not be verified: it was written to all the time";
                    bar.suspend(|| writeln!(out, "user {owner}: {text}"))?;
                    continue;
                }
                // A row that the table refuses to read is a finding, too.
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

    async fn scan_funds(&self) -> Result<FundScan, Error> {
        let mut all = FundScan::default();
        loop {
            let FundScan { owners, references, next } =
                self.pace.patient(|| self.table.scan_funds(all.next.clone())).await?;
            all.owners.extend(owners);
            all.references.extend(references);
            all.next = next;
            if all.next.is_none() {
                return Ok(all);
            }
        }
    }

    /// Findings about the sums over all users, once they agree with the funds, or two reads of
    /// everything differ from them alike; `None` if funds were written to all the time.
    async fn check_sums(&self, mut all: AllFunds) -> Result<Option<Vec<String>>, Failure> {
        let mut before = None;
        for _ in 0..READS_OF_ALL {
            if before.is_some() {
                all = AllFunds::default();
                for owner in self.scan_funds().await?.owners {
                    let read = || Box::pin(self.table.fund_rows(owner));
                    all.add(&self.pace.patient(read).await?);
                }
            }
            let read = self.pace.patient(|| self.table.fund_totals());
            let (totals, unreadable) = noting_unreadable(read).await;
            let totals = totals?;
            if !unreadable.is_empty() {
                // A row that cannot be read is a finding.
                let found = unreadable.iter().map(|row| {
                    format!("the row {} {}: {}", row.key.pk, row.key.sk, with_causes(&*row.cause))
                });
                return Ok(Some(found.collect()));
            }
            let findings = all.check(&totals);
            let findings: Vec<_> = findings.iter().map(ToString::to_string).collect();
            let read = Some((all.clone(), totals));
            if findings.is_empty() || before == read {
                return Ok(Some(findings));
            }
            before = read;
        }
        Ok(None)
    }
}
