//! The plan: the fewest transfers that settle a group in one currency.
//!
//! A set of m members whose balances sum to zero and that holds no smaller such set takes m - 1 transfers, so the
//! fewest transfers are those of the partition with the most such sets. Equal and opposite balances are
//! one of them in some best partition; the rest is an exact search over subsets, which takes m x 2^m steps.

use std::collections::BTreeMap;

use crate::id::UserId;

/// Up to how many open balances (after equal and opposite ones are cancelled) the plan is the shortest there is.
///
/// 2^20 subsets take 17 MiB and some ten million steps; each further balance doubles both.
pub const MAX_EXACT: usize = 20;

/// A payment that the plan suggests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Who pays.
    pub from: UserId,
    /// Who is paid.
    pub to: UserId,
    /// How much, in smallest units; above zero.
    pub units: i64,
}

/// The transfers that settle everybody, and whether fewer could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Who pays whom; at most one less than there are open balances.
    pub transfers: Vec<Transfer>,
    /// Whether no shorter plan exists; not known above [`MAX_EXACT`] open balances.
    pub optimal: bool,
}

/// The plan that settles `balances`: each a member and what the group owes them (below zero: what they owe), in
/// smallest units. The balances sum to zero; the plan depends on them alone, not on their order.
///
/// # Example
///
/// ```
/// use fracti_core::{id::UserId, plan::plan};
///
/// let user = |number| UserId::new(number).unwrap();
/// // The largest paying the largest first would need four.
/// let balances = [(user(1), 400), (user(2), 300), (user(3), -200), (user(4), -200), (user(5), -300)];
/// assert_eq!(plan(balances).transfers.len(), 3);
/// ```
#[must_use]
pub fn plan(balances: impl IntoIterator<Item = (UserId, i64)>) -> Plan {
    let open: BTreeMap<UserId, i64> =
        balances.into_iter().filter(|(_, units)| *units != 0).collect();
    let (mut sets, rest) = opposites(&open);
    let optimal = rest.len() <= MAX_EXACT;
    if optimal {
        sets.extend(zero_sets(&rest));
    } else {
        sets.push(rest);
    }
    Plan { transfers: sets.into_iter().flat_map(settle).collect(), optimal }
}

type Set = Vec<(UserId, i64)>;

/// The pairs that owe each other's balance, and what is left without them.
fn opposites(open: &BTreeMap<UserId, i64>) -> (Vec<Set>, Set) {
    let (mut pairs, mut rest) = (Vec::new(), open.clone());
    for (&creditor, &units) in open.iter().filter(|(_, units)| **units > 0) {
        let owed = units.checked_neg();
        let debtor = rest.iter().find(|(_, other)| Some(**other) == owed).map(|(user, _)| *user);
        if let Some(debtor) = debtor {
            pairs.push(vec![(creditor, units), (debtor, units.saturating_neg())]);
            rest.remove(&creditor);
            rest.remove(&debtor);
        }
    }
    (pairs, rest.into_iter().collect())
}

/// The partition of `open` into the most sets that each sum to zero.
///
/// `most[s]` is how many zero sets the members of the bit set `s` can be taken out as, one after the
/// other: taking them out in some order passes through a zero sum once for each set.
fn zero_sets(open: &[(UserId, i64)]) -> Vec<Set> {
    let all = 1_usize.checked_shl(u32::try_from(open.len()).unwrap_or(u32::MAX)).unwrap_or(1);
    let mut sums = vec![0_i128; all];
    let mut most = vec![0_u8; all];
    for subset in 1..all {
        let first = subset.trailing_zeros() as usize;
        let units = open.get(first).map_or(0, |(_, units)| i128::from(*units));
        let sum = at(&sums, without(subset, first)).saturating_add(units);
        let best = members(subset).map(|member| at(&most, without(subset, member))).max();
        let best = best.unwrap_or_default().saturating_add((sum == 0).into());
        if let (Some(to_sum), Some(to_best)) = (sums.get_mut(subset), most.get_mut(subset)) {
            (*to_sum, *to_best) = (sum, best);
        }
    }

    let mut sets: Vec<Set> = Vec::new();
    let mut subset = all.saturating_sub(1);
    while subset != 0 {
        let here: u8 = u8::from(at(&sums, subset) == 0);
        if here == 1 || sets.is_empty() {
            sets.push(Vec::new());
        }
        let best = at(&most, subset).saturating_sub(here);
        let member = members(subset).find(|member| at(&most, without(subset, *member)) == best);
        let member = member.unwrap_or_default();
        if let (Some(set), Some(balance)) = (sets.last_mut(), open.get(member)) {
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

/// The transfers within one set: the largest debt is paid to the largest claim, so each transfer closes a balance.
fn settle(set: Set) -> Vec<Transfer> {
    let mut transfers = Vec::new();
    let (mut claims, mut debts): (Set, Set) = set.into_iter().partition(|(_, units)| *units > 0);
    let largest = |side: &Set| {
        let by_size = |(_, (user, units)): &(usize, &(UserId, i64))| {
            (units.unsigned_abs(), std::cmp::Reverse(*user))
        };
        side.iter().enumerate().max_by_key(by_size).map(|(index, balance)| (index, *balance))
    };
    while let (Some((claim, (to, claimed))), Some((debt, (from, owed)))) =
        (largest(&claims), largest(&debts))
    {
        let units = claimed.min(owed.saturating_neg());
        transfers.push(Transfer { from, to, units });
        reduce(&mut claims, claim, claimed.saturating_sub(units));
        reduce(&mut debts, debt, owed.saturating_add(units));
    }
    transfers
}

fn reduce(side: &mut Set, index: usize, left: i64) {
    if left == 0 {
        side.swap_remove(index);
    } else if let Some((_, units)) = side.get_mut(index) {
        *units = left;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::{collection::vec, prelude::*};

    fn balances(units: &[i64]) -> Vec<(UserId, i64)> {
        (1..).map(|number| UserId::new(number).unwrap()).zip(units.iter().copied()).collect()
    }

    fn after(balances: &[(UserId, i64)], transfers: &[Transfer]) -> BTreeMap<UserId, i64> {
        let mut left: BTreeMap<UserId, i64> = balances.iter().copied().collect();
        for transfer in transfers {
            *left.get_mut(&transfer.from).unwrap() += transfer.units;
            *left.get_mut(&transfer.to).unwrap() -= transfer.units;
        }
        left
    }

    /// The fewest transfers by trying every partner of the first open balance: no theory of sets in it.
    fn fewest(mut open: Vec<i64>) -> usize {
        open.retain(|units| *units != 0);
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
        vec(-range..=range, open).prop_map(|mut units| {
            units.push(-units.iter().sum::<i64>());
            units
        })
    }

    #[test]
    fn many_balances_are_settled_without_a_claim_to_be_shortest() {
        let mut units: Vec<i64> = (1..=30).map(|n| n * n * 31 + n).collect();
        units.push(-units.iter().sum::<i64>());
        let balances = balances(&units);
        let plan = plan(balances.iter().copied());
        assert!(!plan.optimal);
        assert_eq!(plan.transfers.len(), 30);
        assert!(after(&balances, &plan.transfers).values().all(|left| *left == 0));
    }

    #[test]
    fn opposites_do_not_count_against_the_exact_search() {
        let units: Vec<i64> = (1..=40).flat_map(|n| [n, -n]).collect();
        let plan = plan(balances(&units));
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
        let units = [
            1, 2, 4, -7, 10, 20, 40, -70, 100, 200, 400, -700, 1_000, 2_000, 4_000, -7_000, 10_000,
            20_000, 40_000, -70_000,
        ];
        let plan = plan(balances(&units));
        assert_eq!((plan.transfers.len(), plan.optimal), (15, true));
    }

    proptest! {
        #[test]
        fn it_settles_everybody_in_at_most_one_less_than_are_open(units in zero_sum(0..16, 1_000)) {
            let balances = balances(&units);
            let plan = plan(balances.iter().copied());
            let open = units.iter().filter(|units| **units != 0).count();
            prop_assert!(plan.transfers.len() <= open.saturating_sub(1));
            prop_assert!(plan.transfers.iter().all(|transfer| transfer.units > 0));
            prop_assert!(after(&balances, &plan.transfers).values().all(|left| *left == 0));
        }

        #[test]
        fn it_is_the_shortest(units in zero_sum(0..7, 6)) {
            prop_assert_eq!(plan(balances(&units)).transfers.len(), fewest(units));
        }

        #[test]
        fn the_order_of_input_does_not_matter(
            shuffled in zero_sum(2..9, 9).prop_map(|units| balances(&units)).prop_shuffle(),
        ) {
            let mut sorted = shuffled.clone();
            sorted.sort_unstable();
            prop_assert_eq!(plan(shuffled), plan(sorted));
        }
    }
}
