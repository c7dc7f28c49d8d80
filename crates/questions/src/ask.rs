//! Request body that asks a question.

use fracti_core::{
    input::limits::MAX_SHARES,
    questions::question::{MAX_ANSWERS, NewQuestion},
    records::expense::{MAX_LINES, NewExpense},
    values::category::Category,
};
use fracti_http::{CreateLine, CreatePayer, body, schemas};

body! {
    /// A question to ask.
    #[example = {
        "type": "multiple_choice", "prompt": "Pizza or sushi?", "options": ["Pizza", "Sushi"],
        "requiredResponses": 2,
    }]
    pub(crate) CreateQuestion => NewQuestion {
        /// What kind of answer it takes.
        question_type: "type".required().text(),
        /// What is asked.
        prompt: "prompt".required().text(),
        /// Options, each once; required for `multiple_choice`, and only then.
        options: "options".texts(2..=10),
        /// Receipt whose items members claim; required for `items`, and only then.
        receipt: "receipt".of::<CreateReceipt>(),
        /// Category. That of an `items` question is the receipt's.
        category: "category".text(),
        /// Present members who are asked, each once. Default: all, also those who join later; of a
        /// question that is not of type `items`, all users but the asker.
        audience: "audience".texts(1..=MAX_ANSWERS),
        /// Whether members see the answers without names, once it is over and has at least 3. It
        /// needs at least 3 answers, and no guest is asked. Not with `items`.
        anonymous: "anonymous".flag(),
        /// Number of answers after which it is closed. Default: as many members as are asked now,
        /// at most 50. Not with `items`, which claims do not close.
        required_responses: "requiredResponses".number(schemas::RequiredResponses),
        /// Seconds for which it takes answers. Default: 3600, of at most 86400; with `items`,
        /// 604800, of at most 2592000.
        timeout_seconds: "timeoutSeconds".number(schemas::TimeoutSeconds),
    }
}

body! {
    /// A receipt whose items members claim. An item without `sharers` is claimed.
    CreateReceipt => NewExpense {
        /// Amount that was paid, above zero. Default: the sum of the lines, if none of them takes
        /// the rest.
        amount: "amount".number(schemas::AmountInput),
        /// What was paid for.
        description: "description".required().text(),
        /// Member who paid all of it. Default: the asker.
        payer: "payerId".text(),
        /// Members who paid it, each once, instead of `payerId`. Their amounts sum to the amount.
        payers: "payers".objects::<CreatePayer>(1..=MAX_SHARES),
        /// Lines of the receipt.
        items: "items".required().objects::<CreateLine>(1..=MAX_LINES),
        /// Currency of all amounts. Default: the group's currency.
        currency: "currency".text(),
        /// Category.
        category: "category".text(),
        /// Day on which it happened, from 1970-01-01 to one year ahead. Default: today in the
        /// asker's time zone, where a day begins at 04:00.
        date: "date".text(),
        /// Notes.
        notes: "notes".text(),
    } => NewExpense {
        amount, description, payer, payers, items, currency, date, notes,
        category: category.map(|built_in: Category| built_in.into()),
        ..NewExpense::default()
    }
}
