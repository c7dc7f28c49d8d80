//! Faults, and the plan that decides which request meets which.

use std::{
    fmt,
    hash::{DefaultHasher, Hash, Hasher},
    time::Duration,
};

/// A fault that can happen to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// The response is delayed.
    Delay,
    /// The response takes longer than its client waits, but the request is executed.
    Hang,
    /// There is no response within a minute. Happens only when forced.
    Silence,
    /// The connection is closed as soon as it is opened.
    Refuse,
    /// The connection is cut before the request reaches the engine.
    CutBefore,
    /// The connection is cut after the engine has executed the request.
    CutAfter,
    /// `ThrottlingException`.
    Throttle,
    /// `ProvisionedThroughputExceededException`.
    Exceed,
    /// `InternalServerError`; the request is not executed.
    Fail,
    /// `InternalServerError`, although the request is executed.
    FailAfter,
    /// `TransactionCanceledException` with a `TransactionConflict` for some actions.
    Conflict,
    /// `TransactionInProgressException`.
    InProgress,
    /// `IdempotentParameterMismatchException`.
    Mismatch,
    /// The connection is cut, the retry is refused with a `TransactionConflict`, and the first
    /// attempt is executed some requests later.
    Late,
    /// Half of the keys of a `BatchGetItem` stay unprocessed.
    Unprocessed,
    /// A page of a `Query` ends after one row.
    ShortPage,
    /// An index answers without the latest writes.
    StaleIndex,
}

/// Relative frequencies of the faults that are possible for a request.
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

/// The behaviour of a proxy, determined by the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Seed from which all faults follow.
    pub seed: u64,
    /// Faults per thousand requests; in a storm, five times as many.
    pub per_mille: u64,
    /// Writes by which the indexes lag.
    pub lag: usize,
}

impl Plan {
    /// The plan of a seed. Fault rates differ, and in every third plan the indexes lag.
    #[must_use]
    pub fn of(seed: u64) -> Self {
        let per_mille = [20, 60, 120, 180][hash(&(seed, "rate"), 4)];
        let lag = [0, 0, 1, 0, 0, 4][hash(&(seed, "lag"), 6)];
        Self { seed, per_mille, lag }
    }

    /// A plan without faults, except for forced ones.
    #[must_use]
    pub const fn none() -> Self {
        Self { seed: 0, per_mille: 0, lag: 0 }
    }

    /// The fault for the `nth` request of its operation in a channel, among the possible ones.
    pub(super) fn fault(
        self,
        channel: &str,
        operation: &str,
        nth: u64,
        possible: impl Fn(&Fault) -> bool,
    ) -> Option<Fault> {
        let request = (self.seed, channel, operation);
        // Faults come in storms: one in six runs of five requests.
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

    /// Requests of the same channel between the refusal of a retry and the `nth` late attempt.
    pub(super) fn lateness(self, nth: u64) -> usize {
        hash(&(self.seed, "late", nth), 4)
    }

    /// Whether the `nth` connection is refused.
    pub(super) fn refuses(self, nth: u64) -> bool {
        hash(&(self.seed, "connection", nth), 1000) as u64 * 2 < self.per_mille
    }

    /// Duration of a delay.
    pub(super) fn pause(self, fault: Fault) -> Duration {
        match fault {
            Fault::Silence => Duration::from_mins(1),
            // Longer than the attempt timeout of the simulation's clients.
            Fault::Hang => Duration::from_millis(400),
            _ => Duration::from_millis(self.seed % 13),
        }
    }
}

/// A pseudo-random number less than `below`, determined by `parts`.
fn hash(parts: &impl Hash, below: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    usize::try_from(hasher.finish() % below.max(1) as u64).unwrap()
}

impl Fault {
    /// Whether the fault can happen to an operation; `committed` says whether the transaction was
    /// committed before.
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
            Self::Hang => "delayed beyond the client's timeout",
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
            Self::Late => "late attempt, after its retry was refused",
            Self::Unprocessed => "UnprocessedKeys",
            Self::ShortPage => "short page",
            Self::StaleIndex => "late index",
        })
    }
}
