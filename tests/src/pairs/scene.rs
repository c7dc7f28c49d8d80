//! The stage on which pairs run: one engine, two instances, and the rows of the scene.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
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
use fracti_core::{caller::telegram, values::time::Timestamp};
use fracti_http::{App, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock, Random};
use fracti_store::{SdkItem, Table};

use super::{
    CHANNELS,
    shape::{Rows, row, words},
    writes::{self, TOKEN, Write},
};
use crate::{
    client::{Reply, Transport},
    database::TABLE,
    events::SIGNED_AT,
    faults::{Plan, Proxy},
    operations::{Ids, operation},
};

/// Two instances over one table, and the scene.
#[derive(Debug)]
pub struct Stage {
    pub(super) proxy: Arc<Proxy>,
    sender: Sender,
    /// The rows of the scene by their keys.
    scene: BTreeMap<[String; 2], SdkItem>,
    /// The ids and times in these rows.
    pub(super) known: HashSet<String>,
    random: Arc<AtomicU64>,
}

/// What sends the requests of a pair.
#[derive(Clone, Debug)]
pub(super) struct Sender {
    instances: Vec<(Transport, Table)>,
    ids: Arc<Ids>,
    now: Timestamp,
}

impl Stage {
    /// A stage with the scene.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub async fn new() -> Self {
        let proxy = Arc::new(Proxy::start(Plan::none()).await);
        let now = Timestamp::from_millis(SIGNED_AT).unwrap();
        let random = Arc::new(AtomicU64::new(1));
        let api = instance(proxy.client.clone(), now, &random);
        let ids = Arc::new(writes::scene(&api.0, &api.1, now).await);
        let sender = Sender { instances: Vec::new(), ids, now };
        let (scene, known) = (BTreeMap::new(), HashSet::new());
        let mut stage = Self { proxy, sender, scene, known, random };
        stage.scene = stage.scan().await;
        for item in stage.scene.values() {
            stage.known.extend(words(&format!("{item:?}")).map(str::to_owned));
        }
        stage
    }

    /// The rows in the table.
    async fn scan(&self) -> BTreeMap<[String; 2], SdkItem> {
        let mut pages = self.proxy.client.scan().table_name(TABLE).into_paginator().items().send();
        let mut rows = BTreeMap::new();
        while let Some(item) = pages.next().await {
            let item: HashMap<_, _> = item.unwrap();
            let key = ["PK", "SK"].map(|name| item[name].as_s().unwrap().clone());
            rows.insert(key, item);
        }
        rows
    }

    /// The rows as they are compared.
    pub(super) async fn rows(&self) -> Rows {
        let rows = self.scan().await;
        let mut rows: Rows = rows.values().filter_map(|item| row(item, &self.known)).collect();
        rows.sort();
        rows
    }

    /// Makes the scene again, with new instances.
    pub(super) async fn reset(&mut self) {
        let rows = self.scan().await;
        let mut writes = Vec::new();
        for (key, item) in &rows {
            if !self.scene.contains_key(key) {
                let key = ["PK", "SK"].map(|name| (name.to_owned(), item[name].clone()));
                let delete = DeleteRequest::builder().set_key(Some(key.into())).build().unwrap();
                writes.push(WriteRequest::builder().delete_request(delete).build());
            }
        }
        for (key, item) in &self.scene {
            if rows.get(key) != Some(item) {
                let put = PutRequest::builder().set_item(Some(item.clone())).build().unwrap();
                writes.push(WriteRequest::builder().put_request(put).build());
            }
        }
        for chunk in writes.chunks(25) {
            let request = self.proxy.client.batch_write_item();
            request.request_items(TABLE, chunk.to_vec()).send().await.unwrap();
        }
        let instance =
            |channel: usize| instance(self.client(channel), self.sender.now, &self.random);
        self.sender.instances = CHANNELS.map(instance).into();
    }

    /// A client that repeats requests at once.
    fn client(&self, channel: usize) -> Client {
        let config = self.proxy.patient_client(channel).config().to_builder();
        let retries = RetryConfig::standard()
            .with_max_attempts(3)
            .with_initial_backoff(std::time::Duration::from_millis(1));
        let partition = RetryPartition::new(format!("pairs-{}", self.random.fetch_add(1, SeqCst)));
        let config = config.timeout_config(TimeoutConfig::disabled()).retry_config(retries);
        Client::from_conf(config.retry_partition(partition).build())
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
fn instance(client: Client, now: Timestamp, seeds: &AtomicU64) -> (Transport, Table) {
    let rng = std::sync::Mutex::new(fastrand::Rng::with_seed(seeds.fetch_add(1, SeqCst)));
    let table = Table::new(client, TABLE);
    let app = App {
        clock: Clock::of(move || now),
        random: Random::of(move |bytes| rng.lock().unwrap().fill(bytes)),
        operators: ["1".parse().unwrap()].into(),
        ..App::new(table.clone(), BotToken::new(TOKEN), telegram::MAX_AGE)
    };
    (Transport::Router(service(routes(), app)), table)
}
