//! Fault injection: a proxy between the SDK and an embedded engine.
//!
//! A hash of the seed, the channel and the number of requests of the same operation in the channel
//! decides the fault of a request. A channel is the first segment of the endpoint's path, one for
//! each client that sends its requests in sequence. With the same seed, a channel with the same
//! requests meets the same faults. The interleaving of channels does not repeat: another one may
//! lose a race and retry.
//!
//! The proxy does only what DynamoDB may do. A transaction whose token was committed is not
//! cancelled, and a request that the client has given up may still arrive.

mod answer;
mod capacity;
mod held;
mod late;
mod plan;
mod replica;

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::SeqCst},
    },
};

use aws_sdk_dynamodb::{Client, config::retry::RetryPartition};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Request, StatusCode, Uri, header},
    response::Response,
    serve::Listener,
};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinHandle,
};

use answer::Answer;
use capacity::Capacity;
pub use held::Held;
use held::Hold;
pub(crate) use held::{Effect, Holds};
pub use plan::{Fault, Plan};
use replica::Replica;

use crate::database::{Database, TABLE, patient};

/// The operation that commits transactions.
pub(crate) const WRITE: &str = "TransactWriteItems";

/// Maximum number of concurrent requests.
const MAX_UNDER_WAY: u32 = 100_000;

/// An engine with an empty table, behind a proxy.
#[derive(Debug)]
pub struct Proxy {
    /// A client of the engine itself, without timeouts.
    pub client: Client,
    endpoint: String,
    wire: Arc<Wire>,
    served: JoinHandle<std::io::Result<()>>,
    database: Database,
}

#[derive(Debug)]
struct Wire {
    plan: Plan,
    faults_off: AtomicBool,
    engine: String,
    http: legacy::Client<HttpConnector, Body>,
    replica: Option<tokio::sync::Mutex<Replica>>,
    log: Mutex<Log>,
    holds: Holds,
    capacity: Mutex<Option<Capacity>>,
    late: Mutex<late::Attempts>,
    under_way: Arc<Semaphore>,
}

/// Requests and injected faults so far.
#[derive(Debug, Default)]
struct Log {
    connections: u64,
    requests: u64,
    seen: HashMap<(String, String), u64>,
    injected: BTreeMap<Fault, u64>,
    forced: VecDeque<(&'static str, Fault)>,
    committed: HashSet<String>,
}

/// A request of the SDK.
#[derive(Clone, Debug)]
pub struct Call {
    channel: String,
    operation: String,
    headers: HeaderMap,
    body: Bytes,
    /// The `ClientRequestToken`, which identifies retries of a transaction.
    token: Option<String>,
}

impl Proxy {
    /// Starts an engine, and a proxy that follows `plan`.
    ///
    /// # Panics
    ///
    /// If there is no free port, or the table cannot be created.
    pub async fn start(plan: Plan) -> Self {
        let database = Database::start().await;
        let client = database.patient_client();
        let replica = match plan.lag {
            0 => None,
            lag => Some(tokio::sync::Mutex::new(Replica::start(lag).await)),
        };
        let wire = Arc::new(Wire {
            plan,
            faults_off: AtomicBool::new(true),
            engine: database.endpoint().to_owned(),
            http: http(),
            replica,
            log: Mutex::default(),
            holds: Holds::default(),
            capacity: Mutex::default(),
            late: Mutex::default(),
            under_way: Arc::new(Semaphore::new(MAX_UNDER_WAY as usize)),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let gate = Gate { listener, wire: wire.clone() };
        let router = Router::new().fallback(serve).layer(DefaultBodyLimit::disable());
        let router = router.with_state(wire.clone());
        let served = tokio::spawn(async move { axum::serve(gate, router).await });
        Self { client, endpoint, wire, served, database }
    }

    /// The endpoint of a channel.
    #[must_use]
    pub fn channel(&self, channel: usize) -> String {
        format!("{}/{channel}", self.endpoint)
    }

    /// A client of a channel, with the timeouts and retries of production and its own retry quota.
    #[must_use]
    pub fn client(&self, channel: usize) -> Client {
        let client = self.database.client_at(&self.channel(channel));
        let config = client.config().to_builder();
        Client::from_conf(
            config.retry_partition(RetryPartition::new(self.channel(channel))).build(),
        )
    }

    /// A client of a channel without timeouts.
    #[must_use]
    pub fn patient_client(&self, channel: usize) -> Client {
        patient(&self.database.client_at(&self.channel(channel)))
    }

    /// Gives each partition a capacity of this many write units a second, which is full; without a
    /// number, any capacity. What is beyond it is answered `ThrottlingException`.
    pub fn limit(&self, units: Option<u32>) {
        *self.wire.capacity() = units.map(Capacity::new);
    }

    /// Starts injecting faults.
    pub fn start_faults(&self) {
        self.wire.faults_off.store(false, SeqCst);
    }

    /// Stops injecting faults, and waits until all pending requests are done and the indexes are up
    /// to date.
    ///
    /// # Panics
    ///
    /// If the replica refuses a write that the engine accepted.
    pub async fn stop_faults(&self) {
        self.wire.faults_off.store(true, SeqCst);
        self.wire.release_late().await;
        drop(self.wire.under_way.acquire_many(MAX_UNDER_WAY).await.unwrap());
        if let Some(replica) = &self.wire.replica {
            replica.lock().await.catch_up(&self.wire.http).await;
        }
    }

    /// Injects these faults into the next requests of an operation, in order, regardless of the
    /// plan.
    pub fn force(&self, operation: &'static str, faults: impl IntoIterator<Item = Fault>) {
        self.wire.log().forced.extend(faults.into_iter().map(|fault| (operation, fault)));
    }

    /// Holds the requests for which `chosen` returns true, instead of any fault, until they are
    /// released. `chosen` is called once for each request, unless an earlier hold took it.
    #[must_use]
    pub fn hold(&self, chosen: impl FnMut(&Call) -> bool + Send + 'static) -> Held {
        self.take(Effect::Hold, chosen)
    }

    /// Like [`hold`](Self::hold), but the client loses its connection immediately: its retry
    /// overtakes the first attempt, which arrives late.
    #[must_use]
    pub fn hold_late(&self, chosen: impl FnMut(&Call) -> bool + Send + 'static) -> Held {
        self.take(Effect::HoldLate, chosen)
    }

    /// Cuts the connections of the requests for which `chosen` returns true, before they reach the
    /// engine, until the result is dropped.
    #[must_use]
    pub fn cut(&self, chosen: impl FnMut(&Call) -> bool + Send + 'static) -> Held {
        self.take(Effect::Cut, chosen)
    }

    pub(crate) fn take(
        &self,
        effect: Effect,
        chosen: impl FnMut(&Call) -> bool + Send + 'static,
    ) -> Held {
        self.wire.holds.add(effect, chosen)
    }

    /// Forgets the forced faults that did not happen yet.
    pub fn unforce(&self) {
        self.wire.log().forced.clear();
    }

    /// The number of forced faults that did not happen yet.
    #[must_use]
    pub fn left(&self) -> usize {
        self.wire.log().forced.len()
    }

    /// The number of requests, and of faults by kind.
    #[must_use]
    pub fn tally(&self) -> (u64, BTreeMap<Fault, u64>) {
        let log = self.wire.log();
        (log.requests, log.injected.clone())
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// An HTTP client without delays for batching.
pub(crate) fn http() -> legacy::Client<HttpConnector, Body> {
    let mut connector = HttpConnector::new();
    connector.set_nodelay(true);
    legacy::Client::builder(TokioExecutor::new()).build(connector)
}

impl Wire {
    fn log(&self) -> std::sync::MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn late(&self) -> std::sync::MutexGuard<'_, late::Attempts> {
        self.late.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn capacity(&self) -> std::sync::MutexGuard<'_, Option<Capacity>> {
        self.capacity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Releases all late attempts.
    async fn release_late(&self) {
        let attempts = self.late().take();
        for attempt in attempts {
            attempt.release().await;
        }
    }

    /// The fault for a request.
    fn fault(&self, call: &Call) -> Option<Fault> {
        let mut log = self.log();
        log.requests += 1;
        let seen = log.seen.entry((call.channel.clone(), call.operation.clone())).or_default();
        *seen += 1;
        let nth = *seen;
        let committed = call.token.as_ref().is_some_and(|token| log.committed.contains(token));
        let possible = |fault: &Fault| fault.happens_to(&call.operation, committed);
        let forced = log.forced.front().is_some_and(|(on, _)| *on == call.operation);
        let fault = if forced {
            log.forced.pop_front().map(|(_, fault)| fault)
        } else if self.faults_off.load(SeqCst) {
            None
        } else {
            self.plan.fault(&call.channel, &call.operation, nth, possible)
        };
        if let Some(fault) = fault {
            *log.injected.entry(fault).or_default() += 1;
        }
        fault
    }

    /// Whether a new connection is refused.
    fn refuses(&self) -> bool {
        let mut log = self.log();
        log.connections += 1;
        let refused = !self.faults_off.load(SeqCst) && self.plan.refuses(log.connections);
        if refused {
            *log.injected.entry(Fault::Refuse).or_default() += 1;
        }
        refused
    }

    /// The response of the engine, or of the lagging index.
    async fn ask(&self, call: &Call) -> Answer {
        let Some(replica) = &self.replica else {
            let answer = send(&self.http, &self.engine, call).await;
            self.note(call, &answer);
            return answer;
        };
        if call.index() {
            let replica = replica.lock().await;
            if replica.is_late() {
                *self.log().injected.entry(Fault::StaleIndex).or_default() += 1;
            }
            return replica.ask(&self.http, call).await;
        }
        if !call.writes() {
            return send(&self.http, &self.engine, call).await;
        }
        // Writes are serialized, so that the replica gets them in commit order.
        let mut replica = replica.lock().await;
        let answer = send(&self.http, &self.engine, call).await;
        self.note(call, &answer);
        if answer.status == StatusCode::OK {
            replica.write(&self.http, call.clone()).await;
        }
        answer
    }

    fn note(&self, call: &Call, answer: &Answer) {
        if answer.status == StatusCode::OK {
            self.log().committed.extend(call.token.clone());
        }
    }

    /// Serves a request once it is released.
    async fn serve_held(&self, hold: &Hold, call: &Call) -> Answer {
        self.log().requests += 1;
        hold.opened().await;
        let answer = self.ask(call).await;
        hold.answered();
        answer
    }

    /// Executes a transaction after its retry, and cuts the client's connection.
    async fn serve_late(self: &Arc<Self>, call: Call) -> Answer {
        // There is no permit left once the proxy waits for all requests to end.
        let Ok(permit) = self.under_way.clone().try_acquire_owned() else {
            self.ask(&call).await;
            return Answer::cut();
        };
        let nth = self.log().injected.get(&Fault::Late).copied().unwrap_or_default();
        let hold = Arc::new(Hold::of_one());
        self.late().add(&call, self.plan.lateness(nth), hold.clone());
        let wire = self.clone();
        tokio::spawn(async move {
            hold.opened().await;
            wire.ask(&call).await;
            hold.answered();
            drop(permit);
        });
        // The faults may have ended meanwhile.
        if self.faults_off.load(SeqCst) {
            self.release_late().await;
        }
        Answer::cut()
    }

    /// Serves a request, with its fault.
    async fn serve(self: &Arc<Self>, call: Call) -> Answer {
        if self.late().refuse(&call) {
            self.log().requests += 1;
            return Answer::of(Fault::Conflict, &call);
        }
        let due = self.late().due(&call);
        for attempt in due {
            attempt.release().await;
        }
        let Some(fault) = self.fault(&call) else {
            if self.capacity().as_mut().is_some_and(|capacity| !capacity.takes(&call)) {
                *self.log().injected.entry(Fault::Throttle).or_default() += 1;
                return Answer::of(Fault::Throttle, &call);
            }
            return self.ask(&call).await;
        };
        match fault {
            Fault::Late => self.serve_late(call).await,
            Fault::Delay | Fault::Hang | Fault::Silence => {
                tokio::time::sleep(self.plan.pause(fault)).await;
                self.ask(&call).await
            }
            Fault::CutAfter => {
                self.ask(&call).await;
                Answer::cut()
            }
            Fault::FailAfter => {
                self.ask(&call).await;
                Answer::of(Fault::FailAfter, &call)
            }
            Fault::ShortPage => self.ask(&call.shortened()).await,
            Fault::Unprocessed => {
                let (now, later) = call.halves();
                if now.keys() == 0 {
                    return Answer::unprocessed(None, &later);
                }
                Answer::unprocessed(Some(self.ask(&now).await), &later)
            }
            refusal => Answer::of(refusal, &call),
        }
    }
}

/// Sends a request to an engine.
async fn send(http: &legacy::Client<HttpConnector, Body>, endpoint: &str, call: &Call) -> Answer {
    let mut request = Request::post(endpoint).body(Body::from(call.body.clone())).unwrap();
    *request.headers_mut() = call.headers.clone();
    for name in [header::HOST, header::CONTENT_LENGTH, header::TRANSFER_ENCODING] {
        request.headers_mut().remove(name);
    }
    let (parts, body) = http.request(request).await.unwrap().into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    Answer::new(parts.status, body)
}

async fn serve(
    State(wire): State<Arc<Wire>>,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let channel = uri.path().trim_matches('/').to_owned();
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok());
    let operation = target.and_then(|target| target.split('.').next_back()).unwrap_or_default();
    let call = Call::new(channel, operation.to_owned(), headers, body);
    let permit = wire.under_way.clone().acquire_owned().await.unwrap();
    let held = wire.holds.taking(&call);
    let effect = held.as_ref().map(|hold| hold.effect);
    if effect == Some(Effect::Cut) {
        wire.log().requests += 1;
        return Answer::cut().into();
    }
    // In a separate task: a request that the client gives up arrives nevertheless.
    let answered = tokio::spawn(async move {
        let answer = match held {
            Some(hold) => wire.serve_held(&hold, &call).await,
            None => wire.serve(call).await,
        };
        drop(permit);
        answer
    });
    if effect == Some(Effect::HoldLate) {
        return Answer::cut().into();
    }
    answered.await.unwrap().into()
}

impl Call {
    fn new(channel: String, operation: String, headers: HeaderMap, body: Bytes) -> Self {
        let call = Self { channel, operation, headers, body, token: None };
        let writes = call.operation == WRITE;
        let token = writes.then(|| call.json()["ClientRequestToken"].as_str().map(str::to_owned));
        Self { token: token.flatten(), ..call }
    }

    /// A request that has only a channel and an operation.
    pub(crate) fn of(channel: String, operation: &str) -> Self {
        let operation = operation.to_owned();
        let headers = HeaderMap::new();
        let body = Bytes::new();
        Self { channel, operation, headers, body, token: None }
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The same request with another access key id, by which DynamoDB Local separates tables. It
    /// checks no signatures.
    fn signed_by(&self, access_key_id: &str) -> Self {
        let mut call = self.clone();
        let authorization = call.headers[header::AUTHORIZATION].to_str().unwrap();
        let (start, rest) = authorization.split_once("Credential=").unwrap();
        let (_, scope) = rest.split_once('/').unwrap();
        let authorization = format!("{start}Credential={access_key_id}/{scope}");
        call.headers.insert(header::AUTHORIZATION, authorization.try_into().unwrap());
        call
    }

    fn with(&self, body: &Value) -> Self {
        Self { body: body.to_string().into(), ..self.clone() }
    }

    /// The first segment of the path.
    #[must_use]
    pub fn channel(&self) -> &str {
        &self.channel
    }

    /// The operation, like `GetItem`.
    #[must_use]
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Whether its body contains `text`.
    #[must_use]
    pub fn mentions(&self, text: &str) -> bool {
        std::str::from_utf8(&self.body).is_ok_and(|body| body.contains(text))
    }

    fn writes(&self) -> bool {
        !matches!(&*self.operation, "GetItem" | "Query" | "BatchGetItem" | "Scan")
    }

    /// Whether it reads an index.
    #[must_use]
    pub fn index(&self) -> bool {
        self.operation == "Query" && self.json().get("IndexName").is_some()
    }

    /// The number of actions of a transaction.
    fn actions(&self) -> usize {
        self.json()["TransactItems"].as_array().map_or(0, Vec::len)
    }

    /// The number of keys of a batch.
    fn keys(&self) -> usize {
        self.json()["RequestItems"][TABLE]["Keys"].as_array().map_or(0, Vec::len)
    }

    /// The same query with pages of one row.
    fn shortened(&self) -> Self {
        let mut body = self.json();
        body["Limit"] = 1.into();
        self.with(&body)
    }

    /// The first half of the keys, and the rest.
    fn halves(&self) -> (Self, Value) {
        let mut now = self.json();
        let mut later = self.json();
        let keys = now["RequestItems"][TABLE]["Keys"].as_array().unwrap().clone();
        let (first, second) = keys.split_at(keys.len() / 2);
        now["RequestItems"][TABLE]["Keys"] = first.into();
        later["RequestItems"][TABLE]["Keys"] = second.into();
        (self.with(&now), later["RequestItems"].clone())
    }
}

/// A listener that closes some connections immediately.
struct Gate {
    listener: TcpListener,
    wire: Arc<Wire>,
}

impl Listener for Gate {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        loop {
            let accepted = Listener::accept(&mut self.listener).await;
            if !self.wire.refuses() {
                let _ = accepted.0.set_nodelay(true);
                return accepted;
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
