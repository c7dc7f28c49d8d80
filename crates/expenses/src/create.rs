//! Request body that creates an expense.

use std::ops::RangeInclusive;

use fracti_core::{
    input::limits::MAX_SHARES,
    records::expense::{MAX_LINES, NewExpense, SplitInput},
};
use fracti_http::{CreateLine, CreatePayer, body, schemas};
use fracti_texts::rule;

body! {
    /// An expense to record.
    #[example = {
        "amount": 72.4, "description": "Dinner at restaurant", "splitType": "exact",
        "splits": [
            { "userId": "123456789", "amount": 40 }, { "userId": "987654321", "amount": "32.40" }
        ],
    }]
    pub(crate) CreateExpense => NewExpense {
        /// A spending of the caller, which becomes this expense and is deleted. The caller is the
        /// payer. The amount and the currency are those of the spending; so are the description,
        /// the date and, if it has exactly one of the categories of expenses, the category, unless
        /// they are sent.
        spending: "spendingId".text(),
        /// Amount that was paid; negative if it was received. Default, for an `itemized` split in
        /// which no line takes the rest: the sum of the lines.
        amount: "amount".number(schemas::ExpenseAmountInput),
        /// What was paid for. Required unless `spendingId` is sent.
        description: "description".text(),
        /// Member who paid all of it. Default: the caller.
        payer: "payerId".text(),
        /// Members who paid it, each once, instead of `payerId`. Their amounts sum to the amount.
        payers: "payers".objects::<CreatePayer>(1..=MAX_SHARES),
        /// How to split it. Default: `equal`.
        split_type: "splitType".text(),
        /// Members who share it, each once. Default: if `splitType` is left out, too, by the
        /// group's default split; otherwise all members of the group share it equally.
        splits: "splits".documented(1..=MAX_SHARES).objects::<CreateSplit>(SPLITS),
        /// Lines of the receipt, for an `itemized` split. Items, taxes, tips and fees minus
        /// discounts are the amount.
        items: "items".objects::<CreateLine>(1..=MAX_LINES),
        /// Currency of all amounts. Default: the group's currency.
        currency: "currency".text(),
        /// Category.
        category: "category".text(),
        /// Day on which it happened, from 1970-01-01 to one year ahead. Default: today in the
        /// caller's time zone, where a day begins at 04:00.
        date: "date".text(),
        /// Notes.
        notes: "notes".text(),
    }
    also |sent| {
        if !spending.is_absent() {
            for (field, is_absent) in [
                ("amount", amount.is_absent()),
                ("payerId", payer.is_absent()),
                ("payers", payers.is_absent()),
                ("items", items.is_absent()),
                ("currency", currency.is_absent()),
            ] {
                if !is_absent {
                    let rule = rule!(
                        "{field} must be left out if spendingId is sent",
                        "не указывайте {field} вместе со spendingId"
                    );
                    sent.refuse(field, rule);
                }
            }
        }
    }
}

/// Number of `splits` that are read. Their maximum is checked by the split, because it has an error
/// code.
pub(crate) const SPLITS: RangeInclusive<usize> = 1..=usize::MAX;

body! {
    /// A member's part in splitting an expense.
    pub(crate) CreateSplit => SplitInput {
        /// Member who shares the expense.
        user: "userId".required().text(),
        /// Amount of the share; only in an `exact` split.
        amount: "amount".number(schemas::PartAmountInput),
        /// Percentage of the expense; only in a `percentage` split, whose percentages sum to 100.
        percentage: "percentage".number(schemas::PercentageInput),
        /// Weight of the member, at most 10000; only in a `shares` split.
        weight: "weight".number(schemas::WeightInput),
        /// What the member pays more or less than the others; only in an `adjustment` split.
        /// Default: 0.
        adjustment: "adjustment".number(schemas::AdjustmentInput),
    }
}
