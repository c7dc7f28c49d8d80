//! Balances of the members at a moment or at the end of a day.

use fracti_core::{
    currency::Currency,
    group::{Group, Member},
    id::MemberId,
    ledger::{Ledger, Shown},
    time::Timestamp,
};
use fracti_http::{JsonDecimal, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// Balances of the members at a moment.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerBalance)]
pub(crate) struct BalanceView {
    /// Number of entries that led to these balances, which is the sequence of the next entry.
    sequence: u64,
    /// Moment of the balances.
    as_of: schemas::Timestamp,
    /// Totals of each member in each currency of the group's ledger.
    balances: Vec<MemberBalance>,
}

/// Balances of the members at the end of a day.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LedgerDay)]
pub(crate) struct DayView {
    /// The day, in UTC.
    day: schemas::CalendarDate,
    /// Number of entries that led to these balances, which is the sequence of the next entry.
    sequence: u64,
    /// Time of the last entry of the day.
    as_of: schemas::Timestamp,
    /// Totals of each member in each currency of the group's ledger.
    balances: Vec<MemberBalance>,
}

/// Totals of a member in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberBalance {
    /// The member.
    user_id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    name: String,
    /// The currency.
    currency: schemas::Currency,
    /// Sum of the expenses that the member paid, minus refunds.
    #[schema(value_type = schemas::Balance)]
    paid: JsonDecimal,
    /// Sum of the member's shares of expenses, minus those of refunds.
    #[schema(value_type = schemas::Balance)]
    owed: JsonDecimal,
    /// Sum of the member's positive adjustments and of the completed settlements that they paid.
    #[schema(value_type = schemas::Balance)]
    sent: JsonDecimal,
    /// Sum of the member's negative adjustments and of the completed settlements that they
    /// received.
    #[schema(value_type = schemas::Balance)]
    received: JsonDecimal,
    /// Balance: `paid - owed + sent - received`; negative if the member owes.
    #[schema(value_type = schemas::Balance)]
    net: JsonDecimal,
}

impl MemberBalance {
    /// The totals of a member in a ledger.
    fn of(member: &Member, currency: Currency, ledger: &Ledger) -> Self {
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

impl BalanceView {
    /// The balances at `as_of` of one member, or of all if `user` is `None`.
    pub(crate) fn of(
        group: &Group,
        members: &[Member],
        user: Option<MemberId>,
        ledger: &Ledger,
        as_of: Timestamp,
    ) -> Self {
        let members = members.iter().filter(|member| user.is_none_or(|user| member.id == user));
        Self {
            sequence: ledger.sequence,
            as_of: Text(as_of),
            balances: balances(group, members, ledger),
        }
    }
}

impl DayView {
    /// The balances at the end of the day of the last event.
    pub(crate) fn of(group: &Group, members: &[Member], ledger: &Ledger) -> Option<Self> {
        let last = ledger.last_event_at?;
        Some(Self {
            day: Text(last.day()),
            sequence: ledger.sequence,
            as_of: Text(last),
            balances: balances(group, members.iter(), ledger),
        })
    }
}

/// The balances, ordered by member and currency code.
fn balances<'a>(
    group: &Group,
    members: impl Iterator<Item = &'a Member>,
    ledger: &Ledger,
) -> Vec<MemberBalance> {
    let has_totals =
        |member: &Member| ledger.balances.currencies().any(|it| ledger.balances.has(it, member.id));
    let all: Vec<&Member> = members.filter(|it| it.is_present() || has_totals(it)).collect();
    let shown = Shown::of(ledger, group.currency, all.len());
    let of_member = |member: &&Member| {
        let line = |currency| MemberBalance::of(member, currency, ledger);
        // A linked guest has balances only at moments before the link.
        let counts = |currency: &Currency| {
            member.linked_to.is_none() || ledger.balances.has(*currency, member.id)
        };
        shown.currencies(member.id).filter(counts).map(line).collect::<Vec<_>>()
    };
    all.iter().flat_map(of_member).collect()
}
