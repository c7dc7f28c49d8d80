//! Texts of the bot, in all languages.

use std::fmt::Display;

use fracti_texts::Language;

/// Names and lines in one message, at most.
const LISTED: usize = 30;

/// Length of a reply, in UTF-16 units, above which it has no more lines. Telegram takes 4 096.
const LENGTH: usize = 3_500;

/// The texts in a language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Texts(pub(crate) Language);

/// Declares texts: a row has a name, its arguments, and the text in each language.
macro_rules! texts {
    ($($name:ident $(($($argument:ident),+))? { $english:literal, $russian:literal })+) => {
        impl Texts {
            $(pub(crate) fn $name(self $($(, $argument: impl Display)+)?) -> String {
                match self.0 {
                    Language::English => format!($english),
                    Language::Russian => format!($russian),
                }
            })+
        }
    };
}

texts! {
    which_currency {
        "Fracti keeps track of shared money. In which currency?",
        "Fracti ведёт общие расходы. В какой валюте?"
    }
    counts(title, currency, members) {
        "“{title}” counts in {currency}. Members: {members}.",
        "«{title}» считает в {currency}. Участники: {members}."
    }
    join { "Join", "Войти" }
    open { "Open Fracti", "Открыть Fracti" }
    paid(payer, amount, what, number, each) {
        "{payer} paid {amount} for {what}, shared by {number}: {each} each.",
        "Платит {payer}: {amount}, {what}. Делят {number}: по {each}."
    }
    paid_alone(payer, amount, what) {
        "{payer} paid {amount} for {what}. Nobody else is here yet: press Join.",
        "Платит {payer}: {amount}, {what}. Пока здесь больше никого нет: нажмите «Войти»."
    }
    range(least, most) { "{least} to {most}", "{least}–{most}" }
    undo { "Undo", "Отменить" }
    taken_back(amount, what) {
        "Taken back: {amount} for {what}.",
        "Отменено: {amount}, {what}."
    }
    gets(name, amount) { "{name} gets {amount}", "{name} получает {amount}" }
    owes(name, amount) { "{name} owes {amount}", "{name} отдаёт {amount}" }
    you_get(title, amount) { "{title}: you get {amount}", "{title}: вам должны {amount}" }
    you_owe(title, amount) { "{title}: you owe {amount}", "{title}: вы должны {amount}" }
    settled { "Everybody is settled.", "Все в расчёте." }
    you_are_settled { "You are settled in all groups.", "Во всех группах вы в расчёте." }
    who_pays_whom {
        "Who pays whom. Press once paid.",
        "Кто кому платит. Нажмите, когда заплатите."
    }
    transfer(from, to, amount) { "{from} → {to} {amount}", "{from} → {to} {amount}" }
    waiting(to, transfer) { "Waiting for {to}: {transfer}", "Ждём {to}: {transfer}" }
    confirm(from, amount) { "Confirm {from} {amount}", "Подтвердить {from} {amount}" }
    not_received { "Not received", "Не получено" }
    more(number) { "… and {number} more", "… и ещё {number}" }
    which_one { "Which one?", "Какая сумма?" }
    reading(amount, what) { "{amount}: {what}", "{amount}: {what}" }
    only_sender {
        "Only who wrote the command can choose.",
        "Выбирает тот, кто написал команду."
    }
    only_parties(from, to) {
        "Only {from} and {to} can press this.",
        "Нажать могут только {from} и {to}."
    }
    balances_changed {
        "The balances have changed, send /settle again.",
        "Балансы изменились, отправьте /settle ещё раз."
    }
    funds_in_app {
        "Open Fracti to confirm it.",
        "Откройте Fracti, чтобы подтвердить платёж."
    }
    join_first {
        "You are not in the group yet: send /start, and press Join.",
        "Вас ещё нет в группе: отправьте /start и нажмите «Войти»."
    }
    too_late {
        "That has changed since. Write the command again.",
        "С тех пор это изменилось. Напишите команду ещё раз."
    }
    payment_changed {
        "The payment has changed since. Send /settle again.",
        "С тех пор платёж изменился. Отправьте /settle ещё раз."
    }
    called_off(actor, amount) {
        "{actor} called off a payment of {amount}.",
        "Платёж отозван, {actor}: {amount}."
    }
    failed { "That did not work. Open Fracti.", "Не получилось. Откройте Fracti." }
    not_here {
        "This chat has no group in Fracti. Send /start.",
        "У этого чата нет группы в Fracti. Отправьте /start."
    }
    as_yourself {
        "Send it as yourself instead of as the group.",
        "Отправьте от своего имени, а не от имени группы."
    }
    in_a_group {
        "Send this in the chat of your group.",
        "Отправьте это в чате вашей группы."
    }
    private_start {
        "Add me to a group's chat, or get messages here.",
        "Добавьте меня в чат или получайте сообщения здесь."
    }
    turn_on { "Turn on messages", "Включить сообщения" }
    turn_off { "Turn off", "Выключить" }
    add_to_group { "Add to a group", "Добавить в чат" }
    messages_come(minutes) {
        "You will get messages here, every {minutes} at most.",
        "Сообщения будут приходить сюда, раз в {minutes}."
    }
    messages_off { "Messages: off.", "Сообщения выключены." }
    messages_on(minutes, silent, muted) {
        "Messages: on, every {minutes} at most{silent}. Muted: {muted}.",
        "Сообщения: раз в {minutes}{silent}. Заглушены: {muted}."
    }
    chat_messages_on(minutes) {
        "Messages in this chat: on, every {minutes} at most.",
        "Сообщения в этом чате: раз в {minutes}."
    }
    silent(from, to) {
        ", silent from {from:02}:00 to {to:02}:00",
        ", без звука с {from:02}:00 до {to:02}:00"
    }
    none { "none", "нет" }
    added(actor, what, amount) { "{actor} added “{what}”: {amount}",
        "Расход, {actor}: «{what}», {amount}" }
    occurred(what, amount) { "“{what}” was recorded by itself: {amount}",
        "Расход по расписанию: «{what}», {amount}" }
    restored(actor, what, amount) {
        "{actor} restored “{what}”: {amount}",
        "Расход снова учтён, {actor}: «{what}», {amount}"
    }
    for_number(line, number) { "{line} for {number}.", "{line} на {number}." }
    changed(actor, what, amount, was) {
        "{actor} changed “{what}”: {amount}{was}",
        "Изменение, {actor}: «{what}», {amount}{was}"
    }
    deleted(actor, what, amount) {
        "{actor} deleted “{what}”: {amount}",
        "Удаление, {actor}: «{what}», {amount}"
    }
    was(amount) { " (was {amount})", " (было {amount})" }
    share_before(amount) { " (was {amount})", " (была {amount})" }
    your_share(amount) { " Your share: {amount}.", " Ваша доля: {amount}." }
    you_paid(paid, owes) {
        " You paid {paid}, your share: {owes}.",
        " Вы заплатили {paid}, ваша доля: {owes}."
    }
    share_was(amount) { " Your share was {amount}.", " Ваша доля была {amount}." }
    paid_you(from, amount) { "{from} paid you {amount}.", "Платёж вам, {from}: {amount}." }
    recorded_yours(actor, amount) {
        "{actor} recorded your payment of {amount}.",
        "Ваш платёж записан, {actor}: {amount}."
    }
    paid_other(from, to, amount) { "{from} paid {to} {amount}.",
        "Платёж: {from} → {to}, {amount}." }
    put_right(actor, amount, was) {
        "{actor} put a payment right: {amount}{was}.",
        "Платёж исправлен, {actor}: {amount}{was}."
    }
    confirmed(actor, whose, amount) {
        "{actor} confirmed {whose} of {amount}.",
        "Платёж подтверждён, {actor}: {whose}, {amount}."
    }
    did_not_receive(actor, whose, amount) {
        "{actor} did not receive {whose} of {amount}.",
        "Платёж не получен, {actor}: {whose}, {amount}."
    }
    reverted(actor, whose, amount) {
        "{actor} took back {whose} of {amount}.",
        "Платёж отменён, {actor}: {whose}, {amount}."
    }
    your_payment { "your payment", "ваш платёж" }
    payment_of(name) { "the payment of {name}", "платит {name}" }
    hold_over(amount) { "The hold of {amount} ran out.", "Удержание истекло: {amount}." }
    proposed_to_you(actor, guest) {
        "{actor} thinks that “{guest}” is you. Confirm it in Fracti.",
        "Гость, {actor}: «{guest}» — это вы? Подтвердите в Fracti."
    }
    linked_to_you(actor, guest) {
        "{actor} linked “{guest}” to you.",
        "Гость, {actor}: «{guest}» — теперь вы."
    }
    linked(actor, guest, user) {
        "{actor} linked “{guest}” to {user}.",
        "Гость, {actor}: «{guest}» — теперь {user}."
    }
    adjusted(actor, amounts) {
        "{actor} adjusted your balance by {amounts}.",
        "Корректировка, {actor}: ваш баланс {amounts}."
    }
    adjusted_all(actor) { "{actor} adjusted balances.", "Корректировка балансов, {actor}." }
    imported(actor, expenses, payments) {
        "{actor} imported {expenses}, {payments}.",
        "Импорт, {actor}: {expenses}, {payments}."
    }
    import_undone(actor) { "{actor} took an import back.", "Импорт отменён, {actor}." }
    archived(actor) { "{actor} archived the group.", "Архив, {actor}: группа закрыта." }
    paused_here(what) {
        "“{what}” could not be recorded by itself.",
        "Расход по расписанию не записан: «{what}»."
    }
    paused(what) {
        "“{what}” could not be recorded by itself, and waits for you.",
        "Расход по расписанию не записан и ждёт вас: «{what}»."
    }
    asks(asker, what) { "{asker} asks: {what}", "Спрашивает {asker}: {what}" }
    asks_of_receipt(asker, what, amount) {
        "{asker} asks who had what: {what}, {amount}.",
        "Кто что заказал, {asker}: {what}, {amount}."
    }
    reminder(line) { "Reminder: {line}", "Напоминание. {line}" }
    choose_yours { "Choose what you had", "Отметить своё" }
    answer { "Answer", "Ответить" }
    results(what, counts) { "{what} {counts}.", "{what} {counts}." }
    all_answered(what, answered, needed) {
        "{what} {answered} of {needed} answered.",
        "{what} Ответов: {answered} из {needed}."
    }
    your_answer(option, answered, needed) {
        "Your answer: {option}. {answered} of {needed} answered.",
        "Ваш ответ: {option}. Ответов: {answered} из {needed}."
    }
    more_in_fracti { "… and more in Fracti", "… и ещё в Fracti" }
    mute(title) { "Mute {title}", "Заглушить {title}" }
    unmute(title) { "Unmute {title}", "Вернуть {title}" }
}

impl Texts {
    /// The first lines that fit into a message, and how many more there are.
    pub(crate) fn listed(self, mut lines: Vec<String>) -> String {
        let all = lines.len();
        let mut length = 0_usize;
        lines.truncate(LISTED);
        lines.retain(|line| {
            length = length.saturating_add(line.encode_utf16().count()).saturating_add(1);
            length <= LENGTH
        });
        let others = all.saturating_sub(lines.len());
        if others > 0 {
            lines.push(self.more(others));
        }
        lines.join("\n")
    }

    /// So many minutes, as the time between two messages.
    pub(crate) fn minutes(self, number: u16) -> String {
        let words = (["minute", "minutes"], ["минуту", "минуты", "минут"]);
        format!("{number} {}", self.0.plural(number.into(), words.0, words.1))
    }

    /// So many expenses.
    pub(crate) fn expenses(self, number: u64) -> String {
        let words = (["expense", "expenses"], ["расход", "расхода", "расходов"]);
        format!("{number} {}", self.0.plural(number, words.0, words.1))
    }

    /// So many payments.
    pub(crate) fn payments(self, number: u64) -> String {
        let words = (["payment", "payments"], ["платёж", "платежа", "платежей"]);
        format!("{number} {}", self.0.plural(number, words.0, words.1))
    }
}
