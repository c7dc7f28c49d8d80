//! The deadline of a request.
//!
//! A request reads and writes the table several times, each time with the SDK's own timeouts, and
//! repeats lost writes. Only a deadline for all of it leaves time to answer with an error.

use std::time::Duration;

use fracti_core::input::Error;
use tokio::time::{Instant, timeout_at};

/// Time for retries of work that runs without a deadline.
const RETRY_TIMEOUT: Duration = Duration::from_secs(6);

tokio::task_local! {
    /// No attempt begins after this moment.
    static RETRY_UNTIL: Instant;
}

/// Runs `work` for at most `limit`. No retry begins in the last quarter of that time.
///
/// Unfinished work is dropped. A write that it sent may still be committed.
///
/// # Errors
///
/// [`Error::Unavailable`] if the work is not finished in time.
pub async fn with_deadline<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, Error> {
    let now = Instant::now();
    let after = |time: Duration| now.checked_add(time).unwrap_or(now);
    let quarter = limit.checked_div(4).unwrap_or_default();
    let work = RETRY_UNTIL.scope(after(limit.saturating_sub(quarter)), work);
    let late = |_| Error::Unavailable("the request took too long".into());
    timeout_at(after(limit), work).await.map_err(late)
}

/// Whether it is too late to begin another attempt.
pub(crate) fn is_late() -> bool {
    retry_until() <= Instant::now()
}

/// The moment after which no attempt begins.
pub(super) fn retry_until() -> Instant {
    let now = Instant::now();
    RETRY_UNTIL.try_get().unwrap_or_else(|_| now.checked_add(RETRY_TIMEOUT).unwrap_or(now))
}
