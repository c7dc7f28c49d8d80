//! Request body that creates an expense.

use fracti_core::{
    expense::{NewExpense, SplitInput},
    input::Field,
};
use fracti_http::{Body, Value, schemas};
use utoipa::ToSchema;

/// An expense to record.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "amount": 72.4, "description": "Dinner at restaurant", "splitType": "exact",
    "splits": [{ "userId": "123456789", "amount": 40 }, { "userId": "987654321", "amount": "32.40" }],
}))]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateExpense {
    /// Amount that was paid.
    amount: schemas::AmountInput,
    /// What was paid for.
    description: schemas::ExpenseDescription,
    /// Member who paid. Default: the caller.
    payer_id: Option<schemas::MemberId>,
    /// How to split it. Default: `equal`.
    split_type: Option<schemas::SplitType>,
    /// Members who share it, each once. Default: all members of the group share it equally.
    splits: Option<Vec<CreateSplit>>,
    /// Currency of all amounts. Default: the group's currency.
    currency: Option<schemas::Currency>,
    /// Category.
    category: Option<schemas::ExpenseCategory>,
    /// Day on which it happened, from 1970-01-01 to one year ahead. Default: today in UTC, where a
    /// day begins at 04:00.
    date: Option<schemas::CalendarDate>,
    /// Notes.
    notes: Option<schemas::ExpenseNotes>,
}

/// A member's part in splitting an expense.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateSplit {
    /// Member who shares the expense.
    user_id: schemas::MemberId,
    /// Amount of the share; for an `exact` split.
    amount: Option<schemas::ShareAmountInput>,
    /// Percentage of the expense; for a `percentage` split, whose percentages sum to 100.
    percentage: Option<schemas::PercentageInput>,
}

impl Body for CreateExpense {
    type Fields = NewExpense;

    fn read(value: Value<'_, '_>) -> Field<NewExpense> {
        value.object(|expense| NewExpense {
            amount: expense.field("amount").required().scalar(),
            description: expense.field("description").required().text(),
            payer: expense.field("payerId").text(),
            split_type: expense.field("splitType").text(),
            splits: read_splits(expense.field("splits")),
            currency: expense.field("currency").text(),
            category: expense.field("category").text(),
            date: expense.field("date").text(),
            notes: expense.field("notes").text(),
        })
    }
}

/// Reads `splits`. Their maximum number is checked by the split, because it has an error code.
pub(crate) fn read_splits(value: Value<'_, '_>) -> Field<Vec<SplitInput>> {
    value.objects(1..=usize::MAX, |split| SplitInput {
        user: split.field("userId").required().text(),
        amount: split.field("amount").scalar(),
        percentage: split.field("percentage").scalar(),
    })
}
