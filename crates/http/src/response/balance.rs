//! The view of a member's balance.

use fracti_core::{group::Member, ledger::Ledger, values::currency::Currency};
use serde::Serialize;
use utoipa::ToSchema;

use crate::response::{
    amounts::JsonDecimal,
    schemas::{self, Text},
};

/// Totals of a member in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemberBalance {
    /// The member.
    pub user_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    pub name: String,
    /// The currency.
    pub currency: schemas::Currency,
    /// Sum of the expenses that the member paid, minus refunds.
    #[schema(value_type = schemas::Balance)]
    pub paid: JsonDecimal,
    /// Sum of the member's shares of expenses, minus those of refunds.
    #[schema(value_type = schemas::Balance)]
    pub owed: JsonDecimal,
    /// Sum of the member's positive adjustments and of the completed settlements that they paid.
    #[schema(value_type = schemas::Balance)]
    pub sent: JsonDecimal,
    /// Sum of the member's negative adjustments and of the completed settlements that they
    /// received.
    #[schema(value_type = schemas::Balance)]
    pub received: JsonDecimal,
    /// Balance: `paid - owed + sent - received`; negative if the member owes.
    #[schema(value_type = schemas::Balance)]
    pub net: JsonDecimal,
}

impl MemberBalance {
    /// The totals of a member in a ledger.
    #[must_use]
    pub fn of(member: &Member, currency: Currency, ledger: &Ledger) -> Self {
        let totals = ledger.balances.totals(currency, member.id);
        let number = |minor: i64| JsonDecimal(currency.to_major(minor));
        Self {
            user_id: Text(member.id),
            name: member.name.clone(),
            currency: Text(currency),
            paid: number(totals.paid),
            owed: number(totals.owed),
            sent: number(totals.sent),
            received: number(totals.received),
            net: JsonDecimal(currency.to_major(totals.net())),
        }
    }
}
