//! The texts of questions and receipts that are claimed.

use super::{Texts, texts};
use fracti_core::{questions::question::QuestionType, values::question_status::QuestionStatus};
use fracti_texts::Language;

texts! {
    questions { "Questions", "Вопросы и чеки" }
    no_questions { "No questions yet.", "Вопросов пока нет." }
    ask { "Ask", "Спросить" }
    new_question { "New question", "Новый вопрос" }
    prompt { "Question", "Вопрос" }
    option_number(number) { "Option {number}", "Вариант {number}" }
    who_had_what { "Who had what?", "Кто что заказал?" }
    answer { "Answer", "Ответ" }
    answer_now { "Answer", "Ответить" }
    answer_it { "Send answer", "Ответить" }
    answers { "Answers", "Ответы" }
    no_answers { "No answers yet.", "Ответов пока нет." }
    anonymous { "Show answers without names", "Показывать ответы без имён" }
    someone { "Somebody", "Кто-то" }
    answered_of(count, needed) { "{count} of {needed} answered", "Ответов: {count} из {needed}" }
    asked_by_you { "Asked by you", "Вопрос задали вы" }
    asked_by(name) { "Asked by {name}", "Спрашивает {name}" }
    you_answered { "You have answered.", "Вы ответили." }
    hidden_answers { "Answers are shown once the question is over and has at least three.",
        "Ответы появятся, когда вопрос закроется и ответят не меньше трёх человек." }
    close_receipt { "Close without recording", "Закрыть без записи расхода" }
    close { "Close question", "Закрыть вопрос" }
    what_did_you_have { "Tap what you had: each tap is saved", "Отметьте своё: отметки сохраняются сразу" }
    what_did_guest_have(name) { "Tap what {name} had: each tap is saved",
        "Отметьте, что было у гостя {name}: отметки сохраняются сразу" }
    answer_for_guest { "Answer for a guest", "Ответить за гостя" }
    answer_for_me { "Back to your own answer", "К своему ответу" }
    for_the_guest(name) { "The answer of the guest {name}", "Ответ гостя {name}" }
    has_answered { "answered", "ответ есть" }
    nothing_of(name) { "{name} had none of it", "У гостя {name} здесь ничего нет" }
    with_extras(extras) { "The sums include a part of: {extras}.", "В суммах учтена часть: {extras}." }
    unclaimed { "nobody yet", "пока никто" }
    overclaimed { "more than there is", "больше, чем есть" }
    pieces_left(count) { "{count} left", "осталось {count}" }
    shared_by_all(count) { "{count} shared by all", "{count} на всех" }
    fixed_sharers { "shared as the receipt says", "делится, как указано в чеке" }
    line_amounts { "For 3 pieces, enter the price of all three.",
        "За 3 штуки пишите цену всех трёх, а не одной." }
    not_recorded_yet { "not an expense yet", "ещё не расход" }
    shares_now { "Shares as of now", "Доли пока такие" }
    shares_claimed(amount) { "Shares as of now, without {amount} that nobody claimed",
        "Доли пока такие; ещё не отмечено: {amount}" }
    record_expense { "Record as expense", "Записать как расход" }
    rest_to { "Who pays for what nobody claimed", "Кто платит за неотмеченное" }
    rest_reject { "Nobody: claim it first", "Никто: сначала отметить" }
    without_claims { "No items are marked yet, so the payer bears the whole receipt. Record it anyway?",
        "Пока никто ничего не отметил: всё достанется тому, кто платил. Всё равно записать?" }
    rest_claimers { "All who had something", "Все, кто что-то заказал" }
    rest_payers { "The one who paid", "Тот, кто оплатил чек" }
    show_expense { "Show the expense", "Показать расход" }
    share_link { "Send link", "Отправить ссылку" }
    quantity { "Pieces", "Штук" }
    price_of_all { "Price for all", "Цена за всё" }
    for_all { " (price for all)", " (цена за все)" }
    less { "Less", "Меньше" }
    more_of { "More", "Больше" }
    nobody_yet(amount) { "Not claimed yet: {amount}", "Ещё не отмечено: {amount}" }
    nothing_share { "I had none of it", "Моего здесь ничего нет" }
}

impl Texts {
    /// Type of a question.
    pub(crate) const fn question_type(self, question: QuestionType) -> &'static str {
        match (self.0, question) {
            (Language::English, QuestionType::Text) => "Text",
            (Language::English, QuestionType::MultipleChoice) => "Choice",
            (Language::English, QuestionType::Items) => "Receipt",
            (Language::Russian, QuestionType::Text) => "Текст",
            (Language::Russian, QuestionType::MultipleChoice) => "Варианты",
            (Language::Russian, QuestionType::Items) => "Чек",
        }
    }

    /// Status of a question.
    pub(crate) const fn question_status(self, status: QuestionStatus) -> &'static str {
        match (self.0, status) {
            (Language::English, QuestionStatus::Open | QuestionStatus::Partial) => "open",
            (Language::English, QuestionStatus::Closed) => "closed",
            (Language::English, QuestionStatus::Expired) => "expired",
            (Language::Russian, QuestionStatus::Open | QuestionStatus::Partial) => "открыт",
            (Language::Russian, QuestionStatus::Closed) => "закрыт",
            (Language::Russian, QuestionStatus::Expired) => "время вышло",
        }
    }

    /// "Done · I had 3 things: 10.96 EUR", or a guest had them.
    pub(crate) fn had_things(self, guest: Option<&str>, count: u64, amount: &str) -> String {
        let english = ["thing", "things"];
        let russian = ["позиция", "позиции", "позиций"];
        let word = self.plural(count, english, russian);
        match (self.0, guest) {
            (Language::English, None) => format!("Done · I had {count} {word}: {amount}"),
            (Language::English, Some(name)) => {
                format!("Done · {name} had {count} {word}: {amount}")
            }
            (Language::Russian, None) => format!("Готово · у меня {count} {word}: {amount}"),
            (Language::Russian, Some(name)) => {
                format!("Готово · у гостя {name} {count} {word}: {amount}")
            }
        }
    }
}
