//! What a request costs at the table: how often its user waits, and how much capacity its owner pays.

use std::{cell::RefCell, fmt};

use aws_sdk_dynamodb::types::ConsumedCapacity;

/// What was asked of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// How many requests were sent.
    pub requests: u32,
    /// How often an answer was waited for: requests that run at the same time count once.
    pub trips: u32,
    /// Read request units, as DynamoDB counts them.
    pub read_units: f64,
    /// Write request units, those of the indexes among them.
    pub write_units: f64,
    running: u32,
}

tokio::task_local! {
    static USAGE: RefCell<Usage>;
}

/// Does `work`, and says what it asked of the table.
pub async fn metered<T>(work: impl Future<Output = T>) -> (T, Usage) {
    USAGE
        .scope(RefCell::default(), async {
            let done = work.await;
            (done, USAGE.with(|usage| *usage.borrow()))
        })
        .await
}

/// Counts a request while it runs. Where nobody meters, nothing is counted.
pub(super) async fn request<T>(sent: impl Future<Output = T>) -> T {
    count(|usage| {
        usage.requests = usage.requests.saturating_add(1);
        usage.trips = usage.trips.saturating_add((usage.running == 0).into());
        usage.running = usage.running.saturating_add(1);
    });
    // A request that is given up does not run any more either.
    let _running = Running;
    sent.await
}

/// A request under way.
struct Running;

impl Drop for Running {
    fn drop(&mut self) {
        count(|usage| usage.running = usage.running.saturating_sub(1));
    }
}

/// Counts what a read consumed.
pub(super) fn read<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    let units = units(capacity);
    #[expect(clippy::float_arithmetic, reason = "capacity units are no money")]
    count(|usage| usage.read_units += units);
}

/// Counts what a write consumed.
pub(super) fn written<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) {
    let units = units(capacity);
    #[expect(clippy::float_arithmetic, reason = "capacity units are no money")]
    count(|usage| usage.write_units += units);
}

fn units<'a>(capacity: impl IntoIterator<Item = &'a ConsumedCapacity>) -> f64 {
    capacity.into_iter().filter_map(ConsumedCapacity::capacity_units).sum()
}

fn count(add: impl FnOnce(&mut Usage)) {
    let _ = USAGE.try_with(|usage| add(&mut usage.borrow_mut()));
}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { requests, trips, read_units, write_units, .. } = self;
        write!(
            f,
            "{requests} requests in {trips} trips, {read_units} read units, {write_units} write units"
        )
    }
}
