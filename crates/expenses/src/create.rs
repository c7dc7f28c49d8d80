//! Request body that creates an expense.

use fracti_core::{
    expense::{LineInput, MAX_LINES, NewExpense, PayerInput, SharerInput, SplitInput},
    input::Field,
    split::MAX_SHARES,
};
use fracti_http::{Body, JsonScalar, Value, schemas};
use utoipa::ToSchema;

/// An expense to record.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase", example = json!({
    "amount": 72.4, "description": "Dinner at restaurant", "splitType": "exact",
    "splits": [{ "userId": "123456789", "amount": 40 }, { "userId": "987654321", "amount": "32.40" }],
}))]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateExpense {
    /// A spending of the caller, which becomes this expense and is deleted. The caller is the
    /// payer. The amount and the currency are those of the spending; so are the description, the
    /// date and, if it has exactly one of the categories of expenses, the category, unless they are
    /// sent.
    spending_id: Option<schemas::SpendingId>,
    /// Amount that was paid; negative if it was received. Default, for an `itemized` split in which
    /// no line takes the rest: the sum of the lines.
    amount: Option<schemas::ExpenseAmountInput>,
    /// What was paid for. Required unless `spendingId` is sent.
    description: Option<schemas::ExpenseDescription>,
    /// Member who paid all of it. Default: the caller.
    payer_id: Option<schemas::MemberId>,
    /// Members who paid it, each once, instead of `payerId`. Their amounts sum to the amount.
    payers: Option<Vec<CreatePayer>>,
    /// How to split it. Default: `equal`.
    split_type: Option<schemas::SplitType>,
    /// Members who share it, each once. Default: all members of the group share it equally.
    splits: Option<Vec<CreateSplit>>,
    /// Lines of the receipt, for an `itemized` split. Items, taxes, tips and fees minus discounts
    /// are the amount.
    items: Option<Vec<CreateLine>>,
    /// Currency of all amounts. Default: the group's currency.
    currency: Option<schemas::Currency>,
    /// Category.
    category: Option<schemas::ExpenseCategory>,
    /// Day on which it happened, from 1970-01-01 to one year ahead. Default: today in the caller's
    /// time zone, where a day begins at 04:00.
    date: Option<schemas::CalendarDate>,
    /// Notes.
    notes: Option<schemas::ExpenseNotes>,
}

/// A member who paid a part of an expense.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreatePayer {
    /// Member who paid.
    user_id: schemas::MemberId,
    /// Amount that the member paid. One payer may omit it and pays the rest; a payer of 0, or
    /// of a rest of 0, is dropped.
    amount: Option<schemas::PartAmountInput>,
}

/// A member's part in splitting an expense.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateSplit {
    /// Member who shares the expense.
    user_id: schemas::MemberId,
    /// Amount of the share; only in an `exact` split.
    amount: Option<schemas::PartAmountInput>,
    /// Percentage of the expense; only in a `percentage` split, whose percentages sum to 100.
    percentage: Option<schemas::PercentageInput>,
    /// Weight of the member, at most 10000; only in a `shares` split.
    weight: Option<schemas::WeightInput>,
    /// What the member pays more or less than the others; only in an `adjustment` split. Default:
    /// 0.
    adjustment: Option<schemas::AdjustmentInput>,
}

/// A line of a receipt.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateLine {
    /// Kind of the line. Default: `item`.
    kind: Option<schemas::LineKind>,
    /// Name, as printed.
    name: schemas::LineName,
    /// Amount of the whole line; what a `discount` takes off. Default, for an `item` or a `fee`:
    /// what the other lines leave of the expense's amount. At most one line takes this rest.
    amount: Option<schemas::PartAmountInput>,
    /// Whether the line takes the rest, even if it has an amount. Default: if it has none.
    rest: Option<bool>,
    /// Number of pieces, for display.
    quantity: Option<schemas::QuantityInput>,
    /// Price of a piece, for display.
    price: Option<schemas::PriceInput>,
    /// Members who share the line, each once. Default: for an `item`, all members; for other kinds,
    /// those who share the items that it applies to.
    sharers: Option<Vec<CreateSharer>>,
    /// Indexes, from 0, of the items that a line of another kind applies to. Default: all items.
    over: Option<Vec<usize>>,
    /// How a line of another kind is divided among the members who share these items. Default:
    /// `proportional`.
    split: Option<schemas::LineSplit>,
}

/// A member who shares a line.
#[derive(ToSchema)]
#[schema(rename_all = "camelCase")]
#[expect(dead_code, reason = "describes the body that is read")]
pub(crate) struct CreateSharer {
    /// Member who shares the line.
    user_id: schemas::MemberId,
    /// Weight of the member, at most 1000000000. Default: 1.
    weight: Option<schemas::WeightInput>,
}

impl Body for CreateExpense {
    type Fields = NewExpense;

    fn read(value: Value<'_, '_>) -> Field<NewExpense> {
        value.object(|expense| {
            let new = NewExpense {
                spending: expense.field("spendingId").text(),
                amount: expense.field("amount").scalar(),
                description: expense.field("description").text(),
                payer: expense.field("payerId").text(),
                payers: read_payers(expense.field("payers")),
                split_type: expense.field("splitType").text(),
                splits: read_splits(expense.field("splits")),
                items: read_items(expense.field("items")),
                currency: expense.field("currency").text(),
                category: expense.field("category").text(),
                date: expense.field("date").text(),
                notes: expense.field("notes").text(),
            };
            if !new.spending.is_absent() {
                for (field, is_absent) in [
                    ("amount", new.amount.is_absent()),
                    ("payerId", new.payer.is_absent()),
                    ("payers", new.payers.is_absent()),
                    ("items", new.items.is_absent()),
                    ("currency", new.currency.is_absent()),
                ] {
                    if !is_absent {
                        let rule = format!("{field} must be left out if spendingId is sent");
                        expense.refuse(field, rule);
                    }
                }
            }
            new
        })
    }
}

/// Reads `payers`.
pub(crate) fn read_payers(value: Value<'_, '_>) -> Field<Vec<PayerInput>> {
    value.objects(1..=MAX_SHARES, |payer| PayerInput {
        user: payer.field("userId").required().text(),
        amount: payer.field("amount").scalar(),
    })
}

/// Reads `splits`. Their maximum number is checked by the split, because it has an error code.
pub(crate) fn read_splits(value: Value<'_, '_>) -> Field<Vec<SplitInput>> {
    value.objects(1..=usize::MAX, |split| SplitInput {
        user: split.field("userId").required().text(),
        amount: split.field("amount").scalar(),
        percentage: split.field("percentage").scalar(),
        weight: split.field("weight").scalar(),
        adjustment: split.field("adjustment").scalar(),
    })
}

/// Reads `items`.
pub(crate) fn read_items(value: Value<'_, '_>) -> Field<Vec<LineInput>> {
    value.objects(1..=MAX_LINES, |line| LineInput {
        kind: line.field("kind").text(),
        name: line.field("name").required().text(),
        amount: line.field("amount").scalar(),
        rest: line.field("rest").flag(),
        quantity: line.field("quantity").scalar(),
        price: line.field("price").scalar(),
        sharers: line.field("sharers").objects(1..=usize::MAX, |sharer| SharerInput {
            user: sharer.field("userId").required().text(),
            weight: sharer.field("weight").scalar(),
        }),
        over: line.field("over").list(1..=MAX_LINES, |index| {
            index.parse(|scalar| match scalar {
                JsonScalar::Other(index) => {
                    index.parse().map_err(|_| Some("must be a whole number".to_owned()))
                }
                JsonScalar::Text(_) => Err(Some("must be a whole number".to_owned())),
            })
        }),
        split: line.field("split").text(),
    })
}
