//! The API, and the groups that are measured.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::SeqCst},
    },
    time::{Duration, Instant},
};

use aws_sdk_dynamodb::Client;
use axum::{Router, body::Bytes, http::Method};
use fracti_core::{caller::telegram, values::time::Timestamp};
use fracti_http::{App, service};
use fracti_local::routes;
use fracti_runtime::{BotToken, Clock};
use fracti_store::Table;
use fracti_tests::{
    client,
    database::TABLE,
    events::{SIGNED_AT, TOKEN},
};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::recorder::Recorder;

/// Members of a group.
const MEMBERS: u64 = 6;

/// Days of a group's history.
const DAYS: usize = 10;

/// Expenses of a group.
const EXPENSES: usize = 51;

const DAY: u64 = 24 * 60 * 60 * 1000;

/// A router as Lambda runs it, with a clock that is set. It serves one request at a time.
#[derive(Debug)]
pub(crate) struct Api {
    router: Router,
    clock: Arc<AtomicU64>,
}

/// A group, and its last expense.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    id: String,
    expense: String,
}

/// A kind of request: name, method, path within the group, body.
pub(crate) type Asked = (&'static str, Method, &'static str, Value);

pub(crate) fn get(name: &'static str, path: &'static str) -> Asked {
    (name, Method::GET, path, Value::Null)
}

/// An expense that all members share.
pub(crate) fn post() -> Asked {
    let body = json!({ "amount": 25, "description": "Dinner at the restaurant" });
    ("`POST expenses`", Method::POST, "/expenses", body)
}

impl Api {
    /// An API whose requests to DynamoDB are recorded. Recording takes time.
    pub(crate) fn recorded(client: &Client) -> (Self, Recorder) {
        let recorder = Recorder::default();
        let config = client.config().to_builder().interceptor(recorder.clone());
        (Self::new(&Client::from_conf(config.build())), recorder)
    }

    pub(crate) fn new(client: &Client) -> Self {
        let table = Table::new(client.clone(), TABLE);
        let clock = Arc::new(AtomicU64::new(SIGNED_AT));
        let now = clock.clone();
        let app = App {
            clock: Clock::of(move || Timestamp::from_millis(now.load(SeqCst)).unwrap()),
            ..App::new(table, BotToken::new(TOKEN), telegram::MAX_AGE)
        };
        Self { router: service(routes(), app), clock }
    }

    /// Sends a request of `member`, and returns how long the response took.
    async fn send(
        &self,
        member: u64,
        method: &Method,
        path: &str,
        body: &Value,
    ) -> (Duration, Bytes) {
        let user = client::user(member, &format!("Member {member}"));
        let now = Timestamp::from_millis(self.clock.load(SeqCst)).unwrap();
        let request =
            client::request(method, path, &client::authorization(&user, TOKEN, now), None, body);
        let began = Instant::now();
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        let took = began.elapsed();
        assert!(parts.status.is_success(), "{method} {path}: {body:?}");
        (took, body)
    }

    /// Asks once, and returns how long the response took.
    pub(crate) async fn ask(&self, (_, method, path, body): &Asked, group: &Group) -> Duration {
        let path = format!("/api/groups/{}{path}", group.id).replace("{expense}", &group.expense);
        self.send(1, method, &path, body).await.0
    }

    async fn post(&self, member: u64, path: &str, body: Value) -> Value {
        let (_, response) = self.send(member, &Method::POST, path, &body).await;
        serde_json::from_slice(&response).unwrap()
    }

    /// A group with so many adjustments, over ten days, and then 51 expenses.
    pub(crate) async fn group(&self, adjustments: usize) -> Group {
        self.clock.store(SIGNED_AT, SeqCst);
        let new = json!({ "title": "Alps", "chatId": 1, "currency": "EUR" });
        let reply = self.post(1, "/api/groups", new).await;
        let id = reply["data"]["id"].as_str().unwrap().to_owned();
        let at = |rest: &str| format!("/api/groups/{id}{rest}");
        for member in 2..=MEMBERS {
            self.post(member, &at("/join"), json!({})).await;
        }
        for day in 0..DAYS {
            let adjustment = |number: usize| {
                let change = |user: &str, amount: i32| json!({ "userId": user, "amount": amount });
                let changes = [change("1", 1), change("2", -1)];
                json!({ "entryId": format!("{day}-{number}"), "changes": changes })
            };
            let entries: Vec<_> = (0..adjustments / DAYS).map(adjustment).collect();
            for entries in entries.chunks(90) {
                self.post(1, &at("/ledger/entries"), json!({ "entries": entries })).await;
            }
            self.clock.fetch_add(DAY, SeqCst);
        }
        let mut expense = String::new();
        let (.., body) = post();
        for _ in 0..EXPENSES {
            let reply = self.post(1, &at("/expenses"), body.clone()).await;
            reply["data"]["id"].as_str().unwrap().clone_into(&mut expense);
        }
        Group { id, expense }
    }
}
