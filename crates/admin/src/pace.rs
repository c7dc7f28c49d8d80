//! A limit on the capacity that a command consumes.

use std::{num::NonZeroU32, time::Duration};

use fracti_store::{TableCost, metered};
use tokio::time::{Instant, sleep_until};

/// The pace of a command: after a step, the next one waits until the capacity of the first is
/// within the rate.
#[derive(Debug)]
pub(crate) struct Pace {
    units_per_second: Option<NonZeroU32>,
    next: Instant,
}

impl Pace {
    pub(crate) fn new(units_per_second: Option<NonZeroU32>) -> Self {
        Self { units_per_second, next: Instant::now() }
    }

    /// Runs a step once its time has come.
    pub(crate) async fn step<T>(&mut self, work: impl Future<Output = T>) -> T {
        sleep_until(self.next).await;
        let (done, TableCost { read_units, write_units, .. }) = metered(work).await;
        if let Some(rate) = self.units_per_second {
            #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
            let seconds = (read_units + write_units) / f64::from(rate.get());
            let pause = Duration::try_from_secs_f64(seconds).unwrap_or_default();
            self.next = Instant::now().checked_add(pause).unwrap_or(self.next);
        }
        done
    }
}
