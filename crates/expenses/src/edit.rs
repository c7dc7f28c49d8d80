//! Request body that edits an expense.

use fracti_core::{
    input::limits::MAX_SHARES,
    records::expense::{Edit, MAX_LINES},
};
use fracti_http::{CreateLine, CreatePayer, Value, body, schemas};

use crate::create::{CreateSplit, SPLITS};

body! {
    /// Changes to an expense. A field that is left out stays as it is.
    #[example = { "amount": 75, "description": "Dinner and a taxi" }]
    pub(crate) EditExpense => Edit {
        /// New amount.
        amount: "amount".number(schemas::ExpenseAmountInput),
        /// New description.
        description: "description".text(),
        /// New payer of all of it, a member of the group.
        payer: "payerId".text(),
        /// New payers, each once, instead of `payerId`. A new amount of an expense with several
        /// payers needs them or a `payerId`.
        payers: "payers".objects::<CreatePayer>(1..=MAX_SHARES),
        /// How to split it. Without `splits`, it is split among the members who share it now.
        split_type: "splitType".text(),
        /// Members who share it, each once.
        splits: "splits".documented(1..=MAX_SHARES).objects::<CreateSplit>(SPLITS),
        /// Lines of the receipt. Without `amount`, the amount becomes their sum, unless one of them
        /// takes the rest.
        items: "items".objects::<CreateLine>(1..=MAX_LINES),
        /// New currency.
        currency: "currency".text(),
        /// New category; `null` removes it.
        category: "category".nullable(Value::text),
        /// New day on which it happened, from 1970-01-01 to one year ahead.
        date: "date".text(),
        /// New notes; `null` removes them.
        notes: "notes".nullable(Value::text),
    }
}
