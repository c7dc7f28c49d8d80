//! The request that records an expense like another one.

use super::{Expense, LineInput, NewExpense, Payer, PayerInput, SplitInput};
use crate::input::Field;

impl NewExpense {
    /// The request for an expense like `of`: its amount, payers, shares or lines, and what
    /// describes it, but not its date.
    #[must_use]
    pub fn like(of: &Expense) -> Self {
        let (split_type, splits) = SplitInput::of(of);
        let payer = |it: &Payer| PayerInput {
            user: Field::Value(it.user_id),
            amount: Field::Value(it.amount),
        };
        let (payer, payers) = if of.payers.is_empty() {
            (Field::Value(of.payer_id), Field::Absent)
        } else {
            (Field::Absent, Field::Value(of.payers.iter().map(payer).collect()))
        };
        let (splits, items) = match &of.items {
            None => {
                let used = splits.into_iter().map(|it| it.used_by(split_type)).collect();
                (Field::Value(used), Field::Absent)
            }
            Some(lines) => (Field::Absent, Field::Value(lines.iter().map(LineInput::of).collect())),
        };
        Self {
            spending: Field::Absent,
            amount: Field::Value(of.amount),
            description: Field::from(of.description.parse().ok()),
            payer,
            payers,
            split_type: Field::Value(split_type),
            splits,
            items,
            currency: Field::Value(of.currency),
            category: of.category.into(),
            date: Field::Absent,
            notes: Field::from(of.notes.as_ref().and_then(|notes| notes.parse().ok())),
        }
    }
}
