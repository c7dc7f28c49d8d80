//! The clock and the random bytes of the system, which tests can replace.

use std::{fmt, num::NonZeroU32, sync::Arc};

use fracti_core::values::time::Timestamp;

/// A clock that tests can replace.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Timestamp + Send + Sync>);

/// A source of random bytes that tests can replace.
#[derive(Clone)]
pub struct Random(Arc<Fill>);

/// Fills bytes.
type Fill = dyn Fn(&mut [u8]) + Send + Sync;

impl Clock {
    /// The system clock.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|| {
            #[expect(clippy::disallowed_methods, reason = "only this clock reads the system time")]
            let now = chrono::Utc::now().timestamp_millis();
            u64::try_from(now)
                .ok()
                .and_then(Timestamp::from_millis)
                .unwrap_or_else(|| unreachable!("the time of day is in the years 1970 to 9999"))
        })
    }

    /// A clock that returns `now()`.
    pub fn of(now: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// The current time.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        (self.0)()
    }
}

impl Random {
    /// The random bytes of the operating system.
    #[must_use]
    pub fn system() -> Self {
        Self::of(|bytes| {
            // Without random bytes, ids could be guessed, so the process must stop.
            getrandom::fill(bytes).unwrap_or_else(|error| unreachable!("no random bytes: {error}"));
        })
    }

    /// Whether a request is one in `many`, chosen at random.
    #[must_use]
    pub fn one_in(&self, many: NonZeroU32) -> bool {
        u32::from_le_bytes(self.bytes()) % many == 0
    }

    /// A source that fills bytes with `fill`.
    pub fn of(fill: impl Fn(&mut [u8]) + Send + Sync + 'static) -> Self {
        Self(Arc::new(fill))
    }

    /// Random bytes.
    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        (self.0)(&mut bytes);
        bytes
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Clock")
    }
}

impl fmt::Debug for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Random")
    }
}
