//! Subscriptions: the settings of a chat that gets messages of the bot, and how far it was told.
//!
//! No text waits in a subscription, only numbers of changes: a message says what holds when it is
//! sent.

use std::time::Duration;

use fracti_texts::{Language, rule};
use serde::{Deserialize, Serialize};

use crate::{
    input::{Draft, Error, Field, FieldErrors, Path},
    records::group_change::{ChangeKind, GroupChange},
    storage::{
        keys::{self, DueList, Index, Keys},
        row::Row,
    },
    values::{
        chat_id::ChatId,
        id::{GroupId, QuestionId, Subscriber, UserId},
        text_form::{TextForm, TextRule},
        time::{Timestamp, Zone, hour_of},
    },
    words,
};

/// Minutes between two messages of a private chat, unless its user says otherwise.
pub const INTERVAL: u16 = 30;

/// Minutes between two messages of a group's chat.
pub const GROUP_INTERVAL: u16 = 5;

/// Minimum and maximum of the minutes between two messages.
pub const INTERVALS: (u16, u16) = (5, 1_440);

/// Maximum number of groups that a user may mute.
pub const MAX_MUTED: usize = 100;

/// Maximum number of questions that one message reminds of.
pub const MAX_REMINDERS: usize = 10;

/// Time after which a change is not told any more.
pub const TOLD_FOR: Duration = Duration::from_hours(7 * 24);

/// Failures of a chat after which no more is sent to it.
pub const MAX_REFUSED: u32 = 20;

/// Maximum number of chats that are remembered of a group. A group rarely has more than three: its
/// number, its number as a supergroup, and its `chat_instance`.
const MAX_CHATS: usize = 50;

/// Number of changes that are read before the first waiting one of a group. They may be marked
/// later.
const EARLIER: u64 = 50;

/// Seconds for which a keeper has a subscription to itself. It sends in the first
/// [`SEND_WITHIN`] of them.
pub const LEASE_S: u64 = 60;

/// Time after the beginning of a lease within which the message is sent.
pub const SEND_WITHIN: Duration = Duration::from_secs(20);

/// The longest time between two attempts after failures, in minutes.
const MAX_DELAY_MIN: u64 = 60;

words! {
    /// What messages are about.
    pub enum Topic as "MessageTopic" {
        /// Expenses, and what no other topic has.
        Expenses = "expenses",
        /// Payments between members.
        Settlements = "settlements",
        /// Questions and receipts.
        Questions = "questions",
    }
}

impl TextForm for Language {
    const NAME: &'static str = "MessageLanguage";
    const EXAMPLE: &'static str = Self::English.code();

    fn description() -> String {
        "Language of messages.".to_owned()
    }

    fn rule() -> TextRule {
        const CODES: [&str; Language::ALL.len()] =
            [Language::English.code(), Language::Russian.code()];
        TextRule::OneOf(&CODES)
    }
}

words! {
    /// Why messages have stopped.
    pub enum InactiveReason as "InactiveReason" {
        /// The user has blocked the bot, or the group has removed it.
        Blocked = "blocked",
        /// Telegram does not know the chat, or the user has not let the bot write to it.
        ChatNotFound = "chat_not_found",
        /// Telegram has refused many messages to the chat.
        Refused = "refused",
    }
}

impl Topic {
    /// The topic of a change; `None` if nobody is told of it.
    #[must_use]
    pub const fn of(kind: ChangeKind) -> Option<Self> {
        match kind {
            ChangeKind::ExpenseAdded
            | ChangeKind::ExpenseEdited
            | ChangeKind::ExpenseDeleted
            | ChangeKind::ExpenseRestored
            | ChangeKind::SchedulePaused
            | ChangeKind::MemberLinked
            | ChangeKind::LinkProposed
            | ChangeKind::AdjustmentPushed
            | ChangeKind::AdjustmentReverted
            | ChangeKind::ImportDone
            | ChangeKind::ImportUndone
            | ChangeKind::GroupArchived => Some(Self::Expenses),
            ChangeKind::SettlementRecorded
            | ChangeKind::SettlementEdited
            | ChangeKind::SettlementCompleted
            | ChangeKind::SettlementFailed
            | ChangeKind::SettlementReverted => Some(Self::Settlements),
            ChangeKind::QuestionAsked
            | ChangeKind::QuestionCompleted
            | ChangeKind::QuestionClosed => Some(Self::Questions),
            ChangeKind::ScheduleAdded
            | ChangeKind::ScheduleEdited
            | ChangeKind::ScheduleDeleted
            | ChangeKind::MemberJoined
            | ChangeKind::MemberLeft
            | ChangeKind::MemberRemoved
            | ChangeKind::MemberRestored
            | ChangeKind::LinkWithdrawn
            | ChangeKind::GuestAdded
            | ChangeKind::GroupChanged => None,
        }
    }
}

/// Hours in which messages make no sound: from the first one until the second one begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct QuietHours {
    /// The first quiet hour, from 0 to 23.
    pub from: u8,
    /// The first hour that is not quiet any more, from 0 to 23.
    pub to: u8,
}

impl QuietHours {
    /// Whether a moment is in them, in a zone.
    #[must_use]
    pub fn has(self, at: Timestamp, zone: Zone) -> bool {
        let hour = hour_of(at, zone);
        if self.from < self.to {
            (self.from..self.to).contains(&hour)
        } else {
            hour >= self.from || hour < self.to
        }
    }
}

/// Progress of a chat in the changes of a group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    /// The group.
    pub group: GroupId,
    /// Number of the last change that the chat was told about, or need not be.
    pub told: u64,
    /// Time of that change.
    pub at: Timestamp,
    /// Number of the first change that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<u64>,
    /// Time of the first change that waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<Timestamp>,
    /// Number of the last change that was marked while a message was sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latest: Option<u64>,
}

/// A question that a user is to be reminded of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Reminder {
    /// The group.
    pub group_id: GroupId,
    /// The question.
    pub question_id: QuestionId,
    /// Time from which it waits.
    pub since: Timestamp,
}

/// Quiet hours of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QuietHoursInput {
    /// The first quiet hour, from 0 to 23.
    pub from: Field<u8>,
    /// The first hour that is not quiet any more, from 0 to 23.
    pub to: Field<u8>,
}

/// The settings of a private chat, as a request sends them. What is left out is as it is by
/// default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscriptionSettings {
    /// Minimum of the minutes between two messages. Default: [`INTERVAL`].
    pub min_interval_minutes: Field<u16>,
    /// Topics of the messages. Default: all.
    pub topics: Field<Vec<Field<Topic>>>,
    /// Groups that cause no messages. Default: none.
    pub muted_groups: Field<Vec<Field<GroupId>>>,
    /// Hours in which messages make no sound. Default: none.
    pub quiet_hours: Field<QuietHoursInput>,
    /// Language of the messages. Default: that of the request.
    pub language: Field<Language>,
}

impl Draft<SubscriptionSettings> {
    /// The subscription of a user with these settings, which is active from now on.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] with the rules that are broken; [`Error::Unreadable`].
    pub fn apply(
        &self,
        before: Option<&Subscription>,
        user: UserId,
        language: Language,
        now: Timestamp,
    ) -> Result<Subscription, Error> {
        let (sent, mut errors) = self.open()?;
        let topics = distinct("topics", &sent.topics, &mut errors);
        let muted = distinct("mutedGroups", &sent.muted_groups, &mut errors);
        let quiet_hours = sent
            .quiet_hours
            .value()
            .and_then(|it| Some(QuietHours { from: *it.from.value()?, to: *it.to.value()? }));
        if quiet_hours.is_some_and(|it| it.from == it.to) {
            errors.push(
                "quietHours",
                rule!(
                    "{field} must have two different hours",
                    "в {field} должны быть два разных часа"
                ),
            );
        }
        errors.finish(Some(()))?;
        let chat_id = i64::try_from(user.number()).unwrap_or_default();
        let language = sent.language.or(language).unwrap_or(Language::English);
        let new = Subscription::new(Subscriber::User(user), chat_id, language, now);
        let was_active = before.is_some_and(|it| it.active);
        let kept = before.cloned().unwrap_or_else(|| new.clone());
        let after = Subscription {
            active: true,
            inactive_reason: None,
            min_interval_minutes: sent.min_interval_minutes.or(INTERVAL).unwrap_or(INTERVAL),
            topics: topics.unwrap_or(new.topics),
            muted_groups: muted.unwrap_or_default(),
            quiet_hours,
            language,
            greet: kept.greet || !was_active,
            created_at: if was_active { kept.created_at } else { now },
            updated_at: now,
            ..kept
        };
        Ok(after.changed())
    }
}

/// The values of a list that has none twice; `None` if it was left out.
fn distinct<T: Copy + PartialEq>(
    field: &'static str,
    sent: &Field<Vec<Field<T>>>,
    errors: &mut FieldErrors,
) -> Option<Vec<T>> {
    let values: Vec<T> = sent.value()?.iter().filter_map(Field::value).copied().collect();
    let twice = (1..values.len()).find(|at| {
        let (before, rest) = values.split_at_checked(*at).unwrap_or_default();
        rest.first().is_some_and(|it| before.contains(it))
    });
    if let Some(at) = twice {
        let rule = rule!("{field} must not be named twice", "{field} не должно повторяться");
        errors.push(Path::from(field).index(at), rule);
    }
    Some(values)
}

/// Progress of reading the changes of a group for a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// The group.
    pub group: GroupId,
    /// Number and time of the last change; none if the group has nothing to tell any more, because
    /// it is deleted or the user is not in it.
    pub last: Option<(u64, Timestamp)>,
    /// Whether there are later ones, which wait for the next message.
    pub more: bool,
}

/// The settings of a chat that gets messages, and its progress in the changes of groups.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    /// The user or the group.
    #[serde(rename = "PK", with = "keys::of_subscription")]
    pub id: Subscriber,
    /// Number of the chat in Telegram.
    pub chat_id: i64,
    /// Whether messages are sent.
    pub active: bool,
    /// Reason why the chat gets no more messages, if Telegram refused them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inactive_reason: Option<InactiveReason>,
    /// Minimum of the minutes between two messages.
    pub min_interval_minutes: u16,
    /// Topics of the messages.
    pub topics: Vec<Topic>,
    /// Groups that cause no messages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub muted_groups: Vec<GroupId>,
    /// Hours in which messages make no sound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// Language of the messages.
    pub language: Language,
    /// Progress in each group with changes that wait or were told lately.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Progress>,
    /// Questions that the user is to be reminded of, at most [`MAX_REMINDERS`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reminders: Vec<Reminder>,
    /// Whether the first message is still to be sent, which shows that the chat can be reached.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub greet: bool,
    /// Time of the last message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_notified_at: Option<Timestamp>,
    /// Time before which nothing is sent, after a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_at: Option<Timestamp>,
    /// Time until which one keeper has the subscription to itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lease_until: Option<Timestamp>,
    /// Time from which a message is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub due_at: Option<Timestamp>,
    /// Number of attempts that failed since the last message.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub due_failures: u32,
    /// Number of those that Telegram refused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub refusals: u32,
    /// Of a group: the chats whose rows lead to it, so that they are deleted with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub chats: Vec<ChatId>,
    /// Time at which messages were turned on.
    pub created_at: Timestamp,
    /// Time of the last change of the settings.
    pub updated_at: Timestamp,
    /// Version of the row. Every update is conditional on it.
    pub version: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
const fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl Subscription {
    /// A subscription to everything.
    #[must_use]
    pub fn new(id: Subscriber, chat_id: i64, language: Language, now: Timestamp) -> Self {
        let min_interval_minutes = match id {
            Subscriber::User(_) => INTERVAL,
            Subscriber::Group(_) => GROUP_INTERVAL,
        };
        Self {
            id,
            chat_id,
            active: true,
            inactive_reason: None,
            min_interval_minutes,
            topics: Topic::ALL.into(),
            muted_groups: Vec::new(),
            quiet_hours: None,
            language,
            groups: Vec::new(),
            reminders: Vec::new(),
            greet: false,
            last_notified_at: None,
            retry_at: None,
            lease_until: None,
            due_at: None,
            due_failures: 0,
            refusals: 0,
            chats: Vec::new(),
            created_at: now,
            updated_at: now,
            version: 0,
        }
    }

    /// The subscription of a group to which these chats lead, too.
    #[must_use]
    pub fn with_chats<'a>(mut self, chats: impl IntoIterator<Item = &'a ChatId>) -> Self {
        for chat in chats {
            if !self.chats.contains(chat) {
                self.chats.push(chat.clone());
            }
        }
        let most = self.chats.len().saturating_sub(MAX_CHATS);
        self.chats.drain(..most);
        self
    }

    /// The row after a change of it, with the time at which it is due.
    #[must_use]
    pub fn changed(self) -> Self {
        let next = Self { version: self.version.saturating_add(1), ..self };
        Self { due_at: next.due(), ..next }
    }

    /// Whether the chat is to be told of a change of a group, if it concerns it.
    #[must_use]
    pub fn wants(&self, change: &GroupChange) -> bool {
        let topic = Topic::of(change.subject.kind);
        self.active
            && topic.is_some_and(|topic| self.topics.contains(&topic))
            && !self.muted_groups.contains(&change.group_id)
            && (change.reminds
                || change.at >= self.created_at
                    && self.progress(change.group_id).is_none_or(|it| it.told < change.number))
    }

    /// Progress of the chat in a group, if there is any.
    #[must_use]
    pub fn progress(&self, group: GroupId) -> Option<&Progress> {
        self.groups.iter().find(|it| it.group == group)
    }

    /// The subscription for which a change waits; `None` if it waits already.
    #[must_use]
    pub fn waiting(&self, change: &GroupChange) -> Option<Self> {
        let GroupChange { group_id: group, number, at, .. } = *change;
        let mut after = self.clone();
        if change.reminds {
            let question_id = change.subject.question.as_ref()?.id;
            let is_known = self.reminders.iter().any(|it| it.question_id == question_id);
            if is_known || self.reminders.len() >= MAX_REMINDERS {
                return None;
            }
            let since = change.due_at.unwrap_or(at);
            after.reminders.push(Reminder { group_id: group, question_id, since });
            return Some(after.changed());
        }
        match after.groups.iter_mut().find(|it| it.group == group) {
            Some(known) if known.from.is_some_and(|from| from <= number) => {
                // The message that is being sent may not have it.
                if self.lease_until.is_none() || known.latest.is_some_and(|it| it >= number) {
                    return None;
                }
                known.latest = Some(number);
            }
            Some(known) => {
                known.from = Some(number);
                known.since = Some(known.since.map_or(at, |since| since.min(at)));
            }
            None => {
                // An earlier one may be marked later. What is too old or was not for this chat is
                // left out when it is read.
                let told = number.saturating_sub(EARLIER);
                let from = Some(number);
                let since = Some(at);
                let latest = self.lease_until.and(from);
                after.groups.push(Progress { group, told, at, from, since, latest });
            }
        }
        Some(after.changed())
    }

    /// The groups where something waits, each with the number after which changes are read, and
    /// that of the first change that waits.
    pub fn waits(&self) -> impl Iterator<Item = (GroupId, u64, u64)> + '_ {
        self.groups.iter().filter_map(|it| {
            let from = it.from?;
            let after = it.told.max(from.saturating_sub(EARLIER).saturating_sub(1));
            Some((it.group, after, from))
        })
    }

    /// Time from which a message is due: once something waits, the interval is over, and the time
    /// after a failure, too. While a keeper has the subscription to itself, the end of that.
    fn due(&self) -> Option<Timestamp> {
        if self.lease_until.is_some() {
            return self.lease_until;
        }
        let reminders = self.reminders.iter().map(|it| it.since);
        let since = self.groups.iter().filter_map(|it| it.since).chain(reminders).min();
        let since = if self.greet { Some(self.updated_at) } else { since };
        let since = since.filter(|_| self.active)?;
        let seconds = u64::from(self.min_interval_minutes).saturating_mul(60);
        let next = self.last_notified_at.filter(|_| !self.greet);
        let next = next.map(|last| last.plus_seconds(seconds));
        [Some(since), next, self.retry_at].into_iter().flatten().max()
    }

    /// The subscription that a keeper takes for itself.
    #[must_use]
    pub fn leased(&self, now: Timestamp) -> Self {
        Self { lease_until: Some(now.plus_seconds(LEASE_S)), ..self.clone() }.changed()
    }

    /// The subscription after a message, or after it was found that none is to be sent. `read` has
    /// the last change that was read of each group, or none of a group that has nothing to tell any
    /// more. Later changes that were marked meanwhile still wait.
    #[must_use]
    pub fn told(&self, read: &[Read], is_sent: bool, now: Timestamp) -> Self {
        let mut after = self.clone();
        for Read { group, last, more } in read {
            let Some(known) = after.groups.iter_mut().find(|it| it.group == *group) else {
                continue;
            };
            // Nothing waits in a group that has nothing to tell any more.
            let (last, at) = last.unwrap_or((known.from.unwrap_or(known.told), now));
            known.told = known.told.max(last);
            known.at = known.at.max(at);
            if known.from.is_some_and(|from| from <= known.told) {
                let waits = *more || known.latest.is_some_and(|latest| latest > known.told);
                let next = known.told.saturating_add(1);
                (known.from, known.since) = (waits.then_some(next), waits.then_some(now));
            }
        }
        for known in &mut after.groups {
            known.latest = None;
        }
        match (is_sent, self.greet) {
            (true, true) => after.greet = false,
            (true, false) => after.last_notified_at = Some(now),
            (false, _) => {}
        }
        Self { lease_until: None, retry_at: None, due_failures: 0, refusals: 0, ..after }
            .without_old(now)
            .changed()
    }

    /// The subscription without reminders that a message had.
    #[must_use]
    pub fn reminded(&self, of: &[Reminder]) -> Self {
        let mut after = self.clone();
        after.reminders.retain(|it| !of.contains(it));
        after
    }

    /// The subscription after an attempt that failed, to be tried again at `retry_at` or, without
    /// it, in 1, 2, 4 … 60 minutes. Only the latter counts as a failure.
    #[must_use]
    pub fn failed(&self, now: Timestamp, retry_at: Option<Timestamp>) -> Self {
        let minutes = 1_u64.checked_shl(self.due_failures).unwrap_or(MAX_DELAY_MIN);
        let later = now.plus_seconds(minutes.min(MAX_DELAY_MIN).saturating_mul(60));
        let failures = u32::from(retry_at.is_none());
        Self {
            lease_until: None,
            retry_at: Some(retry_at.unwrap_or(later)),
            due_failures: self.due_failures.saturating_add(failures),
            ..self.clone()
        }
        .changed()
    }

    /// The subscription to which Telegram takes no more messages. What waits is dropped.
    #[must_use]
    pub fn stopped(&self, reason: Option<InactiveReason>, now: Timestamp) -> Self {
        Self {
            active: false,
            inactive_reason: reason,
            groups: Vec::new(),
            reminders: Vec::new(),
            greet: false,
            lease_until: None,
            retry_at: None,
            due_failures: 0,
            refusals: 0,
            updated_at: now,
            ..self.clone()
        }
        .changed()
    }

    /// The subscription without groups where nothing waits and nothing was told within
    /// [`TOLD_FOR`].
    fn without_old(mut self, now: Timestamp) -> Self {
        self.groups.retain(|it| it.from.is_some() || now.since(it.at) < TOLD_FOR);
        self
    }

    /// The user, unless it is a group's chat.
    #[must_use]
    pub const fn user(&self) -> Option<UserId> {
        match self.id {
            Subscriber::User(user) => Some(user),
            Subscriber::Group(_) => None,
        }
    }
}

impl Row for Subscription {
    const KIND: &'static str = "subscription";
    const VERSION: u32 = 1;

    fn keys(&self) -> Keys {
        let gsi3 = self.due_at.map(|at| Index {
            pk: keys::due(DueList::Notify),
            sk: keys::due_position(at, self.id),
        });
        Keys { gsi3, ..keys::subscription(self.id).into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::records::group_change::Subject;

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_millis(1_768_478_400_000 + seconds * 1_000).unwrap()
    }

    fn group() -> GroupId {
        "0190a1b2-0000-7000-8000-000000000001".parse().unwrap()
    }

    /// An archived group, at a second.
    fn change(number: u64, second: u64) -> GroupChange {
        GroupChange {
            group_id: group(),
            number,
            actor_id: UserId::new(1).unwrap(),
            at: at(second),
            entries: None,
            due_at: None,
            told_to: None,
            shown: false,
            reminds: false,
            subject: Subject::adjustments(ChangeKind::AdjustmentPushed, 1),
        }
    }

    fn subscription() -> Subscription {
        let user = Subscriber::User(UserId::new(2).unwrap());
        Subscription::new(user, 2, Language::English, at(0))
    }

    fn read(last: u64, second: u64) -> [Read; 1] {
        [Read { group: group(), last: Some((last, at(second))), more: false }]
    }

    #[test]
    fn message_is_due_at_once_and_then_an_interval_after_the_last_one() {
        let waits = subscription().waiting(&change(7, 10)).unwrap();
        assert_eq!(waits.due_at, Some(at(10)));
        assert_eq!(waits.waiting(&change(8, 11)), None, "it waits already");
        let told = waits.leased(at(12)).told(&read(8, 11), true, at(13));
        assert_eq!((told.due_at, told.last_notified_at), (None, Some(at(13))));
        let again = told.waiting(&change(9, 20)).unwrap();
        assert_eq!(again.due_at, Some(at(13 + 30 * 60)));
        assert!(!again.wants(&change(8, 11)) && again.wants(&change(10, 21)));
    }

    #[test]
    fn change_that_is_marked_during_a_send_still_waits_after_it() {
        let leased = subscription().waiting(&change(7, 10)).unwrap().leased(at(12));
        assert_eq!(leased.due_at, Some(at(12 + LEASE_S)));
        let marked = leased.waiting(&change(9, 13)).unwrap();
        assert_eq!(marked.due_at, leased.due_at, "the lease stays");
        let told = marked.told(&read(8, 11), true, at(14));
        assert_eq!(told.waits().collect::<Vec<_>>(), [(group(), 8, 9)]);
        assert_eq!(told.due_at, Some(at(14 + 30 * 60)));
        let told = told.told(&read(9, 13), true, at(2_000));
        assert_eq!(told.waits().count(), 0);
    }

    #[test]
    fn what_did_not_fit_waits_for_the_next_message() {
        let waits = subscription().waiting(&change(7, 10)).unwrap();
        let [read] = read(500, 11);
        let told = waits.told(&[Read { more: true, ..read }], false, at(12));
        assert_eq!(told.waits().collect::<Vec<_>>(), [(group(), 500, 501)]);
        assert_eq!(told.due_at, Some(at(12)));
    }

    #[test]
    fn failures_delay_by_longer_and_longer_and_a_limit_of_telegram_is_none() {
        let mut of = subscription().waiting(&change(7, 10)).unwrap();
        for minutes in [1, 2, 4, 8, 16, 32, 60, 60] {
            of = of.leased(at(20)).failed(at(20), None);
            assert_eq!(of.due_at, Some(at(20 + minutes * 60)));
        }
        let limited = of.failed(at(20), Some(at(37)));
        assert_eq!((limited.due_at, limited.due_failures), (Some(at(37)), of.due_failures));
        let told = limited.told(&read(7, 10), true, at(40));
        assert_eq!((told.due_failures, told.retry_at), (0, None));
    }

    #[test]
    fn greeting_counts_as_no_message_and_who_is_blocked_waits_for_nothing() {
        let greet = Subscription { greet: true, ..subscription() };
        let waits = greet.waiting(&change(7, 10)).unwrap();
        assert_eq!(waits.due_at, Some(at(0)));
        let greeted = waits.told(&[], true, at(11));
        assert_eq!((greeted.due_at, greeted.last_notified_at), (Some(at(10)), None));
        let stopped = greeted.stopped(Some(InactiveReason::Blocked), at(12));
        assert_eq!((stopped.due_at, stopped.waits().count()), (None, 0));
        assert!(!stopped.wants(&change(8, 20)));
    }

    #[test]
    fn reminder_waits_once_and_goes_with_the_message_that_had_it() {
        let question = |number: u8| {
            let id = format!("0190a1b2-0000-7000-8000-0000000001{number:02}");
            let subject =
                Subject::question(ChangeKind::QuestionAsked, id.parse().unwrap(), "Where?");
            let due_at = Some(at(40));
            GroupChange { reminds: true, due_at, subject, ..change(7, 10) }
        };
        let told = subscription().waiting(&change(7, 10)).unwrap().told(&read(7, 10), true, at(11));
        assert!(told.wants(&question(0)), "the question was told before");
        let reminded = told.waiting(&question(0)).unwrap();
        assert_eq!(reminded.due_at, Some(at(11 + 30 * 60)), "the interval counts");
        assert_eq!(reminded.waiting(&question(0)), None);
        let leased = reminded.leased(at(2_000));
        let meanwhile = leased.waiting(&question(1)).unwrap();
        let after = meanwhile.reminded(&leased.reminders).told(&[], true, at(2_001));
        assert_eq!(after.reminders, meanwhile.reminders[1..]);
        let full = (2..20).fold(after, |of, number| of.waiting(&question(number)).unwrap_or(of));
        assert_eq!(full.reminders.len(), MAX_REMINDERS);
        assert_eq!(full.stopped(None, at(2_002)).reminders, []);
    }

    #[test]
    fn quiet_hours_may_go_over_midnight() {
        let zone = Zone::default();
        let noon = at(0);
        let night = QuietHours { from: 22, to: 8 };
        assert!(!night.has(noon, zone) && night.has(noon.plus_seconds(10 * 3_600), zone));
        assert!(night.has(noon.plus_seconds(19 * 3_600 + 3_599), zone));
        assert!(!night.has(noon.plus_seconds(20 * 3_600), zone));
        assert!(QuietHours { from: 12, to: 13 }.has(noon, zone));
    }
}
