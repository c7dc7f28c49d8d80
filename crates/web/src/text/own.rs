//! The texts of the reader's own screens.

use super::{Texts, texts};
use fracti_core::{
    chat::subscription::Topic, funds::fund_transaction::FundTransactionType,
    personal::targets::Period, questions::points::Badge, records::import::ImportStatus,
    values::fund_key::FundWork,
};
use fracti_texts::Language;

texts! {
    saved { "Saved", "Сохранено" }
    messages { "Messages in Telegram", "Сообщения в Telegram" }
    messages_about { "The bot writes to you when something in your groups concerns you.",
        "Бот пишет вам о том, что касается вас в группах." }
    no_messages_here { "Messages in Telegram are not set up here.",
        "Сообщения в Telegram здесь не настроены." }
    messages_in_telegram { "Messages are turned on and off in Telegram: open Fracti there.",
        "Сообщения включаются и выключаются в Telegram: откройте Fracti там." }
    bot_blocked { "Messages have stopped, because you blocked the bot. Unblock it in Telegram, then turn them on again.",
        "Сообщения остановлены: вы заблокировали бота. Разблокируйте его в Telegram и включите их снова." }
    bot_not_allowed { "Messages have stopped, because the bot may not write to you. Turn them on again, and allow it.",
        "Сообщения остановлены: боту нельзя вам писать. Включите их снова и разрешите." }
    messages_refused { "Messages have stopped, because Telegram refused them. Turn them on again.",
        "Сообщения остановлены: Telegram их не принимает. Включите их снова." }
    messages_are_on { "Messages are on", "Сообщения включены" }
    messages_are_off { "Messages are off", "Сообщения выключены" }
    turn_messages_on { "Turn on messages", "Включить сообщения" }
    turn_messages_off { "Turn off messages", "Выключить сообщения" }
    interval { "How often", "Как часто" }
    message_language { "Language of messages", "Язык сообщений" }
    topics { "About", "О чём" }
    quiet_hours { "Without sound", "Без звука" }
    first_hour { "From", "С" }
    last_hour { "To", "До" }
    told_groups { "Groups that messages are about", "Группы, о которых писать" }
    no_told_group { "No group is ticked, so no messages come.", "Ни одна группа не отмечена: сообщений не будет." }
    created { "Created: {title}", "Создано: {title}" }
    restored(what) { "Restored: {what}", "Восстановлено: {what}" }
    question_closed { "The question is closed", "Вопрос закрыт" }
    token_deleted(name) { "Deleted: {name}", "Удалён: {name}" }
    top_up_waits { "Top-up of {amount} reported. The operator has to confirm it.",
        "Пополнение {amount} записано. Его подтвердит оператор." }
    cash_out_waits { "Cash-out of {amount} asked for. The operator pays it.",
        "Вывод {amount} запрошен. Его выплатит оператор." }
    called_off(what, amount) { "{what} of {amount} called off", "{what}: {amount}, отменено" }
    captured(what, amount) { "{what} of {amount} confirmed", "{what}: {amount}, подтверждено" }
    asked {
        "Asked. Now send its link to the chat."
        , "Вопрос задан. Отправьте ссылку на него в чат."
    }
    telegram_id(id) { "Telegram id {id}", "id в Telegram: {id}" }
    answered { "Answered", "Ответ записан" }
    import_undone { "Taken back. Expenses: {expenses}, payments: {settlements}",
        "Отменено. Расходов: {expenses}, платежей: {settlements}" }
    ask_undo_import { "Take back everything that this import recorded?",
        "Отменить всё, что записал этот импорт?" }
    ask_delete_token { "Delete the token? What uses it will stop working.",
        "Удалить токен? То, что им пользуется, перестанет работать." }
    over_groups(count) { "Over your {count} latest groups", "По {count} последним вашим группам" }
    friends { "Friends", "Друзья" }
    friends_about { "Who owes whom between you and each of them, in all your groups.",
        "Кто кому должен — вы и каждый из них, во всех ваших группах." }
    friends_of(count) { "From {count} of your groups: those with an open balance come first.",
        "По {count} вашим группам: сначала те, где есть баланс." }
    no_friends { "Nobody yet: join a group, or invite friends to yours.",
        "Пока никого: вступите в группу или пригласите друзей в свою." }
    in_all_groups { "In all groups", "Во всех группах" }
    open_questions { "Questions for you", "Вопросы к вам" }
    latest { "Latest", "Последнее" }
    spent_of(spent, target) { "{spent} of {target}", "{spent} из {target}" }
    days { "My spending", "Мои траты" }
    budgets { "Budgets", "Бюджеты" }
    tokens { "Access for programs", "Доступ для программ" }
    funds { "My funds", "Мои средства" }
    work { "Operator's work", "Работа оператора" }
    language { "Language", "Язык" }
    sign_out { "Sign out of this browser", "Выйти в этом браузере" }
    sent_to(name) { "You paid {name}", "Вы заплатили: {name}" }
    received_from(name) { "{name} paid you", "{name}: платёж вам" }
    earlier { "Earlier", "Раньше" }
    later { "Later", "Позже" }
    spent_on_days(total) { "{total} on these days", "{total} за эти дни" }
    no_spendings { "Nothing spent in this time.", "За это время трат нет." }
    left(amount) { "{amount} left", "осталось {amount}" }
    over_by(amount) { "{amount} over", "на {amount} больше" }
    record_spending { "Add spending", "Записать трату" }
    time_passed { "The line in a bar: how much of the time has passed.",
        "Черта на полосе — сколько времени прошло." }
    what { "What", "Что" }
    own_spendings { "Spending", "Траты" }
    group_shares { "Shares in groups", "Доли в группах" }
    share_with_group { "Share with a group", "Разделить с группой" }
    budget_about { "What you want to spend at most. 0 removes a budget.",
        "Сколько вы готовы тратить за период. Чтобы убрать бюджет, введите 0." }
    period_label { "Period", "Период" }
    time_zone { "Time zone", "Часовой пояс" }
    total_budget { "Everything", "Всего" }
    tokens_about { "With a token, a program acts for you. It is shown only once.",
        "С токеном программа действует от вашего имени. Он показывается один раз." }
    new_token { "New token", "Новый токен" }
    token_name { "Name", "Название" }
    may_read { "May read", "Может читать" }
    may_write { "May write", "Может записывать" }
    create { "Create", "Создать" }
    copy_token { "Copy token", "Скопировать токен" }
    read_write { "reads and writes", "читает и записывает" }
    reads_only { "reads", "читает" }
    writes_only { "writes", "записывает" }
    never_used { "not used yet", "ещё не использован" }
    used_on(day) { "used {day}", "использован {day}" }
    until(day) { "until {day}", "до {day}" }
    usage_today(reads, writes) { "Today: {reads} reads, {writes} writes",
        "Сегодня запросов на чтение: {reads}, на запись: {writes}" }
    browser { "Fracti on the computer", "Fracti на компьютере" }
    browser_about { "The link works once, within 10 minutes. The browser stays signed in for 30 days, and the one that you used before is signed out.",
        "Ссылка одноразовая и действует 10 минут. Вход в браузере сохранится на 30 дней, а в прежнем браузере вы выйдете из Fracti." }
    link_made { "The link works once, within 10 minutes.",
        "Ссылка действует один раз в течение 10 минут." }
    open_in_browser { "Open in a browser", "Открыть в браузере" }
    add_to_home_screen { "Add Fracti to the home screen", "Добавить Fracti на главный экран" }
    token_made { "The token is made. Copy it now: it is shown only once.",
        "Токен создан. Скопируйте его сейчас: он показывается один раз." }
    find_group { "Find a group", "Найти группу" }
    make_link { "Make a link", "Создать ссылку" }
    open_browser { "Open", "Открыть" }
    browser_link { "Link for a browser", "Ссылка для браузера" }
    copy_link { "Copy link", "Скопировать ссылку" }
    signs_in { "signs a browser in once", "один раз входит в браузере" }
    no_operator { "This deployment has no operator, so there are no funds.",
        "У этой установки нет оператора, поэтому средств нет." }
    available { "Available", "Доступно" }
    withheld { "Withheld", "Удержано" }
    bonuses { "Bonuses", "Бонусы" }
    cash { "Cash", "Деньги" }
    credit { "Credit", "Кредит" }
    funds_about { "Money that you have given to the operator, who runs this app: you can pay with it in groups.",
        "Деньги, которые вы перевели оператору, то есть тому, кто ведёт это приложение: ими можно платить в группах." }
    funds_count { "What others pay you from their funds counts at once, without your confirmation.", "Когда другие платят вам из своих средств в Fracti, платёж учитывается сразу, без вашего подтверждения." }
    funds_wait { "What others pay you from their funds waits for your confirmation.",
        "Когда другие платят вам из своих средств в Fracti, платёж ждёт вашего подтверждения." }
    ask_me_first { "From now on, ask me first", "Впредь сначала спрашивать меня" }
    count_at_once { "From now on, count it at once", "Впредь учитывать сразу" }
    top_up { "Top up", "Пополнить" }
    top_up_about { "Pay the operator first, then report it here. It counts once the operator confirms it.",
        "Сначала заплатите оператору, затем сообщите здесь. Сумма появится после подтверждения." }
    cash_out { "Cash out", "Вывести" }
    account { "Account or address", "Счёт или адрес" }
    transactions { "Transactions", "Операции" }
    ends_unconfirmed(when) { "Will be called off {when} unless the operator confirms it",
        "Если до {when} оператор не подтвердит заявку, она отменится" }
    no_money_back { "Calling it off does not return money that you have sent: the operator does.",
        "Отмена не возвращает деньги, которые вы уже отправили: их вернёт оператор." }
    no_funds { "No funds yet.", "Средств пока нет." }
    transaction_title { "Transaction of funds", "Операция со средствами" }
    void { "Call off", "Отменить" }
    held_until(day) { "Held until {day}", "Отложено до {day}" }
    pay_by_wallet { "Pay from a wallet", "Оплатить из кошелька" }
    all_users { "All users", "Все пользователи" }
    credit_and_bonuses { "Credit and bonuses", "Кредит и бонусы" }
    capture { "Confirm", "Подтвердить" }
    reference { "Payment reference of the bank", "Номер платежа в банке" }
    description_label { "Description", "Описание" }
    nothing_to_do { "Nothing waits for you.", "Вас ничего не ждёт." }
    with_friend_title(name) { "You and {name}", "Вы и {name}" }
    nothing_between { "No open balances.", "Открытых балансов нет." }
    no_points { "No points yet. They are for answers to the group's questions.",
        "Очков пока нет. Их дают за ответы на вопросы группы." }
    import_about { "A file exported from Splitwise, Tricount, Settle Up, Spliit, Cospend, IHateMoney or Fracti. First you see what will be added.",
        "Файл, выгруженный из Splitwise, Tricount, Settle Up, Spliit, Cospend, IHateMoney или Fracti. Сначала вы увидите, что добавится." }
    file { "File", "Файл" }
    choose_file { "Choose a file", "Выбрать файл" }
    show_plan { "Show what will be added", "Показать, что добавится" }
    imports { "Imports", "Импорты" }
    undo_import { "Undo", "Отменить" }
    export_about { "All expenses, payments and balances, for a spreadsheet or another program.",
        "Все расходы, платежи и балансы: для таблицы или другой программы." }
    as_table { "Spreadsheet (CSV)", "Таблица (CSV)" }
    for_programs { "For programs (JSON)", "Для программ (JSON)" }
    export_in_browser { "Telegram does not download files. The link opens this screen in a browser, where you are signed in.",
        "Telegram не скачивает файлы. Ссылка откроет этот экран в браузере: вход будет выполнен." }
}

impl Texts {
    /// What became of an import.
    pub(crate) const fn import_status(self, status: ImportStatus) -> &'static str {
        match (self.0, status) {
            (Language::English, ImportStatus::Running) => "not finished",
            (Language::English, ImportStatus::Done) => "imported",
            (Language::English, ImportStatus::Undoing) => "being taken back",
            (Language::English, ImportStatus::Undone) => "taken back",
            (Language::Russian, ImportStatus::Running) => "не закончен",
            (Language::Russian, ImportStatus::Done) => "выполнен",
            (Language::Russian, ImportStatus::Undoing) => "отменяется",
            (Language::Russian, ImportStatus::Undone) => "отменён",
        }
    }

    /// How often messages come, at most.
    pub(crate) fn at_most_every(self, minutes: u16) -> String {
        let every = |number: u16, english: [&str; 2], russian: [&str; 3]| {
            let word = self.plural(number.into(), english, russian);
            match self.0 {
                Language::English => format!("at most every {number} {word}"),
                Language::Russian => format!("не чаще раза в {number} {word}"),
            }
        };
        match minutes {
            1_440 => match self.0 {
                Language::English => "at most once a day".to_owned(),
                Language::Russian => "не чаще раза в день".to_owned(),
            },
            60 => match self.0 {
                Language::English => "at most once an hour".to_owned(),
                Language::Russian => "не чаще раза в час".to_owned(),
            },
            hours if hours % 60 == 0 => {
                every(hours / 60, ["hour", "hours"], ["час", "часа", "часов"])
            }
            _ => every(minutes, ["minute", "minutes"], ["минуту", "минуты", "минут"]),
        }
    }

    /// What messages are about.
    pub(crate) const fn topic(self, topic: Topic) -> &'static str {
        match (self.0, topic) {
            (Language::English, Topic::Expenses) => "Expenses",
            (Language::English, Topic::Settlements) => "Payments",
            (Language::English, Topic::Questions) => "Questions and receipts",
            (Language::Russian, Topic::Expenses) => "Расходы",
            (Language::Russian, Topic::Settlements) => "Платежи",
            (Language::Russian, Topic::Questions) => "Вопросы и чеки",
        }
    }

    /// "3 days in a row".
    pub(crate) fn streak(self, days: u64) -> String {
        let word = self.plural(days, ["day", "days"], ["день", "дня", "дней"]);
        match self.0 {
            Language::English => format!("{days} {word} in a row"),
            Language::Russian => format!("{days} {word} подряд"),
        }
    }

    /// "12 points".
    pub(crate) fn points_of(self, points: u64) -> String {
        let word = self.plural(points, ["point", "points"], ["очко", "очка", "очков"]);
        format!("{points} {word}")
    }

    /// Name of a badge.
    pub(crate) const fn badge(self, badge: Badge) -> &'static str {
        match (self.0, badge) {
            (Language::English, Badge::FirstAnswer) => "first answer",
            (Language::English, Badge::TenAnswers) => "ten answers",
            (Language::English, Badge::HundredAnswers) => "a hundred answers",
            (Language::English, Badge::WeekStreak) => "a week in a row",
            (Language::English, Badge::MonthStreak) => "a month in a row",
            (Language::Russian, Badge::FirstAnswer) => "первый ответ",
            (Language::Russian, Badge::TenAnswers) => "десять ответов",
            (Language::Russian, Badge::HundredAnswers) => "сто ответов",
            (Language::Russian, Badge::WeekStreak) => "неделя подряд",
            (Language::Russian, Badge::MonthStreak) => "месяц подряд",
        }
    }

    /// Period of targets.
    pub(crate) const fn target_period(self, period: Period) -> &'static str {
        match (self.0, period) {
            (Language::English, Period::Day) => "each day",
            (Language::English, Period::Month) => "each month",
            (Language::Russian, Period::Day) => "каждый день",
            (Language::Russian, Period::Month) => "каждый месяц",
        }
    }

    /// Type of a transaction of funds.
    pub(crate) const fn fund_transaction(self, kind: FundTransactionType) -> &'static str {
        match (self.0, kind) {
            (Language::English, FundTransactionType::Topup) => "Top-up",
            (Language::English, FundTransactionType::Credit) => "Credit",
            (Language::English, FundTransactionType::Bonus) => "Bonus",
            (Language::English, FundTransactionType::Settlement) => "Payment in a group",
            (Language::English, FundTransactionType::Return) => "Payment given back",
            (Language::English, FundTransactionType::Cashout) => "Cash-out",
            (Language::English, FundTransactionType::Correction) => "Correction",
            (Language::English, FundTransactionType::Lapse) => "Bonus that lapsed",
            (Language::Russian, FundTransactionType::Topup) => "Пополнение",
            (Language::Russian, FundTransactionType::Credit) => "Кредит",
            (Language::Russian, FundTransactionType::Bonus) => "Бонус",
            (Language::Russian, FundTransactionType::Settlement) => "Платёж в группе",
            (Language::Russian, FundTransactionType::Return) => "Возвращённый платёж",
            (Language::Russian, FundTransactionType::Cashout) => "Вывод",
            (Language::Russian, FundTransactionType::Correction) => "Исправление",
            (Language::Russian, FundTransactionType::Lapse) => "Сгоревший бонус",
        }
    }

    /// What waits for an operator.
    pub(crate) const fn fund_work(self, work: FundWork) -> &'static str {
        match (self.0, work) {
            (Language::English, FundWork::Cashout) => "Cash-outs",
            (Language::English, FundWork::Topup) => "Top-ups",
            (Language::Russian, FundWork::Cashout) => "Выводы",
            (Language::Russian, FundWork::Topup) => "Пополнения",
        }
    }

    /// Status of a transaction of funds.
    pub(crate) fn fund_status(
        self,
        status: fracti_core::values::fund_status::FundStatus,
    ) -> String {
        use fracti_core::values::fund_status::FundStatus as Status;
        let (english, russian) = match status {
            Status::Authorised => {
                ("to be confirmed by the operator", "ждёт подтверждения оператора")
            }
            Status::Completed => ("done", "выполнено"),
            Status::Held => ("held", "отложено"),
            Status::Voided => ("called off", "отменено"),
            Status::Expired => ("ran out", "истекло"),
        };
        match self.0 {
            Language::English => english,
            Language::Russian => russian,
        }
        .to_owned()
    }
}
