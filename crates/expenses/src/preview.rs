//! Previews: what an expense would be, without recording it.

use axum::extract::State;
use fracti_core::{decisions::expenses::PreviewedExpense, values::id::ExpenseId};
use fracti_http::{
    App, AsMember, Code, Context, Credential, Data, Id, JsonDecimal, Once, PayerView, PreviewView,
    Problem, Text, schemas,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::{create::CreateExpense, edit::EditExpense};

/// What an expense would be.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExpensePreview {
    /// Amount in major units, with all digits; negative if the payers received it.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// Currency of the amounts.
    currency: schemas::Currency,
    /// Payers, whose amounts sum to the amount.
    payers: Vec<PayerView>,
    /// Shares of the members. With one of each pair of `amount` and `or`, they sum to the amount.
    splits: Vec<PreviewView>,
    /// Category that the description suggests, if it is sent without `category`. Recording does not
    /// choose it by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    suggested_category: Option<schemas::BuiltInCategory>,
}

/// Preview an expense.
///
/// It is checked and divided, and not recorded. It takes the body of the expense, in which
/// `description` may be missing. The id of an expense decides which members get the minor units
/// that are left over; a new expense has none yet. Members between whom it decides have `or`, which
/// is one minor unit more. All other shares are exact. It is a read to scopes and quotas.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses/preview", tag = "expenses",
    responses((status = OK, body = Data<ExpensePreview>)),
    extensions(("x-errors" = json!([Code::SpendingNotFound, Code::TooManySplits]))))]
pub(crate) async fn preview_expense(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Context { now, .. }: Context,
    via: Credential,
    once: Once<CreateExpense>,
) -> Result<Data<ExpensePreview>, Problem> {
    // Spendings are personal.
    if once.body.spending().is_some() {
        via.require_any_group()?;
    }
    let preview = app.table.preview_expense(member_key, &once.body, now).await?;
    let suggested_category = once.body.suggested_category().map(Text);
    Ok(Data::new(ExpensePreview { suggested_category, ..preview.into() }))
}

/// Preview changes to an expense.
///
/// It is checked and divided, and not recorded. Allowed for whom the edit is. The expense keeps its
/// id, so all shares are exact. It is a read to scopes and quotas.
#[utoipa::path(post, path = "/api/groups/{groupId}/expenses/{expenseId}/preview", tag = "expenses",
    responses((status = OK, body = Data<ExpensePreview>)),
    extensions(("x-errors" = json!([Code::NotAllowed, Code::TooManySplits]))))]
pub(crate) async fn preview_expense_edit(
    State(app): State<App>,
    AsMember(member_key, ()): AsMember,
    Id(expense): Id<ExpenseId>,
    Context { now, .. }: Context,
    once: Once<EditExpense>,
) -> Result<Data<ExpensePreview>, Problem> {
    Ok(Data::new(app.table.preview_edit(member_key, expense, &once.body, now).await?.into()))
}

impl From<PreviewedExpense> for ExpensePreview {
    fn from(PreviewedExpense { amount, payers, shares }: PreviewedExpense) -> Self {
        Self {
            amount: JsonDecimal(amount.to_major()),
            currency: Text(amount.currency),
            payers: payers.into_iter().map(PayerView::from).collect(),
            splits: shares.into_iter().map(PreviewView::from).collect(),
            suggested_category: None,
        }
    }
}
