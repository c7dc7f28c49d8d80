//! Delivery: one message to a chat whose subscription is due.
//!
//! A keeper takes the subscription for itself, sends at once, and notes what it told. So sends to
//! one chat never overlap, and a keeper that stops in between leaves a message that is sent again
//! with what holds then.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use fracti_core::{
    chat::subscription::{InactiveReason, LEASE_S, MAX_REFUSED, Read, SEND_WITHIN, Subscription},
    input::Error,
    values::{
        id::{GroupId, Subscriber},
        time::Timestamp,
    },
};
use fracti_runtime::{Clock, with_causes};
use fracti_store::{News, Table};
use tokio::{
    sync::Mutex,
    time::{Instant, sleep_until},
};

use crate::{
    api::{BotApi, Outcome},
    message::{Buttons, Call, Message},
    notice,
    text::Texts,
};

/// Time between two messages of a run: 20 a second.
///
/// <https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this>
const PACE: Duration = Duration::from_millis(50);

/// How the keeper tells changes.
#[derive(Clone, Debug)]
pub struct Teller {
    api: BotApi,
    bot: Option<Arc<str>>,
}

/// The messages of one run of the keeper.
#[derive(Clone, Debug)]
pub struct Sending {
    teller: Teller,
    /// Whether nothing more is sent in this run.
    stopped: Arc<AtomicBool>,
    next: Arc<Mutex<Option<Instant>>>,
}

/// What became of a message that was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    /// It was sent, or there was nothing to say, or it is tried again later.
    Done,
    /// It stays due, because the run sends nothing more or another keeper has it.
    Left,
}

impl Teller {
    /// Tells by a Bot API. `bot` is the username of the bot, for links.
    #[must_use]
    pub const fn new(api: BotApi, bot: Option<Arc<str>>) -> Self {
        Self { api, bot }
    }

    /// Begins a run.
    #[must_use]
    pub fn run(&self) -> Sending {
        Sending { teller: self.clone(), stopped: Arc::default(), next: Arc::default() }
    }
}

impl Sending {
    /// Sends what a subscription waits for, if there is something to say.
    ///
    /// # Errors
    ///
    /// Those of the table. What was sent then is sent again, as after any unknown outcome.
    pub async fn deliver(
        &self,
        table: &Table,
        clock: &Clock,
        of: &Subscription,
    ) -> Result<Delivered, Error> {
        if self.stopped.load(Relaxed) {
            return Ok(Delivered::Left);
        }
        let now = clock.now();
        let (read, news, unread) = split(table.news(of, now).await);
        let Some(message) = self.message(table, of, &news, now).await? else {
            if let Some(error) = unread {
                return Err(error);
            }
            let after = of.reminded(&of.reminders).told(&read, false, now);
            let is_told = table.replace_subscription(of, &after).await?;
            let is_done = is_told && after.due_at.is_none_or(|at| at > now);
            return Ok(if is_done { Delivered::Done } else { Delivered::Left });
        };
        if let Some(error) = unread {
            // What waits of that group stays for the next message.
            tracing::error!(cause = with_causes(&error), "news of a group not read");
        }
        let leased = of.leased(clock.now());
        if !table.replace_subscription(of, &leased).await? {
            return Ok(Delivered::Left);
        }
        self.wait().await;
        let since = leased.lease_until.map(|until| clock.now().plus_seconds(LEASE_S).since(until));
        if self.stopped.load(Relaxed) || since.is_none_or(|since| since > SEND_WITHIN) {
            self.finish(table, &leased, |of| of.failed(now, Some(now))).await?;
            return Ok(Delivered::Left);
        }
        let outcome = self.teller.api.send(&Call::Send(message)).await;
        self.note(table, clock, &leased, &read, outcome).await?;
        Ok(Delivered::Done)
    }

    /// Waits for the turn of the next message.
    async fn wait(&self) {
        let turn = {
            let mut next = self.next.lock().await;
            let now = Instant::now();
            let turn = next.map_or(now, |next| next.max(now));
            *next = turn.checked_add(PACE);
            turn
        };
        sleep_until(turn).await;
    }

    async fn message(
        &self,
        table: &Table,
        of: &Subscription,
        news: &[News],
        now: Timestamp,
    ) -> Result<Option<Message>, Error> {
        let l = Texts(of.language);
        if of.greet {
            let text = l.messages_come(l.minutes(of.min_interval_minutes));
            return Ok(Some(Message::notice(of.chat_id, text, Buttons::default(), false)));
        }
        let silent = match (of.id, of.quiet_hours) {
            (Subscriber::Group(_), _) => true,
            (Subscriber::User(_), None) => false,
            (Subscriber::User(user), Some(quiet)) => {
                quiet.has(now, table.targets(user).await?.zone())
            }
        };
        let message = notice::message(of, news, self.teller.bot.as_deref(), silent);
        // A chat that has refused a message gets it without markup and buttons.
        Ok(message.map(|it| if of.refusals > 0 { it.plain() } else { it }))
    }

    /// Notes the outcome in the subscription.
    async fn note(
        &self,
        table: &Table,
        clock: &Clock,
        leased: &Subscription,
        read: &[Read],
        outcome: Outcome,
    ) -> Result<(), Error> {
        let now = clock.now();
        let kind = outcome.kind();
        match outcome {
            Outcome::Done => {
                // A greeting tells of nothing that waits.
                let (read, reminders) =
                    if leased.greet { (&[][..], &[][..]) } else { (read, &*leased.reminders) };
                self.finish(table, leased, |of| of.reminded(reminders).told(read, true, now)).await
            }
            Outcome::RetryAfter(seconds) => {
                self.stopped.store(true, Relaxed);
                let at = now.plus_seconds(seconds.max(1));
                self.finish(table, leased, |of| of.failed(now, Some(at))).await
            }
            Outcome::Unreachable(reason) => {
                self.finish(table, leased, |of| of.stopped(Some(reason), now)).await
            }
            Outcome::Migrated(to) => {
                table.migrate_chat(leased.chat_id, to, now).await?;
                // At once, also if the chat has no row of its own.
                let moved = |of: &Subscription| {
                    let of = Subscription { chat_id: to, ..of.clone() };
                    of.failed(now, Some(now))
                };
                self.finish(table, leased, moved).await
            }
            Outcome::Refused(ref reason) => {
                let failures = leased.refusals.saturating_add(1);
                // What follows may quote the message.
                let reason: Vec<&str> = reason.split(':').take(2).collect();
                tracing::warn!(kind, reason = reason.concat(), failures, "message refused");
                if failures >= MAX_REFUSED {
                    tracing::error!(kind = "MESSAGES_REFUSED", failures, "chat given up");
                    let reason = Some(InactiveReason::Refused);
                    return self.finish(table, leased, |of| of.stopped(reason, now)).await;
                }
                let refused = |of: &Subscription| {
                    let of = Subscription { refusals: failures, ..of.clone() };
                    of.failed(now, None)
                };
                self.finish(table, leased, refused).await
            }
            Outcome::NoBot => {
                self.stopped.store(true, Relaxed);
                tracing::error!(kind = "NO_BOT", "Telegram does not know the token of the bot");
                self.finish(table, leased, |of| of.failed(now, None)).await
            }
            Outcome::NotSent(ref cause) => {
                self.stopped.store(true, Relaxed);
                tracing::warn!(kind, cause, "Telegram not reached");
                self.finish(table, leased, |of| of.failed(now, None)).await
            }
            Outcome::Unknown(ref cause) => {
                tracing::warn!(kind, cause, "message sent without an answer");
                self.finish(table, leased, |of| of.failed(now, None)).await
            }
        }
    }

    /// Replaces a subscription whose lease is ours, whatever else of it has changed meanwhile.
    async fn finish(
        &self,
        table: &Table,
        leased: &Subscription,
        after: impl Fn(&Subscription) -> Subscription,
    ) -> Result<(), Error> {
        let mut current = leased.clone();
        loop {
            if table.replace_subscription(&current, &after(&current)).await? {
                return Ok(());
            }
            match table.subscription(leased.id).await? {
                Some(it) if it.lease_until == leased.lease_until && it != current => current = it,
                _ => return Ok(()),
            }
        }
    }
}

/// How far the changes of each group were read, the news, and why a group could not be read, if one
/// could not.
fn split(
    all: Vec<(GroupId, Result<Option<News>, Error>)>,
) -> (Vec<Read>, Vec<News>, Option<Error>) {
    let mut read = Vec::new();
    let mut news = Vec::new();
    let mut unread = None;
    for (group, of) in all {
        match of {
            Ok(of) => {
                let last = of.as_ref().and_then(|it| it.last);
                let more = of.as_ref().is_some_and(|it| it.more);
                // Nothing of a group of which only a reminder waited was read.
                if last.is_some() || of.is_none() {
                    read.push(Read { group, last, more });
                }
                news.extend(of);
            }
            Err(error) => unread = Some(error),
        }
    }
    (read, news, unread)
}
