use proptest::{collection::vec, prelude::*, sample::select};

use super::*;
use crate::values::id::UserId;

fn balances(minor: &[i64]) -> Vec<(MemberId, i64)> {
    (1..).map(|number| UserId::new(number).unwrap().into()).zip(minor.iter().copied()).collect()
}

/// The numbers, and one more that makes their sum zero.
fn closed(minor: impl IntoIterator<Item = i64>) -> Vec<i64> {
    let mut minor: Vec<i64> = minor.into_iter().collect();
    minor.push(-minor.iter().sum::<i64>());
    minor
}

/// Powers of minus two and the opposite of their sum. The search takes as long as possible, because
/// only the set of all of them sums to zero.
fn powers(open: u32) -> Vec<i64> {
    closed((0..open - 1).map(|exponent| (-2_i64).pow(exponent)))
}

fn plan(minor: &[i64]) -> Plan {
    plans([(Currency::TON, balances(minor))]).remove(&Currency::TON).unwrap()
}

fn after(balances: &[(MemberId, i64)], transfers: &[Transfer]) -> BTreeMap<MemberId, i64> {
    let mut left: BTreeMap<MemberId, i64> = balances.iter().copied().collect();
    for transfer in transfers {
        *left.get_mut(&transfer.from).unwrap() += transfer.minor;
        *left.get_mut(&transfer.to).unwrap() -= transfer.minor;
    }
    left
}

/// The fewest transfers, found by trying every partner of the first open balance. It does not
/// depend on the theory of sets.
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

/// The fewest transfers, found by dynamic programming over all subsets: the order of the balances
/// in which the most partial sums are zero.
fn fewest_by_subsets(open: &[i64]) -> usize {
    let open: Vec<i64> = open.iter().copied().filter(|minor| *minor != 0).collect();
    let mut most = vec![(0, 0_i64); 1 << open.len()];
    for subset in 1..most.len() {
        let members = (0..open.len()).filter(|bit| subset >> bit & 1 == 1);
        let shorter = members.map(|bit| (most[subset ^ 1 << bit], open[bit]));
        let (sets, sum) = shorter.map(|((sets, sum), minor)| (sets, sum + minor)).max().unwrap();
        most[subset] = (sets + usize::from(sum == 0), sum);
    }
    open.len() - most.last().unwrap().0
}

fn zero_sum(open: std::ops::Range<usize>, range: i64) -> impl Strategy<Value = Vec<i64>> {
    vec(-range..=range, open).prop_map(closed)
}

/// Balances with many equal ones and many subsets that sum to zero.
fn repeated() -> impl Strategy<Value = Vec<i64>> {
    vec(select(vec![-7, -5, -3, 2, 4, 8, 11]), 2..13).prop_map(closed)
}

#[test]
fn plan_of_many_balances_settles_them_but_is_not_known_to_be_optimal() {
    for open in [65, 200] {
        let minor = closed((1..open).map(|n| n * n * if n % 2 == 0 { 31 } else { -37 }));
        let plan = plan(&minor);
        assert!(!plan.optimal);
        assert!(plan.transfers.len() < minor.len());
        assert!(after(&balances(&minor), &plan.transfers).values().all(|left| *left == 0));
    }
}

#[test]
fn balances_beyond_the_search_window_are_settled_in_sets() {
    let sets = (0..30).flat_map(|n| [10 + n, 40 + n * n, -50 - n - n * n]);
    let minor: Vec<i64> = sets.collect();
    assert!(plan(&minor).transfers.len() < 70);
}

#[test]
fn opposite_balances_take_no_steps() {
    let minor: Vec<i64> = (1..=400).flat_map(|n| [n, -n]).collect();
    let plan = plan(&minor);
    assert_eq!((plan.transfers.len(), plan.optimal), (400, true));
}

#[test]
fn any_number_of_debts_to_one_member_is_settled_optimally() {
    for open in [40, 100, 500] {
        let plan = plan(&closed((1..open).map(|n| n * n * 31 + n)));
        assert!(plan.optimal, "{open}");
    }
}

#[test]
fn the_largest_amounts_do_not_overflow() {
    let plan = plan(&[i64::MAX, i64::MAX, -i64::MAX + 1, -i64::MAX + 2, -3]);
    assert_eq!((plan.transfers.len(), plan.optimal), (4, true));

    let many: Vec<i64> = (0..300).flat_map(|_| [i64::MAX, -i64::MAX + 5, -5]).collect();
    let of_many = plans([(Currency::TON, balances(&many))]);
    let transfers = &of_many[&Currency::TON].transfers;
    assert!(after(&balances(&many), transfers).values().all(|left| *left == 0));
    assert!(transfers.len() < 899);
}

#[test]
fn balances_that_defeat_a_naive_search_are_settled_optimally() {
    let mut fibonacci = vec![1_i64, 2];
    while fibonacci.len() < 29 {
        fibonacci.push(fibonacci.iter().rev().take(2).sum());
    }
    let fours = [
        1, 2, 4, -7, 10, 20, 40, -70, 100, 200, 400, -700, 1_000, 2_000, 4_000, -7_000, 10_000,
        20_000, 40_000, -70_000,
    ];
    let equal = |times: usize, minor: i64| std::iter::repeat_n(minor, times);
    for (minor, transfers) in [
        (closed(equal(19, 1)), 19),
        (closed(equal(60, 5)), 60),
        (equal(24, 5).chain(equal(20, -6)).collect(), 40),
        (equal(36, 35).chain(equal(28, -45)).collect(), 60),
        (fours.to_vec(), 15),
        (powers(30), 29),
        (closed(fibonacci), 29),
    ] {
        let plan = plan(&minor);
        assert_eq!((plan.transfers.len(), plan.optimal), (transfers, true), "{minor:?}");
    }
}

#[test]
fn all_currencies_share_the_steps_and_the_smallest_come_first() {
    let codes = ["EUR", "USD", "JPY", "CHF", "TON", "GBP"].map(|code| code.parse().unwrap());
    let sizes = [32, 4, 32, 32, 32, 20];
    assert!(plan(&powers(32)).optimal);
    let plans = plans(codes.into_iter().zip(sizes.map(|open| balances(&powers(open)))));
    let optimal = codes.map(|code: Currency| plans[&code].optimal);
    assert_eq!(optimal, [false, true, false, false, false, true]);
    for (code, open) in codes.into_iter().zip(sizes) {
        let transfers = &plans[&code].transfers;
        assert_eq!(transfers.len(), usize::try_from(open).unwrap() - 1, "{code}");
        let left = after(&balances(&powers(open)), transfers);
        assert!(left.values().all(|left| *left == 0), "{code}");
    }
}

#[test]
fn without_steps_the_plan_is_greedy() {
    let minor = [400, 300, -250, -200, -310, 160, -110, 10];
    assert!(plan(&minor).transfers.len() < settle(balances(&minor)).len());
    let plan = plans_within([(Currency::TON, balances(&minor))], &mut 0);
    assert_eq!(plan[&Currency::TON].transfers, settle(balances(&minor)));
    assert!(!plan[&Currency::TON].optimal);
}

proptest! {
    #[test]
    fn plan_settles_all_balances_in_fewer_transfers_than_balances(
        minor in zero_sum(0..30, 1_000), steps in 0_u64..100_000,
    ) {
        let balances = balances(&minor);
        let plan = plans_within([(Currency::TON, balances.clone())], &mut { steps });
        let plan = &plan[&Currency::TON];
        let open = minor.iter().filter(|minor| **minor != 0).count();
        prop_assert!(plan.transfers.len() <= open.saturating_sub(1));
        prop_assert!(plan.transfers.iter().all(|transfer| transfer.minor > 0));
        prop_assert!(after(&balances, &plan.transfers).values().all(|left| *left == 0));
    }

    #[test]
    fn plan_of_few_balances_is_the_shortest(minor in zero_sum(0..7, 6)) {
        let plan = plan(&minor);
        prop_assert_eq!((plan.transfers.len(), plan.optimal), (fewest(minor), true));
    }

    #[test]
    fn plan_is_as_short_as_that_of_an_exhaustive_search(
        minor in prop_oneof![zero_sum(0..12, 15), zero_sum(8..13, 60), repeated()],
    ) {
        let plan = plan(&minor);
        prop_assert_eq!((plan.transfers.len(), plan.optimal), (fewest_by_subsets(&minor), true));
    }

    #[test]
    fn plan_with_few_steps_is_optimal_only_if_it_is_the_shortest(
        minor in prop_oneof![zero_sum(6..13, 15), repeated()], steps in 0_u64..3_000,
    ) {
        let plan = plans_within([(Currency::TON, balances(&minor))], &mut { steps });
        let plan = &plan[&Currency::TON];
        let fewest = fewest_by_subsets(&minor);
        prop_assert!(plan.transfers.len() >= fewest);
        prop_assert!(!plan.optimal || plan.transfers.len() == fewest);
    }

    #[test]
    fn order_of_balances_does_not_change_the_plan(
        shuffled in prop_oneof![zero_sum(2..9, 9), zero_sum(60..80, 500)]
            .prop_map(|minor| balances(&minor))
            .prop_shuffle(),
    ) {
        let mut sorted = shuffled.clone();
        sorted.sort_unstable();
        let plan = |balances| plans_within([(Currency::TON, balances)], &mut 100_000);
        prop_assert_eq!(plan(shuffled), plan(sorted));
    }
}
