//! Delivery: what Telegram answers to a message, silence, and what is not told any more.

use std::time::Duration;

use axum::http::Method;
use fracti_core::{
    chat::subscription::{InactiveReason, Subscription},
    values::id::Subscriber,
};
use fracti_local::fake_telegram::{Message, Outcome};
use serde_json::{Value, json};
use tracing::instrument::WithSubscriber;

use super::{ALICE, ALPS, BOB, Bot, CAROL, shown};
use crate::{
    harness::{Api, Log},
    quotas::quotas,
};

const BOBS: i64 = BOB.cast_signed();

const REFUSED: &str = "Bad Request: TOPIC_CLOSED";

const SUBSCRIPTION: &str = "/api/users/me/subscription";

impl Bot {
    async fn of_group(&self) -> Subscription {
        let group = Subscriber::Group(self.group().await);
        self.api.table.subscription(group).await.unwrap().unwrap()
    }

    /// Bob replaces the settings of his messages.
    async fn set(&self, settings: Value) {
        self.api.user(BOB, "Bob").put(SUBSCRIPTION, settings).await.data(200);
    }

    /// The messages to a chat since then, after a run of the keeper.
    async fn sent(&self, chat: i64, before: usize) -> Vec<Message> {
        self.api.pass(Duration::from_secs(1));
        self.keep().await;
        self.telegram.messages(chat)[before..].to_vec()
    }

    fn count(&self, chat: i64) -> usize {
        self.telegram.messages(chat).len()
    }
}

#[tokio::test]
async fn message_follows_its_chat_to_the_supergroup() {
    // The update that says so may be lost, or come later.
    for is_planned in [false, true] {
        let bot = Bot::with_messages("en", &[]).await;
        let group = bot.group().await;
        let to = -1_000_000_000_777;
        if is_planned {
            bot.telegram.plan(Some(ALPS), Outcome::Migrate(to));
        } else {
            bot.telegram.migrate(ALPS, to);
        }
        let before = bot.count(ALPS);
        bot.spend(json!({ "amount": 3, "description": "tea" })).await;
        for _ in 0..2 {
            bot.api.pass(Duration::from_secs(1));
            bot.keep().await;
        }
        let told: Vec<String> = bot.telegram.messages(to).iter().map(shown).collect();
        assert_eq!(told, ["Alice added “tea”: 3.00 EUR for 3.\n[Open Fracti]"]);
        assert_eq!(bot.count(ALPS), before);
        let of = bot.of_group().await;
        assert_eq!((of.chat_id, of.active, of.due_at, of.due_failures), (to, true, None, 0));
        assert_eq!(bot.api.table.group_of_chat(to).await.unwrap(), Some(group));
        // The chat is used under its new number.
        bot.telegram.say(to, BOB, "/balance").await;
        let said = bot.telegram.messages(to).pop().unwrap();
        assert!(shown(&said).starts_with("Alice gets 2.00 EUR"), "{said:?}");
    }
}

#[tokio::test]
async fn chat_that_refuses_is_given_up_after_the_twentieth_time() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    let log = Log::default();
    for number in 1..=20 {
        let of = bot.subscription(BOB).await;
        assert_eq!((of.active, of.refusals), (true, number - 1));
        assert!(!log.text().contains("MESSAGES_REFUSED"), "{}", log.text());
        bot.telegram.plan(Some(BOBS), Outcome::Refused(REFUSED));
        bot.keep().with_subscriber(log.subscriber()).await;
        bot.api.pass(Duration::from_hours(1));
    }
    let of = bot.subscription(BOB).await;
    assert_eq!((of.active, of.inactive_reason), (false, Some(InactiveReason::Refused)));
    assert_eq!((of.due_at, of.refusals, of.due_failures), (None, 0, 0));
    // The alarm looks for it. The message itself is not in the log.
    assert!(log.text().contains("MESSAGES_REFUSED"), "{}", log.text());
    assert!(!log.text().contains("tea"), "{}", log.text());
    assert!(include_str!("../../../template.yaml").contains("MESSAGES_REFUSED"));
    let seen = bot.api.user(BOB, "Bob").get(SUBSCRIPTION).await;
    assert_eq!(seen.data(200)["inactiveReason"], "refused");
    bot.spend(json!({ "amount": 3, "description": "cake" })).await;
    let before = bot.count(BOBS);
    assert_eq!(bot.sent(BOBS, before).await, []);
}

#[tokio::test]
async fn message_that_was_refused_comes_without_markup_and_the_next_one_with_it() {
    let bot = Bot::with_messages("en", &[ALICE]).await;
    let pay = async |amount: u32| {
        let path = bot.path("/settlements").await;
        let paid = json!({ "toId": "1", "amount": amount });
        bot.api.user(BOB, "B<b> & “Co”").post(&path, paid).await.data(201);
    };
    let alices = ALICE.cast_signed();
    let before = bot.count(alices);
    bot.telegram.plan(Some(alices), Outcome::Refused("Bad Request: can't parse entities"));
    pay(1).await;
    assert_eq!(bot.sent(alices, before).await, []);
    bot.api.pass(Duration::from_mins(1));
    let sent = bot.sent(alices, before).await;
    let [message] = &*sent else { panic!("{sent:?}") };
    assert!(message.html.is_none() && message.buttons.is_empty(), "{message:?}");
    assert!(
        message.text.starts_with("Alps\n") && message.text.contains(" paid you 1.00"),
        "{message:?}"
    );
    assert_eq!(bot.subscription(ALICE).await.refusals, 0);
    pay(2).await;
    bot.api.pass(Duration::from_mins(31));
    let sent = bot.sent(alices, before + 1).await;
    let [message] = &*sent else { panic!("{sent:?}") };
    assert!(message.html.is_some() && message.buttons.len() == 2, "{message:?}");
}

#[tokio::test]
async fn settings_outside_of_their_limits_are_refused_and_all_if_nothing_is_told() {
    let bot = Bot::with_messages("en", &[]).await;
    let bob = bot.api.user(BOB, "Bob");
    for (settings, path) in [
        (json!({ "minIntervalMinutes": 4 }), "minIntervalMinutes"),
        (json!({ "minIntervalMinutes": 1_441 }), "minIntervalMinutes"),
        (json!({ "topics": ["expenses", "questions", "expenses"] }), "topics[2]"),
        (json!({ "topics": ["spendings"] }), "topics[0]"),
        (json!({ "mutedGroups": [bot.group().await, bot.group().await] }), "mutedGroups[1]"),
        (json!({ "quietHours": { "from": 8, "to": 8 } }), "quietHours"),
        (json!({ "quietHours": { "from": 24, "to": 8 } }), "quietHours.from"),
        (json!({ "language": "de" }), "language"),
    ] {
        let refused = bob.put(SUBSCRIPTION, settings).await;
        assert_eq!(refused.code(), (400, "VALIDATION_ERROR"), "{path}");
        assert_eq!(refused.body["details"][0]["path"], path, "{}", refused.text);
        assert_eq!(bob.get(SUBSCRIPTION).await.data(200)["active"], false, "{path}");
    }
    for minutes in [5, 1_440] {
        let set = bob.put(SUBSCRIPTION, json!({ "minIntervalMinutes": minutes })).await;
        assert_eq!(set.data(200)["minIntervalMinutes"], minutes);
    }
    let off = Api::new().await.without_telegram();
    let refused = off.user(BOB, "Bob").put(SUBSCRIPTION, json!({})).await;
    assert_eq!(refused.code(), (409, "MESSAGES_DISABLED"));
}

#[tokio::test]
async fn messages_make_no_sound_in_quiet_hours_of_the_users_zone_and_in_groups() {
    // It is 12:00 in UTC, and 21:00 in Tokyo.
    for (from, to, silent) in [(21, 22, true), (22, 21, false), (12, 13, false), (20, 22, true)] {
        let bot = Bot::with_messages("en", &[BOB]).await;
        let bob = bot.api.user(BOB, "Bob");
        let zone = json!({ "version": 1, "timeZone": "Asia/Tokyo" });
        bob.call(Method::PATCH, "/api/users/me/targets", Some(&zone)).await.data(200);
        bot.set(json!({ "quietHours": { "from": from, "to": to } })).await;
        bot.spend(json!({ "amount": 3, "description": "tea" })).await;
        let before = [BOBS, ALPS].map(|chat| bot.count(chat));
        let private = bot.sent(BOBS, before[0]).await;
        let in_chat = bot.telegram.messages(ALPS)[before[1]..].to_vec();
        let silence =
            [&private, &in_chat].map(|it| it.iter().map(|it| it.silent).collect::<Vec<_>>());
        assert_eq!(silence, [vec![silent], vec![true]], "{from} to {to}");
    }
    let bot = Bot::with_messages("en", &[BOB]).await;
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    let before = bot.count(BOBS);
    assert!(!bot.sent(BOBS, before).await[0].silent, "without quiet hours");
}

#[tokio::test]
async fn who_is_removed_or_wants_another_topic_and_a_deleted_group_are_told_nothing() {
    let bot = Bot::with_messages("en", &[BOB, CAROL]).await;
    let carols = CAROL.cast_signed();
    bot.set(json!({ "topics": ["settlements"] })).await;
    let before = [BOBS, carols, ALPS].map(|chat| bot.count(chat));
    bot.spend(json!({ "amount": 3, "description": "tea" })).await;
    assert_eq!(bot.sent(BOBS, before[0]).await, [], "another topic");
    assert_eq!(bot.sent(carols, before[1]).await.len(), 1);
    let paid = json!({ "fromId": "2", "toId": "1", "amount": 1 });
    bot.alice().post(&bot.path("/settlements").await, paid).await.data(201);
    assert_eq!(bot.sent(BOBS, before[0]).await.len(), 1, "his topic");

    // Carol waits for the next message when she is removed.
    bot.spend(json!({ "amount": 3, "description": "cake", "splits": [{ "userId": "3" }] })).await;
    assert_eq!(bot.sent(carols, before[1]).await.len(), 1, "30 minutes are not over");
    let owed = json!({ "fromId": "3", "toId": "1", "amount": 4 });
    bot.alice().post(&bot.path("/settlements").await, owed).await.data(201);
    let path = bot.path("/members").await;
    bot.alice().delete(&format!("{path}/{CAROL}")).await.data(200);
    bot.api.pass(Duration::from_mins(31));
    assert_eq!(bot.sent(carols, before[1]).await.len(), 1, "she is not in the group");
    let in_chat = bot.telegram.messages(ALPS).last().map(shown).unwrap();
    assert!(in_chat.contains("cake"), "the chat is told: {in_chat}");

    // The chat waits, too, when the group is deleted.
    bot.alice().delete(&format!("{path}/{BOB}")).await.data(200);
    bot.spend(json!({ "amount": 3, "description": "juice" })).await;
    let chat = bot.count(ALPS);
    assert_eq!(bot.sent(ALPS, chat).await, [], "5 minutes are not over");
    assert!(bot.of_group().await.due_at.is_some());
    let deleted = bot.alice().delete(&bot.path("").await).await;
    deleted.data(200);
    bot.api.pass(Duration::from_mins(31));
    assert_eq!(bot.sent(ALPS, chat).await, []);
    assert!(bot.telegram.messages(BOBS).iter().all(|it| !it.text.contains("juice")));
}

#[tokio::test]
async fn beyond_the_quota_the_bot_says_so_and_changes_nothing() {
    let bot = Bot::of(Api::new().await.with_quotas(quotas(1, 3)), "en").await;
    bot.say(ALICE, "/start EUR").await;
    bot.press(ALICE, "EUR").await;
    bot.say(ALICE, "/expense 30 dinner").await;
    let rows = async || {
        let mut rows = bot.api.rows().await;
        rows.retain(|(_, sk), _| !sk.starts_with("USAGE#"));
        rows
    };
    let before = rows().await;
    bot.say(ALICE, "/expense 12 tea").await;
    let refused = bot.shown();
    assert_eq!(refused, "The daily limit of 3 writes is reached; it resets at 00:00 UTC.");
    // A press has it as an alert, and the message stays.
    let dinner = bot.telegram.messages(ALPS);
    let dinner = dinner.iter().find(|it| it.text.contains("dinner") && it.from_bot).unwrap();
    let pressed = bot.telegram.press(ALPS, dinner.id, "Undo", ALICE).await;
    assert_eq!(pressed.alert.as_deref(), Some(&*refused));
    let after = bot.telegram.messages(ALPS);
    assert_eq!(after.iter().find(|it| it.id == dinner.id), Some(dinner));
    // Reads have their own quota.
    bot.say(ALICE, "/balance").await;
    assert_eq!(bot.shown(), "Everybody is settled.");
    bot.say(ALICE, "/balance").await;
    assert!(bot.shown().starts_with("The daily limit of 1 read"), "{}", bot.shown());
    assert_eq!(rows().await, before);
}
