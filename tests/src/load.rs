//! Many clients that call one server at the same time, each in a group of its own.

use std::time::{Duration, Instant};

use axum::http::{Method, StatusCode, header};
use fracti_runtime::Clock;
use serde_json::{Value, json};
use tokio::{sync::mpsc, task::JoinSet};

use crate::client::{self, Reply, Transport};

/// Clients that create their groups at the same time.
const CREATING_AT_ONCE: usize = 8;

/// A client with a group of two members.
#[derive(Clone, Debug)]
pub struct Client {
    transport: Transport,
    token: String,
    user: u64,
    group: String,
}

/// The behaviour of clients.
#[derive(Clone, Copy, Debug)]
pub struct Behaviour {
    /// Requests of each client, one after the other.
    pub requests: usize,
    /// Whether a client waits for `Retry-After` before it repeats a request after a 503.
    pub pauses: bool,
    /// The time after which all clients stop, even with requests left.
    pub time_limit: Duration,
}

/// The outcome of a load.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers {
    /// Requests sent, without repetitions.
    pub requests: usize,
    /// Requests that succeeded.
    pub done: usize,
    /// Responses with 503.
    pub refused: usize,
    /// The time until the last request succeeded.
    pub time: Duration,
}

impl Client {
    /// Creates the clients `numbers` of the server at `api`, whose bot has `token`, each with its
    /// own group.
    ///
    /// # Panics
    ///
    /// If the server refuses a group.
    pub async fn create(api: &str, token: &str, numbers: std::ops::Range<u64>) -> Vec<Self> {
        let transport = Transport::to_server(api);
        let mut clients = Vec::new();
        let mut creating = JoinSet::new();
        for number in numbers {
            if creating.len() == CREATING_AT_ONCE {
                clients.extend(creating.join_next().await.map(Result::unwrap));
            }
            let group = String::new();
            // Each client has two users: the caller and the other member.
            let client = Self {
                transport: transport.clone(),
                token: token.to_owned(),
                user: 2 * number + 1,
                group,
            };
            creating.spawn(client.with_group());
        }
        clients.extend(creating.join_all().await);
        clients
    }

    async fn with_group(mut self) -> Self {
        let group = json!({ "title": "Load", "chatId": self.user, "currency": "EUR" });
        let reply = self.post(self.user, "/api/groups", &group, "found").await;
        let reply = reply.unwrap();
        assert_eq!(reply.status, StatusCode::CREATED, "{}", reply.body);
        self.group = reply.body["data"]["id"].as_str().unwrap().to_owned();
        let path = format!("/api/groups/{}/join", self.group);
        let reply = self.post(self.user + 1, &path, &json!({}), "join").await.unwrap();
        assert_eq!(reply.status, StatusCode::OK, "{}", reply.body);
        self
    }

    /// Sends a POST as `user`; `None` if the connection broke.
    async fn post(&self, user: u64, path: &str, body: &Value, key: &str) -> Option<Reply> {
        let user = client::user(user, &format!("User {user}"));
        let authorization = client::authorization(&user, &self.token, Clock::system().now());
        let request = client::request(&Method::POST, path, &authorization, Some(key), body);
        self.transport.send(request).await
    }

    /// Writes two adjustments, repeats the request until it succeeds, and reports the status of
    /// every response.
    async fn write(&self, name: &str, pauses: bool, answered: &mpsc::UnboundedSender<StatusCode>) {
        let changes = json!([
            { "userId": self.user.to_string(), "amount": "1" },
            { "userId": (self.user + 1).to_string(), "amount": "-1" },
        ]);
        let entries = ["one", "other"]
            .map(|it| json!({ "entryId": format!("{name}-{it}"), "changes": changes }));
        let body = json!({ "entries": entries });
        let path = format!("/api/groups/{}/ledger/entries", self.group);
        loop {
            // An overloaded server may also close the connection.
            let Some(reply) = self.post(self.user, &path, &body, name).await else { continue };
            let _ = answered.send(reply.status);
            if reply.status == StatusCode::OK {
                return;
            }
            let later = [StatusCode::SERVICE_UNAVAILABLE, StatusCode::CONFLICT];
            assert!(later.contains(&reply.status), "{}", reply.body);
            let seconds = reply.headers[header::RETRY_AFTER].to_str().unwrap().parse().unwrap();
            if pauses {
                tokio::time::sleep(Duration::from_secs(seconds)).await;
            }
        }
    }
}

/// Runs all clients at the same time; `name` distinguishes the requests of this load from others.
///
/// # Panics
///
/// If a response is neither 200 nor 503 with `Retry-After`.
pub async fn load(clients: &[Client], name: &str, behaviour: Behaviour) -> Answers {
    let Behaviour { requests, pauses, time_limit } = behaviour;
    let began = Instant::now();
    let (sender, mut answered) = mpsc::unbounded_channel();
    let mut writers = JoinSet::new();
    for client in clients {
        let client = client.clone();
        let sender = sender.clone();
        let name = name.to_owned();
        writers.spawn(async move {
            for number in 0..requests {
                client.write(&format!("{name}-{number}"), pauses, &sender).await;
            }
        });
    }
    drop(sender);
    let mut answers = Answers { requests: clients.len() * requests, ..Answers::default() };
    let counted = async {
        while let Some(status) = answered.recv().await {
            if status == StatusCode::OK {
                answers.done += 1;
                answers.time = began.elapsed();
            } else {
                answers.refused += 1;
            }
        }
    };
    let _ = tokio::time::timeout(time_limit, counted).await;
    writers.shutdown().await;
    answers
}

impl Answers {
    /// Successful requests per minute.
    #[must_use]
    pub fn rate(&self) -> u128 {
        self.done as u128 * 60_000 / self.time.as_millis().max(1)
    }
}
