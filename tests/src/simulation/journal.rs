//! What was asked and what was told: the model that the table is held against.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fracti_core::currency::Currency;
use serde_json::Value;

use super::{Finding, Operation};

/// What a run's users asked, and what they were told.
#[derive(Debug, Default)]
pub struct Journal(Mutex<Pages>);

#[derive(Debug, Default)]
struct Pages {
    tags: u64,
    records: Vec<Record>,
    findings: Vec<Finding>,
    forged: u64,
}

/// One operation, and what its user knows of it.
#[derive(Clone, Debug)]
pub struct Record {
    /// Who did it.
    pub user: u64,
    /// What was done.
    pub operation: Operation,
    /// The idempotency key.
    pub key: Option<String>,
    /// What its user was told.
    pub outcome: Outcome,
}

/// What a user was told of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing, or that nobody knows: it happened once, or not at all.
    Unknown,
    /// It happened: the response's data.
    Done(Value),
    /// It did not happen: the code.
    Refused(String),
}

/// An expense that somebody was told of.
#[derive(Clone, Debug)]
pub struct KnownExpense {
    /// Its group.
    pub group: String,
    /// Its id.
    pub id: String,
    /// Who paid it and who recorded it.
    pub owners: [u64; 2],
    /// Of which currency.
    pub currency: Currency,
}

/// An adjustment that somebody was told of.
#[derive(Clone, Debug)]
pub struct KnownAdjustment {
    /// What its entry is called.
    pub name: String,
    /// Who made it, and whose balances it moved.
    pub owners: [u64; 3],
}

/// A settlement that somebody was told of.
#[derive(Clone, Debug)]
pub struct KnownSettlement {
    /// Its group.
    pub group: String,
    /// Its id.
    pub id: String,
    /// Who pays.
    pub from: u64,
    /// Who is paid.
    pub to: u64,
}

impl Journal {
    fn pages(&self) -> MutexGuard<'_, Pages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number that no other operation has.
    pub fn unique_tag(&self) -> u64 {
        let mut pages = self.pages();
        pages.tags += 1;
        pages.tags
    }

    /// Writes down an operation before it is asked for; returns its place.
    pub fn begin(&self, user: u64, operation: Operation, key: Option<String>) -> usize {
        let mut pages = self.pages();
        pages.records.push(Record { user, operation, key, outcome: Outcome::Unknown });
        pages.records.len() - 1
    }

    /// Writes down what its user was told.
    pub fn end(&self, place: usize, outcome: Outcome) {
        self.pages().records[place].outcome = outcome;
    }

    /// Writes down what should not have been.
    pub fn find(&self, finding: Finding) {
        self.pages().findings.push(finding);
    }

    /// Counts a request of somebody who may not.
    pub fn forged(&self) {
        self.pages().forged += 1;
    }

    /// How many requests came from somebody who may not.
    #[must_use]
    pub fn forged_requests(&self) -> u64 {
        self.pages().forged
    }

    /// All records.
    #[must_use]
    pub fn records(&self) -> Vec<Record> {
        self.pages().records.clone()
    }

    /// What should not have been, as far as users saw it.
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        self.pages().findings.clone()
    }

    /// The groups that a user surely belongs to.
    #[must_use]
    pub fn groups(&self, user: u64) -> Vec<String> {
        let records = self.records();
        let group = records.iter().filter(|it| it.user == user).filter_map(Record::joined);
        group.collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Who surely belongs to a group.
    #[must_use]
    pub fn members(&self, group: &str) -> Vec<u64> {
        let records = self.records();
        let joined = records.iter().filter(|it| it.joined().as_deref() == Some(group));
        joined.map(|it| it.user).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The expenses of a group that somebody was told of.
    #[must_use]
    pub fn expenses(&self, group: &str) -> Vec<KnownExpense> {
        let records = self.records();
        let of_group = records.iter().filter(|it| it.operation.group() == Some(group));
        let known = |record: &Record| match (&record.operation, &record.outcome) {
            (Operation::Spend { payer, currency, .. }, Outcome::Done(data)) => Some(KnownExpense {
                group: group.to_owned(),
                id: data["id"].as_str()?.to_owned(),
                owners: [*payer, record.user],
                currency: *currency,
            }),
            _ => None,
        };
        of_group.filter_map(known).collect()
    }

    /// The adjustments of a group that somebody was told of.
    #[must_use]
    pub fn adjustments(&self, group: &str) -> Vec<KnownAdjustment> {
        let records = self.records();
        let of_group = records.iter().filter(|it| it.operation.group() == Some(group));
        let known = |record: &Record| match (&record.operation, &record.outcome) {
            (Operation::Adjust { names, between: [plus, minus], .. }, Outcome::Done(_)) => {
                let owners = [*plus, *minus, record.user];
                let known = |name: &String| KnownAdjustment { name: name.clone(), owners };
                // Of a large request, `imports` knows.
                names.first().filter(|_| names.len() == 1).map(known)
            }
            _ => None,
        };
        of_group.filter_map(known).collect()
    }

    /// The settlements of a group that somebody was told of.
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
    /// The group that its user surely belongs to by it.
    fn joined(&self) -> Option<String> {
        match (&self.operation, &self.outcome) {
            (Operation::CreateGroup { .. }, Outcome::Done(data)) => {
                Some(data["id"].as_str()?.to_owned())
            }
            (Operation::Join { group }, Outcome::Done(_)) => Some(group.clone()),
            _ => None,
        }
    }

    /// What its user was told, where it happened.
    #[must_use]
    pub fn data(&self) -> Option<&Value> {
        match &self.outcome {
            Outcome::Done(data) => Some(data),
            _ => None,
        }
    }

    /// Whether it may have happened, as far as its user knows.
    #[must_use]
    pub fn possible(&self) -> bool {
        !matches!(self.outcome, Outcome::Refused(_))
    }
}
