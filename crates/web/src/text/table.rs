//! The texts of the page. A text that one language lacks does not compile.

use fracti_texts::Language;

use super::{Texts, texts};

texts! {
    groups { "Groups", "Группы" }
    me { "Me", "Я" }
    you { "You", "Вы" }
    guest { "guest", "гость" }
    archived { "archived", "в архиве" }
    more { "More", "Ещё" }
    show_more { "Show more", "Показать ещё" }
    save { "Save", "Сохранить" }
    currency { "Currency", "Валюта" }
    title { "Title", "Название" }
    new_group { "New group", "Новая группа" }
    no_groups { "You are in no group yet. Create one, or open the app from a chat.",
        "Вы пока ни в одной группе. Создайте её или откройте приложение из чата." }
    settled { "Settled", "В расчёте" }
    you_are_settled { "You are settled", "Вы в расчёте" }
    you_owe { "You owe", "Вы должны" }
    you_are_owed { "You are owed", "Вам должны" }
    your_balance { "Your balance", "Ваш баланс" }
    settle { "Settle up", "Рассчитаться" }
    expenses { "Expenses", "Расходы" }
    balances { "Balances", "Балансы" }
    sections { "Sections", "Разделы" }
    add_first_expense { "Add the first expense", "Добавить первый расход" }
    add_expense { "Add expense", "Добавить расход" }
    no_expenses { "No expenses yet.", "Расходов пока нет." }
    you_lent(amount) { "you lent {amount}", "вам должны {amount}" }
    you_are_even { "nothing owed", "без долга" }
    your_part_paid(part, paid) { "your part {part}, you paid {paid}",
        "ваша доля {part}, вы заплатили {paid}" }
    not_involved { "not involved", "не участвуете" }
    paid(name, amount) { "{name} paid {amount}", "{name}: {amount}" }
    you_paid(amount) { "You paid {amount}", "Вы заплатили {amount}" }
    got_back(name, amount) { "{name} got back {amount}", "{name} вернули {amount}" }
    you_got_back(amount) { "You got back {amount}", "Вам вернули {amount}" }
    who_pays_whom { "Who pays whom", "Кто кому платит" }
    pays(from, to, amount) { "{from} pays {to} {amount}", "{from} → {to}: {amount}" }
    you_pay(to, amount) { "You pay {to} {amount}", "Вы платите, {to}: {amount}" }
    pays_you(from, amount) { "{from} pays you {amount}", "{from} платит вам {amount}" }
    pay { "Record payment", "Записать платёж" }
    received { "Mark received", "Отметить получение" }
    all_settled { "Everybody is settled.", "Все в расчёте." }
    to_be_confirmed { "To be confirmed", "Ждут подтверждения" }
    waits_for_you { "Waiting for you", "Нужно ваше решение" }
    payment_to_you(name, amount) { "{name} paid you {amount}", "{name}: платёж вам {amount}" }
    confirm { "Confirm", "Подтвердить" }
    not_received { "Not received", "Не получено" }
    counts_in_plan { "“Who pays whom” counts them already, the balances do not yet.",
        "В «Кто кому платит» они уже учтены, в балансах — ещё нет." }
    pending_payments { "Payments to be confirmed", "Платежи ждут подтверждения" }
    settled_once_confirmed { "Nothing more to pay: once these payments are confirmed, everybody is settled.",
        "Больше платить не нужно: когда подтвердят платежи ниже, все будут в расчёте." }
    and_one(name, other) { "{name} and {other}", "{name} и {other}" }
    and_others(name, count) { "{name} and {count} others", "{name} и ещё {count}" }
    to_you { "You", "Вам" }
    and_more(count) { "and {count} more", "и ещё {count}" }
    owes_you(name, amount) { "{name} owes you {amount}", "{name}: долг перед вами {amount}" }
    you_owe_to(name, amount) { "You owe {name} {amount}", "{name}: вы должны {amount}" }
}

impl Texts {
    /// "5 members".
    pub(crate) fn members(self, count: u64) -> String {
        let form = ["member", "members"];
        let word = self.plural(count, form, ["участник", "участника", "участников"]);
        format!("{count} {word}")
    }

    /// "4 payments".
    pub(crate) fn payments_count(self, count: u64) -> String {
        let word = self.plural(count, ["payment", "payments"], ["платёж", "платежа", "платежей"]);
        format!("{count} {word}")
    }

    /// "4 payments settle the group; fewer are not possible".
    pub(crate) fn payments_settle(self, count: u64, optimal: bool) -> String {
        let (english, russian) =
            (["payment settles", "payments settle"], ["платёж", "платежа", "платежей"]);
        let word = self.plural(count, english, russian);
        match (self.0, optimal) {
            (Language::English, true) => {
                format!("{count} {word} the group; fewer are not possible")
            }
            (Language::English, false) => format!("{count} {word} the group"),
            (Language::Russian, true) => {
                format!("{count} {word} закроют все долги; меньше невозможно")
            }
            (Language::Russian, false) => format!("{count} {word} закроют все долги"),
        }
    }
}
