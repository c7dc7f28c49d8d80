//! Measures every endpoint on the largest groups that the limits allow:
//! `cargo run --release -p fracti-tests --example largest`.
//!
//! With `--throttled`, each partition takes 1 000 write units a second, as in DynamoDB, and what is
//! answered 503 is repeated. Only the calls that were throttled are printed.

#![expect(clippy::print_stdout, reason = "a program that prints")]

use std::time::Duration;

use fracti_store::TableCost;
use fracti_tests::{largest::Largest, operations::Operation};

/// Write units a second of a partition.
///
/// <https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html>
const UNITS: u32 = 1_000;

#[tokio::main]
async fn main() {
    let deadline = Duration::from_millis(8_500);
    if std::env::args().any(|argument| argument == "--throttled") {
        println!("| endpoint | | status | attempts | s |\n|---|---|---:|---:|---:|");
        for call in Largest::new(deadline, Some(UNITS)).await.calls().await {
            let (Operation { method, route, .. }, what) = (call.operation, call.what);
            let attempts = call.attempts;
            let seconds = call.took.as_secs_f64();
            if call.throttled > 0 {
                println!(
                    "| {method} `{route}` | {what} | {} | {attempts} | {seconds:.1} |",
                    call.status
                );
            }
            assert!(call.status < 300, "{}", call.body);
        }
        return;
    }
    println!("| endpoint | | requests | round trips | read units | write units | KB | ms |");
    println!("|---|---|---:|---:|---:|---:|---:|---:|");
    for call in Largest::new(deadline, None).await.calls().await {
        let TableCost { requests, round_trips, read_units, write_units, .. } = call.cost;
        let (Operation { method, route, .. }, what) = (call.operation, call.what);
        let kilobytes = call.bytes / 1000;
        let ms = call.took.as_millis();
        println!(
            "| {method} `{route}` | {what} | {requests} | {round_trips} | {read_units} | {write_units} | {kilobytes} | {ms} |"
        );
        assert!(call.status < 300, "{}", call.body);
    }
}
