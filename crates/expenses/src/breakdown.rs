//! The breakdown of an expense in responses.

use fracti_core::{
    records::expense::{Expense, ShareBreakdown},
    split::Part,
    values::decimal::Decimal,
};
use fracti_http::{JsonDecimal, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// How the shares of an expense follow from its split.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ExpenseBreakdown)]
pub(crate) struct BreakdownView {
    /// Id of the expense.
    expense_id: schemas::ResourceId,
    /// Amount of the expense.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// The shares with their parts.
    shares: Vec<ShareBreakdownView>,
}

/// A share and its parts.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ShareBreakdown)]
struct ShareBreakdownView {
    /// The member.
    user_id: schemas::MemberId,
    /// Name of the member when the expense was recorded or edited.
    #[schema(example = "Bob Jones")]
    user_name: String,
    /// Amount of the share: the sum of its parts and the rounding.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// The parts. Each is rounded down to the minor unit; of a negative expense, its absolute value
    /// is.
    parts: Vec<PartView>,
    /// Minor units that rounding adds.
    #[schema(value_type = schemas::ExpenseAmount)]
    rounding: JsonDecimal,
}

/// A part of a share.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SharePart)]
struct PartView {
    /// Kind of the part: the type of the split, or the kind of the line. A split with adjustments
    /// has the parts `adjustment` and `equal`.
    kind: schemas::PartKind,
    /// Index of the line, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    /// Name of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Pizza")]
    name: Option<String>,
    /// Amount that was divided.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::ExpenseAmount)]
    of: Option<JsonDecimal>,
    /// Weight or percentage of the member.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::Weight)]
    weight: Option<JsonDecimal>,
    /// Amount of the part. That of a `discount` is subtracted.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
}

impl BreakdownView {
    pub(crate) fn of(expense: &Expense) -> Self {
        Self {
            expense_id: Text(expense.id.into()),
            amount: JsonDecimal(expense.amount),
            currency: Text(expense.currency),
            shares: expense.breakdown().into_iter().map(ShareBreakdownView::from).collect(),
        }
    }
}

impl From<ShareBreakdown<'_>> for ShareBreakdownView {
    fn from(ShareBreakdown { share, parts, rounding }: ShareBreakdown<'_>) -> Self {
        Self {
            user_id: Text(share.user_id),
            user_name: share.user_name.clone(),
            amount: JsonDecimal(share.amount),
            parts: parts.into_iter().map(PartView::from).collect(),
            rounding: JsonDecimal(rounding),
        }
    }
}

impl From<Part<Decimal>> for PartView {
    fn from(part: Part<Decimal>) -> Self {
        let Part { kind, line, of, weight, amount } = part;
        let (line, name) = line.map(|(index, name)| (index, name.to_string())).unzip();
        Self {
            kind: Text(kind),
            line,
            name,
            of: of.map(JsonDecimal),
            weight: weight.map(JsonDecimal),
            amount: JsonDecimal(amount),
        }
    }
}
