//! Messages about changes: what a chat is told of its groups, by the state at the time of sending.

use std::collections::{BTreeMap, BTreeSet};

use fracti_core::{
    chat::{
        button::{Button, TransferKey},
        link::{Start, start_link},
        subscription::Subscription,
    },
    decisions::telling::{Effect, Effects, ToldChange},
    group::Member,
    questions::question::Question,
    records::{
        expense::Expense,
        group_change::{ChangeKind, ChangedExpense, GroupChange},
    },
    values::{
        currency::Currency,
        decimal::Decimal,
        id::{ExpenseId, MemberId, SettlementId, UserId},
        settlement_status::SettlementStatus,
        shown,
    },
};
use fracti_store::News;

use crate::{
    commands::paid_by,
    message::{Buttons, Message, clean, escaped, shortened, without_markup},
    names::Names,
    text::Texts,
};

/// Lines of a message, at most.
const LINES: usize = 30;

/// Length of a message, in UTF-16 units, above which no line is added. Telegram takes 4 096.
const LENGTH: usize = 3_800;

/// Payments and questions with buttons, at most.
const ANSWERED: usize = 8;

/// Options of a question whose buttons stand in one row.
const IN_A_ROW: usize = 3;

/// Length of an option in the results of a question, in characters.
const OPTION: usize = 40;

/// Groups with links, at most.
const LINKS: usize = 4;

/// Who reads a message: a user, or all members in their chat.
struct Reader<'a> {
    l: Texts,
    user: Option<UserId>,
    /// The ids of the user: their own, and those of guests who are them.
    ids: BTreeSet<MemberId>,
    names: Names,
    news: &'a News,
}

/// What is new in one group.
struct Section<'a> {
    title: String,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    html: String,
    /// What the reader can answer below the message.
    asks: Option<Asks<'a>>,
}

enum Asks<'a> {
    /// Whether a payment was received: the label of the button that confirms it.
    Received(String, SettlementId, TransferKey),
    Question(&'a Question),
}

/// The message about what has changed; `None` if there is nothing to say.
pub(crate) fn message(
    of: &Subscription,
    news: &[News],
    bot: Option<&str>,
    silent: bool,
) -> Option<Message> {
    let l = Texts(of.language);
    let parts: Vec<(&News, Section<'_>)> = news
        .iter()
        .map(|news| (news, Reader::of(l, of.user(), news).part()))
        .filter(|(_, part)| !part.lines.is_empty())
        .collect();
    let total: usize = parts.iter().map(|(_, part)| part.lines.len()).sum();
    let more = news.iter().any(|news| news.more);
    let mut html = String::new();
    let mut buttons = Buttons::default();
    let mut shown = 0_usize;
    let mut answered = 0_usize;
    let mut links = 0;
    for (news, part) in &parts {
        let title =
            if of.user().is_some() { format!("<b>{}</b>", part.title) } else { String::new() };
        let mut is_first = true;
        let group = news.group.id;
        for Line { html: line, asks } in &part.lines {
            let heading = if is_first { &*title } else { "" };
            let added = units(line).saturating_add(units(heading)).saturating_add(3);
            if shown >= LINES || units(&html).saturating_add(added) > LENGTH {
                break;
            }
            if is_first && !html.is_empty() {
                html.push('\n');
            }
            for text in [heading, line].into_iter().filter(|it| !it.is_empty()) {
                if !html.is_empty() {
                    html.push('\n');
                }
                html.push_str(text);
            }
            is_first = false;
            shown = shown.saturating_add(1);
            if let Some(asks) = asks.as_ref().filter(|_| answered < ANSWERED) {
                answered = answered.saturating_add(1);
                buttons = match *asks {
                    Asks::Received(ref text, settlement, transfer) => buttons
                        .row()
                        .button(text, Button::Confirm { group, settlement, transfer })
                        .button(
                            &l.not_received(),
                            Button::NotReceived { group, settlement, transfer },
                        ),
                    Asks::Question(question) => asked(l, question, bot, buttons),
                };
            }
        }
        if links < LINKS {
            links = links.saturating_add(1);
            let label =
                if of.user().is_some() { clean(news.group.title.as_str()) } else { l.open() };
            buttons = buttons.row().link(&label, start_link(bot, group, Start::Group));
        }
    }
    let others = total.saturating_sub(shown);
    if more {
        html.push('\n');
        html.push_str(&l.more_in_fracti());
    } else if others > 0 {
        html.push('\n');
        html.push_str(&l.more(others));
    }
    (shown > 0).then(|| Message::notice(of.chat_id, html, buttons, silent))
}

/// What became of a question that is over.
pub(crate) fn outcome(
    l: Texts,
    question: &Question,
    chosen: &[usize],
    text: fn(&str) -> String,
) -> String {
    let prompt = text(&question.prompt);
    if chosen.is_empty() {
        return l.all_answered(prompt, question.answered.len(), question.required_responses);
    }
    let counts = question.options.iter().zip(chosen);
    // Ten options and the prompt fit into a message.
    let option = |option: &str| text(&shortened(option, OPTION));
    let counts = counts.map(|(it, count)| format!("{} {count}", option(it.as_str())));
    l.results(prompt, counts.collect::<Vec<_>>().join(", "))
}

/// The buttons of a question that waits for answers: its options, or the way to it.
fn asked(l: Texts, question: &Question, bot: Option<&str>, buttons: Buttons) -> Buttons {
    let group = question.group_id;
    let link = start_link(bot, group, Start::Question(question.id));
    if question.options.is_empty() {
        let label = if question.receipt.is_some() { l.choose_yours() } else { l.answer() };
        return buttons.row().link(&label, link);
    }
    let is_row = question.options.len() <= IN_A_ROW;
    let buttons = if is_row { buttons.row() } else { buttons };
    question.options.iter().zip(0..).fold(buttons, |buttons, (option, number)| {
        let answer = Button::Answer { group, question: question.id, option: number };
        let buttons = if is_row { buttons } else { buttons.row() };
        buttons.button(option.as_str(), answer)
    })
}

/// Length in UTF-16 units, as Telegram counts: without the markup.
///
/// <https://core.telegram.org/bots/api#sendmessage>
fn units(html: &str) -> usize {
    without_markup(html).encode_utf16().count()
}

impl<'a> Reader<'a> {
    fn of(l: Texts, user: Option<UserId>, news: &'a News) -> Self {
        let is_mine = |it: &&Member| user.is_some_and(|user| it.linked_to == Some(user));
        let guests = news.members.iter().filter(is_mine).map(|it| it.id);
        let ids = user.into_iter().map(MemberId::from).chain(guests).collect();
        Self { l, user, ids, names: Names::of(&news.members), news }
    }

    fn part(&self) -> Section<'a> {
        let mut lines = Vec::new();
        let mut add = |html: Option<String>, asks: Option<Asks<'a>>| {
            lines.extend(html.map(|html| Line { html, asks }));
        };
        let mut expenses = BTreeSet::new();
        let mut settlements = BTreeSet::new();
        for told in &self.news.changes {
            let subject = &told.change.subject;
            // An expense or a payment is one line: what it was before the first change, against
            // now.
            if let Some(it) = &subject.expense {
                if expenses.insert(it.id) {
                    add(self.expense(it.id), None);
                }
            } else if let Some(it) = &subject.settlement {
                if settlements.insert(it.id) {
                    add(self.settlement(it.id), self.payment(it.id));
                }
            } else {
                let is_asked = subject.kind == ChangeKind::QuestionAsked;
                let question = told.question.as_ref().filter(|_| is_asked);
                add(self.other(told), question.map(Asks::Question));
            }
        }
        for question in &self.news.reminders {
            let line = self.l.reminder(self.question(question.asked_by, question));
            add(Some(line), Some(Asks::Question(question)));
        }
        Section { title: escaped(self.news.group.title.as_str()), lines }
    }

    fn name(&self, id: impl Into<MemberId>) -> String {
        escaped(&self.names.get(id.into()))
    }

    fn money(&self, amount: Decimal, currency: Currency) -> String {
        shown::money(self.l.0, amount, currency)
    }

    fn minor(&self, minor: i64, currency: Currency) -> String {
        self.money(currency.to_major(minor), currency)
    }

    /// The line about an expense.
    fn expense(&self, id: ExpenseId) -> Option<String> {
        let l = self.l;
        let is_of =
            |it: &&ToldChange| it.change.subject.expense.as_ref().is_some_and(|it| it.id == id);
        let changes: Vec<&ToldChange> = self.news.changes.iter().filter(is_of).collect();
        let first = changes.first()?;
        let last = changes.last()?;
        let was_there = !matches!(
            first.change.subject.kind,
            ChangeKind::ExpenseAdded | ChangeKind::ExpenseRestored
        );
        let now = self.news.expenses.get(&id);
        let actor = self.name(last.change.actor_id);
        let subject: &ChangedExpense = last.change.subject.expense.as_ref()?;
        match (was_there, now) {
            (false, None) => None,
            (false, Some(now)) => {
                let what = escaped(&now.description);
                let amount = self.money(now.amount, now.currency);
                let line = if first.change.subject.kind == ChangeKind::ExpenseRestored {
                    l.restored(actor, what, amount)
                } else if now.schedule_id.is_some() {
                    l.occurred(what, amount)
                } else {
                    l.added(self.name(first.change.actor_id), what, amount)
                };
                Some(if self.user.is_some() {
                    format!("{line}.{}", self.share(now, None))
                } else {
                    l.for_number(line, now.splits.len())
                })
            }
            (true, Some(now)) => {
                let before = first.change.subject.before.as_ref();
                let amount = self.money(now.amount, now.currency);
                let was = before
                    .filter(|it| it.amount != now.amount || it.currency != now.currency)
                    .map(|it| l.was(self.money(it.amount, it.currency)))
                    .unwrap_or_default();
                if was.is_empty() && self.is_undone(&changes) {
                    // It is as before: nothing to say.
                    return None;
                }
                let line = l.changed(actor, escaped(&now.description), amount, was);
                let share = if self.user.is_some() {
                    self.share(now, Some(&changes))
                } else {
                    String::new()
                };
                Some(format!("{line}.{share}"))
            }
            (true, None) => {
                let before = first.change.subject.before.as_ref();
                let (amount, currency) = before
                    .map_or((subject.amount, subject.currency), |it| (it.amount, it.currency));
                let amount = self.money(amount, currency);
                let line = l.deleted(actor, escaped(&subject.description), amount);
                let owed = self.sum(&changes).get(&currency).map_or(0, |it| it.owed);
                let share = if self.user.is_some() && owed != 0 {
                    l.share_was(self.minor(owed.saturating_neg(), currency))
                } else {
                    String::new()
                };
                Some(format!("{line}.{share}"))
            }
        }
    }

    /// Whether changes together did nothing to the reader, or in a group's chat to any member.
    fn is_undone(&self, changes: &[&ToldChange]) -> bool {
        if self.user.is_some() {
            return self.sum(changes).values().all(|it| *it == Effect::default());
        }
        Effects::together(changes.iter().map(|it| &it.effects)).is_empty()
    }

    /// What changes did to the reader, together.
    fn sum(&self, changes: &[&ToldChange]) -> BTreeMap<Currency, Effect> {
        let mut sum: BTreeMap<Currency, Effect> = BTreeMap::new();
        for (currency, effect) in changes.iter().flat_map(|it| it.effects.on(&self.ids)) {
            let of = sum.entry(currency).or_default();
            of.paid = of.paid.saturating_add(effect.paid);
            of.owed = of.owed.saturating_add(effect.owed);
            of.sent = of.sent.saturating_add(effect.sent);
        }
        sum
    }

    /// The reader's part of an expense and, after `changes`, what it was.
    fn share(&self, now: &Expense, changes: Option<&[&ToldChange]>) -> String {
        let l = self.l;
        let currency = now.currency;
        let minor = |amount: Decimal| currency.to_minor(amount).unwrap_or_default();
        let paid = minor(now.paid_by_all(&self.ids));
        let owed = minor(now.share_of_all(&self.ids));
        let was = changes.map(|changes| self.sum(changes));
        let was = was.map(|was| was.get(&currency).copied().unwrap_or_default());
        // What it was, if it was something else.
        let before = |now: i64, change: fn(Effect) -> i64| {
            let before = now.saturating_sub(was.map_or(0, change));
            (was.is_some() && before != now).then(|| self.minor(before, currency))
        };
        let paid_before = before(paid, |it| it.paid).map(|it| l.was(it)).unwrap_or_default();
        let owed_before = before(owed, |it| it.owed);
        let owed_before = owed_before.map(|it| l.share_before(it)).unwrap_or_default();
        let owes = format!("{}{owed_before}", self.minor(owed, currency));
        if paid != 0 || !paid_before.is_empty() {
            return l.you_paid(format!("{}{paid_before}", self.minor(paid, currency)), owes);
        }
        if owed == 0 && owed_before.is_empty() {
            return String::new();
        }
        l.your_share(owes)
    }

    /// The line about a payment.
    fn settlement(&self, id: SettlementId) -> Option<String> {
        let l = self.l;
        let is_of =
            |it: &&ToldChange| it.change.subject.settlement.as_ref().is_some_and(|it| it.id == id);
        let last = self.news.changes.iter().rfind(is_of)?;
        let first = self.news.changes.iter().find(is_of)?;
        let now = self.news.settlements.get(&id)?;
        let amount = self.money(now.amount, now.currency);
        let actor = self.name(last.change.actor_id);
        let from = now.from_user_id;
        let to = now.to_user_id;
        let is_from = self.ids.contains(&from);
        let is_to = self.ids.contains(&to);
        let is_new = first.change.subject.kind == ChangeKind::SettlementRecorded;
        if last.is_expired {
            return Some(l.hold_over(amount));
        }
        if now.reverted_at.is_some() {
            return (!is_new).then(|| {
                let whose = self.whose(is_from, from);
                l.reverted(actor, whose, amount)
            });
        }
        Some(match now.status {
            SettlementStatus::Pending if is_new => {
                if is_to {
                    l.paid_you(self.name(from), amount)
                } else if is_from {
                    l.recorded_yours(actor, amount)
                } else {
                    l.paid_other(self.name(from), self.name(to), amount)
                }
            }
            SettlementStatus::Pending => {
                let was = first.change.subject.before.as_ref();
                let was = was.filter(|it| it.amount != now.amount || it.currency != now.currency);
                let was = was.map(|it| l.was(self.money(it.amount, it.currency)));
                l.put_right(actor, amount, was.unwrap_or_default())
            }
            SettlementStatus::Completed => {
                if is_to && now.to_user_id != last.change.actor_id {
                    l.paid_you(self.name(from), amount)
                } else {
                    l.confirmed(actor, self.whose(is_from, from), amount)
                }
            }
            SettlementStatus::Failed if is_new => return None,
            SettlementStatus::Failed if from == last.change.actor_id => l.called_off(actor, amount),
            SettlementStatus::Failed => l.did_not_receive(actor, self.whose(is_from, from), amount),
        })
    }

    /// Whose payment it is.
    fn whose(&self, is_mine: bool, payer: MemberId) -> String {
        if is_mine { self.l.your_payment() } else { self.l.payment_of(self.name(payer)) }
    }

    /// The button that confirms a payment which waits for the reader, or in a chat for anybody.
    fn payment(&self, id: SettlementId) -> Option<Asks<'a>> {
        let now = self.news.settlements.get(&id)?;
        let waits = now.status == SettlementStatus::Pending && now.funds.is_none();
        let is_other = |it: UserId| now.created_by != Some(it);
        let is_party =
            [now.from_user_id, now.to_user_id].iter().any(|party| self.ids.contains(party));
        let for_reader = self.user.is_none_or(|user| is_party && is_other(user));
        if !waits || !for_reader {
            return None;
        }
        let amount = self.money(now.amount, now.currency);
        let name = self.names.short(now.from_user_id);
        Some(Asks::Received(self.l.confirm(name, amount), id, paid_by(now)?))
    }

    /// The line about a question that waits for answers.
    fn question(&self, asker: UserId, of: &Question) -> String {
        let l = self.l;
        let asker = self.name(asker);
        match &of.receipt {
            Some(receipt) => {
                let amount = self.money(receipt.amount, receipt.currency);
                l.asks_of_receipt(asker, escaped(receipt.description.as_str()), amount)
            }
            None => l.asks(asker, escaped(&of.prompt)),
        }
    }

    /// The line about another change.
    fn other(&self, told: &ToldChange) -> Option<String> {
        let (l, ToldChange { change, effects, .. }) = (self.l, told);
        let GroupChange { actor_id, subject, .. } = change;
        let actor = self.name(*actor_id);
        Some(match subject.kind {
            ChangeKind::MemberLinked => {
                let member = subject.member.as_ref()?;
                let guest = escaped(&member.name);
                if self.user.is_some() {
                    l.linked_to_you(actor, guest)
                } else {
                    l.linked(actor, guest, self.name(member.linked_to?))
                }
            }
            ChangeKind::LinkProposed => {
                l.proposed_to_you(actor, escaped(&subject.member.as_ref()?.name))
            }
            ChangeKind::AdjustmentPushed | ChangeKind::AdjustmentReverted => {
                if self.user.is_none() {
                    return Some(l.adjusted_all(actor));
                }
                let sent = effects.on(&self.ids).filter(|(_, it)| it.sent != 0);
                let amounts = sent.map(|(currency, it)| {
                    let sign = if it.sent > 0 { "+" } else { "" };
                    format!("{sign}{}", self.minor(it.sent, currency))
                });
                let amounts: Vec<String> = amounts.collect();
                if amounts.is_empty() {
                    return None;
                }
                l.adjusted(actor, amounts.join(", "))
            }
            ChangeKind::ImportDone => {
                let id = subject.import.as_ref()?.id;
                let import = self.news.imports.iter().find(|it| it.id == id)?;
                l.imported(actor, l.expenses(import.expenses), l.payments(import.settlements))
            }
            ChangeKind::ImportUndone => l.import_undone(actor),
            ChangeKind::QuestionAsked => self.question(*actor_id, told.question.as_ref()?),
            ChangeKind::QuestionCompleted | ChangeKind::QuestionClosed => {
                let question = told.question.as_ref()?;
                let chosen = self.news.chosen.get(&question.id).map(Vec::as_slice);
                outcome(l, question, chosen.unwrap_or_default(), escaped)
            }
            ChangeKind::GroupArchived => l.archived(actor),
            ChangeKind::SchedulePaused => {
                let what = escaped(&subject.schedule.as_ref()?.description);
                if self.user.is_some() { l.paused(what) } else { l.paused_here(what) }
            }
            _ => return None,
        })
    }
}
