//! Who owes whom: the book as a client sees it, and the plan that settles it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fracti_core::{
    book::{Book, Shown, Totals},
    currency::Currency,
    group::{Group, Member},
    id::UserId,
    plan::{Transfer, plans},
};
use fracti_http::{Exact, schemas};
use serde::Serialize;
use utoipa::ToSchema;

/// Who owes whom in a group.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Debts {
    /// The members, and the transfers between them.
    graph: Graph,
    /// The fewest transfers that settle the group.
    suggested_settlements: Vec<Suggestion>,
    /// The members.
    balances: Vec<Node>,
    /// The group's totals.
    summary: Summary,
    /// Whether no shorter list of transfers exists; not known where very many balances are open.
    optimal: bool,
}

/// The debts as a graph.
#[derive(Debug, Serialize, ToSchema)]
struct Graph {
    /// The members.
    nodes: Vec<Node>,
    /// The fewest transfers that settle the group.
    edges: Vec<Edge>,
}

/// A member, and what the group owes them.
#[derive(Clone, Debug, Serialize, ToSchema)]
struct Node {
    /// The Telegram id, as text.
    #[schema(value_type = schemas::UserId)]
    id: String,
    /// The name that the others see.
    #[schema(example = "Alice Smith")]
    name: String,
    /// The Telegram username, without `@`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "alice")]
    username: Option<String>,
    /// The TON address to pay the member at.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF")]
    wallet: Option<String>,
    /// What the group owes the member in the group's currency; below zero where the member owes.
    #[schema(value_type = schemas::Balance)]
    balance: Exact,
    /// The same in each currency of the group's book, by its code.
    #[schema(value_type = BTreeMap<String, schemas::Balance>)]
    balances: BTreeMap<&'static str, Exact>,
}

/// A transfer, as an arrow.
#[derive(Debug, Serialize, ToSchema)]
struct Edge {
    /// Who pays.
    #[schema(value_type = schemas::UserId)]
    from: String,
    /// Who is paid.
    #[schema(value_type = schemas::UserId)]
    to: String,
    /// How much.
    amount: Exact,
    /// In which currency.
    #[schema(value_type = schemas::Currency)]
    currency: &'static str,
}

/// A transfer, with names.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct Suggestion {
    /// Who pays.
    #[schema(value_type = schemas::UserId)]
    from_user_id: String,
    /// The payer's name.
    #[schema(example = "Bob Jones")]
    from_user_name: String,
    /// Who is paid.
    #[schema(value_type = schemas::UserId)]
    to_user_id: String,
    /// The recipient's name.
    #[schema(example = "Alice Smith")]
    to_user_name: String,
    /// How much.
    amount: Exact,
    /// In which currency.
    #[schema(value_type = schemas::Currency)]
    currency: &'static str,
}

/// A group's totals.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DebtsSummary)]
struct Summary {
    /// What the expenses in the group's currency sum to.
    total_expenses: Exact,
    /// What the completed settlements in the group's currency sum to.
    total_settled: Exact,
    /// How many expenses there are.
    expense_count: u64,
    /// How many settlements are completed.
    settlement_count: u64,
    /// How many transfers are still needed.
    pending_settlements: usize,
    /// The totals of each currency of the group's book.
    currencies: Vec<CurrencySummary>,
}

/// A group's totals in one currency.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = DebtsCurrencySummary)]
struct CurrencySummary {
    /// The currency.
    #[schema(value_type = schemas::Currency)]
    currency: &'static str,
    /// What its expenses sum to.
    total_expenses: Exact,
    /// What its completed settlements sum to.
    total_settled: Exact,
}

impl Debts {
    /// What a group's book says, and the plan that follows from it.
    pub(crate) fn of(group: &Group, members: &[Member], book: &Book) -> Self {
        let mut currencies: BTreeSet<Currency> = book.balances.currencies().collect();
        currencies.insert(group.currency);
        let shown = Shown::of(book, group.currency, members.len());

        let names: HashMap<UserId, &str> =
            members.iter().map(|member| (member.id, member.name.as_str())).collect();
        let (mut edges, mut suggestions, mut optimal) = (Vec::new(), Vec::new(), true);
        let nets = currencies.iter().map(|currency| (*currency, book.balances.nets(*currency)));
        for (currency, plan) in plans(nets) {
            optimal &= plan.optimal;
            edges.extend(plan.transfers.iter().map(|transfer| edge(transfer, currency)));
            let named = |transfer| suggestion(transfer, currency, &names);
            suggestions.extend(plan.transfers.iter().map(named));
        }

        let nodes: Vec<Node> =
            members.iter().map(|member| node(member, group.currency, &shown, book)).collect();
        let summaries = currencies.iter().map(|currency| {
            let Totals { paid, .. } = book.balances.sums(*currency);
            CurrencySummary {
                currency: currency.code(),
                total_expenses: Exact(currency.number(paid)),
                total_settled: Exact(currency.number(book.settled.sum(*currency))),
            }
        });
        let Totals { paid, .. } = book.balances.sums(group.currency);
        Self {
            summary: Summary {
                total_expenses: Exact(group.currency.number(paid)),
                total_settled: Exact(group.currency.number(book.settled.sum(group.currency))),
                expense_count: book.expense_count,
                settlement_count: book.settlement_count,
                pending_settlements: suggestions.len(),
                currencies: summaries.collect(),
            },
            graph: Graph { nodes: nodes.clone(), edges },
            suggested_settlements: suggestions,
            balances: nodes,
            optimal,
        }
    }
}

fn node(member: &Member, own: Currency, shown: &Shown<'_>, book: &Book) -> Node {
    let net = |currency: Currency| {
        Exact(currency.number(book.balances.totals(currency, member.id).net()))
    };
    Node {
        id: member.id.to_string(),
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

fn edge(transfer: &Transfer, currency: Currency) -> Edge {
    Edge {
        from: transfer.from.to_string(),
        to: transfer.to.to_string(),
        amount: Exact(currency.number(transfer.minor)),
        currency: currency.code(),
    }
}

fn suggestion(
    transfer: &Transfer,
    currency: Currency,
    names: &HashMap<UserId, &str>,
) -> Suggestion {
    let name = |user: UserId| names.get(&user).copied().unwrap_or_default().to_owned();
    Suggestion {
        from_user_id: transfer.from.to_string(),
        from_user_name: name(transfer.from),
        to_user_id: transfer.to.to_string(),
        to_user_name: name(transfer.to),
        amount: Exact(currency.number(transfer.minor)),
        currency: currency.code(),
    }
}
