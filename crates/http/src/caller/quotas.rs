//! Daily quotas of users, and the header fields that tell their state.

use std::{num::NonZeroU32, time::Duration};

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use fracti_core::{caller::usage::UsageKind, input::Limit, values::time::Timestamp};
use fracti_texts::message;

use crate::{
    caller::principal::Credential,
    response::problem::{Code, Problem},
};

/// Header with the state of the quota that the request used.
pub(crate) const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");

/// Header with all quotas.
pub(crate) const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

/// Requests that a user may make on a day, in UTC: this number with all their API tokens together,
/// and as many again in the app.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// Number of reads; `None` for any number.
    pub reads: Option<NonZeroU32>,
    /// Number of writes; `None` for any number.
    pub writes: Option<NonZeroU32>,
    /// Sampling interval: one request in `sample`, chosen at random, is counted, with weight
    /// `sample`.
    pub sample: NonZeroU32,
    /// Time that a request waits for its counter. It is admitted if the table does not answer.
    pub timeout: Duration,
}

/// Kind of a request, and the name of its quota.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QuotaKind {
    /// GET or HEAD.
    Reads,
    /// Any other method.
    Writes,
}

/// The state of a quota after a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QuotaState {
    pub(crate) kind: QuotaKind,
    pub(crate) limit: NonZeroU32,
    /// Requests counted so far; `None` if there were too many for this one.
    pub(crate) used: Option<u64>,
    /// Time of the request.
    pub(crate) now: Timestamp,
}

impl Default for Quotas {
    /// Any number of requests.
    fn default() -> Self {
        Self {
            reads: None,
            writes: None,
            sample: NonZeroU32::MIN.saturating_add(9),
            timeout: Duration::from_millis(300),
        }
    }
}

impl Quotas {
    /// Number of requests of a kind; `None` for any number.
    pub(crate) const fn limit(&self, kind: QuotaKind) -> Option<NonZeroU32> {
        match kind {
            QuotaKind::Reads => self.reads,
            QuotaKind::Writes => self.writes,
        }
    }

    /// The header fields of a counted response. Of a quota, `q` is the number of requests, `w` its
    /// window and `t` the time until it begins again, in seconds, and `r` what remains of it.
    ///
    /// <https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers-10>
    pub(crate) fn headers(&self, state: &QuotaState) -> HeaderMap {
        let policy =
            |kind: QuotaKind| Some(format!("\"{}\";q={};w=86400", kind.name(), self.limit(kind)?));
        let policies: Vec<_> =
            [QuotaKind::Reads, QuotaKind::Writes].into_iter().filter_map(policy).collect();
        let name = state.kind.name();
        let remaining = state.remaining();
        let reset = state.reset();
        let fields = [
            (RATE_LIMIT_POLICY, policies.join(", ")),
            (RATE_LIMIT, format!("\"{name}\";r={remaining};t={reset}")),
        ];
        let field = |(name, value)| Some((name, HeaderValue::try_from(value).ok()?));
        fields.into_iter().filter_map(field).collect()
    }
}

impl QuotaKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
        }
    }

    const fn of_user(self) -> Limit {
        match self {
            Self::Reads => Limit::DailyReads,
            Self::Writes => Limit::DailyWrites,
        }
    }

    /// The usage in which requests of this kind with this credential are counted.
    pub(crate) const fn usage_kind(self, credential: &Credential) -> UsageKind {
        match (credential, self) {
            (Credential::InitData | Credential::Bot, Self::Reads) => UsageKind::AppReads,
            (Credential::InitData | Credential::Bot, Self::Writes) => UsageKind::AppWrites,
            (Credential::Token { .. }, Self::Reads) => UsageKind::Reads,
            (Credential::Token { .. }, Self::Writes) => UsageKind::Writes,
        }
    }
}

impl QuotaState {
    /// The response to a request beyond the quota.
    pub(crate) fn refusal(&self) -> Option<Problem> {
        let message = || {
            let limit = self.limit;
            match self.kind {
                QuotaKind::Reads => message!(
                    "the daily limit of {limit} reads is reached; it resets at 00:00 UTC",
                    "дневной лимит чтений ({limit}) исчерпан; он обновится в 00:00 UTC"
                ),
                QuotaKind::Writes => message!(
                    "the daily limit of {limit} writes is reached; it resets at 00:00 UTC",
                    "дневной лимит изменений ({limit}) исчерпан; он обновится в 00:00 UTC"
                ),
            }
        };
        let refused = self.used.is_none();
        let problem = || Problem::new(Code::RateLimited, message()).of_limit(self.kind.of_user());
        refused.then(|| problem().retry_after(self.reset()))
    }

    fn remaining(&self) -> u64 {
        let limit = u64::from(self.limit.get());
        limit.saturating_sub(self.used.unwrap_or(limit))
    }

    /// Seconds until the next day begins, at least 1.
    fn reset(&self) -> u64 {
        let left = self.now.day().end().next().since(self.now);
        left.as_secs().saturating_add(u64::from(left.subsec_nanos() > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(now: &str, used: Option<u64>) -> QuotaState {
        let limit = NonZeroU32::new(500).unwrap();
        QuotaState { kind: QuotaKind::Writes, limit, used, now: now.parse().unwrap() }
    }

    #[test]
    fn headers_tell_all_policies_and_the_state_of_one() {
        let limit = NonZeroU32::new;
        let both = Quotas { reads: limit(5000), writes: limit(500), ..Quotas::default() };
        let writes = Quotas { reads: None, ..both };
        let all = "\"reads\";q=5000;w=86400, \"writes\";q=500;w=86400";
        for (quotas, now, used, policy, current) in [
            (both, "2026-01-15T12:00:00Z", Some(10), all, "\"writes\";r=490;t=43200"),
            (both, "2026-01-15T23:59:59.999Z", Some(505), all, "\"writes\";r=0;t=1"),
            (both, "2026-01-15T00:00:00Z", None, all, "\"writes\";r=0;t=86400"),
            (
                writes,
                "2026-01-15T23:59:58.001Z",
                Some(500),
                "\"writes\";q=500;w=86400",
                "\"writes\";r=0;t=2",
            ),
        ] {
            let headers = quotas.headers(&state(now, used));
            assert_eq!(headers[RATE_LIMIT_POLICY], policy, "{now}");
            assert_eq!(headers[RATE_LIMIT], current, "{now}");
        }
    }
}
