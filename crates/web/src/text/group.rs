//! The texts of a group's screens.

use std::fmt;

use super::{Texts, texts};
use fracti_core::{records::group_change::ChangeKind, values::settlement_status::SettlementStatus};
use fracti_texts::Language;

texts! {
    added { "Added: {description}", "Добавлено: {description}" }
    added_guest { "Added: {name}", "Добавлено: {name}" }
    name_group { "Name this group", "Назовите группу" }
    name_group_about { "Fracti keeps what the people of this chat pay for each other, and says who owes whom. Everyone who opens it from the chat joins this group.",
        "Fracti ведёт общие расходы людей из этого чата и считает, кто кому должен. Все, кто откроет его из чата, попадут в эту группу." }
    title_example { "Trip, flat, dinner …", "Поездка, квартира, ужин …" }
    friends_join { "Friends join by opening Fracti from your chat, or with an invitation.",
        "Друзья попадут сюда, открыв Fracti из вашего чата или по приглашению." }
    joined_group { "You are in the group", "Вы в группе" }
    on_the_way(amount) { "Not counted yet: your payments of {amount}, to be confirmed",
        "Ещё не учтено: ваши платежи на {amount} ждут подтверждения" }
    to_confirm(amount) { "Not counted yet: {amount} paid to you, confirm it",
        "Ещё не учтено: вам заплатили {amount}, подтвердите" }
    payment_waits { "Payment of {amount} recorded. {toId} has to confirm it.",
        "Платёж {amount} записан. Ждём подтверждения: {toId}." }
    payment_confirmed(amount) { "Payment of {amount} confirmed", "Платёж {amount} подтверждён" }
    payment_not_received(amount) { "Payment of {amount}: not received",
        "Платёж {amount} не получен" }
    payment_called_off(amount) { "Payment of {amount} called off", "Платёж {amount} отменён" }
    is_gone(name) { "{name} is no longer in the group", "{name} больше не в группе" }
    is_back(name) { "{name} is back in the group", "{name} снова в группе" }
    you_left(title) { "You left “{title}”", "Вы вышли из «{title}»" }
    new_link_made { "The new link is made", "Новая ссылка создана" }
    now_closed { "Nobody can join by a link now", "По ссылке войти больше нельзя" }
    wallet_deleted { "Wallet deleted", "Кошелёк удалён" }
    link_withdrawn(guest) { "Withdrawn: who “{guest}” is", "Отозвано: кто такой гость «{guest}»" }
    link_declined(guest) { "Declined: who “{guest}” is", "Отклонено: кто такой гость «{guest}»" }
    chat_moved(title) { "“{title}” is the group of this chat",
        "«{title}» теперь группа этого чата" }
    group_deleted(title) { "Deleted: {title}", "Удалено: {title}" }
    is_unarchived { "This group is out of the archive", "Группа возвращена из архива" }
    expense_recorded { "Expense recorded", "Расход записан" }
    payment_recorded { "Payment of {amount} recorded", "Платёж {amount} записан" }
    everybody { "All", "Все" }
    nobody { "None", "Никто" }
    as_last_time(names) { "As last time, without {names}", "Как в прошлый раз, без: {names}" }
    choose { "Choose …", "Выберите …" }
    ask_leave_last { "Leave the group? You are the last one: afterwards nobody can open it, except with an invitation that was sent before. Export it first if you need its expenses.",
        "Выйти из группы? Вы последний участник: после этого открыть её можно будет только по приглашению, созданному раньше. Если расходы нужны, сначала сохраните их: «Экспорт»." }
    ask_leave { "Leave the group? You can come back with an invitation.",
        "Выйти из группы? Вернуться можно по приглашению." }
    ask_remove(name) { "Remove {name} from the group?", "Удалить из группы: {name}?" }
    ask_link(said) { "{said} Propose it? The other side confirms it.",
        "{said} Предложить? Это подтвердит другая сторона." }
    chat_has_a_group { "Did this chat have a group before?", "У этого чата уже была группа?" }
    chat_moves { "A chat that becomes a supergroup has a new id. Choose its group, and everyone in the chat finds it again.",
        "Когда чат становится супергруппой, Telegram меняет его номер, и Fracti создаёт новую группу. Выберите прежнюю, и она снова откроется в этом чате." }
    ask_move(title) { "Make “{title}” the group of this chat? This empty one is deleted.",
        "Сделать «{title}» группой этого чата? Эта пустая группа будет удалена." }
    link_proposed { "Proposed, waits to be confirmed", "Предложено, ждём подтверждения" }
    confirmed_link { "Confirmed", "Подтверждено" }
    propose_link { "Propose …", "Предложить…" }
    withdraw { "Withdraw", "Отозвать" }
    that_is_wrong { "No", "Нет" }
    yes_that_is_me { "Yes, that is me", "Да, это я" }
    not_me { "Not me", "Нет, не я" }
    waits_for_the_other_side { "Not confirmed yet", "Ещё не подтверждено" }
    you_said_that_is_you(guest) { "You said: “{guest}” is you", "Вы сказали: «{guest}» — это вы" }
    said_that_is_me(user, guest) { "{user} says: the guest “{guest}” is me", "{user} считает: гость «{guest}» — это я" }
    said_that_is_you(by, guest) { "{by} says: the guest “{guest}” is you", "{by} считает: гость «{guest}» — это вы" }
    you_said_that_is(guest, user) { "You said: “{guest}” is {user}",
        "Вы предложили: «{guest}» — это {user}" }
    said_that_is(by, guest, user) { "{by} says: the guest “{guest}” is {user}",
        "{by} считает: гость «{guest}» — это {user}" }
    please_confirm(guest) { "I am “{guest}” in our group. Please confirm it.",
        "В нашей группе «{guest}» — это я. Подтвердите, пожалуйста." }
    ask_to_confirm { "Ask to confirm", "Попросить подтвердить" }
    is_user(user, guest) { "Is {user} “{guest}”?", "{user} — это «{guest}»?" }
    are_you(guest) { "Are you “{guest}”?", "Вы — «{guest}»?" }
    guest_owes(name, amount) { "{name} owes {amount}.", "{name}: долг {amount}." }
    guest_is_owed(name, amount) { "{name} is owed {amount}.", "{name}: ждёт возврата {amount}." }
    then_you_owe_in_all(amount) { "Then you owe {amount} in all.",
        "После этого вы будете должны всего {amount}." }
    then_you_are_owed_in_all(amount) { "Then you are owed {amount} in all.",
        "После этого вам будут должны всего {amount}." }
    then_you_are_settled { "Then you are even.", "После этого вы будете в расчёте." }
    then_owes_in_all(name, amount) { "Then {name} owes {amount} in all.",
        "{name}: после этого долг всего {amount}." }
    then_is_owed_in_all(name, amount) { "Then {name} is owed {amount} in all.",
        "{name}: после этого к возврату всего {amount}." }
    then_is_settled(name) { "Then {name} is even.", "{name}: после этого без долга." }
    no_way_back { "This cannot be undone.", "Отменить это будет нельзя." }
    ask_close { "Close the question? Nobody can answer it any more.",
        "Закрыть вопрос? Ответить на него будет нельзя." }
    who_pays { "Who pays", "Кто платит" }
    who_is_paid { "To whom", "Кому" }
    record_payment { "Record payment", "Записать платёж" }
    note { "Note", "Заметка" }
    wallet_of(name) { "Wallet of {name}", "Кошелёк, {name}" }
    copy { "Copy", "Скопировать" }
    recipient_confirms { "This only records a payment: send the money yourself. The debt is smaller once the recipient has confirmed it, or at once if the recipient records it.",
        "Здесь платёж только записывается: деньги переведите сами. Долг уменьшится, когда получатель подтвердит платёж, а если платёж записал он сам — сразу." }
    pay_from_funds(available) {
        "Pay from my funds ({available} available)",
        "Заплатить из моих средств (доступно {available})"
    }
    payments { "Payments", "Платежи" }
    payment { "Payment", "Платёж" }
    no_payments { "No payments yet.", "Платежей пока нет." }
    all { "All", "Все" }
    payment_from(name) { "Payment from {name}", "Платёж от {name}" }
    payment_to(name) { "Payment to {name}", "Платёж для {name}" }
    payment_to_me { "Payment to you", "Платёж вам" }
    payment_from_you { "Payment from you", "Ваш платёж" }
    between_you { "Between you", "Между вами" }
    counts_between_you { "“Between you” counts them already, the balances of the group do not yet.",
        "В «Между вами» они уже учтены, в балансах группы — ещё нет." }
    in_whole_group { "each one's balance with all members", "баланс каждого со всей группой" }
    with_friend { "With this friend in all groups", "Расчёты с этим другом во всех группах" }
    an_expense { "Expense", "Расход" }
    as_list { "As a list", "Списком" }
    pending { "to be confirmed", "ждёт подтверждения" }
    waits_for_your_confirmation { "waiting for your confirmation", "ждёт вашего подтверждения" }
    waits_for_confirmation(name) { "waiting for {name}’s confirmation",
        "ждёт подтверждения: {name}" }
    paid_unconfirmed(amount) { "{amount} paid, to be confirmed",
        "платёж {amount} ещё не подтверждён" }
    others_unconfirmed(amount) { "receives {amount}, to be confirmed",
        "получает {amount}, ещё не подтверждено" }
    own_unconfirmed(amount) { "{amount} paid to you: confirm it",
        "платёж вам {amount}: подтвердите его" }
    besides_unconfirmed(amount) { "left after {amount} paid, to be confirmed",
        "осталось после платежа {amount}, ещё не подтверждённого" }
    completed { "received", "получен" }
    failed { "not received", "не получен" }
    reverted { "taken back", "отменён" }
    reverted_by_you { "Taken back by you", "Отменили вы" }
    reverted_by(name) { "Taken back by {name}", "Кто отменил: {name}" }
    call_off { "Call off", "Отменить платёж" }
    ask_take_back { "Take this payment back? The debt is then as before.",
        "Отменить этот платёж? Долг станет прежним." }
    then_you_owe(amount) { "Then you owe {amount}. Confirm it anyway?",
        "Тогда вы будете должны {amount}. Всё равно подтвердить?" }
    then_owes(name, amount) { "Then {name} owes {amount}. Confirm it anyway?",
        "Тогда {name} будет в долгу: {amount}. Всё равно подтвердить?" }
    settle_first(amount) { "To remove, settle first: {amount}.",
        "Чтобы удалить, сначала рассчитайтесь: {amount}." }
    settle_up_first(balances) { "Settle up first: {balances}.",
        "Сначала рассчитайтесь: {balances}." }
    is_theirs(amount) { "{amount} of it is theirs", "{amount} причитается остальным" }
    their_debt(amount) { "they owe {amount}", "долг {amount}" }
    their_claim(amount) { "they are owed {amount}", "к возврату {amount}" }
    being_owed(amount) { "you are owed {amount}", "вам должны {amount}" }
    owing(amount) { "you owe {amount}", "вы должны {amount}" }
    pending_first { "A payment is not confirmed yet.", "Один платёж ещё не подтверждён." }
    others_are_here { "Others are still in the group.", "В группе ещё есть другие." }
    only_recorder(name) { "Only {name}, who recorded it, can change it.",
        "Изменить может только автор записи: {name}." }
    only_payer(name) { "Only {name}, who paid it, can change it.",
        "Изменить может только плательщик: {name}." }
    take_back { "Take back (not received)", "Отменить: не получен" }
    transaction { "Transaction", "Транзакция" }
    add_transaction { "Transaction hash", "Хеш транзакции" }
    put_right { "Put right", "Исправить" }
    hold_ends(when) { "Withheld until {when}", "Средства удержаны до {when}" }
    paid_from_funds { "Paid from funds", "Оплачено из средств" }
    paid_outside { "Paid outside of funds", "Оплачено помимо средств" }
    give_back { "Give back", "Вернуть" }
    remind { "Remind", "Напомнить" }
    remind_text(amount, title) { "You owe me {amount} in “{title}”. Settle up here:",
        "За тобой {amount} в «{title}». Рассчитаться можно здесь:" }
    members_title { "Members", "Участники" }
    past_members { "Past members", "Бывшие участники" }
    add_guest { "Add a guest", "Добавить гостя" }
    guest_name { "Name", "Имя" }
    guest_about { "A guest has no Telegram. Any member may act for them.",
        "У гостя нет Telegram. За него может действовать любой участник." }
    add { "Add", "Добавить" }
    rename { "Rename", "Переименовать" }
    link_guest { "Who is this guest in Telegram?", "Кто этот гость в Telegram?" }
    remove { "Remove", "Исключить" }
    restore { "Restore", "Восстановить" }
    leave { "Leave the group", "Выйти из группы" }
    wallet { "My TON wallet", "Мой кошелёк TON" }
    wallet_is_seen { "The members of the group see it.", "Адрес видят участники группы." }
    delete_wallet { "Delete wallet", "Удалить кошелёк" }
    invite { "Invite", "Пригласить" }
    invitation_code { "QR code of the invitation", "QR-код приглашения" }
    send_invitation { "Send invitation", "Отправить приглашение" }
    invitation_text(title) { "Join “{title}” in Fracti:", "Присоединяйтесь к «{title}» в Fracti:" }
    new_code { "Make a new link", "Создать новую ссылку" }
    new_code_about { "A new link ends the one sent before.", "Новая ссылка отменяет прежнюю." }
    close_invitation { "Close the group to new members", "Закрыть группу для новых участников" }
    closed_group { "New members can join only from the group's chat.",
        "Новые участники могут войти только из чата группы." }
    link_only { "New members need the link that was made last.",
        "Новым участникам нужна последняя созданная ссылка." }
    join_title { "You are invited to a group", "Вас приглашают в группу" }
    invites_you { "invites you", "приглашает вас" }
    join_about { "Join the group to see its expenses. Its members will see your name, @username and Telegram account.",
        "Вступите в группу, чтобы видеть её расходы. Участники увидят ваше имя, @username и аккаунт в Telegram." }
    join_unnamed { "This link does not name the group: you see its name once you join.",
        "Эта ссылка не называет группу: название вы увидите, когда вступите." }
    join { "Join", "Вступить" }
    are_you_one { "Are you one of these?", "Вы есть в этом списке?" }
    are_you_one_about { "These people were added without Telegram. If you are one of them, tap “That is me”: once another member confirms it, the guest's expenses and balance are yours.",
        "Этих людей добавили без Telegram. Если среди них есть вы, нажмите «Это я»: когда это подтвердит другой участник, расходы и баланс гостя перейдут к вам." }
    that_is_me { "That is me", "Это я" }
    go_on { "Go to the group", "Перейти в группу" }
    none_of_them { "None of these: go to the group", "Меня здесь нет: перейти в группу" }
    settings { "Settings", "Настройки" }
    default_currency { "Currency of new expenses", "Валюта новых расходов" }
    archive { "Archive the group", "Перенести в архив" }
    unarchive { "Take out of the archive", "Вернуть из архива" }
    archive_about { "For all members: an archived group can be read, but not changed.",
        "Для всех участников: группу в архиве можно смотреть, но нельзя менять." }
    archived_about { "It can be read, but not changed. Take it out of the archive in its settings.",
        "Её можно смотреть, но нельзя менять. Вернуть её можно в настройках." }
    usual_split { "Usual split", "Обычное деление" }
    no_usual_split { "Expenses are divided equally. Add a rule to divide them otherwise.",
        "Пока всё делится поровну. Добавьте правило, чтобы делить иначе." }
    usual_split_about { "New expenses are divided by these parts unless somebody chooses otherwise. Expenses already recorded do not change.",
        "Новые расходы делятся по этим долям, если не выбрать другое. Уже записанные не изменятся." }
    other_expenses { "All other expenses", "Остальные расходы" }
    all_expenses { "All expenses", "Все расходы" }
    add_rule { "Add a rule", "Добавить правило" }
    remove_rule { "Remove the rule", "Убрать правило" }
    others { "Also everybody else, with those who join later", "Также все остальные и новые участники" }
    like_others { "as everybody else", "как все остальные" }
    has_left { "left", "не в группе" }
    own_categories { "The group's own categories", "Категории группы" }
    category_name_label { "Name", "Название" }
    emoji_label { "Emoji", "Эмодзи" }
    add_category { "Add category", "Добавить категорию" }
    connect_chat { "Add the bot to a chat", "Добавить бота в чат" }
    connect_chat_about { "In a chat of this group, the bot says what is new, and records the expenses that are written to it.",
        "В чате этой группы бот сообщает новости и записывает расходы, которые ему пишут." }
    delete_group { "Delete the group", "Удалить группу" }
    delete_group_about { "Only when all are settled and the others have left. It cannot be undone.",
        "Только когда все в расчёте и остальные вышли. Отменить нельзя." }
    sure { "I am sure", "Да, удалить" }
    statistics { "Statistics", "Статистика" }
    history_of_balances { "Balances over time", "Балансы по дням" }
    whats_new { "What's new", "Что нового" }
    points { "Points", "Очки" }
    import { "Import", "Импорт" }
    export { "Export", "Экспорт" }
    deleted_expenses { "Deleted expenses", "Удалённые расходы" }
    refund_added { "added a refund", "новый возврат" }
    own_refund_added { "added a refund", "записали возврат" }
    says { " ", ": " }
    change_of { ": ", ", " }
    nothing_new { "Nothing yet.", "Пока ничего." }
    no_deleted { "No expense was deleted.", "Удалённых расходов нет." }
    deleted_by_you(when) { "Deleted by you, {when}", "Удалили вы, {when}" }
    deleted_by(name, when) { "Deleted by {name}, {when}", "Кто удалил: {name}, {when}" }
    first_day { "From", "С" }
    last_day { "To", "По" }
    show { "Show", "Показать" }
    search { "Search", "Поиск" }
    member { "Member", "Участник" }
    anyone { "Anyone", "Любой" }
    any_category { "Any", "Любая" }
    filter { "Filter", "Фильтр" }
    clear { "Clear", "Очистить" }
    by_recording { "In the order of recording.", "В порядке записи." }
    is_archived { "This group is in the archive", "Эта группа в архиве" }
    archived_groups { "Archive", "Архив" }
    nothing_found { "Nothing found.", "Ничего не найдено." }
    total_spent { "Spent", "Потрачено" }
    your_part(amount) { "your part {amount}", "ваша доля {amount}" }
    part_of_refund(amount) { "your part of the refund {amount}", "ваша часть возврата {amount}" }
    your_share { "your part", "ваша доля" }
    of_the_others { "others' part", "доли остальных" }
    by_category { "By category", "По категориям" }
    by_month { "By month", "По месяцам" }
    by_member { "By member", "По участникам" }
    paid_column { "Paid", "Оплачено" }
    share_column { "Share", "Доля" }
    no_statistics { "No expenses in this time.", "За это время расходов нет." }
    spent_by_month(total) { "{total} in all, by month", "Всего {total}, по месяцам" }
    your_statement { "Your statement", "Ваша выписка" }
    balance_signs { "In the balance, plus is what others owe, and minus is a debt. A payment received makes the plus smaller.",
        "Плюс в балансе — сколько должны другие, минус — сколько нужно вернуть. Полученный платёж уменьшает плюс." }
    balance_then(amount) { "balance {amount}", "баланс {amount}" }
    statement_of(name) { "Statement of {name}", "Выписка, {name}" }

    no_entries { "No entries yet.", "Записей пока нет." }
    adjustment { "Adjustment", "Корректировка" }
    guest_linked { "Guest linked", "Гость связан" }
    undone_later { "changed or deleted later", "позже изменено или удалено" }
    undoing { "takes back an earlier entry", "отмена прежней записи" }
    earlier_version { "earlier version", "прежняя версия" }
    replaced { "earlier version, replaced", "прежняя версия заменена" }
    closing_of(day) { "Balances at the end of {day}", "Балансы на конец дня: {day}" }
    days_of_utc { "A day here ends at midnight UTC.", "День здесь заканчивается в полночь по UTC." }
}

impl Texts {
    /// What was paid to the reader or to somebody else, and is not confirmed yet.
    pub(crate) fn received_unconfirmed(self, amount: impl fmt::Display, by_me: bool) -> String {
        if by_me { self.own_unconfirmed(amount) } else { self.others_unconfirmed(amount) }
    }

    /// "3 expenses".
    pub(crate) fn found(self, count: u64) -> String {
        let word = self.plural(count, ["expense", "expenses"], ["расход", "расхода", "расходов"]);
        format!("{count} {word}")
    }

    /// State of a settlement.
    pub(crate) const fn settlement(
        self,
        status: SettlementStatus,
        is_reverted: bool,
    ) -> &'static str {
        match (status, is_reverted) {
            (_, true) => self.reverted(),
            (SettlementStatus::Pending, _) => self.pending(),
            (SettlementStatus::Completed, _) => self.completed(),
            (SettlementStatus::Failed, _) => self.failed(),
        }
    }

    /// "Balances at the end of 3 days with changes".
    pub(crate) fn balances_chart(self, days: u64) -> String {
        let word = self.plural(days, ["day", "days"], ["дня", "дней", "дней"]);
        match self.0 {
            Language::English => format!("Balances at the end of {days} {word} with changes"),
            Language::Russian => format!("Балансы на конец {days} {word} с изменениями"),
        }
    }

    /// What stands before and after the description of a changed expense.
    pub(crate) const fn quotes(self) -> (&'static str, &'static str) {
        match self.0 {
            Language::English => (": ", " · "),
            Language::Russian => (" «", "», "),
        }
    }

    /// What a change of the group was, after the name of the member who made it.
    pub(crate) const fn change(self, kind: ChangeKind) -> &'static str {
        let (english, russian) = match kind {
            ChangeKind::ExpenseAdded => ("added an expense", "новый расход"),
            ChangeKind::ExpenseEdited => ("edited an expense", "изменён расход"),
            ChangeKind::ExpenseDeleted => ("deleted an expense", "удалён расход"),
            ChangeKind::ExpenseRestored => ("restored an expense", "восстановлен расход"),
            ChangeKind::ScheduleAdded => ("made an expense repeat", "новый повторяющийся расход"),
            ChangeKind::ScheduleEdited => {
                ("changed a repeating expense", "изменён повторяющийся расход")
            }
            ChangeKind::ScheduleDeleted => {
                ("deleted a repeating expense", "удалён повторяющийся расход")
            }
            ChangeKind::SchedulePaused => {
                ("could not repeat an expense", "не удалось повторить расход")
            }
            ChangeKind::SettlementRecorded => ("recorded a payment", "новый платёж"),
            ChangeKind::SettlementEdited => ("put a payment right", "исправлен платёж"),
            ChangeKind::SettlementCompleted => ("confirmed a payment", "подтверждён платёж"),
            ChangeKind::SettlementFailed => ("did not receive a payment", "не получен платёж"),
            ChangeKind::SettlementReverted => ("took a payment back", "отменён платёж"),
            ChangeKind::MemberJoined => ("joined the group", "теперь в группе"),
            ChangeKind::MemberLeft => ("left the group", "больше не в группе"),
            ChangeKind::MemberRemoved => ("removed a member", "исключение из группы"),
            ChangeKind::MemberRestored => ("restored a member", "возвращение в группу"),
            ChangeKind::MemberLinked => ("linked a guest", "связан гость"),
            ChangeKind::LinkProposed => ("proposed who a guest is", "предложение, кто этот гость"),
            ChangeKind::LinkWithdrawn => ("withdrew who a guest is", "отозвано, кто этот гость"),
            ChangeKind::GuestAdded => ("added a guest", "новый гость"),
            ChangeKind::GroupChanged => ("changed the group", "изменена группа"),
            ChangeKind::GroupArchived => ("archived the group", "группа теперь в архиве"),
            ChangeKind::QuestionAsked => ("asked a question", "новый вопрос"),
            ChangeKind::QuestionCompleted => {
                ("has all answers to a question", "получены все ответы")
            }
            ChangeKind::QuestionClosed => ("closed a question", "закрыт вопрос"),
            ChangeKind::AdjustmentPushed => ("adjusted balances", "скорректированы балансы"),
            ChangeKind::AdjustmentReverted => ("took an adjustment back", "отменена корректировка"),
            ChangeKind::ImportDone => ("imported a file", "импортирован файл"),
            ChangeKind::ImportUndone => ("took an import back", "отменён импорт"),
        };
        match self.0 {
            Language::English => english,
            Language::Russian => russian,
        }
    }

    /// What a change of the group by the reader was, after "You".
    pub(crate) const fn own_change(self, kind: ChangeKind) -> &'static str {
        let russian = match kind {
            ChangeKind::ExpenseAdded => "добавили расход",
            ChangeKind::ExpenseEdited => "изменили расход",
            ChangeKind::ExpenseDeleted => "удалили расход",
            ChangeKind::ExpenseRestored => "вернули расход",
            ChangeKind::ScheduleAdded => "добавили повторяющийся расход",
            ChangeKind::ScheduleEdited => "изменили повторяющийся расход",
            ChangeKind::ScheduleDeleted => "удалили повторяющийся расход",
            ChangeKind::SchedulePaused => "не смогли повторить расход",
            ChangeKind::SettlementRecorded => "записали платёж",
            ChangeKind::SettlementEdited => "исправили платёж",
            ChangeKind::SettlementCompleted => "подтвердили платёж",
            ChangeKind::SettlementFailed => "не получили платёж",
            ChangeKind::SettlementReverted => "отменили платёж",
            ChangeKind::MemberJoined => "вступили в группу",
            ChangeKind::MemberLeft => "вышли из группы",
            ChangeKind::MemberRemoved => "исключили участника",
            ChangeKind::MemberRestored => "вернули участника",
            ChangeKind::MemberLinked => "связали гостя",
            ChangeKind::LinkProposed => "предложили, кто этот гость",
            ChangeKind::LinkWithdrawn => "отозвали, кто этот гость",
            ChangeKind::GuestAdded => "добавили гостя",
            ChangeKind::GroupChanged => "изменили группу",
            ChangeKind::GroupArchived => "перенесли группу в архив",
            ChangeKind::QuestionAsked => "задали вопрос",
            ChangeKind::QuestionCompleted => "получили все ответы на вопрос",
            ChangeKind::QuestionClosed => "закрыли вопрос",
            ChangeKind::AdjustmentPushed => "скорректировали балансы",
            ChangeKind::AdjustmentReverted => "отменили корректировку",
            ChangeKind::ImportDone => "импортировали файл",
            ChangeKind::ImportUndone => "отменили импорт",
        };
        match self.0 {
            Language::English => self.change(kind),
            Language::Russian => russian,
        }
    }
}
