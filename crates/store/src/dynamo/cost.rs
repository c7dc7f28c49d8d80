//! The cost of a request at the table: round trips and consumed capacity.

use std::{cell::RefCell, fmt};

use aws_sdk_dynamodb::types::ConsumedCapacity;

/// The requests to the table that some work made, and the capacity that they consumed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TableCost {
    /// Number of requests.
    pub requests: u32,
    /// Requests that had to wait for each other: concurrent requests count once.
    pub round_trips: u32,
    /// Read request units, as DynamoDB counts them.
    pub read_units: f64,
    /// Write request units, including those of the indexes.
    pub write_units: f64,
    running: u32,
}

tokio::task_local! {
    static COST: RefCell<TableCost>;
}

/// Runs `work` and measures its cost.
pub async fn metered<T>(work: impl Future<Output = T>) -> (T, TableCost) {
    COST.scope(RefCell::default(), async {
        let done = work.await;
        (done, COST.with(|cost| *cost.borrow()))
    })
    .await
}

/// Counts a request. Outside of [`metered`] nothing is counted.
pub(super) async fn request<T>(sent: impl Future<Output = T>) -> T {
    count(|cost| {
        cost.requests = cost.requests.saturating_add(1);
        cost.round_trips = cost.round_trips.saturating_add((cost.running == 0).into());
        cost.running = cost.running.saturating_add(1);
    });
    // Also if the request is dropped.
    let _running = Running;
    sent.await
}

/// A running request.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        count(|cost| cost.running = cost.running.saturating_sub(1));
    }
}

/// Adds the capacity that a read consumed.
pub(super) fn read<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    let units = units(capacity);
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    count(|cost| cost.read_units += units);
}

/// Adds the capacity that a write consumed.
pub(super) fn written<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    let units = units(capacity);
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    count(|cost| cost.write_units += units);
}

fn units<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) -> f64 {
    capacity.into_iter().filter_map(ConsumedCapacity::capacity_units).sum()
}

fn count(add: impl FnOnce(&mut TableCost)) {
    let _ = COST.try_with(|cost| add(&mut cost.borrow_mut()));
}

impl fmt::Display for TableCost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, round_trips, read_units, write_units, .. } = self;
        write!(
            f,
            "{requests} requests in {round_trips} round trips, {read_units} read units, \
             {write_units} write units"
        )
    }
}
