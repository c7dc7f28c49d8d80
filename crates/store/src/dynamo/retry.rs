//! Pauses between attempts, with backoff and full jitter, until the deadline.

use std::time::Duration;

use tokio::time::Instant;

use super::deadline::retry_until;

/// Upper limit of a pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// The pauses between the attempts at one operation.
///
/// The duration of an attempt bounds the pause after it. On a slow table or among many writers,
/// attempts take longer, and so do the pauses.
///
/// <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>
#[derive(Debug)]
pub(crate) struct Retry {
    deadline: Instant,
    began: Instant,
    backoff_factor: u32,
}

impl Retry {
    pub(crate) fn new() -> Self {
        Self { deadline: retry_until(), began: Instant::now(), backoff_factor: 1 }
    }

    /// The result of `work` if it ends before the deadline.
    pub(crate) async fn before_deadline<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        tokio::time::timeout_at(self.deadline, work).await.ok()
    }

    /// Waits; `false` if the deadline is over.
    pub(crate) async fn pause(&mut self) -> bool {
        let longest = self.began.elapsed().saturating_mul(self.backoff_factor).min(LONGEST_PAUSE);
        let longest = u64::try_from(longest.as_millis()).unwrap_or(u64::MAX);
        let pause = tokio::time::sleep(Duration::from_millis(fastrand::u64(0..=longest)));
        if self.before_deadline(pause).await.is_none() {
            return false;
        }
        self.backoff_factor = self.backoff_factor.saturating_mul(2);
        self.began = Instant::now();
        true
    }
}
