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
use fracti_core::{
    caller::telegram,
    input::Error,
    values::{id::GroupId, time::Timestamp},
};
use fracti_http::{App, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::Table;

use super::{
    Actor, Finding, Journal, Report,
    audit::{self, copies, views},
    state::State,
};
use crate::{
    client::Transport,
    database::TABLE,
    events::SIGNED_AT,
    faults::{Plan, Proxy},
};

/// The bot of the API under test.
pub(super) const TOKEN: &str = "42:test-token";

/// The environment of a run.
#[derive(Debug)]
pub struct World {
    /// Seed of the run, which repeats it.
    pub seed: u64,
    /// The engine with the proxy that injects faults.
    pub proxy: Proxy,
    /// The API, one router for each process.
    pub transports: Vec<Transport>,
    /// One more process, used only for chosen reads.
    pub reading: Transport,
    /// The API over the engine without the proxy.
    pub direct: Transport,
    /// The table without faults.
    pub table: Table,
    /// The current time in milliseconds.
    pub clock: Arc<AtomicU64>,
    /// The journal.
    pub journal: Arc<Journal>,
}

impl World {
    /// The channel of the process that only reads.
    pub(super) const READER: &str = "9";

    /// The world of a seed, with one to three processes.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn new(seed: u64) -> Self {
        let processes = [1, 2, 3][usize::try_from(seed % 3).unwrap()];
        Self::of(Plan::of(seed), processes, with_short_timeouts).await
    }

    /// A world with `processes` processes, each with its own client of the table.
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
    /// If there is no process.
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

    /// The first user, in a separate process.
    #[must_use]
    pub fn reader(&self) -> Actor {
        Actor { transport: self.reading.clone(), ..self.user(1) }
    }

    /// The first user, without faults.
    #[must_use]
    pub fn observer(&self) -> Actor {
        Actor { transport: self.direct.clone(), undisturbed: true, ..self.user(1) }
    }

    /// The report of a run in one group, after the checks of its own: what holds after each of
    /// them.
    pub(super) async fn conclude(
        &self,
        mut report: Report,
        group: GroupId,
        observer: &Actor,
        state: State,
    ) -> Report {
        let ledger = audit::of_ledger(&state, group).into_iter();
        for finding in ledger.chain(self.journal.findings()).chain(state.findings) {
            report.find(finding);
        }
        match self.table.verify(group, audit::LAST_MOMENT.parse().unwrap()).await {
            Ok(()) => {}
            Err(Error::Discrepancy(what)) => report.find(Finding::Off(what.to_string())),
            Err(error) => panic!("{error:?}"),
        }
        self.close(report, observer).await
    }

    /// The report of a run, after what a user sees and what copies hold is checked.
    pub(super) async fn close(&self, mut report: Report, observer: &Actor) -> Report {
        views(&self.proxy.client, observer, &mut report).await;
        copies(&self.table, &self.proxy.client, &mut report).await;
        let (requests, faults) = self.proxy.tally();
        report.close(&format!("--seed {}", self.seed), requests, faults);
        report
    }
}

/// The application over a table, with the run's clock.
fn app(table: Table, clock: &Arc<AtomicU64>, random: Random) -> App {
    let clock = clock.clone();
    App {
        clock: Clock::of(move || Timestamp::from_millis(clock.load(SeqCst)).unwrap()),
        random,
        operators: ["4".parse().unwrap()].into(),
        ..App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE)
    }
}

/// Random bytes determined by the seed.
fn random(seed: u64, process: usize) -> Random {
    let rng = std::sync::Mutex::new(fastrand::Rng::with_seed(seed ^ (process as u64) << 32));
    Random::of(move |bytes| rng.lock().unwrap().fill(bytes))
}

/// A client with short timeouts, so that runs are fast; otherwise as in production.
#[must_use]
pub fn with_short_timeouts(proxy: &Proxy, process: usize) -> Client {
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
    // Each process has its own retry quota.
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
