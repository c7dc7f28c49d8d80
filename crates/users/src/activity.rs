//! The feed of what happened to a user's money.

use fracti_core::{
    currency::Currency,
    settlement::{Settlement, Status},
    table::Activity,
};
use fracti_http::{Exact, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// One event of the feed.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Activity)]
pub(crate) struct ActivityView {
    /// What happened.
    #[serde(rename = "type")]
    kind: Kind,
    /// The id of the expense or the settlement.
    #[schema(value_type = schemas::Id)]
    id: String,
    /// Its group.
    #[schema(value_type = schemas::Id)]
    group_id: String,
    /// The group's title.
    #[schema(example = "Roommates")]
    group_title: String,
    /// What was paid, is owed, was sent or received.
    amount: Exact,
    /// In which currency; empty where a row of the earlier system does not say.
    #[schema(example = "EUR")]
    currency: &'static str,
    /// What for: of an expense.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Dinner at restaurant")]
    description: Option<String>,
    /// Who paid what is owed, who is paid, or who pays.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::UserId)]
    other_party_id: Option<String>,
    /// The other's name when it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "Bob Jones")]
    other_party_name: Option<String>,
    /// How far it is: of a settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = schemas::SettlementStatus)]
    status: Option<Status>,
    /// When it was recorded.
    #[schema(value_type = schemas::Timestamp)]
    created_at: String,
}

/// What happened.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ActivityType)]
enum Kind {
    /// The caller paid an expense.
    ExpensePaid,
    /// The caller owes a part of an expense.
    ExpenseOwed,
    /// The caller made a settlement.
    SettlementSent,
    /// The caller receives a settlement.
    SettlementReceived,
}

impl From<Activity> for ActivityView {
    fn from(event: Activity) -> Self {
        let created_at = event.created_at().to_string();
        match event {
            Activity::Paid(expense) => Self {
                kind: Kind::ExpensePaid,
                id: expense.id.to_string(),
                group_id: expense.group_id.to_string(),
                group_title: expense.group_title.unwrap_or_default(),
                amount: Exact(expense.amount),
                currency: expense.currency.code(),
                description: Some(expense.description),
                other_party_id: None,
                other_party_name: None,
                status: None,
                created_at,
            },
            Activity::Owed(row) => Self {
                kind: Kind::ExpenseOwed,
                id: row.expense_id.to_string(),
                group_id: row.group_id.to_string(),
                group_title: row.group_title.unwrap_or_default(),
                amount: Exact(row.amount),
                currency: row.currency.map(Currency::code).unwrap_or_default(),
                description: Some(row.description),
                other_party_id: Some(row.payer_id.to_string()),
                other_party_name: Some(row.payer_name),
                status: None,
                created_at,
            },
            Activity::Sent(settlement) => {
                let other = (settlement.to_user_id.to_string(), settlement.to_user_name.clone());
                Self::settlement(Kind::SettlementSent, settlement, other)
            }
            Activity::Received(settlement) => {
                let other =
                    (settlement.from_user_id.to_string(), settlement.from_user_name.clone());
                Self::settlement(Kind::SettlementReceived, settlement, other)
            }
        }
    }
}

impl ActivityView {
    fn settlement(kind: Kind, settlement: Settlement, (id, name): (String, String)) -> Self {
        Self {
            kind,
            id: settlement.id.to_string(),
            group_id: settlement.group_id.to_string(),
            group_title: settlement.group_title.unwrap_or_default(),
            amount: Exact(settlement.amount),
            currency: settlement.currency.code(),
            description: None,
            other_party_id: Some(id),
            other_party_name: Some(name),
            status: Some(settlement.status),
            created_at: settlement.created_at.to_string(),
        }
    }
}
