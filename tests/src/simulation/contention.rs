//! Many at once, and no faults: how many writes a second that comes to, and what becomes of who is late.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use super::{Actor, Outcome, Report, World, audit};
use crate::faults::{Plan, Proxy};

/// Nobody waits longer than a function has.
const LAMBDA: Duration = Duration::from_secs(10);

/// How many members a group has.
const MEMBERS: u64 = 5;

/// Who writes at once, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// How many writers.
    pub writers: u64,
    /// How many groups; a writer writes into one.
    pub groups: usize,
    /// Whether all writers are one user.
    pub user: Option<u64>,
    /// How many processes.
    pub processes: usize,
}

/// How writers at once fared.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// Who they were.
    pub crowd: Crowd,
    /// How many writes were acknowledged.
    pub acknowledged: u64,
    /// How many were refused with 409 and `Retry-After`.
    pub refused: u64,
    /// How many were answered otherwise.
    pub unknown: u64,
    /// How many were answered later than a function may.
    pub late: u64,
    /// How long all took.
    pub time: Duration,
    /// How long the one took that took longest.
    pub longest: Duration,
    /// How many requests went to the table.
    pub requests: u64,
}

impl Crowd {
    /// Lets them all write.
    ///
    /// All processes share this machine and one engine, so their clients wait as long as their requests do: what is measured is
    /// how the writers of a group get along, not how fast the engine is.
    ///
    /// # Panics
    ///
    /// Where a writer panics.
    pub async fn write(self) -> (Throughput, Report) {
        let world = World::of(Plan::none(), self.processes, Proxy::patient_client).await;
        let founder = world.user(self.user.unwrap_or(1));
        let mut groups = Vec::new();
        for _ in 0..self.groups {
            groups.push(founder.clone().create_group().await);
        }
        let writer = |index: u64| {
            let user = self.user.unwrap_or(index % MEMBERS + 1);
            let group = groups[usize::try_from(index).unwrap() % groups.len()].clone();
            // Its process is its own, its user may be another's too.
            (Actor { user, ..world.user(index) }, group)
        };
        let newcomers = (0..self.writers).map(writer).map(|(it, group)| (it.user, group));
        for (user, group) in newcomers.collect::<BTreeSet<_>>() {
            world.user(user).join(&group).await;
        }
        let (before, _) = world.proxy.tally();
        let began = Instant::now();
        let mut writes = JoinSet::new();
        for (mut user, group) in (0..self.writers).map(writer) {
            writes.spawn(async move {
                let began = Instant::now();
                (user.treat(&group).await, began.elapsed())
            });
        }
        let answers = writes.join_all().await;
        let time = began.elapsed();
        let (requests, faults) = world.proxy.tally();
        let count = |is: &dyn Fn(&(Outcome, Duration)) -> bool| {
            answers.iter().filter(|it| is(it)).count() as u64
        };
        let throughput = Throughput {
            crowd: self,
            acknowledged: count(&|(it, _)| matches!(it, Outcome::Done(_))),
            refused: count(&|(it, _)| *it == Outcome::Refused("CONFLICT".to_owned())),
            unknown: count(&|(it, _)| *it == Outcome::Unknown),
            late: count(&|(_, time)| *time > LAMBDA),
            time,
            longest: answers.iter().map(|(_, time)| *time).max().unwrap_or_default(),
            requests: requests - before,
        };
        let mut report = audit(&world.table, &world.proxy.client, &world.journal).await;
        report.close("--crowds", requests, faults);
        (throughput, report)
    }
}

impl Throughput {
    /// The head of the table that they are lines of.
    pub const HEAD: &str = "| who | acknowledged | 409 | 503 | later than 10 s | the longest | \
                            writes a second | requests to the table |\n\
                            |---|---:|---:|---:|---:|---:|---:|---:|";

    /// How many writes were acknowledged a second.
    #[must_use]
    pub fn per_second(&self) -> u128 {
        u128::from(self.acknowledged) * 1_000 / self.time.as_millis().max(1)
    }
}

impl fmt::Display for Throughput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { crowd, acknowledged, refused, unknown, late, longest, requests, .. } = self;
        let who = if crowd.user.is_some() { "calls of one user" } else { "writers" };
        write!(
            f,
            "| {} {who}, groups: {}, processes: {} | {acknowledged} | {refused} | {unknown} | {late} \
             | {} ms | {} | {requests} |",
            crowd.writers,
            crowd.groups,
            crowd.processes,
            longest.as_millis(),
            self.per_second()
        )
    }
}
