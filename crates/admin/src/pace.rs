//! A limit on the capacity that a command consumes.

use std::{
    num::NonZeroU32,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use fracti_core::input::Error;
use fracti_store::{TableCost, metered};
use tokio::time::{Instant, sleep, sleep_until};

/// Time for which a step is repeated while a group is busy or the table throttles. An operator's
/// tool can wait longer than a request.
const PATIENCE: Duration = Duration::from_mins(2);

/// The longest pause between repetitions of a step.
const LONGEST_PAUSE: Duration = Duration::from_secs(16);

/// The pace of a command: after a step, the next one waits until the capacity of the first is
/// within the rate. Steps may run at the same time, and then wait for all that have ended.
#[derive(Debug)]
pub(crate) struct Pace {
    units_per_second: Option<NonZeroU32>,
    patience: Duration,
    so_far: Mutex<SoFar>,
}

/// The pauses between the repetitions of a step, until the patience is over.
#[derive(Debug)]
pub(crate) struct Waiting {
    began: Instant,
    patience: Duration,
    pause: Duration,
}

/// Capacity units that the steps have consumed.
#[derive(Clone, Copy, Debug)]
struct SoFar {
    next: Instant,
    consumed: ConsumedUnits,
}

/// Capacity units.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ConsumedUnits {
    pub(crate) read_units: f64,
    pub(crate) write_units: f64,
}

impl Pace {
    pub(crate) fn new(units_per_second: Option<NonZeroU32>) -> Self {
        let so_far = SoFar { next: Instant::now(), consumed: ConsumedUnits::default() };
        Self { units_per_second, patience: PATIENCE, so_far: Mutex::new(so_far) }
    }

    /// The same pace, with another time for repetitions.
    pub(crate) const fn with_patience(mut self, patience: Duration) -> Self {
        self.patience = patience;
        self
    }

    /// Runs a step, which must do nothing twice, again and again while the group is busy or the
    /// table does not answer, until it succeeds or the patience is over.
    pub(crate) async fn patient<T, W>(&self, work: impl Fn() -> W) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>>,
    {
        let is_passing = |error: &Error| matches!(error, Error::Contended | Error::Unavailable(_));
        self.repeated(work, is_passing).await
    }

    /// [`Pace::patient`], but only while the table does not answer.
    pub(crate) async fn while_unavailable<T, W>(&self, work: impl Fn() -> W) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>>,
    {
        self.repeated(work, |error| matches!(error, Error::Unavailable(_))).await
    }

    async fn repeated<T, W>(
        &self,
        work: impl Fn() -> W,
        is_passing: impl Fn(&Error) -> bool,
    ) -> Result<T, Error>
    where
        W: Future<Output = Result<T, Error>>,
    {
        let mut waiting = self.waiting();
        loop {
            match self.step(work()).await {
                Err(error) if is_passing(&error) && waiting.pause().await => {}
                done => return done,
            }
        }
    }

    /// The pauses between the repetitions of a step.
    pub(crate) fn waiting(&self) -> Waiting {
        let began = Instant::now();
        let pause = Duration::from_millis(500);
        Waiting { began, patience: self.patience, pause }
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
            so_far.add(ConsumedUnits { read_units, write_units }, self.units_per_second);
        });
        done
    }

    /// Capacity units that all steps have consumed.
    pub(crate) fn consumed(&self) -> ConsumedUnits {
        self.with(|so_far| so_far.consumed)
    }

    fn with<T>(&self, work: impl FnOnce(&mut SoFar) -> T) -> T {
        work(&mut self.so_far.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Waiting {
    /// Waits after an error that passes; `false` if it does not, or the patience is over.
    pub(crate) async fn passes(&mut self, error: &Error) -> bool {
        matches!(error, Error::Contended | Error::Unavailable(_)) && self.pause().await
    }

    /// Waits; `false` if the patience is over.
    pub(crate) async fn pause(&mut self) -> bool {
        if self.began.elapsed() >= self.patience {
            return false;
        }
        sleep(self.pause).await;
        self.pause = self.pause.saturating_mul(2).min(LONGEST_PAUSE);
        true
    }
}

impl SoFar {
    #[expect(clippy::float_arithmetic, reason = "capacity units are not money")]
    fn add(
        &mut self,
        ConsumedUnits { read_units, write_units }: ConsumedUnits,
        rate: Option<NonZeroU32>,
    ) {
        self.consumed.read_units += read_units;
        self.consumed.write_units += write_units;
        let Some(rate) = rate else { return };
        let seconds = (read_units + write_units) / f64::from(rate.get());
        let pause = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let begins = self.next.max(Instant::now());
        self.next = begins.checked_add(pause).unwrap_or(begins);
    }
}
