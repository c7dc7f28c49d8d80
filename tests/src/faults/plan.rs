//! Which request meets which fault.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// What can happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// It takes a while.
    Delay,
    /// It takes longer than its client waits, and is done all the same.
    Hang,
    /// It is not answered within a minute. This happens only where it is forced.
    Silence,
    /// The connection is closed as soon as it is made.
    Refuse,
    /// The connection is cut before the engine hears of it.
    CutBefore,
    /// The connection is cut when the engine has done it.
    CutAfter,
    /// `ThrottlingException`.
    Throttle,
    /// `ProvisionedThroughputExceededException`.
    Exceed,
    /// `InternalServerError`, and nothing is done.
    Fail,
    /// `InternalServerError`, and it is done.
    FailAfter,
    /// `TransactionCanceledException`: some actions have a `TransactionConflict`.
    Conflict,
    /// `TransactionInProgressException`.
    InProgress,
    /// `IdempotentParameterMismatchException`.
    Mismatch,
    /// The connection is cut, the retry is refused with a `TransactionConflict`, and some requests later the first attempt is
    /// done.
    Late,
    /// Half of the keys of a `BatchGetItem` stay unprocessed.
    Unprocessed,
    /// A page of a `Query` ends after one row.
    ShortPage,
    /// An index answers from before the last writes.
    StaleIndex,
}

/// How often each happens, beside the others that can happen to a request.
const WEIGHTS: [(Fault, u64); 14] = [
    (Fault::Delay, 12),
    (Fault::Hang, 1),
    (Fault::CutBefore, 10),
    (Fault::CutAfter, 16),
    (Fault::Throttle, 8),
    (Fault::Exceed, 8),
    (Fault::Fail, 8),
    (Fault::FailAfter, 12),
    (Fault::Conflict, 25),
    (Fault::InProgress, 5),
    (Fault::Mismatch, 1),
    (Fault::Late, 60),
    (Fault::Unprocessed, 60),
    (Fault::ShortPage, 60),
];

/// What a proxy does, all of it decided by the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The seed.
    pub seed: u64,
    /// How many of a thousand requests meet a fault; in a storm, five times as many.
    pub per_mille: u64,
    /// How many writes the indexes are late.
    pub lag: usize,
}

impl Plan {
    /// The plan of a seed: some are rough and some are smooth, and in every third the indexes lag.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let per_mille = [20, 60, 120, 180][hash(&(seed, "rate"), 4)];
        let lag = [0, 0, 1, 0, 0, 4][hash(&(seed, "lag"), 6)];
        Self { seed, per_mille, lag }
    }

    /// Nothing happens but what is forced.
    #[must_use]
    pub const fn none() -> Self {
        Self { seed: 0, per_mille: 0, lag: 0 }
    }

    /// What the `nth` request of its kind in a lane meets, of what is possible.
    pub(super) fn fault(
        self,
        channel: &str,
        operation: &str,
        nth: u64,
        possible: impl Fn(&Fault) -> bool,
    ) -> Option<Fault> {
        let request = (self.seed, channel, operation);
        // Faults come in storms: one of six runs of five requests.
        let storm = hash(&(request, "storm", nth / 5), 6) == 0;
        let per_mille = if storm { self.per_mille * 5 } else { self.per_mille };
        if hash(&(request, nth), 1000) as u64 >= per_mille {
            return None;
        }
        let possible: Vec<_> = WEIGHTS.iter().filter(|(fault, _)| possible(fault)).collect();
        let all = possible.iter().map(|(_, weight)| weight).sum::<u64>();
        let mut left = hash(&(request, "which", nth), usize::try_from(all).unwrap()) as u64;
        possible.into_iter().find_map(|(fault, weight)| match left.checked_sub(*weight) {
            None => Some(*fault),
            Some(rest) => {
                left = rest;
                None
            }
        })
    }

    /// How many requests of its lane come between the refusal of a retry and the `nth` attempt that is late.
    pub(super) fn lateness(self, nth: u64) -> usize {
        hash(&(self.seed, "late", nth), 4)
    }

    /// Whether the `nth` connection is refused.
    pub(super) fn refuses(self, nth: u64) -> bool {
        hash(&(self.seed, "connection", nth), 1000) as u64 * 2 < self.per_mille
    }

    /// How long a delay lasts.
    pub(super) fn pause(self, fault: Fault) -> Duration {
        match fault {
            Fault::Silence => Duration::from_mins(1),
            // Longer than an attempt of an impatient client.
            Fault::Hang => Duration::from_millis(400),
            _ => Duration::from_millis(self.seed % 13),
        }
    }
}

/// A number below `below` that these parts decide.
fn hash(parts: &impl Hash, below: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    usize::try_from(hasher.finish() % below.max(1) as u64).unwrap()
}

impl Fault {
    /// Whether it can happen to a request; of a transaction, whether it was committed before.
    pub(super) fn happens_to(self, operation: &str, committed: bool) -> bool {
        match self {
            Self::Refuse | Self::StaleIndex | Self::Silence => false,
            Self::FailAfter => operation == "TransactWriteItems",
            Self::Conflict | Self::InProgress | Self::Mismatch | Self::Late => {
                operation == "TransactWriteItems" && !committed
            }
            Self::Unprocessed => operation == "BatchGetItem",
            Self::ShortPage => operation == "Query",
            _ => true,
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Delay => "delayed",
            Self::Hang => "delayed beyond the client's patience",
            Self::Silence => "not answered",
            Self::Refuse => "connection refused",
            Self::CutBefore => "connection cut before the write",
            Self::CutAfter => "connection cut after the write",
            Self::Throttle => "ThrottlingException",
            Self::Exceed => "ProvisionedThroughputExceededException",
            Self::Fail => "InternalServerError",
            Self::FailAfter => "InternalServerError after the write",
            Self::Conflict => "TransactionConflict",
            Self::InProgress => "TransactionInProgressException",
            Self::Mismatch => "IdempotentParameterMismatchException",
            Self::Late => "attempt done late, after its retry was refused",
            Self::Unprocessed => "UnprocessedKeys",
            Self::ShortPage => "short page",
            Self::StaleIndex => "late index",
        })
    }
}
