//! The texts of the script, which shows them while no server answers. The document has them in all
//! languages, because it is one for all readers. The script fills in `{a}`, `{b}` and `{c}`.

use fracti_core::values::guess::STEMS;
use serde_json::{Map, Value, json};

/// A text of the script: its name, and its form in each language of
/// [`Language::ALL`](fracti_texts::Language::ALL).
type ScriptText = (&'static str, [&'static str; fracti_texts::Language::ALL.len()]);

/// The texts of the script of the document.
pub(crate) const APP: [ScriptText; 15] = [
    ("offline", ["There is no connection.", "Нет соединения."]),
    ("old", ["No connection: this may be out of date.", "Нет соединения: данные могли устареть."]),
    ("again", ["Try again", "Повторить"]),
    (
        "kept",
        [
            "No answer from the server. Your entry is kept: send it again, it is recorded only once.",
            "Сервер не ответил. Запись сохранена: отправьте её снова, она запишется только один раз.",
        ],
    ),
    ("expired", ["Open Fracti again", "Откройте Fracti ещё раз"]),
    (
        "session",
        [
            "Your session has ended. Close the app and open it again. On a computer, quit Telegram and start it again.",
            "Сеанс завершён. Закройте приложение и откройте снова. На компьютере выйдите из Telegram и запустите его снова.",
        ],
    ),
    ("telegram", ["Open Fracti in Telegram", "Откройте Fracti в Telegram"]),
    (
        "signIn",
        [
            "Fracti is opened from a bot in Telegram, where you are signed in.",
            "Fracti открывается из бота в Telegram, где вы уже вошли.",
        ],
    ),
    ("signedIn", ["This link does not sign in", "По этой ссылке войти нельзя"]),
    (
        "ended",
        [
            "This browser is signed out. Make a new link in Telegram: Me, Fracti on the computer.",
            "Вы вышли в этом браузере. Создайте новую ссылку в Telegram: «Я», «Fracti на компьютере».",
        ],
    ),
    (
        "stranger",
        [
            "You are not in this group. Ask a member for an invitation.",
            "Вы не в этой группе. Попросите участника пригласить вас.",
        ],
    ),
    ("draft", ["Your entry is kept as a draft.", "Запись сохранена как черновик."]),
    ("back", ["Back", "Назад"]),
    ("today", ["today", "сегодня"]),
    ("yesterday", ["yesterday", "вчера"]),
];

/// The texts of the rest of the script.
pub(crate) const MORE: [ScriptText; 66] = [
    ("open", ["; waiting for your answer: {a}", "; ждут вашего ответа: {a}"]),
    ("on", ["on {a}", "на: {a}"]),
    ("onAll", ["on everything", "на всё"]),
    ("among", ["{a} of {b}", "{a} из {b}"]),
    (
        "who",
        [
            "Who is who: the name in the file, and who that is in the group. Choose yourself, too.",
            "Кто есть кто: имя в файле и участник группы. Выберите и себя.",
        ],
    ),
    (
        "weight",
        ["How many shares does {a} count for? Usually 1.", "Сколько долей у {a}? Обычно 1."],
    ),
    ("lineOf", ["Line {a}: {b}", "Строка {a}: {b}"]),
    ("answers", ["Continue with these answers", "Продолжить с этими ответами"]),
    ("choose", ["Choose …", "Выберите …"]),
    ("payer", ["paid by {a}", "кто платил: {a}"]),
    ("gotBack", ["{a} got back", "вернули: {a}"]),
    (
        "noShares",
        [
            "Nobody in the group shares it: tick somebody who is in the group.",
            "Эти расходы не на кого делить: отметьте того, кто сейчас в группе.",
        ],
    ),
    ("today", ["Today: {a}", "Сейчас: {a}"]),
    ("equally", ["{a} – equally", "{a} — поровну"]),
    ("phone", ["Use {a}, the zone of this device", "Взять {a}, как на этом устройстве"]),
    ("starts", ["{a} from {b}", "{a} с {b}"]),
    (
        "first",
        [
            "The first try was recorded. Check it before you send the change.",
            "Первая попытка уже записана. Проверьте её, прежде чем отправлять изменения.",
        ],
    ),
    (
        "changed",
        [
            "Not saved: it was changed in the meantime. Your entry is kept.",
            "Не записано: данные изменились. Ввод сохранён.",
        ],
    ),
    ("undo", ["Undo", "Отменить"]),
    ("undone", ["Taken back", "Отменено"]),
    (
        "nobody",
        [
            "Nobody of the usual split is in the group now: choose another split.",
            "Никто из «Как обычно» сейчас не в группе: выберите другое деление.",
        ],
    ),
    ("away", ["{a} is not in the group.", "{a} не состоит в группе."]),
    (
        "used",
        [
            "It works once, within 10 minutes. Make a new one in Telegram.",
            "Она действует один раз в течение 10 минут. Создайте новую в Telegram.",
        ],
    ),
    (
        "yours",
        [
            "Sign in to Fracti in this browser? Only if you made this link yourself.",
            "Войти в Fracti в этом браузере? Только если вы сами создали эту ссылку.",
        ],
    ),
    (
        "repeated",
        [
            "This payment is recorded already, and waits to be confirmed.",
            "Этот платёж уже записан и ждёт подтверждения.",
        ],
    ),
    ("confirm", ["Confirm the payment of {a}", "Подтвердить платёж, {a}"]),
    ("look", ["Show it", "Показать его"]),
    ("another", ["It is another payment", "Это другой платёж"]),
    (
        "odd",
        [
            "{a} or {b}: the remainder goes to each in turn",
            "{a} или {b}: остаток достаётся всем по очереди",
        ],
    ),
    ("copied", ["Copied", "Скопировано"]),
    ("guest", ["New guest", "Новый гость"]),
    (
        "plan",
        [
            "Expenses: {a}, payments: {b}; already in the group: {c}",
            "Расходов: {a}, платежей: {b}; уже в группе: {c}",
        ],
    ),
    ("further", ["and {a} more", "и ещё {a}"]),
    ("pays", ["Payment", "Платёж"]),
    ("adjusts", ["Adjustment", "Корректировка"]),
    (
        "imported",
        ["Imported. Expenses: {a}, payments: {b}", "Импортировано. Расходов: {a}, платежей: {b}"],
    ),
    ("without", ["Import without {a}", "Импортировать без {a}"]),
    ("amount", ["An amount like {a}", "Сумма, например {a}"]),
    ("number", ["A number like {a}", "Число, например {a}"]),
    ("decimals", ["{a} has {b} decimals", "{a}: знаков после запятой — {b}"]),
    ("whole", ["{a} has no decimals", "{a}: без знаков после запятой"]),
    ("other", ["Amounts here are in {a}", "Суммы здесь — в {a}"]),
    ("which", ["Which amount?", "Какая сумма?"]),
    ("grouped", ["{a} (thousands)", "{a} (тысячи)"]),
    ("pointed", ["{a} (decimals)", "{a} (дробь)"]),
    ("chooseAmount", ["choose the amount first", "сначала выберите сумму"]),
    ("sign", ["Which {a}?", "Какая валюта, {a}?"]),
    ("noAmount", ["Enter the amount", "Укажите сумму"]),
    ("noDescription", ["What was it for?", "Напишите, за что"]),
    ("noRecipient", ["Choose who is paid", "Выберите, кому платят"]),
    ("ahead", ["Counts now, not from that day on", "Учитывается сразу, а не с этого дня"]),
    (
        "night",
        [
            "Until 4:00, the night counts as the day before",
            "До 4:00 ночь относится к прошедшему дню",
        ],
    ),
    ("draft", ["Draft of {a}", "Черновик от {a}"]),
    ("anew", ["Discard it", "Отбросить его"]),
    ("take", ["Use {a}", "Взять {a}"]),
    ("keep", ["Keep my {a}", "Оставить моё: {a}"]),
    ("theirs", ["Another member changed {a} to {b}.", "Другой участник изменил: {a} — {b}."]),
    (
        "gone",
        [
            "It was deleted meanwhile. Your entry is kept.",
            "Тем временем это удалили. Ваша запись сохранена.",
        ],
    ),
    ("currency", ["Currency", "Валюта"]),
    ("findCurrency", ["Code, name or sign", "Код, название или знак"]),
    ("asNew", ["Record it as new", "Записать заново"]),
    ("rest", ["{a} of {b} left", "Осталось распределить {a} из {b}"]),
    ("restTo", ["give it to {a}", "добавить к доле: {a}"]),
    ("over", ["{a} more than {b}", "На {a} больше, чем {b}"]),
    ("no", ["Cancel", "Отмена"]),
    ("yes", ["Yes", "Да"]),
];

/// The script, with its texts in the place of `TEXTS`, and the stems of words in that of `STEMS`.
pub(crate) fn with_texts(script: &str, texts: &[ScriptText]) -> String {
    let texts: Map<String, Value> =
        texts.iter().map(|(name, forms)| ((*name).to_owned(), json!(forms))).collect();
    let stems = STEMS.map(|(category, stems)| json!([category, stems]));
    let script = script.replacen("TEXTS", &Value::from(texts).to_string(), 1);
    script.replacen("STEMS", &json!(stems).to_string(), 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn each_text_has_a_name_of_its_own() {
        for texts in [APP.as_slice(), &MORE] {
            let names: BTreeSet<&str> = texts.iter().map(|(name, _)| *name).collect();
            assert_eq!(names.len(), texts.len(), "{names:?}");
        }
    }
}
