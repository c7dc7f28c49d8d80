//! What runs come to: the public figure.

use std::{collections::BTreeMap, fmt};

use tokio::task::JoinError;

use crate::faults::Fault;

/// Something that should not have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding {
    /// A write was acknowledged and is not there.
    Lost(String),
    /// A write is there twice.
    Twice(String),
    /// A balance is not what the rows come to.
    Off(String),
    /// Somebody was let in who may not.
    LetIn(String),
    /// Anything else that the model does not predict.
    Wrong(String),
}

/// What runs come to.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// How many runs.
    pub runs: u64,
    /// How many writes were acknowledged.
    pub acknowledged: u64,
    /// How many writes nobody knew the outcome of.
    pub unknown: u64,
    /// How many writes were refused.
    pub refused: u64,
    /// How many requests came from somebody who may not.
    pub forged: u64,
    /// How many requests were sent to the table.
    pub requests: u64,
    /// How many of them met which fault.
    pub faults: BTreeMap<Fault, u64>,
    /// What should not have been, each with the line that repeats it.
    pub findings: Vec<(String, Finding)>,
    found: Vec<Finding>,
}

impl Report {
    /// Adds what should not have been.
    pub fn find(&mut self, finding: Finding) {
        self.found.push(finding);
    }

    /// Ends the run that these arguments of the example repeat.
    pub fn close(&mut self, arguments: &str, requests: u64, faults: BTreeMap<Fault, u64>) {
        let repeat = format!("cargo run -p fracti-tests --example survival -- {arguments}");
        self.findings.extend(self.found.drain(..).map(|finding| (repeat.clone(), finding)));
        (self.runs, self.requests, self.faults) = (1, requests, faults);
    }

    /// What a run comes to that stopped.
    pub(super) fn of_panic(seed: u64, panic: &JoinError) -> Self {
        let mut report = Self::default();
        report.find(Finding::Wrong(panic.to_string()));
        report.close(&format!("--seed {seed}"), 0, BTreeMap::new());
        report
    }

    /// What both come to.
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

    /// Stops where anything was found, with the lines that repeat it.
    ///
    /// # Panics
    ///
    /// Where anything was found.
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
        row(f, &"**requests let in wrongly**", count(|it| matches!(it, Finding::LetIn(_))))?;
        row(f, &"anything else not as predicted", count(|it| matches!(it, Finding::Wrong(_))))?;
        row(f, &"runs", self.runs)?;
        row(f, &"writes acknowledged", self.acknowledged)?;
        row(f, &"writes with an unknown outcome", self.unknown)?;
        row(f, &"writes refused", self.refused)?;
        row(f, &"hostile requests", self.forged)?;
        row(f, &"requests to the table", self.requests)?;
        row(f, &"faults", self.faults.values().sum())?;
        self.faults.iter().try_for_each(|(fault, times)| row(f, &format!("- {fault}"), *times))
    }
}
