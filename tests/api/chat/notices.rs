//! What members are told of changes, by the keeper and a Bot API on loopback.

use std::time::Duration;

use aws_sdk_dynamodb::types::AttributeValue;
use fracti_core::{
    chat::subscription::{InactiveReason, Subscription},
    records::group_change::GroupChange,
    storage::{keys, row},
    values::id::{Subscriber, UserId},
};
use fracti_keeper::{Report, keep};
use fracti_local::fake_telegram::Outcome;
use fracti_store::from_sdk;
use serde_json::{Value, json};

use super::{ALICE, ALPS, BOB, Bot, CAROL, plain, shown};
use crate::harness::Caller;

impl Bot {
    /// A group of all three. These users get messages in private.
    pub(super) async fn with_messages(language: &str, to: &[u64]) -> Self {
        let bot = Self::new(language).await;
        bot.fill(language, to).await;
        bot
    }

    /// Makes the group of all three. These users get messages in private.
    pub(super) async fn fill(&self, language: &str, to: &[u64]) {
        let bot = self;
        bot.say(ALICE, "/start EUR").await;
        bot.press(ALICE, "EUR").await;
        for member in [BOB, CAROL] {
            bot.press(member, if language == "ru" { "Войти" } else { "Join" }).await;
        }
        for user in to {
            bot.turn_on(*user, language).await;
        }
    }

    async fn turn_on(&self, user: u64, language: &str) {
        let chat = user.cast_signed();
        self.telegram.say(chat, user, "/start").await;
        let start = self.telegram.messages(chat).pop().unwrap();
        let button = if language == "ru" {
            "Включить сообщения"
        } else {
            "Turn on messages"
        };
        self.telegram.press(chat, start.id, button, user).await;
    }

    pub(super) async fn keep(&self) -> Vec<Report> {
        let teller = self.api.app.teller();
        keep(&self.api.table, &self.api.app.clock, teller.as_ref()).await.unwrap()
    }

    /// The messages to a chat since they were looked at, after a run of the keeper.
    async fn told(&self, chat: i64) -> Vec<String> {
        let before = self.telegram.messages(chat).len();
        // Two events never have the same time, so the last ones are some milliseconds ahead.
        self.api.pass(Duration::from_secs(1));
        self.keep().await;
        self.telegram.messages(chat)[before..].iter().map(shown).collect()
    }

    pub(super) async fn path(&self, rest: &str) -> String {
        format!("/api/groups/{}{rest}", self.group().await)
    }

    pub(super) fn alice(&self) -> Caller {
        self.api.user(ALICE, "Alice")
    }

    pub(super) async fn spend(&self, body: Value) -> String {
        let path = self.path("/expenses").await;
        self.alice().post(&path, body).await.data(201)["id"].as_str().unwrap().to_owned()
    }

    /// The changes that are still to be told.
    async fn due_changes(&self) -> Vec<GroupChange> {
        let rows = self.api.rows().await.into_values();
        let rows = rows.map(|it| from_sdk(it.into_iter().collect()));
        let changes = rows.filter_map(|it| row::from_item::<GroupChange>(it).ok());
        changes.filter(|it| it.due_at.is_some()).collect()
    }

    pub(super) async fn subscription(&self, user: u64) -> Subscription {
        let of = Subscriber::User(UserId::new(user).unwrap());
        self.api.table.subscription(of).await.unwrap().unwrap()
    }
}

const BOBS: i64 = BOB.cast_signed();

#[tokio::test]
async fn edit_is_told_with_what_it_was_in_both_languages() {
    for (language, private, chat) in [
        (
            "en",
            "Alps\nAlice changed “dinner”: 33.00 EUR (was 30.00 EUR). Your share: 11.00 EUR (was 10.00 EUR).\n[Alps]",
            "Alice changed “dinner”: 33.00 EUR (was 30.00 EUR).\n[Open Fracti]",
        ),
        (
            "ru",
            "Alps\nИзменение, Alice: «dinner», 33,00 EUR (было 30,00 EUR). Ваша доля: 11,00 EUR (была 10,00 EUR).\n[Alps]",
            "Изменение, Alice: «dinner», 33,00 EUR (было 30,00 EUR).\n[Открыть Fracti]",
        ),
    ] {
        let bot = Bot::with_messages(language, &[BOB]).await;
        let id = bot.spend(json!({ "amount": 30, "description": "dinner" })).await;
        bot.keep().await;
        bot.api.pass(Duration::from_mins(31));
        let path = bot.path(&format!("/expenses/{id}")).await;
        assert_eq!(bot.alice().put(&path, json!({ "amount": 33 })).await.status, 200);
        let before = bot.telegram.messages(ALPS).len();
        assert_eq!(bot.told(BOBS).await, [private]);
        let in_chat: Vec<String> =
            bot.telegram.messages(ALPS)[before..].iter().map(shown).collect();
        assert_eq!(in_chat, [chat]);
    }
}

#[tokio::test]
async fn edit_that_was_undone_is_told_to_nobody() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let dinner = bot.spend(json!({ "amount": 30, "description": "dinner" })).await;
    let tea = bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    bot.keep().await;
    bot.api.pass(Duration::from_mins(31));
    let before = [ALPS, BOBS].map(|chat| bot.telegram.messages(chat).len());
    let dinner = bot.path(&format!("/expenses/{dinner}")).await;
    let tea = bot.path(&format!("/expenses/{tea}")).await;
    for amount in [33, 30] {
        bot.alice().put(&dinner, json!({ "amount": amount })).await.data(200);
    }
    // The amount is the same, and so is what each member owes in the end.
    let two = json!([{ "userId": "1" }, { "userId": "3" }]);
    let three = json!([{ "userId": "1" }, { "userId": "2" }, { "userId": "3" }]);
    for splits in [&two, &three] {
        bot.alice().put(&tea, json!({ "splits": splits })).await.data(200);
    }
    bot.told(BOBS).await;
    assert_eq!([ALPS, BOBS].map(|chat| bot.telegram.messages(chat).len()), before);
    // Other shares of the same amount are told.
    bot.alice().put(&tea, json!({ "splits": two })).await.data(200);
    bot.api.pass(Duration::from_mins(31));
    let told = bot.told(BOBS).await;
    assert_eq!(
        told,
        ["Alps\nAlice changed “tea”: 3.00 EUR. Your share: 0.00 EUR (was 1.00 EUR).\n[Alps]"]
    );
    assert_eq!(bot.shown(), "Alice changed “tea”: 3.00 EUR.\n[Open Fracti]");
}

#[tokio::test]
async fn what_the_bot_did_in_the_chat_is_told_in_private_only() {
    let bot = Bot::with_messages("en", &[ALICE, BOB, CAROL]).await;
    bot.say(ALICE, "/expense 30 dinner").await;
    let before = bot.telegram.messages(ALPS).len();
    let told = bot.told(BOBS).await;
    assert_eq!(told, ["Alps\nAlice added “dinner”: 30.00 EUR. Your share: 10.00 EUR.\n[Alps]"]);
    assert_eq!(bot.telegram.messages(ALPS).len(), before, "it is seen there already");
    let own = bot.telegram.messages(ALICE.cast_signed());
    assert!(!own.iter().any(|it| it.text.contains("dinner")), "one's own change is not told");
}

#[tokio::test]
async fn messages_come_once_an_interval_and_say_what_holds_then() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    bot.spend(json!({ "amount": 30, "description": "first" })).await;
    assert_eq!(bot.told(BOBS).await.len(), 1);
    // Added and deleted: nothing. Five edits: one line.
    let gone = bot.spend(json!({ "amount": 9, "description": "gone" })).await;
    bot.alice().delete(&bot.path(&format!("/expenses/{gone}")).await).await;
    let edited = bot.spend(json!({ "amount": 3, "description": "edited" })).await;
    for amount in 5..10 {
        let path = bot.path(&format!("/expenses/{edited}")).await;
        bot.alice().put(&path, json!({ "amount": amount })).await;
    }
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "30 minutes are not over");
    bot.api.pass(Duration::from_mins(29));
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new());
    bot.api.pass(Duration::from_mins(1));
    let told = bot.told(BOBS).await;
    assert_eq!(told, ["Alps\nAlice added “edited”: 9.00 EUR. Your share: 3.00 EUR.\n[Alps]"]);
    bot.api.pass(Duration::from_hours(3));
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "each change is told once");
}

#[tokio::test]
async fn two_hundred_expenses_are_one_message() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    for number in 0..200 {
        bot.spend(json!({ "amount": 3, "description": format!("😀<b>&\"{number}") })).await;
    }
    let told = bot.told(BOBS).await;
    let [one] = &*told else { panic!("{told:?}") };
    assert!(one.contains("… and 170 more"), "{one}");
    assert!(one.contains("Alice added “😀<b>&\"0”: 3.00 EUR. Your share: 1.00 EUR."), "{one}");
    assert!(one.encode_utf16().count() <= 4_096);
}

#[tokio::test]
async fn payment_is_confirmed_by_a_button_of_its_message() {
    let bot = Bot::with_messages("en", &[ALICE]).await;
    bot.spend(json!({ "amount": 30, "description": "dinner" })).await;
    let path = bot.path("/settlements").await;
    let bobs = bot.api.user(BOB, "Bob");
    let paid = bobs.post(&path, json!({ "toId": "1", "amount": 10 })).await;
    assert_eq!(paid.status, 201);
    let alices = ALICE.cast_signed();
    let told = bot.told(alices).await;
    let expected = "Alps\nBob paid you 10.00 EUR.\n[Confirm Bob 10.00 EUR] [Not received]\n[Alps]";
    assert_eq!(told, [expected]);
    let message = bot.telegram.messages(alices).pop().unwrap();
    let button = message.buttons[0][0].text.clone();
    let pressed = bot.telegram.press(alices, message.id, &button, ALICE).await;
    assert_eq!(pressed.alert, None);
    let id = paid.data(201)["id"].as_str().unwrap();
    let settled = bobs.get(&format!("{path}/{id}")).await;
    assert_eq!(settled.data(200)["status"], "completed");
    // What is over loses its buttons, and keeps its text.
    let after = bot.telegram.messages(alices).pop().unwrap();
    assert_eq!(plain(&shown(&after)), "Alps\nBob paid you 10.00 EUR.\n[Alps]");
}

#[tokio::test]
async fn who_is_gone_or_wants_nothing_is_told_nothing() {
    let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
    // Carol mutes the group, and Bob leaves.
    let carols = CAROL.cast_signed();
    bot.telegram.say(carols, CAROL, "/settings").await;
    let settings = bot.telegram.messages(carols).pop().unwrap();
    assert_eq!(
        shown(&settings),
        "Messages: on, every 30 minutes at most. Muted: none.\n[Turn off]\n[Mute Alps]"
    );
    bot.telegram.press(carols, settings.id, "Mute Alps", CAROL).await;
    let settings = bot.telegram.messages(carols).pop().unwrap();
    assert_eq!(
        shown(&settings),
        "Messages: on, every 30 minutes at most. Muted: Alps.\n[Turn off]\n[Unmute Alps]"
    );
    let leave = bot.path("/leave").await;
    let bobs = bot.api.user(BOB, "Bob");
    bot.spend(json!({ "amount": 3, "description": "tea", "splits": [{ "userId": "1" }, { "userId": "3" }] })).await;
    assert_eq!(bobs.post(&leave, json!({})).await.status, 200);
    assert_eq!(bot.told(carols).await, Vec::<String>::new());
    assert_eq!(bot.telegram.messages(BOBS).iter().filter(|it| it.text.contains("tea")).count(), 0);
    // One who left after the change was marked is told nothing, either.
    bot.telegram.press(carols, settings.id, "Unmute Alps", CAROL).await;
    bot.spend(json!({ "amount": 3, "description": "cake" })).await;
    let told = bot.told(carols).await;
    assert!(told.len() == 1 && told[0].contains("cake") && !told[0].contains("tea"), "{told:?}");
}

#[tokio::test]
async fn each_answer_of_telegram_has_its_state() {
    struct Case {
        outcome: Outcome,
        active: bool,
        reason: Option<InactiveReason>,
        /// Seconds until the next attempt.
        retry_s: Option<u64>,
        failures: u32,
        /// Messages that arrive, at last.
        arrive: usize,
    }
    let failed = |outcome, arrive| Case {
        outcome,
        active: true,
        reason: None,
        retry_s: Some(60),
        failures: 1,
        arrive,
    };
    let stopped = |outcome, reason| Case {
        outcome,
        active: false,
        reason: Some(reason),
        retry_s: None,
        failures: 0,
        arrive: 0,
    };
    let cases = [
        Case { retry_s: Some(17), failures: 0, ..failed(Outcome::RetryAfter(17), 1) },
        stopped(Outcome::Blocked, InactiveReason::Blocked),
        stopped(Outcome::ChatNotFound, InactiveReason::ChatNotFound),
        failed(Outcome::Refused("Bad Request: TOPIC_CLOSED"), 1),
        failed(Outcome::Unauthorized, 1),
        failed(Outcome::NotFound, 1),
        failed(Outcome::ServerError, 1),
        failed(Outcome::DeliveredThenServerError, 2),
        failed(Outcome::Unreadable, 2),
        failed(Outcome::Redirect, 1),
        failed(Outcome::Cut, 2),
    ];
    for case in cases {
        let name = format!("{:?}", case.outcome);
        let bot = Bot::with_messages("en", &[BOB]).await;
        let count = || {
            let messages = bot.telegram.messages(BOBS);
            messages.iter().filter(|it| it.text.contains("dinner")).count()
        };
        bot.telegram.plan(Some(BOBS), case.outcome);
        bot.spend(json!({ "amount": 30, "description": "dinner" })).await;
        bot.keep().await;
        let of = bot.subscription(BOB).await;
        assert_eq!((of.active, of.inactive_reason), (case.active, case.reason), "{name}");
        assert_eq!(of.lease_until, None, "{name}");
        assert_eq!(of.due_failures, case.failures, "{name}");
        let retry_s = of.retry_at.map(|at| at.since(bot.api.now()).as_secs());
        assert_eq!(retry_s, case.retry_s, "{name}");
        bot.keep().await;
        let early = count();
        bot.api.pass(Duration::from_secs(case.retry_s.unwrap_or_default()));
        bot.keep().await;
        assert_eq!(count(), case.arrive, "{name}");
        assert!(early < case.arrive || case.arrive == 0, "{name}: too early");
        if case.active {
            let of = bot.subscription(BOB).await;
            assert_eq!((of.due_failures, of.retry_at, of.due_at), (0, None, None), "{name}");
        }
    }
}

#[tokio::test]
async fn after_two_hours_without_telegram_there_is_one_message() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    bot.telegram.away(true);
    for hour in 0..8 {
        bot.spend(json!({ "amount": 3, "description": format!("tea {hour}") })).await;
        bot.keep().await;
        bot.api.pass(Duration::from_mins(15));
    }
    bot.telegram.away(false);
    bot.api.pass(Duration::from_hours(1));
    let told = bot.told(BOBS).await;
    let [one] = &*told else { panic!("{told:?}") };
    assert_eq!(one.matches("tea").count(), 8, "{one}");
    bot.api.pass(Duration::from_hours(1));
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new());
}

#[tokio::test]
async fn change_reaches_more_users_than_one_transaction_holds() {
    let bot = Bot::with_messages("en", &[]).await;
    let join = bot.path("/join").await;
    let users = 1_001..=1_120_u64;
    for user in users.clone() {
        let caller = bot.api.user(user, &format!("User {user}"));
        caller.post(&join, json!({})).await.data(200);
        caller.put("/api/users/me/subscription", json!({})).await.data(200);
    }
    let due = async || {
        bot.api.pass(Duration::from_secs(1));
        let due = bot.due_changes().await;
        assert_eq!(due.len(), 1, "{due:?}");
        due.into_iter().next().unwrap()
    };
    // The number of the first change that waits, and the version, of each user.
    let waits = async || {
        let mut all = Vec::new();
        for user in users.clone() {
            let of = bot.subscription(user).await;
            let first = of.groups.first().and_then(|it| it.from);
            all.push((user, first, of.version));
        }
        all
    };
    // A keeper was stopped after it had marked the users up to one: those are not marked again.
    let rows = [("2026-01-10", "Taxi", "Taxi", "EUR", vec![100, -100])];
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let file = crate::harness::splitwise(&["A", "B"], &rows);
    let form = json!({ "file": file, "options": options });
    let done = bot.alice().post(&bot.path("/import").await, form).await.data(200).clone();
    let first = due().await;
    let key = keys::change(first.group_id, first.number);
    let last = AttributeValue::S("1050".to_owned());
    bot.api.set_attribute(key, "toldTo", last).await;
    let begun = due().await;
    assert_eq!(begun.told_to, Some(UserId::new(1_050).unwrap()));
    assert!(bot.api.table.tell(&begun, bot.api.now()).await.unwrap());
    assert_eq!(bot.due_changes().await, []);
    let before = waits().await;
    for (user, from, _) in &before {
        assert_eq!(*from, (*user > 1_050).then_some(first.number), "{user}");
    }
    // Two keepers at once mark all of them, in two transactions, and each one once.
    let import = bot.path(&format!("/import/{}", done["importId"].as_str().unwrap())).await;
    bot.alice().delete(&import).await.data(200);
    let second = due().await;
    let now = bot.api.now();
    let done = tokio::join!(bot.api.table.tell(&second, now), bot.api.table.tell(&second, now));
    assert!(done.0.unwrap() | done.1.unwrap());
    assert_eq!(bot.due_changes().await, []);
    for ((user, from, version), (_, earlier, old)) in waits().await.into_iter().zip(before) {
        assert_eq!(from, earlier.or(Some(second.number)), "{user}");
        assert_eq!(version, old + u64::from(earlier.is_none()), "{user}");
    }
}

#[tokio::test]
async fn two_keepers_tell_each_change_once() {
    let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
    for number in 0..5 {
        bot.spend(json!({ "amount": 3, "description": format!("tea {number}") })).await;
    }
    tokio::join!(bot.keep(), bot.keep(), bot.keep());
    bot.api.pass(Duration::from_hours(1));
    bot.keep().await;
    for chat in [BOBS, CAROL.cast_signed()] {
        let all: String = bot.telegram.messages(chat).iter().map(shown).collect();
        for number in 0..5 {
            assert_eq!(all.matches(&format!("tea {number}")).count(), 1, "{all}");
        }
    }
}

#[tokio::test]
async fn blocked_bot_is_noticed_and_can_be_turned_on_again() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let update = json!({ "update_id": 9_000_002, "my_chat_member": {
        "date": 0, "chat": { "id": BOBS, "type": "private" },
        "from": { "id": BOB, "first_name": "Bob", "is_bot": false },
        "old_chat_member": { "status": "member" }, "new_chat_member": { "status": "kicked" },
    } });
    assert_eq!(bot.telegram.update(update).await.status, 200);
    let of = bot.subscription(BOB).await;
    assert_eq!((of.active, of.inactive_reason), (false, Some(InactiveReason::Blocked)));
    bot.spend(json!({ "amount": 3, "description": "missed" })).await;
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new());
    bot.api.pass(Duration::from_secs(1));
    bot.turn_on(BOB, "en").await;
    bot.spend(json!({ "amount": 3, "description": "cake" })).await;
    let told = bot.told(BOBS).await;
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("cake") && !told[0].contains("missed"), "{told:?}");
}

#[tokio::test]
async fn message_has_buttons_only_for_lines_that_it_shows() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let pay = async |amount: u32| {
        let to_bob = json!({ "toId": BOB.to_string(), "amount": amount, "currency": "EUR" });
        bot.alice().post(&bot.path("/settlements").await, to_bob).await.data(201);
    };
    pay(1).await;
    for _ in 0..29 {
        bot.spend(json!({ "amount": 3, "description": "&".repeat(50) })).await;
    }
    pay(2).await;
    let [message] = &*bot.told(BOBS).await else { panic!("one message") };
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[1], "Alice paid you 1.00 EUR.");
    assert_eq!(lines[30].matches('&').count(), 50);
    assert_eq!(lines[31], "… and 1 more");
    assert!(lines[32].contains("1.00 EUR"), "{lines:?}");
    assert_eq!(lines[33..], ["[Alps]"]);
}

#[tokio::test]
async fn question_is_answered_by_buttons_in_the_chat() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let choice = json!({
        "type": "multiple_choice", "prompt": "Pizza or sushi?", "options": ["Pizza", "Sushi"],
        "audience": ["2", "3"],
    });
    let asked = bot.alice().post(&bot.path("/questions").await, choice).await;
    asked.data(201);
    let before = bot.telegram.messages(ALPS).len();
    let private = bot.told(BOBS).await;
    assert_eq!(private, ["Alps\nAlice asks: Pizza or sushi?\n[Pizza] [Sushi]\n[Alps]"]);
    let notice = bot.telegram.messages(ALPS)[before..].iter().map(shown).collect::<Vec<_>>();
    assert_eq!(notice, ["Alice asks: Pizza or sushi?\n[Pizza] [Sushi]\n[Open Fracti]"]);

    let bobs = bot.press(BOB, "Pizza").await.alert;
    assert_eq!(bobs.as_deref(), Some("Your answer: Pizza. 1 of 2 answered."));
    let again = bot.press(BOB, "Sushi").await.alert.unwrap();
    assert!(again.contains("answered"), "{again}");
    let alices = bot.press(ALICE, "Sushi").await.alert.unwrap();
    assert!(!alices.starts_with("Your answer"), "who asks is not asked: {alices}");
    let carols = bot.press(CAROL, "Sushi").await.alert;
    assert_eq!(carols.as_deref(), Some("Your answer: Sushi. 2 of 2 answered."));
    assert_eq!(bot.shown(), "Pizza or sushi? Pizza 1, Sushi 1.\n[Open Fracti]");
    // Who asked is told in private, if they wish; who is late finds it over.
    bot.turn_on(ALICE, "en").await;
    let path = bot.path("/changes").await;
    let last = bot.alice().get(&path).await;
    assert_eq!(last.status, 200);
}

#[tokio::test]
async fn last_answer_leaves_the_other_lines_and_buttons_of_a_notice() {
    for (language, first, then) in [
        (
            "en",
            "Alice added “tea”: 3.00 EUR for 3.\nBob paid Alice 1.00 EUR.\nAlice asks: Where to?\n\
             Alice asks: Pizza or sushi?\n[Confirm Bob 1.00 EUR] [Not received]\n[Sea] [Hills]\n\
             [Pizza] [Sushi]\n[Open Fracti]",
            "Alice added “tea”: 3.00 EUR for 3.\nBob paid Alice 1.00 EUR.\nAlice asks: Where to?\n\
             Pizza or sushi? Pizza 2, Sushi 0.\n[Confirm Bob 1.00 EUR] [Not received]\n[Sea] [Hills]\n\
             [Open Fracti]",
        ),
        (
            "ru",
            "Расход, Alice: «tea», 3,00 EUR на 3.\nПлатёж: Bob → Alice, 1,00 EUR.\n\
             Спрашивает Alice: Where to?\nСпрашивает Alice: Pizza or sushi?\n\
             [Подтвердить Bob 1,00 EUR] [Не получено]\n[Sea] [Hills]\n[Pizza] [Sushi]\n[Открыть Fracti]",
            "Расход, Alice: «tea», 3,00 EUR на 3.\nПлатёж: Bob → Alice, 1,00 EUR.\n\
             Спрашивает Alice: Where to?\nPizza or sushi? Pizza 2, Sushi 0.\n\
             [Подтвердить Bob 1,00 EUR] [Не получено]\n[Sea] [Hills]\n[Открыть Fracti]",
        ),
    ] {
        let bot = Bot::with_messages(language, &[]).await;
        bot.spend(json!({ "amount": 3, "description": "tea" })).await;
        let paid = json!({ "toId": "1", "amount": 1 });
        bot.api.user(BOB, "Bob").post(&bot.path("/settlements").await, paid).await.data(201);
        for (prompt, options) in
            [("Where to?", ["Sea", "Hills"]), ("Pizza or sushi?", ["Pizza", "Sushi"])]
        {
            let choice = json!({
                "type": "multiple_choice", "prompt": prompt, "options": options,
                "audience": ["2", "3"],
            });
            bot.alice().post(&bot.path("/questions").await, choice).await.data(201);
        }
        bot.told(ALPS).await;
        assert_eq!(bot.shown(), first);
        bot.press(BOB, "Pizza").await;
        assert_eq!(bot.shown(), first, "one of two has answered");
        let alert = bot.press(CAROL, "Pizza").await.alert.unwrap();
        assert!(
            alert.ends_with("2 of 2 answered.") || alert.ends_with("Ответов: 2 из 2."),
            "{alert}"
        );
        assert_eq!(bot.shown(), then);
        // The others still work.
        bot.press(BOB, "Hills").await;
        let confirm = if language == "ru" {
            "Подтвердить Bob 1,00 EUR"
        } else {
            "Confirm Bob 1.00 EUR"
        };
        assert_eq!(bot.press(ALICE, confirm).await.alert, None);
        bot.press(CAROL, "Hills").await;
        let last = then.lines().last().unwrap();
        assert!(
            bot.shown().ends_with(&format!(
                "Where to? Sea 0, Hills 2.\nPizza or sushi? Pizza 2, Sushi 0.\n{last}"
            )),
            "{}",
            bot.shown()
        );
    }
}

#[tokio::test]
async fn buttons_of_what_is_over_go_when_they_are_pressed() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let questions = bot.path("/questions").await;
    let choice = |prompt: &str| {
        json!({
            "type": "multiple_choice", "prompt": prompt, "options": ["Yes", "No"],
            "audience": ["2", "3"], "timeoutSeconds": 3_600,
        })
    };
    let asked = bot.alice().post(&questions, choice("Closed?")).await.id();
    bot.alice().post(&questions, choice("Late?")).await.data(201);
    let paid = json!({ "toId": "1", "amount": 1 });
    let settlements = bot.path("/settlements").await;
    let carol = bot.api.user(CAROL, "Carol");
    let paid = carol.post(&settlements, paid).await.id();
    bot.told(BOBS).await;
    let lines = "Alice asks: Closed?\nAlice asks: Late?\nCarol paid Alice 1.00 EUR.\n";
    let confirm = "[Confirm Carol 1.00 EUR] [Not received]\n";
    let shown = |rows: &str| format!("{lines}{rows}[Open Fracti]");
    assert_eq!(bot.shown(), shown(&format!("[Yes] [No]\n[Yes] [No]\n{confirm}")));

    // Two buttons have the same text, so they are pressed by their data.
    let data = |row: usize| bot.last().buttons[row][0].data.clone().unwrap();
    let [closed, late, confirms] = [0, 1, 2].map(data);
    let press = async |data: &str, by: u64| {
        bot.telegram.press_data(ALPS, bot.last().id, data, by).await.alert
    };
    // Who has answered is told so, and the options stay for the others.
    press(&closed, BOB).await.unwrap();
    press(&closed, BOB).await.unwrap();
    assert_eq!(bot.shown(), shown(&format!("[Yes] [No]\n[Yes] [No]\n{confirm}")));
    let closing = bot.alice().post(&format!("{questions}/{asked}/close"), json!({})).await;
    assert!(closing.status.is_success(), "{}", closing.text);
    let before = bot.api.rows().await;
    let alert = press(&closed, CAROL).await.unwrap();
    assert!(alert.contains("no more answers"), "{alert}");
    assert_eq!(bot.shown(), shown(&format!("[Yes] [No]\n{confirm}")));
    bot.api.pass(Duration::from_hours(2));
    let alert = press(&late, CAROL).await.unwrap();
    assert!(alert.contains("no more answers"), "{alert}");
    assert_eq!(bot.shown(), shown(confirm));
    assert_eq!(bot.api.rows().await, before);

    // In private, too, and who has answered needs the options no more.
    let private = bot.telegram.messages(BOBS).pop().unwrap();
    assert!(super::shown(&private).ends_with("\n[Yes] [No]\n[Yes] [No]\n[Alps]"), "{private:?}");
    for row in [1, 0] {
        let data = private.buttons[row][0].data.clone().unwrap();
        bot.telegram.press_data(BOBS, private.id, &data, BOB).await.alert.unwrap();
    }
    let private = bot.telegram.messages(BOBS).pop().unwrap();
    assert_eq!(private.buttons.len(), 1, "{private:?}");

    // A payment whose row is gone.
    let row = bot.api.rows().await.into_iter().find(|(_, row)| {
        let has = |name: &str, value: &str| {
            row.get(name).is_some_and(|it| it.as_s().is_ok_and(|it| it == value))
        };
        has("kind", "settlement") && row.values().any(|it| it.as_s().is_ok_and(|it| *it == paid))
    });
    let ((pk, sk), _) = row.unwrap();
    bot.api.delete_row(&pk, &sk).await;
    let alert = press(&confirms, ALICE).await.unwrap();
    assert!(alert.contains("does not exist"), "{alert}");
    assert_eq!(bot.shown(), shown(""));
}

#[tokio::test]
async fn asker_is_told_that_a_question_has_all_answers_and_who_answered_is_not_asked() {
    let bot = Bot::with_messages("ru", &[ALICE, BOB, CAROL]).await;
    bot.api.pass(Duration::from_secs(1));
    let question = json!({ "type": "text", "prompt": "Куда едем?", "audience": ["2", "3"] });
    let asked = bot.alice().post(&bot.path("/questions").await, question).await.id();
    let answers = bot.path(&format!("/questions/{asked}/answers")).await;
    let answer = |user: u64, name: &'static str| {
        let caller = bot.api.user(user, name);
        let answers = answers.clone();
        async move { caller.post(&answers, json!({ "answer": "В горы" })).await.data(201).clone() }
    };
    answer(BOB, "Bob").await;
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "Bob has answered");
    let carols = CAROL.cast_signed();
    let told: Vec<String> = bot.telegram.messages(carols).iter().map(shown).collect();
    assert_eq!(told.last().unwrap(), "Alps\nСпрашивает Alice: Куда едем?\n[Ответить]\n[Alps]");
    answer(CAROL, "Carol").await;
    bot.api.pass(Duration::from_mins(31));
    let alices = bot.told(ALICE.cast_signed()).await;
    assert_eq!(alices, ["Alps\nКуда едем? Ответов: 2 из 2.\n[Alps]"]);
}

#[tokio::test]
async fn who_has_not_answered_at_half_time_is_reminded_once() {
    for (language, reminder) in [
        ("en", "Alps\nReminder: Alice asks: Pizza?\n[Yes] [No]\n[Alps]"),
        ("ru", "Alps\nНапоминание. Спрашивает Alice: Pizza?\n[Yes] [No]\n[Alps]"),
    ] {
        let bot = Bot::with_messages(language, &[ALICE, BOB]).await;
        let choice = json!({
            "type": "multiple_choice", "prompt": "Pizza?", "options": ["Yes", "No"],
            "timeoutSeconds": 2 * 3_600,
        });
        bot.alice().post(&bot.path("/questions").await, choice).await.data(201);
        assert_eq!(bot.told(BOBS).await.len(), 1);
        // Who turns messages on meanwhile is reminded, too.
        bot.turn_on(CAROL, language).await;
        bot.api.pass(Duration::from_mins(50));
        assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "half of its time is not over");
        let before = bot.telegram.messages(ALPS).len();
        bot.api.pass(Duration::from_mins(10));
        assert_eq!(bot.told(BOBS).await, [reminder]);
        let carols = bot.telegram.messages(CAROL.cast_signed());
        assert_eq!(carols.last().map(shown).as_deref(), Some(reminder));
        let alices = bot.telegram.messages(ALICE.cast_signed());
        assert!(!alices.iter().any(|it| it.text.contains("Pizza")), "she asked");
        assert_eq!(bot.telegram.messages(ALPS).len(), before, "the chat is not reminded");
        bot.api.pass(Duration::from_mins(31));
        assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "once");
        assert_eq!(bot.subscription(BOB).await.reminders, []);
    }
}

#[tokio::test]
async fn nobody_is_reminded_of_what_is_answered_over_or_asked_for_less_than_two_hours() {
    let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
    let questions = bot.path("/questions").await;
    let ask = async |prompt: &str, minutes: u64| {
        let text = json!({ "type": "text", "prompt": prompt, "timeoutSeconds": minutes * 60 });
        bot.alice().post(&questions, text).await.id()
    };
    ask("Short?", 119).await;
    let closed = ask("Closed?", 240).await;
    let answered = ask("Answered?", 240).await;
    let late = ask("Late?", 240).await;
    bot.told(BOBS).await;
    let bob = bot.api.user(BOB, "Bob");
    let yes = json!({ "answer": "Yes" });
    bob.post(&format!("{questions}/{answered}/answers"), yes.clone()).await.data(201);
    let close = bot.alice().post(&format!("{questions}/{closed}/close"), json!({})).await;
    assert!(close.status.is_success(), "{}", close.text);
    // A message that waits for its interval drops what is answered until then.
    bot.api.pass(Duration::from_mins(110));
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    assert_eq!(bot.told(BOBS).await.len(), 1);
    bot.api.pass(Duration::from_mins(10));
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "30 minutes are not over");
    assert_eq!(bot.subscription(BOB).await.reminders.len(), 1, "of the last one");
    bob.post(&format!("{questions}/{late}/answers"), yes).await.data(201);
    bot.api.pass(Duration::from_mins(31));
    assert_eq!(bot.told(BOBS).await, Vec::<String>::new(), "it is answered");
    assert_eq!(bot.subscription(BOB).await.reminders, []);
    let carols = bot.telegram.messages(CAROL.cast_signed());
    let reminded: Vec<String> = carols
        .iter()
        .flat_map(|it| it.text.lines().map(plain).collect::<Vec<_>>())
        .filter(|line| line.starts_with("Reminder"))
        .collect();
    assert_eq!(reminded, ["Reminder: Alice asks: Answered?", "Reminder: Alice asks: Late?"]);
}

#[tokio::test]
async fn group_that_cannot_be_read_keeps_no_other_back_and_comes_later() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let other = bot
        .alice()
        .post("/api/groups", json!({ "title": "Flat", "chatId": 9, "currency": "EUR" }))
        .await;
    let other = other.id();
    let bob = bot.api.user(BOB, "Bob");
    bob.post(&format!("/api/groups/{other}/join"), json!({})).await.data(200);
    let tea = json!({ "amount": 4, "description": "tea" });
    bot.alice().post(&format!("/api/groups/{other}/expenses"), tea).await.data(201);
    let key = keys::group(other.parse().unwrap());
    let title = bot.api.rows().await[&(key.pk.clone(), key.sk.clone())]["title"].clone();
    bot.keep().await;
    bot.api.pass(Duration::from_mins(31));
    // Another one of each group, and one group is damaged.
    for group in [other.clone(), bot.group().await.to_string()] {
        let cake = json!({ "amount": 6, "description": "cake" });
        bot.alice().post(&format!("/api/groups/{group}/expenses"), cake).await.data(201);
    }
    bot.api.pass(Duration::from_secs(1));
    let first = bot.telegram.messages(BOBS).len();
    for change in bot.due_changes().await {
        bot.api.table.tell(&change, bot.api.now()).await.unwrap();
    }
    bot.api.set_attribute(key.clone(), "title", AttributeValue::Bool(true)).await;
    bot.keep().await;
    let told: Vec<String> = bot.telegram.messages(BOBS)[first..].iter().map(shown).collect();
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("Alps\nAlice added “cake”"), "{told:?}");
    bot.api.set_attribute(key, "title", title).await;
    bot.api.pass(Duration::from_mins(31));
    let told = bot.told(BOBS).await;
    assert_eq!(told.len(), 1);
    assert!(told[0].starts_with("Flat\nAlice added “cake”"), "{told:?}");
}

#[tokio::test]
async fn change_that_is_marked_while_a_message_is_sent_comes_with_the_next_one() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    bot.api.pass(Duration::from_secs(1));
    bot.telegram.plan(Some(BOBS), Outcome::Hang(Duration::from_secs(2)));
    let sent = bot.keep();
    let meanwhile = async {
        tokio::time::sleep(Duration::from_millis(700)).await;
        bot.spend(json!({ "amount": 3, "description": "cake" })).await;
        bot.keep().await
    };
    tokio::join!(sent, meanwhile);
    for _ in 0..4 {
        bot.api.pass(Duration::from_mins(31));
        bot.keep().await;
    }
    let all: String = bot.telegram.messages(BOBS).iter().map(shown).collect();
    assert!(all.contains("tea") && all.contains("cake"), "{all}");
}

#[tokio::test]
async fn six_hundred_changes_of_others_hide_none_of_mine() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let others = json!([{ "userId": "1" }, { "userId": "3" }]);
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    assert_eq!(bot.told(BOBS).await.len(), 1);
    for _ in 0..600 {
        bot.spend(json!({ "amount": 3, "description": "x", "splits": others })).await;
    }
    bot.spend(json!({ "amount": 3, "description": "cake" })).await;
    bot.api.pass(Duration::from_hours(1));
    let told = || bot.telegram.messages(BOBS).iter().map(shown).collect::<String>();
    // On a busy machine, a run has no time for all of them.
    for _ in 0..5 {
        let reports = bot.keep().await;
        assert!(reports.iter().all(|it| it.failed == 0), "{reports:?}");
        if told().contains("cake") {
            break;
        }
        bot.api.pass(Duration::from_mins(1));
    }
    bot.api.pass(Duration::from_mins(1));
    bot.keep().await;
    assert_eq!(told().matches("cake").count(), 1, "{}", told());
}

#[tokio::test]
async fn told_change_costs_a_unit_and_no_action_and_nothing_if_telling_is_off() {
    let off = crate::harness::Api::embedded().await;
    let on = crate::harness::Api::embedded().await.telling("http://127.0.0.1:1");
    let mut costs = Vec::new();
    for api in [off, on] {
        let group = crate::harness::Group::of(&api, 3, "EUR").await;
        let by = &group.members[0];
        let body = json!({ "amount": 30, "description": "dinner" });
        let made = by.post(&group.path("/expenses"), body).await;
        let expense = group.path(&format!("/expenses/{}", made.id()));
        let edited = by.put(&expense, json!({ "amount": 33 })).await;
        let settings = group.path("");
        let renamed = json!({ "title": "Sea" });
        let renamed = by.call(axum::http::Method::PATCH, &settings, Some(&renamed)).await;
        let deleted = by.delete(&expense).await;
        let replies = [made, edited, renamed, deleted];
        costs.push(replies.map(|it| (it.actions, it.cost.write_units, it.cost.round_trips)));
    }
    let [off, on] = &costs[..] else { unreachable!() };
    for (index, ((actions, units, trips), now)) in off.iter().zip(on).enumerate() {
        // Nobody is told of a new title.
        let more = if index == 2 { 0.0 } else { 1.0 };
        assert_eq!(now, &(*actions, units + more, *trips), "{index}");
    }
}

#[tokio::test]
async fn import_is_one_line_in_each_chat() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let rows: Vec<_> =
        (0..60).map(|_| ("2026-01-10", "Taxi", "Taxi", "EUR", vec![100, -100])).collect();
    let options = json!({ "commit": true, "members": { "A": "1", "B": "2" } });
    let file = crate::harness::splitwise(&["A", "B"], &rows);
    let form = json!({ "file": file, "options": options });
    let import = bot.path("/import").await;
    bot.alice().post(&import, form).await.data(200);
    let before = bot.telegram.messages(ALPS).len();
    let told = bot.told(BOBS).await;
    assert_eq!(told, ["Alps\nAlice imported 60 expenses, 0 payments.\n[Alps]"]);
    let chat = &bot.telegram.messages(ALPS)[before..];
    let chat: Vec<String> = chat.iter().map(shown).collect();
    assert_eq!(chat, ["Alice imported 60 expenses, 0 payments.\n[Open Fracti]"]);
}

#[tokio::test]
async fn guest_is_told_about_to_who_they_may_be_and_who_added_them() {
    let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
    let members = bot.path("/members").await;
    let carol = bot.api.user(CAROL, "Carol");
    let guest = carol.post(&members, json!({ "name": "Caro" })).await.data(201)["id"].clone();
    let splits = json!([{ "userId": "1" }, { "userId": guest }]);
    bot.spend(json!({ "amount": 8, "description": "tea", "splits": splits })).await;
    // Carol added the guest, so she is told of what concerns them; Bob is not.
    let told = bot.told(CAROL.cast_signed()).await;
    assert_eq!(told, ["Alps\nAlice added “tea”: 8.00 EUR.\n[Alps]"]);
    assert!(bot.telegram.messages(BOBS).iter().all(|it| !it.text.contains("tea")));
    let guest = guest.as_str().unwrap();
    let link = format!("{members}/{guest}/link");
    assert_eq!(bot.alice().post(&link, json!({ "userId": "2" })).await.status, 202);
    let before = bot.telegram.messages(ALPS).len();
    let told = bot.told(BOBS).await;
    assert_eq!(told, ["Alps\nAlice thinks that “Caro” is you. Confirm it in Fracti.\n[Alps]"]);
    assert_eq!(bot.telegram.messages(ALPS).len(), before);
}
