//! A limit on the capacity that a command consumes.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use fracti_store::{TableCost, metered};
use tokio::time::{Instant, sleep_until};

/// The pace of a command: after a step, the next one waits until the capacity of the first is
/// within the rate. Steps may run at the same time, and then wait for all that have ended.
#[derive(Debug)]
pub(crate) struct Pace {
    units_per_second: Option<NonZeroU32>,
    so_far: Mutex<SoFar>,
}

/// What the steps have consumed.
#[derive(Clone, Copy, Debug)]
struct SoFar {
    next: Instant,
    consumed: Consumed,
}

/// Capacity units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Consumed {
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

impl Pace {
    pub(crate) fn new(units_per_second: Option<NonZeroU32>) -> Self {
        let so_far = SoFar { next: Instant::now(), consumed: Consumed::default() };
        Self { units_per_second, so_far: Mutex::new(so_far) }
    }

    /// Runs a step once its time has come.
    pub(crate) async fn step<T>(&self, work: impl Future<Output = T>) -> T {
        let mut next = self.with(|so_far| so_far.next);
        while next > Instant::now() {
            sleep_until(next).await;
            next = self.with(|so_far| so_far.next);
        }
        let (done, TableCost { read_units, write_units, .. }) = metered(work).await;
        self.with(|so_far| {
            so_far.add(Consumed { read_units, write_units }, self.units_per_second);
        });
        done
    }

    /// What all steps have consumed.
    pub(crate) fn consumed(&self) -> Consumed {
        self.with(|so_far| so_far.consumed)
    }

    fn with<T>(&self, work: impl FnOnce(&mut SoFar) -> T) -> T {
        work(&mut self.so_far.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl SoFar {
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    fn add(&mut self, Consumed { read_units, write_units }: Consumed, rate: Option<NonZeroU32>) {
        self.consumed.read_units += read_units;
        self.consumed.write_units += write_units;
        let Some(rate) = rate else { return };
        let seconds = (read_units + write_units) / f64::from(rate.get());
        let pause = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let begins = self.next.max(Instant::now());
        self.next = begins.checked_add(pause).unwrap_or(begins);
    }
}
