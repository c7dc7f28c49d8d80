//! The plan: the fewest transfers that settle a group in each currency.
//!
//! A set of m members whose balances sum to zero and that holds no smaller such set takes m - 1
//! transfers, so the fewest transfers are those of the partition with the most such sets. Equal and
//! opposite balances are one of them in some best partition; the rest is an exact search over
//! subsets, which takes (m - 1) x 2^(m - 1) steps. All currencies of a group share one number of
//! steps, so that a request takes no longer the more currencies there are.

use std::collections::BTreeMap;

use crate::{currency::Currency, id::UserId};

/// Up to how many open balances in a currency (after equal and opposite ones are cancelled) the
/// search is exact.
///
/// Of 20 balances it makes 2^19 subsets, which take 9 MB, in some ten million steps; each further
/// balance doubles both.
pub const MAX_EXACT: usize = 20;

/// How many steps the exact searches of all currencies take at most: two of [`MAX_EXACT`] balances,
/// or forty of 16.
const MAX_STEPS: u64 = 20_000_000;

/// A payment that the plan suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Who pays.
    pub from: UserId,
    /// Who is paid.
    pub to: UserId,
    /// How much, in minor units; above zero.
    pub minor: i64,
}

/// The transfers that settle all balances, and whether they are the fewest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who pays whom; at most one less than there are open balances.
    pub transfers: Vec<Transfer>,
    /// Whether it is known that no shorter plan exists.
    pub optimal: bool,
}

/// The plans that settle `balances` in each currency. A balance is a member and what the group owes
/// them (negative: what they owe), in minor units; the balances of a currency sum to zero. The
/// plans depend on them alone, not on their order.
///
/// The currencies with the fewest open balances come first. One with more than [`MAX_EXACT`], or
/// for which no steps are left, gets a greedy plan: the largest debt is paid to the largest credit.
///
/// # Example
///
/// ```
/// use fracti_core::{currency::Currency, id::UserId, plan::plans};
///
/// let user = |number| UserId::new(number).unwrap();
/// // Paying the largest credit from the largest debt first would take four transfers.
/// let balances =
///     [(user(1), 400), (user(2), 300), (user(3), -200), (user(4), -200), (user(5), -300)];
/// assert_eq!(plans([(Currency::TON, balances)])[&Currency::TON].transfers.len(), 3);
/// ```
#[must_use]
pub fn plans<B>(balances: impl IntoIterator<Item = (Currency, B)>) -> BTreeMap<Currency, Plan>
where
    B: IntoIterator<Item = (UserId, i64)>,
{
    let open = |(currency, balances): (Currency, B)| {
        let open = balances.into_iter().filter(|(_, minor)| *minor != 0).collect();
        let (pairs, rest) = opposites(&open);
        (currency, pairs, rest)
    };
    let mut open: Vec<_> = balances.into_iter().map(open).collect();
    open.sort_by_key(|(currency, _, rest)| (rest.len(), *currency));
    let mut left = MAX_STEPS;
    let plan = |(currency, mut sets, rest): (Currency, Vec<Set>, Set)| {
        let exact = steps(rest.len()).and_then(|steps| left.checked_sub(steps));
        if let Some(after) = exact {
            left = after;
            sets.extend(zero_sets(&rest));
        } else {
            sets.push(rest);
        }
        let transfers = sets.into_iter().flat_map(settle).collect();
        (currency, Plan { transfers, optimal: exact.is_some() })
    };
    open.into_iter().map(plan).collect()
}

/// How many steps the exact search among so many open balances takes; none where there are too
/// many.
fn steps(open: usize) -> Option<u64> {
    if open > MAX_EXACT {
        return None;
    }
    let others = u32::try_from(open.saturating_sub(1)).ok()?;
    Some(u64::from(others).saturating_mul(1 << others))
}

type Set = Vec<(UserId, i64)>;

/// The pairs that owe each other's balance, and what is left without them.
fn opposites(open: &BTreeMap<UserId, i64>) -> (Vec<Set>, Set) {
    let (mut pairs, mut rest) = (Vec::new(), open.clone());
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

/// The partition of `open` into the most sets that each sum to zero.
///
/// `most[s]` is how many zero sets the members of the bit set `s` can be taken out as, one after
/// the other: taking them out in some order passes through a zero sum once for each set. The last
/// member may always be the first one that is taken out, so only subsets of the others are looked
/// at.
fn zero_sets(open: &[(UserId, i64)]) -> Vec<Set> {
    let Some((last, others)) = open.split_last() else { return Vec::new() };
    let all = 1_usize.checked_shl(u32::try_from(others.len()).unwrap_or(u32::MAX)).unwrap_or(1);
    let mut sums = vec![0_i128; all];
    let mut most = vec![0_u8; all];
    for subset in 1..all {
        let first = subset.trailing_zeros() as usize;
        let minor = others.get(first).map_or(0, |(_, minor)| i128::from(*minor));
        let sum = at(&sums, without(subset, first)).saturating_add(minor);
        let best = members(subset).map(|member| at(&most, without(subset, member))).max();
        let best = best.unwrap_or_default().saturating_add((sum == 0).into());
        if let (Some(to_sum), Some(to_best)) = (sums.get_mut(subset), most.get_mut(subset)) {
            (*to_sum, *to_best) = (sum, best);
        }
    }

    let mut sets: Vec<Set> = vec![vec![*last]];
    let mut subset = all.saturating_sub(1);
    while subset != 0 {
        let here: u8 = u8::from(at(&sums, subset) == 0);
        if here == 1 {
            sets.push(Vec::new());
        }
        let best = at(&most, subset).saturating_sub(here);
        let member = members(subset).find(|member| at(&most, without(subset, *member)) == best);
        let member = member.unwrap_or_default();
        if let (Some(set), Some(balance)) = (sets.last_mut(), others.get(member)) {
            set.push(*balance);
        }
        subset = without(subset, member);
    }
    sets
}

fn at<T: Copy + Default>(table: &[T], index: usize) -> T {
    table.get(index).copied().unwrap_or_default()
}

const fn without(subset: usize, member: usize) -> usize {
    subset & !(1 << member)
}

/// The members of a bit set, lowest first.
fn members(subset: usize) -> impl Iterator<Item = usize> {
    let mut left = subset;
    std::iter::from_fn(move || {
        let member = (left != 0).then(|| left.trailing_zeros() as usize)?;
        left = without(left, member);
        Some(member)
    })
}

/// The transfers within one set: the largest debt is paid to the largest credit, so each transfer
/// closes a balance.
fn settle(set: Set) -> Vec<Transfer> {
    let mut transfers = Vec::new();
    let (mut credits, mut debts): (Set, Set) = set.into_iter().partition(|(_, minor)| *minor > 0);
    let largest = |side: &Set| {
        let by_size = |(_, (user, minor)): &(usize, &(UserId, i64))| {
            (minor.unsigned_abs(), std::cmp::Reverse(*user))
        };
        side.iter().enumerate().max_by_key(by_size).map(|(index, balance)| (index, *balance))
    };
    while let (Some((credit, (to, credited))), Some((debt, (from, owed)))) =
        (largest(&credits), largest(&debts))
    {
        let minor = credited.min(owed.saturating_neg());
        transfers.push(Transfer { from, to, minor });
        reduce(&mut credits, credit, credited.saturating_sub(minor));
        reduce(&mut debts, debt, owed.saturating_add(minor));
    }
    transfers
}

fn reduce(side: &mut Set, index: usize, left: i64) {
    if left == 0 {
        side.swap_remove(index);
    } else if let Some((_, minor)) = side.get_mut(index) {
        *minor = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn balances(minor: &[i64]) -> Vec<(UserId, i64)> {
        (1..).map(|number| UserId::new(number).unwrap()).zip(minor.iter().copied()).collect()
    }

    fn plan(balances: impl IntoIterator<Item = (UserId, i64)>) -> Plan {
        plans([(Currency::TON, balances)]).remove(&Currency::TON).unwrap()
    }

    fn after(balances: &[(UserId, i64)], transfers: &[Transfer]) -> BTreeMap<UserId, i64> {
        let mut left: BTreeMap<UserId, i64> = balances.iter().copied().collect();
        for transfer in transfers {
            *left.get_mut(&transfer.from).unwrap() += transfer.minor;
            *left.get_mut(&transfer.to).unwrap() -= transfer.minor;
        }
        left
    }

    /// The fewest transfers by trying every partner of the first open balance: no theory of sets in
    /// it.
    fn fewest(mut open: Vec<i64>) -> usize {
        open.retain(|minor| *minor != 0);
        let Some((&first, rest)) = open.split_first() else { return 0 };
        (0..rest.len())
            .filter(|&other| (rest[other] > 0) != (first > 0))
            .map(|other| {
                let mut next = rest.to_vec();
                next[other] += first;
                1 + fewest(next)
            })
            .min()
            .unwrap()
    }

    fn zero_sum(open: std::ops::Range<usize>, range: i64) -> impl Strategy<Value = Vec<i64>> {
        vec(-range..=range, open).prop_map(|mut minor| {
            minor.push(-minor.iter().sum::<i64>());
            minor
        })
    }

    #[test]
    fn many_balances_are_settled_without_a_claim_to_be_shortest() {
        let mut minor: Vec<i64> = (1..=30).map(|n| n * n * 31 + n).collect();
        minor.push(-minor.iter().sum::<i64>());
        let balances = balances(&minor);
        let plan = plan(balances.iter().copied());
        assert!(!plan.optimal);
        assert_eq!(plan.transfers.len(), 30);
        assert!(after(&balances, &plan.transfers).values().all(|left| *left == 0));
    }

    #[test]
    fn opposites_do_not_count_against_the_exact_search() {
        let minor: Vec<i64> = (1..=40).flat_map(|n| [n, -n]).collect();
        let plan = plan(balances(&minor));
        assert_eq!((plan.transfers.len(), plan.optimal), (40, true));
    }

    #[test]
    fn the_largest_amounts_do_not_overflow() {
        let plan = plan(balances(&[i64::MAX, i64::MAX, -i64::MAX + 1, -i64::MAX + 2, -3]));
        assert_eq!(plan.transfers.len(), 4);
    }

    #[test]
    fn the_longest_exact_search_is_exact() {
        // Ten pairs of sets of two would be opposites: sets of four that share no opposite instead.
        let minor = [
            1, 2, 4, -7, 10, 20, 40, -70, 100, 200, 400, -700, 1_000, 2_000, 4_000, -7_000, 10_000,
            20_000, 40_000, -70_000,
        ];
        let plan = plan(balances(&minor));
        assert_eq!((plan.transfers.len(), plan.optimal), (15, true));
    }

    #[test]
    fn all_currencies_share_one_number_of_steps() {
        // Powers of two and what balances them have no zero sets: the search is as long as it can
        // be.
        let hard = |open: u32| {
            let mut minor: Vec<i64> = (0..open - 1).map(|bit| 1 << bit).collect();
            minor.push(-minor.iter().sum::<i64>());
            balances(&minor)
        };
        let codes = ["EUR", "USD", "JPY", "CHF", "TON", "GBP"].map(|code| code.parse().unwrap());
        let sizes = [20, 4, 20, 21, 20, 16];
        let plans = plans(codes.into_iter().zip(sizes.map(hard)));
        let optimal = codes.map(|code: Currency| plans[&code].optimal);
        assert_eq!(optimal.iter().filter(|optimal| **optimal).count(), 3);
        assert!(optimal[1] && optimal[5], "the smallest come first");
        for (code, open) in codes.into_iter().zip(sizes) {
            let transfers = &plans[&code].transfers;
            assert_eq!(transfers.len(), usize::try_from(open).unwrap() - 1, "{code}");
            assert!(after(&hard(open), transfers).values().all(|left| *left == 0), "{code}");
        }
    }

    proptest! {
        #[test]
        fn it_settles_everybody_in_at_most_one_less_than_are_open(minor in zero_sum(0..16, 1_000)) {
            let balances = balances(&minor);
            let plan = plan(balances.iter().copied());
            let open = minor.iter().filter(|minor| **minor != 0).count();
            prop_assert!(plan.transfers.len() <= open.saturating_sub(1));
            prop_assert!(plan.transfers.iter().all(|transfer| transfer.minor > 0));
            prop_assert!(after(&balances, &plan.transfers).values().all(|left| *left == 0));
        }

        #[test]
        fn it_is_the_shortest(minor in zero_sum(0..7, 6)) {
            prop_assert_eq!(plan(balances(&minor)).transfers.len(), fewest(minor));
        }

        #[test]
        fn the_order_of_input_does_not_matter(
            shuffled in zero_sum(2..9, 9).prop_map(|minor| balances(&minor)).prop_shuffle(),
        ) {
            let mut sorted = shuffled.clone();
            sorted.sort_unstable();
            prop_assert_eq!(plan(shuffled), plan(sorted));
        }
    }
}
