//! What the commands and buttons of the bot and the messages of the keeper cost.

use std::time::Duration;

use axum::http::Request;
use fracti_core::{
    caller::telegram,
    chat::button::Button,
    values::id::{GroupId, QuestionId},
};
use fracti_local::fake_telegram::{FakeTelegram, Message, Outcome, User};
use fracti_tests::template::recorded;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tracing::instrument::WithSubscriber;

use super::{DAYS, GROUPS, Line, Row, Scene, expense, rows};
use crate::harness::{Api, Log, Reply, TOKEN};

/// The chat of the group.
const CHAT: i64 = -1_001;

/// Time after which a chat gets another message, in private, too.
const INTERVAL: Duration = Duration::from_mins(31);

/// What a press must answer.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Answer {
    Nothing,
    Alert,
}

/// A group's chat with the bot.
struct Chat {
    scene: Scene,
    /// The API that tells changes. What makes the histories is not told.
    api: Api,
    telegram: FakeTelegram,
    updates: i64,
    lines: Vec<Line>,
}

/// The costs of the updates of the bot, and of the work of the keeper.
pub(super) async fn costs() -> (Vec<Row>, Vec<Row>) {
    let mut chat = Chat::new().await;
    let short = chat.measure().await;
    chat.scene.grow(1).await;
    let one_day = chat.measure().await;
    chat.scene.grow(DAYS).await;
    let many_days = chat.measure().await;
    let updates = rows(short.0, one_day.0, many_days.0);
    (updates, rows(short.1, one_day.1, many_days.1))
}

impl Chat {
    async fn new() -> Self {
        let scene = Scene::new(GROUPS[0]).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let clock = scene.api.clone();
        let telegram = FakeTelegram::start(listener, TOKEN, move || clock.now().millis());
        telegram.set_limits(false);
        telegram.add_group(CHAT, "Alps", "1");
        for id in 1..=GROUPS[0] {
            let first_name = format!("Member {id}");
            telegram.add_user(User { id, first_name, username: None, language_code: None });
            telegram.unblock(id);
        }
        let api = scene.api.named("fracti_fake_bot").telling(telegram.url());
        let mut chat = Self { scene, api, telegram, updates: 0, lines: Vec::new() };
        chat.say("", CHAT, 1, &format!("/start {}", chat.scene.group)).await;
        chat
    }

    /// Costs of all updates, and of all work of the keeper.
    async fn measure(&mut self) -> (Vec<Line>, Vec<Line>) {
        self.scene.runs += 1;
        self.scene.recent().await;
        self.spend().await;
        self.finish().await;
        self.lines.clear();
        self.commands().await;
        self.payments().await;
        self.others().await;
        self.privately().await;
        let updates = self.take();
        self.finish().await;
        self.work().await;
        (updates, self.take())
    }

    /// The lines so far, but for those of what only prepares others.
    fn take(&mut self) -> Vec<Line> {
        self.lines.drain(..).filter(|line| !line.name.is_empty()).collect()
    }

    async fn commands(&mut self) {
        let founded = CHAT - self.scene.runs.cast_signed();
        self.telegram.add_group(founded, "Alps", &founded.to_string());
        self.add_bot("the bot comes into a chat", founded).await;
        let first = self.say("`/start`, the chat has no group", founded, 1_000, "/start").await;
        self.press("[EUR]", founded, 1_000, &data(&first, "EUR"), Answer::Nothing).await;
        let joined = self.say("`/start`", CHAT, 1, "/start").await;
        self.press("[Join]", CHAT, 1_001, &data(&joined, "Join"), Answer::Nothing).await;
        self.press("[Join], again", CHAT, 1_001, &data(&joined, "Join"), Answer::Nothing).await;
        let wanderer = self.scene.wanderer();
        wanderer.at(&self.api).post(&self.scene.path("/leave"), json!({})).await.data(200);
        self.say("`/balance`", CHAT, 1, "/balance").await;
        let made = self.say("`/expense`", CHAT, 1, "/expense 12.50 Dinner at restaurant").await;
        self.updates -= 1;
        let again = "/expense 12.50 Dinner at restaurant";
        self.say("`/expense`, the same update", CHAT, 1, again).await;
        let undo = data(&made, "Undo");
        self.press("[Undo]", CHAT, 1, &undo, Answer::Nothing).await;
        self.press("[Undo], again", CHAT, 1, &undo, Answer::Alert).await;
        let line = "/expense 1 200 taxi";
        let asked = self.say("`/expense`, asked back", CHAT, 1, line).await;
        let reading = &asked.buttons[0][0];
        let chosen = reading.data.clone().unwrap();
        let key = json!({ "text": reading.text, "callback_data": chosen });
        let message = json!({ "reply_to_message": self.message(CHAT, 1, line),
            "reply_markup": { "inline_keyboard": [[key]] } });
        self.press_on("[1,200.00 EUR: taxi]", (CHAT, message), 1, &chosen, Answer::Nothing).await;
        self.say("`/expense`, without an amount", CHAT, 1, "/expense dinner").await;
        self.say("a text without a command", CHAT, 1, "Dinner was 12.50").await;
    }

    async fn payments(&mut self) {
        for (payment, answer, label) in
            [("[Pay]", "[Confirm]", "Confirm"), ("", "[Not received]", "Not received")]
        {
            let name = if payment.is_empty() { "" } else { "`/settle`" };
            let plan = self.say(name, CHAT, 1, "/settle").await;
            let (payer, recipient, pay) = payment_of(&plan);
            self.press(payment, CHAT, payer, &pay, Answer::Nothing).await;
            let name = if payment.is_empty() { "" } else { "`/settle`, a payment waits" };
            let waits = self.say(name, CHAT, 1, "/settle").await;
            self.press(answer, CHAT, recipient, &data(&waits, label), Answer::Nothing).await;
        }
        let plan = self.say("", CHAT, 1, "/settle").await;
        let (payer, recipient, pay) = payment_of(&plan);
        let stranger = (1..=GROUPS[0]).find(|it| ![payer, recipient].contains(it)).unwrap();
        self.press("[Pay], by another member", CHAT, stranger, &pay, Answer::Alert).await;
        self.press("[Pay], by its recipient", CHAT, recipient, &pay, Answer::Nothing).await;
    }

    /// Questions, and the settings of the group's chat.
    async fn others(&mut self) {
        let choice = json!({ "type": "multiple_choice", "prompt": "Pizza or sushi?",
            "options": ["Pizza", "Sushi"], "audience": ["1", "2"], "timeoutSeconds": 600 });
        let asker = self.scene.member(1).at(&self.api);
        let asked = asker.post(&self.scene.path("/questions"), choice).await;
        let question: QuestionId = asked.data(201)["id"].as_str().unwrap().parse().unwrap();
        let answer = Button::Answer { group: self.group(), question, option: 0 }.encode();
        self.press("[Pizza]", CHAT, 2, &answer, Answer::Alert).await;
        self.press("[Pizza], the last answer", CHAT, 1, &answer, Answer::Alert).await;
        let on = self.say("`/settings`", CHAT, 1, "/settings").await;
        let off = data(&on, "Turn off");
        self.press("[Turn off]", CHAT, 1, &off, Answer::Nothing).await;
        let on = Button::TurnOn.encode();
        self.press("[Turn on]", CHAT, 1, &on, Answer::Nothing).await;
        self.press("data of no button", CHAT, 1, "x", Answer::Alert).await;
    }

    async fn privately(&mut self) {
        let start = self.say("`/start`, in private", 2, 2, "/start").await;
        let on = data(&start, "Turn on messages");
        self.press("[Turn on messages], in private", 2, 2, &on, Answer::Nothing).await;
        self.say("`/balance`, in private", 2, 2, "/balance").await;
        let settings = self.say("`/settings`, in private", 2, 2, "/settings").await;
        let mute = data(&settings, "Mute Alps");
        self.press("[Mute Alps]", 2, 2, &mute, Answer::Nothing).await;
        let unmute = Button::Unmute(self.group()).encode();
        self.press("[Unmute Alps]", 2, 2, &unmute, Answer::Nothing).await;
        let off = data(&settings, "Turn off");
        self.press("[Turn off], in private", 2, 2, &off, Answer::Nothing).await;
        self.say("`/expense`, in private", 2, 2, "/expense 5 tea").await;
    }

    /// Runs of the keeper.
    async fn work(&mut self) {
        self.run("tell", "`tell`, nothing is due").await;
        self.run("notify", "`notify`, nothing is due").await;

        self.begin().await;
        self.mark("`tell`, a change for a chat").await;
        self.mark("`tell`, a change for a chat that waits").await;
        self.api.pass(INTERVAL);
        self.run("notify", "`notify`, a chat, two expenses").await;
        for (outcome, name) in [
            (None, "`notify`, a chat, an expense"),
            (Some(Outcome::Refused("Bad Request: TOPIC_CLOSED")), "`notify`, refused"),
            (Some(Outcome::RetryAfter(5)), "`notify`, too many messages"),
            (Some(Outcome::Unreadable), "`notify`, an unknown outcome"),
            (Some(Outcome::Blocked), "`notify`, the chat is gone"),
        ] {
            self.begin().await;
            self.mark("").await;
            self.api.pass(INTERVAL);
            if let Some(outcome) = outcome {
                self.telegram.plan(Some(CHAT), outcome);
            }
            self.run("notify", name).await;
            self.finish().await;
        }
        let on = Button::TurnOn.encode();
        let off = Button::TurnOff.encode();
        self.press("", CHAT, 1, &on, Answer::Nothing).await;
        self.begin().await;
        let made = self.mark("").await;
        let payer = self.scene.member(1).at(&self.api);
        payer.delete(&self.scene.path(&format!("/expenses/{made}"))).await.data(200);
        self.run("tell", "").await;
        self.api.pass(INTERVAL);
        self.run("notify", "`notify`, there is nothing to say").await;

        // Now only a member.
        self.press("", CHAT, 1, &off, Answer::Nothing).await;
        self.press("", 2, 2, &on, Answer::Nothing).await;
        self.begin().await;
        self.mark("`tell`, a change for a member").await;
        self.api.pass(INTERVAL);
        self.run("notify", "`notify`, a member, an expense").await;
        self.press("", CHAT, 1, &on, Answer::Nothing).await;
        for member in 3..=GROUPS[0] {
            self.say("", member.cast_signed(), member, "/start").await;
            self.press("", member.cast_signed(), member, &on, Answer::Nothing).await;
        }
        self.finish().await;
        self.begin().await;
        self.mark("`tell`, a change for a chat and four members").await;
        for member in 2..=GROUPS[0] {
            self.press("", member.cast_signed(), member, &off, Answer::Nothing).await;
        }
    }

    /// Sends a message to all who get some, so that their interval begins: what is marked in it is
    /// sent by a later run.
    async fn begin(&mut self) {
        self.api.pass(INTERVAL);
        self.mark("").await;
    }

    /// Records an expense, and marks the subscriptions that wait for it; returns its id.
    async fn mark(&mut self, name: &str) -> String {
        let made = self.spend().await;
        self.run("tell", name).await;
        made
    }

    fn group(&self) -> GroupId {
        self.scene.group.parse().unwrap()
    }

    /// Records an expense in the app; returns its id.
    async fn spend(&self) -> String {
        let payer = self.scene.member(1).at(&self.api);
        payer.post(&self.scene.path("/expenses"), expense(1..=5)).await.id()
    }

    /// Tells all that is to be told.
    async fn finish(&mut self) {
        for _ in 0..3 {
            self.api.pass(INTERVAL);
            self.run("tell", "").await;
        }
    }

    /// Runs the keeper, and notes the cost of its work for one list.
    async fn run(&mut self, list: &str, name: &str) {
        // Two events never have the same time, so the last ones are some milliseconds ahead.
        self.api.pass(Duration::from_secs(1));
        let log = Log::default();
        let teller = self.api.app.teller();
        let run = fracti_keeper::keep(&self.api.table, &self.api.app.clock, teller.as_ref());
        let (done, read) = recorded(Box::pin(run).with_subscriber(log.subscriber())).await;
        assert!(done.unwrap().iter().all(|it| it.failed == 0 && it.left_alone == 0));
        let log = log.text();
        let of_list = format!("operation=\"{list}\"");
        let line = log.lines().find(|it| it.contains("work done") && it.contains(&of_list));
        let line = line.unwrap();
        let count = |field| number(line, field).parse().unwrap();
        let units = |field| number(line, field).parse().unwrap();
        self.lines.push(Line {
            requests: count("requests"),
            round_trips: count("round_trips"),
            read_units: units("read_units"),
            write_units: units("write_units"),
            bytes: read.bytes,
            ..Line::named(name)
        });
    }

    /// Sends a text to the bot, and notes the cost of its answer; returns the bot's last message.
    async fn say(&mut self, name: &str, chat: i64, from: u64, text: &str) -> Message {
        let message = self.message(chat, from, text);
        self.update(name, json!({ "message": message })).await;
        self.last(chat)
    }

    /// The last message of the bot in a chat.
    fn last(&self, chat: i64) -> Message {
        self.telegram.messages(chat).pop().unwrap()
    }

    /// Presses the button with this data.
    async fn press(&mut self, name: &str, chat: i64, from: u64, data: &str, answer: Answer) {
        let message = json!({ "reply_to_message": self.message(chat, from, "/start") });
        self.press_on(name, (chat, message), from, data, answer).await;
    }

    /// Presses a button of a message.
    async fn press_on(
        &mut self,
        name: &str,
        (chat, fields): (i64, Value),
        from: u64,
        data: &str,
        answer: Answer,
    ) {
        let mut message = self.message(chat, from, "");
        message["message_id"] = self.last(chat).id.into();
        message.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let press = json!({ "id": "1", "from": person(from), "message": message, "data": data,
            "chat_instance": chat.unsigned_abs().to_string() });
        let reply = self.update(name, json!({ "callback_query": press })).await;
        assert_eq!(reply.body["method"], "answerCallbackQuery");
        let is_alert = reply.body["text"].is_string();
        assert_eq!(is_alert, answer == Answer::Alert, "{name}: {}", reply.text);
    }

    async fn add_bot(&mut self, name: &str, chat: i64) {
        let change = json!({ "chat": chat_of(chat), "from": person(1_000), "date": self.date(),
            "old_chat_member": { "status": "left" }, "new_chat_member": { "status": "member" } });
        self.update(name, json!({ "my_chat_member": change })).await;
    }

    /// Sends an update as Telegram does.
    async fn update(&mut self, name: &str, mut update: Value) -> Reply {
        self.updates += 1;
        update["update_id"] = self.updates.into();
        let request = Request::post("/api/telegram/webhook")
            .header("x-telegram-bot-api-secret-token", telegram::webhook_secret(TOKEN));
        let request = request.body(update.to_string().into()).unwrap();
        let reply = self.api.send(request).await;
        assert_eq!(reply.status, 200, "{name}: {}", reply.text);
        self.lines.push(Line::named(name).costs(reply.cost, reply.bytes_read));
        reply
    }

    fn message(&self, chat: i64, from: u64, text: &str) -> Value {
        json!({ "message_id": self.updates + 1, "date": self.date(), "chat": chat_of(chat),
            "from": person(from), "text": text })
    }

    fn date(&self) -> u64 {
        self.api.now().seconds()
    }
}

fn person(id: u64) -> Value {
    let name = match id {
        1_000 => "Founder".to_owned(),
        1_001 => "Wanderer".to_owned(),
        _ => format!("Member {id}"),
    };
    json!({ "id": id, "first_name": name, "username": name.to_lowercase(), "language_code": "en" })
}

fn chat_of(id: i64) -> Value {
    let kind = if id > 0 { "private" } else { "supergroup" };
    json!({ "id": id, "type": kind, "title": "Alps" })
}

/// The buttons of a message: what each says, and its data.
fn buttons(message: &Message) -> Vec<(String, String)> {
    let keys = message.buttons.iter().flatten();
    keys.map(|it| (it.text.replace('\u{a0}', " "), it.data.clone().unwrap_or_default())).collect()
}

/// The data of the button that begins so.
fn data(message: &Message, says: &str) -> String {
    let button = buttons(message).into_iter().find(|(text, _)| text.starts_with(says));
    assert!(button.is_some(), "{says}: {message:?}");
    button.unwrap().1
}

/// Payer, recipient and data of the first payment of a plan.
fn payment_of(plan: &Message) -> (u64, u64, String) {
    let (text, data) = buttons(plan).into_iter().find(|(text, _)| text.contains('→')).unwrap();
    let mut members = text.split(' ').filter_map(|word| word.parse().ok());
    (members.next().unwrap(), members.next().unwrap(), data)
}

/// The value of a field in a line of the log.
fn number<'a>(line: &'a str, field: &str) -> &'a str {
    let (_, rest) = line.split_once(&format!(" {field}=")).unwrap();
    rest.split(' ').next().unwrap()
}
