//! The texts of expenses.

use super::{Texts, sentence, texts};
use crate::ui;
use fracti_core::{
    ledger::EntryStatus,
    records::schedule::{Repeat, RepeatUnit},
    split::{LineKind, LineSplit, PartKind, SplitType},
    values::{currency::Currency, decimal::Decimal},
};
use fracti_texts::Language;
use maud::{Markup, html};

texts! {
    new_expense { "New expense", "Новый расход" }
    edit_expense { "Edit expense", "Изменить расход" }
    amount_label { "Amount", "Сумма" }
    what_for { "What for", "За что" }
    what_for_example { "Dinner, taxi, rent …", "Ужин, такси, аренда…" }
    paid_by { "Paid by", "Кто платил" }
    several_paid { "Several people paid", "Платили несколько человек" }
    paid_rest_hint { "Leave one amount empty: that person paid the rest.",
        "Одну сумму можно не указывать: этот человек заплатил остаток." }
    split { "Split", "Как делим" }
    extra_about { "All pay equal parts. Enter how much more or less somebody pays: 5 or -5.",
        "Все платят поровну. Впишите, кто платит больше или меньше и на сколько: 5 или -5." }
    as_usual { "As usual", "Как обычно" }
    repeating { "Repeating expenses", "Повторяющиеся расходы" }
    edit_repeating { "Edit repeating expense", "Изменить повтор" }
    set_up_by_you(when) { "Set up by you, {when}", "Настроили вы, {when}" }
    set_up_by(name, when) { "Set up by {name}, {when}", "Кто настроил: {name}, {when}" }
    nothing_repeats { "Nothing repeats yet. Choose how often in a new expense, beside its date.",
        "Пока ничего не повторяется. Выберите, как часто, в новом расходе, рядом с датой." }
    repeat { "Repeat", "Повторять" }
    never { "Never", "Никогда" }
    repeat_until { "Until", "Повторять до" }
    next_on(day) { "next {day}, recorded automatically", "следующий {day}, запишется автоматически" }
    until_day(day) { "until {day}", "до {day}" }
    paused { "paused", "на паузе" }
    needs_change { "needs a change", "нужно исправить" }
    repeat_ended { "repeats no more", "больше не повторяется" }
    next_dates { "Next", "Дальше" }
    skipped { "Skipped", "Пропускаем" }
    do_not_skip { "Do not skip", "Не пропускать" }
    last_one(day) { "The last one: {day}", "Последний раз: {day}" }
    by_the_day { "by who is in the group that day", "по составу группы в тот день" }
    pause { "Pause", "Поставить на паузу" }
    is_paused { "Paused", "На паузе" }
    resume { "Resume", "Возобновить" }
    goes_on { "It goes on", "Продолжается" }
    skip_on(day) { "Skip {day}", "Пропустить {day}" }
    is_skipped(day) { "Skipped: {day}", "Пропускаем: {day}" }
    delete_repeat { "Delete it? What was recorded stays.", "Удалить? Записанное останется." }
    comes_later(day) { "The expense of {day} was not recorded. It will be once this is put right.",
        "Расход за {day} не записан. Он появится, когда вы это исправите." }
    actor_is_away(name) { "{name} is not in the group any more: go on in your name.",
        "{name} больше не в группе: продолжите от своего имени." }
    payer_is_away(name) { "{name} is not in the group any more: change who pays.",
        "{name} больше не в группе: измените, кто платит." }
    sharer_is_away(name) { "{name} is not in the group any more: edit it, and take out the share of {name}.",
        "{name} больше не в группе: нажмите «Изменить» и уберите эту долю." }
    category_is_gone { "The group does not have the category any more: choose another one.",
        "Этой категории в группе больше нет: выберите другую." }
    was_archived { "The group was in the archive.", "Группа была в архиве." }
    repeated_as(how) { "Repeated {how}, and repeats no more",
        "Повторялся {how}, больше не повторяется" }
    repeats_as(how) { "Repeats {how}", "Повторяется {how}" }
    amount_of(name) { "Amount of {name}", "Сумма, {name}" }
    value_of(name) { "Part of {name}", "Доля, {name}" }
    less_for(name) { "Less for {name}", "Меньше, {name}" }
    more_for(name) { "More for {name}", "Больше, {name}" }
    you_share_it { "You take part", "Вы участвуете" }
    shares_it(name) { "{name} shares it", "{name} участвует" }
    category_label { "Category", "Категория" }
    no_category { "None", "Без категории" }
    date { "Date", "Дата" }
    date_of_next { "Date of the next expense", "Дата следующего расхода" }
    notes { "Notes", "Заметка" }
    more_details { "Date, category, notes", "Дата, категория, заметка" }
    more_and_repeat { "Date, repeat, category, notes", "Дата, повтор, категория, заметка" }
    save_and_add { "Save and add another", "Сохранить и записать следующий" }
    lines { "Receipt", "Чек" }
    line_name { "What", "Что" }
    add_line { "Add item", "Добавить позицию" }
    add_extra { "Add tax, tip or discount", "Добавить налог, чаевые или скидку" }
    remove_line { "Remove line", "Убрать строку" }
    line_kind { "Kind", "Вид" }
    who_had_it { "Who had it? Nobody marked means everybody.",
        "Кто это заказал? Если никто не отмечен — все." }
    applies_to(items) { "on {items}", "на: {items}" }
    total_label { "Total", "Итого" }
    edit { "Edit", "Изменить" }
    duplicate { "Duplicate", "Создать такой же" }
    delete { "Delete", "Удалить" }
    deleted(what) { "Deleted: {what}", "Удалено: {what}" }
    history { "History", "История" }
    shares { "Shares", "Доли" }
    payers { "Payers", "Кто платил" }
    rounding { "rounding", "округление" }
    recorded_by_you(when) { "Recorded by you, {when}", "Записали вы, {when}" }
    recorded_by(name, when) { "Recorded by {name}, {when}", "Автор записи: {name}, {when}" }
    recorded_by_itself(when) { "Recorded by itself, {when}", "Записан автоматически, {when}" }
    by_itself { "Recorded by itself", "Автоматически записан расход" }
    not_by_itself { "Not recorded, needs a change", "Нужно исправить: не записан расход" }
    recorded(when) { "Recorded {when}", "Записано {when}" }
    edited(when) { "Edited {when}", "Изменено {when}" }
    imported { "Imported", "Импортировано" }
    show_breakdown { "How it was split", "Как разделили" }
    ask_who_had_what { "Ask who had what", "Спросить, кто что заказал" }
    shares_spending { "The amount and its currency are those of your spending.",
        "Сумма и валюта — как в вашей личной трате." }
}

impl Texts {
    /// How often an expense repeats.
    pub(crate) fn repeats(self, repeat: &Repeat) -> String {
        self.every(repeat.every, repeat.interval)
    }

    /// Every so many units.
    pub(crate) fn every(self, unit: RepeatUnit, interval: u32) -> String {
        let often = match (self.0, unit) {
            (Language::English, RepeatUnit::Day) => ["daily", "day", "days", ""],
            (Language::English, RepeatUnit::Week) => ["weekly", "week", "weeks", ""],
            (Language::English, RepeatUnit::Month) => ["monthly", "month", "months", ""],
            (Language::English, RepeatUnit::Year) => ["yearly", "year", "years", ""],
            (Language::Russian, RepeatUnit::Day) => ["каждый день", "день", "дня", "дней"],
            (Language::Russian, RepeatUnit::Week) => {
                ["каждую неделю", "неделю", "недели", "недель"]
            }
            (Language::Russian, RepeatUnit::Month) => {
                ["каждый месяц", "месяц", "месяца", "месяцев"]
            }
            (Language::Russian, RepeatUnit::Year) => ["каждый год", "год", "года", "лет"],
        };
        let [once, one, few, many] = often;
        if interval == 1 {
            return once.to_owned();
        }
        let units = self.0.plural(interval.into(), [one, few], [one, few, many]);
        match self.0 {
            Language::English => format!("every {interval} {units}"),
            Language::Russian => format!("раз в {interval} {units}"),
        }
    }

    /// How an expense is split.
    pub(crate) const fn split_type(self, split: SplitType) -> &'static str {
        match (self.0, split) {
            (Language::English, SplitType::Equal) => "Equally",
            (Language::English, SplitType::Shares) => "By shares",
            (Language::English, SplitType::Exact) => "Amounts",
            (_, SplitType::Percentage) => "%",
            (Language::English, SplitType::Adjustment) => "Equally ±",
            (Language::English, SplitType::Itemized) => "Receipt",
            (Language::Russian, SplitType::Equal) => "Поровну",
            (Language::Russian, SplitType::Shares) => "По долям",
            (Language::Russian, SplitType::Exact) => "По суммам",
            (Language::Russian, SplitType::Adjustment) => "Поровну ±",
            (Language::Russian, SplitType::Itemized) => "По чеку",
        }
    }

    /// Kind of a line of a receipt.
    pub(crate) const fn line(self, kind: LineKind) -> &'static str {
        match (self.0, kind) {
            (Language::English, LineKind::Item) => "Item",
            (Language::English, LineKind::Tax) => "Tax",
            (Language::English, LineKind::Tip) => "Tip",
            (Language::English, LineKind::Fee) => "Fee",
            (Language::English, LineKind::Discount) => "Discount",
            (Language::Russian, LineKind::Item) => "Позиция",
            (Language::Russian, LineKind::Tax) => "Налог",
            (Language::Russian, LineKind::Tip) => "Чаевые",
            (Language::Russian, LineKind::Fee) => "Сбор",
            (Language::Russian, LineKind::Discount) => "Скидка",
        }
    }

    /// How a tax, a tip, a fee or a discount is divided.
    pub(crate) const fn line_split(self, split: LineSplit) -> &'static str {
        match (self.0, split) {
            (Language::English, LineSplit::Proportional) => "by what each had",
            (Language::English, LineSplit::Equal) => "equally",
            (Language::Russian, LineSplit::Proportional) => "по заказу каждого",
            (Language::Russian, LineSplit::Equal) => "поровну",
        }
    }

    /// Whether the name of a line that is no item is that of its kind, in any language.
    pub(crate) fn is_name_of(kind: LineKind, name: &str) -> bool {
        kind != LineKind::Item && Language::ALL.into_iter().any(|it| Texts(it).line(kind) == name)
    }

    /// What an expense did to a reader who paid a part of it and has a share. What they have to pay
    /// is their part of this expense: their balance may be the other way.
    pub(crate) fn effect(self, paid: Decimal, share: Decimal, currency: Currency) -> Markup {
        let shown = |amount: Decimal| ui::money(self, amount.absolute(), currency);
        let net = paid.minus(share).unwrap_or_default();
        if net == Decimal::ZERO {
            html! { (self.you_are_even()) }
        } else if paid == Decimal::ZERO {
            // The part of a refund is the reader's to get.
            let is_got = share.is_negative();
            sentence([shown(share)], |[part]| {
                if is_got { self.being_owed(part) } else { self.your_part(part) }
            })
        } else if paid.is_negative() {
            sentence([shown(net)], |[amount]| self.is_theirs(amount))
        } else if net.is_negative() {
            sentence([shown(share), shown(paid)], |[part, paid]| self.your_part_paid(part, paid))
        } else {
            sentence([shown(net)], |[amount]| self.you_lent(amount))
        }
    }

    /// What the reader paid, or got back by a refund.
    pub(crate) fn own_payment(self, amount: Decimal, currency: Currency) -> Markup {
        let shown = ui::money(self, amount.absolute(), currency);
        if amount.is_negative() {
            sentence([shown], |[amount]| self.you_got_back(amount))
        } else {
            sentence([shown], |[amount]| self.you_paid(amount))
        }
    }

    /// Kind of a part of a share, if it has no name of its own.
    pub(crate) const fn part(self, kind: PartKind) -> &'static str {
        match kind {
            PartKind::Equal => self.split_type(SplitType::Equal),
            PartKind::Exact => self.split_type(SplitType::Exact),
            PartKind::Percentage => self.split_type(SplitType::Percentage),
            PartKind::Shares => self.split_type(SplitType::Shares),
            PartKind::Adjustment => self.split_type(SplitType::Adjustment),
            PartKind::Item => self.line(LineKind::Item),
            PartKind::Tax => self.line(LineKind::Tax),
            PartKind::Tip => self.line(LineKind::Tip),
            PartKind::Fee => self.line(LineKind::Fee),
            PartKind::Discount => self.line(LineKind::Discount),
        }
    }

    /// What an entry of an expense's history says.
    pub(crate) const fn entry(self, status: EntryStatus) -> &'static str {
        match (self.0, status) {
            (Language::English, EntryStatus::Applied) => "Now",
            (Language::English, EntryStatus::Reverted) => "As it was before",
            (Language::English, EntryStatus::Revert) => "Taken back",
            (Language::Russian, EntryStatus::Applied) => "Сейчас",
            (Language::Russian, EntryStatus::Reverted) => "Как было раньше",
            (Language::Russian, EntryStatus::Revert) => "Отменено",
        }
    }
}
