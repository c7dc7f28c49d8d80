//! Totals of a user over all groups.

use std::{cmp::Reverse, collections::BTreeMap};

use fracti_core::values::{currency::Currency, id::UserId};
use fracti_http::{App, JsonDecimal, Problem, Text, schemas};
use fracti_store::{Membership, Page};
use serde::Serialize;
use utoipa::ToSchema;

/// Groups read per page.
pub(crate) const SUMMARY_PAGE: usize = 500;

/// Totals of a user over all groups.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MySummary {
    /// Number of groups that the user is a member of.
    group_count: usize,
    /// Number of expenses of these groups.
    expense_count: u64,
    /// Number of completed settlements of these groups.
    settlement_count: u64,
    /// Totals of the user in each currency.
    currencies: Vec<MyCurrencySummary>,
    /// Group with the most expenses.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = MostActiveGroup)]
    most_active_group: Option<MostActiveGroup>,
}

/// Totals of a user in one currency.
#[derive(Debug, Serialize, ToSchema)]
struct MyCurrencySummary {
    /// The currency.
    currency: schemas::Currency,
    /// Sum of the expenses that the user paid, minus refunds.
    #[schema(value_type = schemas::Balance)]
    paid: JsonDecimal,
    /// Sum of the user's shares of expenses, minus those of refunds.
    #[schema(value_type = schemas::Balance)]
    owed: JsonDecimal,
    /// Sum of the user's positive adjustments and of the completed settlements that they paid.
    sent: JsonDecimal,
    /// Sum of the user's negative adjustments and of the completed settlements that they received.
    received: JsonDecimal,
    /// Balance: `paid - owed + sent - received`; negative if the user owes.
    #[schema(value_type = schemas::Balance)]
    net: JsonDecimal,
}

/// The group with the most expenses.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct MostActiveGroup {
    /// Id of the group.
    id: schemas::ResourceId,
    /// Title of the group.
    #[schema(example = "Roommates")]
    title: String,
    /// Number of expenses of the group.
    expense_count: u64,
}

/// All memberships of a user.
pub(crate) async fn memberships(app: &App, user: UserId) -> Result<Vec<Membership>, Problem> {
    let mut page = Page { limit: SUMMARY_PAGE, after: None };
    let mut all = Vec::new();
    loop {
        let slice = app.table.memberships_of(user, &page).await?;
        all.extend(slice.items);
        match slice.next {
            None => return Ok(all),
            after => page.after = after,
        }
    }
}

impl MySummary {
    /// The totals over all memberships of a user.
    pub(crate) fn of(memberships: &[Membership]) -> Self {
        // A total over all groups may exceed the `i64` of one group.
        let mut sums: BTreeMap<Currency, [i128; 5]> = BTreeMap::new();
        let mut expense_count = 0_u64;
        let mut settlement_count = 0_u64;
        for membership in memberships {
            expense_count = expense_count.saturating_add(membership.expense_count);
            settlement_count = settlement_count.saturating_add(membership.settlement_count);
            for (currency, totals) in &membership.totals {
                let [paid, owed, sent, received] =
                    [totals.paid, totals.owed, totals.sent, totals.received].map(i128::from);
                let own = [paid, owed, sent, received, totals.net()];
                if own != [0; 5] {
                    let sum = sums.entry(*currency).or_default();
                    sum.iter_mut().zip(own).for_each(|(sum, own)| *sum = sum.saturating_add(own));
                }
            }
        }
        let summary = |(currency, sum): (Currency, [i128; 5])| {
            let [paid, owed, sent, received, net] =
                sum.map(|minor| JsonDecimal(currency.to_major(minor)));
            MyCurrencySummary { currency: Text(currency), paid, owed, sent, received, net }
        };
        Self {
            group_count: memberships.len(),
            expense_count,
            settlement_count,
            currencies: sums.into_iter().map(summary).collect(),
            most_active_group: most_active(memberships),
        }
    }
}

/// The group with the most expenses; of several, the oldest.
fn most_active(memberships: &[Membership]) -> Option<MostActiveGroup> {
    let with_expenses = memberships.iter().filter(|it| it.expense_count > 0);
    let most = with_expenses.max_by_key(|it| (it.expense_count, Reverse(it.group.created_at)))?;
    Some(MostActiveGroup {
        id: Text(most.group.id.into()),
        title: most.group.title.to_string(),
        expense_count: most.expense_count,
    })
}
