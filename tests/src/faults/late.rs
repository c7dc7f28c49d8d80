//! Transaction attempts that arrive after their retry.

use std::sync::Arc;

use super::{Call, held::Hold};

/// Attempts whose clients lost the connection; they are executed later.
#[derive(Debug, Default)]
pub(super) struct Attempts(Vec<Attempt>);

#[derive(Debug)]
struct Attempt {
    channel: String,
    token: Option<String>,
    /// Whether the retry was refused; the attempt is not executed before.
    refused: bool,
    /// Requests of the same channel that come first.
    requests: usize,
    hold: Arc<Hold>,
}

impl Attempts {
    /// Adds an attempt that is executed after `requests` requests have followed the refusal of its
    /// retry.
    pub(super) fn add(&mut self, call: &Call, requests: usize, hold: Arc<Hold>) {
        let channel = call.channel.clone();
        let token = call.token.clone();
        self.0.push(Attempt { channel, token, refused: false, requests, hold });
    }

    /// Whether `call` is the first retry of a late attempt, and therefore refused.
    pub(super) fn refuse(&mut self, call: &Call) -> bool {
        let is_retry =
            |it: &&mut Attempt| !it.refused && it.token.is_some() && it.token == call.token;
        let retried = self.0.iter_mut().find(is_retry);
        retried.map(|attempt| attempt.refused = true).is_some()
    }

    /// The attempts to execute before `call`.
    pub(super) fn due(&mut self, call: &Call) -> Vec<Arc<Hold>> {
        for attempt in self.0.iter_mut().filter(|it| it.refused && it.channel == call.channel) {
            attempt.requests = attempt.requests.wrapping_sub(1);
        }
        let due = self.0.extract_if(.., |it| it.requests == usize::MAX);
        due.map(|attempt| attempt.hold).collect()
    }

    /// Removes and returns all attempts.
    pub(super) fn take(&mut self) -> Vec<Arc<Hold>> {
        self.0.drain(..).map(|attempt| attempt.hold).collect()
    }
}
