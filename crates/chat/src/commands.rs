//! Commands.

use fracti_core::{
    chat::{
        button::{Button, TransferKey},
        command::{self, Command, ExpenseReading},
    },
    group::OpenedGroup,
    input::{Draft, Error, Field},
    plan::Plan,
    records::{
        expense::{Expense, NewExpense},
        settlement::Settlement,
    },
    reports::debts::Debts,
    values::{
        currency::Currency,
        guess::guess,
        id::{GroupId, MemberId, Subscriber},
        money::Money,
        shown,
    },
};
use fracti_store::{Outcome, Page};
use fracti_texts::{Language, Says};

use crate::{
    acting::Acting,
    message::{Buttons, Reply, clean, on_button},
    room::{Room, welcome},
    text::Texts,
    update::{Chat, Incoming},
};

/// Groups whose balances are shown in private.
const GROUPS: usize = 20;

/// Readings of a line that are asked back, at most.
const READINGS: usize = 8;

/// Transfers and payments of a plan that have buttons, at most.
const PAYMENTS: usize = 20;

impl Acting<'_> {
    /// The answer to a command.
    ///
    /// # Errors
    ///
    /// Those of what the command does.
    pub async fn command(&self, command: Command<'_>, message: &Incoming) -> Result<Reply, Error> {
        if message.chat.is_private() {
            return self.privately(command).await;
        }
        if let Command::Start(argument) = command {
            return self.start(argument, &message.chat).await;
        }
        let Some(room) = self.room(&message.chat).await? else {
            return Ok(welcome(self.language, None));
        };
        match command {
            Command::Start(_) | Command::Settings => self.chat_settings(&room, &message.chat).await,
            Command::Expense(line) => self.expense(&room, line).await,
            Command::Balance => Ok(balances(&room)),
            Command::Settle => self.plan(&room).await,
        }
    }

    /// The answer in private, in the language of the user's messages if they have chosen one.
    async fn privately(&self, command: Command<'_>) -> Result<Reply, Error> {
        let subscription = self.table.subscription(Subscriber::User(self.id())).await?;
        let l = subscription.as_ref().map_or(self.own(), |it| Texts(it.language));
        match command {
            Command::Start(_) => Ok(self.private_start(l)),
            Command::Balance => self.own_balances(l).await,
            Command::Settings => self.own_settings(l, subscription).await,
            Command::Expense(_) | Command::Settle => Ok(Reply::plain(l.in_a_group())),
        }
    }

    /// The first contact with a chat, which offers a currency if one is named. With the id of a
    /// group of the user, the chat is that group's from now on.
    async fn start(&self, argument: &str, chat: &Chat) -> Result<Reply, Error> {
        if let Ok(group) = argument.parse::<GroupId>() {
            let new = OpenedGroup { group_id: Field::Value(group), ..OpenedGroup::default() };
            let group = self.connect(chat, None, new).await?;
            return Ok(self.room_of(group).await?.shown(self.bot));
        }
        // A new group is made by a press, which has the `chat_instance`, too: the chat may have a
        // group that was opened by a link.
        Ok(match self.room(chat).await? {
            Some(room) => room.shown(self.bot),
            None => welcome(self.language, argument.parse().ok()),
        })
    }

    /// Records an expense, or asks which of its readings is meant.
    async fn expense(&self, room: &Room, line: &str) -> Result<Reply, Error> {
        let readings = match room.readings(line) {
            Ok(readings) => readings,
            Err(reply) => return Ok(reply),
        };
        if let [reading] = &*readings {
            return self.record(room, reading, &self.update).await;
        }
        let all = readings.iter().zip(0..).take(READINGS);
        let buttons = all.fold(Buttons::default(), |buttons, (it, number)| {
            buttons.row().button(&label(room, it), Button::Reading(number))
        });
        Ok(Reply { text: room.l.which_one(), buttons })
    }

    /// Records an expense, once for `key`.
    pub(crate) async fn record(
        &self,
        room: &Room,
        reading: &ExpenseReading,
        key: &str,
    ) -> Result<Reply, Error> {
        let ExpenseReading { money, description } = reading;
        let category = guess(description.as_str()).map(Into::into);
        let new = NewExpense {
            amount: Field::Value(money.to_major()),
            currency: Field::Value(money.currency),
            description: Field::Value(description.clone()),
            category: category.map_or(Field::Absent, Field::Value),
            ..NewExpense::default()
        };
        let l = room.l;
        let bot = self.bot.map(str::to_owned);
        let payer = room.names.get(self.id().into());
        let open = room.open(bot.as_deref(), Buttons::default());
        let say = move |expense: &Expense| recorded(l, &payer, expense, &open);
        let once = self.once_for("chat-expense", key, say.clone());
        let member_key = self.in_group(room.group.id);
        match self.table.create_expense(member_key, &Draft::valid(new), &once).await? {
            Outcome::Done(expense) => Ok(say(&expense)),
            Outcome::Replayed(stored) => said(&stored.data),
        }
    }

    /// What the user gets and owes in their groups.
    async fn own_balances(&self, l: Texts) -> Result<Reply, Error> {
        let page = Page { limit: GROUPS, after: None };
        let groups = self.table.memberships_of(self.id(), &page).await?;
        let mut lines = Vec::new();
        for membership in &groups.items {
            let title = clean(membership.group.title.as_str());
            for (currency, totals) in &membership.totals {
                let net = totals.net();
                let amount = shown::money(l.0, currency.to_major(net.abs()), *currency);
                match net {
                    0 => {}
                    1.. => lines.push(l.you_get(&title, amount)),
                    _ => lines.push(l.you_owe(&title, amount)),
                }
            }
        }
        if lines.is_empty() {
            lines.push(l.you_are_settled());
        }
        Ok(Reply::plain(l.listed(lines)))
    }

    /// The payments that settle the group, with those that wait for a confirmation.
    pub(crate) async fn plan(&self, room: &Room) -> Result<Reply, Error> {
        let pending = self.table.pending_settlements(room.group.id, &room.ledger).await?;
        room.plan(&pending)
    }
}

/// What a button says of a reading.
pub(crate) fn label(room: &Room, it: &ExpenseReading) -> String {
    let amount = shown::money(room.l.0, it.money.to_major(), it.money.currency);
    on_button(&room.l.reading(amount, clean(it.description.as_str())))
}

/// What was stored of a reply.
pub(crate) fn said(data: &str) -> Result<Reply, Error> {
    serde_json::from_str(data).map_err(|_| Error::Internal("what was stored is no reply"))
}

/// What is said of an expense that was recorded.
fn recorded(l: Texts, payer: &str, expense: &Expense, open: &Buttons) -> Reply {
    let Expense { currency, amount, .. } = *expense;
    let shares = || expense.splits.iter().filter_map(|it| currency.to_minor(it.amount).ok());
    let money = |minor: i64| shown::money(l.0, currency.to_major(minor), currency);
    let amount = shown::money(l.0, amount, currency);
    let what = clean(&expense.description);
    let text = match (shares().min(), shares().max(), shares().count()) {
        (Some(least), Some(most), number @ 2..) => {
            let each = if least == most {
                money(most)
            } else {
                l.range(shown::amount(l.0, currency.to_major(least), currency), money(most))
            };
            l.paid(payer, amount, what, number, each)
        }
        _ => l.paid_alone(payer, amount, what),
    };
    let group = expense.group_id;
    let expense = expense.id;
    let undo = Button::Undo { group, expense };
    let buttons = Buttons::default().row().button(&l.undo(), undo);
    Reply { text, buttons: buttons.and(open) }
}

/// The balances of the members, by name.
fn balances(room: &Room) -> Reply {
    let Room { members, ledger, names, l, .. } = room;
    let mut all: Vec<_> = members.iter().filter(|it| it.linked_to.is_none()).collect();
    all.sort_by_key(|it| (names.get(it.id).to_lowercase(), it.id));
    let mut lines = Vec::new();
    for member in all {
        for currency in ledger.balances.currencies() {
            let net = ledger.balances.totals(currency, member.id).net();
            let amount = shown::money(l.0, currency.to_major(net.abs()), currency);
            match net {
                0 => {}
                1.. => lines.push(l.gets(names.get(member.id), amount)),
                _ => lines.push(l.owes(names.get(member.id), amount)),
            }
        }
    }
    if lines.is_empty() {
        lines.push(l.settled());
    }
    Reply::plain(l.listed(lines))
}

/// What a settlement pays, as its buttons say it; `None` of a v0 row that is finer than a minor
/// unit.
pub(crate) fn paid_by(it: &Settlement) -> Option<TransferKey> {
    let money = Money::from_major(it.amount, it.currency).ok()?;
    Some(TransferKey::of(it.from_user_id, it.to_user_id, money))
}

/// A payment that the plan of a group has.
pub(crate) struct Planned {
    pub(crate) from: MemberId,
    pub(crate) to: MemberId,
    pub(crate) money: Money,
}

impl Planned {
    pub(crate) fn key(&self) -> TransferKey {
        TransferKey::of(self.from, self.to, self.money)
    }
}

impl Room {
    /// The readings of the line of an expense, or what is said if there is none.
    pub(crate) fn readings(&self, line: &str) -> Result<Vec<ExpenseReading>, Reply> {
        let used: Vec<Currency> = self.ledger.balances.currencies().collect();
        command::expense(line, self.group.currency, &used)
            .map_err(|error| Reply::plain(error.says().text(self.l.0)))
    }

    /// The payments that settle the group, if those that wait are made.
    pub(crate) fn planned(&self, pending: &[Settlement]) -> Result<Vec<Planned>, Error> {
        let debts = Debts::of(&self.members, &self.ledger, Some(pending))?;
        let of = |(currency, plan): (&Currency, &Plan)| {
            let currency = *currency;
            let planned = plan.transfers.iter().map(move |it| Planned {
                from: it.from,
                to: it.to,
                money: Money { minor: it.minor, currency },
            });
            planned.collect::<Vec<_>>()
        };
        Ok(debts.plans.iter().flat_map(of).collect())
    }

    /// The plan, as it is said.
    pub(crate) fn plan(&self, pending: &[Settlement]) -> Result<Reply, Error> {
        let planned = self.planned(pending)?;
        let l = self.l;
        let names = &self.names;
        let group = self.group.id;
        let mut lines = Vec::new();
        let mut buttons = Buttons::default();
        if !planned.is_empty() {
            lines.push(l.who_pays_whom());
        }
        let links = &self.ledger.links;
        // The oldest first, as they were made.
        for settlement in pending.iter().rev() {
            let it = settlement.resolved(links);
            let from = names.get(it.from_user_id);
            let to = names.get(it.to_user_id);
            let amount = shown::money(l.0, it.amount, it.currency);
            // Who recorded it waits for the other side.
            let by_recipient = it.created_by.map(Into::into) == Some(it.to_user_id);
            let other = if by_recipient { &from } else { &to };
            lines.push(l.waiting(other, l.transfer(&from, &to, &amount)));
        }
        for it in planned.iter().take(PAYMENTS) {
            let amount = shown::money(l.0, it.money.to_major(), it.money.currency);
            let text = l.transfer(names.short(it.from), names.short(it.to), amount);
            let transfer = it.key();
            buttons = buttons.row().button(&text, Button::Pay { group, transfer });
        }
        let others = planned.len().saturating_sub(PAYMENTS);
        if others > 0 {
            lines.push(l.more(others));
        }
        for it in pending.iter().rev().take(PAYMENTS) {
            let amount = shown::money(l.0, it.amount, it.currency);
            let from = names.short(links.resolve(it.from_user_id));
            let (settlement, Some(transfer)) = (it.id, paid_by(it)) else { continue };
            buttons = buttons
                .row()
                .button(&l.confirm(from, amount), Button::Confirm { group, settlement, transfer })
                .button(&l.not_received(), Button::NotReceived { group, settlement, transfer });
        }
        if lines.is_empty() {
            lines.push(l.settled());
        }
        Ok(Reply { text: l.listed(lines), buttons })
    }
}

/// The command of a text, if it is one to this bot.
#[must_use]
pub fn command_of<'a>(text: &'a str, bot: Option<&str>) -> Option<Command<'a>> {
    command::parse(text, bot)
}

/// The refusal of a message that was sent in the name of a chat.
#[must_use]
pub fn refuse_chat(language: Language) -> Reply {
    Reply::plain(Texts(language).as_yourself())
}

/// What the bot says in a chat to which it was added.
#[must_use]
pub fn first_contact(language: Language) -> Reply {
    welcome(language, None)
}

/// What is said if something did not work.
#[must_use]
pub fn failed(language: Language) -> String {
    Texts(language).failed()
}
