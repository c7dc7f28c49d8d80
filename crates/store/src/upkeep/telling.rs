//! Changes that are told in Telegram: who waits for them, and what is read to tell them.

use std::collections::{BTreeSet, HashMap};

use fracti_core::{
    chat::subscription::{Subscription, TOLD_FOR},
    decisions::telling::{
        Effects, ToldChange, mark, may_be_told, next_marked, put_subscription, reminded,
        unanswered, waits_as,
    },
    group::{Group, Member},
    input::Error,
    questions::question::Question,
    records::{
        expense::Expense,
        group_change::{ChangeKind, GroupChange},
        import::ImportRow,
        settlement::Settlement,
    },
    storage::{condition::Condition, keys, write::Transaction},
    values::{
        id::{ExpenseId, GroupId, QuestionId, SettlementId, Subscriber, UserId},
        time::Timestamp,
    },
};
use futures_util::{StreamExt, TryStreamExt, stream};

use crate::{
    dynamo::{Order, Page, Range, Sort},
    table::Table,
};

/// Times that a transaction is tried again because a subscription has changed.
const TRIES: usize = 5;

/// Changes of a group that are read for one message, at most.
const CHANGES: usize = 500;

/// Groups of which one message tells, at most. The others wait for the next one.
const GROUPS: usize = 20;

/// Reads that are made at the same time.
const AT_ONCE: usize = 10;

/// What a chat is to be told of a group.
#[derive(Clone, Debug)]
pub struct News {
    /// The group.
    pub group: Group,
    /// Its members.
    pub members: Vec<Member>,
    /// The changes that concern the chat, oldest first.
    pub changes: Vec<ToldChange>,
    /// The expenses of these changes that exist now.
    pub expenses: HashMap<ExpenseId, Expense>,
    /// The settlements of these changes as they are now.
    pub settlements: HashMap<SettlementId, Settlement>,
    /// The imports of these changes.
    pub imports: Vec<ImportRow>,
    /// How often each option of a question was chosen, of questions that are over.
    pub chosen: HashMap<QuestionId, Vec<usize>>,
    /// Questions that the user has not answered, of which they are reminded.
    pub reminders: Vec<Question>,
    /// Number and time of the last change that was read; none if no change waits.
    pub last: Option<(u64, Timestamp)>,
    /// Whether there are later ones.
    pub more: bool,
}

impl Table {
    /// Marks the subscriptions of those whom a change concerns, so that they are told of it. A
    /// change that is too old is told to nobody. Returns whether that is done: another keeper may
    /// be at it.
    ///
    /// # Errors
    ///
    /// [`Error::Contended`] if subscriptions change all the time.
    pub async fn tell(&self, change: &GroupChange, now: Timestamp) -> Result<bool, Error> {
        let group = change.group_id;
        // Half of a question's time may be longer.
        if now.since(change.at) >= TOLD_FOR && !change.reminds {
            return self.mark((change, None), &[], None, now).await;
        }
        let all = Condition::default();
        let (of, row, members) = tokio::try_join!(
            self.told_change(change.clone(), now),
            self.db.get::<Group>(keys::group(group)),
            self.members(group, &all),
        )?;
        let is_deleted = row.is_none_or(|it| it.deleted_at.is_some());
        let users = if is_deleted { BTreeSet::new() } else { of.concerned(&members, now) };
        let chat = (!is_deleted && of.concerns_chat(now)).then_some(Subscriber::Group(group));
        let mut change = change.clone();
        loop {
            let (subscribers, to) = next_marked(&users, chat, change.told_to);
            if !self.mark((&change, of.question.as_ref()), &subscribers, to, now).await? {
                return Ok(false);
            }
            if to.is_none() {
                return Ok(true);
            }
            change.told_to = to;
        }
    }

    /// Marks subscriptions by [`mark`], and returns whether the change was as it was read. The row
    /// of a request would be a further write, for a change that says itself how far it was told.
    async fn mark(
        &self,
        (change, question): (&GroupChange, Option<&Question>),
        subscribers: &[Subscriber],
        to: Option<UserId>,
        now: Timestamp,
    ) -> Result<bool, Error> {
        for _ in 0..TRIES {
            let keys = subscribers.iter().map(|it| keys::subscription(*it)).collect();
            let rows: HashMap<_, Subscription> = self.db.batch(keys).await?;
            if self.write_if(mark((change, question), rows.values(), to, now)?).await? {
                return Ok(true);
            }
            let key = keys::change(change.group_id, change.number);
            let row = self.db.get::<GroupChange>(key).await?;
            if !row.is_some_and(|row| waits_as(change, &row)) {
                return Ok(false);
            }
        }
        Err(Error::Contended)
    }

    /// A change with what its entries did.
    async fn told_change(&self, change: GroupChange, now: Timestamp) -> Result<ToldChange, Error> {
        let reads_entries = matches!(
            change.subject.kind,
            ChangeKind::ExpenseAdded
                | ChangeKind::ExpenseEdited
                | ChangeKind::ExpenseDeleted
                | ChangeKind::ExpenseRestored
                | ChangeKind::AdjustmentPushed
                | ChangeKind::AdjustmentReverted
        );
        let effects = match change.entries.filter(|_| reads_entries) {
            None => Effects::default(),
            Some(span) => {
                let sequences = span.sequence..span.sequence.saturating_add(span.count);
                let until = keys::entries_until(change.at);
                let group = change.group_id;
                Effects::of(&self.entries_with(group, Order::Desc, until, sequences).await?)
            }
        };
        let is_expired = match &change.subject.settlement {
            Some(it) if change.subject.kind == ChangeKind::SettlementFailed => {
                let found = self.find_settlement(change.group_id, it.id).await?;
                found.is_some_and(|it| it.expired)
            }
            _ => false,
        };
        let question = match &change.subject.question {
            Some(it) => self.find_question(change.group_id, it.id, now).await?,
            None => None,
        };
        Ok(ToldChange { change, effects, is_expired, question })
    }

    /// What a subscription's chat is to be told now, for each group that something waits for. A
    /// group in which the user is not present has nothing to tell. One that cannot be read
    /// does not keep the others back.
    pub async fn news(
        &self,
        subscription: &Subscription,
        now: Timestamp,
    ) -> Vec<(GroupId, Result<Option<News>, Error>)> {
        let waits: Vec<_> = subscription.waits().take(GROUPS).collect();
        let waiting: BTreeSet<GroupId> = waits.iter().map(|(group, ..)| *group).collect();
        let reminded: BTreeSet<GroupId> =
            subscription.reminders.iter().map(|it| it.group_id).collect();
        let others = reminded.difference(&waiting).map(|group| (*group, None));
        let waits = waits.into_iter().map(|(group, told, from)| (group, Some((told, from))));
        let all: Vec<_> = waits.chain(others).collect();
        let news = stream::iter(all).map(|(group, waits)| async move {
            (group, Box::pin(self.news_of(subscription, group, waits, now)).await)
        });
        news.buffered(AT_ONCE).collect().await
    }

    /// News of a group: of the changes that wait, by the number after which they are read and the
    /// first one that waits, and reminders.
    async fn news_of(
        &self,
        subscription: &Subscription,
        group: GroupId,
        waits: Option<(u64, u64)>,
        now: Timestamp,
    ) -> Result<Option<News>, Error> {
        let all = Condition::default();
        let changes = async {
            match waits {
                Some((told, _)) => self.changes_after(group, told).await,
                None => Ok((Vec::new(), false)),
            }
        };
        let (row, members, (rows, more)) = tokio::try_join!(
            self.db.get::<Group>(keys::group(group)),
            self.members(group, &all),
            changes,
        )?;
        let user = subscription.user();
        let is_there = |user: UserId| members.iter().any(|it| it.id == user && it.is_present());
        let Some(row) = row.filter(|it| it.deleted_at.is_none() && user.is_none_or(is_there))
        else {
            return Ok(None);
        };
        let last = rows.last().map(|it| (it.number, it.at));
        if last.is_none() && waits.is_some() {
            return Err(Error::Unavailable("a query has missed a change".into()));
        }
        let from = waits.map(|(_, from)| from);
        let told = rows.into_iter().filter(|it| may_be_told(it, subscription, from, now));
        let changes: Vec<ToldChange> = stream::iter(told)
            .map(|change| self.told_change(change, now))
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        let concerns = |it: &ToldChange| it.concerns(user, &members, now);
        let changes: Vec<ToldChange> = changes.into_iter().filter(concerns).collect();
        let reminders = self.reminders(subscription, group, (&members, &changes), now).await?;
        let mut news = News {
            group: row,
            members,
            changes,
            expenses: HashMap::new(),
            settlements: HashMap::new(),
            imports: Vec::new(),
            chosen: HashMap::new(),
            reminders,
            last,
            more,
        };
        self.read_subjects(group, &mut news).await?;
        Ok(Some(news))
    }

    /// Questions of a group that a user is to be reminded of: those that they can answer, and have
    /// not, unless `changes` tell of them anyway.
    async fn reminders(
        &self,
        subscription: &Subscription,
        group: GroupId,
        (members, changes): (&[Member], &[ToldChange]),
        now: Timestamp,
    ) -> Result<Vec<Question>, Error> {
        let questions: Vec<QuestionId> = reminded(subscription, group, changes).collect();
        let questions: Vec<Option<Question>> = stream::iter(questions)
            .map(|id| self.find_question(group, id, now))
            .buffered(AT_ONCE)
            .try_collect()
            .await?;
        let waits = |it: &Question| {
            let all = unanswered(it, members, now);
            subscription.user().is_some_and(|user| all.contains(&user))
        };
        Ok(questions.into_iter().flatten().filter(waits).collect())
    }

    /// Reads what changes are about, as it is now.
    async fn read_subjects(&self, group: GroupId, news: &mut News) -> Result<(), Error> {
        let subjects = || news.changes.iter().map(|it| &it.change.subject);
        let expenses: BTreeSet<ExpenseId> =
            subjects().filter_map(|it| it.expense.as_ref()).map(|it| it.id).collect();
        let settlements: BTreeSet<SettlementId> =
            subjects().filter_map(|it| it.settlement.as_ref()).map(|it| it.id).collect();
        let imports: Vec<_> = subjects().filter_map(|it| it.import.as_ref()).collect();
        let imports = imports.into_iter().map(|it| keys::import(group, it.id)).collect();
        let expenses = stream::iter(expenses)
            .map(|id| self.find_expense(group, id))
            .buffered(AT_ONCE)
            .try_collect::<Vec<_>>();
        let settlements = stream::iter(settlements)
            .map(|id| self.find_settlement(group, id))
            .buffered(AT_ONCE)
            .try_collect::<Vec<_>>();
        let (expenses, settlements, imports) =
            tokio::try_join!(expenses, settlements, self.db.batch::<ImportRow>(imports))?;
        news.expenses = expenses.into_iter().flatten().map(|it| (it.id, it)).collect();
        news.settlements = settlements.into_iter().flatten().map(|it| (it.id, it)).collect();
        news.imports = imports.into_values().collect();
        for question in news.changes.iter().filter_map(|it| it.question.as_ref()) {
            if question.closed_at.is_some() && !question.options.is_empty() {
                let chosen = self.chosen(question).await?;
                news.chosen.insert(question.id, chosen);
            }
        }
        Ok(())
    }

    /// How often each option of a question was chosen.
    pub async fn chosen(&self, question: &Question) -> Result<Vec<usize>, Error> {
        let answers = self.answers_to(question.id).await?;
        let count =
            |option: usize| answers.iter().filter(|it| it.selected_option == Some(option)).count();
        Ok((0..question.options.len()).map(count).collect())
    }

    /// The changes of a group after a number, and whether there are more than are read.
    async fn changes_after(
        &self,
        group: GroupId,
        after: u64,
    ) -> Result<(Vec<GroupChange>, bool), Error> {
        let [first, last] = keys::changes_after(after);
        let partition = keys::ledger_partition(group);
        let sort = Sort::Between(first, last);
        let range = Range { index: None, partition, sort, order: Order::Asc };
        let rows =
            self.db.rows::<GroupChange>(&range, &Page { limit: CHANGES, after: None }).await?;
        let read = rows.len();
        let rows = rows.into_iter().map(|(_, change)| change).take(CHANGES);
        // A query is not isolated from transactions that commit while it runs. What follows a
        // change that it has missed comes with the next message.
        let whole: Vec<GroupChange> = rows
            .zip(after.saturating_add(1)..)
            .take_while(|(change, number)| change.number == *number)
            .map(|(change, _)| change)
            .collect();
        let more = whole.len() < read;
        Ok((whole, more))
    }

    /// Replaces a subscription that is as it was read; returns whether it was.
    pub async fn replace_subscription(
        &self,
        before: &Subscription,
        after: &Subscription,
    ) -> Result<bool, Error> {
        let put = put_subscription(Some(before), after)?;
        self.write_if(Transaction::from_iter([put])).await
    }
}
