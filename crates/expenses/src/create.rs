//! Request body that records an expense.

use fracti_core::{
    Error,
    currency::Currency,
    decimal::Decimal,
    expense::{Category, Division, NewExpense, Sharer},
    id::UserId,
    split::{MAX_SHARES, SplitError, SplitType},
    text::Description,
};
use fracti_http::{Problem, Scalar, Text, required, schemas};
use serde::Deserialize;
use utoipa::ToSchema;

/// An expense to record.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
#[schema(example = json!({
    "amount": 72.4, "description": "Dinner at restaurant", "splitType": "exact",
    "splits": [{ "userId": "123456789", "amount": 40 }, { "userId": "987654321", "amount": "32.40" }],
}))]
pub(crate) struct CreateExpense {
    /// Amount that was paid.
    #[schema(value_type = schemas::AmountInput)]
    amount: Option<Scalar<Decimal>>,
    /// What was paid for.
    #[schema(value_type = schemas::ExpenseDescription)]
    description: Option<Text<Description>>,
    /// Member who paid. Default: the caller.
    #[schema(value_type = Option<schemas::UserId>)]
    payer_id: Option<Text<UserId>>,
    /// How to split it. Default: `equal`.
    #[schema(value_type = Option<schemas::SplitType>)]
    split_type: Option<Text<SplitType>>,
    /// Members who share it, up to 45, each once. Default: all members of the group share it equally.
    #[schema(min_items = 1, max_items = 45)]
    splits: Option<Vec<CreateSplit>>,
    /// Currency of all amounts. Default: the group's currency.
    #[schema(value_type = Option<schemas::Currency>)]
    currency: Option<Text<Currency>>,
    /// Category.
    #[schema(value_type = Option<schemas::ExpenseCategory>)]
    category: Option<Text<Category>>,
}

/// A member's part in splitting an expense.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", expecting = "an object")]
pub(crate) struct CreateSplit {
    /// Member who shares the expense.
    #[schema(value_type = schemas::UserId)]
    user_id: Option<Text<UserId>>,
    /// Amount of the share; for an `exact` split.
    #[schema(value_type = Option<schemas::ShareAmountInput>)]
    amount: Option<Scalar<Decimal>>,
    /// Percentage of the expense; for a `percentage` split, whose percentages sum to 100.
    #[schema(value_type = Option<schemas::PercentageInput>)]
    percentage: Option<Scalar<Decimal>>,
}

impl CreateExpense {
    /// The expense that is asked for; whether it comes out, the group says.
    ///
    /// # Errors
    ///
    /// A [`Problem`] with the field that is missing; more splits than 45.
    pub(crate) fn read(self) -> Result<NewExpense, Problem> {
        let split_type = self.split_type.map_or(SplitType::Equal, |Text(split_type)| split_type);
        let sharers = self.splits.map(CreateSplit::read).transpose()?;
        Ok(NewExpense {
            amount: required("amount", self.amount)?.0,
            description: required("description", self.description)?.0,
            payer: self.payer_id.map(|Text(user)| user),
            division: Division::of(split_type, sharers.as_deref())?,
            currency: self.currency.map(|Text(currency)| currency),
            category: self.category.map(|Text(category)| category),
        })
    }
}

impl CreateSplit {
    /// Those who share.
    ///
    /// # Errors
    ///
    /// A [`Problem`] with the field that is missing; more splits than 45.
    pub(crate) fn read(splits: Vec<Self>) -> Result<Vec<Sharer>, Problem> {
        if splits.len() > MAX_SHARES {
            return Err(Error::TooManyShares(splits.len()).into());
        }
        let sharer = |(index, split): (usize, Self)| {
            let Text(user) = required(&format!("splits[{index}].userId"), split.user_id)?;
            let amount = split.amount.map(|Scalar(amount)| amount);
            let percentage = split.percentage.map(|Scalar(percentage)| percentage);
            // Also where the way to split does not look at it.
            for (field, number) in [("amount", amount), ("percentage", percentage)] {
                if number.is_some_and(Decimal::is_negative) {
                    let rule = SplitError::Negative(index).to_string();
                    return Err(Problem::invalid(format!("splits[{index}].{field}"), rule));
                }
            }
            Ok(Sharer { user, amount, percentage })
        };
        splits.into_iter().enumerate().map(sharer).collect()
    }
}
