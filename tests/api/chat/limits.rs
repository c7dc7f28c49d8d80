//! What the bot says while Telegram takes no more messages.

use std::time::Duration;

use axum::http::Request;
use fracti_core::caller::telegram;
use fracti_local::fake_telegram::{Message, Outcome};
use serde_json::json;

use super::{ALICE, ALPS, BOB, Bot, plain, shown};
use crate::harness::TOKEN;

impl Bot {
    /// What was recorded, the last one first.
    async fn recorded(&self) -> Vec<String> {
        let path = format!("/api/groups/{}/expenses?limit=100", self.group().await);
        let listed = self.api.user(ALICE, "Alice").get(&path).await;
        let all = listed.data(200).as_array().unwrap();
        all.iter().map(|it| it["description"].as_str().unwrap().to_owned()).collect()
    }

    /// The messages of the bot about this.
    fn said_of(&self, what: &str) -> Vec<Message> {
        let messages = self.telegram.messages(ALPS).into_iter();
        messages.filter(|it| it.from_bot && it.text.contains(what)).collect()
    }
}

#[tokio::test]
async fn reply_that_is_one_too_many_in_a_minute_comes_later_and_records_once() {
    let bot = Bot::with_messages("en", &[]).await;
    bot.api.pass(Duration::from_mins(2));
    bot.telegram.set_limits(true);
    // A chat takes 20 messages in a minute, and one a second.
    for number in 1..=20 {
        bot.say(ALICE, &format!("/expense 3 tea {number}")).await;
        bot.api.pass(Duration::from_secs(1));
    }
    assert_eq!(bot.recorded().await.len(), 20);
    let said = bot.telegram.say(ALPS, BOB, "/expense 3 cake").await;
    assert_eq!(said.status, 429);
    assert_eq!((&*bot.recorded().await[0], bot.said_of("cake")), ("cake", vec![]));
    // Telegram sends the update again.
    bot.api.pass(Duration::from_secs(40));
    assert_eq!(bot.telegram.repeat_last().await.status, 200);
    let [cake] = &*bot.said_of("cake") else { panic!("{}", bot.telegram.transcript(ALPS)) };
    let text = "Bob paid 3.00 EUR for cake, shared by 3: 1.00 EUR each.\n[Undo] [Open Fracti]";
    assert_eq!((&*shown(cake), cake.reply_to), (text, Some(said.message_id)));
    assert_eq!(bot.recorded().await.len(), 21);
    bot.api.pass(Duration::from_mins(1));
    bot.say(BOB, "/balance").await;
    assert_eq!(bot.shown(), "Alice gets 39.00 EUR\nBob owes 18.00 EUR\nCarol owes 21.00 EUR");
    bot.api.verify(&bot.group().await.to_string()).await;
}

#[tokio::test]
async fn update_is_sent_again_when_the_chat_takes_messages() {
    let bot = Bot::with_messages("en", &[]).await;
    let update = json!({ "update_id": 4_711, "message": { "message_id": 1, "text": "/balance",
        "chat": { "id": ALPS, "type": "group" },
            "from": { "id": ALICE, "first_name": "Alice" } } });
    let send = async || {
        let request = Request::post("/api/telegram/webhook")
            .header("x-telegram-bot-api-secret-token", telegram::webhook_secret(TOKEN));
        bot.api.send(request.body(update.to_string().into()).unwrap()).await
    };
    for (seconds, expected) in [(1, Some("1")), (60, Some("60")), (61, None)] {
        bot.telegram.plan(Some(ALPS), Outcome::RetryAfter(seconds));
        let reply = send().await;
        let code = if expected.is_some() { (429, "RATE_LIMITED") } else { (200, "") };
        assert_eq!((reply.code(), reply.header("retry-after")), (code, expected));
        // Later updates of the chat do not wait for longer than a minute.
        assert_eq!(reply.body["method"].as_str(), expected.is_none().then_some("sendMessage"));
    }
    assert_eq!((send().await.status.as_u16(), bot.shown()), (200, "Everybody is settled.".into()));
}

#[tokio::test]
async fn reply_is_said_twice_rather_than_never() {
    for (outcome, times) in [
        (Outcome::Hang(Duration::ZERO), 1),
        (Outcome::ServerError, 1),
        (Outcome::DeliveredThenServerError, 2),
    ] {
        let bot = Bot::with_messages("en", &[]).await;
        bot.telegram.plan(Some(ALPS), outcome.clone());
        bot.say(ALICE, "/expense 3 tea").await;
        assert_eq!(bot.said_of("tea").len(), times, "{outcome:?}");
        assert_eq!(bot.recorded().await, ["tea"], "{outcome:?}");
    }
}

#[tokio::test]
async fn who_presses_is_told_what_was_done_if_the_message_cannot_be_changed() {
    let bot = Bot::with_messages("en", &[]).await;
    bot.say(ALICE, "/expense 3 tea").await;
    let tea = bot.last();
    bot.telegram.plan(Some(ALPS), Outcome::RetryAfter(40));
    let alert = bot.press(ALICE, "Undo").await.alert;
    assert_eq!(alert.as_deref().map(plain).as_deref(), Some("Taken back: 3.00 EUR for tea."));
    assert_eq!((bot.last(), bot.recorded().await), (tea, vec![]));
    // Its button does nothing more, and goes.
    let again = bot.press(ALICE, "Undo").await.alert;
    assert!(again.is_some(), "{}", bot.shown());
    assert!(!bot.shown().contains("[Undo]"), "{}", bot.shown());
}
