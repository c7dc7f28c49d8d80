//! Explores pairs of writes: `cargo run -p fracti-tests --example pairs`.
//!
//! `--of TEXT` explores only the pairs whose name has the text, `--every N` one pair in N, from the
//! first or from `--from M`, and `--brief` prints the first finding of each pair only. The table is
//! in memory, or with `--engine` an engine behind a proxy.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a program that prints")]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Instant,
};

use fracti_tests::pairs::{Explored, Stage, pairs};
use tokio::task::JoinSet;

/// Stages, each with a table of its own.
const STAGES: usize = 3;

#[tokio::main(worker_threads = 2)]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| arguments.iter().skip_while(|it| *it != name).nth(1).cloned();
    let has = |name: &str| arguments.iter().any(|it| it == name);
    let of = value("--of");
    let brief = has("--brief");
    let engine = has("--engine");
    let number = |name, default| value(name).map_or(default, |it| it.parse().unwrap());
    let (every, from): (usize, usize) = (number("--every", 1), number("--from", 0));
    let is_chosen = |pair: &fracti_tests::pairs::Pair| {
        of.as_ref().is_none_or(|of| pair.to_string().contains(of))
    };
    let pairs: Vec<_> = pairs().into_iter().filter(is_chosen).skip(from).step_by(every).collect();
    let pairs = Arc::new(pairs);
    let next = Arc::new(AtomicUsize::new(0));
    let began = Instant::now();
    let mut stages = JoinSet::new();
    for _ in 0..STAGES {
        let pairs = pairs.clone();
        let next = next.clone();
        stages.spawn(async move {
            let mut stage = if engine { Stage::over_engine().await } else { Stage::new().await };
            let mut all = Explored::default();
            while let Some(pair) = pairs.get(next.fetch_add(1, SeqCst)) {
                let explored = stage.explore(pair).await;
                if !explored.findings.is_empty() {
                    println!("{pair}: {} wrong", explored.findings.len());
                    let shown = if brief { 1 } else { explored.findings.len() };
                    for finding in explored.findings.iter().take(shown) {
                        println!(" {:?}\n{}", finding.schedule, finding.text);
                    }
                }
                all.extend(explored);
            }
            all
        });
    }
    let mut all = Explored::default();
    for explored in stages.join_all().await {
        all.extend(explored);
    }
    println!("{} pairs in {} s", pairs.len(), began.elapsed().as_secs());
    for (kind, count) in &all.schedules {
        println!("| {kind} | {count} |");
    }
    println!("{} of neither order, but right", all.known);
    println!("{} wrong", all.findings.len());
    std::process::exit(i32::from(!all.findings.is_empty()));
}
