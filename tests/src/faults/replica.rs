//! Lagging indexes: a second engine receives each write only after some later ones were committed.

use std::collections::VecDeque;

use axum::{body::Body, http::StatusCode};
use hyper_util::client::legacy::{Client, connect::HttpConnector};

use super::{Answer, Call, send};
use crate::database::Database;

/// An engine that lags by some writes.
#[derive(Debug)]
pub(super) struct Replica {
    database: Database,
    lag: usize,
    waiting: VecDeque<Call>,
}

impl Replica {
    pub(super) async fn start(lag: usize) -> Self {
        Self { database: Database::start().await, lag, waiting: VecDeque::new() }
    }

    /// Sends a request of the other engine to this one.
    pub(super) async fn ask(&self, http: &Client<HttpConnector, Body>, call: &Call) -> Answer {
        let call = call.signed_by(self.database.access_key_id());
        send(http, self.database.endpoint(), &call).await
    }

    pub(super) fn is_late(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Queues a committed write, and applies those that are old enough.
    pub(super) async fn write(&mut self, http: &Client<HttpConnector, Body>, call: Call) {
        self.waiting.push_back(call);
        while self.waiting.len() > self.lag {
            self.next(http).await;
        }
    }

    /// Applies all queued writes.
    pub(super) async fn catch_up(&mut self, http: &Client<HttpConnector, Body>) {
        while self.is_late() {
            self.next(http).await;
        }
    }

    async fn next(&mut self, http: &Client<HttpConnector, Body>) {
        if let Some(call) = self.waiting.pop_front() {
            // The same write after the same writes must succeed again.
            let answer = self.ask(http, &call).await;
            assert_eq!(answer.status, StatusCode::OK, "{call:?}");
        }
    }
}
