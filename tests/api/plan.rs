//! The plan on random balances of realistic kinds.

use fracti_core::{
    plan::{MAX_STEPS, Plan, partition::partition, plans},
    values::{currency::Currency, id::UserId},
};
use fracti_tests::open_balances::{KINDS, greedy, open_balances, without_opposites};

fn plan(minor: &[i64]) -> Plan {
    let balances = (1..).map(|id| UserId::new(id).unwrap().into()).zip(minor.iter().copied());
    plans([(Currency::TON, balances)]).remove(&Currency::TON).unwrap()
}

#[test]
fn plans_of_up_to_30_realistic_balances_are_optimal() {
    for kind in KINDS {
        for open in [5, 10, 20, 24, 28, 30] {
            for seed in 0..10 {
                let minor = open_balances(kind, open, seed);
                assert!(plan(&minor).optimal, "{kind:?} {minor:?}");

                let (rest, _) = without_opposites(&minor);
                let mut steps = MAX_STEPS;
                let found = partition(&rest, &mut steps);
                assert_eq!(found.sets.len(), found.most, "{kind:?} {minor:?}");
                assert!(MAX_STEPS - steps < MAX_STEPS / 5, "{kind:?} {minor:?}");
            }
        }
    }
}

#[test]
fn plans_of_more_balances_are_shorter_than_greedy_ones() {
    for kind in KINDS {
        for open in [40, 60, 100] {
            let mut found = 0;
            let mut largest_first = 0;
            for seed in 0..3 {
                let minor = open_balances(kind, open, seed);
                let transfers = plan(&minor).transfers.len();
                let greedy = greedy(minor);
                assert!(transfers <= greedy, "{kind:?}, seed {seed}");
                found += transfers;
                largest_first += greedy;
            }
            // Greedy plans take from 1/10 to 1/3 more.
            assert!(found * 11 < largest_first * 10, "{kind:?}: {found} and {largest_first}");
        }
    }
}
