//! Settings of messages in private: what is shown, in which language, and which groups are muted.

use serde_json::json;

use super::{BOB, Bot, CAROL, shown};

const BOBS: i64 = BOB.cast_signed();

const SUBSCRIPTION: &str = "/api/users/me/subscription";

impl Bot {
    /// What the bot answers to Bob in private.
    async fn answer(&self, text: &str) -> String {
        self.telegram.say(BOBS, BOB, text).await;
        shown(&self.telegram.messages(BOBS).pop().unwrap())
    }
}

#[tokio::test]
async fn quiet_hours_are_shown_with_two_digits() {
    for (language, expected) in [
        (
            "en",
            "Messages: on, every 45 minutes at most, silent from 22:00 to 08:00. Muted: none.\n\
             [Turn off]\n[Mute Alps]",
        ),
        (
            "ru",
            "Сообщения: раз в 45 минут, без звука с 22:00 до 08:00. Заглушены: нет.\n\
             [Выключить]\n[Заглушить Alps]",
        ),
    ] {
        let bot = Bot::with_messages(language, &[BOB]).await;
        let settings = json!({
            "minIntervalMinutes": 45, "quietHours": { "from": 22, "to": 8 }, "language": language,
        });
        bot.api.user(BOB, "Bob").put(SUBSCRIPTION, settings).await.data(200);
        assert_eq!(bot.answer("/settings").await, expected);
    }
}

#[tokio::test]
async fn private_chat_has_the_language_of_its_messages() {
    let bot = Bot::with_messages("en", &[]).await;
    let english =
        "Add me to a group's chat, or get messages here.\n[Turn on messages]\n[Add to a group]";
    assert_eq!(bot.answer("/start").await, english);
    assert_eq!(bot.answer("/balance").await, "You are settled in all groups.");
    bot.api.user(BOB, "Bob").put(SUBSCRIPTION, json!({ "language": "ru" })).await.data(200);
    let russian = "Добавьте меня в чат или получайте сообщения здесь.\n\
                   [Включить сообщения]\n[Добавить в чат]";
    assert_eq!(bot.answer("/start").await, russian);
    assert_eq!(bot.answer("/balance").await, "Во всех группах вы в расчёте.");
    assert_eq!(bot.answer("/expense 3 tea").await, "Отправьте это в чате вашей группы.");
    bot.spend(json!({ "amount": 30, "description": "dinner" })).await;
    assert_eq!(bot.answer("/balance").await, "Alps: вы должны 10,00 EUR");
    let off = "Сообщения выключены.\n[Включить сообщения]";
    bot.answer("/settings").await;
    let settings = bot.telegram.messages(BOBS).pop().unwrap();
    bot.telegram.press(BOBS, settings.id, "Выключить", BOB).await;
    assert_eq!(shown(&bot.telegram.messages(BOBS).pop().unwrap()), off);
    assert_eq!(bot.answer("/start").await, russian, "also while messages are off");
    // A group's chat has its own language, and others theirs.
    bot.say(BOB, "/balance").await;
    assert!(bot.shown().starts_with("Alice gets 20.00 EUR"), "{}", bot.shown());
    bot.telegram.say(CAROL.cast_signed(), CAROL, "/start").await;
    assert_eq!(shown(&bot.telegram.messages(CAROL.cast_signed()).pop().unwrap()), english);
}

#[tokio::test]
async fn muted_group_is_named_and_can_be_unmuted_also_if_others_are_newer() {
    let bot = Bot::with_messages("en", &[BOB]).await;
    let alice = bot.alice();
    let bob = bot.api.user(BOB, "Bob");
    let mut groups = Vec::new();
    for number in 0..12 {
        let new = json!({ "title": format!("Flat {number}"), "chatId": 100 + number });
        let group = alice.post("/api/groups", new).await.id();
        bob.post(&format!("/api/groups/{group}/join"), json!({})).await.data(200);
        groups.push(group);
        bot.api.pass(std::time::Duration::from_secs(1));
    }
    // Of a group of others, and of one that Bob has left, nothing is said.
    let others = json!({ "title": "Secret", "chatId": 99 });
    let secret = alice.post("/api/groups", others).await.id();
    bob.post(&format!("/api/groups/{}/leave", groups[0]), json!({})).await.data(200);
    let alps = bot.group().await.to_string();
    let muted = json!({ "mutedGroups": [alps, groups[11], groups[0], secret] });
    bob.put(SUBSCRIPTION, muted).await.data(200);
    let settings = bot.answer("/settings").await;
    let lines: Vec<&str> = settings.lines().collect();
    assert_eq!(lines[0], "Messages: on, every 30 minutes at most. Muted: Alps, Flat 11.");
    let newest = (2..11).rev().map(|number| format!("[Mute Flat {number}]"));
    let mut buttons = vec!["[Turn off]".to_owned(), "[Unmute Flat 11]".to_owned()];
    buttons.extend(newest.chain(["[Unmute Alps]".to_owned()]));
    assert_eq!(lines[1..], buttons);
    let message = bot.telegram.messages(BOBS).pop().unwrap();
    assert_eq!(bot.telegram.press(BOBS, message.id, "Unmute Alps", BOB).await.alert, None);
    let after = shown(&bot.telegram.messages(BOBS).pop().unwrap());
    assert!(after.contains("Muted: Flat 11.") && !after.contains("Alps"), "{after}");
}
