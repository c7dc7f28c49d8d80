//! Request body that edits an expense.

use fracti_core::{
    currency::Currency,
    decimal::Decimal,
    expense::{Category, Edit},
    id::UserId,
    split::SplitType,
    text::Description,
};
use fracti_http::{Problem, Scalar, Stated, Text, schemas};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::create::CreateSplit;

/// Changes to an expense. A field that is left out stays as it is.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({ "amount": 75, "description": "Dinner and a taxi" }))]
pub(crate) struct EditExpense {
    /// New amount.
    #[schema(value_type = Option<schemas::AmountInput>)]
    amount: Option<Scalar<Decimal>>,
    /// New description.
    #[schema(value_type = Option<schemas::ExpenseDescription>)]
    description: Option<Text<Description>>,
    /// New payer, a member of the group.
    #[schema(value_type = Option<schemas::UserId>)]
    payer_id: Option<Text<UserId>>,
    /// How to split it. Without `splits`, it is split among the members who share it now.
    #[schema(value_type = Option<schemas::SplitType>)]
    split_type: Option<Text<SplitType>>,
    /// Members who share it, up to 45, each once.
    #[schema(min_items = 1, max_items = 45)]
    splits: Option<Vec<CreateSplit>>,
    /// New currency.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// New category; `null` removes it.
    #[serde(default)]
    #[schema(schema_with = schemas::category_or_null)]
    category: Stated<Text<Category>>,
}

impl EditExpense {
    /// The edit that is asked for; whether it comes out, the expense says.
    ///
    /// # Errors
    ///
    /// A [`Problem`] with the field that is missing; more splits than 45.
    pub(crate) fn read(self) -> Result<Edit, Problem> {
        let Stated(category) = self.category;
        Ok(Edit {
            amount: self.amount.map(|Scalar(amount)| amount),
            currency: self.currency.map(|Text(currency)| currency),
            description: self.description.map(|Text(description)| description),
            payer: self.payer_id.map(|Text(user)| user),
            split_type: self.split_type.map(|Text(split_type)| split_type),
            sharers: self.splits.map(CreateSplit::read).transpose()?,
            category: category.map(|category| category.map(|Text(category)| category)),
        })
    }
}
