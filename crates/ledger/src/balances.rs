//! Balances of the members at a moment or at the end of a day.

use fracti_core::{
    group::{Group, Member},
    ledger::{Ledger, Shown},
    values::{currency::Currency, id::MemberId, time::Timestamp},
};
use fracti_http::{MemberBalance, Text, schemas};
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
pub(crate) struct LedgerDayView {
    /// The day, in UTC.
    day: schemas::CalendarDate,
    /// Number of entries that led to these balances, which is the sequence of the next entry.
    sequence: u64,
    /// Time of the last entry of the day.
    as_of: schemas::Timestamp,
    /// Totals of each member in each currency of the group's ledger.
    balances: Vec<MemberBalance>,
}

impl BalanceView {
    /// The balances at `as_of` of one member, or of all if `user` is `None`. The id of a guest
    /// means the user from the link on.
    pub(crate) fn of(
        group: &Group,
        members: &[Member],
        user: Option<MemberId>,
        ledger: &Ledger,
        as_of: Timestamp,
    ) -> Self {
        let user = user.map(|user| ledger.links.resolve(user));
        let members = members.iter().filter(|member| user.is_none_or(|user| member.id == user));
        Self {
            sequence: ledger.sequence,
            as_of: Text(as_of),
            balances: balances(group, members, ledger),
        }
    }
}

impl LedgerDayView {
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
