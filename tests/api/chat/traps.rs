//! What people and attackers do to the bot: wrong words, strangers, repeated updates, two at once.

use fracti_admin::DeleteOptions;
use fracti_local::fake_telegram::User;
use futures_util::future::join_all;
use serde_json::json;

use super::{ALICE, ALPS, BOB, Bot, CAROL};
use crate::admin::admin;

impl Bot {
    /// The bot in a chat with a group of all three.
    async fn connected() -> Self {
        let bot = Self::new("en").await;
        bot.say(ALICE, "/start EUR").await;
        bot.press(ALICE, "EUR").await;
        for member in [BOB, CAROL] {
            bot.press(member, "Join").await;
        }
        bot
    }

    async fn expenses(&self) -> usize {
        let path = format!("/api/groups/{}/expenses", self.group().await);
        let listed = self.api.user(ALICE, "Alice").get(&path).await;
        listed.data(200).as_array().unwrap().len()
    }
}

#[tokio::test]
async fn update_that_is_repeated_does_and_says_the_same() {
    let bot = Bot::connected().await;
    bot.say(ALICE, "/expense 30 dinner").await;
    let first = bot.shown();
    for _ in 0..2 {
        assert_eq!(bot.telegram.repeat_last().await.status, 200);
        assert_eq!(bot.shown(), first);
    }
    assert_eq!(bot.expenses().await, 1);
    // An undo that is repeated, too.
    bot.press(ALICE, "Undo").await;
    assert_eq!(bot.shown(), "Taken back: 30.00 EUR for dinner.");
    bot.telegram.repeat_last().await;
    assert_eq!(bot.shown(), "Taken back: 30.00 EUR for dinner.");
    assert_eq!(bot.expenses().await, 0);
}

#[tokio::test]
async fn both_parties_at_once_make_one_payment() {
    let bot = Bot::connected().await;
    bot.say(ALICE, "/expense 30 dinner").await;
    bot.say(BOB, "/settle").await;
    let plan = bot.last();
    let button = plan.buttons.iter().flatten().find(|it| it.text.starts_with("Bob")).unwrap();
    let presses = [BOB, ALICE, BOB].map(|by| bot.telegram.press(ALPS, plan.id, &button.text, by));
    let alerts = join_all(presses).await;
    let done = alerts.iter().filter(|it| it.alert.is_none()).count();
    assert_eq!(done, 1, "{alerts:?}");
    let changed = "The balances have changed, send /settle again.";
    assert!(
        alerts.iter().all(|it| it.alert.as_deref().is_none_or(|it| it == changed)),
        "{alerts:?}"
    );
    let path = format!("/api/groups/{}/settlements", bot.group().await);
    let listed = bot.api.user(ALICE, "Alice").get(&path).await;
    assert_eq!(listed.data(200).as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn two_who_choose_the_currency_at_once_make_one_group() {
    let bot = Bot::new("en").await;
    bot.telegram.join_bot(ALPS, ALICE).await;
    let first = bot.last();
    let presses = [(ALICE, "EUR"), (BOB, "USD"), (CAROL, "TON")];
    let presses = presses.map(|(by, button)| bot.telegram.press(ALPS, first.id, button, by));
    for pressed in join_all(presses).await {
        assert_eq!((pressed.status, pressed.alert), (200, None));
    }
    let (group, members) = bot
        .api
        .table
        .group(fracti_core::group::MemberKey {
            group: bot.group().await,
            user: bot.api.user(ALICE, "Alice").user.id,
        })
        .await
        .unwrap();
    assert_eq!(members.len(), 3, "{group:?}");
    // The Mini App, opened from the chat, finds the same group.
    let app = bot.api.user(BOB, "Bob").in_chat("-3788475317572404878");
    let opened = app.post("/api/groups/open", json!({})).await;
    assert_eq!((opened.status.as_u16(), &*opened.id()), (200, &*group.id.to_string()));
}

#[tokio::test]
async fn line_with_two_readings_is_asked_back_and_only_its_sender_chooses() {
    let bot = Bot::new("en").await;
    bot.say(ALICE, "/start KWD").await;
    bot.press(ALICE, "KWD").await;
    bot.press(BOB, "Join").await;
    bot.say(ALICE, "/expense 12,000 tea").await;
    assert_eq!(bot.shown(), "Which one?\n[12.000 KWD: tea]\n[12,000.000 KWD: tea]");
    let alert = bot.press(BOB, "12.000 KWD: tea").await.alert;
    assert_eq!(alert.as_deref(), Some("Only who wrote the command can choose."));
    let asked = bot.last();
    let both = ["12.000\u{a0}KWD: tea", "12,000.000\u{a0}KWD: tea"];
    let presses = both.map(|button| bot.telegram.press(ALPS, asked.id, button, ALICE));
    join_all(presses).await;
    assert_eq!(bot.expenses().await, 1, "one of two readings is recorded");
}

#[tokio::test]
async fn wrong_words_are_answered_with_the_rule_and_change_nothing() {
    let bot = Bot::connected().await;
    let before = bot.api.rows().await.len();
    for (line, says) in [
        ("/expense", "Write the amount"),
        ("/expense dinner", "Write the amount"),
        ("/expense 12,6,0 dinner", "Write the amount"),
        ("/expense 0,505 dinner", "EUR has 2 decimals"),
        ("/expense -5 dinner", "Write the amount"),
    ] {
        bot.say(ALICE, line).await;
        let shown = bot.shown();
        assert!(shown.starts_with(says), "{line}: {shown}");
    }
    // What is no command of this bot has no answer.
    let count = bot.telegram.messages(ALPS).iter().filter(|it| it.from_bot).count();
    for line in ["hello", "30 dinner", "/expense@other_bot 30 dinner", "/unknown", "x /expense 3 y"]
    {
        bot.say(ALICE, line).await;
    }
    assert_eq!(bot.telegram.messages(ALPS).iter().filter(|it| it.from_bot).count(), count);
    assert_eq!(bot.api.rows().await.len(), before);
}

#[tokio::test]
async fn buttons_are_not_trusted() {
    let bot = Bot::connected().await;
    bot.say(ALICE, "/expense 30 dinner").await;
    let dinner = bot.last();
    let undo = bot.last().buttons[0][0].data.clone().unwrap();
    // Who may not undo it is told why. A stranger does not join by a press.
    let refused = bot.press(CAROL, "Undo").await.alert.unwrap();
    assert!(refused.contains("only") || refused.starts_with("Only"), "{refused}");
    let stranger = bot.telegram.press(ALPS, dinner.id, "Undo", 77).await.alert.unwrap();
    assert_eq!(stranger, "You are not in the group yet: send /start, and press Join.");
    // The button of this group in another chat.
    bot.telegram.add_group(-2_002, "Sea", "77");
    bot.telegram.say(-2_002, ALICE, "/start USD").await;
    let sea = bot.telegram.messages(-2_002).pop().unwrap();
    bot.telegram.press(-2_002, sea.id, "USD", ALICE).await;
    let other = bot.telegram.press_data(-2_002, sea.id, &undo, ALICE).await;
    assert_eq!(other.alert.as_deref(), Some("That did not work. Open Fracti."));
    for data in ["", "x", "AAAA", "_____________", &undo[..undo.len() - 2]] {
        let made_up = bot.telegram.press_data(ALPS, dinner.id, data, ALICE).await;
        assert_eq!(made_up.alert.as_deref(), Some("That did not work. Open Fracti."), "{data}");
    }
    // An edited expense is not taken back by an old button.
    let group = bot.group().await;
    let alice = bot.api.user(ALICE, "Alice");
    let listed = alice.get(&format!("/api/groups/{group}/expenses")).await;
    let id = listed.data(200)[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/groups/{group}/expenses/{id}");
    assert_eq!(alice.put(&path, json!({ "amount": 33 })).await.status, 200);
    let late = bot.press(ALICE, "Undo").await.alert.unwrap();
    assert!(late.contains("changed"), "{late}");
    assert_eq!(bot.expenses().await, 1);
}

#[tokio::test]
async fn chat_that_becomes_a_supergroup_keeps_its_group() {
    let bot = Bot::connected().await;
    let group = bot.group().await;
    let update = json!({ "update_id": 9_000_001, "message": {
        "message_id": 1, "date": 0, "chat": { "id": ALPS, "type": "group", "title": "Alps" },
        "migrate_to_chat_id": -100_777,
    } });
    assert_eq!(bot.telegram.update(update).await.status, 200);
    assert_eq!(bot.api.table.group_of_chat(-100_777).await.unwrap(), Some(group));
    bot.telegram.add_group(-100_777, "Alps", "78");
    bot.telegram.say(-100_777, BOB, "/balance").await;
    assert_eq!(bot.telegram.messages(-100_777).pop().unwrap().text, "Everybody is settled.");
}

#[tokio::test]
async fn removed_user_stays_removed_and_a_deleted_group_is_replaced() {
    let bot = Bot::connected().await;
    let group = bot.group().await;
    let alice = bot.api.user(ALICE, "Alice");
    let path = format!("/api/groups/{group}/members/{CAROL}");
    assert_eq!(alice.delete(&path).await.status, 200);
    bot.say(CAROL, "/balance").await;
    let said = bot.shown();
    assert!(said.contains("removed"), "{said}");
    let path = format!("/api/groups/{group}/members/{BOB}");
    assert_eq!(alice.delete(&path).await.status, 200);
    assert_eq!(alice.delete(&format!("/api/groups/{group}")).await.status, 200);
    bot.say(ALICE, "/expense 30 dinner").await;
    assert!(bot.shown().starts_with("Fracti keeps track"), "{}", bot.shown());
    bot.press(ALICE, "USD").await;
    assert_ne!(bot.group().await, group);
}

#[tokio::test]
async fn old_button_confirms_or_takes_back_nothing_but_what_it_showed() {
    let bot = Bot::connected().await;
    bot.say(ALICE, "/expense 300 rent").await;
    let path = format!("/api/groups/{}/settlements", bot.group().await);
    let alices = bot.api.user(ALICE, "Alice");
    let bobs = bot.api.user(BOB, "Bob");
    let paid = bobs.post(&path, json!({ "toId": "1", "amount": "1.60" })).await.id();
    let paid = format!("{path}/{paid}");
    bot.say(ALICE, "/settle").await;
    let plan = bot.last();
    assert_eq!(bobs.put(&paid, json!({ "amount": 160 })).await.status, 200);
    let press = |button: &'static str| {
        let row = plan.buttons.iter().find(|row| row[0].text.starts_with("Confirm")).unwrap();
        let data = row.iter().find(|it| it.text.starts_with(button)).unwrap().data.clone().unwrap();
        let bot = &bot;
        async move { bot.telegram.press_data(ALPS, plan_id(bot), &data, ALICE).await.alert }
    };
    let changed = Some("The payment has changed since. Send /settle again.".to_owned());
    assert_eq!(press("Confirm").await, changed);
    assert_eq!(alices.get(&paid).await.data(200)["status"], "pending");
    // One that was confirmed meanwhile is not taken back by the button beside it.
    assert_eq!(bobs.put(&paid, json!({ "amount": "1.60" })).await.status, 200);
    assert_eq!(press("Confirm").await, None);
    assert_eq!(press("Not received").await, changed);
    assert_eq!(alices.get(&paid).await.data(200)["status"], "completed");
    bot.api.verify(&bot.group().await.to_string()).await;
}

/// The message with the plan.
fn plan_id(bot: &Bot) -> i64 {
    bot.last().id
}

#[tokio::test]
async fn reading_is_recorded_only_as_its_button_showed_it() {
    let bot = Bot::new("en").await;
    bot.say(ALICE, "/start KWD").await;
    bot.press(ALICE, "KWD").await;
    bot.say(ALICE, "/expense 12,000 tea").await;
    let group = bot.group().await;
    let alice = bot.api.user(ALICE, "Alice");
    let path = format!("/api/groups/{group}");
    assert_eq!(
        alice
            .call(axum::http::Method::PATCH, &path, Some(&json!({ "currency": "EUR" })))
            .await
            .status,
        200
    );
    let late = bot.press(ALICE, "12.000 KWD: tea").await.alert;
    assert_eq!(late.as_deref(), Some("That has changed since. Write the command again."));
    assert_eq!(bot.expenses().await, 0);
}

#[tokio::test]
async fn messages_that_a_member_turned_off_stay_off_and_a_bot_that_comes_back_goes_on() {
    let bot = Bot::connected().await;
    bot.say(ALICE, "/settings").await;
    assert_eq!(bot.shown(), "Messages in this chat: on, every 5 minutes at most.\n[Turn off]");
    bot.press(ALICE, "Turn off").await;
    assert_eq!(bot.shown(), "Messages: off.\n[Turn on messages]");
    bot.say(CAROL, "/start").await;
    bot.press(CAROL, "Join").await;
    bot.say(ALICE, "/settings").await;
    assert_eq!(
        bot.shown(),
        "Messages: off.\n[Turn on messages]",
        "a press of Join turns nothing on"
    );
    bot.press(ALICE, "Turn on messages").await;
    bot.telegram.leave_bot(ALPS, ALICE).await;
    bot.telegram.join_bot(ALPS, ALICE).await;
    bot.say(ALICE, "/settings").await;
    assert_eq!(bot.shown(), "Messages in this chat: on, every 5 minutes at most.\n[Turn off]");
}

#[tokio::test]
async fn long_names_fit_into_every_answer() {
    let bot = Bot::connected().await;
    let group = bot.group().await;
    let alice = bot.api.user(ALICE, "Alice");
    let mut splits = Vec::new();
    for number in 0..40 {
        let name = format!("{number} {}", "😀".repeat(45));
        let members = format!("/api/groups/{group}/members");
        let guest = alice.post(&members, json!({ "name": name })).await;
        splits.push(json!({ "userId": guest.data(201)["id"] }));
    }
    let body = json!({ "amount": 4_000, "description": "😀".repeat(200), "splits": splits });
    alice.post(&format!("/api/groups/{group}/expenses"), body).await.data(201);
    for command in ["/balance", "/settle", "/start", "/expense 41 tea"] {
        bot.say(ALICE, command).await;
        let last = bot.last();
        assert!(last.text.encode_utf16().count() <= 4_096, "{command}");
        assert!(last.text.contains("more") || command.starts_with("/expense"), "{}", last.text);
    }
}

#[tokio::test]
async fn names_from_right_to_left_do_not_swap_who_pays_whom() {
    let bot = Bot::new("en").await;
    // The second one is cut on a button.
    let dani = "דני";
    let moshe = "משה בן מימון הראשון מקורדובה";
    for (id, name) in [(BOB, dani), (CAROL, moshe)] {
        let username = Some(format!("user_{id}"));
        let language_code = Some("en".to_owned());
        bot.telegram.add_user(User { id, first_name: name.to_owned(), username, language_code });
    }
    bot.say(ALICE, "/start EUR").await;
    bot.press(ALICE, "EUR").await;
    for member in [BOB, CAROL] {
        bot.press(member, "Join").await;
    }
    let [dani, cut] = [dani, "משה בן מימון הראש…"].map(|it| format!("\u{2068}{it}\u{2069}"));
    let moshe = format!("\u{2068}{moshe}\u{2069}");
    assert!(bot.shown().contains(&format!("Members: Alice, {dani}, {moshe}.")), "{}", bot.shown());
    bot.say(BOB, "/expense 12 ארוחה").await;
    let paid =
        format!("{dani} paid 12.00 EUR for \u{2068}ארוחה\u{2069}, shared by 3: 4.00 EUR each.");
    assert!(bot.shown().starts_with(&paid), "{}", bot.shown());
    bot.say(CAROL, "/settle").await;
    let pay = format!("{cut} → {dani} 4.00 EUR");
    assert!(bot.shown().contains(&format!("[{pay}]")), "{}", bot.shown());
    assert_eq!(bot.press(CAROL, &pay).await.alert, None);
    let waiting = format!("Waiting for {dani}: {moshe} → {dani} 4.00 EUR");
    assert!(bot.shown().contains(&waiting), "{}", bot.shown());
    let path = format!("/api/groups/{}/settlements", bot.group().await);
    let made = bot.api.user(ALICE, "Alice").get(&path).await;
    let [made] = &made.data(200).as_array().unwrap()[..] else { panic!("{}", made.text) };
    assert_eq!((&made["fromUserId"], &made["toUserId"]), (&json!("3"), &json!("2")));
    // A notice has them, too, and so does a line that is asked back.
    bot.press(BOB, &format!("Confirm {cut} 4.00 EUR")).await;
    bot.say(ALICE, "/start").await;
    let tea = json!({ "fromId": "3", "toId": "2", "amount": 1 });
    bot.api.user(CAROL, "משה").post(&path, tea).await.data(201);
    bot.api.pass(std::time::Duration::from_secs(1));
    bot.keep().await;
    assert!(bot.shown().starts_with(&format!("{moshe} paid {dani} 1.00 EUR.")), "{}", bot.shown());
    bot.say(ALICE, "/expense 1 200 תה").await;
    let asked = bot.shown();
    let reading = "1,200.00 EUR: \u{2068}תה\u{2069}";
    assert!(asked.contains(&format!("[{reading}]")), "{asked}");
    assert_eq!(bot.press(ALICE, reading).await.alert, None);
}

#[tokio::test]
async fn undo_of_what_was_edited_or_deleted_meanwhile_goes() {
    let bot = Bot::connected().await;
    let path = format!("/api/groups/{}/expenses", bot.group().await);
    let alice = bot.api.user(ALICE, "Alice");
    for edits in [true, false] {
        bot.say(ALICE, "/expense 30 dinner").await;
        let said = "Alice paid 30.00 EUR for dinner, shared by 3: 10.00 EUR each.\n";
        assert_eq!(bot.shown(), format!("{said}[Undo] [Open Fracti]"));
        let newest = alice.get(&format!("{path}?limit=1")).await.data(200)[0]["id"].clone();
        let expense = format!("{path}/{}", newest.as_str().unwrap());
        if edits {
            alice.put(&expense, json!({ "amount": 33 })).await.data(200);
        } else {
            alice.delete(&expense).await.data(200);
        }
        let before = bot.api.rows().await;
        // Who may not undo it is told so, and the button stays for the others.
        if edits {
            bot.press(CAROL, "Undo").await.alert.unwrap();
            assert_eq!(bot.shown(), format!("{said}[Undo] [Open Fracti]"));
        }
        let alert = bot.press(ALICE, "Undo").await.alert.unwrap();
        let says = if edits { "changed" } else { "does not exist" };
        assert!(alert.contains(says), "{alert}");
        assert_eq!(bot.shown(), format!("{said}[Open Fracti]"));
        assert_eq!(bot.api.rows().await, before);
    }
}

#[tokio::test]
async fn rows_of_all_chats_are_deleted_with_their_group() {
    // First opened by the bot, or by the Mini App from the chat.
    for by_app in [false, true] {
        let bot = Bot::new("en").await;
        let app = bot.api.user(ALICE, "Alice").in_chat("-3788475317572404878");
        if by_app {
            app.post("/api/groups/open", json!({})).await.data(201);
        }
        bot.say(ALICE, "/start EUR").await;
        bot.press(ALICE, "EUR").await;
        bot.press(BOB, "Join").await;
        let group = bot.group().await.to_string();
        let chat = json!({ "id": ALPS, "type": "group", "title": "Alps" });
        let update = json!({ "update_id": 9_000_003, "message": {
            "message_id": 1, "date": 0, "chat": chat, "migrate_to_chat_id": -100_777,
        } });
        assert_eq!(bot.telegram.update(update).await.status, 200);
        let of_chats = async || {
            let rows = bot.api.rows().await;
            let chats = rows.keys().filter(|(pk, _)| pk.starts_with("CHAT#"));
            chats.map(|(pk, _)| pk.clone()).collect::<Vec<_>>()
        };
        let three = ["CHAT#-1001", "CHAT#-100777", "CHAT#-3788475317572404878"];
        assert_eq!(of_chats().await, three, "{by_app}");
        let alice = bot.api.user(ALICE, "Alice");
        alice.delete(&format!("/api/groups/{group}/members/{BOB}")).await.data(200);
        alice.delete(&format!("/api/groups/{group}")).await.data(200);
        let mut out = Vec::new();
        let options = DeleteOptions { group: group.parse().unwrap(), yes: true };
        admin(&bot.api).delete_group(options, &mut out).await.unwrap();
        assert_eq!(of_chats().await, [""; 0], "{by_app}");
        let left = bot.api.rows().await;
        let left = left.iter().filter(|((pk, _), row)| {
            !pk.starts_with("IDEM#") && format!("{row:?}").contains(&group)
        });
        assert_eq!(left.map(|(key, _)| key).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
    }
}

#[tokio::test]
async fn a_group_that_exists_gets_a_chat_by_the_link_of_its_settings_and_not_by_a_stranger() {
    let bot = Bot::new("en").await;
    let alice = bot.api.user(ALICE, "Alice");
    let new = json!({ "title": "Hut", "chatId": "hut", "currency": "EUR" });
    let group = alice.post("/api/groups", new).await.id();
    let path = format!("/api/groups/{group}/expenses");
    for (by, recorded) in [(BOB, 0), (ALICE, 1)] {
        bot.say(by, &format!("/start {group}")).await;
        bot.say(by, "/expense 30 dinner").await;
        let listed = alice.get(&path).await;
        assert_eq!(listed.data(200).as_array().unwrap().len(), recorded, "{by}");
    }
}
