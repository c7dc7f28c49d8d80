//! The stage on which pairs run: one table, two instances, and the rows of the scene.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
};

use aws_sdk_dynamodb::{
    Client,
    config::{
        retry::{RetryConfig, RetryPartition},
        timeout::TimeoutConfig,
    },
    types::{DeleteRequest, PutRequest, WriteRequest},
};
use fracti_core::{
    caller::telegram,
    decisions::telling::Telling,
    storage::{keys::Primary, row::Item},
    values::time::Timestamp,
};
use fracti_http::{App, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::{Table, from_sdk, to_sdk};

use super::{
    CHANNELS,
    shape::{Compared, row, words},
    writes::{self, TOKEN, Write},
};
use crate::{
    client::{Reply, Transport},
    database::TABLE,
    events::SIGNED_AT,
    faults::{Call, Effect, Fault, Held, Plan, Proxy, WRITE},
    memory::{Channel, Memory, Rows},
    operations::{Ids, operation},
};

/// A Bot API that does not answer: the reply to a command is in the response of the webhook.
const NOBODY: &str = "http://127.0.0.1:9";

/// Two instances over one table, and the scene.
#[derive(Debug)]
pub struct Stage {
    pub(super) wire: Wire,
    sender: Sender,
    /// The rows of the scene by their keys, and as they are compared.
    scene: Rows,
    compared: HashMap<Arc<[String; 2]>, Option<String>>,
    /// The ids and times in these rows.
    pub(super) known: HashSet<String>,
    random: Arc<AtomicU64>,
}

/// The table, and what disturbs its requests.
#[derive(Debug)]
pub(super) enum Wire {
    /// In memory.
    Memory(Arc<Memory>),
    /// An engine behind a proxy.
    Proxy(Arc<Proxy>),
}

/// Sender of the requests of a pair, with the instances of the API.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    instances: Vec<(Transport, Table)>,
    ids: Arc<Ids>,
    now: Timestamp,
}

impl Wire {
    /// Takes the requests for which `chosen` returns true.
    pub(super) fn take(
        &self,
        effect: Effect,
        chosen: impl FnMut(&Call) -> bool + Send + 'static,
    ) -> Held {
        match self {
            Self::Memory(memory) => memory.holds.add(effect, chosen),
            Self::Proxy(proxy) => proxy.take(effect, chosen),
        }
    }

    /// Tells the next transaction of a conflict.
    pub(super) fn conflict(&self) {
        match self {
            Self::Memory(memory) => memory.conflicts(true),
            Self::Proxy(proxy) => proxy.force(WRITE, [Fault::Conflict]),
        }
    }

    pub(super) fn unforce(&self) {
        match self {
            Self::Memory(memory) => memory.conflicts(false),
            Self::Proxy(proxy) => proxy.unforce(),
        }
    }

    /// The rows in the table.
    async fn rows(&self) -> Rows {
        let client = match self {
            Self::Memory(memory) => return memory.rows(),
            Self::Proxy(proxy) => &proxy.client,
        };
        let mut pages = client.scan().table_name(TABLE).into_paginator().items().send();
        let mut rows = Rows::new();
        while let Some(item) = pages.next().await {
            let item = from_sdk(item.unwrap());
            let key = Primary::of(&item).unwrap();
            rows.insert([key.pk, key.sk].into(), Arc::new(item));
        }
        rows
    }

    /// Replaces all rows.
    async fn set(&self, scene: &Rows) {
        let client = match self {
            Self::Memory(memory) => return memory.set(scene.clone()),
            Self::Proxy(proxy) => &proxy.client,
        };
        let rows = self.rows().await;
        let mut writes = Vec::new();
        for (key, item) in &rows {
            if !scene.contains_key(key) {
                let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone()));
                let key = to_sdk(key.into());
                let delete = DeleteRequest::builder().set_key(Some(key)).build().unwrap();
                writes.push(WriteRequest::builder().delete_request(delete).build());
            }
        }
        for (key, item) in scene {
            if rows.get(key) != Some(item) {
                let item = to_sdk((**item).clone());
                let put = PutRequest::builder().set_item(Some(item)).build().unwrap();
                writes.push(WriteRequest::builder().put_request(put).build());
            }
        }
        for chunk in writes.chunks(25) {
            let request = client.batch_write_item().request_items(TABLE, chunk.to_vec());
            request.send().await.unwrap();
        }
    }

    /// The table as an instance sees it, with a client that repeats requests at once.
    fn table(&self, channel: usize, random: &AtomicU64) -> Table {
        let proxy = match self {
            Self::Memory(memory) => {
                return Table::over(Arc::new(Channel::new(memory.clone(), channel)), TABLE);
            }
            Self::Proxy(proxy) => proxy,
        };
        let config = proxy.patient_client(channel).config().to_builder();
        let retries = RetryConfig::standard()
            .with_max_attempts(3)
            .with_initial_backoff(std::time::Duration::from_millis(1));
        let partition = RetryPartition::new(format!("pairs-{}", random.fetch_add(1, SeqCst)));
        let config = config.timeout_config(TimeoutConfig::disabled()).retry_config(retries);
        Table::new(Client::from_conf(config.retry_partition(partition).build()), TABLE)
    }
}

impl Stage {
    /// A stage with the scene, over a table in memory.
    pub async fn new() -> Self {
        Self::over(Wire::Memory(Arc::default())).await
    }

    /// A stage over an engine, or over the DynamoDB that tests use.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn over_engine() -> Self {
        Self::over(Wire::Proxy(Arc::new(Proxy::start(Plan::none()).await))).await
    }

    async fn over(wire: Wire) -> Self {
        let now = Timestamp::from_millis(SIGNED_AT).unwrap();
        let random = Arc::new(AtomicU64::new(1));
        let api = instance(wire.table(2, &random), now, &random);
        let ids = Arc::new(writes::scene(&api.0, &api.1, now).await);
        let instances =
            CHANNELS.map(|channel| instance(wire.table(channel, &random), now, &random));
        let sender = Sender { instances: instances.into(), ids, now };
        let scene = wire.rows().await;
        let known = HashSet::new();
        let mut stage = Self { wire, sender, scene, compared: HashMap::new(), known, random };
        for item in stage.scene.values() {
            stage.known.extend(words(&format!("{item:?}")).map(str::to_owned));
        }
        let compared = stage.scene.iter().map(|(key, it)| (key.clone(), row(it, &stage.known)));
        stage.compared = compared.collect();
        stage
    }

    /// Differences from the scene: rows that are new or have changed, and those that are gone.
    pub(super) async fn rows(&self) -> Compared {
        let rows = self.wire.rows().await;
        let other = |(key, item): (&Arc<[String; 2]>, &Arc<Item>)| match self.scene.get(key) {
            Some(before) if Arc::ptr_eq(before, item) => None,
            _ => {
                let row = row(item, &self.known)?;
                let before = self.compared.get(key).and_then(Option::as_ref);
                (before != Some(&row)).then_some(row)
            }
        };
        let gone =
            self.compared.iter().filter(|(key, row)| row.is_some() && !rows.contains_key(*key));
        let gone = gone.map(|(key, _)| format!("gone: {} {}", key[0], key[1]));
        let mut compared: Compared = rows.iter().filter_map(other).chain(gone).collect();
        compared.sort_unstable();
        compared
    }

    /// Makes the scene again. Instances of an engine are new, with a retry quota of their own.
    pub(super) async fn reset(&mut self) {
        self.wire.set(&self.scene).await;
        if let Wire::Proxy(_) = self.wire {
            let now = self.sender.now;
            let random = &self.random;
            let instance = |channel| instance(self.wire.table(channel, random), now, random);
            self.sender.instances = CHANNELS.map(instance).into();
        }
    }

    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// The tag that a request sends in `If-Match`.
    pub(super) async fn etag(&self, (write, by): &(Write, u64)) -> Option<String> {
        let read = Write { operation: operation(write.if_match?), ..write.clone() };
        let reply = self.ask(CHANNELS[0], &(read, *by), None, None).await.unwrap();
        Some(reply.headers["etag"].to_str().unwrap().to_owned())
    }

    pub(super) async fn ask(
        &self,
        channel: usize,
        request: &(Write, u64),
        key: Option<&str>,
        etag: Option<&str>,
    ) -> Option<Reply> {
        self.sender.ask(channel, request, key, etag).await
    }
}

impl Sender {
    /// Sends a request to the instance of a channel.
    pub(super) async fn ask(
        &self,
        channel: usize,
        (write, by): &(Write, u64),
        key: Option<&str>,
        etag: Option<&str>,
    ) -> Option<Reply> {
        let (api, table) = &self.instances[channel];
        writes::send((api, table), &self.ids, write, *by, (key, etag), self.now).await
    }
}

/// An instance of the API, whose clock stands still, and its table, which a keeper uses, too.
fn instance(table: Table, now: Timestamp, seeds: &AtomicU64) -> (Transport, Table) {
    let table = table.telling(Telling::On);
    let rng = std::sync::Mutex::new(fastrand::Rng::with_seed(seeds.fetch_add(1, SeqCst)));
    let app = App {
        clock: Clock::of(move || now),
        random: Random::of(move |bytes| rng.lock().unwrap().fill(bytes)),
        operators: ["1".parse().unwrap()].into(),
        telegram: Some(NOBODY.into()),
        ..App::new(table.clone(), BotToken::new(TOKEN), telegram::MAX_AGE)
    };
    let app = app.with_bot_api();
    (Transport::Router(service(routes(), app)), table)
}
