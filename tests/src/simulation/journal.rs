//! The journal of requests and responses: the model with which the table is compared.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fracti_core::values::currency::Currency;
use serde_json::Value;

use super::{Finding, Operation};

/// The operations of a run's users and their outcomes.
#[derive(Debug, Default)]
pub struct Journal(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    tags: u64,
    records: Vec<Record>,
    findings: Vec<Finding>,
    forged: u64,
}

/// One operation and its outcome.
#[derive(Clone, Debug)]
pub struct Record {
    /// The user.
    pub user: u64,
    /// The operation.
    pub operation: Operation,
    /// The idempotency key.
    pub key: Option<String>,
    /// The outcome.
    pub outcome: Outcome,
}

/// The outcome of an operation, as far as its user knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Unknown: the operation was executed once, or not at all.
    Unknown,
    /// Success, with the response's data.
    Done(Value),
    /// Refusal, with the error code.
    Refused(String),
}

/// An expense of a successful response.
#[derive(Clone, Debug)]
pub struct KnownExpense {
    /// The group.
    pub group: String,
    /// The id.
    pub id: String,
    /// The payers.
    pub payers: Vec<u64>,
    /// The payers and the creator.
    pub owners: Vec<u64>,
    /// The currency.
    pub currency: Currency,
}

/// An adjustment of a successful response.
#[derive(Clone, Debug)]
pub struct KnownAdjustment {
    /// The entry's id.
    pub name: String,
    /// The actor, and the members whose balances it moved.
    pub owners: [u64; 3],
}

/// A settlement of a successful response.
#[derive(Clone, Debug)]
pub struct KnownSettlement {
    /// The group.
    pub group: String,
    /// The id.
    pub id: String,
    /// The payer.
    pub from: u64,
    /// The recipient.
    pub to: u64,
}

impl Journal {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a number that is unique within the run.
    pub fn unique_tag(&self) -> u64 {
        let mut pages = self.pages();
        pages.tags += 1;
        pages.tags
    }

    /// Records an operation before its request is sent, and returns its place.
    pub fn begin(&self, user: u64, operation: Operation, key: Option<String>) -> usize {
        let mut pages = self.pages();
        pages.records.push(Record { user, operation, key, outcome: Outcome::Unknown });
        pages.records.len() - 1
    }

    /// Records the outcome of an operation.
    pub fn end(&self, place: usize, outcome: Outcome) {
        self.pages().records[place].outcome = outcome;
    }

    /// Records a finding.
    pub fn find(&self, finding: Finding) {
        self.pages().findings.push(finding);
    }

    /// Counts a forged request.
    pub fn forged(&self) {
        self.pages().forged += 1;
    }

    /// The number of forged requests.
    #[must_use]
    pub fn forged_requests(&self) -> u64 {
        self.pages().forged
    }

    /// All records.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.pages().records.clone()
    }

    /// The findings of the users.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.pages().findings.clone()
    }

    /// The groups with a user as a known member.
    #[must_use]
    pub fn groups(&self, user: u64) -> Vec<String> {
        let records = self.records();
        let group = records.iter().filter(|it| it.user == user).filter_map(Record::joined);
        group.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The known members of a group.
    #[must_use]
    pub fn members(&self, group: &str) -> Vec<u64> {
        let records = self.records();
        let joined = records.iter().filter(|it| it.joined().as_deref() == Some(group));
        joined.map(|it| it.user).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The known expenses of a group.
    #[must_use]
    pub fn expenses(&self, group: &str) -> Vec<KnownExpense> {
        let records = self.records();
        let of_group = records.iter().filter(|it| it.operation.group() == Some(group));
        let known = |record: &Record| match (&record.operation, &record.outcome) {
            (Operation::Spend { payers, currency, .. }, Outcome::Done(data)) => {
                let payers: Vec<u64> = payers.iter().map(|(user, _)| *user).collect();
                Some(KnownExpense {
                    group: group.to_owned(),
                    id: data["id"].as_str()?.to_owned(),
                    owners: payers.iter().copied().chain([record.user]).collect(),
                    payers,
                    currency: *currency,
                })
            }
            _ => None,
        };
        of_group.filter_map(known).collect()
    }

    /// The known adjustments of a group.
    #[must_use]
    pub fn adjustments(&self, group: &str) -> Vec<KnownAdjustment> {
        let records = self.records();
        let of_group = records.iter().filter(|it| it.operation.group() == Some(group));
        let known = |record: &Record| match (&record.operation, &record.outcome) {
            (Operation::Adjust { names, between: [plus, minus], .. }, Outcome::Done(_)) => {
                let owners = [*plus, *minus, record.user];
                let known = |name: &String| KnownAdjustment { name: name.clone(), owners };
                // Large requests are covered by `imports`.
                names.first().filter(|_| names.len() == 1).map(known)
            }
            _ => None,
        };
        of_group.filter_map(known).collect()
    }

    /// The known settlements of a group.
    #[must_use]
    pub fn settlements(&self, group: &str) -> Vec<KnownSettlement> {
        let records = self.records();
        let of_group = records.iter().filter(|it| it.operation.group() == Some(group));
        let known = |record: &Record| match (&record.operation, &record.outcome) {
            (Operation::Pay { from, to, .. }, Outcome::Done(data)) => Some(KnownSettlement {
                group: group.to_owned(),
                id: data["id"].as_str()?.to_owned(),
                from: *from,
                to: *to,
            }),
            _ => None,
        };
        of_group.filter_map(known).collect()
    }
}

impl Record {
    /// The group that the user joined by this operation.
    fn joined(&self) -> Option<String> {
        match (&self.operation, &self.outcome) {
            (Operation::CreateGroup { .. }, Outcome::Done(data)) => {
                Some(data["id"].as_str()?.to_owned())
            }
            (Operation::Join { group }, Outcome::Done(_)) => Some(group.clone()),
            _ => None,
        }
    }

    /// The data of a successful response.
    #[must_use]
    pub fn data(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Done(data) => Some(data),
            _ => None,
        }
    }

    /// Whether the operation may have been executed.
    #[must_use]
    pub fn possible(&self) -> bool {
        !matches!(self.outcome, Outcome::Refused(_))
    }
}
