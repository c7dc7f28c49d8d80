//! The keeper does what is due without a request: reports and holds expire, bonuses lapse, held
//! cash can be used.
//!
//! A row that needs attention at a known time is in an index by that time. A run works its list
//! off, oldest first, and handles each row by its kind, in a transaction that is conditional on the
//! row. So two runs at once, a skipped minute or an index that lags make work late, never wrong.
//! The next page begins after the last row of this one, so a row that fails or is left alone is met
//! once a run. Schedules come last, so that thousands at four in the morning do not keep a hold
//! from ending.

use std::{collections::HashMap, time::Duration};

use fracti_chat::{Delivered, Sending, Teller};
use fracti_core::{
    decisions::schedules::Occurred,
    input::Error,
    records::schedule::{DAYS_BACK, Schedule},
    storage::keys::DueList,
    values::{fund_key::FundWork, time::Timestamp},
};
use fracti_runtime::{Clock, with_causes, work};
use fracti_store::{Due, DueRow, DueState, Page, Table, with_deadline};
use futures_util::{StreamExt, stream};
use tokio::time::Instant;

/// A list of due rows, and how it is worked off.
#[derive(Clone, Copy, Debug)]
struct WorkList {
    /// The list.
    due: DueList,
    /// Name of its work in the log.
    name: &'static str,
    /// Partitions of the table whose rows are handled at the same time.
    at_once: usize,
    /// Time limit of a row.
    row_limit: Duration,
    /// Time after the begin of the run from which on no more of its rows are begun, so that the last
    /// one ends in the run: a message that is cut off is sent again.
    last_begin: Duration,
}

/// The list by which money moves, which no other delays.
const MONEY: WorkList = WorkList {
    due: DueList::Money,
    name: "keep-money",
    at_once: 8,
    row_limit: REQUEST_LIMIT,
    last_begin: Duration::from_secs(45),
};

/// Changes for which subscriptions are marked. However many there are, each run sends messages, too.
const TELL: WorkList = WorkList {
    due: DueList::Tell,
    name: "tell",
    at_once: 8,
    row_limit: REQUEST_LIMIT,
    last_begin: Duration::from_secs(20),
};

/// Messages to send.
const NOTIFY: WorkList = WorkList {
    due: DueList::Notify,
    name: "notify",
    at_once: 10,
    row_limit: Duration::from_secs(20),
    last_begin: Duration::from_secs(35),
};

/// Time limit of what takes as long as a request at most.
const REQUEST_LIMIT: Duration = Duration::from_millis(8_500);

/// Time after which a row that takes several steps begins no more of them.
const LAST_STEP: Duration = Duration::from_secs(6);

/// Dates of a schedule that one run records at most: all that are not too old, of a daily one.
const MAX_DATES: i64 = DAYS_BACK + 1;

/// Schedules of a run at most, more than it can handle in its time.
const MAX_SCHEDULES: usize = 20_000;

/// Time limit of a run, below the 60 s of the function.
const RUN_LIMIT: Duration = Duration::from_secs(55);

/// Result of a run for one list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rows that were handled, by this run or by another one at the same time.
    pub done: usize,
    /// Rows that could not be handled, and are tried again later.
    pub failed: usize,
    /// Rows that are left alone: of a kind or a version that this Fracti does not know, or damaged
    /// in such a way that they are not due.
    pub left_alone: usize,
    /// Seconds for which the oldest of them has been due, with what failures have delayed it.
    pub late_s: u64,
}

/// Does what is due now, and reports on each list.
///
/// # Errors
///
/// [`Error::Unavailable`] or [`Error::Table`] if the index cannot be read.
pub async fn keep(
    table: &Table,
    clock: &Clock,
    teller: Option<&Teller>,
) -> Result<Vec<Report>, Error> {
    let begun = Instant::now();
    let sending = teller.map(Teller::run);
    let sending = sending.as_ref();
    let list = |list: WorkList| {
        let keeping = Keeping { table, clock, list, begun, sending };
        let left = RUN_LIMIT.saturating_sub(begun.elapsed());
        work(list.name, None, left, Box::pin(keep_list(keeping)))
    };
    // Changes that are told in this run are sent in it, too.
    let telling = async {
        match sending {
            None => Ok::<_, Error>(Vec::new()),
            Some(_) => Ok(vec![list(TELL).await?, list(NOTIFY).await?]),
        }
    };
    let waiting = Box::pin(look_at_cash_outs(table, clock));
    let waiting = work("look-at-cash-outs", None, REQUEST_LIMIT, waiting);
    let (money, telling, waiting) = tokio::join!(list(MONEY), Box::pin(telling), waiting);
    waiting?;
    let telling: Vec<Report> = telling?;
    Ok([money?].into_iter().chain(telling).collect())
}

/// A run for one list.
#[derive(Clone, Copy)]
struct Keeping<'a> {
    table: &'a Table,
    clock: &'a Clock,
    list: WorkList,
    begun: Instant,
    /// The messages of the run, if changes are told.
    sending: Option<&'a Sending>,
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

/// Works a list off, page by page, until it is empty or the time is over; then its schedules.
async fn keep_list(keeping: Keeping<'_>) -> Result<Report, Error> {
    let Keeping { table, clock, list: of, begun, .. } = keeping;
    let now = clock.now();
    let mut run = Progress::default();
    let mut after = None;
    let mut oldest = None::<Timestamp>;
    let mut schedules = Vec::new();
    loop {
        let page = table.due_rows(of.due, now, after).await?;
        run.left_alone = run.left_alone.saturating_add(page.left_alone);
        oldest = page.since.into_iter().chain(oldest).min();
        let (last, first): (Vec<_>, Vec<_>) =
            page.rows.into_iter().partition(DueRow::is_of_schedule);
        let room = MAX_SCHEDULES.saturating_sub(schedules.len());
        schedules.extend(last.into_iter().take(room));
        run = handle_page(keeping, first, run).await;
        after = page.next;
        if after.is_none() || begun.elapsed() >= of.last_begin {
            break;
        }
    }
    run = handle_page(keeping, schedules, run).await;
    let late_s = oldest.map_or(0, |oldest| now.since(oldest).as_secs());
    let Progress { done, not_due, failed, left_alone } = run;
    let done = done.saturating_add(not_due);
    tracing::info!(list = of.name, done, failed, left_alone, late_s, "due rows handled");
    if left_alone > 0 {
        tracing::warn!(list = of.name, left_alone, "rows of a later Fracti, or damaged ones");
    }
    Ok(Report { done, failed, left_alone, late_s })
}

/// Progress of a run.
#[derive(Clone, Copy, Default)]
struct Progress {
    done: usize,
    not_due: usize,
    failed: usize,
    left_alone: usize,
}

impl Progress {
    /// The run with a further part.
    const fn and(self, other: Self) -> Self {
        Self {
            done: self.done.saturating_add(other.done),
            not_due: self.not_due.saturating_add(other.not_due),
            failed: self.failed.saturating_add(other.failed),
            left_alone: self.left_alone.saturating_add(other.left_alone),
        }
    }
}

/// The rows of each partition of the table, which would lose to each other at the same time, in the
/// order of the first of them.
fn by_partition(rows: Vec<DueRow>) -> Vec<Vec<DueRow>> {
    let mut places = HashMap::new();
    let mut parts: Vec<Vec<DueRow>> = Vec::new();
    for row in rows {
        let place = *places.entry(row.key.pk.clone()).or_insert(parts.len());
        match parts.get_mut(place) {
            Some(part) => part.push(row),
            None => parts.push(vec![row]),
        }
    }
    parts
}

/// Handles rows, those of several partitions at once, and adds them to a run.
async fn handle_page(keeping: Keeping<'_>, rows: Vec<DueRow>, run: Progress) -> Progress {
    // On the heap, because the futures of all kinds of work are large.
    let parts = stream::iter(by_partition(rows)).map(|rows| Box::pin(handle_all(keeping, rows)));
    parts
        .buffer_unordered(keeping.list.at_once)
        .fold(run, |run, part| async move { run.and(part) })
        .await
}

/// Handles the rows of a partition, one after another, as long as there is time.
async fn handle_all(keeping: Keeping<'_>, rows: Vec<DueRow>) -> Progress {
    let mut run = Progress::default();
    for row in rows {
        if keeping.begun.elapsed() >= keeping.list.last_begin {
            break;
        }
        let number = match Box::pin(handle(keeping, &row)).await {
            Some(Handled::Done) => &mut run.done,
            Some(Handled::NotDue) => &mut run.not_due,
            Some(Handled::Unknown) => &mut run.left_alone,
            None => &mut run.failed,
        };
        *number = number.saturating_add(1);
    }
    run
}

/// Outcome of a due row.
enum Handled {
    /// It was handled.
    Done,
    /// It is not due any more.
    NotDue,
    /// It is of a kind or a version that this Fracti does not know. It is left alone.
    Unknown,
}

/// Records the expenses of a schedule's dates that are due, oldest first. It leaves the schedule
/// due if there are more than a run records, or if the time is over.
async fn record_dates(table: &Table, of: &Schedule, now: Timestamp) -> Result<(), Error> {
    let begun = Instant::now();
    for _ in 0..MAX_DATES {
        let occurred = table.occur(of.group_id, of.id, now).await?;
        if occurred != Occurred::Recorded || begun.elapsed() >= LAST_STEP {
            break;
        }
    }
    Ok(())
}

/// Handles a row; `None` if that failed, and the row is tried again later.
async fn handle(keeping: Keeping<'_>, row: &DueRow) -> Option<Handled> {
    let Keeping { table, clock, list: of, sending, .. } = keeping;
    let now = clock.now();
    let work = Box::pin(async {
        match table.due(row, now).await? {
            DueState::Gone => return Ok(Handled::NotDue),
            DueState::Unknown => return Ok(Handled::Unknown),
            DueState::Due(Due::Funds(due)) => table.end_funds(due, now).await?,
            DueState::Due(Due::Schedule(of)) => record_dates(table, &of, now).await?,
            DueState::Due(Due::Change(change)) => {
                if !table.tell(&change, now).await? {
                    return Ok(Handled::NotDue);
                }
            }
            DueState::Due(Due::Message(of)) => {
                let Some(sending) = sending else { return Ok(Handled::NotDue) };
                if sending.deliver(table, clock, &of).await? == Delivered::Left {
                    return Ok(Handled::NotDue);
                }
            }
        }
        table.check_handled(row).await?;
        Ok(Handled::Done)
    });
    let error = match with_deadline(of.row_limit, work).await.flatten() {
        Ok(handled) => return Some(handled),
        Err(error) => error,
    };
    let pk = &*row.key.pk;
    let sk = &*row.key.sk;
    let cause = with_causes(&error);
    let kind = error.failure().map(fracti_core::input::FailureKind::as_str);
    tracing::error!(list = of.name, pk, sk, kind, cause, "due row failed");
    // If this fails, too, the row is tried again by the next run.
    let delayed = with_deadline(REQUEST_LIMIT, table.delay_due(row, now)).await.flatten();
    if let Err(error) = delayed {
        let cause = with_causes(&error);
        tracing::warn!(list = of.name, pk, sk, cause, "due row is not delayed");
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_end_in_their_run_and_a_run_before_its_function() {
        for list in [MONEY, TELL, NOTIFY] {
            let end = list.last_begin.saturating_add(list.row_limit);
            assert!(end <= RUN_LIMIT, "{list:?}");
        }
        let told = TELL.last_begin.saturating_add(TELL.row_limit);
        assert!(told < NOTIFY.last_begin, "a run that tells as long as it can sends messages");
        assert!(RUN_LIMIT < Duration::from_mins(1));
    }
}
