//! The keeper does what is due without a request: reports and holds expire, bonuses lapse, held cash
//! can be used.
//!
//! A row that needs attention at a known time is in an index by that time. A run takes the oldest that
//! are due and handles each by its kind, in a transaction that is conditional on the row. So two runs
//! at once, a skipped minute or an index that lags make work late, never wrong. A run reads on past
//! rows that it leaves alone, so they delay nothing.

use std::time::Duration;

use fracti_core::{
    funds::fund_transaction::FundWork, input::Error, storage::keys::DueList,
    values::time::Timestamp,
};
use fracti_runtime::{Clock, with_causes, work};
use fracti_store::{DueOutcome, DueRow, Page, Table, with_deadline};
use futures_util::{StreamExt, stream};
use tokio::time::Instant;

/// A list of due rows, and how it is worked off.
#[derive(Clone, Copy, Debug)]
struct WorkList {
    /// The list.
    due: DueList,
    /// Name of its work in the log.
    name: &'static str,
    /// Rows that are handled at the same time.
    at_once: usize,
}

/// The lists, none of which delays another.
const LISTS: [WorkList; 1] = [WorkList { due: DueList::Money, name: "keep-money", at_once: 8 }];

/// Maximum number of rows of a list that a run changes or tries to change.
pub const MAX_ROWS: usize = 100;

/// Time after which a run begins no more rows.
const BEGINNING: Duration = Duration::from_secs(45);

/// Time limit of a row, as of a request.
const ROW_LIMIT: Duration = Duration::from_millis(8_500);

/// Time limit of a list, below the 60 s of the function.
const LIST_LIMIT: Duration = Duration::from_secs(55);

/// Result of a run for one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows that were handled, by this run or by another one at the same time.
    pub done: usize,
    /// Rows that could not be handled, and are tried again later.
    pub failed: usize,
    /// Rows that are left alone: of a kind or a version that this Fracti does not know, or damaged in
    /// such a way that they are not due.
    pub left_alone: usize,
    /// Seconds for which the oldest of them has been due, with what failures have delayed it.
    pub late_s: u64,
}

/// Does what is due now, and reports on each list.
///
/// # Errors
///
/// [`Error::Unavailable`] or [`Error::Table`] if the index cannot be read.
pub async fn keep(table: &Table, clock: &Clock) -> Result<Vec<Report>, Error> {
    let lists = LISTS
        .iter()
        .map(|list| work(list.name, None, LIST_LIMIT, Box::pin(keep_list(table, clock, *list))));
    let waiting = Box::pin(look_at_cash_outs(table, clock));
    let waiting = work("look-at-cash-outs", None, ROW_LIMIT, waiting);
    let (lists, waiting) = tokio::join!(futures_util::future::join_all(lists), waiting);
    waiting?;
    lists.into_iter().collect()
}

/// Logs for how long the oldest cash-out has waited for an operator.
async fn look_at_cash_outs(table: &Table, clock: &Clock) -> Result<(), Error> {
    let first = Page { limit: 1, after: None };
    let oldest = table.fund_work(FundWork::Cashout, &first).await?;
    if let Some(oldest) = oldest.items.first() {
        let cash_out_waits_s = clock.now().since(oldest.created_at).as_secs();
        tracing::info!(cash_out_waits_s, "a cash-out waits");
    }
    Ok(())
}

async fn keep_list(table: &Table, clock: &Clock, of: WorkList) -> Result<Report, Error> {
    let (now, begun) = (clock.now(), Instant::now());
    let (mut run, mut after, mut oldest) = (Run::default(), None, None::<Timestamp>);
    loop {
        let page = table.due_rows(of.due, now, after).await?;
        run.left_alone = run.left_alone.saturating_add(page.left_alone);
        oldest = page.since.into_iter().chain(oldest).min();
        let mut rows = page.rows.into_iter();
        while run.has_room(begun) && rows.len() > 0 {
            let some: Vec<_> = rows.by_ref().take(run.room()).collect();
            let in_time =
                stream::iter(some).take_while(|_| std::future::ready(begun.elapsed() < BEGINNING));
            // On the heap, because the futures of all kinds of work are large.
            let handled = in_time.map(|row| Box::pin(handle(table, clock, row)));
            let handled = handled.buffer_unordered(of.at_once);
            run = handled.fold(run, |run, outcome| async move { run.and(outcome) }).await;
        }
        after = page.next;
        if after.is_none() || !run.has_room(begun) {
            break;
        }
    }
    let late_s = oldest.map_or(0, |oldest| now.since(oldest).as_secs());
    let Run { done, not_due, failed, left_alone } = run;
    let done = done.saturating_add(not_due);
    tracing::info!(list = of.name, done, failed, left_alone, late_s, "due rows handled");
    if left_alone > 0 {
        tracing::warn!(list = of.name, left_alone, "rows of a later Fracti, or damaged ones");
    }
    Ok(Report { done, failed, left_alone, late_s })
}

/// Progress of a run.
#[derive(Clone, Copy, Default)]
struct Run {
    done: usize,
    not_due: usize,
    failed: usize,
    left_alone: usize,
}

impl Run {
    /// Number of rows that may still be handled. Those that need nothing do not count.
    const fn room(&self) -> usize {
        MAX_ROWS.saturating_sub(self.done).saturating_sub(self.failed)
    }

    fn has_room(&self, begun: Instant) -> bool {
        self.room() > 0 && begun.elapsed() < BEGINNING
    }

    /// The run after one more row.
    const fn and(mut self, outcome: Option<DueOutcome>) -> Self {
        let number = match outcome {
            Some(DueOutcome::Done) => &mut self.done,
            Some(DueOutcome::NotDue) => &mut self.not_due,
            Some(DueOutcome::Unknown) => &mut self.left_alone,
            None => &mut self.failed,
        };
        *number = number.saturating_add(1);
        self
    }
}

/// Handles a row; `None` if that failed, and the row is tried again later.
async fn handle(table: &Table, clock: &Clock, row: DueRow) -> Option<DueOutcome> {
    let now = clock.now();
    let handled = with_deadline(ROW_LIMIT, Box::pin(table.handle_due(&row, now))).await.flatten();
    let error = match handled {
        Ok(outcome) => return Some(outcome),
        Err(error) => error,
    };
    let (pk, sk, cause) = (&*row.key.pk, &*row.key.sk, with_causes(&error));
    let kind = error.failure().map(fracti_core::input::FailureKind::as_str);
    tracing::error!(pk, sk, kind, cause, "due row failed");
    // If this fails, too, the row is tried again by the next run.
    let delayed = with_deadline(ROW_LIMIT, table.delay_due(&row, now)).await.flatten();
    if let Err(error) = delayed {
        let cause = with_causes(&error);
        tracing::warn!(pk, sk, cause, "due row is not delayed");
    }
    None
}
