//! Contention without faults: writes per second, and the outcome of late writes.

use std::{
    collections::BTreeSet,
    fmt,
    time::{Duration, Instant},
};

use tokio::task::JoinSet;

use super::{Actor, Outcome, Report, World, audit};
use crate::faults::{Plan, Proxy};

/// The timeout of a function.
const LAMBDA: Duration = Duration::from_secs(10);

/// Members of a group.
const MEMBERS: u64 = 5;

/// Concurrent writers and their groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// Number of writers.
    pub writers: u64,
    /// Number of groups; each writer writes to one.
    pub groups: usize,
    /// The user, if all writers are the same one.
    pub user: Option<u64>,
    /// Number of processes.
    pub processes: usize,
}

/// The outcome of concurrent writes.
#[derive(Clone, Debug)]
pub struct Throughput {
    /// The writers.
    pub crowd: Crowd,
    /// Acknowledged writes.
    pub acknowledged: u64,
    /// Writes refused with 409 and `Retry-After`.
    pub refused: u64,
    /// Writes with any other response.
    pub unknown: u64,
    /// Responses later than a function's timeout.
    pub late: u64,
    /// Total duration.
    pub time: Duration,
    /// Duration of the slowest write.
    pub longest: Duration,
    /// Requests to the table.
    pub requests: u64,
}

impl Crowd {
    /// Runs all writers concurrently.
    ///
    /// All processes share one machine and one engine, so their clients have no timeouts: this
    /// measures the contention between writers of a group, not the speed of the engine.
    ///
    /// # Panics
    ///
    /// If a writer panics.
    pub async fn write(self) -> (Throughput, Report) {
        let world = World::of(Plan::none(), self.processes, Proxy::patient_client).await;
        let creator = world.user(self.user.unwrap_or(1));
        let mut groups = Vec::new();
        for _ in 0..self.groups {
            groups.push(creator.clone().create_group().await);
        }
        let writer = |index: u64| {
            let user = self.user.unwrap_or(index % MEMBERS + 1);
            let group = groups[usize::try_from(index).unwrap() % groups.len()].clone();
            // Each writer has its own process; users may be shared.
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
                (user.spend_equally(&group).await, began.elapsed())
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
    /// Header of the Markdown table.
    pub const HEAD: &str = "| who | acknowledged | 409 | 503 | later than 10 s | the longest | \
                            writes a second | requests to the table |\n\
                            |---|---:|---:|---:|---:|---:|---:|---:|";

    /// Acknowledged writes per second.
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
