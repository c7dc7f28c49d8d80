//! Changes that are to be told in Telegram, and whom they concern.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    chat::subscription::{Subscription, TOLD_FOR, Topic},
    group::Member,
    input::Error,
    questions::question::Question,
    records::{
        entry::Entry,
        group_change::{ChangeKind, GroupChange},
    },
    storage::{
        condition::Condition,
        keys,
        row::{self, AttributeValue, KIND, Row},
        write::{Transaction, Write},
    },
    values::{
        currency::Currency,
        id::{GroupId, MemberId, QuestionId, Subscriber, UserId},
        time::Timestamp,
    },
};

/// Subscriptions that one transaction changes, at most.
const MARKED: usize = 98;

/// Whether changes are told in Telegram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Telling {
    /// They are not.
    #[default]
    Off,
    /// They are.
    On,
    /// They are, but not in the group's chat, where the bot shows them already.
    Shown,
}

/// Makes the changes of a transaction due, if they are told and their kind is one that is.
///
/// # Errors
///
/// [`Error::Table`] if a change cannot be read.
pub fn make_due(transaction: &mut Transaction, telling: Telling) -> Result<(), Error> {
    if telling == Telling::Off {
        return Ok(());
    }
    let is_change = |kind: &AttributeValue| matches!(kind, AttributeValue::S(kind) if kind == GroupChange::KIND);
    for item in transaction.puts_mut().filter(|item| item.get(KIND).is_some_and(is_change)) {
        let change: GroupChange = row::from_item(item.clone())?;
        if Topic::of(change.subject.kind).is_some() {
            let due_at = Some(change.at);
            let shown = telling == Telling::Shown;
            *item = row::to_item(&GroupChange { due_at, shown, ..change })?;
        }
    }
    Ok(())
}

/// The write of a subscription that is as it was read.
///
/// # Errors
///
/// As [`Write::put`].
pub fn put_subscription(
    before: Option<&Subscription>,
    after: &Subscription,
) -> Result<Write, Error> {
    let as_read = before.map_or_else(Condition::absent, |it| Condition::at_version(it.version));
    Ok(Write::put(after)?.when(as_read))
}

/// A change with what it did.
#[derive(Clone, Debug)]
pub struct ToldChange {
    /// The change.
    pub change: GroupChange,
    /// What it did to the members' totals.
    pub effects: Effects,
    /// Whether it is the end of a hold that ran out.
    pub is_expired: bool,
    /// The question as it is now, if it is about one that exists.
    pub question: Option<Question>,
}

/// What a change did to the totals of members: what they paid and owe for expenses, or got
/// otherwise, in minor units.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effects(BTreeMap<MemberId, BTreeMap<Currency, Effect>>);

/// What a change did to a member's totals in one currency, in minor units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// Change of what the member paid for expenses.
    pub paid: i64,
    /// Change of what the member owes for expenses.
    pub owed: i64,
    /// Change of what the member sent, without what they received.
    pub sent: i64,
}

impl Effects {
    /// What entries did together.
    #[must_use]
    pub fn of(entries: &[Entry]) -> Self {
        let mut all: BTreeMap<MemberId, BTreeMap<Currency, Effect>> = BTreeMap::new();
        for change in entries.iter().flat_map(|entry| &entry.changes) {
            let of = all.entry(change.user).or_default().entry(change.currency).or_default();
            let totals = change.totals;
            of.paid = of.paid.saturating_add(totals.paid);
            of.owed = of.owed.saturating_add(totals.owed);
            of.sent = of.sent.saturating_add(totals.sent).saturating_sub(totals.received);
        }
        Self(all).without_none()
    }

    /// What several changes did together.
    #[must_use]
    pub fn together<'a>(several: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut all: BTreeMap<MemberId, BTreeMap<Currency, Effect>> = BTreeMap::new();
        for (member, effects) in several.into_iter().flat_map(|it| &it.0) {
            let of_member = all.entry(*member).or_default();
            for (currency, effect) in effects {
                let of = of_member.entry(*currency).or_default();
                of.paid = of.paid.saturating_add(effect.paid);
                of.owed = of.owed.saturating_add(effect.owed);
                of.sent = of.sent.saturating_add(effect.sent);
            }
        }
        Self(all).without_none()
    }

    fn without_none(self) -> Self {
        let Self(mut all) = self;
        for of in all.values_mut() {
            of.retain(|_, effect| *effect != Effect::default());
        }
        all.retain(|_, of| !of.is_empty());
        Self(all)
    }

    /// What they did to a user with these ids.
    pub fn on<'a>(
        &'a self,
        ids: &'a BTreeSet<MemberId>,
    ) -> impl Iterator<Item = (Currency, Effect)> + 'a {
        let of = self.0.iter().filter(|(id, _)| ids.contains(id));
        of.flat_map(|(_, of)| of.iter().map(|(currency, effect)| (*currency, *effect)))
    }

    /// Whether they did nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The subscribers of a change that are marked next, after `told_to`, and the last of them if
/// others are left. The chat comes with the last users.
#[must_use]
pub fn next_marked(
    users: &BTreeSet<UserId>,
    chat: Option<Subscriber>,
    told_to: Option<UserId>,
) -> (Vec<Subscriber>, Option<UserId>) {
    let mut left = users.iter().copied().filter(|user| told_to.is_none_or(|it| *user > it));
    let part: Vec<UserId> = left.by_ref().take(MARKED).collect();
    let to = left.next().and_then(|_| part.last().copied());
    let part = part.into_iter().map(Subscriber::User);
    (part.chain(chat.filter(|_| to.is_none())).collect(), to)
}

/// The writes that mark subscriptions, so that a message with a change is sent, and note it in the
/// change, which must wait as it was read: `to` is the last of them if others are left.
///
/// # Errors
///
/// [`Error::Table`] if a value cannot be written.
pub fn mark<'a>(
    (change, question): (&GroupChange, Option<&Question>),
    subscriptions: impl Iterator<Item = &'a Subscription>,
    to: Option<UserId>,
    now: Timestamp,
) -> Result<Transaction, Error> {
    let mut writes = Transaction::default();
    for before in subscriptions.filter(|it| it.wants(change)) {
        writes.add(match before.waiting(change) {
            Some(after) => put_subscription(Some(before), &after)?,
            // A message that is begun meanwhile may not have the change.
            None => Write::check(keys::subscription(before.id))
                .when(Condition::at_version(before.version)),
        });
    }
    let as_read = match &change.told_to {
        None => Condition::without("toldTo"),
        Some(told_to) => Condition::equal("toldTo", row::to_value(told_to)?),
    };
    let key = keys::change(change.group_id, change.number);
    let update = match to {
        Some(to) => Write::update(key, [("toldTo", Some(row::to_value(&to)?))]),
        None => Write::update(key, cleared(change, question, now)?),
    };
    let stage = if change.reminds {
        Condition::with_attribute("reminds")
    } else {
        Condition::without("reminds")
    };
    let is_due = Condition::with_attribute("dueAt").and(stage);
    writes.add(update.when(is_due.and(as_read)));
    Ok(writes)
}

/// Whether a change, as its row is now, still waits as it was read: the conditions of [`mark`].
#[must_use]
pub fn waits_as(read: &GroupChange, now: &GroupChange) -> bool {
    now.due_at.is_some() && now.told_to == read.told_to && now.reminds == read.reminds
}

/// The attributes of a change that was told: it is due no more or, if its question takes long
/// enough, again at half of its time.
fn cleared(
    change: &GroupChange,
    question: Option<&Question>,
    now: Timestamp,
) -> Result<[(&'static str, Option<AttributeValue>); 6], Error> {
    let names = ["dueAt", "dueFailures", "toldTo", "reminds", "GSI3PK", "GSI3SK"];
    let asked = question.filter(|it| {
        change.subject.kind == ChangeKind::QuestionAsked && !change.reminds && !it.is_over(now)
    });
    let Some(at) = asked.and_then(Question::reminder_at).filter(|at| *at > now) else {
        return Ok(names.map(|name| (name, None)));
    };
    let again = GroupChange { due_at: Some(at), told_to: None, reminds: true, ..change.clone() };
    let item = row::to_item(&again)?;
    Ok(names.map(|name| (name, item.get(name).cloned())))
}

impl ToldChange {
    /// The users whom it concerns, who are present: not who made it, unless it came by itself.
    #[must_use]
    pub fn concerned(&self, members: &[Member], now: Timestamp) -> BTreeSet<UserId> {
        let Self { change, effects, is_expired, question } = self;
        let subject = &change.subject;
        let parties: Vec<MemberId> = match subject.kind {
            ChangeKind::ExpenseAdded
            | ChangeKind::ExpenseEdited
            | ChangeKind::ExpenseDeleted
            | ChangeKind::ExpenseRestored
            | ChangeKind::AdjustmentPushed
            | ChangeKind::AdjustmentReverted => effects.0.keys().copied().collect(),
            ChangeKind::SettlementRecorded
            | ChangeKind::SettlementEdited
            | ChangeKind::SettlementCompleted
            | ChangeKind::SettlementFailed
            | ChangeKind::SettlementReverted => {
                let parties =
                    subject.settlement.as_ref().map(|it| [it.from_user_id, it.to_user_id]);
                parties.into_iter().flatten().collect()
            }
            ChangeKind::MemberLinked => {
                let linked = subject.member.as_ref().and_then(|it| it.linked_to);
                linked.into_iter().map(MemberId::from).collect()
            }
            ChangeKind::LinkProposed => {
                let proposed = subject.member.as_ref().and_then(|it| it.proposed_user_id);
                proposed.into_iter().map(MemberId::from).collect()
            }
            ChangeKind::ImportDone | ChangeKind::ImportUndone => {
                members.iter().filter_map(|it| it.id.user()).map(MemberId::from).collect()
            }
            ChangeKind::SchedulePaused | ChangeKind::QuestionCompleted => {
                vec![change.actor_id.into()]
            }
            ChangeKind::QuestionAsked => {
                let waiting = question.as_ref().map(|of| unanswered(of, members, now));
                waiting.into_iter().flatten().map(MemberId::from).collect()
            }
            _ => Vec::new(),
        };
        let by_itself = *is_expired
            || matches!(subject.kind, ChangeKind::SchedulePaused | ChangeKind::QuestionCompleted)
            || subject.expense.as_ref().is_some_and(|it| it.schedule_id.is_some())
                && subject.kind == ChangeKind::ExpenseAdded;
        let told = parties.into_iter().filter_map(|id| who_is_told(id, members));
        told.filter(|user| by_itself || *user != change.actor_id).collect()
    }

    /// Whether the group's chat is told of it.
    #[must_use]
    pub fn concerns_chat(&self, now: Timestamp) -> bool {
        let Self { change, effects, question, .. } = self;
        let is_seen = match change.subject.kind {
            ChangeKind::ExpenseEdited => !effects.is_empty(),
            // It waits for one user alone.
            ChangeKind::LinkProposed => false,
            ChangeKind::QuestionAsked => question.as_ref().is_some_and(|of| !of.is_over(now)),
            _ => true,
        };
        !change.shown && !change.reminds && is_seen && Topic::of(change.subject.kind).is_some()
    }

    /// Whether a chat is told of it: that of a user, or the group's.
    #[must_use]
    pub fn concerns(&self, user: Option<UserId>, members: &[Member], now: Timestamp) -> bool {
        match user {
            Some(user) => self.concerned(members, now).contains(&user),
            None => self.concerns_chat(now),
        }
    }
}

/// Whether a chat may be told of a change that was read, `from` on if changes wait for it.
#[must_use]
pub fn may_be_told(
    change: &GroupChange,
    to: &Subscription,
    from: Option<u64>,
    now: Timestamp,
) -> bool {
    // An earlier change that is not due any more was not for this chat.
    let is_for_chat = from.is_some_and(|from| change.number >= from)
        || change.due_at.is_some() && !change.reminds;
    is_for_chat && to.wants(change) && now.since(change.at) < TOLD_FOR
}

/// Questions of a group that a user may be reminded of: `changes` do not tell of them anyway.
pub fn reminded<'a>(
    of: &'a Subscription,
    group: GroupId,
    changes: &'a [ToldChange],
) -> impl Iterator<Item = QuestionId> + 'a {
    let is_told =
        |id: QuestionId| changes.iter().filter_map(|it| it.question.as_ref()).any(|it| it.id == id);
    let of_group = of.reminders.iter().filter(move |it| it.group_id == group);
    of_group.map(|it| it.question_id).filter(move |id| !is_told(*id))
}

/// The users who are told of a question: those who can answer it, for themselves or for a guest,
/// and have not.
#[must_use]
pub fn unanswered(of: &Question, members: &[Member], now: Timestamp) -> BTreeSet<UserId> {
    let can = |member: &&Member| of.is_open_for(member, now) && !of.has_answered(member);
    let ids = members.iter().filter(can).map(|it| it.id);
    ids.filter_map(|id| who_is_told(id, members)).collect()
}

/// The present user who is told of what concerns a member: of a guest, the user whom the guest
/// turned out to be, or else who added the guest.
fn who_is_told(id: MemberId, members: &[Member]) -> Option<UserId> {
    let find = |id: MemberId| members.iter().find(|it| it.id == id);
    let user = match id {
        MemberId::User(user) => user,
        MemberId::Guest(_) => {
            let guest = find(id)?;
            guest.linked_to.or(guest.created_by)?
        }
    };
    find(user.into()).filter(|it| it.is_present()).map(|_| user)
}
