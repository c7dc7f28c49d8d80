//! How long a request may take, all in all.
//!
//! A request asks the table several things one after the other, each with the SDK's own patience, and a lost race makes it ask
//! again. Only a deadline over all of it leaves time to say that it was missed.

use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use crate::Error;

/// For how long is tried again what no request waits for.
const RETRY_TIMEOUT: Duration = Duration::from_secs(6);

tokio::task_local! {
    /// Until when an attempt may begin.
    static RETRY_UNTIL: Instant;
}

/// Does `work` within `limit`. Its last quarter is for attempts that began before: none begins in it.
///
/// Work that is not done by then is dropped. What it had sent to the table may still be written: nobody knows.
///
/// # Errors
///
/// [`Error::Unavailable`] where the limit is over.
pub async fn with_deadline<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, Error> {
    let now = Instant::now();
    let after = |time: Duration| now.checked_add(time).unwrap_or(now);
    let quarter = limit.checked_div(4).unwrap_or_default();
    let work = RETRY_UNTIL.scope(after(limit.saturating_sub(quarter)), work);
    let late = |_| Error::Unavailable("the request took too long".into());
    timeout_at(after(limit), work).await.map_err(late)
}

/// Until when an attempt may begin.
pub(super) fn retry_until() -> Instant {
    let now = Instant::now();
    RETRY_UNTIL.try_get().unwrap_or_else(|_| now.checked_add(RETRY_TIMEOUT).unwrap_or(now))
}
