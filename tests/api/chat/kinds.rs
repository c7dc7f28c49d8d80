//! Each kind of change: who is told of it in private, what the group's chat says, and the text in
//! both languages.

use std::{collections::BTreeSet, time::Duration};

use axum::http::Method;
use fracti_core::records::group_change::ChangeKind;
use serde_json::{Value, json};

use super::{ALICE, ALPS, BOB, Bot, CAROL, shown};
use crate::harness::{Api, Caller, splitwise};

/// A message in English and in Russian, without the title of the group and the link to it; empty if
/// there is none.
type Says = (&'static str, &'static str);

const NOTHING: Says = ("", "");

/// Dave, who is in the group for a while, and operates the deployment.
const DAVE: u64 = 4;

/// What is told to whom, step by step.
struct Story {
    bot: Bot,
    is_russian: bool,
    /// Messages that were looked at, of each chat.
    seen: [usize; 4],
    /// Number of the last change that was looked at, and the kinds so far.
    after: u64,
    kinds: BTreeSet<String>,
}

const CHATS: [(i64, &str); 4] = [
    (ALICE.cast_signed(), "Alice"),
    (BOB.cast_signed(), "Bob"),
    (CAROL.cast_signed(), "Carol"),
    (ALPS, "the chat"),
];

impl Story {
    async fn of(language: &str) -> Self {
        let bot = Bot::of(Api::new().await.with_operators(&["4"]), language).await;
        bot.fill(language, &[ALICE, BOB, CAROL]).await;
        let is_russian = language == "ru";
        let seen = [0; 4];
        let kinds = BTreeSet::new();
        let mut story = Self { bot, is_russian, seen, after: 0, kinds };
        story.news().await;
        story.changes().await;
        story.kinds.clear();
        story
    }

    fn by(&self, user: u64) -> Caller {
        let name = ["Alice", "Bob", "Carol", "Dave"][usize::try_from(user).unwrap() - 1];
        self.bot.api.user(user, name)
    }

    async fn path(&self, rest: &str) -> String {
        self.bot.path(rest).await
    }

    async fn post(&self, by: u64, rest: &str, body: Value) -> Value {
        let reply = self.by(by).post(&self.path(rest).await, body).await;
        assert!(reply.status.is_success(), "{rest}: {}", reply.text);
        reply.body["data"].clone()
    }

    async fn send(&self, by: u64, method: Method, rest: &str, body: Value) -> Value {
        let reply = self.by(by).call(method, &self.path(rest).await, Some(&body)).await;
        assert!(reply.status.is_success(), "{rest}: {}", reply.text);
        reply.body["data"].clone()
    }

    async fn put(&self, by: u64, rest: &str, body: Value) {
        self.send(by, Method::PUT, rest, body).await;
    }

    async fn patch(&self, by: u64, body: Value) {
        self.send(by, Method::PATCH, "", body).await;
    }

    async fn delete(&self, by: u64, rest: &str) {
        self.send(by, Method::DELETE, rest, Value::Null).await;
    }

    /// The messages of each chat since they were looked at, once the interval is over.
    async fn news(&mut self) -> [Vec<String>; 4] {
        self.bot.api.pass(Duration::from_mins(31));
        // What the first run records is told by the second one.
        for _ in 0..2 {
            for report in self.bot.keep().await {
                assert_eq!(report.failed, 0, "{report:?}");
            }
            self.bot.api.pass(Duration::from_secs(1));
        }
        let mut news = [const { Vec::new() }; 4];
        for (index, (chat, _)) in CHATS.into_iter().enumerate() {
            let messages = self.bot.telegram.messages(chat);
            news[index] = messages[self.seen[index]..].iter().map(shown).collect();
            self.seen[index] = messages.len();
        }
        news
    }

    /// The kinds of the changes since they were looked at.
    async fn changes(&mut self) -> Vec<String> {
        let rows = self.bot.api.rows().await.into_values();
        let mut found: Vec<(u64, String)> = rows
            .filter(|row| {
                row.get("kind").is_some_and(|it| it.as_s().is_ok_and(|it| it == "change"))
            })
            .map(|row| {
                let number = row["SK"].as_s().unwrap().rsplit('#').next().unwrap().parse().unwrap();
                (number, row["change"].as_s().unwrap().clone())
            })
            .filter(|(number, _)| *number > self.after)
            .collect();
        found.sort();
        self.after = found.last().map_or(self.after, |(number, _)| *number);
        let kinds: Vec<String> = found.into_iter().map(|(_, kind)| kind).collect();
        self.kinds.extend(kinds.iter().cloned());
        kinds
    }

    /// What was done made changes of these kinds, and Alice, Bob, Carol and the chat are told this.
    async fn tells(&mut self, kinds: &[&str], expected: [Says; 4]) {
        let news = self.news().await;
        assert_eq!(self.changes().await, kinds);
        for ((messages, (chat, name)), (english, russian)) in news.iter().zip(CHATS).zip(expected) {
            let says = if self.is_russian { russian } else { english };
            let expected: Vec<String> = match (says, chat > 0) {
                ("", _) => Vec::new(),
                (says, true) => vec![format!("Alps\n{says}\n[Alps]")],
                (says, false) if self.is_russian => vec![format!("{says}\n[Открыть Fracti]")],
                (says, false) => vec![format!("{says}\n[Open Fracti]")],
            };
            assert_eq!(messages, &expected, "{kinds:?}, {name}");
        }
    }
}

fn id(of: &Value) -> String {
    of["id"].as_str().unwrap().to_owned()
}

async fn expenses(story: &mut Story) {
    let two = json!([{ "userId": "1" }, { "userId": "2" }]);
    let hut = json!({ "amount": 30, "description": "Hut", "splits": two });
    let hut = id(&story.post(ALICE, "/expenses", hut).await);
    let hut = format!("/expenses/{hut}");
    let bob = (
        "Alice added “Hut”: 30.00 EUR. Your share: 15.00 EUR.",
        "Расход, Alice: «Hut», 30,00 EUR. Ваша доля: 15,00 EUR.",
    );
    let chat = ("Alice added “Hut”: 30.00 EUR for 2.", "Расход, Alice: «Hut», 30,00 EUR на 2.");
    story.tells(&["expense.added"], [NOTHING, bob, NOTHING, chat]).await;

    // Who paid is told both amounts.
    let tea = json!({ "amount": 9, "description": "Tea", "payerId": "2", "splits": two });
    story.post(ALICE, "/expenses", tea).await;
    let bob = (
        "Alice added “Tea”: 9.00 EUR. You paid 9.00 EUR, your share: 4.50 EUR.",
        "Расход, Alice: «Tea», 9,00 EUR. Вы заплатили 9,00 EUR, ваша доля: 4,50 EUR.",
    );
    let chat = ("Alice added “Tea”: 9.00 EUR for 2.", "Расход, Alice: «Tea», 9,00 EUR на 2.");
    story.tells(&["expense.added"], [NOTHING, bob, NOTHING, chat]).await;

    let three = json!([{ "userId": "1" }, { "userId": "2" }, { "userId": "3" }]);
    let more = json!({ "amount": 36, "splits": three });
    story.put(ALICE, &hut, more).await;
    let bob = (
        "Alice changed “Hut”: 36.00 EUR (was 30.00 EUR). Your share: 12.00 EUR (was 15.00 EUR).",
        "Изменение, Alice: «Hut», 36,00 EUR (было 30,00 EUR). Ваша доля: 12,00 EUR (была 15,00 EUR).",
    );
    let carol = (
        "Alice changed “Hut”: 36.00 EUR (was 30.00 EUR). Your share: 12.00 EUR (was 0.00 EUR).",
        "Изменение, Alice: «Hut», 36,00 EUR (было 30,00 EUR). Ваша доля: 12,00 EUR (была 0,00 EUR).",
    );
    let chat = (
        "Alice changed “Hut”: 36.00 EUR (was 30.00 EUR).",
        "Изменение, Alice: «Hut», 36,00 EUR (было 30,00 EUR).",
    );
    story.tells(&["expense.edited"], [NOTHING, bob, carol, chat]).await;

    // Another name changes nobody's amounts.
    story.put(ALICE, &hut, json!({ "description": "Cabin" })).await;
    story.tells(&["expense.edited"], [NOTHING; 4]).await;

    story.delete(ALICE, &hut).await;
    let other = (
        "Alice deleted “Cabin”: 36.00 EUR. Your share was 12.00 EUR.",
        "Удаление, Alice: «Cabin», 36,00 EUR. Ваша доля была 12,00 EUR.",
    );
    let chat = ("Alice deleted “Cabin”: 36.00 EUR.", "Удаление, Alice: «Cabin», 36,00 EUR.");
    story.tells(&["expense.deleted"], [NOTHING, other, other, chat]).await;

    story.post(ALICE, &format!("{hut}/restore"), Value::Null).await;
    let other = (
        "Alice restored “Cabin”: 36.00 EUR. Your share: 12.00 EUR.",
        "Расход снова учтён, Alice: «Cabin», 36,00 EUR. Ваша доля: 12,00 EUR.",
    );
    let chat = (
        "Alice restored “Cabin”: 36.00 EUR for 3.",
        "Расход снова учтён, Alice: «Cabin», 36,00 EUR на 3.",
    );
    story.tells(&["expense.restored"], [NOTHING, other, other, chat]).await;
}

async fn settlements(story: &mut Story) {
    let pay = |amount: &str| json!({ "toId": "1", "amount": amount });
    let paid = id(&story.post(BOB, "/settlements", pay("12")).await);
    let paid = format!("/settlements/{paid}");
    let alice = (
        "Bob paid you 12.00 EUR.\n[Confirm Bob 12.00 EUR] [Not received]",
        "Платёж вам, Bob: 12,00 EUR.\n[Подтвердить Bob 12,00 EUR] [Не получено]",
    );
    let chat = (
        "Bob paid Alice 12.00 EUR.\n[Confirm Bob 12.00 EUR] [Not received]",
        "Платёж: Bob → Alice, 12,00 EUR.\n[Подтвердить Bob 12,00 EUR] [Не получено]",
    );
    story.tells(&["settlement.recorded"], [alice, NOTHING, NOTHING, chat]).await;

    story.put(BOB, &paid, json!({ "amount": "12.50" })).await;
    let told = (
        "Bob put a payment right: 12.50 EUR (was 12.00 EUR).\n[Confirm Bob 12.50 EUR] [Not received]",
        "Платёж исправлен, Bob: 12,50 EUR (было 12,00 EUR).\n[Подтвердить Bob 12,50 EUR] [Не получено]",
    );
    story.tells(&["settlement.edited"], [told, NOTHING, NOTHING, told]).await;

    story.put(ALICE, &paid, json!({ "status": "completed" })).await;
    let bob = (
        "Alice confirmed your payment of 12.50 EUR.",
        "Платёж подтверждён, Alice: ваш платёж, 12,50 EUR.",
    );
    let chat = (
        "Alice confirmed the payment of Bob of 12.50 EUR.",
        "Платёж подтверждён, Alice: платит Bob, 12,50 EUR.",
    );
    story.tells(&["settlement.completed"], [NOTHING, bob, NOTHING, chat]).await;

    story.put(ALICE, &paid, json!({ "status": "failed" })).await;
    let bob = (
        "Alice took back your payment of 12.50 EUR.",
        "Платёж отменён, Alice: ваш платёж, 12,50 EUR.",
    );
    let chat = (
        "Alice took back the payment of Bob of 12.50 EUR.",
        "Платёж отменён, Alice: платит Bob, 12,50 EUR.",
    );
    story.tells(&["settlement.reverted"], [NOTHING, bob, NOTHING, chat]).await;

    // One that its recipient records is completed at once.
    story.post(ALICE, "/settlements", json!({ "fromId": "3", "toId": "1", "amount": 5 })).await;
    let carol = (
        "Alice confirmed your payment of 5.00 EUR.",
        "Платёж подтверждён, Alice: ваш платёж, 5,00 EUR.",
    );
    let chat = (
        "Alice confirmed the payment of Carol of 5.00 EUR.",
        "Платёж подтверждён, Alice: платит Carol, 5,00 EUR.",
    );
    story.tells(&["settlement.recorded"], [NOTHING, NOTHING, carol, chat]).await;

    let [refused, called_off] = ["3", "4"].map(pay);
    let refused = id(&story.post(BOB, "/settlements", refused).await);
    let called_off = id(&story.post(BOB, "/settlements", called_off).await);
    story.news().await;
    story.changes().await;
    story.put(ALICE, &format!("/settlements/{refused}"), json!({ "status": "failed" })).await;
    let bob = (
        "Alice did not receive your payment of 3.00 EUR.",
        "Платёж не получен, Alice: ваш платёж, 3,00 EUR.",
    );
    let chat = (
        "Alice did not receive the payment of Bob of 3.00 EUR.",
        "Платёж не получен, Alice: платит Bob, 3,00 EUR.",
    );
    story.tells(&["settlement.failed"], [NOTHING, bob, NOTHING, chat]).await;
    story.put(BOB, &format!("/settlements/{called_off}"), json!({ "status": "failed" })).await;
    let told = ("Bob called off a payment of 4.00 EUR.", "Платёж отозван, Bob: 4,00 EUR.");
    story.tells(&["settlement.failed"], [told, NOTHING, NOTHING, told]).await;

    // A hold that runs out is told to both, also to who made it.
    let cash = json!({ "fund": "cash", "currency": "EUR", "amount": 50, "refId": "bank 1" });
    story.by(DAVE).post("/api/users/2/funds/credits", cash).await.data(201);
    let from_funds = json!({ "toId": "1", "amount": 7, "currency": "EUR", "payFrom": "funds" });
    story.post(BOB, "/settlements", from_funds).await;
    let alice = ("Bob paid you 7.00 EUR.", "Платёж вам, Bob: 7,00 EUR.");
    let chat = ("Bob paid Alice 7.00 EUR.", "Платёж: Bob → Alice, 7,00 EUR.");
    story.tells(&["settlement.recorded"], [alice, NOTHING, NOTHING, chat]).await;
    story.bot.api.pass(Duration::from_hours(7 * 24));
    story.bot.keep().await;
    let told = ("The hold of 7.00 EUR ran out.", "Удержание истекло: 7,00 EUR.");
    story.tells(&["settlement.failed"], [told, told, NOTHING, told]).await;
}

async fn members(story: &mut Story) {
    let guest = id(&story.post(CAROL, "/members", json!({ "name": "Caro" })).await);
    let guest = format!("/members/{guest}");
    story.tells(&["guest.added"], [NOTHING; 4]).await;

    // For a guest, the member who added the guest is told.
    let shared =
        json!({ "amount": 8, "description": "Cake", "splits": [{ "userId": &guest[9..] }] });
    story.post(ALICE, "/expenses", shared).await;
    let carol = ("Alice added “Cake”: 8.00 EUR.", "Расход, Alice: «Cake», 8,00 EUR.");
    let chat = ("Alice added “Cake”: 8.00 EUR for 1.", "Расход, Alice: «Cake», 8,00 EUR на 1.");
    story.tells(&["expense.added"], [NOTHING, NOTHING, carol, chat]).await;

    let link = format!("{guest}/link");
    let bob = (
        "Alice thinks that “Caro” is you. Confirm it in Fracti.",
        "Гость, Alice: «Caro» — это вы? Подтвердите в Fracti.",
    );
    story.post(ALICE, &link, json!({ "userId": "2" })).await;
    story.tells(&["link.proposed"], [NOTHING, bob, NOTHING, NOTHING]).await;
    story.delete(ALICE, &link).await;
    story.tells(&["link.withdrawn"], [NOTHING; 4]).await;
    story.post(ALICE, &link, json!({ "userId": "2" })).await;
    story.news().await;
    story.changes().await;
    // Bob says so himself, so only the chat is told.
    story.post(BOB, &link, json!({ "userId": "2" })).await;
    let chat = ("Bob linked “Caro” to Bob.", "Гость, Bob: «Caro» — теперь Bob.");
    story.tells(&["member.linked"], [NOTHING, NOTHING, NOTHING, chat]).await;
    // From now on, the guest's amounts are his.
    let shared =
        json!({ "amount": 6, "description": "Pie", "splits": [{ "userId": &guest[9..] }] });
    story.post(ALICE, "/expenses", shared).await;
    let bob = (
        "Alice added “Pie”: 6.00 EUR. Your share: 6.00 EUR.",
        "Расход, Alice: «Pie», 6,00 EUR. Ваша доля: 6,00 EUR.",
    );
    let chat = ("Alice added “Pie”: 6.00 EUR for 1.", "Расход, Alice: «Pie», 6,00 EUR на 1.");
    story.tells(&["expense.added"], [NOTHING, bob, NOTHING, chat]).await;

    story.post(DAVE, "/join", json!({})).await;
    story.tells(&["member.joined"], [NOTHING; 4]).await;
    story.post(DAVE, "/leave", json!({})).await;
    story.tells(&["member.left"], [NOTHING; 4]).await;
    story.post(ALICE, "/members/4/restore", Value::Null).await;
    story.tells(&["member.restored"], [NOTHING; 4]).await;
}

async fn others(story: &mut Story) {
    let push = json!({ "entries": [{ "entryId": "a", "changes": [
        { "userId": "1", "amount": 5 }, { "userId": "2", "amount": -5 } ] }] });
    story.post(ALICE, "/ledger/entries", push).await;
    let bob = (
        "Alice adjusted your balance by −5.00 EUR.",
        "Корректировка, Alice: ваш баланс −5,00 EUR.",
    );
    let chat = ("Alice adjusted balances.", "Корректировка балансов, Alice.");
    story.tells(&["adjustment.pushed"], [NOTHING, bob, NOTHING, chat]).await;
    story.post(ALICE, "/ledger/entries/revert", json!({ "entryIds": ["a"] })).await;
    let bob = (
        "Alice adjusted your balance by +5.00 EUR.",
        "Корректировка, Alice: ваш баланс +5,00 EUR.",
    );
    story.tells(&["adjustment.reverted"], [NOTHING, bob, NOTHING, chat]).await;

    let rows = [
        ("2026-01-10", "Taxi", "Taxi", "EUR", vec![100, -100]),
        ("2026-01-11", "Bus", "Bus", "EUR", vec![200, -200]),
        ("2026-01-12", "Payment", "B paid A", "EUR", vec![-300, 300]),
    ];
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let form = json!({ "file": splitwise(&["A", "B"], &rows), "options": options });
    let import = story.post(ALICE, "/import", form).await["importId"].as_str().unwrap().to_owned();
    let told = ("Alice imported 2 expenses, 1 payment.", "Импорт, Alice: 2 расхода, 1 платёж.");
    story.tells(&["import.done"], [NOTHING, told, told, told]).await;
    story.delete(ALICE, &format!("/import/{import}")).await;
    let told = ("Alice took an import back.", "Импорт отменён, Alice.");
    story.tells(&["import.undone"], [NOTHING, told, told, told]).await;

    let tea = json!({ "expense": { "amount": 2, "description": "Milk",
        "splits": [{ "userId": "2" }] },
        "repeat": { "every": "day" } });
    let schedule = id(&story.post(ALICE, "/schedules", tea).await);
    let schedule = format!("/schedules/{schedule}");
    // It is recorded by itself, also for who made the schedule.
    let alice = (
        "“Milk” was recorded by itself: 2.00 EUR. You paid 2.00 EUR, your share: 0.00 EUR.",
        "Расход по расписанию: «Milk», 2,00 EUR. Вы заплатили 2,00 EUR, ваша доля: 0,00 EUR.",
    );
    let bob = (
        "“Milk” was recorded by itself: 2.00 EUR. Your share: 2.00 EUR.",
        "Расход по расписанию: «Milk», 2,00 EUR. Ваша доля: 2,00 EUR.",
    );
    let chat = (
        "“Milk” was recorded by itself: 2.00 EUR for 1.",
        "Расход по расписанию: «Milk», 2,00 EUR на 1.",
    );
    story.tells(&["schedule.added", "expense.added"], [alice, bob, NOTHING, chat]).await;
    story.put(ALICE, &schedule, json!({ "paused": true })).await;
    story.tells(&["schedule.edited"], [NOTHING; 4]).await;
    story.delete(ALICE, &schedule).await;
    story.tells(&["schedule.deleted"], [NOTHING; 4]).await;
    // One whose expense is refused waits for who made it.
    let milk = json!({ "expense": { "amount": 2, "description": "Milk",
        "splits": [{ "userId": "4" }] },
        "repeat": { "every": "day" } });
    story.post(BOB, "/schedules", milk).await;
    story.delete(ALICE, "/members/4").await;
    let bob = (
        "“Milk” could not be recorded by itself, and waits for you.",
        "Расход по расписанию не записан и ждёт вас: «Milk».",
    );
    let chat =
        ("“Milk” could not be recorded by itself.", "Расход по расписанию не записан: «Milk».");
    let kinds = ["schedule.added", "member.removed", "schedule.paused"];
    story.tells(&kinds, [NOTHING, bob, NOTHING, chat]).await;

    story.patch(ALICE, json!({ "title": "Alps" })).await;
    story.patch(ALICE, json!({ "currency": "USD" })).await;
    story.patch(ALICE, json!({ "currency": "EUR" })).await;
    story.tells(&["group.changed", "group.changed"], [NOTHING; 4]).await;
    story.patch(ALICE, json!({ "archived": true })).await;
    let chat = ("Alice archived the group.", "Архив, Alice: группа закрыта.");
    story.tells(&["group.archived"], [NOTHING, NOTHING, NOTHING, chat]).await;
    story.patch(ALICE, json!({ "archived": false })).await;
    story.tells(&["group.changed"], [NOTHING; 4]).await;
}

async fn questions(story: &mut Story) {
    let choice = json!({ "type": "multiple_choice", "prompt": "Pizza?", "options": ["Yes", "No"],
        "audience": ["2", "3"], "timeoutSeconds": 7_100 });
    let asked = id(&story.post(ALICE, "/questions", choice.clone()).await);
    let told = ("Alice asks: Pizza?\n[Yes] [No]", "Спрашивает Alice: Pizza?\n[Yes] [No]");
    story.tells(&["question.asked"], [NOTHING, told, told, told]).await;
    for by in [BOB, CAROL] {
        story
            .post(by, &format!("/questions/{asked}/answers"), json!({ "selectedOption": 1 }))
            .await;
    }
    // Only the asker, for whom nobody else has done it.
    let told = ("Pizza? Yes 0, No 2.", "Pizza? Yes 0, No 2.");
    story.tells(&["question.completed"], [told, NOTHING, NOTHING, told]).await;

    let text = json!({ "type": "text", "prompt": "Where to?", "audience": ["2", "3"],
        "timeoutSeconds": 7_100 });
    let asked = id(&story.post(ALICE, "/questions", text).await);
    let told = ("Alice asks: Where to?\n[Answer]", "Спрашивает Alice: Where to?\n[Ответить]");
    story.tells(&["question.asked"], [NOTHING, told, told, told]).await;
    story.post(BOB, &format!("/questions/{asked}/answers"), json!({ "answer": "Home" })).await;
    story.post(ALICE, &format!("/questions/{asked}/close"), json!({})).await;
    let chat = ("Where to? 1 of 2 answered.", "Where to? Ответов: 1 из 2.");
    story.tells(&["question.closed"], [NOTHING, NOTHING, NOTHING, chat]).await;

    // A receipt is answered in the Mini App.
    let receipt = json!({ "type": "items", "prompt": "Who had what?", "timeoutSeconds": 7_100,
        "receipt": { "description": "Luigi's",
            "items": [{ "name": "Wine", "amount": "38.15" }] } });
    let asked = id(&story.post(ALICE, "/questions", receipt).await);
    let told = (
        "Alice asks who had what: Luigi's, 38.15 EUR.\n[Choose what you had]",
        "Кто что заказал, Alice: Luigi's, 38,15 EUR.\n[Отметить своё]",
    );
    story.tells(&["question.asked"], [NOTHING, told, told, told]).await;
    story.post(ALICE, &format!("/questions/{asked}/close"), json!({})).await;
    let chat = ("Who had what? 0 of 3 answered.", "Who had what? Ответов: 0 из 3.");
    story.tells(&["question.closed"], [NOTHING, NOTHING, NOTHING, chat]).await;
}

async fn every_kind(language: &str) {
    let mut story = Story::of(language).await;
    expenses(&mut story).await;
    members(&mut story).await;
    others(&mut story).await;
    questions(&mut story).await;
    settlements(&mut story).await;
    let all: BTreeSet<String> = ChangeKind::WORDS.iter().map(ToString::to_string).collect();
    assert_eq!(story.kinds, all, "each kind has a step");
}

#[tokio::test]
async fn every_kind_of_change_is_told_in_english_to_whom_it_concerns() {
    every_kind("en").await;
}

#[tokio::test]
async fn every_kind_of_change_is_told_in_russian_to_whom_it_concerns() {
    every_kind("ru").await;
}
