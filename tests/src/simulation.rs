//! Random simulation of concurrent users, over a DynamoDB with injected faults.
//!
//! One seed determines a run: a [`World`] with a proxy and several processes, users that act at
//! random and record requests and responses in a [`Journal`], and an audit that compares every row
//! of the table with the journal. `cargo run -p fracti-tests --example simulation -- --seed 4711`
//! repeats a run.

mod actor;
mod audit;
mod contention;
mod crash;
mod following;
mod forged;
mod funds;
mod guests;
mod imports;
mod journal;
mod operation;
mod past;
mod questions;
mod report;
mod schedules;
mod spendings;
mod state;
mod world;

pub use actor::Actor;
pub use audit::{audit, copies, views};
pub use contention::{Crowd, Throughput};
pub use crash::crashes;
pub use following::{Followed, following};
pub use journal::{Journal, Outcome, Record};
pub use operation::{Operation, Receipt, SettlementUpdate, SpentOn, Split};
pub use report::{Finding, Report};
pub use world::{World, with_short_timeouts};

use std::sync::Arc;

use tokio::{sync::Semaphore, task::JoinSet};

/// Users of a run.
const USERS: u64 = 3;

/// Operations of each user.
const OPERATIONS: usize = 6;

/// One in this many runs pushes and reverts many adjustments at once.
const IMPORTS: u64 = 25;

/// One in this many runs is about guests.
const GUESTS: u64 = 4;

/// One in this many runs is about spendings.
const SPENDINGS: u64 = 6;

/// One in this many runs is about questions.
const QUESTIONS: u64 = 6;

/// One in this many runs is about funds.
const FUNDS: u64 = 12;

/// One in this many runs is about schedules.
const SCHEDULES: u64 = 12;

/// Runs made in parallel.
const PARALLEL_RUNS: usize = 6;

/// Runs the simulation of one seed.
pub async fn run(seed: u64) -> Report {
    let world = Arc::new(World::new(seed).await);
    world.proxy.start_faults();
    let group = world.user(1).create_group().await;
    let imports = seed.is_multiple_of(IMPORTS);
    if imports {
        world.user(2).join(&group).await;
    }
    let mut users = JoinSet::new();
    for user in 1..=USERS {
        let (world, mut actor, group) = (world.clone(), world.user(user), group.clone());
        users.spawn(async move {
            actor.join(&group).await;
            if user == 1 && imports {
                actor.import(&world, 2, &group).await;
            }
            for step in 0..OPERATIONS {
                if user == 1 && step == OPERATIONS / 2 {
                    actor.begin_day(&world, &group).await;
                }
                actor.act().await;
            }
        });
    }
    users.join_all().await;
    world.proxy.stop_faults().await;
    let mut observer = world.observer();
    observer.converge().await;
    observer.complete_all(&group).await;
    observer.read_past(&group).await;
    let report = audit(&world.table, &world.proxy.client, &world.journal).await;
    world.close(report, &observer).await
}

/// Runs the simulation of several seeds and merges their reports.
///
/// # Panics
///
/// If a run panics.
pub async fn runs(seeds: impl IntoIterator<Item = u64>) -> Report {
    let permits = Arc::new(Semaphore::new(PARALLEL_RUNS));
    let mut all = JoinSet::new();
    for seed in seeds {
        let permits = permits.clone();
        all.spawn(async move {
            let _permit = permits.acquire_owned().await.unwrap();
            // A panic becomes a finding, with the command that repeats the run.
            let one = if seed % GUESTS == 1 {
                tokio::spawn(guests::run(seed))
            } else if seed % SPENDINGS == 2 {
                tokio::spawn(spendings::run(seed))
            } else if seed % QUESTIONS == 4 {
                tokio::spawn(questions::run(seed))
            } else if seed % FUNDS == 3 {
                tokio::spawn(funds::run(seed))
            } else if seed % SCHEDULES == 7 {
                tokio::spawn(schedules::run(seed))
            } else {
                tokio::spawn(run(seed))
            };
            one.await.unwrap_or_else(|panic| Report::of_panic(seed, &panic))
        });
    }
    all.join_all().await.into_iter().fold(Report::default(), Report::and)
}
