//! The plan: the fewest transfers that settle a group in each currency.
//!
//! A set of m members whose balances sum to zero can be settled by m - 1 transfers. The fewest
//! transfers therefore come from a partition into as many such sets as possible. Some best
//! partition has a given pair of equal and opposite balances as a set: if the two are in different
//! sets, these can be replaced by the pair and the union of the rest. Only the other balances are
//! searched.
//!
//! All currencies of a group share one budget of steps, so a request does not take longer if there
//! are more currencies.

pub mod partition;
mod search;
mod sums;
mod transfers;
mod zero_sums;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use self::{partition::partition, transfers::settle};
use crate::values::{currency::Currency, id::MemberId};

/// Maximum number of steps of the plans of all currencies.
///
/// They take about 20 ms and at most 20 MB. Up to 30 everyday balances need less than a fifth of
/// them.
pub const MAX_STEPS: u64 = 5_000_000;

/// A payment that the plan suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The payer.
    pub from: MemberId,
    /// The recipient.
    pub to: MemberId,
    /// The amount in minor units; positive.
    pub minor: i64,
}

/// The transfers that settle all balances, and whether they are the fewest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The transfers: at least one fewer than the balances that are not zero.
    pub transfers: Vec<Transfer>,
    /// Whether it is proven that no shorter plan exists.
    pub optimal: bool,
}

/// The plans that settle `balances` in each currency. A balance is a member and what the group owes
/// them (negative: what they owe), in minor units; the balances of a currency sum to zero. The
/// plans depend on them alone, not on their order.
///
/// The currencies with the fewest open balances come first, and each gets an equal share of the
/// steps that are left. A plan that is not known to be optimal is at most as long as the greedy
/// plan, in which the largest debt is paid to the largest credit.
///
/// # Example
///
/// ```
/// use fracti_core::{plan::plans, values::{currency::Currency, id::UserId}};
///
/// let user = |number| UserId::new(number).unwrap().into();
/// // Paying the largest credit from the largest debt first would take four transfers.
/// let balances =
///     [(user(1), 400), (user(2), 300), (user(3), -200), (user(4), -200), (user(5), -300)];
/// assert_eq!(plans([(Currency::TON, balances)])[&Currency::TON].transfers.len(), 3);
/// ```
#[must_use]
pub fn plans<B>(balances: impl IntoIterator<Item = (Currency, B)>) -> BTreeMap<Currency, Plan>
where
    B: IntoIterator<Item = (MemberId, i64)>,
{
    plans_within(balances, &mut { MAX_STEPS })
}

/// [`plans`] with a budget of `steps`, which is counted down.
fn plans_within<B>(
    balances: impl IntoIterator<Item = (Currency, B)>,
    steps: &mut u64,
) -> BTreeMap<Currency, Plan>
where
    B: IntoIterator<Item = (MemberId, i64)>,
{
    let split = |(currency, balances): (Currency, B)| {
        let open = balances.into_iter().filter(|(_, minor)| *minor != 0).collect();
        let (pairs, rest) = opposites(&open);
        (currency, pairs, rest)
    };
    let mut currencies: Vec<_> = balances.into_iter().map(split).collect();
    currencies.sort_by_key(|(currency, _, rest)| (rest.len(), *currency));
    let mut plans = BTreeMap::new();
    for (left, (currency, pairs, rest)) in (1..=currencies.len() as u64).rev().zip(currencies) {
        let share = steps.checked_div(left).unwrap_or_default();
        let mut unused = share;
        plans.insert(currency, plan(pairs, &rest, &mut unused));
        *steps = steps.saturating_sub(share.saturating_sub(unused));
    }
    plans
}

type Set = Vec<(MemberId, i64)>;

/// The plan of one currency: settles each of the opposite `pairs`, and spends at most `steps` on a
/// search for the partition of the `rest`.
fn plan(pairs: Vec<Set>, rest: &Set, steps: &mut u64) -> Plan {
    let minor: Vec<i64> = rest.iter().map(|(_, minor)| *minor).collect();
    let found = partition(&minor, steps);
    let fewest = pairs.len().saturating_add(rest.len()).saturating_sub(found.most);
    let set = |set: Vec<usize>| set.into_iter().filter_map(|index| rest.get(index).copied());
    let sets = found.sets.into_iter().map(|indices| set(indices).collect());
    let mut transfers: Vec<Transfer> = pairs.iter().cloned().chain(sets).flat_map(settle).collect();
    if transfers.len() > fewest {
        let greedy = settle(pairs.into_iter().flatten().chain(rest.iter().copied()).collect());
        if greedy.len() < transfers.len() {
            transfers = greedy;
        }
    }
    let optimal = transfers.len() <= fewest;
    Plan { transfers, optimal }
}

/// Pairs of equal and opposite balances, and the remaining balances.
fn opposites(open: &BTreeMap<MemberId, i64>) -> (Vec<Set>, Set) {
    let mut pairs = Vec::new();
    let mut rest = open.clone();
    for (&creditor, &minor) in open.iter().filter(|(_, minor)| **minor > 0) {
        let owed = minor.checked_neg();
        let debtor = rest.iter().find(|(_, other)| Some(**other) == owed).map(|(user, _)| *user);
        if let Some(debtor) = debtor {
            pairs.push(vec![(creditor, minor), (debtor, minor.saturating_neg())]);
            rest.remove(&creditor);
            rest.remove(&debtor);
        }
    }
    (pairs, rest.into_iter().collect())
}
