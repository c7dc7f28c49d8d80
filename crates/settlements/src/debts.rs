//! Debts of a group and the plan that settles them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fracti_core::{
    group::{Group, Member},
    input::Error,
    ledger::{Ledger, Shown, Totals},
    plan::Transfer,
    records::settlement::Settlement,
    reports::debts::Debts,
    values::{
        currency::Currency,
        id::{MemberId, UserId},
    },
};
use fracti_http::{JsonDecimal, SettlementView, Text, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// Debts of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct GroupDebts {
    /// The plan as a graph: members and the transfers between them.
    graph: DebtGraph,
    /// The plan as a list: transfers that settle the group.
    suggested_settlements: Vec<SuggestedSettlement>,
    /// Members with their balances.
    balances: Vec<DebtNode>,
    /// Totals of the group.
    summary: DebtSummary,
    /// Pending settlements that the plan takes as completed, newest first; with `pending=subtract`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pending: Option<Vec<SettlementView>>,
    /// Whether the plan is known to have the fewest transfers possible. `false` if there are too
    /// many open balances to prove it.
    optimal: bool,
}

/// Debts as a graph.
#[derive(Debug, Serialize, ToSchema)]
struct DebtGraph {
    /// Members with their balances.
    nodes: Vec<DebtNode>,
    /// Transfers that settle the group.
    edges: Vec<DebtEdge>,
}

/// A member and their balance.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct DebtNode {
    /// Id of the member.
    id: schemas::MemberId,
    /// Name of the member.
    #[schema(example = "Alice Smith")]
    name: String,
    /// Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "alice")]
    username: Option<String>,
    /// TON address at which the member is paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF")]
    wallet: Option<String>,
    /// Balance in the group's currency: positive if the group owes the member, negative if the
    /// member owes.
    #[schema(value_type = schemas::Balance)]
    balance: JsonDecimal,
    /// Balance in each currency of the group's ledger, by currency code.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    balances: BTreeMap<&'static str, JsonDecimal>,
}

/// A suggested transfer, by member ids.
#[derive(Debug, Serialize, ToSchema)]
struct DebtEdge {
    /// Member who pays.
    from: schemas::MemberId,
    /// Member who is paid.
    to: schemas::MemberId,
    /// Amount to pay.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
}

/// A suggested transfer, with the members' names.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct SuggestedSettlement {
    /// Member who pays.
    from_user_id: schemas::MemberId,
    /// Name of the payer.
    #[schema(example = "Bob Jones")]
    from_user_name: String,
    /// Member who is paid.
    to_user_id: schemas::MemberId,
    /// Name of the recipient.
    #[schema(example = "Alice Smith")]
    to_user_name: String,
    /// Amount to pay.
    amount: JsonDecimal,
    /// Currency of the amount.
    currency: schemas::Currency,
}

/// Totals of a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DebtSummary {
    /// Sum of the expenses in the group's currency, minus refunds.
    #[schema(value_type = schemas::Balance)]
    total_expenses: JsonDecimal,
    /// Sum of the completed settlements in the group's currency. Adjustments are not included.
    total_settled: JsonDecimal,
    /// Number of expenses.
    expense_count: u64,
    /// Number of completed settlements.
    settlement_count: u64,
    /// Number of transfers in the suggested plan, not of settlements whose status is `pending`.
    pending_settlements: usize,
    /// Totals in each currency of the group's ledger.
    currencies: Vec<DebtCurrencySummary>,
}

/// Totals of a group in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct DebtCurrencySummary {
    /// The currency.
    currency: schemas::Currency,
    /// Sum of the expenses in this currency, minus refunds.
    #[schema(value_type = schemas::Balance)]
    total_expenses: JsonDecimal,
    /// Sum of the completed settlements in this currency. Adjustments are not included.
    total_settled: JsonDecimal,
}

impl GroupDebts {
    /// The debts of a group according to its ledger, for a `reader` in the app. If there are
    /// `pending` settlements, newest first, the plan takes them as completed.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the ledger could not take all of them.
    pub(crate) fn of(
        group: &Group,
        members: &[Member],
        ledger: &Ledger,
        pending: Option<Vec<Settlement>>,
        reader: Option<UserId>,
    ) -> Result<Self, Error> {
        let debts = Debts::of(members, ledger, pending.as_deref())?;
        let mut currencies: BTreeSet<Currency> = ledger.balances.currencies().collect();
        currencies.insert(group.currency);
        let shown = Shown::of(ledger, group.currency, debts.members.len());

        let names: HashMap<MemberId, &str> =
            members.iter().map(|member| (member.id, member.name.as_str())).collect();
        let mut edges = Vec::new();
        let mut suggestions = Vec::new();
        for (&currency, plan) in &debts.plans {
            edges.extend(plan.transfers.iter().map(|transfer| edge(transfer, currency)));
            let named = |transfer| suggestion(transfer, currency, &names);
            suggestions.extend(plan.transfers.iter().map(named));
        }

        let nodes: Vec<DebtNode> =
            debts.members.iter().map(|it| node(it, group.currency, &shown, ledger)).collect();
        let summaries = currencies.iter().map(|&currency| {
            let Totals { paid, .. } = ledger.balances.sums(currency);
            DebtCurrencySummary {
                currency: Text(currency),
                total_expenses: JsonDecimal(currency.to_major(paid)),
                total_settled: JsonDecimal(ledger.settled.sum(currency).to_major()),
            }
        });
        let Totals { paid, .. } = ledger.balances.sums(group.currency);
        Ok(Self {
            pending: pending
                .map(|all| all.into_iter().map(|it| SettlementView::seen_by(reader, it)).collect()),
            summary: DebtSummary {
                total_expenses: JsonDecimal(group.currency.to_major(paid)),
                total_settled: JsonDecimal(ledger.settled.sum(group.currency).to_major()),
                expense_count: ledger.expense_count,
                settlement_count: ledger.settlement_count,
                pending_settlements: suggestions.len(),
                currencies: summaries.collect(),
            },
            graph: DebtGraph { nodes: nodes.clone(), edges },
            suggested_settlements: suggestions,
            balances: nodes,
            optimal: debts.is_optimal(),
        })
    }
}

fn node(member: &Member, own: Currency, shown: &Shown<'_>, ledger: &Ledger) -> DebtNode {
    let net = |currency: Currency| {
        JsonDecimal(currency.to_major(ledger.balances.totals(currency, member.id).net()))
    };
    DebtNode {
        id: Text(member.id),
        name: member.name.clone(),
        username: member.username.clone(),
        wallet: member.wallet.as_ref().map(ToString::to_string),
        balance: net(own),
        balances: shown
            .currencies(member.id)
            .map(|currency| (currency.code(), net(currency)))
            .collect(),
    }
}

fn edge(transfer: &Transfer, currency: Currency) -> DebtEdge {
    DebtEdge {
        from: Text(transfer.from),
        to: Text(transfer.to),
        amount: JsonDecimal(currency.to_major(transfer.minor)),
        currency: Text(currency),
    }
}

fn suggestion(
    transfer: &Transfer,
    currency: Currency,
    names: &HashMap<MemberId, &str>,
) -> SuggestedSettlement {
    let name = |user: MemberId| names.get(&user).copied().unwrap_or_default().to_owned();
    SuggestedSettlement {
        from_user_id: Text(transfer.from),
        from_user_name: name(transfer.from),
        to_user_id: Text(transfer.to),
        to_user_name: name(transfer.to),
        amount: JsonDecimal(currency.to_major(transfer.minor)),
        currency: Text(currency),
    }
}
