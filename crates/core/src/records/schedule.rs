//! Schedules: expenses that are recorded by themselves, again and again.
//!
//! A schedule has a template, the expense, and a rule, its dates. What is recorded is an
//! occurrence: an ordinary expense that names its schedule.

mod change;
mod occurrence;
mod repeat;

use std::collections::BTreeMap;

use fracti_texts::{Language, Message, Says};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    input::{Error, FieldError},
    records::expense::Expense,
    storage::{
        keys::{self, DueList, Index, Keys},
        row::Row,
    },
    values::{
        id::{ExpenseId, GroupId, ScheduleId, TokenId, UserId},
        text::TokenName,
        time::{Day, Timestamp, day_of, start_of},
    },
    words,
};

pub use change::{MAX_SKIPS, NewSchedule, ScheduleEdit, Scheduling};
pub use repeat::{DAYS_BACK, Repeat, RepeatInput, RepeatUnit};

/// Dates to come that a schedule shows.
const SHOWN_DATES: usize = 12;

/// Seconds over which the schedules of a zone are spread, so that they do not come at once.
const SPREAD_S: u64 = 1_800;

words! {
    /// Who shares each expense of a schedule, if that is decided on its date.
    pub enum SharedBy as "SharedBy" {
        /// All members who are present, equally.
        Everyone = "everyone",
        /// Whom the group's default split names, by its weights.
        Default = "default",
    }
}

words! {
    /// Status of a schedule.
    pub enum ScheduleStatus as "ScheduleStatus" {
        /// It records expenses.
        Active = "active",
        /// It waits until a member lets it go on.
        Paused = "paused",
        /// All its dates are over.
        Ended = "ended",
    }
}

words! {
    /// Why an expense of a schedule was refused, by the code that a request would get. There may be
    /// others in the future.
    pub enum ScheduleRefusal as "ScheduleRefusal" {
        /// The expense breaks a rule.
        Invalid = "VALIDATION_ERROR",
        /// The user who made or last changed the schedule has left.
        Left = "LEFT",
        /// The user who made or last changed the schedule was removed.
        Removed = "REMOVED",
        /// The group is archived.
        GroupArchived = "GROUP_ARCHIVED",
        /// The expense has too many shares.
        TooManySplits = "TOO_MANY_SPLITS",
    }
}

/// Why a schedule was paused by itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ScheduleProblem {
    /// The refusal.
    pub code: ScheduleRefusal,
    /// Messages by the code of their language.
    messages: BTreeMap<String, String>,
    /// Path of the field that breaks the rule, as in a request that edits the schedule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Date whose expense was refused.
    pub date: Day,
    /// Time of the refusal.
    pub at: Timestamp,
}

/// A schedule of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Unique identifier.
    pub id: ScheduleId,
    /// Group in which the expenses are recorded.
    pub group_id: GroupId,
    /// The expense, which has no row of its own. Its id and its times say nothing.
    pub template: Expense,
    /// Sharers of each expense, if the template's shares do not say them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shared_by: Option<SharedBy>,
    /// The rule.
    pub repeat: Repeat,
    /// Dates of the rule that are left out, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skips: Vec<Day>,
    /// The date that comes next, if one does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_date: Option<Day>,
    /// Whether it waits until a member lets it go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub paused: bool,
    /// Why it was paused, if not by a member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<ScheduleProblem>,
    /// The last date that was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_date: Option<Day>,
    /// Its expense, which may have been deleted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_expense_id: Option<ExpenseId>,
    /// User who made it.
    pub created_by: UserId,
    /// User who made or last changed it, with whose rights the expenses are recorded.
    pub actor_id: UserId,
    /// API token by which this user did so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<TokenId>,
    /// Name of this token.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<TokenName>,
    /// Time at which it was made.
    pub created_at: Timestamp,
    /// Time of the last change by a member.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
    /// Time at which the keeper looks at it, while it is active.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
}

impl Row for Schedule {
    const KIND: &'static str = "schedule";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let due = |at| Index { pk: keys::due(DueList::Money), sk: keys::due_position(at, self.id) };
        let gsi3 = self.due_at.map(due);
        Keys { gsi3, ..keys::schedule(self.group_id, self.id).into() }
    }
}

impl Schedule {
    /// Its status.
    #[must_use]
    pub const fn status(&self) -> ScheduleStatus {
        match (self.next_date, self.paused) {
            (None, _) => ScheduleStatus::Ended,
            (Some(_), true) => ScheduleStatus::Paused,
            (Some(_), false) => ScheduleStatus::Active,
        }
    }

    /// The dates that come next, at most 12, whether it is paused or not.
    #[must_use]
    pub fn next_dates(&self) -> Vec<Day> {
        let dates = self.next_date.into_iter().flat_map(|next| self.dates_from(next));
        dates.take(SHOWN_DATES).collect()
    }

    /// The date whose expense is to be recorded at a moment. [`Schedule::due_at`] decides nothing.
    #[must_use]
    pub fn due_date(&self, now: Timestamp) -> Option<Day> {
        let zone = self.repeat.time_zone;
        self.next_date.filter(|date| !self.paused && start_of(*date, zone) <= now)
    }

    /// The schedule without the dates that are too old to be recorded: more than [`DAYS_BACK`]
    /// days.
    #[must_use]
    pub fn without_old_dates(self, now: Timestamp) -> Self {
        let oldest = self.today(now).plus(DAYS_BACK.saturating_neg());
        if self.next_date.is_none_or(|next| next >= oldest) {
            return self;
        }
        let next_date = self.dates_from(oldest).next();
        Self { next_date, ..self }.timed(now)
    }

    /// The schedule after the expense of its next date was recorded.
    #[must_use]
    pub fn recorded(&self, expense: &Expense) -> Self {
        let date = expense.day();
        let mut after = Self {
            next_date: self.dates_from(date.plus(1)).next(),
            last_date: Some(date),
            last_expense_id: Some(expense.id),
            version: self.version.saturating_add(1),
            ..self.clone()
        };
        after.skips.retain(|skip| *skip > date);
        after.timed(expense.created_at)
    }

    /// The schedule after the expense of its next date was refused.
    #[must_use]
    pub fn refused(&self, date: Day, error: &Error, at: Timestamp) -> Self {
        let problem = Some(ScheduleProblem::of(error, date, at));
        let version = self.version.saturating_add(1);
        Self { paused: true, problem, version, ..self.clone() }.timed(at)
    }

    /// The same schedule, whose index follows from its next date. One that is over by now is due
    /// from now on, so that the keeper is not late with what a member has just asked for.
    fn timed(self, now: Timestamp) -> Self {
        let next = self.next_date.filter(|_| !self.paused);
        let due_at = next.map(|next| {
            let spread = Sha256::digest(self.id.as_bytes());
            let spread = spread.first_chunk().copied().map_or(0, u64::from_be_bytes);
            let spread_s = spread.checked_rem(SPREAD_S).unwrap_or_default();
            start_of(next, self.repeat.time_zone).plus_seconds(spread_s).max(now)
        });
        Self { due_at, ..self }
    }

    /// Time at which the keeper looks at it, unless a failure has delayed it.
    #[must_use]
    pub fn first_due_at(&self) -> Option<Timestamp> {
        self.clone().timed(Timestamp::default()).due_at
    }

    /// The dates from a day on that are not skipped.
    fn dates_from(&self, day: Day) -> impl Iterator<Item = Day> + '_ {
        self.repeat.from(day).filter(|date| !self.skips.contains(date))
    }

    /// The day that it is in the schedule's zone.
    fn today(&self, now: Timestamp) -> Day {
        day_of(now, self.repeat.time_zone)
    }
}

impl ScheduleProblem {
    fn of(error: &Error, date: Day, at: Timestamp) -> Self {
        let code = match error {
            Error::Left | Error::NotMember | Error::NoGroup => ScheduleRefusal::Left,
            Error::Removed => ScheduleRefusal::Removed,
            Error::GroupArchived => ScheduleRefusal::GroupArchived,
            Error::TooManyShares(_) | Error::TooManyActions(_) => ScheduleRefusal::TooManySplits,
            _ => ScheduleRefusal::Invalid,
        };
        let first = match error {
            Error::Invalid(errors) => errors.as_slice().first(),
            _ => None,
        };
        let path = first.map(|first| format!("expense.{}", first.path));
        let message = first.map_or_else(|| error.says(), FieldError::message);
        let texts = Language::ALL
            .map(|language| (language.code().to_owned(), message.text(language).to_owned()));
        Self { code, messages: texts.into(), path, date, at }
    }

    /// The message of the refusal.
    #[must_use]
    pub fn message(&self) -> Message {
        Message::new(|language| self.messages.get(language.code()).cloned().unwrap_or_default())
    }
}
