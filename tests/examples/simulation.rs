//! Runs the simulation: `cargo run -p fracti-tests --example simulation`.
//!
//! Without arguments it makes a thousand random runs behind a proxy that injects faults, kills the
//! local server eight times, and measures concurrent writers. `--seeds N` sets the number of runs;
//! `--seed N` repeats one of them, `--crashes` and `--crowds` run the other parts.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]

use std::{path::PathBuf, process::ExitCode};

use fracti_tests::{
    binaries::built,
    simulation::{self, Crowd, Report, Throughput},
};

#[tokio::main(worker_threads = 2)]
async fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |name: &str| {
        let value = arguments.iter().skip_while(|it| *it != name).nth(1)?;
        Some(value.parse::<u64>().unwrap())
    };
    let asked = |name: &str| arguments.is_empty() || arguments.iter().any(|it| it == name);
    let mut report = Report::default();
    if let Some(seed) = number("--seed") {
        report = report.and(simulation::runs(seed..seed.saturating_add(1)).await);
    } else if asked("--seeds") {
        let seeds = number("--seeds").unwrap_or(1_000);
        println!("{seeds} random runs, behind a DynamoDB that is not always well …");
        report = report.and(simulation::runs(0..seeds).await);
    }
    if asked("--crashes") {
        println!("the local server, killed {CRASHES} times in the middle of its work …");
        report = report.and(crashes().await);
    }
    let mut fastest = 0;
    if asked("--crowds") {
        println!("many at once, without faults …\n\n{}", Throughput::HEAD);
        for (writers, groups, user, processes) in CROWDS {
            let (throughput, found) = Crowd { writers, groups, user, processes }.write().await;
            println!("{throughput}");
            report = report.and(found);
            if groups == 1 {
                fastest = fastest.max(throughput.per_second());
            }
        }
    }
    println!("\n{report}| writes a second that one group takes, on this machine | {fastest} |\n");
    for (repeat, finding) in &report.findings {
        println!("{repeat}\n    {finding:?}");
    }
    if report.findings.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Kills of the local server.
const CRASHES: u64 = 8;

/// Writers, groups, the user if all writers are the same one, and processes.
const CROWDS: [(u64, usize, Option<u64>, usize); 6] = [
    (200, 1, None, 1),
    (200, 1, None, 8),
    (200, 1, None, 200),
    (200, 200, None, 1),
    (200, 200, None, 200),
    (50, 50, Some(1), 1),
];

async fn crashes() -> Report {
    let binary = built(&["-p", "fracti-local"]).join("fracti-local");
    let file = std::env::temp_dir().join(format!("survival-{}.sqlite", std::process::id()));
    let report = simulation::crashes(&binary, &file, CRASHES).await;
    for suffix in ["", "-wal", "-shm"] {
        let _ = std::fs::remove_file(PathBuf::from(format!("{}{suffix}", file.display())));
    }
    report
}
