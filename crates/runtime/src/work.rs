//! Work without a request, and what the log says of work.

use std::{
    error,
    time::{Duration, Instant},
};

use fracti_core::{
    input::{Error, FailureKind},
    values::id::GroupId,
};
use fracti_store::{TableCost, UnreadableRow, metered, noting_unreadable, with_deadline};

/// Kind of the warning about a row of the TypeScript Fracti that cannot be read.
const UNREADABLE_ROW: &str = "UNREADABLE_ROW";

/// Cost of some work.
#[derive(Debug)]
pub struct Measured {
    /// Time in milliseconds.
    pub duration_ms: u64,
    /// Requests to the table and their capacity.
    pub cost: TableCost,
    /// Rows that it left out, see [`noting_unreadable`].
    pub unreadable: Vec<UnreadableRow>,
}

/// Runs `work` and measures it.
pub async fn measured<T>(work: impl Future<Output = T>) -> (T, Measured) {
    let started = Instant::now();
    let ((done, cost), unreadable) = noting_unreadable(metered(work)).await;
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    (done, Measured { duration_ms, cost, unreadable })
}

/// Runs work that no client requested for at most `limit`, and writes one log line about it, and
/// one more for each unreadable row that it left out.
///
/// | field | value |
/// |---|---|
/// | `operation` | its name, like `record-due` |
/// | `group_id` | the group, if the work is about one |
/// | `duration_ms` | time that it took |
/// | `requests`, `round_trips`, `read_units`, `write_units` | as for a request |
/// | `kind`, `cause` | of a failure, as for a request; a refusal has only a cause |
///
/// The work acts for a user by the [`MemberKey`](fracti_core::group::MemberKey) that it passes to
/// the table, which checks the user's rights as for a request.
///
/// # Errors
///
/// Those of `work`; [`Error::Unavailable`] if it is not finished in time. A write that it sent may
/// then still be committed.
pub async fn work<T>(
    operation: &str,
    group: Option<GroupId>,
    limit: Duration,
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let (done, measured) = measured(with_deadline(limit, work)).await;
    let done = done.flatten();
    measured.warn(operation);
    let group_id = group.map(|group| group.to_string());
    let Measured { duration_ms, cost, .. } = measured;
    let TableCost { requests, round_trips, read_units, write_units, .. } = cost;
    macro_rules! line {
        ($level:ident, $message:literal $(, $field:ident)*) => {
            tracing::$level!(
                operation, group_id, duration_ms, requests, round_trips, read_units, write_units,
                $($field,)* $message
            )
        };
    }
    match &done {
        Ok(_) => line!(info, "work done"),
        Err(error) => {
            let cause = with_causes(error);
            if let Some(kind) = error.failure().map(FailureKind::as_str) {
                line!(error, "work failed", kind, cause);
            } else {
                line!(warn, "work refused", cause);
            }
        }
    }
    done
}

impl Measured {
    /// Writes a line about each row that was noted. `request_id` is that of the request, or the
    /// name of the work.
    pub fn warn(&self, request_id: &str) {
        for row in &self.unreadable {
            let pk = &*row.key.pk;
            let sk = &*row.key.sk;
            let cause = with_causes(&*row.cause);
            if let Some(kind) = row.kind.map(FailureKind::as_str) {
                tracing::error!(request_id, kind, pk, sk, cause, "row does not match others");
            } else {
                tracing::warn!(request_id, kind = UNREADABLE_ROW, pk, sk, cause, "row left out");
            }
        }
    }
}

/// An error and what caused it, in one line.
#[must_use]
pub fn with_causes(error: &(dyn error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}
