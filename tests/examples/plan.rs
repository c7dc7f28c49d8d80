//! Measures the plan on random balances of realistic kinds:
//! `cargo run --release -p fracti-tests --example plan`.

#![expect(clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::arithmetic_side_effects, reason = "sums of few small numbers")]

use std::time::{Duration, Instant};

use fracti_core::{
    plan::{MAX_STEPS, partition::partition, plans},
    values::{
        currency::Currency,
        id::{MemberId, UserId},
    },
};
use fracti_tests::open_balances::{KINDS, Kind, greedy, open_balances, without_opposites};

/// Number of groups of each kind and size that are measured.
const GROUPS: usize = 20;

/// How often a time is measured. The shortest counts, because other processes may run meanwhile.
const TIMES: usize = 10;

/// The currencies of a request for the plans of several.
const CURRENCIES: [&str; 10] =
    ["EUR", "USD", "CHF", "GBP", "JPY", "KWD", "TON", "USDT", "USDC", "BTC"];

fn main() {
    println!("| kind | open | found | at least | greedy | proven | steps | most |");
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    for kind in KINDS {
        for open in [5, 10, 15, 20, 25, 30, 35, 40, 50, 60, 100, 200] {
            sizes(kind, open);
        }
    }

    println!("\n| kind | open in each of 10 currencies | optimal | ms |\n|---|---:|---:|---:|");
    for kind in KINDS {
        for open in [20, 30, 40, 60] {
            requests(kind, open);
        }
    }
}

/// Prints the means, and the largest numbers, of groups with so many open balances.
fn sizes(kind: Kind, open: usize) {
    let mut found = 0;
    let mut at_least = 0;
    let mut largest_first = 0;
    let mut proven = 0;
    let mut steps = Vec::new();
    for seed in 0..GROUPS {
        let balances = open_balances(kind, open, seed as u64);
        let (rest, pairs) = without_opposites(&balances);
        let mut left = MAX_STEPS;
        let partition = partition(&rest, &mut left);
        found += open - pairs - partition.sets.len();
        at_least += open - pairs - partition.most;
        proven += usize::from(partition.sets.len() == partition.most);
        largest_first += greedy(balances);
        steps.push(MAX_STEPS - left);
    }
    let [found, at_least, largest_first] = [found, at_least, largest_first].map(mean);
    let (name, _, _) = kind;
    println!(
        "| {name} | {open} | {found} | {at_least} | {largest_first} | {proven}/{GROUPS} | {} | {} |",
        steps.iter().sum::<u64>() / GROUPS as u64,
        steps.iter().max().unwrap_or(&0),
    );
}

/// Prints the plans of a group with so many open balances in each currency.
fn requests(kind: Kind, open: usize) {
    let balances = |seed: usize| {
        (1..)
            .flat_map(UserId::new)
            .map(MemberId::from)
            .zip(open_balances(kind, open, seed as u64))
            .collect()
    };
    let balances: Vec<Vec<(MemberId, i64)>> = (0..CURRENCIES.len()).map(balances).collect();
    let currencies = || CURRENCIES.iter().flat_map(|code| code.parse::<Currency>());
    let all = || plans(currencies().zip(balances.iter().cloned()));
    let optimal = all().values().filter(|plan| plan.optimal).count();
    let time = milliseconds(shortest(|| drop(all())));
    println!("| {} | {open} | {optimal}/{} | {time} |", kind.0, CURRENCIES.len());
}

fn shortest(work: impl Fn()) -> Duration {
    let time = || {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    std::iter::repeat_with(time).take(TIMES).min().unwrap_or_default()
}

fn mean(sum: usize) -> String {
    format!("{}.{}", sum / GROUPS, sum * 10 / GROUPS % 10)
}

fn milliseconds(time: Duration) -> String {
    format!("{}.{:02}", time.as_millis(), time.as_micros() / 10 % 100)
}
