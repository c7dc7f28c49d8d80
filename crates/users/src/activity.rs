//! The activity feed of a user.

use std::collections::BTreeSet;

use fracti_core::{
    records::{expense::PaidExpense, settlement::Settlement},
    values::{currency::Currency, id::MemberId},
};
use fracti_http::{JsonDecimal, Text, schemas};
use fracti_store::Activity;
use serde::Serialize;
use utoipa::ToSchema;

/// An event that concerns the caller's money.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ActivityItem)]
pub(crate) struct ActivityView {
    /// Type of the event.
    #[serde(rename = "type")]
    kind: Kind,
    /// Id of the expense or the settlement.
    id: schemas::ResourceId,
    /// Group that it belongs to.
    group_id: schemas::ResourceId,
    /// Title of the group; empty, like all texts of the group, if the caller is a past member.
    #[schema(example = "Roommates")]
    group_title: String,
    /// Amount that the caller paid, owes, sent or received; negative for a refund.
    #[schema(value_type = schemas::ExpenseAmount)]
    amount: JsonDecimal,
    /// Currency of the amount; empty for an expense recorded by the TypeScript Fracti, which stored
    /// none.
    #[schema(example = "EUR")]
    currency: &'static str,
    /// Description of the expense; of a settlement it is `Payment to Bob Jones` or `Payment from
    /// Bob Jones`.
    #[schema(example = "Dinner at restaurant")]
    description: String,
    /// The other party: the member who paid most of the expense, apart from the caller, or the
    /// other side of the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_party_id: Option<schemas::MemberId>,
    /// Name of the other party when the event was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Bob Jones")]
    other_party_name: Option<String>,
    /// Status of the settlement.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<schemas::SettlementStatus>,
    /// Day of the expense or the payment.
    date: schemas::CalendarDate,
    /// Time at which it was recorded.
    created_at: schemas::Timestamp,
}

/// Type of an event that concerns the caller's money.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = ActivityType)]
enum Kind {
    /// The caller paid an expense or a part of it.
    ExpensePaid,
    /// The caller owes more of an expense than they paid.
    ExpenseOwed,
    /// The caller pays a settlement.
    SettlementSent,
    /// The caller is paid by a settlement.
    SettlementReceived,
}

impl ActivityView {
    /// An event of a user who has these ids.
    pub(crate) fn of(event: Activity, ids: &BTreeSet<MemberId>) -> Self {
        let date = Text(event.day());
        let created_at = Text(event.created_at());
        match event {
            Activity::Paid(PaidExpense { expense, .. }) => Self {
                kind: Kind::ExpensePaid,
                id: Text(expense.id.into()),
                group_id: Text(expense.group_id.into()),
                amount: JsonDecimal(expense.paid_by_all(ids)),
                group_title: expense.group_title.unwrap_or_default(),
                currency: expense.currency.code(),
                description: expense.description,
                other_party_id: None,
                other_party_name: None,
                status: None,
                date,
                created_at,
            },
            Activity::Owed(row) => Self {
                kind: Kind::ExpenseOwed,
                id: Text(row.expense_id.into()),
                group_id: Text(row.group_id.into()),
                group_title: row.group_title.unwrap_or_default(),
                amount: JsonDecimal(row.amount),
                currency: row.currency.map(Currency::code).unwrap_or_default(),
                description: row.description,
                other_party_id: Some(Text(row.payer_id)),
                other_party_name: Some(row.payer_name),
                status: None,
                date,
                created_at,
            },
            Activity::Sent(settlement) => {
                let other = (settlement.to_user_id, settlement.to_user_name.clone());
                let description = payment("to", &other.1);
                Self::settlement(Kind::SettlementSent, settlement, description, other)
            }
            Activity::Received(settlement) => {
                let other = (settlement.from_user_id, settlement.from_user_name.clone());
                let description = payment("from", &other.1);
                Self::settlement(Kind::SettlementReceived, settlement, description, other)
            }
        }
    }

    fn settlement(
        kind: Kind,
        settlement: Settlement,
        description: String,
        (id, name): (MemberId, String),
    ) -> Self {
        let date = Text(settlement.day());
        Self {
            kind,
            id: Text(settlement.id.into()),
            group_id: Text(settlement.group_id.into()),
            group_title: settlement.group_title.unwrap_or_default(),
            amount: JsonDecimal(settlement.amount),
            currency: settlement.currency.code(),
            description,
            other_party_id: Some(Text(id)),
            other_party_name: Some(name),
            status: Some(Text(settlement.status)),
            date,
            created_at: Text(settlement.created_at),
        }
    }
}

/// The description of a settlement with a party whose name may be empty.
fn payment(direction: &str, name: &str) -> String {
    format!("Payment {direction} {name}").trim_end().to_owned()
}
