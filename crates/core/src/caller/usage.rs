//! Number of API requests that a user makes on a day.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{
    storage::{
        keys::{self, Keys},
        row::Row,
    },
    values::{id::UserId, time::Day},
};

/// Time for which a usage row is kept after its day.
const RETENTION: Duration = Duration::from_hours(7 * 24);

/// The requests of a user on a day, in UTC. If requests are counted by sample, each counter is an
/// estimate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// The user.
    #[serde(rename = "PK", with = "keys::of_user")]
    pub user: UserId,
    /// The day.
    #[serde(rename = "SK", with = "keys::of_usage")]
    pub day: Day,
    /// Reads by API token.
    #[serde(default)]
    pub reads: u64,
    /// Writes by API token.
    #[serde(default)]
    pub writes: u64,
    /// Reads by init data, that is, in the app.
    #[serde(default)]
    pub app_reads: u64,
    /// Writes by init data.
    #[serde(default)]
    pub app_writes: u64,
    /// Time when the row expires, in seconds since 1970.
    pub ttl: u64,
}

/// A kind of requests, which are counted together in a [`Usage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageKind {
    /// [`Usage::reads`].
    Reads,
    /// [`Usage::writes`].
    Writes,
    /// [`Usage::app_reads`].
    AppReads,
    /// [`Usage::app_writes`].
    AppWrites,
}

impl Usage {
    /// The usage of a user who has sent no request on the day.
    #[must_use]
    pub fn none(user: UserId, day: Day) -> Self {
        Self { user, day, reads: 0, writes: 0, app_reads: 0, app_writes: 0, ttl: expiry(day) }
    }

    /// The number of requests of this kind.
    #[must_use]
    pub const fn count(&self, kind: UsageKind) -> u64 {
        match kind {
            UsageKind::Reads => self.reads,
            UsageKind::Writes => self.writes,
            UsageKind::AppReads => self.app_reads,
            UsageKind::AppWrites => self.app_writes,
        }
    }
}

impl UsageKind {
    /// Name of the attribute.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reads => "reads",
            Self::Writes => "writes",
            Self::AppReads => "appReads",
            Self::AppWrites => "appWrites",
        }
    }
}

/// Time when the usage of a day expires, in seconds since 1970.
#[must_use]
pub fn expiry(day: Day) -> u64 {
    day.end().next().seconds().saturating_add(RETENTION.as_secs())
}

impl Row for Usage {
    const KIND: &'static str = "usage";
    const VERSION: u32 = 4;

    fn keys(&self) -> Keys {
        keys::usage(self.user, self.day).into()
    }
}
