//! Lets `docs/examples/follow.py` follow groups in which several users write at random, while
//! faults are injected and it is killed: `cargo run -p fracti-tests --example follow`.
//!
//! Needs Python 3. `--seeds N` sets the number of runs, `--seed N` repeats one of them, and
//! `--script FILE` takes another script.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]
#![expect(clippy::arithmetic_side_effects, reason = "sums of small numbers")]

use std::{collections::BTreeMap, path::Path, process::ExitCode};

use fracti_core::records::group_change::ChangeKind;
use fracti_tests::simulation::following;

/// Runs without arguments.
const SEEDS: u64 = 3;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/examples/follow.py");

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().skip_while(|it| *it != name).nth(1);
    let number = |name: &str| value(name).map(|it| it.parse::<u64>().unwrap());
    let seeds = match number("--seed") {
        Some(seed) => seed..seed + 1,
        None => 0..number("--seeds").unwrap_or(SEEDS),
    };
    let script = value("--script").map_or(SCRIPT, String::as_str);
    let (mut kinds, mut wrong) = (BTreeMap::<String, u64>::new(), 0);
    for seed in seeds {
        let followed = following(Path::new(script), seed).await;
        let changes = followed.kinds.values().sum::<u64>();
        let faults = followed.faults.values().sum::<u64>();
        println!(
            "seed {seed}: {changes} changes, {} lines, {} of them again, {} requests to the table, \
             {faults} faults, {} wrong",
            followed.lines,
            followed.again,
            followed.requests,
            followed.findings.len()
        );
        for finding in &followed.findings {
            println!("    {finding}");
        }
        for (kind, times) in followed.kinds {
            *kinds.entry(kind).or_default() += times;
        }
        wrong += followed.findings.len();
    }
    println!("| change | times |\n|---|---:|");
    for kind in ChangeKind::WORDS {
        let times = kinds.get(*kind).copied().unwrap_or_default();
        println!("| {kind} | {times} |");
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
