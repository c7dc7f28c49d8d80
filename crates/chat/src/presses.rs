//! Presses of buttons.

use fracti_core::{
    chat::{
        button::{Button, TransferKey},
        command::Command,
    },
    decisions::questions::Answered,
    group::OpenedGroup,
    input::{Draft, Error, Field, question_error::QuestionError},
    questions::answer::NewAnswer,
    records::{
        expense::Expense,
        settlement::{NewSettlement, Settlement, SettlementUpdate},
    },
    values::{
        decimal::Decimal,
        id::{ExpenseId, QuestionId, SettlementId},
        settlement_status::SettlementStatus,
        shown,
    },
};
use fracti_store::Outcome;

use crate::{
    acting::Acting,
    commands::{Planned, command_of, label, paid_by, said},
    message::{Buttons, MAX_MESSAGE, Reply, clean, unmarked},
    notice::outcome,
    pressed::Pressed,
    room::Room,
    update::{Chat, Incoming, Press},
};

/// Seconds within which a reading of a line can be chosen, less than a key is known.
const CHOSEN_WITHIN_S: i64 = 20 * 3_600;

impl Acting<'_> {
    /// Carries out a press. What a button says is not trusted: rights are checked anew, and the
    /// group must be that of the chat.
    ///
    /// # Errors
    ///
    /// Those of what the button does.
    pub async fn press(&self, press: &Press) -> Result<Pressed, Error> {
        let l = self.own();
        let button = press.data.as_deref().and_then(Button::decode);
        let (Some(message), Some(button)) = (&press.message, button) else {
            return Ok(Pressed::alert(l.failed()));
        };
        match button {
            Button::TurnOn | Button::TurnOff | Button::Mute(_) | Button::Unmute(_) => {
                return self.press_setting(button, &message.chat).await;
            }
            Button::Currency(currency) => {
                let currency = Field::Value(currency);
                let new = OpenedGroup { currency, ..OpenedGroup::default() };
                return self.press_join(press, message, new).await;
            }
            Button::Join(group) => {
                if self.table.group_of_chat(message.chat.id).await? != Some(group) {
                    return Ok(Pressed::alert(l.not_here()));
                }
                return self.press_join(press, message, OpenedGroup::default()).await;
            }
            _ => {}
        }
        let group = match button {
            Button::Undo { group, .. }
            | Button::Pay { group, .. }
            | Button::Confirm { group, .. }
            | Button::NotReceived { group, .. }
            | Button::Answer { group, .. } => Some(group),
            _ => None,
        };
        // In private, the group must be one of the user; elsewhere, that of the chat.
        let of_chat = match group.filter(|_| message.chat.is_private()) {
            Some(group) => Some(group),
            None => self.table.group_of_chat(message.chat.id).await?,
        };
        let Some(of_chat) = of_chat else { return Ok(Pressed::alert(l.not_here())) };
        if group.is_some_and(|group| group != of_chat) {
            return Ok(Pressed::alert(l.failed()));
        }
        // Only a command and [Join] join.
        let room = match self.room_of(of_chat).await {
            Err(Error::NotMember | Error::Left) => return Ok(Pressed::alert(l.join_first())),
            room => room?,
        };
        match button {
            Button::Reading(number) => self.press_reading(&room, press, message, number).await,
            Button::Undo { expense, .. } => self.press_undo(&room, message, expense).await,
            Button::Pay { transfer, .. } => self.press_pay(&room, &message.chat, transfer).await,
            Button::Confirm { settlement, transfer, .. } => {
                self.press_answer(&room, message, (settlement, transfer), true).await
            }
            Button::NotReceived { settlement, transfer, .. } => {
                self.press_answer(&room, message, (settlement, transfer), false).await
            }
            Button::Answer { question, option, .. } => {
                self.press_option(&room, message, question, option).await
            }
            _ => Ok(Pressed::alert(l.failed())),
        }
    }

    /// Answers a question with one of its options. In a group's chat, the last answer shows what
    /// was chosen, instead of the question: the notice may have other lines, and buttons of them.
    async fn press_option(
        &self,
        room: &Room,
        message: &Incoming,
        id: QuestionId,
        option: u8,
    ) -> Result<Pressed, Error> {
        let l = self.own();
        let key = self.in_group(room.group.id);
        let new = NewAnswer {
            selected_option: Field::Value(Decimal::new(option.into(), 0)),
            ..NewAnswer::default()
        };
        let once = self.once("chat-answer", |_: &Answered| ());
        let others = || message.reply_markup.clone().map(|it| it.without_question(id));
        if let Err(error) = self.table.answer(key, id, &Draft::valid(new), &once).await {
            let has_answered = matches!(error, Error::Question(QuestionError::Answered));
            let is_over = match error {
                Error::NoQuestion => true,
                Error::Question(QuestionError::Over | QuestionError::Answered) => {
                    let seen = self.table.question(key, id, self.now()).await;
                    seen.map_or_else(
                        |error| matches!(error, Error::NoQuestion),
                        |it| it.question.is_over(self.now()),
                    )
                }
                _ => false,
            };
            // Nobody else reads a private chat.
            if is_over || has_answered && message.chat.is_private() {
                return Ok(Pressed::over(error, others()));
            }
            return Err(error);
        }
        let question = self.table.question(key, id, self.now()).await?.question;
        let chosen = question.options.get(usize::from(option));
        let chosen = chosen.map(|it| clean(it.as_str())).unwrap_or_default();
        let answered = question.answered.len();
        let needed = question.required_responses;
        let alert = Some(l.your_answer(chosen, answered, needed));
        let buttons = others();
        if message.chat.is_private() {
            return Ok(Pressed { alert, buttons, ..Pressed::default() });
        }
        if question.closed_at.is_none() {
            return Ok(Pressed { alert, ..Pressed::default() });
        }
        let counts = self.table.chosen(&question).await?;
        let result = outcome(room.l, &question, &counts, clean);
        let asked = room.l.asks(room.names.get(question.asked_by.into()), clean(&question.prompt));
        let text = message.text.as_deref().and_then(|text| in_place_of(&asked, &result, text));
        Ok(match (text, buttons) {
            (Some(text), Some(buttons)) => {
                Pressed { alert, edit: Some(Reply { text, buttons }), ..Pressed::default() }
            }
            // The line is not as it would be now, or there is no room: it is said to who answered.
            (_, buttons) => Pressed { alert: Some(result), buttons, ..Pressed::default() },
        })
    }

    /// Joins the group of the chat, which is created if there is none.
    async fn press_join(
        &self,
        press: &Press,
        message: &Incoming,
        new: OpenedGroup,
    ) -> Result<Pressed, Error> {
        if !message.chat.is_group() {
            return Ok(Pressed::alert(self.own().in_a_group()));
        }
        let group = self.connect(&message.chat, press.chat_instance.as_deref(), new).await?;
        Ok(Pressed::edit(self.room_of(group).await?.shown(self.bot)))
    }

    /// Records the reading of a line that its sender has chosen. The line is read again from the
    /// message to which the question was the reply.
    async fn press_reading(
        &self,
        room: &Room,
        press: &Press,
        message: &Incoming,
        number: u8,
    ) -> Result<Pressed, Error> {
        let l = self.own();
        // A key is known for a day, after which the same press would record again.
        let age_s =
            i64::try_from(self.now().seconds()).unwrap_or_default().saturating_sub(message.date);
        if message.date > 0 && age_s > CHOSEN_WITHIN_S {
            return Ok(Pressed::alert(l.too_late()));
        }
        let Some(line) = &message.reply_to_message else { return Ok(Pressed::alert(l.failed())) };
        if line.from.as_ref().map(|it| it.id) != Some(self.id().number()) {
            return Ok(Pressed::alert(l.only_sender()));
        }
        let text = line.text.as_deref().unwrap_or_default();
        let Some(Command::Expense(line)) = command_of(text, self.bot) else {
            return Ok(Pressed::alert(l.failed()));
        };
        let reading = room.readings(line).ok().and_then(|it| it.get(usize::from(number)).cloned());
        let Some(reading) = reading else { return Ok(Pressed::alert(l.failed())) };
        // The line or the group's currency may have changed since it was asked back.
        let data = press.data.as_deref().unwrap_or_default();
        let shown = message.reply_markup.as_ref().and_then(|it| it.text_of(data));
        if shown.map(unmarked) != Some(unmarked(&label(room, &reading))) {
            return Ok(Pressed::alert(l.too_late()));
        }
        // Of two presses, one records: the key is that of the message.
        let bot = self.update.split('/').next().unwrap_or_default();
        let key = format!("{bot}/{}/{}", message.chat.id, message.message_id);
        self.record(room, &reading, &key).await.map(Pressed::edit)
    }

    /// Takes an expense back, unless it was changed since it was recorded.
    async fn press_undo(
        &self,
        room: &Room,
        message: &Incoming,
        id: ExpenseId,
    ) -> Result<Pressed, Error> {
        let l = room.l;
        let key = self.in_group(room.group.id);
        let before = match self.table.expense(key, id).await {
            Err(Error::NoExpense) => None,
            before => Some(before?),
        };
        let text = before.as_ref().map(|expense| {
            let amount = shown::money(l.0, expense.amount, expense.currency);
            l.taken_back(amount, clean(&expense.description))
        });
        let reply = Reply::plain(text.unwrap_or_else(|| l.failed()));
        let stored = reply.clone();
        let once = self.once("chat-undo", move |_: &ExpenseId| stored.clone());
        let unchanged = |expense: &Expense| expense.updated_at.is_none();
        match self.table.delete_expense(key, id, unchanged, &once).await {
            Ok(Outcome::Done(_)) => Ok(Pressed::edit(reply)),
            Ok(Outcome::Replayed(stored)) => said(&stored.data).map(Pressed::edit),
            Err(error @ (Error::Changed | Error::NoExpense)) => {
                let undo = Button::Undo { group: room.group.id, expense: id };
                let buttons = message.reply_markup.clone().map(|it| it.without_button(undo));
                Ok(Pressed::over(error, buttons))
            }
            Err(error) => Err(error),
        }
    }

    /// Records a payment of the plan, for its payer or its recipient, unless the balances have
    /// changed.
    async fn press_pay(
        &self,
        room: &Room,
        chat: &Chat,
        transfer: TransferKey,
    ) -> Result<Pressed, Error> {
        let l = self.own();
        let pending = self.table.pending_settlements(room.group.id, &room.ledger).await?;
        let planned = room.planned(&pending)?.into_iter().find(|it| it.key() == transfer);
        let once = self.once("chat-pay", |_: &Settlement| ());
        let key = self.in_group(room.group.id);
        // Without a payment, a repetition of the press that made it is still answered as before.
        let (new, expected) = match &planned {
            None => (NewSettlement::default(), None),
            Some(Planned { from, to, money }) => {
                if ![*from, *to].iter().any(|it| it.is_acted_for_by(self.id())) {
                    let [from, to] = [*from, *to].map(|id| room.names.get(id));
                    return Ok(Pressed::alert(l.only_parties(from, to)));
                }
                let new = NewSettlement {
                    from: Field::Value(*from),
                    to: Field::Value(*to),
                    amount: Field::Value(money.to_major()),
                    currency: Field::Value(money.currency),
                    ..NewSettlement::default()
                };
                (new, Some(room.ledger.version))
            }
        };
        let created =
            self.table.create_planned_settlement(key, &Draft::valid(new), expected, &once).await;
        if matches!(created, Err(Error::Changed)) {
            return Ok(Pressed::alert(l.balances_changed()));
        }
        created?;
        self.plan_again(chat).await
    }

    /// Confirms a payment, or says that it was not received.
    async fn press_answer(
        &self,
        room: &Room,
        message: &Incoming,
        (id, transfer): (SettlementId, TransferKey),
        received: bool,
    ) -> Result<Pressed, Error> {
        let l = self.own();
        let key = self.in_group(room.group.id);
        let others = || without_payment(room, message, id, transfer);
        let settlement = match self.table.settlement(key, id).await {
            Err(error @ Error::NoSettlement) => return Ok(Pressed::over(error, others())),
            settlement => settlement?,
        };
        if settlement.funds.is_some() {
            return Ok(Pressed::alert(l.funds_in_app()));
        }
        let status = if received { SettlementStatus::Completed } else { SettlementStatus::Failed };
        let update = SettlementUpdate { status: Field::Value(status), ..Default::default() };
        let operation = if received { "chat-confirm" } else { "chat-refuse" };
        let once = self.once(operation, |_: &Settlement| ());
        let update = Draft::valid(update);
        // It is as the button showed it: another amount, or one that was answered meanwhile, is not
        // confirmed or taken back by an old button.
        let expected = |it: &Settlement| {
            let is_open = [SettlementStatus::Pending, status].contains(&it.status);
            paid_by(it) == Some(transfer) && is_open
        };
        let updated = self.table.update_settlement(key, id, &update, expected, false, &once).await;
        if matches!(updated, Err(Error::Changed)) {
            let alert = Some(l.payment_changed());
            return Ok(Pressed { alert, buttons: others(), ..Pressed::default() });
        }
        updated?;
        if message.reply_to_message.is_some() {
            return self.plan_again(&message.chat).await;
        }
        // A notice is no reply. It keeps its text, and what is over loses its buttons.
        Ok(Pressed { buttons: others(), ..Pressed::default() })
    }

    /// The message with the plan, after a press.
    async fn plan_again(&self, chat: &Chat) -> Result<Pressed, Error> {
        match self.room(chat).await? {
            Some(room) => self.plan(&room).await.map(Pressed::edit),
            None => Ok(Pressed::alert(self.own().not_here())),
        }
    }
}

/// A text with another line in the place of this one; `None` if it has no such line, or becomes too
/// long.
fn in_place_of(line: &str, other: &str, text: &str) -> Option<String> {
    let mut lines: Vec<&str> = text.lines().collect();
    *lines.iter_mut().find(|it| **it == line)? = other;
    let text = lines.join("\n");
    (text.encode_utf16().count() <= MAX_MESSAGE).then_some(text)
}

/// The buttons of a message without those of a payment.
fn without_payment(
    room: &Room,
    message: &Incoming,
    settlement: SettlementId,
    transfer: TransferKey,
) -> Option<Buttons> {
    let confirm = Button::Confirm { group: room.group.id, settlement, transfer };
    message.reply_markup.clone().map(|it| it.without(confirm))
}
