//! The report of simulation runs.

use std::{collections::BTreeMap, fmt};

use tokio::task::JoinError;

use super::Outcome;
use crate::faults::Fault;

/// A violation found by a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// An acknowledged write is missing.
    Lost(String),
    /// A write was applied twice.
    Twice(String),
    /// A balance differs from the rows.
    Off(String),
    /// A forged request was accepted.
    ForgeryAccepted(String),
    /// Any other deviation from the model.
    Wrong(String),
}

/// The result of one or several runs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of runs.
    pub runs: u64,
    /// Acknowledged writes.
    pub acknowledged: u64,
    /// Writes with an unknown outcome.
    pub unknown: u64,
    /// Refused writes.
    pub refused: u64,
    /// The number of forged requests.
    pub forged: u64,
    /// Requests to the table.
    pub requests: u64,
    /// Number of faults by kind.
    pub faults: BTreeMap<Fault, u64>,
    /// Findings, each with the command that repeats it.
    pub findings: Vec<(String, Finding)>,
    found: Vec<Finding>,
}

impl Report {
    /// Adds findings.
    pub fn find(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    /// Adds a write with this outcome.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        *match outcome {
            Outcome::Done(_) => &mut self.acknowledged,
            Outcome::Unknown => &mut self.unknown,
            Outcome::Refused(_) => &mut self.refused,
        } += 1;
    }

    /// Completes the report of one run; `arguments` of the example repeat it.
    pub fn close(&mut self, arguments: &str, requests: u64, faults: BTreeMap<Fault, u64>) {
        let repeat = format!("cargo run -p fracti-tests --example simulation -- {arguments}");
        self.findings.extend(self.found.drain(..).map(|finding| (repeat.clone(), finding)));
        (self.runs, self.requests, self.faults) = (1, requests, faults);
    }

    /// The report of a run that panicked.
    pub(super) fn of_panic(seed: u64, panic: &JoinError) -> Self {
        let mut report = Self::default();
        report.find(Finding::Wrong(panic.to_string()));
        report.close(&format!("--seed {seed}"), 0, BTreeMap::new());
        report
    }

    /// Merges two reports.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.runs += other.runs;
        self.acknowledged += other.acknowledged;
        self.unknown += other.unknown;
        self.refused += other.refused;
        self.forged += other.forged;
        self.requests += other.requests;
        for (fault, times) in other.faults {
            *self.faults.entry(fault).or_default() += times;
        }
        self.findings.extend(other.findings);
        self
    }

    fn count(&self, kind: impl Fn(&Finding) -> bool) -> usize {
        self.findings.iter().filter(|(_, finding)| kind(finding)).count()
    }

    /// Panics if there are findings, with the commands that repeat them.
    ///
    /// # Panics
    ///
    /// If there are findings.
    pub fn check(&self) {
        let lines =
            self.findings.iter().map(|(repeat, finding)| format!("{repeat}\n    {finding:?}"));
        let lines: Vec<String> = lines.collect();
        assert!(lines.is_empty(), "{} findings\n{}", lines.len(), lines.join("\n"));
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |f: &mut fmt::Formatter<'_>, name: &dyn fmt::Display, number: u64| {
            writeln!(f, "| {name} | {number} |")
        };
        let count = |kind: fn(&Finding) -> bool| self.count(kind) as u64;
        writeln!(f, "| what | how many |\n|---|---:|")?;
        row(f, &"**acknowledged writes lost**", count(|it| matches!(it, Finding::Lost(_))))?;
        row(f, &"**writes applied twice**", count(|it| matches!(it, Finding::Twice(_))))?;
        row(f, &"**balances off**", count(|it| matches!(it, Finding::Off(_))))?;
        row(
            f,
            &"**forged requests accepted**",
            count(|it| matches!(it, Finding::ForgeryAccepted(_))),
        )?;
        row(f, &"other deviations", count(|it| matches!(it, Finding::Wrong(_))))?;
        row(f, &"runs", self.runs)?;
        row(f, &"writes acknowledged", self.acknowledged)?;
        row(f, &"writes with an unknown outcome", self.unknown)?;
        row(f, &"writes refused", self.refused)?;
        row(f, &"forged requests", self.forged)?;
        row(f, &"requests to the table", self.requests)?;
        row(f, &"faults", self.faults.values().sum())?;
        self.faults.iter().try_for_each(|(fault, times)| row(f, &format!("- {fault}"), *times))
    }
}
