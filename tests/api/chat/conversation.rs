//! The conversation of a group, word for word, in both languages.

use super::{ALICE, BOB, Bot, CAROL, plain};

/// The lines of a conversation that are said once.
struct Words {
    language: &'static str,
    first: &'static str,
    connected: &'static str,
    dinner: &'static str,
    pizza: &'static str,
    taxi: &'static str,
    undo: &'static str,
    taken_back: &'static str,
    balance: &'static str,
    settle: &'static str,
    pay_bob: &'static str,
    waiting: &'static str,
    confirm: &'static str,
    rest: &'static str,
    pay_carol: &'static str,
    settled: &'static str,
    join: &'static str,
}

const ENGLISH: Words = Words {
    language: "en",
    first: "Fracti keeps track of shared money. In which currency?\n[EUR] [USD] [RUB] [TON]",
    connected: "“Alps” counts in EUR. Members: Alice, Bob, Carol.\n[Join] [Open Fracti]",
    dinner: "Alice paid 30.00 EUR for dinner, shared by 3: 10.00 EUR each.\n[Undo] [Open Fracti]",
    pizza: "Bob paid 12.60 EUR for pizza, shared by 3: 4.20 EUR each.\n[Undo] [Open Fracti]",
    taxi: "Carol paid 10.00 EUR for taxi, shared by 3: 3.33 to 3.34 EUR each.\n[Undo] [Open Fracti]",
    undo: "Undo",
    taken_back: "Taken back: 10.00 EUR for taxi.",
    balance: "Alice gets 15.80 EUR\nBob owes 1.60 EUR\nCarol owes 14.20 EUR",
    settle: "Who pays whom. Press once paid.\n[Carol → Alice 14.20 EUR]\n[Bob → Alice 1.60 EUR]",
    pay_bob: "Bob → Alice 1.60 EUR",
    waiting: "Who pays whom. Press once paid.\nWaiting for Alice: Bob → Alice 1.60 EUR\n[Carol → Alice 14.20 EUR]\n[Confirm Bob 1.60 EUR] [Not received]",
    confirm: "Confirm Bob 1.60 EUR",
    rest: "Who pays whom. Press once paid.\n[Carol → Alice 14.20 EUR]",
    pay_carol: "Carol → Alice 14.20 EUR",
    settled: "Everybody is settled.",
    join: "Join",
};

const RUSSIAN: Words = Words {
    language: "ru",
    first: "Fracti ведёт общие расходы. В какой валюте?\n[EUR] [USD] [RUB] [TON]",
    connected: "«Alps» считает в EUR. Участники: Alice, Bob, Carol.\n[Войти] [Открыть Fracti]",
    dinner: "Платит Alice: 30,00 EUR, dinner. Делят 3: по 10,00 EUR.\n[Отменить] [Открыть Fracti]",
    pizza: "Платит Bob: 12,60 EUR, pizza. Делят 3: по 4,20 EUR.\n[Отменить] [Открыть Fracti]",
    taxi: "Платит Carol: 10,00 EUR, taxi. Делят 3: по 3,33–3,34 EUR.\n[Отменить] [Открыть Fracti]",
    undo: "Отменить",
    taken_back: "Отменено: 10,00 EUR, taxi.",
    balance: "Alice получает 15,80 EUR\nBob отдаёт 1,60 EUR\nCarol отдаёт 14,20 EUR",
    settle: "Кто кому платит. Нажмите, когда заплатите.\n[Carol → Alice 14,20 EUR]\n[Bob → Alice 1,60 EUR]",
    pay_bob: "Bob → Alice 1,60 EUR",
    waiting: "Кто кому платит. Нажмите, когда заплатите.\nЖдём Alice: Bob → Alice 1,60 EUR\n[Carol → Alice 14,20 EUR]\n[Подтвердить Bob 1,60 EUR] [Не получено]",
    confirm: "Подтвердить Bob 1,60 EUR",
    rest: "Кто кому платит. Нажмите, когда заплатите.\n[Carol → Alice 14,20 EUR]",
    pay_carol: "Carol → Alice 14,20 EUR",
    settled: "Все в расчёте.",
    join: "Войти",
};

#[tokio::test]
async fn conversation_in_english() {
    conversation(&ENGLISH).await;
}

#[tokio::test]
async fn conversation_in_russian() {
    conversation(&RUSSIAN).await;
}

async fn conversation(words: &Words) {
    let bot = Bot::new(words.language).await;
    let moved = bot.telegram.join_bot(super::ALPS, ALICE).await;
    assert_eq!((moved.status, bot.shown()), (200, words.first.to_owned()));

    bot.press(ALICE, "EUR").await;
    bot.press(BOB, words.join).await;
    bot.press(CAROL, words.join).await;
    assert_eq!(bot.shown(), words.connected);

    bot.say(ALICE, "/expense 30 dinner").await;
    assert_eq!(bot.shown(), words.dinner);
    bot.say(BOB, "/expense 12,60 pizza").await;
    assert_eq!(bot.shown(), words.pizza);
    bot.say(CAROL, "/expense 10 taxi").await;
    assert_eq!(bot.shown(), words.taxi);
    assert_eq!(bot.press(CAROL, words.undo).await.alert, None);
    assert_eq!(bot.shown(), words.taken_back);

    bot.say(CAROL, "/balance").await;
    assert_eq!(bot.shown(), words.balance);
    bot.say(BOB, "/settle").await;
    assert_eq!(bot.shown(), words.settle);

    // The payer presses, and the recipient confirms it.
    assert_eq!(bot.press(BOB, words.pay_bob).await.alert, None);
    assert_eq!(bot.shown(), words.waiting);
    assert_eq!(bot.press(ALICE, words.confirm).await.alert, None);
    assert_eq!(bot.shown(), words.rest);
    // The recipient presses: it was received.
    assert_eq!(bot.press(ALICE, words.pay_carol).await.alert, None);
    assert_eq!(bot.shown(), words.settled);

    let group = bot.group().await.to_string();
    let alice = bot.api.user(ALICE, "Alice");
    let debts = alice.get(&format!("/api/groups/{group}/debts")).await;
    for node in debts.data(200)["balances"].as_array().unwrap() {
        assert_eq!(node["balance"], 0, "{node}");
    }
    let expenses = alice.get(&format!("/api/groups/{group}/expenses")).await;
    let made = expenses.data(200).as_array().unwrap();
    let shown: Vec<String> =
        made.iter().map(|it| plain(&format!("{} {}", it["amount"], it["description"]))).collect();
    assert_eq!(shown, ["12.6 \"pizza\"", "30 \"dinner\""]);
    bot.api.verify(&group).await;
}
