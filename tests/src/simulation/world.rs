//! A table behind a proxy, some processes that use it, and a clock.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::Duration,
};

use aws_sdk_dynamodb::{
    Client,
    config::{
        retry::{RetryConfig, RetryPartition},
        timeout::TimeoutConfig,
    },
};
use fracti_core::{telegram, time::Timestamp};
use fracti_http::{App, BotToken, Clock, Random, service};
use fracti_local::routes;
use fracti_store::Table;

use super::{Actor, Journal, Transport};
use crate::{
    database::TABLE,
    events::SIGNED_AT,
    faults::{Plan, Proxy},
};

/// The bot of the API under test.
pub(super) const TOKEN: &str = "42:test-token";

/// All that a run is made of.
#[derive(Debug)]
pub struct World {
    /// The seed.
    pub seed: u64,
    /// The table's engine, and the faults before it.
    pub proxy: Proxy,
    /// The API, once for each process.
    pub transports: Vec<Transport>,
    /// One more process, in which nothing but a chosen reading is done.
    pub reading: Transport,
    /// The API over the engine itself.
    pub direct: Transport,
    /// The table without faults.
    pub table: Table,
    /// The time of day, in milliseconds.
    pub clock: Arc<AtomicU64>,
    /// What was asked and told.
    pub journal: Arc<Journal>,
}

impl World {
    /// The lane of the process that only reads.
    pub(super) const READER: &str = "9";

    /// The world of a seed: its users share one process, or two, or have one each.
    ///
    /// # Panics
    ///
    /// Where a port cannot be had.
    pub async fn new(seed: u64) -> Self {
        let processes = [1, 2, 3][usize::try_from(seed % 3).unwrap()];
        Self::of(Plan::of(seed), processes, impatient).await
    }

    /// A world with so many processes, each of which reaches the table by a client of its own.
    pub async fn of(
        plan: Plan,
        processes: usize,
        client: impl Fn(&Proxy, usize) -> Client,
    ) -> Self {
        let proxy = Proxy::start(plan).await;
        let clock = Arc::new(AtomicU64::new(SIGNED_AT));
        let transport = |client: Client, process: usize| {
            let random = random(plan.seed, process);
            Transport::Router(service(routes(), app(Table::new(client, TABLE), &clock, random)))
        };
        let transports = (0..processes).map(|it| transport(client(&proxy, it), it)).collect();
        Self {
            seed: plan.seed,
            transports,
            reading: transport(client(&proxy, 9), 9),
            direct: transport(proxy.client.clone(), usize::MAX),
            table: Table::new(proxy.client.clone(), TABLE),
            clock,
            journal: Arc::default(),
            proxy,
        }
    }

    /// A user, in one of the processes.
    ///
    /// # Panics
    ///
    /// Where there is no process.
    #[must_use]
    pub fn user(&self, user: u64) -> Actor {
        let process = usize::try_from(user).unwrap() % self.transports.len();
        let seed = self.seed.wrapping_mul(1_000_003).wrapping_add(user);
        Actor::new(
            self.transports[process].clone(),
            self.clock.clone(),
            self.journal.clone(),
            user,
            seed,
        )
    }

    /// The first user, in a process of their own.
    #[must_use]
    pub fn reader(&self) -> Actor {
        Actor { transport: self.reading.clone(), ..self.user(1) }
    }

    /// The first user, who meets no faults.
    #[must_use]
    pub fn observer(&self) -> Actor {
        Actor { transport: self.direct.clone(), undisturbed: true, ..self.user(1) }
    }
}

/// The application over a table, at a time that the run sets.
fn app(table: Table, clock: &Arc<AtomicU64>, random: Random) -> App {
    let clock = clock.clone();
    App {
        clock: Clock::of(move || Timestamp::from_millis(clock.load(SeqCst)).unwrap()),
        random,
        ..App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE)
    }
}

/// Bytes that the seed decides.
fn random(seed: u64, process: usize) -> Random {
    let rng = std::sync::Mutex::new(fastrand::Rng::with_seed(seed ^ (process as u64) << 32));
    Random::of(move || {
        let mut bytes = [0; 10];
        rng.lock().unwrap().fill(&mut bytes);
        bytes
    })
}

/// A client that gives up soon, so that many runs take little time; in all else it is the one of production.
fn impatient(proxy: &Proxy, process: usize) -> Client {
    let millis = Duration::from_millis;
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(millis(300))
        .operation_attempt_timeout(millis(300))
        .operation_timeout(millis(500));
    let retries = RetryConfig::standard()
        .with_max_attempts(2)
        .with_initial_backoff(millis(2))
        .with_max_backoff(millis(8));
    let endpoint = proxy.channel(process);
    let config = proxy.client.config().to_builder();
    // The quota of retries is a process's own, too.
    let partition = RetryPartition::new(endpoint.clone());
    Client::from_conf(
        config
            .endpoint_url(endpoint)
            .timeout_config(timeouts.build())
            .retry_config(retries)
            .retry_partition(partition)
            .build(),
    )
}
