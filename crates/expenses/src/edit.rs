//! Request body that edits an expense.

use fracti_core::{expense::Edit, input::Field};
use fracti_http::{Body, Value, schemas};
use utoipa::ToSchema;

use crate::create::{CreateLine, CreatePayer, CreateSplit, read_items, read_payers, read_splits};

/// Changes to an expense. A field that is left out stays as it is.
#[derive(ToSchema)]
#[schema(
    rename_all = "camelCase",
    example = json!({ "amount": 75, "description": "Dinner and a taxi" })
)]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct EditExpense {
    /// New amount.
    amount: Option<schemas::ExpenseAmountInput>,
    /// New description.
    description: Option<schemas::ExpenseDescription>,
    /// New payer of all of it, a member of the group.
    payer_id: Option<schemas::MemberId>,
    /// New payers, each once, instead of `payerId`. A new amount of an expense with several payers
    /// needs them or a `payerId`.
    payers: Option<Vec<CreatePayer>>,
    /// How to split it. Without `splits`, it is split among the members who share it now.
    split_type: Option<schemas::SplitType>,
    /// Members who share it, each once.
    splits: Option<Vec<CreateSplit>>,
    /// Lines of the receipt. Without `amount`, the amount becomes their sum, unless one of them
    /// takes the rest.
    items: Option<Vec<CreateLine>>,
    /// New currency.
    currency: Option<schemas::Currency>,
    /// New category; `null` removes it.
    #[schema(schema_with = schemas::category_or_null, required = false)]
    category: Option<schemas::ExpenseCategory>,
    /// New day on which it happened, from 1970-01-01 to one year ahead.
    date: Option<schemas::CalendarDate>,
    /// New notes; `null` removes them.
    #[schema(schema_with = schemas::notes_or_null, required = false)]
    notes: Option<schemas::ExpenseNotes>,
}

impl Body for EditExpense {
    type Fields = Edit;

    fn read(value: Value<'_, '_>) -> Field<Edit> {
        value.object(|expense| Edit {
            amount: expense.field("amount").scalar(),
            description: expense.field("description").text(),
            payer: expense.field("payerId").text(),
            payers: read_payers(expense.field("payers")),
            split_type: expense.field("splitType").text(),
            splits: read_splits(expense.field("splits")),
            items: read_items(expense.field("items")),
            currency: expense.field("currency").text(),
            category: expense.field("category").nullable(Value::text),
            date: expense.field("date").text(),
            notes: expense.field("notes").nullable(Value::text),
        })
    }
}
